//! Orientation, proven against enumeration, a naive reference and oracles.

mod class;
mod colliders;
mod golden;
mod hgi;
mod path;

use phgs::Variable;
use phgs::graph::{DSeparation, Dag};
use phgs::independence::Alpha;
use phgs::knowledge::Knowledge;
use phgs::score::{LocalScore, ScoreSession};
use phgs::skeleton::{PairRecord, Skeleton};
use rand_chacha::rand_core::RngCore;

use crate::support::{below, uniform};

/// All DAGs on n variables (n ≤ 5: 29,281).
fn all_dags(n: usize) -> Vec<Dag> {
    let pairs: Vec<(Variable, Variable)> =
        (0..n as Variable).flat_map(|x| ((x + 1)..n as Variable).map(move |y| (x, y))).collect();
    let mut dags = Vec::new();
    for code in 0..3usize.pow(pairs.len() as u32) {
        let mut rest = code;
        let mut arcs = Vec::new();
        for &(x, y) in &pairs {
            match rest % 3 {
                1 => arcs.push((x, y)),
                2 => arcs.push((y, x)),
                _ => {}
            }
            rest /= 3;
        }
        dags.extend(Dag::from_arcs(n, arcs));
    }
    dags
}

/// Random knowledge that a DAG obeys: some of its arcs required, some pairs with a forbidden direction, some tiers.
fn knowledge_about(rng: &mut impl RngCore, dag: &Dag, rate: f64) -> Knowledge {
    let p = dag.n_variables();
    let required: Vec<_> = dag.arcs().filter(|_| uniform(rng) < rate).collect();
    let edges: Vec<_> = dag.arcs().filter(|_| uniform(rng) < rate).collect();
    let mut forbidden = Vec::new();
    for x in 0..p as Variable {
        for y in 0..p as Variable {
            if x != y && !dag.contains(x, y) && uniform(rng) < rate {
                forbidden.push((x, y));
            }
        }
    }
    let mut tiers = vec![None; p];
    if below(rng, 3) == 0 {
        for (i, x) in dag.topological_order().into_iter().enumerate() {
            if below(rng, 3) > 0 {
                tiers[x as usize] = Some((3 * i / p) as u32);
            }
        }
    }
    Knowledge::new(p, required, edges, forbidden, tiers).expect("the DAG obeys it")
}

fn obeys(dag: &Dag, knowledge: &Knowledge) -> bool {
    dag.arcs().all(|(x, y)| knowledge.allows_arc(x, y))
        && knowledge.required_arcs().into_iter().all(|(x, y)| dag.contains(x, y))
        && knowledge.required_pairs().into_iter().all(|(x, y)| dag.adjacent(x, y))
}

/// What a perfect skeleton learner leaves, with Φ of adjacent pairs made up.
fn perfect_skeleton(dag: &Dag, log_alpha: f64, mut phi: impl FnMut(Variable, Variable) -> f64) -> Skeleton {
    let p = dag.n_variables() as Variable;
    let mut position = vec![0; p as usize];
    for (i, x) in dag.topological_order().into_iter().enumerate() {
        position[x as usize] = i;
    }
    let mut separation = DSeparation::new(dag);
    let mut records = Vec::new();
    for x in 0..p {
        for y in (x + 1)..p {
            let later = if position[x as usize] > position[y as usize] { x } else { y };
            let (max_log_p_value, separating_set) = if dag.adjacent(x, y) {
                (phi(x, y), Default::default())
            } else if separation.separated(x, y, &[]) {
                continue;
            } else {
                (0.0, dag.parents(later).into())
            };
            records.push(PairRecord { x, y, max_log_p_value, separating_set });
        }
    }
    Skeleton::new(p as usize, Alpha::at_log_p_value(log_alpha), records)
}

/// The Gaussian BIC of a linear model on a DAG in the population: consistent, score equivalent and decomposable.
pub(crate) struct PopulationScore {
    covariance: Vec<Vec<f64>>,
    n: f64,
}

impl PopulationScore {
    pub(crate) fn new(rng: &mut impl RngCore, dag: &Dag) -> Self {
        let p = dag.n_variables();
        let mut covariance = vec![vec![0.0; p]; p];
        let mut before: Vec<usize> = Vec::new();
        for x in dag.topological_order() {
            let weights: Vec<(usize, f64)> = dag
                .parents(x)
                .iter()
                .map(|&parent| {
                    let sign = if below(rng, 2) == 0 { 1.0 } else { -1.0 };
                    (parent as usize, sign * (0.5 + uniform(rng)))
                })
                .collect();
            let x = x as usize;
            for &v in &before {
                let value = weights.iter().map(|&(u, w)| w * covariance[u][v]).sum();
                covariance[x][v] = value;
                covariance[v][x] = value;
            }
            let explained: f64 = weights.iter().map(|&(u, w)| w * covariance[u][x]).sum();
            // Unit variance of each variable would need a scale; noise that grows with the signal does as well.
            covariance[x][x] = explained + 1.0 + 0.5 * explained;
            before.push(x);
        }
        Self { covariance, n: 1e11 }
    }
}

impl LocalScore for PopulationScore {
    type Session<'s> = &'s PopulationScore;
    fn n_variables(&self) -> usize {
        self.covariance.len()
    }
    fn session(&self) -> &PopulationScore {
        self
    }
    fn name(&self) -> &'static str {
        "population"
    }
    fn is_score_equivalent(&self) -> bool {
        true
    }
}

impl ScoreSession for &PopulationScore {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        // The last pivot of the Cholesky factor of the covariance of the parents and the child is its conditional variance.
        let order: Vec<usize> = parents.iter().chain([&child]).map(|&x| x as usize).collect();
        let mut factor = vec![vec![0.0; order.len()]; order.len()];
        let mut pivot = 0.0;
        for i in 0..order.len() {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let value = self.covariance[order[i]][order[j]] - dot;
                if i == j {
                    pivot = value;
                    factor[i][i] = f64::sqrt(value);
                } else {
                    factor[i][j] = value / factor[j][j];
                }
            }
        }
        -0.5 * self.n * pivot.ln() - 0.5 * self.n.ln() * (parents.len() + 1) as f64
    }
}

/// A score without meaning: a fixed pseudo-random number for each child and set of parents, drawn so that gains of either
/// sign are common. Half of the sets have whole numbers, so that gains tie.
struct NoiseScore {
    n_variables: usize,
    seed: u64,
}

impl LocalScore for NoiseScore {
    type Session<'s> = &'s NoiseScore;
    fn n_variables(&self) -> usize {
        self.n_variables
    }
    fn session(&self) -> &NoiseScore {
        self
    }
    fn name(&self) -> &'static str {
        "noise"
    }
    fn is_score_equivalent(&self) -> bool {
        false
    }
}

impl ScoreSession for &NoiseScore {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let mut hash = self.seed ^ u64::from(child).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for &parent in parents {
            hash = (hash ^ u64::from(parent + 1)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            hash ^= hash >> 29;
        }
        hash = hash.wrapping_mul(0x94d0_49bb_1331_11eb);
        let value = (hash >> 40) as f64 / (1u64 << 24) as f64 * 4.0 + 0.6 * parents.len() as f64;
        if hash & 1 == 0 { value.round() } else { value }
    }
}
