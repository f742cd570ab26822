//! The exact score of the categories of mixed data.

use super::discrete::{DiscreteScore, DiscreteScoreKind, DiscreteScoreSession};
use super::weighted::{WeightedScore, WeightedScoreSession};
use super::{LocalScore, ScoreSession};
use crate::counts::{CountingEngine, WeightedEngine};
use crate::data::MixedCategories;
use crate::run::Run;
use crate::{Result, Variable};

/// What counts the categories of a mixed table.
#[derive(Debug)]
pub enum MixedEngine<'d> {
    /// Row by row.
    Counted(Box<CountingEngine<'d>>),
    /// By the weights of rows.
    Weighted(Box<WeightedEngine<'d>>),
}

impl<'d> MixedEngine<'d> {
    /// The engine of the categories of a [`MixedData`](crate::data::MixedData).
    pub fn new(categories: &'d MixedCategories) -> Self {
        match categories {
            MixedCategories::Counted(data) => Self::Counted(Box::new(CountingEngine::new(data))),
            MixedCategories::Weighted(data) => Self::Weighted(Box::new(WeightedEngine::new(data))),
        }
    }
}

/// A score of categories on either engine.
#[derive(Debug)]
pub(super) enum Exact<'a> {
    Counted(DiscreteScore<'a, 'a>),
    Weighted(WeightedScore<'a, 'a>),
}

impl<'a> Exact<'a> {
    pub(super) fn new(engine: &'a MixedEngine<'a>, kind: DiscreteScoreKind) -> Result<Self> {
        Ok(match engine {
            MixedEngine::Counted(engine) => Self::Counted(DiscreteScore::new(engine, kind)?),
            MixedEngine::Weighted(engine) => Self::Weighted(WeightedScore::new(engine, kind)?),
        })
    }

    pub(super) fn session(&self) -> ExactSession<'_> {
        match self {
            Self::Counted(score) => ExactSession::Counted(Box::new(score.session())),
            Self::Weighted(score) => ExactSession::Weighted(Box::new(score.session())),
        }
    }

    pub(super) fn prepare_pairs(&self, run: &Run) -> Result<()> {
        match self {
            Self::Counted(score) => score.prepare_pairs(run),
            Self::Weighted(score) => score.prepare_pairs(run),
        }
    }
}

/// One thread's access to it.
#[derive(Debug)]
pub(super) enum ExactSession<'s> {
    Counted(Box<DiscreteScoreSession<'s>>),
    Weighted(Box<WeightedScoreSession<'s>>),
}

impl ExactSession<'_> {
    pub(super) fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        match self {
            Self::Counted(session) => session.local_score(child, parents),
            Self::Weighted(session) => session.local_score(child, parents),
        }
    }

    pub(super) fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        match self {
            Self::Counted(session) => session.local_scores_with_each(child, parents, candidates, out),
            Self::Weighted(session) => session.local_scores_with_each(child, parents, candidates, out),
        }
    }
}
