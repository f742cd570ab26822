//! Order-free decisions which unshielded triples are v-structures: conservative, majority and max-p rules.

use super::VStructure;
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Phase, Run};
use crate::subsets::Subsets;
use crate::{Result, Variable};

/// How [`decide_colliders`] decides from the sets that separate the ends of an unshielded triple, or do not.
///
/// The published PC algorithm, and the default everywhere in this package, uses none of them but the one separating set
/// that the skeleton learner met ([`v_structures_from_separations`](super::v_structures_from_separations)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColliderRule {
    /// A v-structure when the centre is in no separating set, none when it is in all, else undecided (Ramsey, Zhang and
    /// Spirtes 2006).
    Conservative,
    /// A v-structure when the centre is in less than half of the separating sets, none when in more, undecided when in
    /// exactly half (Colombo and Maathuis 2014).
    Majority,
    /// A v-structure when the centre is not in the set with the largest p-value (Ramsey 2016); never undecided.
    MaxP,
}

/// What is known of the unshielded triples of a skeleton.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Colliders {
    /// The v-structures, by increasing centre, then ends; `log_p_value` is that of the set that separates best.
    pub v_structures: Vec<VStructure>,
    /// The triples (x, z, y) with centre z that may be v-structures or not, in the same order. See
    /// [`Undecided`](super::Undecided).
    pub undecided: Vec<Triple>,
}

/// An unshielded triple (x, z, y) with centre z.
pub type Triple = (Variable, Variable, Variable);

/// Decides for each unshielded triple x − z − y of a skeleton whether it is a v-structure, from tests of x and y given
/// every subset, of at most `max_conditioning_size` variables, of the neighbours of x and of those of y.
///
/// A triple whose ends no such set separates is undecided, except under [`ColliderRule::MaxP`]. So is one whose ends
/// background knowledge forbids to be adjacent: they are not tested. Tests count under [`Phase::VStructures`]; all
/// triples with the same ends share them. The result depends neither on the order of the variables nor on how the
/// skeleton was found.
///
/// # Errors
///
/// [`crate::Error::Interrupted`] when the run is cancelled.
pub fn decide_colliders<T: IndependenceTest>(
    graph: &UndirectedGraph,
    test: &T,
    rule: ColliderRule,
    log_alpha: f64,
    max_conditioning_size: Option<usize>,
    knowledge: &Knowledge,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Colliders> {
    let mut triples: Vec<_> = graph.unshielded_triples().map(|(x, z, y)| (x, y, z)).collect();
    triples.sort_unstable();
    let pairs: Vec<_> = triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    run.progress().enter(Phase::VStructures, pairs.len() as u64);
    let decided = ledger.timed(Phase::VStructures, |_| {
        run.map(
            pairs.len(),
            || test.session(),
            |session, i| {
                run.progress().advance(1);
                let centres: Vec<Variable> = pairs[i].iter().map(|triple| triple.2).collect();
                let (x, y, _) = pairs[i][0];
                let mut votes = Votes::new(&centres);
                if knowledge.allows_edge(x, y) {
                    votes.collect(graph, session, (x, y), log_alpha, max_conditioning_size, knowledge);
                }
                votes
            },
        )
    })?;
    let mut colliders = Colliders::default();
    for (pair, votes) in pairs.into_iter().zip(decided) {
        ledger.add_calls(Phase::VStructures, votes.calls);
        for (&(x, y, centre), &with) in pair.iter().zip(&votes.with_centre) {
            match votes.decide(rule, centre, with) {
                Some(true) => colliders.v_structures.push(VStructure { x, centre, y, log_p_value: votes.best_log_p }),
                Some(false) => {}
                None => colliders.undecided.push((x, centre, y)),
            }
        }
    }
    colliders.v_structures.sort_unstable_by_key(VStructure::index);
    colliders.undecided.sort_unstable_by_key(|&(x, z, y)| (z, x, y));
    Ok(colliders)
}

/// What the tests of one pair say.
struct Votes {
    centres: Vec<Variable>,
    calls: u64,
    /// Number of separating sets, and of those that have each centre.
    separating: u64,
    with_centre: Vec<u64>,
    /// The largest p-value and the set that gave it; the first of equals, smaller sets first.
    best_log_p: f64,
    best: Vec<Variable>,
}

impl Votes {
    fn new(centres: &[Variable]) -> Self {
        Self {
            centres: centres.to_vec(),
            calls: 0,
            separating: 0,
            with_centre: vec![0; centres.len()],
            best_log_p: f64::NEG_INFINITY,
            best: Vec::new(),
        }
    }

    fn collect(
        &mut self,
        graph: &UndirectedGraph,
        session: &mut impl TestSession,
        (x, y): (Variable, Variable),
        log_alpha: f64,
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
    ) {
        let pool = |end: Variable| -> Vec<Variable> {
            graph.neighbours(end).iter().copied().filter(|&z| knowledge.may_separate(x, y, z)).collect()
        };
        let pools = [(x, pool(x)), (y, pool(y))];
        let largest = pools.iter().map(|(_, pool)| pool.len()).max().unwrap_or(0);
        let (mut subsets, mut given) = (Subsets::default(), Vec::new());
        for size in 0..=max_conditioning_size.unwrap_or(largest).min(largest) {
            for (i, (end, pool)) in pools.iter().enumerate() {
                session.focus(&[&[*end], graph.neighbours(*end)].concat());
                let mut more = size <= pool.len() && subsets.start(pool.len(), size);
                while more {
                    given.clear();
                    given.extend(subsets.positions().iter().map(|&at| pool[at]));
                    // What lies in the neighbourhood of x too has been tested.
                    if i == 0 || !given.iter().all(|z| pools[0].1.binary_search(z).is_ok()) {
                        self.add(session.test(x, y, &given).log_p_value, &given, log_alpha);
                    }
                    more = subsets.advance();
                }
            }
        }
    }

    fn add(&mut self, log_p_value: f64, given: &[Variable], log_alpha: f64) {
        self.calls += 1;
        if log_p_value > self.best_log_p {
            self.best_log_p = log_p_value;
            self.best = given.to_vec();
        }
        if log_p_value > log_alpha {
            self.separating += 1;
            for (count, centre) in self.with_centre.iter_mut().zip(&self.centres) {
                *count += u64::from(given.contains(centre));
            }
        }
    }

    /// Whether the triple with this centre is a v-structure; `None` when undecided.
    fn decide(&self, rule: ColliderRule, centre: Variable, with: u64) -> Option<bool> {
        if self.calls == 0 {
            return None;
        }
        match rule {
            ColliderRule::MaxP => Some(!self.best.contains(&centre)),
            _ if self.separating == 0 => None,
            ColliderRule::Conservative if with == 0 => Some(true),
            ColliderRule::Conservative if with == self.separating => Some(false),
            ColliderRule::Conservative => None,
            ColliderRule::Majority => match (2 * with).cmp(&self.separating) {
                std::cmp::Ordering::Less => Some(true),
                std::cmp::Ordering::Greater => Some(false),
                std::cmp::Ordering::Equal => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn votes(separating: u64, with: u64) -> Votes {
        Votes { calls: separating + 1, separating, with_centre: vec![with], best: vec![7], ..Votes::new(&[7]) }
    }

    #[test]
    fn rules_count_separating_sets() {
        use ColliderRule::{Conservative, Majority, MaxP};
        for (separating, with, conservative, majority) in [
            (4, 0, Some(true), Some(true)),
            (4, 1, None, Some(true)),
            (4, 2, None, None),
            (4, 3, None, Some(false)),
            (4, 4, Some(false), Some(false)),
            (0, 0, None, None),
        ] {
            let votes = votes(separating, with);
            assert_eq!(votes.decide(Conservative, 7, with), conservative);
            assert_eq!(votes.decide(Majority, 7, with), majority);
            assert_eq!(votes.decide(MaxP, 7, with), Some(false));
            assert_eq!(votes.decide(MaxP, 8, with), Some(true));
        }
        assert_eq!(Votes::new(&[1]).decide(MaxP, 1, 0), None, "without tests nothing is decided");
    }
}
