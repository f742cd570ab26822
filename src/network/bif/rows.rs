//! The rows of a file's tables: how many there may be, and what is done about those that are no distributions.

use super::tokens::shown;
use super::{BifOptions, Repair};
use crate::network::bayesian_network::{ROW_SUM_TOLERANCE, check_row};

/// What was done to a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Settled {
    AsItIs,
    Scaled,
    Unseen,
}

/// What the tables of a file share: the memory that they may take, and what is done about their rows.
pub(super) struct Rows<'r> {
    pub(super) options: &'r BifOptions,
    pub(super) entries_left: &'r mut usize,
    pub(super) repair: &'r mut Repair,
}

impl Rows<'_> {
    /// Room for a table, if the limit and the memory allow it; says what is wrong.
    pub(super) fn reserve(&mut self, size: usize, name: &str) -> std::result::Result<Vec<f64>, String> {
        let most = self.options.max_entries;
        let Some(left) = self.entries_left.checked_sub(size) else {
            let before = most - *self.entries_left;
            return Err(format!(
                "the table of '{}' takes {} entries, those before it {before}; a file may have {most} in all: raise \
                 max_entries if there is the memory, eight bytes an entry",
                shown(name),
                if size == usize::MAX { "too many".into() } else { size.to_string() },
            ));
        };
        *self.entries_left = left;
        let mut table = Vec::new();
        table
            .try_reserve_exact(size)
            .map_err(|_| format!("not enough memory for the table of '{}': {size} entries", shown(name)))?;
        Ok(table)
    }

    pub(super) fn count(&mut self, settled: Settled, rows: usize) {
        match settled {
            Settled::AsItIs => {}
            Settled::Scaled => self.repair.scaled += rows,
            Settled::Unseen => self.repair.unseen += rows,
        }
    }

    /// Makes the numbers a distribution where the options allow it, else says what is wrong.
    pub(super) fn settle(&self, row: &mut [f64]) -> std::result::Result<Settled, String> {
        let tolerance = self.options.tolerance;
        if row.iter().all(|value| value.is_nan()) {
            if tolerance.is_none() {
                return Err(
                    "a row of NaN, as of a configuration that was never seen; give a tolerance, such as 0.01, to \
                            read it as uniform"
                        .into(),
                );
            }
            row.fill(1.0 / row.len() as f64);
            return Ok(Settled::Unseen);
        }
        let Err(problem) = check_row(row) else { return Ok(Settled::AsItIs) };
        let sum: f64 = row.iter().sum();
        let most = tolerance.unwrap_or(0.0);
        let near = |most: f64| {
            (sum - 1.0).abs() <= most + 1e-9
                && sum > 0.0
                && row.iter().all(|&value| (0.0..=1.0 + most).contains(&value))
        };
        if near(most) {
            row.iter_mut().for_each(|value| *value /= sum);
            return Ok(Settled::Scaled);
        }
        Err(if near(0.5) {
            let enough = (((sum - 1.0).abs() * 1000.0 - 1e-6).ceil() / 1000.0).max(ROW_SUM_TOLERANCE);
            format!("{problem}, or give a tolerance of {enough} or more to divide rows by their sums")
        } else {
            problem
        })
    }
}
