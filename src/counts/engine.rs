//! The counting engine: one table of data, shared by all threads, and a session for each thread.

use std::sync::{Mutex, OnceLock, TryLockError};
use std::time::Duration;

use super::{CountingSession, FixedScale, PairwiseSums};
use crate::Result;
use crate::data::DiscreteData;
use crate::run::Run;

/// Counts over one data table. Shared by all threads; each thread counts through its own [`CountingSession`].
///
/// # Examples
///
/// ```
/// use phgs::counts::CountingEngine;
/// use phgs::data::DiscreteData;
///
/// let data = DiscreteData::from_columns(vec![vec![0, 0, 1, 1], vec![0, 1, 0, 1]])?;
/// let engine = CountingEngine::new(&data);
/// let mut session = engine.session();
/// assert_eq!(session.table(&[0, 1]), Some([1, 1, 1, 1].as_slice()));
/// let f = session.sum_n_log_n(&[0]);
/// assert!((engine.scale().value(f) - 4.0 * 2f64.ln()).abs() < 1e-12);
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct CountingEngine<'d> {
    data: &'d DiscreteData,
    scale: FixedScale,
    pairwise: OnceLock<PairwiseSums>,
    computing_pairwise: Mutex<()>,
}

impl<'d> CountingEngine<'d> {
    /// Prepares an engine for a table.
    pub fn new(data: &'d DiscreteData) -> Self {
        let scale = FixedScale::new(data.n_rows());
        Self { data, scale, pairwise: OnceLock::new(), computing_pairwise: Mutex::new(()) }
    }

    /// The data that is counted.
    pub fn data(&self) -> &'d DiscreteData {
        self.data
    }

    /// The unit of sums.
    pub fn scale(&self) -> &FixedScale {
        &self.scale
    }

    /// A session for one thread.
    pub fn session(&self) -> CountingSession<'_, 'd> {
        CountingSession::new(self)
    }

    /// F of every variable and of every pair, computed in parallel at the first call and kept: 8 bytes a pair. Not to
    /// be called from within [`Run::map`].
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled; a later call then starts anew.
    pub fn pairwise(&self, run: &Run) -> Result<&PairwiseSums> {
        loop {
            if let Some(sums) = self.pairwise.get() {
                return Ok(sums);
            }
            let computing = match self.computing_pairwise.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    run.check()?;
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
            };
            if self.pairwise.get().is_none() {
                let sums = PairwiseSums::compute(self, run)?;
                let _ = self.pairwise.set(sums);
            }
            drop(computing);
        }
    }
}
