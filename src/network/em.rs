//! The tables of a DAG from data with missing values, by EM.
//!
//! Expected counts are exact: missing values that no path of missing values connects in the moral graph are independent
//! given the known ones of their row, and the joint states of those that are connected are enumerated. Where there are too
//! many, Gibbs sweeps take the place of the enumeration.

use super::bayesian_network::MAX_TABLE;
use super::fill::{pick, weight_of};
use super::learn_parameters::{checked_arities, network_of};
use super::{BayesianNetwork, ParameterEstimate, conditional_independence_graph};
use crate::data::{Gaps, IncompleteData, RowWeights};
use crate::graph::{Dag, UndirectedGraph};
use crate::random_numbers::{stream, uniform};
use crate::run::Run;
use crate::{Error, Result, Variable};

/// So many joint states of missing values are enumerated.
const MOST_STATES: usize = 1 << 12;

/// Sweeps over values with more joint states.
const SWEEPS: usize = 100;

/// Tables have converged when no entry changes more than this.
const TOLERANCE: f64 = 1e-8;

/// The most steps of EM.
const MOST_STEPS: usize = 1000;

/// The most parts in which counts are added up, and the most entries that these have together.
const MOST_PARTS: usize = 16;
const MOST_ENTRIES: usize = 1 << 25;

impl BayesianNetwork {
    /// Estimates the conditional tables of a DAG from data with missing values by EM: the tables that make the known
    /// values most probable, as far as steps from relative frequencies lead, or with a prior the mean of the posterior
    /// given expected counts, in which a row counts as much as it weighs. This assumes that values are missing at random.
    ///
    /// # Errors
    ///
    /// As [`BayesianNetwork::learn_parameters`]; [`Error::Data`] when there are not as many weights as rows.
    pub fn learn_parameters_em(
        data: &IncompleteData,
        weights: Option<&RowWeights>,
        dag: &Dag,
        names: Vec<String>,
        states: Vec<Vec<String>>,
        estimate: ParameterEstimate,
        run: &Run,
    ) -> Result<Self> {
        let arities = checked_arities(data.arities(), dag, &names, &states, estimate)?;
        if let Some(weights) = weights
            && weights.scaled().len() != data.n_rows()
        {
            return Err(Error::Data(format!("{} weights for {} rows", weights.scaled().len(), data.n_rows())));
        }
        let families = Families::new(data, weights, dag, &arities)
            .map_err(|x| Error::Data(format!("the table of '{}' has too many entries", names[x])))?;
        let known = families.known_counts(run)?;
        // Nothing must be impossible at the start.
        let start = known.iter().zip(&arities).map(|(counts, &arity)| {
            let smooth: Vec<f64> = counts.iter().map(|count| count + 1.0 / arity as f64).collect();
            normalised(&smooth, arity)
        });
        let mut tables: Vec<Vec<f64>> = start.collect();
        for _ in 0..MOST_STEPS {
            let counts = families.expected_counts(&known, &tables, run)?;
            let new: Vec<Vec<f64>> =
                counts.iter().zip(&arities).map(|(counts, &arity)| estimated(counts, arity, estimate)).collect();
            let changes = new.iter().flatten().zip(tables.iter().flatten()).map(|(new, old)| (new - old).abs());
            let change = changes.fold(0.0f64, f64::max);
            tables = new;
            if change < TOLERANCE {
                break;
            }
        }
        network_of(dag, names, states, tables)
    }
}

fn estimated(counts: &[f64], arity: usize, estimate: ParameterEstimate) -> Vec<f64> {
    match estimate {
        ParameterEstimate::MaximumLikelihood => normalised(counts, arity),
        ParameterEstimate::Dirichlet { equivalent_sample_size } => {
            let prior = equivalent_sample_size / counts.len() as f64;
            normalised(&counts.iter().map(|count| count + prior).collect::<Vec<_>>(), arity)
        }
    }
}

fn normalised(counts: &[f64], arity: usize) -> Vec<f64> {
    let row = |row: &[f64]| {
        let total: f64 = row.iter().sum();
        let uniform = 1.0 / arity as f64;
        row.iter().map(move |count| if total > 0.0 { count / total } else { uniform }).collect::<Vec<f64>>()
    };
    counts.chunks_exact(arity).flat_map(row).collect()
}

/// The variables with their parents, and where the values of each are in its table.
struct Families<'d> {
    data: &'d IncompleteData,
    weights: Option<&'d RowWeights>,
    gaps: Gaps,
    /// For each variable, what one state of each parent and of itself adds to the position in the table.
    strides: Vec<Vec<(Variable, usize)>>,
    sizes: Vec<usize>,
    children: Vec<Vec<Variable>>,
    moral: UndirectedGraph,
    arities: Vec<usize>,
}

/// What the missing values of a row need room for.
struct Workspace {
    row: Vec<u16>,
    waiting: Vec<bool>,
    group: Vec<Variable>,
    /// The families with a member in the group.
    touched: Vec<Variable>,
    weights: Vec<f64>,
}

impl<'d> Families<'d> {
    /// The families of a graph; the variable whose table is too large is the error.
    fn new(
        data: &'d IncompleteData,
        weights: Option<&'d RowWeights>,
        dag: &Dag,
        arities: &[usize],
    ) -> std::result::Result<Self, usize> {
        let p = arities.len();
        let mut strides = Vec::with_capacity(p);
        let mut sizes = Vec::with_capacity(p);
        for x in 0..p {
            let mut size = arities[x];
            let mut own = vec![(x as Variable, 1)];
            // The last parent runs fastest.
            for &parent in dag.parents(x as Variable).iter().rev() {
                own.push((parent, size));
                size = size.checked_mul(arities[parent as usize]).filter(|&size| size <= MAX_TABLE).ok_or(x)?;
            }
            strides.push(own);
            sizes.push(size);
        }
        let children = (0..p).map(|x| dag.children(x as Variable).to_vec()).collect();
        let moral = conditional_independence_graph(dag);
        Ok(Self { data, weights, gaps: data.gaps(), strides, sizes, children, moral, arities: arities.to_vec() })
    }

    /// The counts of the rows in which all values of a family are known.
    fn known_counts(&self, run: &Run) -> Result<Vec<Vec<f64>>> {
        run.map(
            self.sizes.len(),
            || (),
            |(), x| {
                let mut counts = vec![0.0; self.sizes[x]];
                let column =
                    |&(v, stride): &(Variable, usize)| (self.data.column(v).view(), stride, self.data.arity(v));
                let columns: Vec<_> = self.strides[x].iter().map(column).collect();
                for row in 0..self.data.n_rows() {
                    let mut at = 0;
                    let known = columns.iter().all(|&(codes, stride, arity)| {
                        let code = codes.get(row);
                        at += code as usize * stride;
                        code != arity
                    });
                    if known {
                        counts[at] += weight_of(self.weights, row);
                    }
                }
                counts
            },
        )
    }

    /// The expected counts given the known values, in the network of these tables.
    fn expected_counts(&self, known: &[Vec<f64>], tables: &[Vec<f64>], run: &Run) -> Result<Vec<Vec<f64>>> {
        let p = self.sizes.len();
        let entries: usize = self.sizes.iter().sum();
        // The same parts for any number of threads, so that sums are the same.
        let parts = (MOST_ENTRIES / entries).clamp(1, MOST_PARTS);
        let each = self.gaps.len().div_ceil(parts).max(1);
        let found = run.try_map(
            parts,
            || Workspace {
                row: vec![0; p],
                waiting: vec![false; p],
                group: Vec::new(),
                touched: Vec::new(),
                weights: Vec::new(),
            },
            |workspace, part| {
                let mut counts: Vec<Vec<f64>> = self.sizes.iter().map(|&size| vec![0.0; size]).collect();
                for gap in (part * each).min(self.gaps.len())..((part + 1) * each).min(self.gaps.len()) {
                    if gap % 256 == 0 {
                        run.check()?;
                    }
                    self.count_row(gap, tables, &mut counts, workspace);
                }
                Ok(counts)
            },
        )?;
        let mut total = known.to_vec();
        for part in found {
            for (total, counts) in total.iter_mut().flatten().zip(part.iter().flatten()) {
                *total += counts;
            }
        }
        Ok(total)
    }

    /// Adds the expected counts of the families of which values are missing in a row.
    fn count_row(&self, gap: usize, tables: &[Vec<f64>], counts: &mut [Vec<f64>], workspace: &mut Workspace) {
        let (at, missing) = self.gaps.row(gap);
        for (code, column) in workspace.row.iter_mut().zip(self.data.columns()) {
            *code = column.get(at) as u16;
        }
        for &x in missing {
            workspace.waiting[x as usize] = true;
            workspace.row[x as usize] = 0;
        }
        for &first in missing {
            if !workspace.waiting[first as usize] {
                continue;
            }
            self.collect(first, workspace);
            let states = workspace.group.iter().try_fold(1usize, |states, &x| {
                states.checked_mul(self.arities[x as usize]).filter(|&states| states <= MOST_STATES)
            });
            match states {
                Some(states) => self.enumerate(states, at, tables, counts, workspace),
                None => self.sweep(at, tables, counts, workspace),
            }
        }
    }

    /// The missing values that depend on each other and on this one given the known ones, and the families they are in.
    fn collect(&self, first: Variable, workspace: &mut Workspace) {
        let Workspace { waiting, group, touched, .. } = workspace;
        group.clear();
        group.push(first);
        waiting[first as usize] = false;
        let mut next = 0;
        while let Some(&x) = group.get(next) {
            next += 1;
            for &other in self.moral.neighbours(x) {
                if std::mem::take(&mut waiting[other as usize]) {
                    group.push(other);
                }
            }
        }
        touched.clear();
        touched.extend(group.iter().flat_map(|&x| self.children[x as usize].iter().copied().chain([x])));
        touched.sort_unstable();
        touched.dedup();
    }

    fn position(&self, x: Variable, row: &[u16]) -> usize {
        self.strides[x as usize].iter().map(|&(v, stride)| usize::from(row[v as usize]) * stride).sum()
    }

    fn enumerate(
        &self,
        states: usize,
        at: usize,
        tables: &[Vec<f64>],
        counts: &mut [Vec<f64>],
        workspace: &mut Workspace,
    ) {
        let of_row = weight_of(self.weights, at);
        let Workspace { row, group, touched, weights, .. } = workspace;
        weights.clear();
        for _ in 0..states {
            weights.push(touched.iter().map(|&x| tables[x as usize][self.position(x, row)]).product());
            self.next_state(group, row);
        }
        let total: f64 = weights.iter().sum();
        for weight in weights.iter() {
            // Known values that the tables exclude say nothing of the missing ones.
            let share = if total > 0.0 { weight / total } else { 1.0 / states as f64 };
            if share > 0.0 {
                for &x in touched.iter() {
                    counts[x as usize][self.position(x, row)] += of_row * share;
                }
            }
            self.next_state(group, row);
        }
    }

    /// The next joint state; after the last comes the first.
    fn next_state(&self, group: &[Variable], row: &mut [u16]) {
        for &x in group {
            let code = &mut row[x as usize];
            *code += 1;
            if usize::from(*code) < self.arities[x as usize] {
                return;
            }
            *code = 0;
        }
    }

    fn sweep(&self, at: usize, tables: &[Vec<f64>], counts: &mut [Vec<f64>], workspace: &mut Workspace) {
        let Workspace { row, group, touched, weights, .. } = workspace;
        let of_row = weight_of(self.weights, at);
        // The same random numbers in each step, so that steps come to rest.
        let mut rng = stream(0, at as u64);
        for sweep in 0..SWEEPS + SWEEPS / 4 {
            for &x in group.iter() {
                weights.clear();
                for state in 0..self.arities[x as usize] {
                    row[x as usize] = state as u16;
                    let own = tables[x as usize][self.position(x, row)];
                    let children = self.children[x as usize].iter();
                    weights.push(own * children.map(|&c| tables[c as usize][self.position(c, row)]).product::<f64>());
                }
                row[x as usize] = pick(weights, uniform(&mut rng));
            }
            if sweep >= SWEEPS / 4 {
                for &x in touched.iter() {
                    counts[x as usize][self.position(x, row)] += of_row / SWEEPS as f64;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Codes, DiscreteData};

    fn texts(arities: &[u32]) -> (Vec<String>, Vec<Vec<String>>) {
        let names = (0..arities.len()).map(|x| format!("v{x}")).collect();
        (names, arities.iter().map(|&arity| (0..arity).map(|state| format!("s{state}")).collect()).collect())
    }

    fn gapped(n: usize, share: f64) -> (Vec<Vec<u8>>, IncompleteData) {
        let mut rng = stream(11, 0);
        let mut columns = vec![Vec::new(); 3];
        for _ in 0..n {
            let a = u8::from(uniform(&mut rng) < 0.3);
            let b = if uniform(&mut rng) < 0.8 { a } else { 2 };
            let c = if uniform(&mut rng) < 0.9 { u8::from(a + b > 1) } else { 0 };
            [a, b, c].into_iter().zip(&mut columns).for_each(|(code, column)| column.push(code));
        }
        let arities = [2, 3, 2];
        let gaps = columns.iter().zip(arities).map(|(column, arity)| {
            Codes::Narrow(column.iter().map(|&code| if uniform(&mut rng) < share { arity } else { code }).collect())
        });
        let data = IncompleteData::new(gaps.collect(), arities.iter().map(|&arity| arity.into()).collect()).unwrap();
        (columns, data)
    }

    #[test]
    fn without_gaps_it_is_the_estimate_of_complete_data() {
        let (columns, _) = gapped(300, 0.0);
        let columns: Vec<Codes> = columns.into_iter().map(Codes::Narrow).collect();
        let dag = Dag::from_arcs(3, [(0, 1), (0, 2), (1, 2)]).unwrap();
        let run = Run::new(2).unwrap();
        for estimate in
            [ParameterEstimate::MaximumLikelihood, ParameterEstimate::Dirichlet { equivalent_sample_size: 5.0 }]
        {
            let (names, states) = texts(&[2, 3, 2]);
            let complete = DiscreteData::new(columns.clone(), vec![2, 3, 2]).unwrap();
            let right =
                BayesianNetwork::learn_parameters(&complete, &dag, names.clone(), states.clone(), estimate, &run)
                    .unwrap();
            let data = IncompleteData::new(columns.clone(), vec![2, 3, 2]).unwrap();
            let found = BayesianNetwork::learn_parameters_em(&data, None, &dag, names, states, estimate, &run).unwrap();
            for (a, b) in right.nodes().iter().zip(found.nodes()) {
                assert!(a.probabilities.iter().zip(&b.probabilities).all(|(a, b)| (a - b).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn a_weight_is_a_repetition() {
        let (_, data) = gapped(60, 0.3);
        let dag = Dag::from_arcs(3, [(0, 1), (0, 2), (1, 2)]).unwrap();
        let times = |row: usize| 1 + row % 3;
        let repeated = |codes: &Codes| {
            let rows = (0..60).flat_map(|row| std::iter::repeat_n(codes.get(row) as u8, times(row)));
            Codes::Narrow(rows.collect())
        };
        let long = IncompleteData::new(data.columns().iter().map(repeated).collect(), data.arities().to_vec()).unwrap();
        let weights = RowWeights::new(&(0..60).map(|row| times(row) as f64).collect::<Vec<_>>()).unwrap();
        let run = Run::new(1).unwrap();
        let learned = |data: &IncompleteData, weights: Option<&RowWeights>| {
            let (names, states) = texts(&[2, 3, 2]);
            let estimate = ParameterEstimate::MaximumLikelihood;
            BayesianNetwork::learn_parameters_em(data, weights, &dag, names, states, estimate, &run).unwrap()
        };
        let (one, other) = (learned(&data, Some(&weights)), learned(&long, None));
        for (a, b) in one.nodes().iter().zip(other.nodes()) {
            // Both stop where steps are below 1e-8; the starts differ by a prior.
            assert!(a.probabilities.iter().zip(&b.probabilities).all(|(a, b)| (a - b).abs() < 1e-5));
        }
    }

    #[test]
    fn sweeps_are_near_the_enumeration() {
        let (_, data) = gapped(200, 0.4);
        let dag = Dag::from_arcs(3, [(0, 1), (0, 2), (1, 2)]).unwrap();
        let families = Families::new(&data, None, &dag, &[2, 3, 2]).unwrap();
        let run = Run::new(1).unwrap();
        let known = families.known_counts(&run).unwrap();
        let tables: Vec<Vec<f64>> = known
            .iter()
            .zip([2, 3, 2])
            .map(|(counts, arity)| normalised(&counts.iter().map(|count| count + 0.5).collect::<Vec<_>>(), arity))
            .collect();
        let exact = families.expected_counts(&known, &tables, &run).unwrap();
        let mut drawn = known.clone();
        let mut workspace =
            Workspace { row: vec![0; 3], waiting: vec![false; 3], group: vec![], touched: vec![], weights: vec![] };
        for gap in 0..families.gaps.len() {
            let (at, missing) = families.gaps.row(gap);
            for x in 0..3 {
                workspace.row[x] = data.column(x as Variable).get(at) as u16;
            }
            for &x in missing {
                workspace.waiting[x as usize] = true;
                workspace.row[x as usize] = 0;
            }
            for &first in missing {
                if workspace.waiting[first as usize] {
                    families.collect(first, &mut workspace);
                    families.sweep(at, &tables, &mut drawn, &mut workspace);
                }
            }
        }
        let total: f64 = drawn[2].iter().sum();
        assert!((total - 200.0).abs() < 1e-6);
        for (exact, drawn) in exact.iter().flatten().zip(drawn.iter().flatten()) {
            // A hundred sweeps of each of some hundred rows: the standard error is at most √(100 · ¼ / 100) = ½.
            assert!((exact - drawn).abs() < 2.5, "{exact} {drawn}");
        }
    }
}
