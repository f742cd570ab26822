//! Unshielded triples of which it is not known whether they are v-structures.

use rustc_hash::FxHashSet;

use crate::Variable;
use crate::knowledge::Knowledge;

/// The unshielded triples x − z − y that may or may not be v-structures: those whose ends background knowledge forbids
/// to be adjacent (they were never tested, so that no set is known to separate them), and those that a cautious
/// [`ColliderRule`](super::ColliderRule) leaves open.
///
/// No rule concludes anything from an undecided triple, and a consistent extension may make it a v-structure or not.
#[derive(Debug, Clone, Default)]
pub struct Undecided<'k> {
    /// `None` when it forbids nothing.
    knowledge: Option<&'k Knowledge>,
    /// As (x, z, y) with x < y.
    triples: FxHashSet<(Variable, Variable, Variable)>,
}

impl<'k> Undecided<'k> {
    /// No triple is undecided.
    pub fn none() -> Self {
        Self::default()
    }

    /// The triples whose ends `knowledge` forbids to be adjacent, and `triples` (x, z, y) with centre z.
    pub fn new(knowledge: &'k Knowledge, triples: impl IntoIterator<Item = (Variable, Variable, Variable)>) -> Self {
        let sorted = |(x, z, y): (Variable, Variable, Variable)| (x.min(y), z, x.max(y));
        Self {
            knowledge: (!knowledge.is_empty()).then_some(knowledge),
            triples: triples.into_iter().map(sorted).collect(),
        }
    }

    /// Whether no triple is undecided.
    pub(super) fn is_none(&self) -> bool {
        self.triples.is_empty() && self.knowledge.is_none_or(Knowledge::allows_all_edges)
    }

    /// Whether it is undecided if the unshielded triple x − z − y is a v-structure.
    pub fn contains(&self, x: Variable, z: Variable, y: Variable) -> bool {
        (!self.triples.is_empty() && self.triples.contains(&(x.min(y), z, x.max(y))))
            || self.knowledge.is_some_and(|knowledge| !knowledge.allows_edge(x, y))
    }
}
