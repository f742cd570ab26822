//! Order-free decisions which unshielded triples are v-structures: conservative, majority and max-p rules.

use std::ops::ControlFlow;

use super::VStructure;
use super::detect::unshielded_by_ends;
use crate::graph::UndirectedGraph;
use crate::independence::{IndependenceTest, SubsetVisitor, Subsets, TestSession, Tested};
use crate::knowledge::Knowledge;
use crate::run::{Ledger, Phase, Run};
use crate::{Result, Variable, VariableSet};

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

impl Colliders {
    pub(super) fn sort(&mut self) {
        self.v_structures.sort_unstable_by_key(VStructure::index);
        self.undecided.sort_unstable_by_key(|&(x, z, y)| (z, x, y));
    }
}

/// An unshielded triple (x, z, y) with centre z.
pub type Triple = (Variable, Variable, Variable);

/// Decides for each unshielded triple x − z − y of a skeleton whether it is a v-structure, from tests of x and y given
/// every subset, of at most `max_conditioning_size` variables, of the neighbours of x and of those of y.
///
/// A triple whose ends no such set separates is undecided, except under [`ColliderRule::MaxP`]. So is one whose ends
/// background knowledge forbids to be adjacent: they are not tested; and so are, under every rule, those for whose tests the time does not last. Tests count under [`Phase::VStructures`]; all
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
    let triples = unshielded_by_ends(graph, run)?;
    let pairs: Vec<_> = triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    run.progress().enter(Phase::VStructures, pairs.len() as u64);
    let decided = ledger.timed(Phase::VStructures, |_| {
        run.try_map(
            pairs.len(),
            || test.session(),
            |session, i| {
                run.progress().advance(1);
                let centres: Vec<Variable> = pairs[i].iter().map(|triple| triple.2).collect();
                let (x, y, _) = pairs[i][0];
                let mut votes = Votes::new(&centres, rule, log_alpha);
                if knowledge.allows_edge(x, y) {
                    votes.collect(graph, session, (x, y), max_conditioning_size, knowledge, run)?;
                }
                Ok(votes)
            },
        )
    })?;
    let mut colliders = Colliders::default();
    for (pair, votes) in pairs.into_iter().zip(decided) {
        ledger.add_calls(Phase::VStructures, votes.calls);
        for (&(x, y, centre), &with) in pair.iter().zip(&votes.with_centre) {
            match votes.decide(centre, with) {
                Some(true) => colliders.v_structures.push(VStructure { x, centre, y, log_p_value: votes.best_log_p }),
                Some(false) => {}
                None => colliders.undecided.push((x, centre, y)),
            }
        }
    }
    colliders.sort();
    Ok(colliders)
}

/// What the tests of one pair say.
struct Votes {
    centres: Vec<Variable>,
    rule: ColliderRule,
    log_alpha: f64,
    calls: u64,
    /// Number of separating sets, and of those that have each centre.
    separating: u64,
    with_centre: Vec<u64>,
    /// The largest p-value and the set that gave it; the first of equals, smaller sets first.
    best_log_p: f64,
    best: VariableSet,
    /// Whether all sets were tested.
    complete: bool,
}

impl Votes {
    fn new(centres: &[Variable], rule: ColliderRule, log_alpha: f64) -> Self {
        Self {
            centres: centres.to_vec(),
            rule,
            log_alpha,
            calls: 0,
            separating: 0,
            with_centre: vec![0; centres.len()],
            best_log_p: f64::NEG_INFINITY,
            best: VariableSet::new(),
            complete: false,
        }
    }

    fn collect(
        &mut self,
        graph: &UndirectedGraph,
        session: &mut impl TestSession,
        (x, y): (Variable, Variable),
        max_conditioning_size: Option<usize>,
        knowledge: &Knowledge,
        run: &Run,
    ) -> Result<()> {
        let pool = |end: Variable| -> Vec<Variable> {
            graph.neighbours(end).iter().copied().filter(|&z| knowledge.may_separate(x, y, z)).collect()
        };
        let [of_x, of_y] = [pool(x), pool(y)];
        let is_of_x: Vec<bool> = of_y.iter().map(|z| of_x.binary_search(z).is_ok()).collect();
        let largest = of_x.len().max(of_y.len());
        for size in 0..=max_conditioning_size.unwrap_or(largest).min(largest) {
            for (end, other, pool, tested) in [(x, y, &of_x, None), (y, x, &of_y, Some(&is_of_x[..]))] {
                session.next_neighbourhood();
                let subsets = Subsets::new(pool, size);
                let mut ballot = Ballot { subsets, tested, votes: self };
                if session.test_subsets(end, other, &subsets, run, &mut ballot)? == Tested::OutOfTime {
                    return Ok(());
                }
            }
        }
        self.complete = true;
        Ok(())
    }

    /// Whether the triple with this centre is a v-structure; `None` when undecided.
    fn decide(&self, centre: Variable, with: u64) -> Option<bool> {
        if !self.complete {
            return None;
        }
        match self.rule {
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

/// The tests given subsets of the neighbours of one end.
struct Ballot<'a> {
    subsets: Subsets<'a>,
    /// Which of the pool are neighbours of the other end too, whose subsets have been tested.
    tested: Option<&'a [bool]>,
    votes: &'a mut Votes,
}

impl SubsetVisitor for Ballot<'_> {
    fn shares_tables(&self) -> bool {
        true
    }

    fn floor(&self) -> f64 {
        match self.votes.rule {
            ColliderRule::MaxP => self.votes.best_log_p,
            // Every set that separates counts.
            ColliderRule::Conservative | ColliderRule::Majority => self.votes.best_log_p.min(self.votes.log_alpha),
        }
    }

    fn wants(&mut self, at: &[usize]) -> bool {
        self.tested.is_none_or(|tested| !at.iter().all(|&at| tested[at]))
    }

    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        let votes = &mut *self.votes;
        votes.calls += 1;
        if log_p_value > votes.best_log_p {
            votes.best_log_p = log_p_value;
            votes.best = self.subsets.set(at);
        }
        if log_p_value > votes.log_alpha {
            votes.separating += 1;
            for (count, &centre) in votes.with_centre.iter_mut().zip(&votes.centres) {
                *count += u64::from(at.iter().any(|&at| self.subsets.pool[at] == centre));
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(rule: ColliderRule, separating: u64, with: u64, centre: Variable) -> Option<bool> {
        let votes = Votes::new(&[7], rule, -3.0);
        Votes { separating, best: VariableSet::from_slice(&[7]), complete: true, ..votes }.decide(centre, with)
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
            assert_eq!(decision(Conservative, separating, with, 7), conservative);
            assert_eq!(decision(Majority, separating, with, 7), majority);
            assert_eq!(decision(MaxP, separating, with, 7), Some(false));
            assert_eq!(decision(MaxP, separating, with, 8), Some(true));
        }
        assert_eq!(Votes::new(&[1], MaxP, -3.0).decide(1, 0), None, "without all tests nothing is decided");
    }
}
