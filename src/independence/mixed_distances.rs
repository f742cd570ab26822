//! Distances of numbers and categories with missing values.

use super::mixed_lr::MixedLrTest;
use super::{IndependenceTest, in_time};
use crate::data::{MixedColumn, MixedData, MixedOptions};
use crate::run::Run;
use crate::{Error, Result};

/// Of fewer rows nothing is said of a pair.
const FEWEST_ROWS: usize = 3;

impl MixedLrTest<'_> {
    /// The distances of all pairs of columns of which values may be missing (of a category the code after its last state, of
    /// a number NaN), each of the rows that are complete in both: the upper triangle row by row. Fewer than three such rows
    /// are as far as can be. Rows may have sampling weights.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when columns or weights differ in length; as [`MixedData::weighted`]; [`Error::Interrupted`],
    /// [`Error::OutOfTime`].
    pub fn distances_of_incomplete(
        columns: &[MixedColumn],
        weights: Option<&[f64]>,
        options: MixedOptions,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let n = columns.first().map_or(0, MixedColumn::n_rows);
        if columns.iter().any(|column| column.n_rows() != n) || weights.is_some_and(|weights| weights.len() != n) {
            return Err(Error::Data("columns and weights must have as many rows".into()));
        }
        let missing = run.map(columns.len(), || (), |(), x| columns[x].missing())?;
        let is_complete = |x: usize| !missing[x].contains(&true);
        // Of columns without gaps one embedding serves all pairs.
        let complete: Vec<usize> = (0..columns.len()).filter(|&x| is_complete(x)).collect();
        let mut together = Vec::new();
        if complete.len() > 1 {
            let chosen = complete.iter().map(|&x| columns[x].clone()).collect();
            let data = MixedData::weighted(chosen, weights, options, run)?;
            together = MixedLrTest::new(&data).distances(run)?.unwrap_or_default();
        }
        let mut together = together.into_iter();
        let mut found = Vec::with_capacity(columns.len() * columns.len().saturating_sub(1) / 2);
        for x in 0..columns.len() {
            let one = Run::new(1)?;
            let row = run.try_map(
                columns.len() - x - 1,
                || (),
                |(), i| {
                    in_time(run)?;
                    let y = x + 1 + i;
                    if is_complete(x) && is_complete(y) {
                        return Ok(f64::NAN);
                    }
                    let rows: Vec<usize> = (0..n).filter(|&row| !missing[x][row] && !missing[y][row]).collect();
                    if rows.len() < FEWEST_ROWS {
                        return Ok(1.0);
                    }
                    let pair = vec![columns[x].of_rows(&rows), columns[y].of_rows(&rows)];
                    let weights: Option<Vec<f64>> =
                        weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
                    let data = MixedData::weighted(pair, weights.as_deref(), options, &one)?;
                    Ok(MixedLrTest::new(&data).distances(&one)?.map_or(1.0, |found| found[0]))
                },
            )?;
            // Those of complete columns come in the same order.
            let known = row.into_iter().map(|d| if d.is_nan() { together.next().unwrap_or(1.0) } else { d });
            found.extend(known);
        }
        Ok(found)
    }
}
