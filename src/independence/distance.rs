//! Distances between categorical variables, for clustering.

use super::in_time;
use crate::counts::CountingEngine;
use crate::run::Run;
use crate::{Result, Variable};

/// Rows of the triangle that are computed together, so that little is held twice.
const ROWS: usize = 512;

/// 1 − I(x, y) / H(x, y) for all pairs x < y, row by row (the paper's distance for partitioning); 1 where H = 0.
pub(super) fn information_distances(engine: &CountingEngine<'_>, run: &Run) -> Result<Vec<f64>> {
    let pairwise = engine.pairwise(run)?;
    let scale = engine.scale();
    let p = pairwise.n_variables();
    let mut distances = Vec::with_capacity(p * (p - 1) / 2);
    for first in (0..p).step_by(ROWS) {
        let rows = run.try_map(
            ROWS.min(p - first),
            || (),
            |(), offset| {
                in_time(run)?;
                let x = (first + offset) as Variable;
                let of_x = pairwise.total() - pairwise.single(x);
                let row = pairwise.row(x);
                Ok(((x + 1)..)
                    .zip(row)
                    .map(|(y, &pair)| {
                        // Both times the number of rows.
                        let information = scale.value(pair + of_x - pairwise.single(y));
                        let entropy = scale.value(pairwise.total() - pair);
                        if entropy > 0.0 { (1.0 - information / entropy).clamp(0.0, 1.0) } else { 1.0 }
                    })
                    .collect::<Vec<f64>>())
            },
        )?;
        rows.iter().for_each(|row| distances.extend_from_slice(row));
    }
    Ok(distances)
}
