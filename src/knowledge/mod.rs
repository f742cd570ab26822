//! Background knowledge: what is known of the graph before any data is seen.

mod constraints;
mod scope;

use rustc_hash::FxHashSet;

use crate::graph::Dag;
use crate::{Error, Result, Variable};

pub use constraints::Constraints;
pub use scope::Scope;

/// Required arcs, forbidden arcs and tiers, checked to be consistent. Hard constraints only: no output of any
/// algorithm breaks one.
///
/// * A pair both of whose directions are forbidden is never tested and never adjacent, and has no separating set.
/// * A required arc is never tested, never removed and always in its direction.
/// * With tiers, no arc goes from a later tier to an earlier one, and a variable that is later than both endpoints
///   separates nothing.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    forbidden: FxHashSet<(Variable, Variable)>,
    required: FxHashSet<(Variable, Variable)>,
    required_edges: FxHashSet<(Variable, Variable)>,
    tier: Vec<Option<u32>>,
}

impl Knowledge {
    /// No knowledge.
    pub fn none() -> Self {
        Self::default()
    }

    /// Knowledge about `n_variables` variables. `required_edges` are adjacencies of which the direction is unknown;
    /// `tier` is empty or has one entry for each variable (`None`: in no tier).
    ///
    /// # Errors
    ///
    /// [`Error::Knowledge`] when an arc is required and forbidden (or against the tiers), when required arcs (or required
    /// edges that are allowed in one direction only) close a cycle, when both directions of a required edge are forbidden, or a variable does not exist.
    pub fn new(
        n_variables: usize,
        required: impl IntoIterator<Item = (Variable, Variable)>,
        required_edges: impl IntoIterator<Item = (Variable, Variable)>,
        forbidden: impl IntoIterator<Item = (Variable, Variable)>,
        tier: Vec<Option<u32>>,
    ) -> Result<Self> {
        if !tier.is_empty() && tier.len() != n_variables {
            return Err(Error::Knowledge(format!("tiers name {} of {n_variables} variables", tier.len())));
        }
        let knowledge = Self {
            forbidden: forbidden.into_iter().collect(),
            required: required.into_iter().collect(),
            required_edges: required_edges.into_iter().map(|(x, y)| (x.min(y), x.max(y))).collect(),
            tier,
        };
        let mut arcs: Vec<_> = knowledge.required.iter().copied().collect();
        arcs.sort_unstable();
        for &(from, to) in &arcs {
            if from == to {
                return Err(Error::Knowledge("a required arc joins {} to itself".into()).about([from]));
            }
            if !knowledge.allows_arc(from, to) {
                return Err(Error::Knowledge("the arc {} → {} is both required and forbidden".into()).about([from, to]));
            }
        }
        let mut edges: Vec<_> = knowledge.required_edges.iter().copied().collect();
        edges.sort_unstable();
        for (x, y) in edges {
            if x == y || y as usize >= n_variables {
                return Err(Error::Knowledge(format!("required edge {x} − {y} does not join two variables")));
            }
            match (knowledge.allows_arc(x, y), knowledge.allows_arc(y, x)) {
                (true, true) => {}
                (true, false) => arcs.push((x, y)),
                (false, true) => arcs.push((y, x)),
                (false, false) => {
                    return Err(
                        Error::Knowledge("the edge {} − {} is required and forbidden both ways".into()).about([x, y])
                    );
                }
            }
        }
        Dag::from_arcs(n_variables, arcs).map_err(|e| Error::Knowledge(format!("required arcs: {e}")))?;
        Ok(knowledge)
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.forbidden.is_empty()
            && self.required.is_empty()
            && self.required_edges.is_empty()
            && self.tier.iter().all(Option::is_none)
    }

    /// Whether the arc from → to may be in the graph. The reverse of a required arc may not.
    pub fn allows_arc(&self, from: Variable, to: Variable) -> bool {
        !self.forbidden.contains(&(from, to)) && !self.required.contains(&(to, from)) && !self.later(from, to)
    }

    /// Whether every pair may be adjacent: none is forbidden both ways.
    pub(crate) fn allows_all_edges(&self) -> bool {
        self.forbidden.iter().all(|&(x, y)| self.allows_arc(y, x))
    }

    /// Whether x and y may be adjacent.
    pub fn allows_edge(&self, x: Variable, y: Variable) -> bool {
        self.allows_arc(x, y) || self.allows_arc(y, x)
    }

    /// Whether the arc from → to must be in the graph.
    pub fn requires_arc(&self, from: Variable, to: Variable) -> bool {
        self.required.contains(&(from, to))
    }

    /// Whether x and y must be adjacent.
    pub fn requires_edge(&self, x: Variable, y: Variable) -> bool {
        self.required.contains(&(x, y))
            || self.required.contains(&(y, x))
            || self.required_edges.contains(&(x.min(y), x.max(y)))
    }

    /// Whether z may be in a separating set of x and y: not if it is later than both.
    pub fn may_separate(&self, x: Variable, y: Variable, z: Variable) -> bool {
        !(self.later(z, x) && self.later(z, y))
    }

    /// Whether tiers put x later than y.
    fn later(&self, x: Variable, y: Variable) -> bool {
        match (self.tier.get(x as usize).copied().flatten(), self.tier.get(y as usize).copied().flatten()) {
            (Some(tier_x), Some(tier_y)) => tier_x > tier_y,
            _ => false,
        }
    }

    /// Required arcs in increasing order.
    pub fn required_arcs(&self) -> Vec<(Variable, Variable)> {
        let mut arcs: Vec<_> = self.required.iter().copied().collect();
        arcs.sort_unstable();
        arcs
    }

    /// Required adjacencies, of arcs and of edges without direction, as (lower, higher) in increasing order.
    pub fn required_pairs(&self) -> Vec<(Variable, Variable)> {
        let mut pairs: Vec<_> = self
            .required
            .iter()
            .map(|&(x, y)| (x.min(y), x.max(y)))
            .chain(self.required_edges.iter().copied())
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_refused() {
        let none = Vec::<(Variable, Variable)>::new;
        assert!(Knowledge::new(3, [(0, 1)], none(), [(0, 1)], vec![]).is_err());
        assert!(Knowledge::new(3, [(0, 1), (1, 2), (2, 0)], none(), none(), vec![]).is_err());
        assert!(Knowledge::new(2, [(0, 1)], none(), none(), vec![Some(1), Some(0)]).is_err());
        assert!(Knowledge::new(2, none(), [(0, 1)], [(0, 1), (1, 0)], vec![]).is_err());
        assert!(Knowledge::new(3, [(0, 1), (1, 2)], [(0, 2)], [(0, 2)], vec![]).is_err());
    }

    #[test]
    fn tiers_forbid_arcs_and_late_separators() {
        let none = Vec::<(Variable, Variable)>::new;
        let k = Knowledge::new(3, none(), none(), none(), vec![Some(0), Some(1), Some(2)]).unwrap();
        assert!(k.allows_arc(0, 1) && !k.allows_arc(1, 0) && k.allows_edge(0, 1));
        assert!(k.may_separate(0, 2, 1) && !k.may_separate(0, 1, 2));
    }
}
