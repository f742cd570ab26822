//! Variables that are linear combinations of others, by Cholesky's factorisation.

use super::correlation::Correlation;
use crate::run::Run;
use crate::{Result, Variable};

/// What is left of a variance of 1 below which a variable counts as a linear combination of others.
pub(crate) const SINGULAR: f64 = 1e-10;

impl Correlation {
    /// Variables that are linear combinations of earlier ones, each with the earlier variables that make it up; empty
    /// for data in general position. With no more rows than variables there are always some, which says nothing of
    /// the variables, so that the answer is then empty too.
    pub fn collinear(&self) -> Vec<(Variable, Vec<Variable>)> {
        self.collinear_within(&Run::unlimited()).expect("nobody cancels it")
    }

    /// [`Correlation::collinear`] for many variables: it takes p³ steps.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] when the run is cancelled.
    pub fn collinear_within(&self, run: &Run) -> Result<Vec<(Variable, Vec<Variable>)>> {
        if self.n_rows() <= self.n_variables() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        self.factorise(run, |x, weights| {
            if let Some(weights) = weights {
                found.push((x, weights));
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Cholesky's factorisation, row by row. Calls `report` with each variable that is a combination of earlier ones
    /// and these (by more than a part in a million); with `None` for one whose row no positive semi-definite matrix has.
    pub(super) fn factorise(
        &self,
        run: &Run,
        mut report: impl FnMut(Variable, Option<Vec<Variable>>) -> Result<()>,
    ) -> Result<()> {
        const INDEFINITE: f64 = 1e-6;
        let p = self.n_variables();
        let at = |x: usize| x * (x + 1) / 2;
        let mut factor: Vec<f64> = vec![0.0; p * (p + 1) / 2];
        for x in 0..p {
            run.check()?;
            let (done, row) = factor.split_at_mut(at(x));
            let mut left = 1.0;
            for y in 0..x {
                let other = &done[at(y)..at(y) + y + 1];
                let rest = self.below(x)[y] - dot(&row[..y], &other[..y]);
                // A pivot of 0 marks a variable that is a combination of earlier ones: nothing may be left of it.
                row[y] = if other[y] > 0.0 { rest / other[y] } else { 0.0 };
                if other[y] == 0.0 && rest.abs() > INDEFINITE.sqrt() {
                    report(x as Variable, None)?;
                }
                left -= row[y] * row[y];
            }
            if left < -INDEFINITE {
                report(x as Variable, None)?;
            }
            row[x] = if left > SINGULAR { left.sqrt() } else { 0.0 };
            if left <= SINGULAR {
                // Back-substitution gives the weights of the earlier variables.
                let mut weights = row[..x].to_vec();
                for y in (0..x).rev() {
                    let other = &done[at(y)..at(y) + y + 1];
                    weights[y] = if other[y] > 0.0 { weights[y] / other[y] } else { 0.0 };
                    let weight = weights[y];
                    weights[..y].iter_mut().zip(other).for_each(|(w, l)| *w -= weight * l);
                }
                let parts = (0..x).filter(|&y| weights[y].abs() > 1e-6).map(|y| y as Variable).collect();
                report(x as Variable, Some(parts))?;
            }
        }
        Ok(())
    }
}

/// Sum of products, in eight fixed lanes, so that the compiler may use vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}
