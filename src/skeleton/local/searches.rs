//! The searches around single variables.

use rustc_hash::FxHashMap;

use super::marginals::Marginals;
use super::target::{Finding, Target};
use super::{LocalLearner, LocalOptions};
use super::{fast_iamb, get_pc, grow_shrink, hiton_pc, hpc, iamb, iamb_fdr, mmpc, si_hiton_pc};
use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Scope;
use crate::run::Run;
use crate::{Result, Variable};

/// The search around one variable: its findings by increasing index, and the number of tests. What is found is the variable's
/// neighbours; the Markov blanket with learners that join blankets, and with Fast-IAMB where the blanket is asked for.
pub(super) fn search<S: TestSession>(
    learner: LocalLearner,
    for_blanket: bool,
    session: &mut S,
    x: Variable,
    n_variables: usize,
    marginals: &Marginals,
    options: &LocalOptions,
    scope: Scope<'_>,
    run: &Run,
) -> Result<(Vec<Finding>, u64)> {
    let mut target = Target::new(session, x, n_variables, marginals, options, scope, run);
    if run.out_of_time() {
        // As of an interrupted search, for which each of thousands of variables would get ready.
        let required = target.required();
        return Ok(target.into_findings(required));
    }
    let found = match learner {
        LocalLearner::Mmpc => mmpc::neighbours(&mut target),
        LocalLearner::SiHitonPc => si_hiton_pc::neighbours(&mut target),
        LocalLearner::HitonPc => hiton_pc::neighbours(&mut target),
        LocalLearner::GetPc => get_pc::neighbours(&mut target),
        LocalLearner::Hpc => hpc::neighbours(&mut target),
        LocalLearner::FastIamb if for_blanket => fast_iamb::blanket(&mut target),
        LocalLearner::FastIamb => fast_iamb::neighbours(&mut target),
        LocalLearner::GrowShrink => grow_shrink::blanket(&mut target),
        LocalLearner::Iamb => iamb::iamb(&mut target),
        LocalLearner::InterIamb => iamb::inter_iamb(&mut target),
        LocalLearner::IambFdr => iamb_fdr::blanket(&mut target),
    };
    run.check()?;
    // An interrupted search found nothing of worth.
    let found = if target.interrupted() { target.required() } else { found };
    Ok(target.into_findings(found))
}

/// The searches around some of the variables, each made when it is first asked for.
pub(super) struct Searches<'a, T> {
    learner: LocalLearner,
    for_blanket: bool,
    pub(super) test: &'a T,
    pub(super) options: &'a LocalOptions,
    pub(super) scope: Scope<'a>,
    pub(super) run: &'a Run,
    found: FxHashMap<Variable, (Vec<Finding>, u64)>,
}

impl<'a, T: IndependenceTest> Searches<'a, T> {
    pub(super) fn new(
        learner: LocalLearner,
        for_blanket: bool,
        test: &'a T,
        options: &'a LocalOptions,
        scope: Scope<'a>,
        run: &'a Run,
    ) -> Self {
        Self { learner, for_blanket, test, options, scope, run, found: FxHashMap::default() }
    }

    /// Makes those searches that are not made, in parallel.
    pub(super) fn make(&mut self, variables: &[Variable]) -> Result<()> {
        let missing: Vec<Variable> = variables.iter().copied().filter(|x| !self.found.contains_key(x)).collect();
        let &mut Self { learner, for_blanket, test, options, scope, run, .. } = self;
        let p = test.n_variables();
        let found = run.try_map(
            missing.len(),
            || test.session(),
            |session, i| {
                let x = missing[i];
                let marginals = Marginals::of_one(session, x, p, options.alpha.log(), scope, run)?;
                let (found, tests) = search(learner, for_blanket, session, x, p, &marginals, options, scope, run)?;
                Ok((found, tests + marginals.tests()))
            },
        )?;
        self.found.extend(missing.into_iter().zip(found));
        Ok(())
    }

    /// What the search around x found, by increasing index; it must have been made.
    fn members(&self, x: Variable) -> Vec<Variable> {
        self.found[&x].0.iter().filter(|finding| finding.is_neighbour).map(|finding| finding.other).collect()
    }

    /// The variables that x found and that found x, by increasing index.
    pub(super) fn agreed(&mut self, x: Variable) -> Result<Vec<Variable>> {
        self.make(&[x])?;
        let mut members = self.members(x);
        self.make(&members)?;
        members.retain(|&y| self.finding(y, x).is_some_and(|finding| finding.is_neighbour));
        Ok(members)
    }

    fn finding(&self, x: Variable, y: Variable) -> Option<&Finding> {
        let (findings, _) = self.found.get(&x)?;
        findings.binary_search_by_key(&y, |finding| finding.other).ok().map(|at| &findings[at])
    }

    /// What the searches around x and y say of the pair: the one with the larger p-value.
    pub(super) fn stronger(&self, x: Variable, y: Variable) -> Option<&Finding> {
        match (self.finding(x, y), self.finding(y, x)) {
            (Some(own), Some(back)) => Some(if back.max_log_p_value > own.max_log_p_value { back } else { own }),
            (own, back) => own.or(back),
        }
    }

    /// Replaces what the search around x says of others where there are larger p-values, and counts tests.
    pub(super) fn raise(&mut self, x: Variable, (raised, tests): (Vec<Finding>, u64)) {
        let (findings, all_tests) = self.found.get_mut(&x).expect("the search is made");
        *all_tests += tests;
        raise(findings, raised);
    }

    /// Tests of all searches, the marginal ones included.
    pub(super) fn tests(&self) -> u64 {
        self.found.values().map(|(_, tests)| tests).sum()
    }
}

/// Replaces findings where there are larger p-values of the same pairs.
pub(super) fn raise(findings: &mut [Finding], raised: Vec<Finding>) {
    for new in raised {
        if let Ok(at) = findings.binary_search_by_key(&new.other, |finding| finding.other)
            && new.max_log_p_value > findings[at].max_log_p_value
        {
            findings[at].max_log_p_value = new.max_log_p_value;
            findings[at].set = new.set;
        }
    }
}
