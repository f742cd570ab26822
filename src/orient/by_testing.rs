//! V-structures by testing, for skeletons that come without separating sets (paper, equation "vs2", after Margaritis 2003).

use std::ops::ControlFlow;

use super::collider_rule::Triple;
use super::detect::unshielded_by_ends;
use super::{Colliders, VStructure};
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, SubsetVisitor, Subsets, TestSession, Tested};
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
/// A triple for whose tests the time does not last is undecided.
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
) -> Result<Colliders> {
    let mut triples = unshielded_by_ends(graph, run)?;
    triples.retain(|&(x, y, _)| knowledge.allows_edge(x, y));
    let pairs = by_neighbourhood(&triples, graph);
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
    let mut colliders = Colliders::default();
    for (pair, open) in pairs.into_iter().zip(found) {
        ledger.add_calls(Phase::VStructures, open.calls);
        let (x, y, _) = pair[0];
        for (centre, largest) in open.centres {
            if open.complete {
                colliders.v_structures.push(VStructure { x, centre, y, log_p_value: (-largest.exp()).ln_1p() });
            } else {
                colliders.undecided.push((x, centre, y));
            }
        }
    }
    colliders.sort();
    Ok(colliders)
}

/// The triples of each pair; pairs with the same large neighbourhood, which sessions share work in, one after the other.
fn by_neighbourhood<'a>(triples: &'a [Triple], graph: &UndirectedGraph) -> Vec<&'a [Triple]> {
    let mut pairs: Vec<_> = triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    pairs.sort_by_key(|pair| ends(graph, pair[0].0, pair[0].1)[1]);
    pairs
}

/// The middle variables of one pair that no set decides against.
fn of_pair(
    graph: &UndirectedGraph,
    session: &mut impl TestSession,
    triples: &[(Variable, Variable, Variable)],
    log_alpha: f64,
    max_conditioning_size: Option<usize>,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<Open> {
    let (x, y, _) = triples[0];
    let [first, second] = ends(graph, x, y);
    let mut open = Open {
        log_alpha,
        centres: triples.iter().map(|&(_, _, z)| (z, f64::NEG_INFINITY)).collect(),
        calls: 0,
        complete: false,
    };
    let mut tested: Vec<Variable> = Vec::new();
    for (end, other) in [(first, second), (second, first)] {
        let pool: Vec<Variable> =
            graph.neighbours(end).iter().copied().filter(|&z| knowledge.may_separate(x, y, z)).collect();
        session.next_neighbourhood();
        for size in 1..=max_conditioning_size.unwrap_or(pool.len()).min(pool.len()) {
            let others: Vec<Variable>;
            let subsets = match open.centres[..] {
                [] => break,
                // The sets with the only middle variable are the sets of others with it, in the same order.
                [(centre, _)] if pool.binary_search(&centre).is_ok() => {
                    others = pool.iter().copied().filter(|&z| z != centre).collect();
                    Subsets { pool: &others, size: size - 1, with: Some(centre) }
                }
                _ => Subsets::new(&pool, size),
            };
            let mut visitor = WithCentre { subsets, tested: &tested, open: &mut open };
            if session.test_subsets(end, other, &subsets, run, &mut visitor)? == Tested::OutOfTime {
                return Ok(open);
            }
        }
        tested = pool;
    }
    open.complete = true;
    Ok(open)
}

/// The ends of a pair, the one with fewer neighbours first.
fn ends(graph: &UndirectedGraph, x: Variable, y: Variable) -> [Variable; 2] {
    if graph.neighbours(y).len() < graph.neighbours(x).len() { [y, x] } else { [x, y] }
}

/// The middle variables that no set has decided against.
struct Open {
    log_alpha: f64,
    /// Each with the largest p-value of the tests with it.
    centres: Vec<(Variable, f64)>,
    calls: u64,
    /// Whether all sets were tested.
    complete: bool,
}

/// The tests of sets that have an open middle variable.
struct WithCentre<'a> {
    subsets: Subsets<'a>,
    /// The sorted variables whose subsets were tested.
    tested: &'a [Variable],
    open: &'a mut Open,
}

impl WithCentre<'_> {
    /// Whether all of the set at these positions satisfy a condition.
    fn all(&self, at: &[usize], condition: impl Fn(Variable) -> bool) -> bool {
        self.subsets.with.iter().all(|&z| condition(z)) && at.iter().all(|&at| condition(self.subsets.pool[at]))
    }
}

impl SubsetVisitor for WithCentre<'_> {
    fn shares_tables(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        self.open.centres.iter().map(|&(_, largest)| largest).fold(self.open.log_alpha, f64::min)
    }

    fn wants(&mut self, at: &[usize]) -> bool {
        let is_closed = |z: Variable| self.open.centres.iter().all(|&(centre, _)| centre != z);
        !self.all(at, is_closed) && (self.tested.is_empty() || !self.all(at, |z| self.tested.binary_search(&z).is_ok()))
    }

    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        let &mut Self { subsets: Subsets { pool, with, .. }, ref mut open, .. } = self;
        open.calls += 1;
        let is_in_set = |z: Variable| with == Some(z) || at.iter().any(|&at| pool[at] == z);
        if log_p_value > open.log_alpha {
            open.centres.retain(|&(z, _)| !is_in_set(z));
        } else {
            for (_, largest) in open.centres.iter_mut().filter(|&&mut (z, _)| is_in_set(z)) {
                *largest = largest.max(log_p_value);
            }
        }
        if open.centres.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
