//! Missing values of numbers beside categories.
//!
//! Numbers are drawn by their scores: those of their ranks among the known values, or standardised values. In the network
//! a number is a line over its parents as the mixed score sees them; a category has a table, or, with numbers among its
//! parents, linear discriminants. Missing values of a row are drawn in turn, each given all others. For a category this
//! is exact. For a number a few scores are proposed from what is normal of its distribution, and the present one or one of
//! them is taken with the right probability (sampling importance resampling by a Markov chain: Andrieu, Lee and Vihola
//! 2018). A drawn score becomes one of the column's known values.

use super::mixed_families::{Columns, Family, Kind, Row};
use super::tables::pick;
use super::values::KnownValues;
use super::{seed_of_sweep, weight_of_sweep};
use crate::data::{Codes, Gaps, MixedColumn, MixedOptions};
use crate::graph::Dag;
use crate::random_numbers::{below, normal, stream, uniform};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Rows that are drawn together.
const BLOCK: usize = 64;

/// Scores that are proposed for each missing number.
const PROPOSALS: usize = 4;

/// Share of the proposals that are from the standard normal distribution: where a distribution has two tops, or is not
/// normal in another way, these find what the others miss.
const WIDE: f64 = 0.2;

/// Columns of numbers beside categories of which some values are missing: of a category the code after its last state, of
/// a number NaN.
#[derive(Debug, Clone)]
pub struct IncompleteMixed {
    columns: Vec<MixedColumn>,
    options: MixedOptions,
}

impl IncompleteMixed {
    /// The table of these columns, with numbers entering as the options say.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are none, they have no rows, differ in length, or a code is above the number of states;
    /// [`Error::Columns`] when they hold infinities.
    pub fn new(columns: Vec<MixedColumn>, options: MixedOptions) -> Result<Self> {
        let n_rows = columns.first().map_or(0, length);
        if n_rows == 0 || u32::try_from(n_rows).is_err() || columns.iter().any(|column| length(column) != n_rows) {
            return Err(Error::Data("columns must have rows, as many in each".into()));
        }
        let mut infinite = Vec::new();
        for (x, column) in columns.iter().enumerate() {
            match column {
                MixedColumn::Number(values) if values.iter().any(|value| value.is_infinite()) => {
                    infinite.push(x as Variable);
                }
                MixedColumn::Category(codes, arity)
                    if *arity == 0 || (0..n_rows).any(|row| codes.get(row) > *arity) =>
                {
                    return Err(Error::Data(format!("column {x} has a code above its {arity} states")));
                }
                _ => {}
            }
        }
        if infinite.is_empty() {
            Ok(Self { columns, options })
        } else {
            Err(Error::columns(infinite, "hold infinite values"))
        }
    }

    fn n_rows(&self) -> usize {
        length(&self.columns[0])
    }

    fn gaps(&self) -> Gaps {
        Gaps::find(self.n_rows(), self.columns.iter().map(|column| move |row: usize| is_missing(column, row)))
    }

    /// Draws each missing value from the known ones of its column; where there are none, the first state or 0.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn fill_from_marginals(&self, seed: u64, run: &Run) -> Result<Vec<MixedColumn>> {
        run.map(
            self.columns.len(),
            || (),
            |(), x| {
                let (known, missing): (Vec<usize>, Vec<usize>) =
                    (0..self.n_rows()).partition(|&row| !is_missing(&self.columns[x], row));
                let mut rng = stream(seed, x as u64);
                let mut drawn = self.columns[x].clone();
                for row in missing {
                    let from = (!known.is_empty()).then(|| known[below(&mut rng, known.len())]);
                    match &mut drawn {
                        MixedColumn::Category(codes, _) => {
                            let code = from.map_or(0, |row| codes.get(row));
                            codes.set(row, code);
                        }
                        MixedColumn::Number(values) => values[row] = from.map_or(0.0, |row| values[row]),
                    }
                }
                drawn
            },
        )
    }

    /// Draws each missing value given what is known of its row, in the network of a DAG that is estimated along the way.
    /// The first estimate is from `completed`, the same rows with all values, where the sweeps start too.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when the sizes of data, completed data and graph differ; [`Error::Interrupted`] once the run is
    /// cancelled; [`Error::OutOfTime`] when the deadline passes, since values that are drawn in part are of no use.
    pub fn fill(
        &self,
        completed: &[MixedColumn],
        dag: &Dag,
        sweeps: usize,
        seed: u64,
        run: &Run,
    ) -> Result<Vec<MixedColumn>> {
        let (p, n) = (self.columns.len(), self.n_rows());
        let same = |(own, other): (&MixedColumn, &MixedColumn)| {
            length(other) == n
                && matches!(own, MixedColumn::Number(_)) == matches!(other, MixedColumn::Number(_))
                && (0..n).all(|row| !is_missing(other, row))
        };
        if completed.len() != p || dag.n_variables() != p || !self.columns.iter().zip(completed).all(same) {
            return Err(Error::Data("data, completed data and the graph differ in size or kind".into()));
        }
        let known = run.map(p, || (), |(), x| self.known_values(x))?;
        let mut columns = scored(completed, &known, run)?;
        let gaps = self.gaps();
        let mut network = Network::estimate(&self.columns, known, self.options.powers, &columns, dag, run)?;
        for sweep in 0..sweeps {
            if sweep > 0 {
                network.blend(&columns, weight_of_sweep(sweep, sweeps), run)?;
            }
            network.draw(&gaps, &mut columns, seed_of_sweep(seed, sweep), run)?;
        }
        let filled = |x: usize| match &self.columns[x] {
            MixedColumn::Category(_, arity) => MixedColumn::Category(columns.codes[x].clone(), *arity),
            MixedColumn::Number(values) => {
                let value = |(&own, &score): (&f64, &f64)| {
                    if own.is_nan() { network.known[x].as_ref().map_or(0.0, |known| known.value(score)) } else { own }
                };
                MixedColumn::Number(values.iter().zip(&columns.scores[x]).map(value).collect())
            }
        };
        run.map(p, || (), |(), x| filled(x))
    }

    fn known_values(&self, x: usize) -> Option<KnownValues> {
        match &self.columns[x] {
            MixedColumn::Number(values) => Some(KnownValues::of(values, self.options.numbers)),
            MixedColumn::Category(..) => None,
        }
    }
}

fn length(column: &MixedColumn) -> usize {
    match column {
        MixedColumn::Category(codes, _) => codes.len(),
        MixedColumn::Number(values) => values.len(),
    }
}

fn is_missing(column: &MixedColumn, row: usize) -> bool {
    match column {
        MixedColumn::Category(codes, arity) => codes.get(row) >= *arity,
        MixedColumn::Number(values) => values[row].is_nan(),
    }
}

/// Completed columns, with the scores of numbers.
fn scored(completed: &[MixedColumn], known: &[Option<KnownValues>], run: &Run) -> Result<Columns> {
    let parts = run.map(
        completed.len(),
        || (),
        |(), x| match (&completed[x], &known[x]) {
            (MixedColumn::Number(values), Some(known)) => {
                (Codes::Narrow(Vec::new()), values.iter().map(|&value| known.score(value)).collect())
            }
            (MixedColumn::Category(codes, _), _) => (codes.clone(), Vec::new()),
            (MixedColumn::Number(_), None) => unreachable!("a number has its known values"),
        },
    )?;
    let (codes, scores) = parts.into_iter().unzip();
    Ok(Columns { codes, scores })
}

/// The network of a DAG over numbers and categories.
struct Network {
    kinds: Vec<Kind>,
    known: Vec<Option<KnownValues>>,
    families: Vec<Family>,
    children: Vec<Vec<Variable>>,
    /// Whether a variable has neither parents nor children.
    alone: Vec<bool>,
}

/// What drawing a row needs room for.
#[derive(Default)]
struct Workspace {
    row: Row,
    logarithms: Vec<f64>,
    weights: Vec<f64>,
    room: Vec<f64>,
}

impl Network {
    fn estimate(
        gapped: &[MixedColumn],
        known: Vec<Option<KnownValues>>,
        powers: usize,
        columns: &Columns,
        dag: &Dag,
        run: &Run,
    ) -> Result<Self> {
        let kind = |x: usize| match (&gapped[x], &known[x]) {
            (MixedColumn::Category(_, arity), _) => Kind::Category(*arity),
            // As many as the values tell apart, as in the embedding.
            (MixedColumn::Number(_), known) => {
                Kind::Number(known.as_ref().map_or(1, KnownValues::len).saturating_sub(1).min(powers.max(1)))
            }
        };
        let kinds: Vec<Kind> = (0..gapped.len()).map(kind).collect();
        let arity = |kind: &Kind| if let Kind::Category(arity) = kind { *arity } else { 1 };
        let arities: Vec<u32> = kinds.iter().map(arity).collect();
        let families =
            run.map(kinds.len(), || (), |(), x| Family::estimate(x as Variable, &kinds, &arities, columns, dag))?;
        let mut children = vec![Vec::new(); kinds.len()];
        for child in 0..kinds.len() as Variable {
            dag.parents(child).iter().for_each(|&parent| children[parent as usize].push(child));
        }
        let alone = (0..kinds.len()).map(|x| children[x].is_empty() && dag.parents(x as Variable).is_empty()).collect();
        Ok(Self { kinds, known, families, children, alone })
    }

    fn blend(&mut self, columns: &Columns, weight: f64, run: &Run) -> Result<()> {
        let new = run.map(self.families.len(), || (), |(), x| self.families[x].count(x as Variable, columns))?;
        let n_rows = columns.n_rows();
        self.families.iter_mut().zip(new).for_each(|(family, new)| family.blend(new, weight, n_rows));
        Ok(())
    }

    /// One sweep over all missing values.
    fn draw(&self, gaps: &Gaps, columns: &mut Columns, seed: u64, run: &Run) -> Result<()> {
        let p = self.kinds.len();
        let before: &Columns = columns;
        let blocks = run.try_map(
            gaps.len().div_ceil(BLOCK),
            || Workspace { row: Row { codes: vec![0; p], scores: vec![0.0; p] }, ..Workspace::default() },
            |workspace, number| {
                if run.out_of_time() {
                    return Err(Error::OutOfTime);
                }
                let mut drawn = Vec::new();
                for gap in number * BLOCK..((number + 1) * BLOCK).min(gaps.len()) {
                    let (at, missing) = gaps.row(gap);
                    before.read(at, 0..p as Variable, &mut workspace.row);
                    let mut rng = stream(seed, at as u64);
                    for &x in missing {
                        // What depends on nothing was drawn when the rounds began.
                        if !self.alone[x as usize] {
                            self.draw_one(x, workspace, &mut rng);
                        }
                        drawn.push((workspace.row.codes[x as usize], workspace.row.scores[x as usize]));
                    }
                }
                Ok(drawn)
            },
        )?;
        let mut values = blocks.iter().flatten();
        for gap in 0..gaps.len() {
            let (at, missing) = gaps.row(gap);
            for (&x, &(code, score)) in missing.iter().zip(&mut values) {
                match self.kinds[x as usize] {
                    Kind::Category(_) => columns.codes[x as usize].set(at, u32::from(code)),
                    Kind::Number(_) => columns.scores[x as usize][at] = score,
                }
            }
        }
        Ok(())
    }

    fn draw_one(&self, x: Variable, workspace: &mut Workspace, rng: &mut impl rand_core::RngCore) {
        match self.kinds[x as usize] {
            Kind::Category(_) => self.draw_state(x, workspace, rng),
            Kind::Number(_) => self.draw_score(x, workspace, rng),
        }
    }

    fn draw_state(&self, x: Variable, workspace: &mut Workspace, rng: &mut impl rand_core::RngCore) {
        let Workspace { row, logarithms, weights, room } = workspace;
        self.families[x as usize].logarithms(row, logarithms);
        if !self.children[x as usize].is_empty() {
            for (state, logarithm) in (0..).zip(logarithms.iter_mut()) {
                row.codes[x as usize] = state;
                *logarithm += self.of_children(x, row, room);
            }
        }
        in_proportion(logarithms, weights);
        row.codes[x as usize] = pick(weights, uniform(rng));
    }

    /// The logarithm of the density of the children's values in a row.
    fn of_children(&self, x: Variable, row: &Row, room: &mut Vec<f64>) -> f64 {
        let children = self.children[x as usize].iter();
        children.map(|&child| self.families[child as usize].log_density(child, row, room)).sum()
    }

    fn draw_score(&self, x: Variable, workspace: &mut Workspace, rng: &mut impl rand_core::RngCore) {
        let Workspace { row, logarithms, weights, room } = workspace;
        let (Some(line), Some(known)) = (self.families[x as usize].line(), &self.known[x as usize]) else { return };
        let present = row.scores[x as usize];
        // What is normal: the line of its own, and those of its children as far as they are straight.
        row.scores[x as usize] = 0.0;
        let mut precision = 1.0 / line.variance();
        let mut shift = line.mean(row) * precision;
        for &child in &self.children[x as usize] {
            if let Some(below) = self.families[child as usize].line() {
                let slope = below.slope(x);
                precision += slope * slope / below.variance();
                shift += slope * (row.scores[child as usize] - below.mean(row)) / below.variance();
            }
        }
        let (mean, deviation) = (shift / precision, precision.sqrt().recip());
        let proposal = |score: f64| {
            let narrow = (1.0 - WIDE) / deviation * (-0.5 * ((score - mean) / deviation).powi(2)).exp();
            (narrow + WIDE * (-0.5 * score * score).exp()).max(f64::MIN_POSITIVE).ln()
        };
        let mut scores = [present; PROPOSALS + 1];
        for score in &mut scores[1..] {
            let wide = uniform(rng) < WIDE;
            let z = normal(rng);
            *score = known.within(if wide { z } else { mean + deviation * z });
        }
        logarithms.clear();
        for score in scores {
            row.scores[x as usize] = score;
            let own = self.families[x as usize].log_density(x, row, room);
            logarithms.push(own + self.of_children(x, row, room) - proposal(score));
        }
        in_proportion(logarithms, weights);
        row.scores[x as usize] = scores[usize::from(pick(weights, uniform(rng)))];
    }
}

/// Numbers in the proportion that their logarithms say, the largest 1.
fn in_proportion(logarithms: &[f64], weights: &mut Vec<f64>) {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    weights.clear();
    weights.extend(logarithms.iter().map(|logarithm| (logarithm - largest).exp()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> MixedOptions {
        MixedOptions { powers: 2, ..MixedOptions::default() }
    }

    fn dag() -> Dag {
        Dag::from_arcs(4, [(0, 1), (1, 2), (0, 3), (1, 3), (2, 3)]).unwrap()
    }

    /// A category; a number that depends on it; a number that depends on that; a category of all three.
    fn complete(n: usize) -> Vec<MixedColumn> {
        let mut rng = stream(5, 0);
        let (mut group, mut x, mut y, mut last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n {
            let g = u8::from(uniform(&mut rng) < 0.4);
            let a = 10.0 + 2.0 * f64::from(g) + normal(&mut rng);
            let b = -0.8 * (a - 10.0) + 0.5 * normal(&mut rng);
            let odds = (1.5 * b + f64::from(g)).exp();
            group.push(g);
            x.push(a);
            y.push(b);
            last.push(u8::from(uniform(&mut rng) < odds / (1.0 + odds)));
        }
        let category = |codes| MixedColumn::Category(Codes::Narrow(codes), 2);
        vec![category(group), MixedColumn::Number(x), MixedColumn::Number(y), category(last)]
    }

    fn gapped(complete: &[MixedColumn], is_gap: impl Fn(usize, usize) -> bool) -> Vec<MixedColumn> {
        let mut columns = complete.to_vec();
        for (x, column) in columns.iter_mut().enumerate() {
            for row in (0..length(&complete[0])).filter(|&row| is_gap(x, row)) {
                match column {
                    MixedColumn::Category(codes, arity) => codes.set(row, *arity),
                    MixedColumn::Number(values) => values[row] = f64::NAN,
                }
            }
        }
        columns
    }

    fn numbers(column: &MixedColumn) -> &[f64] {
        if let MixedColumn::Number(values) = column { values } else { panic!("no number") }
    }

    fn codes(column: &MixedColumn) -> Vec<f64> {
        let MixedColumn::Category(codes, _) = column else { panic!("no category") };
        (0..codes.len()).map(|row| f64::from(codes.get(row))).collect()
    }

    fn in_rounds(data: &IncompleteMixed, dag: &Dag, run: &Run) -> Vec<MixedColumn> {
        let mut filled = data.fill_from_marginals(1, run).unwrap();
        for round in 0..12 {
            filled = data.fill(&filled, dag, 4, round, run).unwrap();
        }
        filled
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn covariance(a: &[f64], b: &[f64]) -> f64 {
        let (mean_a, mean_b) = (mean(a), mean(b));
        a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / a.len() as f64
    }

    #[test]
    fn draws_have_the_joint_distribution_of_the_missing_values() {
        // In the second half of the rows three of four values are missing.
        let n = 20_000;
        let complete = complete(n);
        let data = IncompleteMixed::new(gapped(&complete, |x, row| row >= n / 2 && x != 2), options()).unwrap();
        let filled = in_rounds(&data, &dag(), &Run::new(2).unwrap());
        let half = n / 2..n;
        let part = |column: &[f64]| column[half.clone()].to_vec();
        let all = |columns: &[MixedColumn]| {
            [
                part(&codes(&columns[0])),
                part(numbers(&columns[1])),
                part(numbers(&columns[2])),
                part(&codes(&columns[3])),
            ]
        };
        let (right, found) = (all(&complete), all(&filled));
        for i in 0..4 {
            let deviation = covariance(&right[i], &right[i]).sqrt();
            assert!((mean(&found[i]) - mean(&right[i])).abs() < 0.05 * deviation, "{i}");
            for j in 0..=i {
                let scale = deviation * covariance(&right[j], &right[j]).sqrt();
                let (a, b) = (covariance(&right[i], &right[j]), covariance(&found[i], &found[j]));
                assert!((a - b).abs() < 0.06 * scale, "{i} {j}: {} {}", a / scale, b / scale);
            }
        }
        // What is drawn is among the values that are known.
        let mut known = numbers(&complete[1])[..n / 2].to_vec();
        known.sort_unstable_by(f64::total_cmp);
        assert!(found[1].iter().all(|value| known.binary_search_by(|other| other.total_cmp(value)).is_ok()));
    }

    #[test]
    fn both_tops_of_a_distribution_are_drawn() {
        // A number whose square alone is known: it is as often below as above.
        let n = 4000;
        let mut rng = stream(7, 0);
        let x: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let square: Vec<f64> = x.iter().map(|x| x * x + 0.1 * normal(&mut rng)).collect();
        let complete = vec![MixedColumn::Number(x.clone()), MixedColumn::Number(square)];
        let data = IncompleteMixed::new(gapped(&complete, |x, row| x == 0 && row % 2 == 1), options()).unwrap();
        let filled = in_rounds(&data, &Dag::from_arcs(2, [(0, 1)]).unwrap(), &Run::new(1).unwrap());
        let drawn = numbers(&filled[0]);
        let far: Vec<usize> = (0..n).filter(|&row| row % 2 == 1 && x[row].abs() > 1.0).collect();
        let below = far.iter().filter(|&&row| drawn[row] < 0.0).count() as f64 / far.len() as f64;
        assert!((below - 0.5).abs() < 0.08, "{below}");
        let wrong = far.iter().filter(|&&row| drawn[row].abs() < 0.5).count() as f64 / far.len() as f64;
        assert!(wrong < 0.1, "{wrong}");
    }

    #[test]
    fn draws_do_not_depend_on_threads_and_known_values_stay() {
        let complete = complete(1500);
        let holes = |x: usize, row: usize| (row * 7 + x * 3).is_multiple_of(5);
        let data = IncompleteMixed::new(gapped(&complete, holes), options()).unwrap();
        let with = |threads: usize| {
            let run = Run::new(threads).unwrap();
            let start = data.fill_from_marginals(3, &run).unwrap();
            data.fill(&start, &dag(), 8, 4, &run).unwrap()
        };
        let filled = with(1);
        assert!(filled == with(2) && filled == with(4));
        for (x, (own, other)) in complete.iter().zip(&filled).enumerate() {
            assert!((0..1500).all(|row| !is_missing(other, row)));
            let same = |row: usize| match (own, other) {
                (MixedColumn::Number(a), MixedColumn::Number(b)) => a[row] == b[row],
                (MixedColumn::Category(a, _), MixedColumn::Category(b, _)) => a.get(row) == b.get(row),
                _ => false,
            };
            assert!((0..1500).filter(|&row| !holes(x, row)).all(same));
        }
    }

    #[test]
    fn constants_copies_and_empty_columns_have_values() {
        let n = 60;
        let a: Vec<f64> = (0..n).map(|row| f64::from(row * row % 17)).collect();
        let state: Vec<u8> = (0..n).map(|row| u8::from(row * row % 17 > 8)).collect();
        let columns = vec![
            MixedColumn::Number(a.clone()),
            MixedColumn::Number(a),
            MixedColumn::Number(vec![2.5; n as usize]),
            MixedColumn::Category(Codes::Narrow(state), 2),
            MixedColumn::Category(Codes::Narrow(vec![0; n as usize]), 1),
            MixedColumn::Number(vec![f64::NAN; n as usize]),
        ];
        let data = IncompleteMixed::new(gapped(&columns, |x, row| x < 5 && (row + x) % 6 == 0), options()).unwrap();
        let arcs = (0..6).flat_map(|b| (0..b).map(move |a| (a, b)));
        let filled = in_rounds(&data, &Dag::from_arcs(6, arcs).unwrap(), &Run::new(1).unwrap());
        assert_eq!(numbers(&filled[2]), vec![2.5; n as usize]);
        assert_eq!(numbers(&filled[5]), vec![0.0; n as usize]);
        let differ = numbers(&filled[0]).iter().zip(numbers(&filled[1])).filter(|(a, b)| (*a - *b).abs() > 2.0).count();
        assert!(differ <= 2, "{differ}");
        let wrong = numbers(&filled[0]).iter().zip(codes(&filled[3])).filter(|(a, s)| (**a > 8.0) != (*s == 1.0));
        assert!(wrong.count() <= 3);
        let dag = Dag::from_arcs(1, []).unwrap();
        let number = |values: Vec<f64>| IncompleteMixed::new(vec![MixedColumn::Number(values)], options());
        assert!(number(vec![1.0, f64::INFINITY]).is_err() && number(vec![]).is_err());
        let one = number(vec![1.0, f64::NAN]).unwrap();
        let run = Run::new(1).unwrap();
        assert!(one.fill(&[MixedColumn::Number(vec![1.0])], &dag, 1, 1, &run).is_err());
    }
}
