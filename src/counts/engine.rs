//! The counting engine: one table of data, shared by all threads, and a session for each thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use super::cache::pairs::PairwiseCells;
use super::cache::shared::SharedSums;
use super::extend::each::Source;
use super::extend::nibbles::{Nibbles, WIDTH};
use super::fixed::Total;
use super::simd::Counter;
use super::source::answers::Answers;
use super::source::{Cell, TableSource};
use super::table::planes::BitPlanes;
use super::table::strata::{cells_within, most_cells};
use super::{CellSum, CountingSession, FixedScale, FixedSum, Kernel, PairwiseSums};
use crate::data::{DiscreteData, Shape, with_codes};
use crate::run::Run;
use crate::{Result, Variable, VariableSet};

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
    shape: Shape,
    scale: Arc<FixedScale>,
    counted: Counted<'d>,
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

/// Where counts come from.
#[derive(Debug)]
enum Counted<'d> {
    /// Rows, and all that the kernels here count them with.
    Here(Box<Rows<'d>>),
    /// A source that gives tables.
    Elsewhere(Answers<'d>),
}

#[derive(Debug)]
struct Rows<'d> {
    data: Table<'d>,
    planes: BitPlanes,
    lanes: Nibbles,
    counter: Counter,
}

/// Data that someone else holds, or that the engine does.
#[derive(Debug)]
enum Table<'d> {
    Borrowed(&'d DiscreteData),
    Owned(Arc<DiscreteData>),
}

impl Table<'_> {
    fn get(&self) -> &DiscreteData {
        match self {
            Self::Borrowed(data) => data,
            Self::Owned(data) => data,
        }
    }
}

impl CountingEngine<'static> {
    /// An engine that holds its table itself, with the best kernel.
    pub fn holding(data: Arc<DiscreteData>) -> Self {
        let scale = Arc::new(FixedScale::new(data.n_rows()));
        let counter = Counter::new(Kernel::best()).expect("the processor can run it");
        Self::on_rows(Table::Owned(data), scale, counter)
    }
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
        Ok(Self::on_rows(Table::Borrowed(data), scale, Counter::new(kernel)?))
    }

    fn on_rows(table: Table<'d>, scale: Arc<FixedScale>, counter: Counter) -> Self {
        let data = table.get();
        let shape = data.shape().clone();
        let planes = BitPlanes::new(data);
        let lanes = Nibbles::new(data);
        let mut single_counts = Vec::new();
        for x in 0..data.n_variables() as Variable {
            let start = single_counts.len();
            single_counts.resize(start + data.arity(x) as usize, 0);
            count_states(data, &planes, x, &mut single_counts[start..]);
        }
        let rows = Box::new(Rows { data: table, planes, lanes, counter });
        Self::with_single_counts(shape, scale, Counted::Here(rows), single_counts)
    }

    /// An engine over a source of tables: with what it counts all tests and scores are the same, bit for bit, as if its rows
    /// were here. The counts of single variables are asked for at once.
    pub fn over(source: &'d dyn TableSource) -> Self {
        let shape = source.shape().clone();
        let sets: Vec<VariableSet> = (0..shape.n_variables()).map(|x| VariableSet::from_slice(&[x as u32])).collect();
        let single_counts = source.tables(&sets).concat();
        let scale = Arc::new(FixedScale::new(shape.n_rows()));
        Self::with_single_counts(shape, scale, Counted::Elsewhere(Answers::new(source)), single_counts)
    }

    fn with_single_counts(shape: Shape, scale: Arc<FixedScale>, counted: Counted<'d>, single_counts: Vec<u32>) -> Self {
        assert_eq!(scale.n_rows(), shape.n_rows(), "a scale is for one number of rows");
        let mut first_count = Vec::with_capacity(shape.n_variables() + 1);
        first_count.push(0);
        for &arity in shape.arities() {
            first_count.push(first_count[first_count.len() - 1] + arity as usize);
        }
        let singles = first_count.windows(2).map(|w| scale.sum(&single_counts[w[0]..w[1]])).collect();
        Self {
            shape,
            scale,
            counted,
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

    /// The number of rows, and how many states each variable has.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The rows that are counted, where they are here.
    pub fn data(&self) -> Option<&DiscreteData> {
        self.here().map(|source| source.data)
    }

    /// The kernel that counts, where rows are here.
    pub fn kernel(&self) -> Option<Kernel> {
        self.here().map(|source| source.counter.kernel())
    }

    /// The unit of sums.
    pub fn scale(&self) -> &FixedScale {
        &self.scale
    }

    /// F(∅) = N ln N.
    pub(crate) fn total(&self) -> FixedSum {
        self.scale.n_log_n(self.shape.n_rows() as u32)
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
        Some(CellSum { sum: sums.pair(x, y), occupied: cells.pair(self.shape.n_variables(), x, y) })
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
        match &self.counted {
            Counted::Here(rows) => match rows.lanes.place(x) {
                Some((block, _)) => block,
                None => rows.lanes.n_blocks() + x as usize / WIDTH,
            },
            Counted::Elsewhere(_) => x as usize / WIDTH,
        }
    }

    /// The rows, where they are here.
    #[inline]
    pub(crate) fn here(&self) -> Option<Source<'_>> {
        match &self.counted {
            Counted::Here(rows) => Some(Source {
                data: rows.data.get(),
                planes: &rows.planes,
                lanes: &rows.lanes,
                counter: rows.counter,
                scale: &self.scale,
            }),
            Counted::Elsewhere(_) => None,
        }
    }

    /// What answers, where rows are elsewhere.
    #[inline]
    pub(crate) fn elsewhere(&self) -> Option<&Answers<'d>> {
        match &self.counted {
            Counted::Here(_) => None,
            Counted::Elsewhere(answers) => Some(answers),
        }
    }

    /// The cells of a large table of rows that are elsewhere.
    pub(crate) fn cells(&self, variables: &[Variable]) -> Vec<Cell> {
        self.elsewhere().map_or_else(Vec::new, |answers| answers.cells(variables))
    }

    /// What is added up over the tables of sets (each increasing) of rows that are elsewhere, asked for together; with
    /// `keep` the tables are kept.
    pub(crate) fn totals<T: Total>(&self, sets: &[VariableSet], keep: bool) -> Vec<T> {
        let answers = self.elsewhere().expect("rows here are counted");
        let (shape, scale) = (&self.shape, &*self.scale);
        let dense = |set: &VariableSet| cells_within(shape, set, most_cells(shape)).is_some();
        let small: Vec<VariableSet> = sets.iter().filter(|set| dense(set)).cloned().collect();
        let mut totals: Vec<T> = if keep {
            answers.tables(&small).iter().map(|table| T::of(scale, table)).collect()
        } else {
            answers.tables_once(&small).iter().map(|table| T::of(scale, table)).collect()
        };
        if small.len() < sets.len() {
            let mut of_small = totals.into_iter();
            let of_large = |set: &VariableSet| {
                let counts: Vec<u32> = answers.cells(set).into_iter().map(|(_, count)| count).collect();
                T::of(scale, &counts)
            };
            let total = |set: &VariableSet| if dense(set) { of_small.next() } else { Some(of_large(set)) };
            totals = sets.iter().filter_map(total).collect();
        }
        totals
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
