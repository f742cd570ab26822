//! One type for any score of discrete variables, for callers that choose at run time.

use super::{
    Bdeu, BdeuSession, K2, K2Session, LikelihoodSession, LocalScore, PenalizedLikelihood, QuotientNml,
    QuotientNmlSession, ScoreSession,
};
use crate::counts::CountingEngine;
use crate::run::Run;
use crate::{Result, Variable, VariableSet};

/// A score of discrete variables and its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DiscreteScoreKind {
    /// Log-likelihood.
    LogLikelihood,
    /// Akaike's information criterion.
    Aic,
    /// The Bayesian information criterion with this multiplier λ of ln(N) k: ½ is BIC itself.
    Bic(f64),
    /// The extended BIC with multipliers λ of ln(N) k and γ of ln(p) for each parent.
    Ebic(f64, f64),
    /// BDeu with this equivalent sample size.
    Bdeu(f64),
    /// K2.
    K2,
    /// Quotient NML with this multiplier γ of ln(p) for each parent.
    Qnml(f64),
    /// Quotient NML with the support coded, with γ.
    Sqnml(f64),
}

/// Any score of discrete variables.
#[derive(Debug)]
pub enum DiscreteScore<'e, 'd> {
    /// Log-likelihood, AIC, BIC or extended BIC.
    Likelihood(PenalizedLikelihood<'e, 'd>),
    /// BDeu.
    Bdeu(Bdeu<'e, 'd>),
    /// K2.
    K2(K2<'e, 'd>),
    /// Quotient NML, with or without the support coded.
    QuotientNml(QuotientNml<'e, 'd>),
}

impl<'e, 'd> DiscreteScore<'e, 'd> {
    /// The score of a kind.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] when a parameter of the kind has no meaning.
    pub fn new(engine: &'e CountingEngine<'d>, kind: DiscreteScoreKind) -> Result<Self> {
        Ok(match kind {
            DiscreteScoreKind::LogLikelihood => Self::Likelihood(PenalizedLikelihood::log_likelihood(engine)),
            DiscreteScoreKind::Aic => Self::Likelihood(PenalizedLikelihood::aic(engine)),
            DiscreteScoreKind::Bic(lambda) => {
                Self::Likelihood(PenalizedLikelihood::bic_with_multiplier(engine, lambda)?)
            }
            DiscreteScoreKind::Ebic(lambda, gamma) => {
                Self::Likelihood(PenalizedLikelihood::extended_bic(engine, lambda, gamma)?)
            }
            DiscreteScoreKind::Bdeu(size) => Self::Bdeu(Bdeu::new(engine, size)?),
            DiscreteScoreKind::K2 => Self::K2(K2::new(engine)),
            DiscreteScoreKind::Qnml(gamma) => Self::QuotientNml(QuotientNml::new(engine, gamma)?),
            DiscreteScoreKind::Sqnml(gamma) => Self::QuotientNml(QuotientNml::support_coded(engine, gamma)?),
        })
    }
}

impl LocalScore for DiscreteScore<'_, '_> {
    type Session<'s>
        = DiscreteScoreSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        match self {
            Self::Likelihood(score) => score.n_variables(),
            Self::Bdeu(score) => score.n_variables(),
            Self::K2(score) => score.n_variables(),
            Self::QuotientNml(score) => score.n_variables(),
        }
    }

    fn session(&self) -> DiscreteScoreSession<'_> {
        match self {
            Self::Likelihood(score) => DiscreteScoreSession::Likelihood(score.session()),
            Self::Bdeu(score) => DiscreteScoreSession::Bdeu(score.session()),
            Self::K2(score) => DiscreteScoreSession::K2(score.session()),
            Self::QuotientNml(score) => DiscreteScoreSession::QuotientNml(score.session()),
        }
    }

    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        match self {
            Self::Likelihood(score) => score.prepare_pairs(run),
            Self::Bdeu(score) => score.prepare_pairs(run),
            Self::K2(score) => score.prepare_pairs(run),
            Self::QuotientNml(score) => score.prepare_pairs(run),
        }
    }

    fn batch(&self, x: Variable) -> usize {
        match self {
            Self::Likelihood(score) => score.batch(x),
            Self::Bdeu(score) => score.batch(x),
            Self::K2(score) => score.batch(x),
            Self::QuotientNml(score) => score.batch(x),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Likelihood(score) => score.name(),
            Self::Bdeu(score) => score.name(),
            Self::K2(score) => score.name(),
            Self::QuotientNml(score) => score.name(),
        }
    }

    fn is_score_equivalent(&self) -> bool {
        match self {
            Self::Likelihood(score) => score.is_score_equivalent(),
            Self::Bdeu(score) => score.is_score_equivalent(),
            Self::K2(score) => score.is_score_equivalent(),
            Self::QuotientNml(score) => score.is_score_equivalent(),
        }
    }
}

/// One thread's access to a [`DiscreteScore`].
#[derive(Debug)]
pub enum DiscreteScoreSession<'s> {
    /// Log-likelihood, AIC, BIC or extended BIC.
    Likelihood(LikelihoodSession<'s>),
    /// BDeu.
    Bdeu(BdeuSession<'s>),
    /// K2.
    K2(K2Session<'s>),
    /// Quotient NML, with or without the support coded.
    QuotientNml(QuotientNmlSession<'s>),
}

impl ScoreSession for DiscreteScoreSession<'_> {
    fn asks(&self) -> bool {
        match self {
            Self::Likelihood(session) => session.asks(),
            Self::Bdeu(session) => session.asks(),
            Self::K2(session) => session.asks(),
            Self::QuotientNml(session) => session.asks(),
        }
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        match self {
            Self::Likelihood(session) => session.expect(families),
            Self::Bdeu(session) => session.expect(families),
            Self::K2(session) => session.expect(families),
            Self::QuotientNml(session) => session.expect(families),
        }
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        match self {
            Self::Likelihood(session) => session.local_score(child, parents),
            Self::Bdeu(session) => session.local_score(child, parents),
            Self::K2(session) => session.local_score(child, parents),
            Self::QuotientNml(session) => session.local_score(child, parents),
        }
    }

    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        match self {
            Self::Likelihood(session) => session.local_scores_with_each(child, parents, candidates, out),
            Self::Bdeu(session) => session.local_scores_with_each(child, parents, candidates, out),
            Self::K2(session) => session.local_scores_with_each(child, parents, candidates, out),
            Self::QuotientNml(session) => session.local_scores_with_each(child, parents, candidates, out),
        }
    }

    fn local_scores_with_each_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) -> f64 {
        match self {
            Self::Likelihood(session) => session.local_scores_with_each_above(child, parents, candidates, least, out),
            Self::Bdeu(session) => session.local_scores_with_each_above(child, parents, candidates, least, out),
            Self::K2(session) => session.local_scores_with_each_above(child, parents, candidates, least, out),
            Self::QuotientNml(session) => session.local_scores_with_each_above(child, parents, candidates, least, out),
        }
    }

    fn local_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        match self {
            Self::Likelihood(session) => session.local_scores_above(child, parents, candidates, least, out),
            Self::Bdeu(session) => session.local_scores_above(child, parents, candidates, least, out),
            Self::K2(session) => session.local_scores_above(child, parents, candidates, least, out),
            Self::QuotientNml(session) => session.local_scores_above(child, parents, candidates, least, out),
        }
    }
}
