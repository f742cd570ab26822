//! A test of any type, behind what the stages ask of it.

use super::pef::{Separation, SeparationOf};
use crate::graph::UndirectedGraph;
use crate::independence::{Alpha, IndependenceTest, MarginalDependence};
use crate::knowledge::{Knowledge, Scope};
use crate::orient::{ColliderRule, Colliders, VStructure};
use crate::run::{Ledger, Run};
use crate::skeleton::local::{LocalLearner, LocalOptions};
use crate::skeleton::{PcOptions, Skeleton};
use crate::{Result, orient, skeleton};

/// The steps that test. Each of them is compiled for each test, as its loops want; the stages around them are compiled once.
pub(super) trait AnyTest {
    fn n_variables(&self) -> usize;
    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>>;
    fn dependent_pairs(&self, level: Alpha, run: &Run) -> Result<Vec<MarginalDependence>>;
    fn partitioned_pc(
        &self,
        labels: &[u32],
        options: &PcOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton>;
    fn screened_pc(
        &self,
        labels: &[u32],
        options: &PcOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton>;
    fn local_skeleton(
        &self,
        learner: LocalLearner,
        options: &LocalOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton>;
    fn fill_marginal_p_values(&self, v_structures: &mut [VStructure], skeleton: &Skeleton, run: &Run) -> Result<()>;
    fn decide_colliders(
        &self,
        graph: &UndirectedGraph,
        rule: ColliderRule,
        log_alpha: f64,
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Colliders>;
    fn v_structures_by_testing(
        &self,
        graph: &UndirectedGraph,
        log_alpha: f64,
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Colliders>;
    fn separation<'a>(
        &'a self,
        skeleton: &'a Skeleton,
        max_conditioning_size: Option<usize>,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Box<dyn Separation + 'a>;
}

impl<T: IndependenceTest> AnyTest for T {
    fn n_variables(&self) -> usize {
        IndependenceTest::n_variables(self)
    }

    fn distances(&self, run: &Run) -> Result<Option<Vec<f64>>> {
        IndependenceTest::distances(self, run)
    }

    fn dependent_pairs(&self, level: Alpha, run: &Run) -> Result<Vec<MarginalDependence>> {
        self.marginal_dependences(run, level.log(), |_, _| true)
    }

    fn partitioned_pc(
        &self,
        labels: &[u32],
        options: &PcOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton> {
        skeleton::partitioned_pc(self, labels, options, scope, run, ledger)
    }

    fn screened_pc(
        &self,
        labels: &[u32],
        options: &PcOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton> {
        skeleton::screened_pc(self, labels, options, scope, run, ledger)
    }

    fn local_skeleton(
        &self,
        learner: LocalLearner,
        options: &LocalOptions,
        scope: Scope<'_>,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Skeleton> {
        skeleton::local::local_skeleton(learner, self, options, scope, run, ledger)
    }

    fn fill_marginal_p_values(&self, v_structures: &mut [VStructure], skeleton: &Skeleton, run: &Run) -> Result<()> {
        orient::fill_marginal_p_values(v_structures, skeleton, self, run)
    }

    fn decide_colliders(
        &self,
        graph: &UndirectedGraph,
        rule: ColliderRule,
        log_alpha: f64,
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Colliders> {
        orient::decide_colliders(graph, self, rule, log_alpha, max_conditioning_size, knowledge, run, ledger)
    }

    fn v_structures_by_testing(
        &self,
        graph: &UndirectedGraph,
        log_alpha: f64,
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
        run: &Run,
        ledger: &mut Ledger,
    ) -> Result<Colliders> {
        orient::v_structures_by_testing(graph, self, log_alpha, max_conditioning_size, knowledge, run, ledger)
    }

    fn separation<'a>(
        &'a self,
        skeleton: &'a Skeleton,
        max_conditioning_size: Option<usize>,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Box<dyn Separation + 'a> {
        Box::new(SeparationOf::new(self, skeleton, max_conditioning_size, scope, run))
    }
}
