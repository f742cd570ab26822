//! Regressions by Cholesky's factorisation of correlations, a row for each variable.

use crate::Variable;
use crate::data::{Correlation, SINGULAR};

/// Appends the row of `x` to a factor of `width` columns, whose rows so far are of `before`; returns what is left of
/// the variance of x.
pub(super) fn append(
    correlation: &Correlation,
    factor: &mut Vec<f64>,
    width: usize,
    before: impl Iterator<Item = Variable>,
    x: Variable,
) -> f64 {
    let start = factor.len();
    factor.resize(start + width, 0.0);
    let (done, row) = factor.split_at_mut(start);
    let mut left = 1.0;
    for (j, z) in before.enumerate() {
        let earlier = &done[j * width..(j + 1) * width];
        let shared: f64 = row[..j].iter().zip(earlier).map(|(a, b)| a * b).sum();
        row[j] = (correlation.get(x, z) - shared) * earlier[j];
        left -= row[j] * row[j];
    }
    let at = start / width;
    if at < width {
        row[at] = if left > SINGULAR { left.sqrt().recip() } else { 0.0 };
    }
    left
}

/// Candidates that are eliminated at a time.
pub(super) const PANEL: usize = 32;

/// Forward substitution for many candidates at a time (at most [`PANEL`]), each eliminated after the parents. `factor` is
/// that of the parents (at least one) and then the child, of as many columns as there are parents; `panel` is scratch
/// memory. Returns, for each candidate, what the parents leave of its variance, and of its correlation with the child.
pub(super) fn eliminate_many<'p>(
    correlation: &Correlation,
    factor: &[f64],
    parents: &[Variable],
    child: Variable,
    candidates: &[Variable],
    panel: &'p mut Vec<f64>,
) -> (&'p [f64], &'p [f64]) {
    let k = parents.len();
    panel.clear();
    panel.resize((k + 2) * PANEL, 0.0);
    let (rows, sums) = panel.split_at_mut(k * PANEL);
    let (left_of_candidate, partial) = sums.split_at_mut(PANEL);
    left_of_candidate.fill(1.0);
    for (value, &candidate) in partial.iter_mut().zip(candidates) {
        *value = correlation.get(candidate, child);
    }
    for j in 0..k {
        let (earlier, rest) = rows.split_at_mut(j * PANEL);
        let row = &mut rest[..PANEL];
        for (value, &candidate) in row.iter_mut().zip(candidates) {
            *value = correlation.get(candidate, parents[j]);
        }
        let done = &factor[j * k..(j + 1) * k];
        for (&weight, before) in done[..j].iter().zip(earlier.chunks_exact(PANEL)) {
            row.iter_mut().zip(before).for_each(|(value, b)| *value -= weight * b);
        }
        let (inverse, weight) = (done[j], factor[k * k + j]);
        for ((value, left), partial) in row.iter_mut().zip(&mut *left_of_candidate).zip(&mut *partial) {
            *value *= inverse;
            *left -= *value * *value;
            *partial -= weight * *value;
        }
    }
    (left_of_candidate, partial)
}
