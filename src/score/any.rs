//! A score of any type, behind a pointer.

use super::{LocalScore, ScoreSession};
use crate::run::Run;
use crate::{Result, Variable, VariableSet};

/// A score whose type the code that uses it does not know: that code is compiled once, not for each score. A local score then
/// costs one indirect call more, which is nothing beside its counting.
#[derive(Clone, Copy)]
pub(crate) struct AnyScore<'a>(&'a dyn Erased);

impl<'a> AnyScore<'a> {
    pub(crate) fn new<S: LocalScore>(score: &'a S) -> Self {
        Self(score)
    }
}

type AnySession<'s> = Box<dyn ScoreSession + Send + 's>;

/// [`LocalScore`] with sessions of any type.
trait Erased: Sync {
    fn n_variables(&self) -> usize;
    fn session(&self) -> AnySession<'_>;
    fn prepare_pairs(&self, run: &Run) -> Result<()>;
    fn batch(&self, x: Variable) -> usize;
    fn order_from_data(&self, run: &Run) -> Result<Option<Vec<Variable>>>;
    fn name(&self) -> &'static str;
    fn is_score_equivalent(&self) -> bool;
    fn is_counted(&self) -> bool;
}

impl<S: LocalScore> Erased for S {
    fn n_variables(&self) -> usize {
        LocalScore::n_variables(self)
    }
    fn session(&self) -> AnySession<'_> {
        Box::new(LocalScore::session(self))
    }
    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        LocalScore::prepare_pairs(self, run)
    }
    fn batch(&self, x: Variable) -> usize {
        LocalScore::batch(self, x)
    }
    fn order_from_data(&self, run: &Run) -> Result<Option<Vec<Variable>>> {
        LocalScore::order_from_data(self, run)
    }
    fn name(&self) -> &'static str {
        LocalScore::name(self)
    }
    fn is_score_equivalent(&self) -> bool {
        LocalScore::is_score_equivalent(self)
    }
    fn is_counted(&self) -> bool {
        LocalScore::is_counted(self)
    }
}

impl LocalScore for AnyScore<'_> {
    type Session<'s>
        = AnySession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.0.n_variables()
    }
    fn session(&self) -> AnySession<'_> {
        self.0.session()
    }
    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        self.0.prepare_pairs(run)
    }
    fn batch(&self, x: Variable) -> usize {
        self.0.batch(x)
    }
    fn order_from_data(&self, run: &Run) -> Result<Option<Vec<Variable>>> {
        self.0.order_from_data(run)
    }
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn is_score_equivalent(&self) -> bool {
        self.0.is_score_equivalent()
    }
    fn is_counted(&self) -> bool {
        self.0.is_counted()
    }
}

impl ScoreSession for AnySession<'_> {
    fn asks(&self) -> bool {
        (**self).asks()
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        (**self).expect(families);
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        (**self).local_score(child, parents)
    }

    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        (**self).local_scores_with_each(child, parents, candidates, out);
    }

    fn local_scores_with_each_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) -> f64 {
        (**self).local_scores_with_each_above(child, parents, candidates, least, out)
    }

    fn local_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        (**self).local_scores_above(child, parents, candidates, least, out);
    }

    fn ranks_by_scores(&self) -> bool {
        (**self).ranks_by_scores()
    }

    fn rank_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        (**self).rank_scores_above(child, parents, candidates, least, out);
    }
}
