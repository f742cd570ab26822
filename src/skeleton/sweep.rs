//! The sweep over pairs, each on subsets of the neighbours of one endpoint, then of the other: levels and the second
//! screen.

use super::PairRecord;
use super::learner::{Found, Learner, Task, blocks, by_focal};
use super::neighbourhoods::Neighbourhoods;
use super::worker::{FIRST_ENDPOINT, FIRST_SCREEN, HOME_CLUSTER, SECOND_SCREEN_X, SECOND_SCREEN_Y, Worker};
use crate::independence::{IndependenceTest, TestSession, Tested};
use crate::subsets::binomial;
use crate::{Result, Variable};

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

impl<T: IndependenceTest> Learner<'_, T> {
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
            self.each(&tasks, &blocks(&tasks, self.block_tests, size), |learner, task, worker, found| {
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
}
