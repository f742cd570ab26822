//! Numbers beside categories, embedded in one correlation matrix.

use super::continuous::{ContinuousData, centred};
use super::correlation::Correlation;
use super::discrete::{Codes, DiscreteData};
use super::weighted::{RowWeights, WeightedData};
use crate::run::Run;
use crate::stats::normal_quantile;
use crate::{Error, Result, Variable};

/// A column of a mixed table.
#[derive(Debug, Clone, PartialEq)]
pub enum MixedColumn {
    /// State codes, and the number of states.
    Category(Codes, u32),
    /// Finite numbers.
    Number(Vec<f64>),
}

impl MixedColumn {
    /// Number of rows.
    pub(crate) fn n_rows(&self) -> usize {
        match self {
            Self::Category(codes, _) => codes.len(),
            Self::Number(values) => values.len(),
        }
    }

    /// Whether the value of each row is missing: of a category the code after its last state, of a number NaN.
    pub(crate) fn missing(&self) -> Vec<bool> {
        match self {
            Self::Category(codes, arity) => (0..codes.len()).map(|row| codes.get(row) >= *arity).collect(),
            Self::Number(values) => values.iter().map(|value| value.is_nan()).collect(),
        }
    }

    /// The column of some rows.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Category(codes, arity) => Self::Category(codes.of_rows(rows), *arity),
            Self::Number(values) => Self::Number(rows.iter().map(|&row| values[row]).collect()),
        }
    }
}

/// How numbers enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// By the normal scores of their average ranks.
    Ranks,
    /// By their standardised values.
    Values,
}

/// How columns are embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MixedOptions {
    /// How numbers enter.
    pub numbers: Numbers,
    /// Powers of numbers in the embedding: 1 is the number alone, 2 its square too, 3 its cube too.
    pub powers: usize,
    /// Whether to keep the numbers of each row, which scores need that look at groups of rows.
    pub keep_rows: bool,
}

impl Default for MixedOptions {
    fn default() -> Self {
        Self { numbers: Numbers::Ranks, powers: 2, keep_rows: false }
    }
}

/// Numbers beside categories: each variable is a block of columns of one correlation matrix (the degenerate Gaussian
/// embedding of Andrews, Ramsey and Cooper 2019, with powers of numbers).
///
/// * A category with r states that occur has r − 1 indicators; the most frequent state is left out. States below
///   max(5, 0.5 % of the rows) share one indicator.
/// * A number has its normal score z (or its standardised value), z² − 1 and, where asked for, z³ − 3z. A value that more
///   than 30 % of the rows have gets an indicator. The block has at most one column less than there are values.
/// * What is constant has a block of no columns.
///
/// The matrix is R ← (R + εI)/(1 + ε) with ε = 1/n, so that copies and sums have finite determinants.
#[derive(Debug)]
pub struct MixedData {
    /// The first embedded column of each variable, and the number of all.
    offsets: Vec<Variable>,
    correlation: Correlation,
    categories: Option<MixedCategories>,
    weights: Option<RowWeights>,
    /// The position of each variable among the categories.
    category: Vec<Option<Variable>>,
    copies: Vec<(Variable, Variable)>,
    /// The numbers themselves by variable, as they enter, with mean 0 and variance 1 (none of a category): only if kept.
    rows: Option<Vec<Vec<f64>>>,
}

/// The categories of a mixed table, as they are counted.
#[derive(Debug)]
pub enum MixedCategories {
    /// Row by row.
    Counted(DiscreteData),
    /// By the weights of rows.
    Weighted(WeightedData),
}

impl MixedCategories {
    /// The codes.
    pub fn data(&self) -> &DiscreteData {
        match self {
            Self::Counted(data) => data,
            Self::Weighted(data) => data.data(),
        }
    }
}

impl MixedData {
    /// Embeds columns.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are no columns or rows or columns differ in length, [`Error::Columns`] when numbers are
    /// not finite, [`Error::Interrupted`].
    pub fn new(columns: Vec<MixedColumn>, options: MixedOptions, run: &Run) -> Result<Self> {
        Self::weighted(columns, None, options, run)
    }

    /// The same of rows with sampling weights: ranks are sums of weights, scaled to the effective number of rows, which
    /// takes the place of the number of rows everywhere.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Error::Data`] when there are not as many weights as rows.
    pub fn weighted(
        columns: Vec<MixedColumn>,
        weights: Option<&[f64]>,
        options: MixedOptions,
        run: &Run,
    ) -> Result<Self> {
        let n_rows =
            columns.first().map(MixedColumn::n_rows).ok_or_else(|| Error::Data("data has no columns".into()))?;
        if n_rows < 2 {
            return Err(Error::Data("at least two rows are needed".into()));
        }
        if let Some(index) = columns.iter().position(|column| column.n_rows() != n_rows) {
            return Err(Error::Data(format!("column {index} has another number of rows than column 0")));
        }
        let is_bad = |column: &MixedColumn| match column {
            MixedColumn::Category(..) => false,
            MixedColumn::Number(values) => values.iter().any(|value| !value.is_finite()),
        };
        let bad: Vec<Variable> = (0..columns.len()).filter(|&x| is_bad(&columns[x])).map(|x| x as Variable).collect();
        if !bad.is_empty() {
            return Err(Error::columns(bad, "hold values that are missing, NaN or infinite"));
        }
        if let Some(given) = weights
            && given.len() != n_rows
        {
            return Err(Error::Data(format!("{} weights for {n_rows} rows", given.len())));
        }
        let of_rows = weights.map(RowWeights::new).transpose()?;
        let mass = Mass { n_rows, weights: of_rows.as_ref() };
        let blocks = run.map(
            columns.len(),
            || (),
            |(), x| match &columns[x] {
                MixedColumn::Category(codes, arity) => indicators(codes, *arity, mass),
                MixedColumn::Number(values) => powers(values, options, mass),
            },
        )?;
        run.check()?;
        let mut offsets = vec![0];
        let (mut embedded, mut first_of) = (Vec::new(), Vec::new());
        for (x, block) in blocks.into_iter().enumerate() {
            for (i, column) in block.into_iter().enumerate() {
                let is_number = matches!(columns[x], MixedColumn::Number(_)) && i == 0;
                first_of.push(is_number.then_some(x as Variable));
                embedded.push(column);
            }
            offsets.push(embedded.len() as Variable);
        }
        if embedded.is_empty() {
            embedded.push(vec![0.0; n_rows]);
        }
        let rows = options.keep_rows.then(|| {
            let standard = |x: usize| match &columns[x] {
                MixedColumn::Number(_) => {
                    embedded.get(offsets[x] as usize).map_or_else(Vec::new, |z| standardised(z, mass))
                }
                MixedColumn::Category(..) => Vec::new(),
            };
            (0..columns.len()).map(standard).collect()
        });
        let (embedded, _) = ContinuousData::with_constants(embedded, of_rows.clone())?;
        let (correlation, copies) = Correlation::of_embedding(&embedded, run)?;
        let of = |c: Variable| first_of.get(c as usize).copied().flatten();
        let copies = copies.iter().filter_map(|&(a, b)| Some((of(a)?, of(b)?))).collect();
        let mut category = Vec::new();
        let (mut codes_of, mut arities) = (Vec::new(), Vec::new());
        for column in columns {
            match column {
                MixedColumn::Category(codes, arity) => {
                    category.push(Some(codes_of.len() as Variable));
                    codes_of.push(codes);
                    arities.push(arity);
                }
                MixedColumn::Number(_) => category.push(None),
            }
        }
        let categories = if codes_of.is_empty() {
            None
        } else {
            let counted = DiscreteData::new(codes_of, arities)?;
            Some(match weights {
                None => MixedCategories::Counted(counted),
                Some(weights) => MixedCategories::Weighted(WeightedData::new(counted, weights)?),
            })
        };
        Ok(Self { offsets, correlation, categories, weights: of_rows, category, copies, rows })
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.correlation.n_rows()
    }

    /// Number of rows of equal weight that the rows are worth: the number of rows, unless they have weights.
    #[inline]
    pub fn effective_rows(&self) -> f64 {
        self.mass().of_all()
    }

    /// The weight of a row, of [`effective_rows`](Self::effective_rows) in all.
    #[inline]
    pub fn weight(&self, row: usize) -> f64 {
        self.mass().of(row)
    }

    fn mass(&self) -> Mass<'_> {
        Mass { n_rows: self.n_rows(), weights: self.weights.as_ref() }
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.category.len()
    }

    /// The embedded columns of a variable.
    #[inline]
    pub fn block(&self, x: Variable) -> std::ops::Range<Variable> {
        self.offsets[x as usize]..self.offsets[x as usize + 1]
    }

    /// The number of embedded columns of a variable.
    #[inline]
    pub fn width(&self, x: Variable) -> usize {
        self.block(x).len()
    }

    /// The correlations of all embedded columns, with the ridge.
    #[inline]
    pub fn correlation(&self) -> &Correlation {
        &self.correlation
    }

    /// The columns of categories.
    pub fn categories(&self) -> Option<&DiscreteData> {
        self.categories.as_ref().map(MixedCategories::data)
    }

    /// The columns of categories, as they are counted.
    pub fn counted(&self) -> Option<&MixedCategories> {
        self.categories.as_ref()
    }

    /// The position of a variable among the categories.
    #[inline]
    pub fn category(&self, x: Variable) -> Option<Variable> {
        self.category[x as usize]
    }

    /// A number's value in each row, as it enters, with mean 0 and variance 1; empty of a category and of a constant. `None`
    /// unless rows were kept.
    pub fn rows(&self, x: Variable) -> Option<&[f64]> {
        self.rows.as_ref().map(|rows| &rows[x as usize][..])
    }

    /// Pairs of numbers of which one is a function of the other, as they enter: after ranks, any monotone one.
    pub fn copies(&self) -> &[(Variable, Variable)] {
        &self.copies
    }
}

/// How much rows weigh.
#[derive(Clone, Copy)]
struct Mass<'w> {
    n_rows: usize,
    weights: Option<&'w RowWeights>,
}

impl Mass<'_> {
    fn of(self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights.scaled()[row])
    }

    fn of_all(self) -> f64 {
        self.weights.map_or(self.n_rows as f64, RowWeights::effective_rows)
    }
}

/// A column with mean 0 and variance 1; empty if it is constant.
fn standardised(column: &[f64], mass: Mass) -> Vec<f64> {
    let scale = mass.of_all().sqrt();
    let Some(deviations) = centred(column, mass.weights) else { return Vec::new() };
    match mass.weights {
        None => deviations.into_iter().map(|d| d * scale).collect(),
        // These are times the roots of the weights.
        Some(weights) => deviations.into_iter().zip(weights.scaled()).map(|(d, w)| d * scale / w.sqrt()).collect(),
    }
}

/// States of fewer rows than this share one indicator.
pub(crate) fn rare_below(n_rows: f64) -> f64 {
    5.0f64.max(0.005 * n_rows)
}

/// The indicators of a category.
fn indicators(codes: &Codes, arity: u32, mass: Mass) -> Vec<Vec<f64>> {
    let (n, codes) = (codes.len(), codes.view());
    let mut counts = vec![0.0; arity as usize];
    (0..n).for_each(|row| counts[codes.get(row) as usize] += mass.of(row));
    let least = rare_below(mass.of_all());
    // The first of the most frequent states would depend on the order of the states, but no determinant does.
    let most =
        (0..counts.len()).reduce(|most, state| if counts[state] > counts[most] { state } else { most }).unwrap_or(0);
    let mut column_of = vec![None; counts.len()];
    let (mut width, mut rare) = (0, None);
    for state in (0..counts.len()).filter(|&state| state != most && counts[state] > 0.0) {
        let at = if counts[state] < least {
            *rare.get_or_insert_with(|| {
                width += 1;
                width - 1
            })
        } else {
            width += 1;
            width - 1
        };
        column_of[state] = Some(at);
    }
    let mut columns = vec![vec![0.0; n]; width];
    for row in 0..n {
        if let Some(at) = column_of[codes.get(row) as usize] {
            columns[at][row] = 1.0;
        }
    }
    columns
}

/// A power of a score as it is embedded: of the first, second and third (0, 1, 2) the Hermite polynomial, which normal scores
/// leave uncorrelated with those before it.
pub(crate) fn power_of(z: f64, power: usize) -> f64 {
    match power {
        0 => z,
        1 => z * z - 1.0,
        _ => z * z * z - 3.0 * z,
    }
}

/// Calls `visit` with each different number, by increasing number, and the rows that have it. 0 and −0 are one number.
pub(crate) fn for_each_number(numbers: &[f64], mut visit: impl FnMut(f64, &[u32])) {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
    order
        .chunk_by(|&a, &b| numbers[a as usize] == numbers[b as usize])
        .for_each(|same| visit(numbers[same[0] as usize], same));
}

/// More than this share of the rows with one value is a spike.
const SPIKE: f64 = 0.3;

/// The embedded columns of a number.
fn powers(values: &[f64], options: MixedOptions, mass: Mass) -> Vec<Vec<f64>> {
    let n = mass.of_all();
    let mut scores = vec![0.0; values.len()];
    let (mut distinct, mut heaviest, mut before) = (0, (0.0, 0.0), 0.0);
    for_each_number(values, |value, same| {
        let own: f64 = same.iter().map(|&row| mass.of(row as usize)).sum();
        let rank = before + 0.5 * (own + 1.0);
        // Scores of mirrored ranks are mirrored to the bit, so that a decreasing map changes signs alone.
        let score = normal_quantile(rank / (n + 1.0));
        let mirrored = normal_quantile((n + 1.0 - rank) / (n + 1.0));
        let score = 0.5 * (score - mirrored);
        same.iter().for_each(|&row| scores[row as usize] = score);
        if own > heaviest.0 {
            heaviest = (own, value);
        }
        distinct += 1;
        before += own;
    });
    if distinct < 2 {
        return Vec::new();
    }
    if options.numbers == Numbers::Values {
        scores = standardised(values, mass);
        if scores.is_empty() {
            return Vec::new();
        }
    }
    let most = (distinct - 1).min(options.powers.max(1));
    let mut columns = Vec::new();
    for power in 0..most {
        columns.push(scores.iter().map(|&z| power_of(z, power)).collect());
    }
    if heaviest.0 > SPIKE * n && distinct - 1 > columns.len() {
        columns.push(values.iter().map(|&v| f64::from(u8::from(v == heaviest.1))).collect());
    }
    columns
}
