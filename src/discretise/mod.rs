//! Numbers cut into groups, where that tells more of other columns than their embedding does.
//!
//! A column of numbers may act smoothly, as the embedding of [`MixedData`] takes it, or by steps: below a limit nothing happens,
//! above it all. Groups that are cut where other columns change ([`group_numbers`]) keep nearly all that steps tell, and tests and
//! scores of categories then apply as they are.
//!
//! * [`ranks`] has fine groups of equally many rows, from which cuts are chosen.
//! * [`merge`] joins neighbours as long as that loses the least, and takes the number of groups that a code is shortest for.

mod merge;
mod ranks;

use self::merge::{Partner, merged};
use self::ranks::RankGroups;
use crate::data::{Codes, CodesView, MixedColumn, MixedData};
use crate::run::Run;
use crate::score::{Cells, DiscreteScoreKind, LocalScore, MixedBic, Regrets, ScoreSession, ln_binomial};
use crate::{Error, Result, Variable};

/// Cuts are chosen of those between groups of this many rows, ...
const FINE_ROWS: f64 = 10.0;

/// ... of which there are at least and at most so many. Odd, so that the middle value is in the middle.
const FINE: (f64, f64) = (99.0, 999.0);

/// Into how many groups a number is cut while others are cut by what they tell of it.
const COARSE: usize = 5;

/// Into how many groups a number is cut that tells nothing of others.
const ALONE: usize = 3;

/// By so many other columns, those that depend on a number the most, it is cut.
const PARTNERS: usize = 16;

/// Numbers in groups.
#[derive(Debug)]
pub struct NumberGroups {
    /// The group of each row, in increasing order of the numbers: for each number that was asked for.
    pub codes: Vec<Codes>,
    /// The least and the largest number of each group, of which there are 1 of a constant, else 2 or more.
    pub bounds: Vec<Vec<(f64, f64)>>,
    /// How much the groups tell of other columns, relative to the embedding: Σ √gain in groups ÷ Σ √embedded gain over the
    /// pairs that were looked at, 0 where there are none. A gain is that of a score over independence, at least 0. In groups
    /// it is that of quotient NML with the support coded, less half of ln binomial for the choice of the cuts, which serves more
    /// pairs than one; embedded, that of BIC. A gain grows as the number of rows times the square of an effect, and so its root as the effect.
    pub advantage: f64,
}

/// Cuts numbers into groups by what they tell of other columns.
///
/// Of each number the 16 columns are looked at that it gains the most with, by BIC of the embedding. Its groups of ten rows (at
/// least 99, at most 999 groups) are merged, always the two neighbours that lose the least information of those columns, until
/// two are left; of the numbers of groups on the way, at most 20, the one is taken for which quotient NML with the support coded
/// gains the most in sum over these columns. Other numbers are cut into five groups for that. A number that gains with no column
/// is cut into three. Only the order of the numbers matters.
///
/// # Errors
///
/// [`Error::Data`] when `columns` are not those of `data`, or `numbers` and `apart` are not of them; [`Error::Interrupted`].
pub fn group_numbers(
    data: &MixedData,
    columns: &[MixedColumn],
    numbers: &[Variable],
    apart: &[Variable],
    run: &Run,
) -> Result<NumberGroups> {
    if columns.len() != data.n_variables() || columns.iter().any(|column| column.n_rows() != data.n_rows()) {
        return Err(Error::Data("the columns are not those of the data".into()));
    }
    if let Some(x) = numbers.iter().find(|&&x| !matches!(columns.get(x as usize), Some(MixedColumn::Number(_)))) {
        return Err(Error::Data(format!("column {x} holds no numbers")));
    }
    if let Some(x) = apart.iter().find(|&&x| x as usize >= columns.len()) {
        return Err(Error::Data(format!("there is no column {x}")));
    }
    let pairs = Pairs::new(data, columns, numbers, apart, run)?;
    let found = run.map(numbers.len(), || (), |(), i| pairs.cut(i))?;
    let advantage = pairs.advantage(&found, run)?;
    let bounds = found.iter().zip(numbers).map(|(cut, &x)| bounds(cut, &columns[x as usize])).collect();
    // There are at most 20 groups.
    let narrow = |cut: Cut| Codes::Narrow(cut.codes.into_iter().map(|code| code as u8).collect());
    let codes = found.into_iter().map(narrow).collect();
    Ok(NumberGroups { codes, bounds, advantage })
}

/// A number in groups, and what the choice of its cuts costs.
struct Cut {
    codes: Vec<u16>,
    size: usize,
    charge: f64,
}

impl Cut {
    fn column(&self) -> (Column<'_>, usize) {
        (Column::Cut(&self.codes), self.size)
    }
}

/// A number in groups of equally many rows: the group of each row, and how many there are.
struct Ranked {
    fine: (Vec<u16>, usize),
    coarse: (Vec<u16>, usize),
    alone: (Vec<u16>, usize),
}

/// What numbers are cut by.
struct Pairs<'a> {
    data: &'a MixedData,
    columns: &'a [MixedColumn],
    numbers: &'a [Variable],
    /// The position of each variable among `numbers`.
    position: Vec<Option<usize>>,
    ranked: Vec<Option<Ranked>>,
    /// The columns that each of `numbers` is cut by, with what it gains with them in the embedding.
    partners: Vec<Vec<(Variable, f64)>>,
    regrets: Regrets,
}

impl<'a> Pairs<'a> {
    fn new(
        data: &'a MixedData,
        columns: &'a [MixedColumn],
        numbers: &'a [Variable],
        apart: &[Variable],
        run: &Run,
    ) -> Result<Self> {
        let most = (data.effective_rows() / FINE_ROWS).clamp(FINE.0, FINE.1) as usize | 1;
        let ranked = run.map(
            columns.len(),
            || (),
            |(), x| match &columns[x] {
                MixedColumn::Number(values) => {
                    let ranks = RankGroups::new(values, |row| data.weight(row), data.effective_rows());
                    let [fine, coarse, alone] = [most, COARSE, ALONE].map(|most| ranks.groups(most));
                    Some(Ranked { fine, coarse, alone })
                }
                MixedColumn::Category(..) => None,
            },
        )?;
        let mut position = vec![None; columns.len()];
        numbers.iter().enumerate().for_each(|(i, &x)| position[x as usize] = Some(i));
        let mut is_candidate: Vec<bool> = (0..columns.len() as Variable).map(|x| data.width(x) > 0).collect();
        apart.iter().for_each(|&x| is_candidate[x as usize] = false);
        let candidates: Vec<Variable> = (0..columns.len() as Variable).filter(|&x| is_candidate[x as usize]).collect();
        let score = MixedBic::new(data, None, 0.5, None, DiscreteScoreKind::Bic(0.5))?;
        let partners = run.map(
            numbers.len(),
            || (score.session(), Vec::new()),
            |(session, scores), i| {
                let x = numbers[i];
                if is_candidate[x as usize] { strongest(session, scores, x, &candidates) } else { vec![] }
            },
        )?;
        // Half a row changes no regret to speak of.
        let regrets = Regrets::new(data.effective_rows().round() as usize);
        Ok(Self { data, columns, numbers, position, ranked, partners, regrets })
    }

    fn ranked(&self, x: Variable) -> &Ranked {
        self.ranked[x as usize].as_ref().expect("each number has ranks")
    }

    /// The group of each row of a column, and how many there are: of a number the coarse ones.
    fn coarse(&self, x: Variable) -> (Column<'_>, usize) {
        match &self.columns[x as usize] {
            MixedColumn::Category(codes, arity) => (Column::Category(codes.view()), *arity as usize),
            MixedColumn::Number(_) => {
                let (codes, size) = &self.ranked(x).coarse;
                (Column::Cut(codes), *size)
            }
        }
    }

    /// The number at a position, cut.
    fn cut(&self, i: usize) -> Cut {
        let ranked = self.ranked(self.numbers[i]);
        if self.partners[i].is_empty() {
            let (codes, size) = ranked.alone.clone();
            return Cut { codes, size, charge: 0.0 };
        }
        let (fine, size) = &ranked.fine;
        let of_partner = |&(y, _): &(Variable, f64)| self.table((Column::Cut(fine), *size), self.coarse(y));
        let partners: Vec<Partner> = self.partners[i].iter().map(of_partner).collect();
        let mut masses = vec![0.0; *size];
        fine.iter().enumerate().for_each(|(row, &group)| masses[usize::from(group)] += self.data.weight(row));
        let group_of = merged(&partners, &masses, |partner| self.gain(partner));
        let groups = usize::from(*group_of.last().expect("there is a group")) + 1;
        let charge = ln_binomial(Cells::exactly(*size as f64 - 1.0), groups as u32 - 1);
        Cut { codes: fine.iter().map(|&at| group_of[usize::from(at)]).collect(), size: groups, charge }
    }

    /// The weights of the cells of two columns.
    fn table(&self, (rows, n_groups): (Column<'_>, usize), (columns, n_states): (Column<'_>, usize)) -> Partner {
        let mut cells = vec![0.0; n_groups * n_states];
        for row in 0..self.data.n_rows() {
            cells[rows.get(row) * n_states + columns.get(row)] += self.data.weight(row);
        }
        Partner { n_states, cells }
    }

    /// The gain of quotient NML with the support coded over independence.
    fn gain(&self, table: &Partner) -> f64 {
        let n = self.data.effective_rows();
        let score = |cells: &[f64]| {
            let occupied = cells.iter().filter(|&&cell| cell > 0.0).count() as u32;
            let charge = self.regrets.of_support(Cells::exactly(cells.len() as f64), occupied);
            merge::n_ln_n(cells) - charge
        };
        let (rows, columns) = table.margins();
        score(&table.cells) - score(&rows) - score(&columns) + n * n.ln()
    }

    /// See [`NumberGroups::advantage`].
    fn advantage(&self, cut: &[Cut], run: &Run) -> Result<f64> {
        let sums = run.map(
            cut.len(),
            || (),
            |(), i| {
                let (x, own) = (self.numbers[i], &cut[i]);
                let (mut in_groups, mut embedded) = (0.0, 0.0);
                for &(y, gain) in &self.partners[i] {
                    let other = self.position[y as usize];
                    // A pair of numbers that look at each other is looked at once.
                    if y < x && other.is_some_and(|j| self.partners[j].iter().any(|&(z, _)| z == x)) {
                        continue;
                    }
                    let table = self.table(own.column(), other.map_or_else(|| self.coarse(y), |j| cut[j].column()));
                    let charge = 0.5 * (own.charge + other.map_or(0.0, |j| cut[j].charge));
                    in_groups += (self.gain(&table) - charge).max(0.0).sqrt();
                    embedded += gain.sqrt();
                }
                (in_groups, embedded)
            },
        )?;
        let (in_groups, embedded) = sums.into_iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        Ok(if embedded > 0.0 { in_groups / embedded } else { 0.0 })
    }
}

/// The least and the largest number of each group.
fn bounds(cut: &Cut, column: &MixedColumn) -> Vec<(f64, f64)> {
    let mut bounds = vec![(f64::INFINITY, f64::NEG_INFINITY); cut.size];
    if let MixedColumn::Number(values) = column {
        for (&code, &value) in cut.codes.iter().zip(values) {
            let (least, largest) = &mut bounds[usize::from(code)];
            (*least, *largest) = (least.min(value), largest.max(value));
        }
    }
    bounds
}

/// The columns that a number gains the most with, by falling gain.
fn strongest(
    session: &mut impl ScoreSession,
    scores: &mut Vec<f64>,
    x: Variable,
    candidates: &[Variable],
) -> Vec<(Variable, f64)> {
    let others: Vec<Variable> = candidates.iter().copied().filter(|&y| y != x).collect();
    let alone = session.local_score(x, &[]);
    session.local_scores_with_each(x, &[], &others, scores);
    let gains = others.iter().zip(&*scores).map(|(&y, score)| (y, score - alone));
    let mut found: Vec<(Variable, f64)> = gains.filter(|(_, gain)| *gain > 0.0).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(PARTNERS);
    found
}

/// A column in groups.
enum Column<'a> {
    Category(CodesView<'a>),
    Cut(&'a [u16]),
}

impl Column<'_> {
    fn get(&self, row: usize) -> usize {
        match self {
            Self::Category(codes) => codes.get(row) as usize,
            Self::Cut(codes) => usize::from(codes[row]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MixedOptions;

    fn columns() -> Vec<MixedColumn> {
        let rows = 0..800u32;
        let number: Vec<f64> = rows.clone().map(|row| f64::from(row * 37 % 800)).collect();
        // Three steps of the number, with a tenth of the rows at random.
        let step = |row: u32| match row * 37 % 800 {
            _ if row % 10 == 3 => row / 10 % 3,
            ..200 => 1,
            200..500 => 0,
            _ => 2,
        };
        let steps = rows.clone().map(|row| step(row) as u8).collect();
        let other = rows.map(|row| f64::from(row * 101 % 800)).collect();
        vec![MixedColumn::Number(number), MixedColumn::Category(Codes::Narrow(steps), 3), MixedColumn::Number(other)]
    }

    #[test]
    fn cuts_are_at_the_steps_for_any_number_of_threads() {
        let columns = columns();
        for threads in [1, 3] {
            let run = Run::new(threads).unwrap();
            let data = MixedData::new(columns.clone(), MixedOptions::default(), &run).unwrap();
            let found = group_numbers(&data, &columns, &[0], &[], &run).unwrap();
            let borders: Vec<f64> = found.bounds[0].iter().skip(1).map(|bounds| bounds.0).collect();
            assert_eq!(borders.len(), 2, "{:?}", found.bounds);
            // Groups have about eight rows.
            assert!((borders[0] - 200.0).abs() <= 8.0 && (borders[1] - 500.0).abs() <= 8.0, "{borders:?}");
            assert!(found.advantage > 1.0, "{}", found.advantage);
            let MixedColumn::Number(values) = &columns[0] else { unreachable!() };
            let group = |value: f64| borders.iter().filter(|&&border| border <= value).count() as u32;
            assert!((0..800).all(|row| found.codes[0].get(row) == group(values[row])));
            // Set apart, the steps tell nothing, and the number is cut into three.
            let alone = group_numbers(&data, &columns, &[0], &[1], &run).unwrap();
            assert_eq!((alone.bounds[0].len(), alone.advantage), (3, 0.0));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (columns, run) = (columns(), Run::new(1).unwrap());
        let data = MixedData::new(columns.clone(), MixedOptions::default(), &run).unwrap();
        assert!(group_numbers(&data, &columns, &[1], &[], &run).is_err());
        assert!(group_numbers(&data, &columns, &[7], &[], &run).is_err());
        assert!(group_numbers(&data, &columns[..2], &[0], &[], &run).is_err());
        assert!(group_numbers(&data, &columns, &[0], &[9], &run).is_err());
    }
}
