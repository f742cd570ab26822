//! From Markov blankets to neighbours, and from neighbours to Markov blankets.

use super::marginals::Marginals;
use super::searches::{Searches, raise};
use super::target::{Finding, Target};
use super::{LocalLearner, LocalOptions};
use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Scope;
use crate::run::{Ledger, Phase, Run};
use crate::{Error, Result, Variable};

/// Whether the target and y, members of each other's blanket, are neighbours: no subset of the smaller of the two blankets
/// separates them (as many members: that of the lower variable).
fn are_neighbours<S: TestSession>(
    target: &mut Target<'_, S>,
    y: Variable,
    own: &[Variable],
    of_other: &[Variable],
) -> bool {
    let x = target.variable();
    let (low, high, of_low, of_high) = if x < y { (x, y, own, of_other) } else { (y, x, of_other, own) };
    if target.requires(low, high) {
        return true;
    }
    let smaller = if of_high.len() < of_low.len() { of_high } else { of_low };
    let pool: Vec<Variable> = smaller.iter().copied().filter(|&z| z != low && z != high).collect();
    !target.marginally_independent(x, y) && !target.separated(low, high, &pool, None, 1) && !target.interrupted()
}

/// Leaves of the blankets that searches found the neighbours, after the symmetry correction of the blankets.
pub(super) fn neighbours_of_all<T: IndependenceTest>(
    mut searches: Vec<(Vec<Finding>, u64)>,
    test: &T,
    marginals: &Marginals,
    options: &LocalOptions,
    scope: Scope<'_>,
    run: &Run,
) -> Result<Vec<(Vec<Finding>, u64)>> {
    let has = |x: Variable, y: Variable| {
        let (findings, _) = &searches[x as usize];
        findings.binary_search_by_key(&y, |f| f.other).is_ok_and(|at| findings[at].is_neighbour)
    };
    let blanket = |x: usize| -> Vec<Variable> {
        let members = searches[x].0.iter().filter(|f| f.is_neighbour).map(|f| f.other);
        members.filter(|&y| has(y, x as Variable)).collect()
    };
    let p = searches.len();
    let blankets: Vec<Vec<Variable>> = (0..p).map(blanket).collect();
    let tested = run.try_map(
        p,
        || test.session(),
        |session, i| {
            let x = i as Variable;
            let mut target = Target::new(session, x, p, marginals, options, scope, run);
            let mut neighbours = Vec::new();
            for &y in blankets[i].iter().filter(|&&y| y > x) {
                target.move_on();
                if are_neighbours(&mut target, y, &blankets[i], &blankets[y as usize]) {
                    neighbours.push(y);
                }
            }
            Ok((neighbours.clone(), target.into_findings(neighbours)))
        },
    )?;
    run.check()?;
    for (findings, _) in &mut searches {
        findings.iter_mut().for_each(|finding| finding.is_neighbour = false);
    }
    for (x, (neighbours, (raised, tests))) in tested.into_iter().enumerate() {
        raise(&mut searches[x].0, raised);
        searches[x].1 += tests;
        for y in neighbours {
            for (end, other) in [(x, y), (y as usize, x as Variable)] {
                let findings = &mut searches[end].0;
                let at = findings.binary_search_by_key(&other, |f| f.other).expect("members have findings");
                findings[at].is_neighbour = true;
            }
        }
    }
    Ok(searches)
}

/// The same around one variable: its neighbours, by increasing index.
pub(super) fn neighbours_of_one<T: IndependenceTest>(
    searches: &mut Searches<'_, T>,
    x: Variable,
) -> Result<Vec<Variable>> {
    let own = searches.agreed(x)?;
    let mut blankets = Vec::with_capacity(own.len());
    for &y in &own {
        blankets.push(searches.agreed(y)?);
    }
    let &mut Searches { test, options, scope, run, .. } = searches;
    let p = test.n_variables();
    let mut session = test.session();
    let marginals = Marginals::of_one(&mut session, x, p, options.alpha.log(), scope, run)?;
    let mut target = Target::new(&mut session, x, p, &marginals, options, scope, run);
    let mut neighbours = own.clone();
    let mut blankets = blankets.iter();
    neighbours.retain(|&y| are_neighbours(&mut target, y, &own, blankets.next().expect("one blanket for each member")));
    run.check()?;
    let raised = target.into_findings(neighbours.clone());
    searches.raise(x, raised);
    Ok(neighbours)
}

/// Learns the Markov blanket of one variable, by increasing index: given it, the variable is independent of all others. In a
/// DAG it is the parents, the children and the other parents of the children (spouses).
///
/// Learners of blankets (Grow-Shrink and the IAMB family) give the members that found the target in their own blankets. With
/// learners of neighbours they are the neighbours, and those neighbours of neighbours that become dependent on the target
/// when the neighbour between them joins what separated them (as in MMMB: Tsamardinos, Aliferis and Statnikov, *Time and
/// sample efficient discovery of Markov blankets and direct causal relations*, 2003). Tests count under [`Phase::Within`].
///
/// # Errors
///
/// [`Error::Parameter`] when the target does not exist; [`Error::Interrupted`] when the run is cancelled.
///
/// # Examples
///
/// ```
/// use phgs::{graph::Dag, independence::DSeparationOracle, knowledge::Knowledge, run::{Ledger, Run}};
/// use phgs::skeleton::local::{LocalLearner, LocalOptions, markov_blanket};
/// // 0 → 1 ← 2: the spouse 2 of 0 is in its blanket; 3 is not.
/// let dag = Dag::from_arcs(4, [(0, 1), (2, 1), (2, 3)])?;
/// let (test, mut ledger) = (DSeparationOracle::new(&dag), Ledger::new());
/// for learner in LocalLearner::ALL {
///     let options = LocalOptions::new(learner, Default::default());
///     let found = markov_blanket(learner, &test, 0, &options, &Knowledge::none(), &Run::new(1)?, &mut ledger)?;
///     assert_eq!(found, [1, 2]);
/// }
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn markov_blanket<'k, T: IndependenceTest>(
    learner: LocalLearner,
    test: &T,
    target: Variable,
    options: &LocalOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Vec<Variable>> {
    let scope = scope.into();
    let p = test.n_variables();
    if target as usize >= p {
        return Err(Error::parameter("target", format!("there is no variable {target}; the data have {p}")));
    }
    ledger.timed(Phase::Within, |ledger| {
        let mut searches = Searches::new(learner, true, test, options, scope, run);
        let mut blanket = searches.agreed(target)?;
        if !learner.joins_blankets() && learner != LocalLearner::FastIamb {
            let (spouses, tests) = spouses(&mut searches, target, &blanket)?;
            ledger.add_calls(Phase::Within, tests);
            blanket.extend(spouses);
            blanket.sort_unstable();
        }
        ledger.add_calls(Phase::Within, searches.tests());
        Ok(blanket)
    })
}

/// The spouses of x through its neighbours, and the number of tests made.
fn spouses<T: IndependenceTest>(
    searches: &mut Searches<'_, T>,
    x: Variable,
    neighbours: &[Variable],
) -> Result<(Vec<Variable>, u64)> {
    let mut session = searches.test.session();
    let (mut spouses, mut tests) = (Vec::new(), 0);
    for &through in neighbours {
        for z in searches.agreed(through)? {
            if z == x || neighbours.contains(&z) || spouses.contains(&z) {
                continue;
            }
            searches.make(&[z])?;
            // Without a finding their marginal test separated them, or knowledge forbids them to be neighbours.
            let mut given: Vec<Variable> = match searches.stronger(x, z) {
                Some(found) if found.max_log_p_value <= searches.options.alpha.log() => continue,
                Some(found) => found.set.to_vec(),
                None => Vec::new(),
            };
            if given.contains(&through) {
                continue;
            }
            given.push(through);
            searches.run.check()?;
            tests += 1;
            if !session.test(x, z, &given).is_independent(searches.options.alpha.log()) {
                spouses.push(z);
            }
        }
    }
    Ok((spouses, tests))
}
