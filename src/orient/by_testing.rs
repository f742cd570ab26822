//! V-structures by testing, for skeletons that come without separating sets (paper, equation "vs2", after Margaritis 2003).

use super::VStructure;
use crate::graph::UndirectedGraph;
use crate::independence::subsets::Subsets;
use crate::independence::{IndependenceTest, TestSession};
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
    let pairs: Vec<&[(Variable, Variable, Variable)]> = triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    run.progress().enter(Phase::VStructures, pairs.len() as u64);
    let found = ledger.timed(Phase::VStructures, |_| {
        run.map(
            pairs.len(),
            || test.session(),
            |session, i| {
                run.progress().advance(1);
                of_pair(graph, session, pairs[i], log_alpha, max_conditioning_size, knowledge)
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
) -> (Vec<VStructure>, u64) {
    let (x, y, _) = triples[0];
    let ends = if graph.neighbours(y).len() < graph.neighbours(x).len() { [y, x] } else { [x, y] };
    // The largest p-value of the tests with each middle variable, until one separates.
    let mut open: Vec<(Variable, f64)> = triples.iter().map(|&(_, _, z)| (z, f64::NEG_INFINITY)).collect();
    let (mut subsets, mut given, mut calls) = (Subsets::default(), Vec::new(), 0);
    let mut tested: Vec<Variable> = Vec::new();
    for end in ends {
        let pool: Vec<Variable> =
            graph.neighbours(end).iter().copied().filter(|&z| knowledge.may_separate(x, y, z)).collect();
        session.focus(&[&[end], graph.neighbours(end)].concat());
        for size in 1..=max_conditioning_size.unwrap_or(pool.len()).min(pool.len()) {
            let mut more = !open.is_empty() && subsets.start(pool.len(), size);
            while more {
                given.clear();
                given.extend(subsets.positions().iter().map(|&at| pool[at]));
                let new = open.iter().any(|(z, _)| given.contains(z))
                    && (tested.is_empty() || !given.iter().all(|z| tested.binary_search(z).is_ok()));
                if new {
                    let result = session.test(x, y, &given);
                    calls += 1;
                    if result.is_independent(log_alpha) {
                        open.retain(|(z, _)| !given.contains(z));
                    } else {
                        for (_, largest) in open.iter_mut().filter(|(z, _)| given.contains(z)) {
                            *largest = largest.max(result.log_p_value);
                        }
                    }
                }
                more = !open.is_empty() && subsets.advance();
            }
        }
        tested = pool;
    }
    let v_structure =
        |(centre, largest): (Variable, f64)| VStructure { x, centre, y, log_p_value: (-largest.exp()).ln_1p() };
    (open.into_iter().map(v_structure).collect(), calls)
}
