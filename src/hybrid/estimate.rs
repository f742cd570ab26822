//! Estimates along the path of thresholds: PATH, or the one estimate where there is no path.

use std::time::Instant;

use super::VStructureRule;
use super::state::{Driver, Restricted};
use crate::graph::UndirectedGraph;
use crate::orient::path::{Estimate, Path, PathPoint, solution_path};
use crate::orient::{Colliders, v_structures_within};
use crate::run::Phase;
use crate::score::{AnyScore, ScoreCache};
use crate::skeleton::Skeleton;
use crate::{Error, Result};

impl<'a> Driver<'a> {
    /// The estimate chosen along the path of thresholds; where there are no maximum p-values, the one estimate. Fails with
    /// [`Error::OutOfTime`] where time did not suffice for one.
    pub(super) fn estimate<E: Estimate>(
        &mut self,
        restriction: &Restricted,
        rule: &VStructureRule,
        mut make: impl FnMut(&UndirectedGraph, Colliders, Option<&Skeleton>, &mut ScoreCache<'a, AnyScore<'a>>) -> Result<E>,
    ) -> Result<Path<E>> {
        let (test, score, knowledge, run) = (self.test, self.score, self.scope.knowledge(), self.run);
        let Some(graph) = restriction.graph() else {
            return Err(Error::parameter(
                "init",
                "orientation and HGI need a restriction; choose restrict or init=\"empty\"",
            ));
        };
        if let (Restricted::Separated(skeleton), VStructureRule::SeparatingSets) = (restriction, rule) {
            let select = self.hybrid.select;
            return self.ledger.timed(Phase::Path, |ledger| {
                run.progress().enter(Phase::Path, 0);
                let mut cache = ScoreCache::new(score);
                let path = solution_path(skeleton, &select, &mut cache, run, |graph, _, cache| {
                    let v_structures = v_structures_within(graph, skeleton, knowledge, run)?;
                    make(graph, Colliders { v_structures, undecided: Vec::new() }, Some(skeleton), cache)
                });
                ledger.add_calls(Phase::Path, cache.calls());
                path
            });
        }
        if let (Restricted::Separated(skeleton), &VStructureRule::Decided { rule, max_conditioning_size }) =
            (restriction, rule)
        {
            // Tests and scores take turns along the path; what the tests do not take is PATH's.
            let (start, before) = (Instant::now(), self.ledger.seconds(Phase::VStructures));
            let mut cache = ScoreCache::new(score);
            let (select, ledger) = (&self.hybrid.select, &mut self.ledger);
            let path = solution_path(skeleton, select, &mut cache, run, |graph, log_alpha, cache| {
                let found =
                    test.decide_colliders(graph, rule, log_alpha, max_conditioning_size, knowledge, run, ledger)?;
                make(graph, found, None, cache)
            });
            ledger.add_calls(Phase::Path, cache.calls());
            let tests = ledger.seconds(Phase::VStructures) - before;
            ledger.add_seconds(Phase::Path, (start.elapsed().as_secs_f64() - tests).max(0.0));
            // Triples without time for their tests are undecided.
            return path;
        }
        self.refuse_path("v-structures by testing")?;
        let VStructureRule::Testing { alpha, max_conditioning_size } = *rule else {
            return Err(Error::parameter(
                "v_structures",
                "this skeleton has no separating sets; find v-structures by testing",
            ));
        };
        let colliders =
            test.v_structures_by_testing(graph, alpha.log(), max_conditioning_size, knowledge, run, &mut self.ledger)?;
        self.ledger.timed(Phase::Path, |ledger| {
            let mut cache = ScoreCache::new(score);
            // No triple is undecided but for want of time.
            let selected = make(graph, colliders, None, &mut cache)?;
            ledger.add_calls(Phase::Path, cache.calls());
            Ok(Path { points: Vec::new(), selected, index: 0 })
        })
    }

    pub(super) fn refuse_path(&self, what: &str) -> Result<()> {
        if self.hybrid.select.path_length > 1 {
            let problem = format!("PATH needs the maximum p-values of PC or pPC and cannot be combined with {what}");
            return Err(Error::parameter("path_length", problem));
        }
        Ok(())
    }

    pub(super) fn shown(&self, points: Vec<PathPoint>) -> Option<Vec<PathPoint>> {
        (self.hybrid.select.path_length > 1).then_some(points)
    }
}
