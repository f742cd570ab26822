//! Distances between categorical variables, for clustering.

use crate::Result;
use crate::counts::CountingEngine;
use crate::run::Run;

/// 1 − I(x, y) / H(x, y) for all pairs x < y, row by row (the paper's distance for partitioning); 1 where H = 0.
pub(super) fn information_distances(engine: &CountingEngine<'_>, run: &Run) -> Result<Vec<f64>> {
    let scale = engine.scale();
    let total = scale.n_log_n(engine.shape().n_rows() as u32);
    engine.map_pairs(run, |x, y, pair| {
        // Both times the number of rows.
        let information = scale.value(pair + total - engine.single(x) - engine.single(y));
        let entropy = scale.value(total - pair);
        if entropy > 0.0 { (1.0 - information / entropy).clamp(0.0, 1.0) } else { 1.0 }
    })
}
