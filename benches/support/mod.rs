//! What the benches share: data of known size from a fixed seed, and the plain way to count, for ratios.

#![allow(dead_code, unreachable_pub)]

pub mod tiled;

use phgs::Variable;
use phgs::data::{Codes, DiscreteData};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A random number generator from a seed.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A uniform integer below `n`.
pub fn below(rng: &mut impl RngCore, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

fn uniform(rng: &mut impl RngCore) -> f64 {
    (rng.next_u64() >> 11) as f64 * (-53f64).exp2()
}

/// Arities of which half are 2, a quarter 3, a fifth 4 and a twentieth 8, in random order.
pub fn mixed_arities(rng: &mut impl RngCore, p: usize) -> Vec<u32> {
    (0..p)
        .map(|_| match below(rng, 20) {
            0..10 => 2,
            10..15 => 3,
            15..19 => 4,
            _ => 8,
        })
        .collect()
}

/// Rows of a random network in which each variable has up to three parents among the twenty variables before it, with
/// conditional distributions from Dirichlet(½).
pub fn network_data(seed: u64, n_rows: usize, arities: &[u32]) -> DiscreteData {
    let rng = &mut rng(seed);
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for (child, &arity) in arities.iter().enumerate() {
        let mut parents: Vec<usize> = Vec::new();
        for _ in 0..below(rng, 4).min(child) {
            let parent = child - 1 - below(rng, child.min(20));
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        let configurations: usize = parents.iter().map(|&v| arities[v] as usize).product();
        let cumulative: Vec<Vec<f64>> = (0..configurations)
            .map(|_| {
                // Gamma(½) is half the square of a normal; its scale cancels.
                let weights = (0..arity).map(|_| {
                    let radius = -2.0 * (1.0 - uniform(rng)).ln();
                    radius * (std::f64::consts::TAU * uniform(rng)).cos().powi(2) + 1e-9
                });
                let weights: Vec<f64> = weights.collect();
                let total: f64 = weights.iter().sum();
                let steps = weights.iter().scan(0.0, |sum, w| {
                    *sum += w / total;
                    Some(*sum)
                });
                steps.collect()
            })
            .collect();
        let column = (0..n_rows).map(|row| {
            let configuration =
                parents.iter().fold(0, |code, &v| code * arities[v] as usize + usize::from(columns[v][row]));
            let u = uniform(rng);
            let state = cumulative[configuration].iter().position(|&c| u < c).unwrap_or(0);
            state as u8
        });
        let column = column.collect();
        columns.push(column);
    }
    let columns = columns.into_iter().map(Codes::Narrow).collect();
    DiscreteData::new(columns, arities.to_vec()).expect("codes are below their arities")
}

/// One conditional test.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    pub x: Variable,
    pub y: Variable,
    pub given: [Variable; 3],
    pub size: usize,
}

impl Query {
    pub fn given(&self) -> &[Variable] {
        &self.given[..self.size]
    }
}

/// A focal variable, its neighbours and the tests of it.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    pub members: Vec<Variable>,
    pub queries: Vec<Query>,
}

/// Tests in random neighbourhoods of eight: for each neighbour 7 sets of size 1, 14 of size 2 and 14 of size 3, that is
/// 20, 40 and 40 % of 280.
pub fn neighbourhoods(seed: u64, p: usize, count: usize) -> Vec<Neighbourhood> {
    let rng = &mut rng(seed);
    (0..count)
        .map(|_| {
            let mut members: Vec<Variable> = Vec::new();
            while members.len() < 9 {
                let v = below(rng, p) as Variable;
                if !members.contains(&v) {
                    members.push(v);
                }
            }
            let mut queries = Vec::new();
            for size in 1..=3 {
                for &y in &members[1..] {
                    let others: Vec<Variable> = members[1..].iter().copied().filter(|&v| v != y).collect();
                    let mut sets = Vec::new();
                    for a in 0..7 {
                        for b in a + 1..if size > 1 { 7 } else { a + 2 } {
                            for c in b + 1..if size > 2 { 7 } else { b + 2 } {
                                let at = |i: usize| others.get(i).copied().unwrap_or(0);
                                sets.push([at(a), at(b), at(c)]);
                            }
                        }
                    }
                    for i in 0..sets.len().min(14) {
                        let j = i + below(rng, sets.len() - i);
                        sets.swap(i, j);
                        queries.push(Query { x: members[0], y, given: sets[i], size });
                    }
                }
            }
            Neighbourhood { members, queries }
        })
        .collect()
}

/// Columns as a plain program holds them.
pub struct Plain {
    pub columns: Vec<Vec<i32>>,
    pub arities: Vec<usize>,
}

impl Plain {
    pub fn new(data: &DiscreteData) -> Self {
        let column = |v: usize| (0..data.n_rows()).map(|row| data.column(v as Variable).get(row) as i32).collect();
        Self {
            columns: (0..data.n_variables()).map(column).collect(),
            arities: data.arities().iter().map(|&r| r as usize).collect(),
        }
    }

    /// G² the usual way: the configuration of each row, a three-way table, its margins, and a logarithm for each cell.
    pub fn g_squared(&self, x: Variable, y: Variable, given: &[Variable]) -> f64 {
        let (x, y) = (x as usize, y as usize);
        let (r_x, r_y) = (self.arities[x], self.arities[y]);
        let n_rows = self.columns[x].len();
        let mut configurations = vec![0i32; n_rows];
        let mut n_configurations = 1;
        for &z in given {
            for (configuration, &state) in configurations.iter_mut().zip(&self.columns[z as usize]) {
                *configuration += state * n_configurations as i32;
            }
            n_configurations *= self.arities[z as usize];
        }
        let mut joint = vec![0i32; n_configurations * r_x * r_y];
        for ((&z, &x), &y) in configurations.iter().zip(&self.columns[x]).zip(&self.columns[y]) {
            joint[(z as usize * r_x + x as usize) * r_y + y as usize] += 1;
        }
        let mut sum = 0.0;
        for table in joint.chunks(r_x * r_y) {
            let rows: Vec<i32> = table.chunks(r_y).map(|row| row.iter().sum()).collect();
            let columns: Vec<i32> = (0..r_y).map(|j| table.iter().skip(j).step_by(r_y).sum()).collect();
            let total: i32 = rows.iter().sum();
            for (i, row) in table.chunks(r_y).enumerate() {
                for (j, &count) in row.iter().enumerate() {
                    if count > 0 {
                        let expected = f64::from(rows[i]) * f64::from(columns[j]) / f64::from(total);
                        sum += f64::from(count) * (f64::from(count) / expected).ln();
                    }
                }
            }
        }
        2.0 * sum
    }
}
