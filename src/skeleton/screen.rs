//! The first screen of pairs between clusters, on subsets of the neighbours of both endpoints.

use super::PairRecord;
use super::learner::{Learner, Task, blocks, by_focal};
use super::neighbourhoods::Neighbourhoods;
use super::worker::Worker;
use crate::independence::{IndependenceTest, TestSession, Tested};
use crate::subsets::binomial;
use crate::{Result, Variable};

impl<T: IndependenceTest> Learner<'_, T> {
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
        self.each(&tasks, &blocks(&tasks, self.block_tests, size), |learner, task, worker, found| {
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
}

// Sorting code is large; in a function that is not generic it is compiled once, not for each test.

/// Those that depend most on both endpoints first.
fn rank(union: &mut [(f64, f64, Variable)]) {
    union.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
}
