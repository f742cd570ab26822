//! The stages that search: maximise and refine.

use std::rc::Rc;

use super::learn::class_of;
use super::state::{Driver, Restricted, State};
use super::{Adaptive, Equivalence, Maximise, Order, Refine};
use crate::graph::UndirectedGraph;
use crate::independence::Alpha;
use crate::run::Phase;
use crate::search::ges::{GesOptions, Restriction, ges};
use crate::search::{ActiveSet, BossOptions, SearchOptions, SearchResult, boss, hill_climb};
use crate::{Error, Result, Variable};

impl Driver<'_> {
    pub(super) fn maximise(&mut self, restriction: &Restricted, state: &mut State) -> Result<()> {
        // Without a restriction a search over all pairs follows anyway.
        if matches!(restriction, Restricted::GivenUp) && !self.hybrid.refine.is_empty() {
            return Ok(());
        }
        match &self.hybrid.maximise {
            Maximise::None => Ok(()),
            Maximise::HillClimb(options) => {
                let options = SearchOptions { phase: Phase::Search, ..*options };
                self.climb("maximise", &options, restriction.active(), state)
            }
            Maximise::Ges(options) => {
                let within = match (restriction.graph(), options.adaptive) {
                    (None, _) => Restriction::Unrestricted,
                    (Some(graph), Adaptive::No) => Restriction::Pairs(graph),
                    (Some(graph), Adaptive::Skeleton) => Restriction::Skeleton(graph),
                    (Some(graph), Adaptive::Cig) => Restriction::Cig(graph),
                };
                self.equivalence("maximise", options, within, Phase::Search, state)
            }
            Maximise::Boss(order) => {
                if restriction.graph().is_some() {
                    let problem = "BOSS searches over all pairs; use it without a restriction, or to refine";
                    return Err(Error::parameter("maximize", problem));
                }
                self.order("maximise", order, Phase::Search, state)
            }
        }
    }

    pub(super) fn refine(&mut self, state: &mut State) -> Result<()> {
        for refine in &self.hybrid.refine {
            if self.run.out_of_time() {
                return Ok(());
            }
            match refine {
                Refine::Free(options) => {
                    let options = SearchOptions { phase: Phase::Refine, ..*options };
                    self.climb("refine", &options, ActiveSet::All, state)?;
                }
                Refine::Growing(options) => {
                    let options = SearchOptions { phase: Phase::Refine, ..*options };
                    self.climb("refine", &options, ActiveSet::Growing, state)?;
                }
                Refine::Boss(order) => self.order("refine", order, Phase::Refine, state)?,
                Refine::Ges(options) => {
                    self.equivalence("refine", options, Restriction::Unrestricted, Phase::Refine, state)?;
                }
            }
        }
        Ok(())
    }

    fn climb(
        &mut self,
        name: &'static str,
        options: &SearchOptions,
        active: ActiveSet<'_>,
        state: &mut State,
    ) -> Result<()> {
        self.search(name, options.phase, options.max_parents, state, |score, from, kept, run, ledger| {
            let options = SearchOptions { max_parents: kept.max_parents, ..*options };
            hill_climb(score, from, active, &options, kept.scope, run, ledger)
        })
    }

    fn order(&mut self, name: &'static str, order: &Order, phase: Phase, state: &mut State) -> Result<()> {
        let screen = self.screen(order.screen, phase)?;
        self.search(name, phase, order.options.max_parents, state, |score, from, kept, run, ledger| {
            let active = screen.as_deref().map_or(ActiveSet::All, ActiveSet::Screened);
            let options = BossOptions { active, max_parents: kept.max_parents, phase, ..order.options };
            boss(score, from, &options, kept.scope, run, ledger)
        })
    }

    /// The graph of the pairs that depend on each other marginally at a level, tested once; `None` without a level, and
    /// where time does not suffice.
    fn screen(&mut self, level: Option<Alpha>, phase: Phase) -> Result<Option<Rc<UndirectedGraph>>> {
        let Some(level) = level else { return Ok(None) };
        if let Some((of, graph)) = &self.screen
            && *of == level
        {
            return Ok(Some(Rc::clone(graph)));
        }
        let (test, run) = (self.test, self.run);
        let tested = self.ledger.timed(phase, |_| test.dependent_pairs(level, run));
        let pairs = match tested {
            Ok(pairs) => pairs,
            Err(Error::OutOfTime) => return Ok(None),
            Err(error) => return Err(error),
        };
        let p = test.n_variables() as Variable;
        // Of what no test can tell anything every pair is scored.
        let left = self
            .scope
            .left_to_scores()
            .flat_map(|x| (0..p).filter(move |&y| y != x).map(move |y| (x.min(y), x.max(y))));
        let pairs = pairs.iter().map(|pair| (pair.x, pair.y)).chain(left);
        let graph = UndirectedGraph::from_edges(test.n_variables(), pairs);
        let graph = Rc::new(graph);
        self.screen = Some((level, Rc::clone(&graph)));
        Ok(Some(graph))
    }

    fn equivalence(
        &mut self,
        name: &'static str,
        options: &Equivalence,
        restriction: Restriction<'_>,
        phase: Phase,
        state: &mut State,
    ) -> Result<()> {
        let Equivalence { forward, backward, turning, schedule, max_parents, budget, .. } = *options;
        let screen = match restriction {
            Restriction::Unrestricted => self.screen(options.screen, phase)?,
            _ => None,
        };
        self.search(name, phase, max_parents, state, |score, from, kept, run, ledger| {
            let max_parents = kept.max_parents;
            let restriction = screen.as_deref().map_or(restriction, Restriction::Screened);
            let options = GesOptions { forward, backward, turning, schedule, restriction, max_parents, budget, phase };
            let found = ges(score, &class_of(from, kept.scope.knowledge()), &options, kept.scope, run, ledger)?;
            let iterations = found.insertions + found.deletions + found.turns;
            Ok(SearchResult { dag: found.dag, score: found.score, iterations, complete: found.complete })
        })
    }
}
