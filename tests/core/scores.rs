//! Scores that tests of any search use, and data to score.

use phgs::Variable;
use phgs::counts::{CountingEngine, CountingSession};
use phgs::data::DiscreteData;
use phgs::graph::Dag;
use phgs::score::{LocalScore, ScoreSession};

use crate::support;

/// BIC from first principles.
pub(crate) struct PlainBic<'e, 'd>(pub(crate) &'e CountingEngine<'d>);
pub(crate) struct PlainBicSession<'e, 'd>(CountingSession<'e, 'd>);

impl LocalScore for PlainBic<'_, '_> {
    type Session<'s>
        = PlainBicSession<'s, 's>
    where
        Self: 's;
    fn n_variables(&self) -> usize {
        self.0.shape().n_variables()
    }
    fn session(&self) -> PlainBicSession<'_, '_> {
        PlainBicSession(self.0.session())
    }
    fn name(&self) -> &'static str {
        "bic"
    }
    fn is_score_equivalent(&self) -> bool {
        true
    }
}

impl ScoreSession for PlainBicSession<'_, '_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let data = self.0.engine().shape();
        let mut family = parents.to_vec();
        family.push(child);
        family.sort_unstable();
        let sum = self.0.sum_n_log_n(&family) - self.0.sum_n_log_n(parents);
        let configurations: f64 = parents.iter().map(|&x| f64::from(data.arity(x))).product();
        let parameters = (f64::from(data.arity(child)) - 1.0) * configurations;
        self.0.engine().scale().value(sum) - 0.5 * (data.n_rows() as f64).ln() * parameters
    }
}

/// A score of random numbers: no two are equal, none is the score of anything.
pub(crate) struct Noise {
    pub(crate) p: usize,
    pub(crate) seed: u64,
}

impl LocalScore for Noise {
    type Session<'s> = Noise;
    fn n_variables(&self) -> usize {
        self.p
    }
    fn session(&self) -> Noise {
        Noise { ..*self }
    }
    fn name(&self) -> &'static str {
        "noise"
    }
    fn is_score_equivalent(&self) -> bool {
        false
    }
}

impl ScoreSession for Noise {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let mut z = self.seed ^ (u64::from(child) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for &parent in parents {
            z = (z ^ u64::from(parent)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z ^= z >> 29;
        }
        z = z.wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 * (-53f64).exp2() * 10.0 - 0.3 * (parents.len() * parents.len()) as f64
    }
}

/// Data sampled from a DAG with random tables, strong enough to learn something.
pub(crate) fn sampled(seed: u64, dag: &Dag, n_rows: usize) -> DiscreteData {
    let mut rng = support::rng(seed);
    let p = dag.n_variables();
    let arities: Vec<usize> = (0..p).map(|_| 2 + support::below(&mut rng, 2)).collect();
    let salt: Vec<u64> = (0..p).map(|_| support::below(&mut rng, 1 << 30) as u64).collect();
    let order = dag.topological_order();
    let mut columns = vec![vec![0u32; n_rows]; p];
    #[allow(clippy::needless_range_loop)] // rows run inside, columns follow the graph's order
    for row in 0..n_rows {
        for &x in &order {
            let c = x as usize;
            let mut z = salt[c];
            for &parent in dag.parents(x) {
                z = (z ^ u64::from(columns[parent as usize][row])).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z ^= z >> 27;
            }
            let likely = (z % arities[c] as u64) as u32;
            let noise = support::uniform(&mut rng) < 0.3;
            columns[c][row] = if noise { support::below(&mut rng, arities[c]) as u32 } else { likely };
        }
    }
    for (c, column) in columns.iter_mut().enumerate() {
        column[0] = arities[c] as u32 - 1;
    }
    DiscreteData::from_columns(columns).unwrap()
}

/// The score of a DAG.
pub(crate) fn total(score: &impl LocalScore, dag: &Dag) -> f64 {
    let mut session = score.session();
    (0..dag.n_variables() as Variable).map(|x| session.local_score(x, dag.parents(x))).sum()
}
