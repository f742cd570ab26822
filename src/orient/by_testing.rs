//! V-structures by testing, for skeletons that come without separating sets (paper, equation "vs2", after Margaritis 2003).

use std::ops::ControlFlow;

use super::VStructure;
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, SetFamily, SetVisitor, TestSession};
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Phase, Run};
use crate::{Result, Variable};

/// Finds the v-structures x → z ← y among the unshielded triples x − z − y of a skeleton: those where x and y are dependent
/// given every set that contains z and lies in the neighbourhood of x or in that of y.
///
/// The paper tests the smaller neighbourhood only. That is not enough even with an oracle: in x → z → y, x → c → y,
/// c ← w → y no subset of the neighbours {z, c} of x separates x and y, but {z, c, w} around y does. So the smaller
/// neighbourhood comes first, and the other one decides what is left.
///
/// Sets have at most `max_conditioning_size` variables (`None`: no limit). All triples of a pair are decided together, so
/// that no set is tested twice, and a set that separates the pair decides against every middle variable in it. Tests
/// count under [`Phase::VStructures`]. `log_p_value` of a v-structure is the logarithm of one minus the largest p-value of
/// its tests: the higher, the stronger the evidence.
///
/// Forbidden pairs form no v-structure. Where tiers put z after x and y, z may separate nothing and no test is needed.
///
/// # Errors
///
/// [`crate::Error::Interrupted`] when the run is cancelled.
pub fn v_structures_by_testing<T: IndependenceTest>(
    graph: &UndirectedGraph,
    test: &T,
    log_alpha: f64,
    max_conditioning_size: Option<usize>,
    knowledge: &Knowledge,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Vec<VStructure>> {
    let mut triples: Vec<_> = graph.unshielded_triples().map(|(x, z, y)| (x, y, z)).collect();
    triples.retain(|&(x, y, _)| knowledge.allows_edge(x, y));
    triples.sort_unstable();
    let mut pairs: Vec<&[(Variable, Variable, Variable)]> = triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    // Pairs with the same large neighbourhood, which sessions share work in, one after the other.
    pairs.sort_by_key(|pair| ends(graph, pair[0].0, pair[0].1)[1]);
    run.progress().enter(Phase::VStructures, pairs.len() as u64);
    let found = ledger.timed(Phase::VStructures, |_| {
        run.try_map(
            pairs.len(),
            || test.session(),
            |session, i| {
                run.progress().advance(1);
                of_pair(graph, session, pairs[i], log_alpha, max_conditioning_size, knowledge, run)
            },
        )
    })?;
    let mut all = Vec::new();
    for (v_structures, calls) in found {
        all.extend(v_structures);
        ledger.add_calls(Phase::VStructures, calls);
    }
    all.sort_unstable_by_key(VStructure::index);
    Ok(all)
}

/// The v-structures of one pair, and the number of tests made.
fn of_pair(
    graph: &UndirectedGraph,
    session: &mut impl TestSession,
    triples: &[(Variable, Variable, Variable)],
    log_alpha: f64,
    max_conditioning_size: Option<usize>,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<(Vec<VStructure>, u64)> {
    let (x, y, _) = triples[0];
    let [first, second] = ends(graph, x, y);
    let mut open = Open {
        log_alpha,
        run,
        centres: triples.iter().map(|&(_, _, z)| (z, f64::NEG_INFINITY)).collect(),
        calls: 0,
        outcome: Ok(()),
    };
    let mut tested: Vec<Variable> = Vec::new();
    for (end, other) in [(first, second), (second, first)] {
        let pool: Vec<Variable> =
            graph.neighbours(end).iter().copied().filter(|&z| knowledge.may_separate(x, y, z)).collect();
        session.focus(&[&[end], graph.neighbours(end)].concat());
        for size in 1..=max_conditioning_size.unwrap_or(pool.len()).min(pool.len()) {
            let family = SetFamily { with: None, pool: &pool, size };
            if open.centres.is_empty() {
                break;
            }
            if !session.shares_family(end, other, &family) {
                session.test_family(
                    x,
                    y,
                    &family,
                    &mut WithCentre::<false> { family, tested: &tested, open: &mut open },
                );
            } else if let [(centre, _)] = open.centres[..]
                && pool.contains(&centre)
            {
                // The sets with the only middle variable are the sets of others with it, in the same order.
                let others: Vec<Variable> = pool.iter().copied().filter(|&z| z != centre).collect();
                let family = SetFamily { with: Some(centre), pool: &others, size: size - 1 };
                session.test_family(
                    end,
                    other,
                    &family,
                    &mut WithCentre::<true> { family, tested: &tested, open: &mut open },
                );
            } else {
                session.test_family(
                    end,
                    other,
                    &family,
                    &mut WithCentre::<false> { family, tested: &tested, open: &mut open },
                );
            }
            std::mem::replace(&mut open.outcome, Ok(()))?;
        }
        tested = pool;
    }
    let v_structure =
        |(centre, largest): (Variable, f64)| VStructure { x, centre, y, log_p_value: (-largest.exp()).ln_1p() };
    Ok((open.centres.into_iter().map(v_structure).collect(), open.calls))
}

/// The ends of a pair, the one with fewer neighbours first.
fn ends(graph: &UndirectedGraph, x: Variable, y: Variable) -> [Variable; 2] {
    if graph.neighbours(y).len() < graph.neighbours(x).len() { [y, x] } else { [x, y] }
}

/// The middle variables that no set has decided against.
struct Open<'a> {
    log_alpha: f64,
    run: &'a Run,
    /// Each with the largest p-value of the tests with it.
    centres: Vec<(Variable, f64)>,
    calls: u64,
    outcome: Result<()>,
}

impl Open<'_> {
    fn take(&mut self, family: &SetFamily<'_>, positions: &[usize], log_p_value: f64) -> ControlFlow<()> {
        // Tests between two looks at whether the run was cancelled.
        const BETWEEN_CHECKS: u64 = 1024;
        self.calls += 1;
        if self.calls.is_multiple_of(BETWEEN_CHECKS) {
            self.outcome = self.run.check();
        }
        let is_in_set = |z: Variable| family.with == Some(z) || positions.iter().any(|&at| family.pool[at] == z);
        if log_p_value > self.log_alpha {
            self.centres.retain(|&(z, _)| !is_in_set(z));
        } else {
            for (_, largest) in self.centres.iter_mut().filter(|&&mut (z, _)| is_in_set(z)) {
                *largest = largest.max(log_p_value);
            }
        }
        let ends = self.centres.is_empty() || self.outcome.is_err();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether the set at these positions lies in the sorted list of variables whose subsets were tested.
fn was_tested(family: &SetFamily<'_>, positions: &[usize], tested: &[Variable]) -> bool {
    !tested.is_empty()
        && family.with.iter().all(|z| tested.binary_search(z).is_ok())
        && positions.iter().all(|&at| tested.binary_search(&family.pool[at]).is_ok())
}

/// The tests of sets that have an open middle variable: any of the pool, or (`ONLY`) the only one, which is in all sets.
struct WithCentre<'a, 'o, const ONLY: bool> {
    family: SetFamily<'a>,
    tested: &'a [Variable],
    open: &'a mut Open<'o>,
}

impl<const ONLY: bool> SetVisitor for WithCentre<'_, '_, ONLY> {
    const LARGEST_ONLY: bool = ONLY;

    fn wants(&mut self, positions: &[usize]) -> bool {
        let is_open = |&at: &usize| self.open.centres.iter().any(|&(z, _)| z == self.family.pool[at]);
        (ONLY || positions.iter().any(is_open)) && !was_tested(&self.family, positions, self.tested)
    }

    fn visit(&mut self, positions: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.open.take(&self.family, positions, log_p_value)
    }
}
