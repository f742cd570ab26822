//! The score that proofs use: Gaussian BIC in the limit of many rows, from a known DAG and no data.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rustc_hash::FxHashMap;

use super::{LocalScore, ScoreSession};
use crate::graph::Dag;
use crate::{SortedSet, Variable, VariableSet};

/// A decomposable, score-equivalent and locally consistent score that is computed from the true DAG.
///
/// A linear Gaussian model with random weights is put on the DAG and every variable scaled to variance 1. The local
/// score of x with parents Π is then the BIC of 10¹² rows that have exactly the model's covariance C:
/// −N/2 · (ln det C_{x,Π} − ln det C_Π) − ½ ln(N) |Π|. Adding y to the parents raises it when the partial correlation of
/// x and y given Π exceeds 5e-6 and lowers it when that is 0. With random weights the model is faithful to the DAG (with
/// probability one, and in practice: the tests compare it with d-separation), so algorithms that are sound and complete
/// with a consistent score must find the DAG's class with this one.
///
/// Every ln det is rounded to a multiple of a power of two, so that equivalent DAGs have equal scores, bit for bit.
#[derive(Debug, Clone)]
pub struct PopulationScore {
    covariance: Vec<Vec<f64>>,
}

/// Rows of the imagined sample.
const N_ROWS: f64 = 1e12;
/// Scores are multiples of this; rounding is far below the penalty of one parent (13.8).
const UNIT: f64 = 1.0 / 128.0;

impl PopulationScore {
    /// The score for a DAG, with weights from a seed.
    pub fn new(dag: &Dag, seed: u64) -> Self {
        let p = dag.n_variables();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut covariance = vec![vec![0.0; p]; p];
        let mut before: Vec<Variable> = Vec::with_capacity(p);
        for x in dag.topological_order() {
            // Weights of magnitude 0.7 to 1.3 beside noise of variance 1; then everything scaled to variance 1.
            let weights: Vec<(usize, f64)> = dag
                .parents(x)
                .iter()
                .map(|&parent| {
                    let bits = rng.next_u64();
                    let magnitude = 0.7 + 0.6 * (bits >> 11) as f64 * (-53f64).exp2();
                    (parent as usize, if bits & 1 == 0 { magnitude } else { -magnitude })
                })
                .collect();
            let with_weights = |row: &[f64]| weights.iter().map(|&(u, w)| w * row[u]).sum::<f64>();
            let explained: f64 = weights.iter().map(|&(u, w)| w * with_weights(&covariance[u])).sum();
            let scale = 1.0 / (1.0 + explained).sqrt();
            let of_x: Vec<f64> = before.iter().map(|&v| scale * with_weights(&covariance[v as usize])).collect();
            for (&v, value) in before.iter().zip(of_x) {
                covariance[x as usize][v as usize] = value;
                covariance[v as usize][x as usize] = value;
            }
            covariance[x as usize][x as usize] = 1.0;
            before.push(x);
        }
        Self { covariance }
    }

    /// The covariance matrix of the model (variances 1).
    pub fn covariance(&self) -> &[Vec<f64>] {
        &self.covariance
    }

    /// ln det of the covariance of a sorted set, by Cholesky's factorisation.
    fn log_determinant(&self, set: &[Variable]) -> f64 {
        let k = set.len();
        let mut lower = vec![0.0; k * k];
        let mut log = 0.0;
        for i in 0..k {
            for j in 0..=i {
                let inner: f64 = (0..j).map(|m| lower[i * k + m] * lower[j * k + m]).sum();
                let rest = self.covariance[set[i] as usize][set[j] as usize] - inner;
                if i == j {
                    log += rest.ln();
                    lower[i * k + i] = rest.sqrt();
                } else {
                    lower[i * k + j] = rest / lower[j * k + j];
                }
            }
        }
        log
    }
}

impl LocalScore for PopulationScore {
    type Session<'s> = PopulationSession<'s>;

    fn n_variables(&self) -> usize {
        self.covariance.len()
    }

    fn session(&self) -> PopulationSession<'_> {
        PopulationSession { score: self, known: FxHashMap::default() }
    }

    fn name(&self) -> &'static str {
        "population"
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// One thread's access to a [`PopulationScore`].
#[derive(Debug)]
pub struct PopulationSession<'s> {
    score: &'s PopulationScore,
    known: FxHashMap<VariableSet, f64>,
}

impl PopulationSession<'_> {
    /// −N/2 ln det C of a sorted set, rounded to a multiple of the unit.
    fn term(&mut self, set: &[Variable]) -> f64 {
        if let Some(&term) = self.known.get(set) {
            return term;
        }
        let term = (-0.5 * N_ROWS / UNIT * self.score.log_determinant(set)).round() * UNIT;
        self.known.insert(VariableSet::from_slice(set), term);
        term
    }
}

impl ScoreSession for PopulationSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let penalty = (0.5 * N_ROWS.ln() / UNIT).round() * UNIT;
        self.term(&parents.with(child)) - self.term(parents) - penalty * parents.len() as f64
    }
}
