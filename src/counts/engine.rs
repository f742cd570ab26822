//! The counting engine: one table of data, shared by all threads, and a session for each thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use super::cache::pairs::PairwiseCells;
use super::cache::shared::SharedSums;
use super::extend::each::Source;
use super::extend::nibbles::{Nibbles, WIDTH};
use super::simd::Counter;
use super::table::planes::BitPlanes;
use super::{CellSum, CountingSession, FixedScale, FixedSum, Kernel, PairwiseSums};
use crate::data::{DiscreteData, with_codes};
use crate::run::Run;
use crate::{Result, Variable};

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
    scale: Arc<FixedScale>,
    planes: BitPlanes,
    lanes: Nibbles,
    counter: Counter,
    /// The counts of each state of each variable, and where those of each variable start.
    single_counts: Vec<u32>,
    first_count: Vec<usize>,
    singles: Vec<FixedSum>,
    pairwise: OnceLock<PairwiseSums>,
    pairwise_cells: OnceLock<PairwiseCells>,
    computing_pairwise: Mutex<()>,
    rows: RwLock<SharedSums>,
    has_rows: AtomicBool,
}

impl<'d> CountingEngine<'d> {
    /// Prepares an engine for a table, with the best kernel that the processor can run.
    pub fn new(data: &'d DiscreteData) -> Self {
        Self::with_kernel(data, Kernel::best()).expect("the processor can run it")
    }

    /// Prepares an engine for a table with a kernel of choice.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] when the processor cannot run it.
    pub fn with_kernel(data: &'d DiscreteData, kernel: Kernel) -> Result<Self> {
        Self::with_scale(data, Arc::new(FixedScale::new(data.n_rows())), kernel)
    }

    /// [`with_kernel`](Self::with_kernel) and a scale that was made before, for all tables of this number of rows.
    ///
    /// # Errors
    ///
    /// As [`with_kernel`](Self::with_kernel).
    ///
    /// # Panics
    ///
    /// When the scale is of another number of rows.
    pub fn with_scale(data: &'d DiscreteData, scale: Arc<FixedScale>, kernel: Kernel) -> Result<Self> {
        Ok(Self::with_counter(data, scale, Counter::new(kernel)?))
    }

    fn with_counter(data: &'d DiscreteData, scale: Arc<FixedScale>, counter: Counter) -> Self {
        assert_eq!(scale.n_rows(), data.n_rows(), "a scale is for one number of rows");
        let planes = BitPlanes::new(data);
        let mut first_count = Vec::with_capacity(data.n_variables() + 1);
        first_count.push(0);
        for &arity in data.arities() {
            first_count.push(first_count[first_count.len() - 1] + arity as usize);
        }
        let mut single_counts = vec![0; first_count[data.n_variables()]];
        for x in 0..data.n_variables() {
            let counts = &mut single_counts[first_count[x]..first_count[x + 1]];
            count_states(data, &planes, x as Variable, counts);
        }
        let singles = first_count.windows(2).map(|w| scale.sum(&single_counts[w[0]..w[1]])).collect();
        Self {
            data,
            scale,
            planes,
            lanes: Nibbles::new(data),
            counter,
            single_counts,
            first_count,
            singles,
            pairwise: OnceLock::new(),
            pairwise_cells: OnceLock::new(),
            computing_pairwise: Mutex::new(()),
            rows: RwLock::default(),
            has_rows: AtomicBool::new(false),
        }
    }

    /// The kernel that counts.
    pub fn kernel(&self) -> Kernel {
        self.counter.kernel()
    }

    /// The data that is counted.
    pub fn data(&self) -> &'d DiscreteData {
        self.data
    }

    /// The unit of sums.
    pub fn scale(&self) -> &FixedScale {
        &self.scale
    }

    /// F(∅) = N ln N.
    pub(crate) fn total(&self) -> FixedSum {
        self.scale.n_log_n(self.data.n_rows() as u32)
    }

    /// F of one variable.
    pub(crate) fn single(&self, x: Variable) -> FixedSum {
        self.singles[x as usize]
    }

    /// The counts of the states of one variable.
    pub(crate) fn single_counts(&self, x: Variable) -> &[u32] {
        &self.single_counts[self.first_count[x as usize]..self.first_count[x as usize + 1]]
    }

    /// F of a pair of variables, when all pairs have been computed.
    pub(crate) fn known_pair(&self, variables: &[Variable]) -> Option<FixedSum> {
        match *variables {
            [x, y] => self.pairwise.get().map(|sums| sums.pair(x, y)),
            _ => None,
        }
    }

    /// F of a pair and its cells that occur, when those of all pairs have been counted.
    pub(crate) fn known_pair_cells(&self, x: Variable, y: Variable) -> Option<CellSum> {
        let cells = self.pairwise_cells.get()?;
        let sums = self.pairwise.get()?;
        Some(CellSum { sum: sums.pair(x, y), occupied: cells.pair(self.data.n_variables(), x, y) })
    }

    /// F of all pairs, when they have been computed.
    pub(crate) fn known_pairs(&self) -> Option<&PairwiseSums> {
        self.pairwise.get()
    }

    /// The sums that are kept for all sessions; `None` where there are none yet.
    pub(crate) fn rows(&self) -> Option<RwLockReadGuard<'_, SharedSums>> {
        // A thread that panicked while it wrote leaves sums that are right or unknown.
        let read = || self.rows.read().unwrap_or_else(PoisonError::into_inner);
        self.has_rows.load(Ordering::Acquire).then(read)
    }

    /// The same, for sums to be put in.
    pub(crate) fn rows_to_fill(&self) -> RwLockWriteGuard<'_, SharedSums> {
        let rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        self.has_rows.store(true, Ordering::Release);
        rows
    }

    /// The number of the batch of a variable: candidates of one batch are counted together.
    pub(crate) fn batch(&self, x: Variable) -> usize {
        match self.lanes.place(x) {
            Some((block, _)) => block,
            None => self.lanes.n_blocks() + x as usize / WIDTH,
        }
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { data: self.data, planes: &self.planes, lanes: &self.lanes, counter: self.counter, scale: &self.scale }
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
    /// [`crate::Error::Interrupted`] when the run is cancelled, [`crate::Error::OutOfTime`] when its deadline comes first;
    /// a later call then starts anew.
    pub fn pairwise(&self, run: &Run) -> Result<&PairwiseSums> {
        self.computed_once(&self.pairwise, run, || {
            let _ = self.pairwise.set(PairwiseSums::compute::<FixedSum>(self, run)?.0);
            Ok(())
        })
    }

    /// The same with the number of cells of each pair that occur, in the same pass: 4 bytes a pair more.
    ///
    /// # Errors
    ///
    /// As [`pairwise`](Self::pairwise).
    pub fn pairwise_with_cells(&self, run: &Run) -> Result<&PairwiseSums> {
        self.computed_once(&self.pairwise_cells, run, || {
            let (sums, cells) = PairwiseSums::compute::<CellSum>(self, run)?;
            // The sums are the same where they were known.
            let _ = self.pairwise.set(sums);
            let _ = self.pairwise_cells.set(cells);
            Ok(())
        })?;
        self.pairwise(run)
    }

    /// What `compute` puts into `slot`, by one thread at a time.
    fn computed_once<'s, T>(
        &self,
        slot: &'s OnceLock<T>,
        run: &Run,
        compute: impl Fn() -> Result<()>,
    ) -> Result<&'s T> {
        loop {
            if let Some(known) = slot.get() {
                return Ok(known);
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
            if slot.get().is_none() {
                compute()?;
            }
            drop(computing);
        }
    }
}

fn count_states(data: &DiscreteData, planes: &BitPlanes, x: Variable, counts: &mut [u32]) {
    if planes.has(x, data.arity(x)) {
        counts[0] = data.n_rows() as u32;
        for state in 1..counts.len() {
            let ones = planes.plane(x, state).iter().flat_map(|line| line.0).map(u64::count_ones).sum();
            counts[state] = ones;
            counts[0] -= ones;
        }
        return;
    }
    with_codes!(data.column(x), |codes| codes.iter().for_each(|&code| counts[usize::from(code)] += 1));
}
