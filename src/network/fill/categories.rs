//! Missing values of categories.
//!
//! A row's missing values are drawn by Gibbs sweeps: each in turn from its distribution given all other values of the
//! row, which its parents, its children and the children's other parents decide.

use super::rows::{FamilyRows, Pool, differ, missing_rows};
use super::tables::{Cells, Table, pick};
use super::{Drawn, seed_of_sweep, weight_of_sweep};
use crate::data::{Codes, DiscreteData, Gaps, IncompleteData, RowWeights};
use crate::graph::Dag;
use crate::random_numbers::{stream, uniform};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// Rows that are drawn together.
const BLOCK: usize = 256;

/// Draws each missing value from the known values of its column, in proportion to the weights of rows if they have any;
/// where there are none, the first state.
///
/// # Errors
///
/// [`Error::Interrupted`] once the run is cancelled.
pub fn fill_from_marginals(
    data: &IncompleteData,
    weights: Option<&RowWeights>,
    seed: u64,
    run: &Run,
) -> Result<DiscreteData> {
    let weights = checked(data, weights)?;
    let columns = run.map(
        data.n_variables(),
        || (),
        |(), x| {
            let (codes, missing) = (data.column(x as Variable), data.arity(x as Variable));
            let (known, gaps): (Vec<usize>, Vec<usize>) = (0..codes.len()).partition(|&row| codes.get(row) != missing);
            let pool = Pool::new(&known, weights);
            let mut rng = stream(seed, x as u64);
            let mut drawn = codes.clone();
            for row in gaps {
                drawn.set(row, pool.draw(&mut rng).map_or(0, |from| codes.get(from)));
            }
            drawn
        },
    )?;
    DiscreteData::new(columns, data.arities().to_vec())
}

/// Draws each missing value given what is known of its row, in the network of a DAG whose tables are estimated along the
/// way, from rows that weigh as much as they are told to. The first estimate is from `completed`, the same rows with all values, where the sweeps start too.
///
/// # Errors
///
/// [`Error::Data`] when the sizes of data, completed data, graph and weights differ; [`Error::Interrupted`] once the run is
/// cancelled; [`Error::OutOfTime`] when the deadline passes, since values that are drawn in part are of no use.
///
/// # Examples
///
/// ```
/// use phgs::data::{Codes, DiscreteData, IncompleteData};
/// use phgs::graph::Dag;
/// use phgs::network::{fill, fill_from_marginals};
/// // The second column is the first; its last value is missing.
/// let known: Vec<u8> = (0..200).map(|row| row % 2).collect();
/// let mut gapped = known.clone();
/// gapped[199] = 2;
/// let data = IncompleteData::new(vec![Codes::Narrow(known.clone()), Codes::Narrow(gapped)], vec![2, 2])?;
/// let run = phgs::run::Run::new(1)?;
/// let start = fill_from_marginals(&data, None, 1, &run)?;
/// let filled: DiscreteData = fill(&data, None, &start, &Dag::from_arcs(2, [(0, 1)])?, 8, 1, &run)?;
/// assert_eq!(filled.column(1), &Codes::Narrow(known));
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn fill(
    data: &IncompleteData,
    weights: Option<&RowWeights>,
    completed: &DiscreteData,
    dag: &Dag,
    sweeps: usize,
    seed: u64,
    run: &Run,
) -> Result<DiscreteData> {
    let p = data.n_variables();
    if dag.n_variables() != p || completed.n_variables() != p || completed.n_rows() != data.n_rows() {
        return Err(Error::Data(format!(
            "data have {p} columns and {} rows, completed data {} and {}, the graph {} variables",
            data.n_rows(),
            completed.n_variables(),
            completed.n_rows(),
            dag.n_variables()
        )));
    }
    let weights = checked(data, weights)?;
    let gaps = data.gaps();
    let mut columns = completed.columns().to_vec();
    let mut tables = Tables::estimate(data.arities(), &columns, weights, &gaps, dag, run)?;
    for sweep in 0..sweeps {
        if sweep > 0 {
            tables.blend(&columns, weights, weight_of_sweep(sweep, sweeps), run)?;
        }
        let seed = seed_of_sweep(seed, sweep);
        tables.draw(&gaps, &mut columns, seed, run)?;
    }
    DiscreteData::new(columns, data.arities().to_vec())
}

fn checked<'w>(data: &IncompleteData, weights: Option<&'w RowWeights>) -> Result<Option<&'w RowWeights>> {
    match weights {
        Some(weights) if weights.scaled().len() != data.n_rows() => {
            Err(Error::Data(format!("{} weights for {} rows", weights.scaled().len(), data.n_rows())))
        }
        _ => Ok(weights.filter(|weights| differ(weights))),
    }
}

/// The conditional tables of a network, and who is whose parent.
struct Tables {
    tables: Vec<Table>,
    /// For each variable the rows that are counted again after each draw, and the counts of the others.
    changing: Vec<(Vec<u32>, Cells)>,
    /// For each variable its children, with what one state of the variable adds to the child's configuration.
    children: Vec<Vec<(Variable, u64)>>,
}

impl Tables {
    /// The tables from completed data: relative frequencies with the prior.
    fn estimate(
        arities: &[u32],
        columns: &[Codes],
        weights: Option<&RowWeights>,
        gaps: &Gaps,
        dag: &Dag,
        run: &Run,
    ) -> Result<Self> {
        let (p, n) = (arities.len(), columns[0].len());
        let missing = missing_rows(gaps, p);
        let estimated = run.map(
            p,
            || (),
            |(), x| {
                let mut table = Table::new(arities, n, dag, x as Variable);
                let family = table.strides.iter().map(|&(parent, _)| parent).chain([x as Variable]);
                let FamilyRows { changing, constant } = FamilyRows::of(family, &missing, n);
                let mut cells = table.nothing();
                table.add(&mut cells, columns, x as Variable, &constant, weights);
                let mut of_all = cells.clone();
                table.add(&mut of_all, columns, x as Variable, &changing, weights);
                table.cells = of_all;
                (table, (changing, cells))
            },
        )?;
        let (tables, changing): (Vec<_>, Vec<_>) = estimated.into_iter().unzip();
        let mut children = vec![Vec::new(); p];
        for (child, table) in tables.iter().enumerate() {
            for &(parent, stride) in &table.strides {
                children[parent as usize].push((child as Variable, stride));
            }
        }
        Ok(Self { tables, changing, children })
    }

    /// The mean of the counts so far and those of other completed data, which have this weight.
    fn blend(&mut self, columns: &[Codes], weights: Option<&RowWeights>, weight: f64, run: &Run) -> Result<()> {
        let count = |x: usize| {
            let (rows, constant) = &self.changing[x];
            let mut cells = constant.clone();
            self.tables[x].add(&mut cells, columns, x as Variable, rows, weights);
            cells
        };
        let new = run.map(self.tables.len(), || (), |(), x| count(x))?;
        self.tables.iter_mut().zip(new).for_each(|(table, new)| table.cells.blend(new, weight));
        Ok(())
    }

    /// One sweep over all missing values.
    fn draw(&self, gaps: &Gaps, columns: &mut [Codes], seed: u64, run: &Run) -> Result<()> {
        let p = columns.len();
        let before: &[Codes] = columns;
        let workspace = || (vec![0u16; p * BLOCK], Vec::new());
        let drawn = Drawn::draw(gaps, BLOCK, run, workspace, |(rows, weights), block, drawn| {
            // Column by column, which reads memory in order.
            for (x, column) in before.iter().enumerate() {
                let column = column.view();
                for (row, gap) in rows.chunks_exact_mut(p).zip(block.clone()) {
                    row[x] = column.get(gaps.row(gap).0) as u16;
                }
            }
            for (row, gap) in rows.chunks_exact_mut(p).zip(block) {
                let (at, missing) = gaps.row(gap);
                let mut rng = stream(seed, at as u64);
                for &x in missing {
                    // What depends on nothing was drawn when the rounds began.
                    if !self.is_alone(x) {
                        self.weigh(x, row, weights);
                        row[x as usize] = pick(weights, uniform(&mut rng));
                    }
                    drawn.push(row[x as usize]);
                }
            }
        })?;
        drawn.each(gaps, |row, x, code| columns[x as usize].set(row, u32::from(code)));
        Ok(())
    }

    /// Whether a variable has neither parents nor children.
    fn is_alone(&self, x: Variable) -> bool {
        self.tables[x as usize].strides.is_empty() && self.children[x as usize].is_empty()
    }

    /// For each state of a variable a number proportional to its probability given all other values of a row.
    fn weigh(&self, x: Variable, row: &[u16], weights: &mut Vec<f64>) {
        let table = &self.tables[x as usize];
        weights.clear();
        weights.extend_from_slice(table.row(table.configuration(row)));
        for &(child, stride) in &self.children[x as usize] {
            let (table, code) = (&self.tables[child as usize], usize::from(row[child as usize]));
            let others = table.configuration(row) - u64::from(row[x as usize]) * stride;
            let mut largest = 0.0f64;
            for (state, weight) in weights.iter_mut().enumerate() {
                let row = table.row(others + state as u64 * stride);
                *weight *= row[code] / row.iter().sum::<f64>();
                largest = largest.max(*weight);
            }
            // Of many children the product would be 0.
            if largest < 1e-100 {
                weights.iter_mut().for_each(|weight| *weight /= largest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three binary columns in which the first says much of the second, and both of the third.
    fn columns(n: usize) -> Vec<Vec<u8>> {
        let mut rng = stream(5, 0);
        let mut columns = vec![Vec::new(); 3];
        for _ in 0..n {
            let a = u8::from(uniform(&mut rng) < 0.3);
            let b = if uniform(&mut rng) < 0.8 { a } else { 1 - a };
            let c = if uniform(&mut rng) < 0.9 { a ^ b } else { 1 - (a ^ b) };
            [a, b, c].into_iter().zip(&mut columns).for_each(|(code, column)| column.push(code));
        }
        columns
    }

    fn dag() -> Dag {
        Dag::from_arcs(3, [(0, 1), (0, 2), (1, 2)]).unwrap()
    }

    #[test]
    fn weights_are_the_conditional_distribution() {
        let columns: Vec<Codes> = columns(500).into_iter().map(Codes::Narrow).collect();
        let completed = DiscreteData::new(columns.clone(), vec![2; 3]).unwrap();
        let data = IncompleteData::new(columns, vec![2; 3]).unwrap();
        let run = Run::new(1).unwrap();
        for dag in [dag(), Dag::from_arcs(3, [(0, 1), (2, 1)]).unwrap()] {
            let tables = Tables::estimate(data.arities(), completed.columns(), None, &data.gaps(), &dag, &run).unwrap();
            let joint = |row: &[u16]| -> f64 {
                let of = |table: &Table, code: u16| {
                    let cells = table.row(table.configuration(row));
                    cells[usize::from(code)] / cells.iter().sum::<f64>()
                };
                tables.tables.iter().zip(row).map(|(table, &code)| of(table, code)).product()
            };
            let mut weights = Vec::new();
            for number in 0..8u16 {
                let row = [number & 1, number >> 1 & 1, number >> 2];
                for x in 0..3 {
                    tables.weigh(x, &row, &mut weights);
                    let all = [0, 1].map(|state| {
                        let mut changed = row;
                        changed[x as usize] = state;
                        joint(&changed)
                    });
                    let (found, right) = (weights[1] / (weights[0] + weights[1]), all[1] / (all[0] + all[1]));
                    assert!((found - right).abs() < 1e-12, "{row:?} {x}: {found} {right}");
                }
            }
        }
    }

    #[test]
    fn draws_have_the_joint_distribution_of_the_missing_values() {
        // In the second half of the rows two of three values are missing.
        let n = 20_000;
        let complete = columns(n);
        let gap = |x: usize| (0..n).map(|row| if row < n / 2 || x == 1 { complete[x][row] } else { 2 }).collect();
        let data = IncompleteData::new((0..3).map(|x| Codes::Narrow(gap(x))).collect(), vec![2; 3]).unwrap();
        let run = Run::new(2).unwrap();
        let mut filled = fill_from_marginals(&data, None, 1, &run).unwrap();
        for round in 0..20 {
            filled = fill(&data, None, &filled, &dag(), 4, round, &run).unwrap();
        }
        let share = |data: &dyn Fn(usize, usize) -> u32, rows: std::ops::Range<usize>, cell: u32| {
            let same = |row: &usize| data(0, *row) + 2 * data(1, *row) + 4 * data(2, *row) == cell;
            rows.clone().filter(same).count() as f64 / rows.len() as f64
        };
        let truth = |x: usize, row: usize| u32::from(complete[x][row]);
        let drawn = |x: usize, row: usize| filled.column(x as Variable).get(row);
        for cell in 0..8 {
            let (right, found) = (share(&truth, 0..n, cell), share(&drawn, n / 2..n, cell));
            // Tables are estimated: both standard errors are some √(p / 10,000).
            assert!((right - found).abs() < 6.0 * (right / 1e4).sqrt(), "{cell}: {right} {found}");
        }
    }

    #[test]
    fn draws_do_not_depend_on_threads_and_known_values_stay() {
        let n = 3000;
        let complete = columns(n);
        let mut rng = stream(9, 0);
        let gapped: Vec<Codes> = complete
            .iter()
            .map(|column| {
                Codes::Narrow(column.iter().map(|&code| if uniform(&mut rng) < 0.3 { 2 } else { code }).collect())
            })
            .collect();
        let data = IncompleteData::new(gapped, vec![2; 3]).unwrap();
        let with = |threads: usize| {
            let run = Run::new(threads).unwrap();
            let start = fill_from_marginals(&data, None, 3, &run).unwrap();
            fill(&data, None, &start, &dag(), 8, 4, &run).unwrap()
        };
        let filled = with(1);
        assert!(filled == with(2) && filled == with(4));
        for x in 0..3 {
            for row in 0..n {
                let known = data.column(x).get(row);
                assert!(known == 2 || known == filled.column(x).get(row));
            }
        }
    }

    #[test]
    fn tables_of_many_configurations_are_sparse_and_right() {
        // A child of 45 binary parents, which are more than a table has room for.
        let p = 46;
        let mut rng = stream(2, 0);
        let columns: Vec<Codes> =
            (0..p).map(|_| Codes::Narrow((0..100).map(|_| u8::from(uniform(&mut rng) < 0.5)).collect())).collect();
        let completed = DiscreteData::new(columns, vec![2; p]).unwrap();
        let dag = Dag::from_arcs(p, (1..p as Variable).map(|parent| (parent, 0))).unwrap();
        let gaps = IncompleteData::new(completed.columns().to_vec(), vec![2; p]).unwrap().gaps();
        let run = Run::new(1).unwrap();
        let tables = Tables::estimate(completed.arities(), completed.columns(), None, &gaps, &dag, &run).unwrap();
        assert_eq!(tables.tables[0].strides.len(), 40);
        let row: Vec<u16> = (0..p as Variable).map(|x| completed.column(x).get(7) as u16).collect();
        let mut weights = Vec::new();
        tables.weigh(0, &row, &mut weights);
        // One row has this configuration, and the prior weighs as much as one.
        assert_eq!(weights[usize::from(row[0])] / weights.iter().sum::<f64>(), 0.75);
    }
}
