//! The state of a PC run, and how it tests pairs in parallel. Its two ways over pairs are [`super::sweep`] and
//! [`super::screen`].

use super::neighbourhoods::Neighbourhoods;
use super::separating::Separating;
use super::worker::Worker;
use super::{PairRecord, PcOptions};
use crate::independence::{IndependenceTest, Subsets, TestSession, Tested};
use crate::knowledge::Scope;
use crate::run::{Phase, Run};
use crate::{Error, Result, Variable, VariableSet};

/// A pair to be tested on subsets of the neighbours of one endpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    /// The endpoint whose neighbours condition.
    pub(super) focal: Variable,
    pub(super) record: u32,
}

/// What the tests of a block of tasks found.
pub(super) struct Found {
    tests: u64,
    /// Records whose Φ rose.
    raised: Vec<(u32, f64, VariableSet)>,
}

/// The state of a PC run.
pub(super) struct Learner<'a, T> {
    test: &'a T,
    pub(super) labels: &'a [u32],
    pub(super) max_conditioning_size: usize,
    log_alpha: f64,
    /// `None` when all pairs are open.
    scope: Option<Scope<'a>>,
    pub(super) run: &'a Run,
    /// By increasing (x, y); `starts[x]` is the first record of x.
    pub(super) records: Vec<PairRecord>,
    pub(super) starts: Vec<usize>,
    /// The higher variables of the records, close together for searching.
    pub(super) highers: Vec<Variable>,
    tests: u64,
    /// Tests that may still be made before no others begin.
    tests_left: Option<u64>,
    /// How many tests may be possible in a block of several tasks.
    pub(super) block_tests: u64,
    phase: Phase,
}

/// A block of tasks of one focal variable is closed at this many possible tests or pairs.
const BLOCK_TESTS: u64 = 1 << 14;
const BLOCK_PAIRS: usize = 256;

/// Blocks between two looks at the limit of tests. With a low limit blocks are smaller, so that it is not far exceeded.
const ROUND_BLOCKS: usize = 32;
const LEAST_BLOCK_TESTS: u64 = 1 << 8;

impl<'a, T: IndependenceTest> Learner<'a, T> {
    pub(super) fn new(
        test: &'a T,
        labels: &'a [u32],
        options: &PcOptions,
        scope: Option<Scope<'a>>,
        run: &'a Run,
        records: Vec<PairRecord>,
    ) -> Self {
        let p = labels.len();
        let starts = (0..=p).map(|x| records.partition_point(|r| (r.x as usize) < x)).collect();
        let highers = records.iter().map(|r| r.y).collect();
        let share = |limit: u64| (limit / (2 * ROUND_BLOCKS as u64)).clamp(LEAST_BLOCK_TESTS, BLOCK_TESTS);
        Self {
            test,
            labels,
            max_conditioning_size: options.max_conditioning_size.unwrap_or(usize::MAX),
            log_alpha: options.alpha.log(),
            scope,
            run,
            records,
            starts,
            highers,
            tests: 0,
            tests_left: options.max_tests,
            block_tests: options.max_tests.map_or(BLOCK_TESTS, share),
            phase: Phase::Within,
        }
    }

    /// Whether no more tests will be made.
    pub(super) fn out_of_time(&self) -> bool {
        self.run.out_of_time()
    }

    pub(super) fn max_conditioning_size(&self) -> usize {
        self.max_conditioning_size
    }

    pub(super) fn into_records(self) -> Vec<PairRecord> {
        self.records
    }

    /// Enters a phase of the run.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.run.progress().enter(phase, 0);
    }

    /// The tests made since the last call.
    pub(super) fn take_tests(&mut self) -> u64 {
        std::mem::take(&mut self.tests)
    }

    /// The positions of the records that satisfy a condition.
    pub(super) fn select(&self, condition: impl Fn(&PairRecord) -> bool) -> Vec<u32> {
        (0..self.records.len() as u32).filter(|&r| condition(&self.records[r as usize])).collect()
    }

    /// Those of `edges` that are not separated.
    pub(super) fn connected(&self, mut edges: Vec<u32>) -> Vec<u32> {
        edges.retain(|&r| self.is_connected(r));
        edges
    }

    /// The neighbourhoods in the graph `edges`, by the present Φ.
    pub(super) fn freeze(&self, edges: &[u32]) -> Neighbourhoods {
        Neighbourhoods::freeze(self.labels.len(), &self.records, edges)
    }

    pub(super) fn is_connected(&self, record: u32) -> bool {
        self.records[record as usize].max_log_p_value <= self.log_alpha
    }

    pub(super) fn is_required(&self, record: &PairRecord) -> bool {
        self.scope.is_some_and(|scope| scope.requires_edge(record.x, record.y))
    }

    pub(super) fn is_within(&self, record: &PairRecord) -> bool {
        self.labels[record.x as usize] == self.labels[record.y as usize]
    }

    pub(super) fn may_separate(&self, x: Variable, y: Variable, z: Variable) -> bool {
        self.scope.is_none_or(|scope| scope.may_separate(x, y, z))
    }

    /// Tests a pair on the subsets of the worker's pool until one separates it. Without time for all of them the pair stays
    /// connected unless one did.
    pub(super) fn test_subsets<S: TestSession>(
        &self,
        task: Task,
        other: Variable,
        size: usize,
        counting: u8,
        worker: &mut Worker<S>,
        found: &mut Found,
    ) -> Result<Tested> {
        let record = &self.records[task.record as usize];
        let subsets = Subsets::new(&worker.pool, size);
        let mut search = Separating {
            subsets,
            families: &worker.pool_families,
            tested: counting,
            log_alpha: self.log_alpha,
            max_log_p_value: record.max_log_p_value,
            set: None,
            tests: 0,
        };
        let tested = worker.session.test_subsets(task.focal, other, &subsets, self.run, &mut search)?;
        found.tests += search.tests;
        if let Some(mut set) = search.set {
            set.sort_unstable();
            found.raised.push((task.record, search.max_log_p_value, set));
        }
        Ok(tested)
    }

    /// Does a piece of work for each task, in blocks of as much work, and takes over what is found when all are done. The
    /// limit of tests is looked at after a fixed number of blocks, so that it ends the tests at the same place for any number
    /// of threads, and changes nothing where it is not reached.
    pub(super) fn each(
        &mut self,
        tasks: &[Task],
        blocks: &[std::ops::Range<usize>],
        work: impl for<'t> Fn(&Self, Task, &mut Worker<T::Session<'t>>, &mut Found) -> Result<Tested> + Sync,
    ) -> Result<()> {
        self.run.progress().enter(self.phase, tasks.len() as u64);
        let mut all: Vec<Found> = Vec::with_capacity(blocks.len());
        for round in blocks.chunks(if self.tests_left.is_some() { ROUND_BLOCKS } else { blocks.len().max(1) }) {
            let worker = || Worker::new(self.test.session(), self.labels.len());
            let found = self.run.try_map(round.len(), worker, |worker, block| {
                let tasks = &tasks[round[block].clone()];
                let mut found = Found { tests: 0, raised: Vec::new() };
                for &task in tasks {
                    if work(self, task, worker, &mut found)? == Tested::OutOfTime {
                        break;
                    }
                }
                self.run.progress().advance(tasks.len() as u64);
                Ok(found)
            })?;
            self.count_tests(&found)?;
            all.extend(found);
        }
        for (record, log_p_value, set) in all.into_iter().flat_map(|block| block.raised) {
            let record = &mut self.records[record as usize];
            record.max_log_p_value = log_p_value;
            record.separating_set = set;
        }
        Ok(())
    }

    /// Counts the tests of a round, and ends them where there are too many.
    fn count_tests(&mut self, found: &[Found]) -> Result<()> {
        let tests: u64 = found.iter().map(|block| block.tests).sum();
        self.tests += tests;
        self.tests_left = self.tests_left.map(|left| left.saturating_sub(tests));
        if self.tests_left == Some(0) { Err(Error::TooManyTests) } else { Ok(()) }
    }
}

// Sorting code is large; in a function that is not generic it is compiled once, not for each test.

pub(super) fn by_focal(tasks: &mut [Task]) {
    tasks.sort_by_key(|task| task.focal);
}

/// Splits tasks, sorted by focal variable, into blocks of one focal variable each.
pub(super) fn blocks(
    tasks: &[Task],
    block_tests: u64,
    possible_tests: impl Fn(Variable) -> u64,
) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < tasks.len() {
        let focal = tasks[start].focal;
        let per_pair = possible_tests(focal).max(1);
        let most = ((block_tests / per_pair) as usize).clamp(1, BLOCK_PAIRS);
        let same = tasks[start..].iter().take(most).take_while(|task| task.focal == focal).count();
        blocks.push(start..start + same);
        start += same;
    }
    blocks
}
