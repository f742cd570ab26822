//! The state of a PC run, and its two ways over pairs: the sweep (levels and the second screen) and the first screen.

use super::neighbourhoods::Neighbourhoods;
use super::separating::Separating;
use super::worker::{FIRST_ENDPOINT, FIRST_SCREEN, HOME_CLUSTER, SECOND_SCREEN_X, SECOND_SCREEN_Y, Worker};
use super::{PairRecord, PcOptions};
use crate::independence::{IndependenceTest, Subsets, TestSession, Tested};
use crate::knowledge::Knowledge;
use crate::run::{Phase, Run};
use crate::subsets::binomial;
use crate::{Error, Result, Variable, VariableSet};

/// What a sweep tests.
#[derive(Debug)]
pub(super) enum Stage<'n> {
    /// A level of PC-stable.
    Level,
    /// The screen of pairs between clusters by each endpoint's neighbours; `first` are the neighbourhoods of the first screen.
    SecondScreen { first: &'n Neighbourhoods },
    /// A level of the completion, without what earlier stages have tested; with the neighbourhoods of both screens.
    Complete { first: &'n Neighbourhoods, second: &'n Neighbourhoods },
}

/// A pair to be tested on subsets of the neighbours of one endpoint.
#[derive(Debug, Clone, Copy)]
struct Task {
    /// The endpoint whose neighbours condition.
    focal: Variable,
    record: u32,
}

/// What the tests of a block of tasks found.
struct Found {
    tests: u64,
    /// Records whose Φ rose.
    raised: Vec<(u32, f64, VariableSet)>,
}

/// The state of a PC run.
pub(super) struct Learner<'a, T> {
    test: &'a T,
    labels: &'a [u32],
    max_conditioning_size: usize,
    log_alpha: f64,
    /// `None` when nothing is known.
    knowledge: Option<&'a Knowledge>,
    run: &'a Run,
    /// By increasing (x, y); `starts[x]` is the first record of x.
    records: Vec<PairRecord>,
    starts: Vec<usize>,
    /// The higher variables of the records, close together for searching.
    highers: Vec<Variable>,
    tests: u64,
    /// Tests that may still be made before no others begin.
    tests_left: Option<u64>,
    phase: Phase,
}

/// A block of tasks of one focal variable is closed at this many possible tests or pairs.
const BLOCK_TESTS: u64 = 1 << 14;
const BLOCK_PAIRS: usize = 256;

/// Blocks between two looks at the limit of tests.
const ROUND_BLOCKS: usize = 32;

impl<'a, T: IndependenceTest> Learner<'a, T> {
    pub(super) fn new(
        test: &'a T,
        labels: &'a [u32],
        options: &PcOptions,
        knowledge: Option<&'a Knowledge>,
        run: &'a Run,
        records: Vec<PairRecord>,
    ) -> Self {
        let p = labels.len();
        let starts = (0..=p).map(|x| records.partition_point(|r| (r.x as usize) < x)).collect();
        let highers = records.iter().map(|r| r.y).collect();
        Self {
            test,
            labels,
            max_conditioning_size: options.max_conditioning_size.unwrap_or(usize::MAX),
            log_alpha: options.alpha.log(),
            knowledge,
            run,
            records,
            starts,
            highers,
            tests: 0,
            tests_left: options.max_tests,
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

    fn is_connected(&self, record: u32) -> bool {
        self.records[record as usize].max_log_p_value <= self.log_alpha
    }

    fn is_required(&self, record: &PairRecord) -> bool {
        self.knowledge.is_some_and(|knowledge| knowledge.requires_edge(record.x, record.y))
    }

    fn is_within(&self, record: &PairRecord) -> bool {
        self.labels[record.x as usize] == self.labels[record.y as usize]
    }

    fn may_separate(&self, x: Variable, y: Variable, z: Variable) -> bool {
        self.knowledge.is_none_or(|knowledge| knowledge.may_separate(x, y, z))
    }

    /// Tests the pairs `edges` on subsets of the neighbours of one endpoint, then those that are still connected on
    /// subsets of the neighbours of the other. Pairs that are not tested before the deadline stay connected.
    pub(super) fn sweep(
        &mut self,
        stage: &Stage<'_>,
        level: usize,
        neighbourhoods: &Neighbourhoods,
        edges: &[u32],
    ) -> Result<()> {
        let mut firsts: Vec<bool> = Vec::with_capacity(edges.len());
        firsts.extend(edges.iter().map(|&r| self.lower_endpoint_is_first(neighbourhoods, &self.records[r as usize])));
        for second_pass in [false, true] {
            if self.out_of_time() {
                return Ok(());
            }
            let mut tasks: Vec<Task> = Vec::new();
            for (&r, &lower_first) in edges.iter().zip(&firsts) {
                let record = &self.records[r as usize];
                let eligible = self.is_connected(r)
                    && match stage {
                        Stage::SecondScreen { .. } => !self.is_within(record),
                        Stage::Level | Stage::Complete { .. } => true,
                    };
                let focal = if lower_first != second_pass { record.x } else { record.y };
                if eligible && neighbourhoods.of(focal).len() > level.max(1) && !self.is_required(record) {
                    tasks.push(Task { focal, record: r });
                }
            }
            let size = |focal: Variable| {
                let available = neighbourhoods.of(focal).len().saturating_sub(1);
                binomial(available, self.conditioning_size(stage, level, available))
            };
            by_focal(&mut tasks);
            self.each(&tasks, &blocks(&tasks, size), |learner, task, worker, found| {
                learner.sweep_pair(stage, level, neighbourhoods, task, second_pass, worker, found)
            })?;
        }
        Ok(())
    }

    /// Tests one pair on subsets of the neighbours of its focal endpoint.
    fn sweep_pair<S: TestSession>(
        &self,
        stage: &Stage<'_>,
        level: usize,
        neighbourhoods: &Neighbourhoods,
        task: Task,
        second_pass: bool,
        worker: &mut Worker<S>,
        found: &mut Found,
    ) -> Result<Tested> {
        // Pools are made for every pair, tested or not.
        if !worker.session.goes_on(self.run)? {
            return Ok(Tested::OutOfTime);
        }
        let record = &self.records[task.record as usize];
        let (x, y) = (record.x, record.y);
        let other = if task.focal == x { y } else { x };
        let around = neighbourhoods.of(task.focal);
        worker.pool.clear();
        worker.pool.extend_from_slice(around);
        worker.pool.retain(|&z| z != other && self.may_separate(x, y, z));
        let size = self.conditioning_size(stage, level, worker.pool.len());
        if size == 0 || size > worker.pool.len() {
            return Ok(Tested::All);
        }

        // Which families of tested sets reach this size?
        let allowed = |list: &[Variable], without: Variable| {
            list.iter().filter(|&&z| z != without && self.may_separate(x, y, z)).count()
        };
        let mut counting = 0;
        if second_pass {
            let of_other = neighbourhoods.of(other);
            if self.conditioning_size(stage, level, allowed(of_other, task.focal)) == size {
                counting |= worker.mark(of_other, FIRST_ENDPOINT);
            }
        }
        let screen_size = |available: usize| available.min(self.max_conditioning_size);
        let within = self.is_within(record);
        if let (Stage::SecondScreen { first } | Stage::Complete { first, .. }, false) = (stage, within) {
            // The neighbourhoods of two clusters do not overlap.
            if screen_size(allowed(first.of(x), y) + allowed(first.of(y), x)) == size {
                counting |= worker.mark(first.of(x), FIRST_SCREEN) | worker.mark(first.of(y), FIRST_SCREEN);
            }
        }
        if let Stage::Complete { second, .. } = stage {
            if within {
                let labels = self.labels;
                counting |= worker.mark_pool(HOME_CLUSTER, |z| labels[z as usize] == labels[x as usize]);
            } else {
                for (of, without, family) in [(x, y, SECOND_SCREEN_X), (y, x, SECOND_SCREEN_Y)] {
                    if screen_size(allowed(second.of(of), without)) == size {
                        counting |= worker.mark(second.of(of), family);
                    }
                }
            }
        }
        if counting != 0 && worker.gather_families(counting) {
            return Ok(Tested::All);
        }
        worker.focus(task.focal);
        self.test_subsets(task, other, size, counting, worker, found)
    }

    /// The size of the conditioning sets for a neighbourhood with `available` variables; 0 or more than that: none.
    fn conditioning_size(&self, stage: &Stage<'_>, level: usize, available: usize) -> usize {
        match stage {
            Stage::Level | Stage::Complete { .. } => level,
            Stage::SecondScreen { .. } => available.min(self.max_conditioning_size),
        }
    }

    /// Tests a pair on the subsets of the worker's pool until one separates it. Without time for all of them the pair stays
    /// connected unless one did.
    fn test_subsets<S: TestSession>(
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

    /// The first screen between clusters: returns those of `candidates` that no set of neighbours of both endpoints
    /// separates, and those that are required. Pairs that are not tested before the deadline stay connected.
    pub(super) fn first_screen(&mut self, neighbourhoods: &Neighbourhoods, candidates: &[u32]) -> Result<Vec<u32>> {
        if self.out_of_time() {
            return Ok(self.connected(candidates.to_vec()));
        }
        let mut tasks: Vec<Task> = Vec::new();
        for &r in candidates {
            let record = &self.records[r as usize];
            let (of_x, of_y) = (neighbourhoods.of(record.x).len(), neighbourhoods.of(record.y).len());
            if of_x + of_y > 0 && !self.is_required(record) {
                // Any endpoint could be focal; with the larger neighbourhood more work is shared.
                tasks.push(Task { focal: if of_x >= of_y { record.x } else { record.y }, record: r });
            }
        }
        by_focal(&mut tasks);
        let size = |focal: Variable| {
            let available = neighbourhoods.of(focal).len() * 2;
            binomial(available, available.min(self.max_conditioning_size))
        };
        self.each(&tasks, &blocks(&tasks, size), |learner, task, worker, found| {
            if !worker.session.goes_on(learner.run)? {
                return Ok(Tested::OutOfTime);
            }
            let record = &learner.records[task.record as usize];
            let (x, y) = (record.x, record.y);
            let other = if task.focal == x { y } else { x };
            learner.rank_union(neighbourhoods, x, y, worker);
            let size = worker.pool.len().min(learner.max_conditioning_size);
            if size == 0 {
                return Ok(Tested::All);
            }
            worker.focus(task.focal);
            learner.test_subsets(task, other, size, 0, worker, found)
        })?;
        Ok(self.connected(candidates.to_vec()))
    }

    /// Fills the pool with the neighbours of both endpoints, those that depend most on both first.
    fn rank_union<S>(&self, neighbourhoods: &Neighbourhoods, x: Variable, y: Variable, worker: &mut Worker<S>) {
        // A pair without a record was separated marginally; all of those rank alike, below every other.
        let strength = |a: Variable, b: Variable| self.find(a, b).map_or(0.0, |r| r.max_log_p_value);
        worker.ranked.clear();
        for &z in neighbourhoods.of(x).iter().chain(neighbourhoods.of(y)) {
            if self.may_separate(x, y, z) {
                let (with_x, with_y) = (strength(x, z), strength(y, z));
                worker.ranked.push((with_x.max(with_y), with_x.min(with_y), z));
            }
        }
        rank(&mut worker.ranked);
        worker.pool.clear();
        worker.pool.extend(worker.ranked.iter().map(|&(_, _, z)| z));
    }

    fn find(&self, a: Variable, b: Variable) -> Option<&PairRecord> {
        let (x, y) = (a.min(b), a.max(b));
        let start = self.starts[x as usize];
        self.highers[start..self.starts[x as usize + 1]].binary_search(&y).ok().map(|at| &self.records[start + at])
    }

    /// Whether the neighbours of the lower endpoint come before those of the higher (see the module [`super::pc`]).
    fn lower_endpoint_is_first(&self, neighbourhoods: &Neighbourhoods, record: &PairRecord) -> bool {
        let strengths =
            |x: Variable| neighbourhoods.edges_of(x).iter().map(|&r| self.records[r as usize].max_log_p_value);
        let (of_x, of_y) = (neighbourhoods.of(record.x).len(), neighbourhoods.of(record.y).len());
        of_x.cmp(&of_y)
            .then_with(|| {
                let mut differences = strengths(record.x).zip(strengths(record.y)).map(|(a, b)| a.total_cmp(&b));
                differences.find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
            })
            .is_le()
    }

    /// Does a piece of work for each task, in blocks of as much work, and takes over what is found. The limit of tests is
    /// looked at after a fixed number of blocks, so that it ends the tests at the same place for any number of threads.
    fn each(
        &mut self,
        tasks: &[Task],
        blocks: &[std::ops::Range<usize>],
        work: impl for<'t> Fn(&Self, Task, &mut Worker<T::Session<'t>>, &mut Found) -> Result<Tested> + Sync,
    ) -> Result<()> {
        self.run.progress().enter(self.phase, tasks.len() as u64);
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
            self.apply(found)?;
        }
        Ok(())
    }

    /// Takes over what a round has found.
    fn apply(&mut self, found: Vec<Found>) -> Result<()> {
        for block in found {
            self.tests += block.tests;
            self.tests_left = self.tests_left.map(|left| left.saturating_sub(block.tests));
            for (record, log_p_value, set) in block.raised {
                let record = &mut self.records[record as usize];
                record.max_log_p_value = log_p_value;
                record.separating_set = set;
            }
        }
        if self.tests_left == Some(0) { Err(Error::TooManyTests) } else { Ok(()) }
    }
}

// Sorting code is large; in functions that are not generic it is compiled once, not for each test.

fn by_focal(tasks: &mut [Task]) {
    tasks.sort_by_key(|task| task.focal);
}

/// Those that depend most on both endpoints first.
fn rank(union: &mut [(f64, f64, Variable)]) {
    union.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
}

/// Splits tasks, sorted by focal variable, into blocks of one focal variable each.
fn blocks(tasks: &[Task], possible_tests: impl Fn(Variable) -> u64) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < tasks.len() {
        let focal = tasks[start].focal;
        let per_pair = possible_tests(focal).max(1);
        let most = ((BLOCK_TESTS / per_pair) as usize).clamp(1, BLOCK_PAIRS);
        let same = tasks[start..].iter().take(most).take_while(|task| task.focal == focal).count();
        blocks.push(start..start + same);
        start += same;
    }
    blocks
}
