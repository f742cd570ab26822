//! Draws in a linear Gaussian network.

use crate::data::Gaps;
use crate::network::fill::Drawn;
use crate::network::fill::regression::{factor, solve_lower, solve_upper};
use crate::random_numbers::{normal, stream};
use crate::run::Run;
use crate::{Result, Variable};

/// Rows that are drawn together.
const BLOCK: usize = 64;

/// So many values that depend on each other are drawn at once; of more, one after another, in sweeps.
const MOST_AT_ONCE: usize = 200;

/// A linear Gaussian network over standardised columns: means, and the precision matrix, of which most entries are 0.
pub(super) struct Network {
    pub(super) means: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    /// For each variable the others with an entry that is not 0, in increasing order.
    pub(super) others: Vec<Vec<(Variable, f64)>>,
}

/// What drawing a row needs room for.
pub(super) struct Workspace {
    /// For each variable its place among those that are drawn now, and `NONE` for all others.
    place: Vec<u32>,
    group: Vec<Variable>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

const NONE: u32 = u32::MAX;
/// Missing, and not drawn yet.
const WAITING: u32 = u32::MAX - 1;

impl Workspace {
    pub(super) fn new(p: usize) -> Self {
        Self { place: vec![NONE; p], group: Vec::new(), matrix: Vec::new(), right: Vec::new() }
    }
}

impl Network {
    /// Draws the missing values of all rows.
    pub(super) fn draw(&self, gaps: &Gaps, columns: &mut [Vec<f64>], seed: u64, run: &Run) -> Result<()> {
        let p = columns.len();
        let before: &[Vec<f64>] = columns;
        let workspace = || (vec![0.0; p * BLOCK], Workspace::new(p));
        let drawn = Drawn::draw(gaps, BLOCK, run, workspace, |(rows, workspace), block, drawn| {
            // Column by column, which reads memory in order.
            for (x, column) in before.iter().enumerate() {
                for (row, gap) in rows.chunks_exact_mut(p).zip(block.clone()) {
                    row[x] = column[gaps.row(gap).0] - self.means[x];
                }
            }
            for (row, gap) in rows.chunks_exact_mut(p).zip(block) {
                let (at, missing) = gaps.row(gap);
                self.draw_row(missing, row, workspace, &mut stream(seed, at as u64));
                drawn.extend(missing.iter().map(|&x| row[x as usize] + self.means[x as usize]));
            }
        })?;
        drawn.each(gaps, |row, x, value| columns[x as usize][row] = value);
        Ok(())
    }

    /// Draws the missing values of a row, from which the means are taken off.
    pub(super) fn draw_row(
        &self,
        missing: &[Variable],
        row: &mut [f64],
        workspace: &mut Workspace,
        rng: &mut impl rand_core::RngCore,
    ) {
        for &x in missing {
            workspace.place[x as usize] = WAITING;
        }
        for &first in missing {
            if workspace.place[first as usize] != WAITING {
                continue;
            }
            self.collect(first, workspace);
            if workspace.group.len() <= MOST_AT_ONCE {
                self.draw_at_once(row, workspace, rng);
            } else {
                self.sweep(row, &workspace.group, rng);
            }
        }
        for &x in missing {
            workspace.place[x as usize] = NONE;
        }
    }

    /// The missing values that depend on each other and on this one, given the known ones.
    fn collect(&self, first: Variable, workspace: &mut Workspace) {
        let Workspace { place, group, .. } = workspace;
        group.clear();
        group.push(first);
        place[first as usize] = 0;
        let mut next = 0;
        while let Some(&x) = group.get(next) {
            next += 1;
            for &(other, _) in &self.others[x as usize] {
                if place[other as usize] == WAITING {
                    place[other as usize] = group.len() as u32;
                    group.push(other);
                }
            }
        }
    }

    fn draw_at_once(&self, row: &mut [f64], workspace: &mut Workspace, rng: &mut impl rand_core::RngCore) {
        let Workspace { place, group, matrix, right } = workspace;
        let k = group.len();
        matrix.clear();
        matrix.resize(k * k, 0.0);
        right.clear();
        for (i, &x) in group.iter().enumerate() {
            matrix[i * k + i] = self.diagonal[x as usize];
            let mut sum = 0.0;
            for &(other, entry) in &self.others[x as usize] {
                // Missing values of other groups are no neighbours.
                match place[other as usize] {
                    NONE => sum -= entry * row[other as usize],
                    j => matrix[i * k + j as usize] = entry,
                }
            }
            right.push(sum);
        }
        factor(matrix, k);
        // With Λ = L Lᵀ: the mean is L⁻ᵀ L⁻¹ right, and L⁻ᵀ times standard normal numbers has the covariance Λ⁻¹.
        solve_lower(matrix, k, right);
        right.iter_mut().for_each(|value| *value += normal(rng));
        solve_upper(matrix, k, right);
        for (&x, &value) in group.iter().zip(right.iter()) {
            row[x as usize] = value;
        }
    }

    pub(super) fn sweep(&self, row: &mut [f64], group: &[Variable], rng: &mut impl rand_core::RngCore) {
        for &x in group {
            let sum: f64 = self.others[x as usize].iter().map(|&(other, entry)| entry * row[other as usize]).sum();
            let precision = self.diagonal[x as usize];
            row[x as usize] = -sum / precision + normal(rng) / precision.sqrt();
        }
    }
}
