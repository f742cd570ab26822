//! Which arcs a search may add: the active set, within what knowledge and isolated variables leave.

use crate::graph::{Dag, UndirectedGraph};
use crate::knowledge::Scope;
use crate::{Error, Result, Variable};

/// The pairs that a search may connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveSet<'a> {
    /// Every pair.
    All,
    /// Every pair, in rounds: between moves only those additions are scored that looked good when all were scored last;
    /// when the search has come to an end, all additions to the children that have changed are scored again, until
    /// none is left that gains. It ends where a search over [`ActiveSet::All`] could end, on a different way there,
    /// with a small part of the local scores.
    Growing,
    /// The pairs that are adjacent in a graph, in either direction.
    Pairs(&'a UndirectedGraph),
    /// Every pair, but a variable is scored as one more parent of a child only if it is a neighbour, in this graph of
    /// marginal dependences, of the child or of one of the parents that the child has.
    ///
    /// Of others there is nothing to hope for: what is independent of each of several variables is independent of them
    /// together and so adds nothing given some of them, in all distributions that are faithful to a graph (their
    /// composition property). Where a variable matters only together with another, as in an exclusive or, it is missed.
    Screened(&'a UndirectedGraph),
}

impl ActiveSet<'_> {
    /// Whether x and y may be connected.
    pub fn contains(&self, x: Variable, y: Variable) -> bool {
        match self {
            Self::All | Self::Growing | Self::Screened(_) => x != y,
            Self::Pairs(graph) => graph.contains(x, y),
        }
    }

    /// Refuses a start, or an active set, of another number of variables than the score has.
    pub(crate) fn check(&self, n_variables: usize, start: &Dag) -> Result<()> {
        let size = match self {
            Self::All | Self::Growing => n_variables,
            Self::Pairs(graph) | Self::Screened(graph) => graph.n_variables(),
        };
        for (what, size) in [("start graph", start.n_variables()), ("active set", size)] {
            if size != n_variables {
                return Err(Error::Graph(format!("the {what} of a search over {n_variables} variables has {size}")));
            }
        }
        Ok(())
    }
}

/// The arcs that a search may add.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidates<'a> {
    active: ActiveSet<'a>,
    /// `None` when all pairs are open, so that it costs nothing then.
    scope: Option<Scope<'a>>,
    n_variables: usize,
}

impl<'a> Candidates<'a> {
    pub(crate) fn new(active: ActiveSet<'a>, scope: Scope<'a>, n_variables: usize) -> Self {
        Self { active, scope: (!scope.is_all()).then_some(scope), n_variables }
    }

    /// Whether the arc from → to may be added (acyclicity aside).
    pub(crate) fn allows(&self, from: Variable, to: Variable) -> bool {
        self.active.contains(from, to) && self.scope.is_none_or(|scope| scope.allows_arc(from, to))
    }

    /// Whether the adjacency of x and y may be removed.
    pub(crate) fn may_remove(&self, x: Variable, y: Variable) -> bool {
        self.scope.is_none_or(|scope| !scope.requires_edge(x, y))
    }

    /// Number of pairs within `among` that may be connected in either direction.
    pub(crate) fn pairs_both_ways(&self, among: &[Variable]) -> u64 {
        if self.scope.is_none() && !matches!(self.active, ActiveSet::Pairs(_)) {
            let k = among.len() as u64;
            return k * k.saturating_sub(1) / 2;
        }
        let both =
            |x: Variable, y: Variable| self.scope.is_none_or(|scope| scope.allows_arc(x, y) && scope.allows_arc(y, x));
        if let ActiveSet::Pairs(graph) = self.active {
            // Of thousands of variables few pairs are active.
            let mut is_among = vec![false; self.n_variables];
            among.iter().for_each(|&x| is_among[x as usize] = true);
            let within = graph.edges().filter(|&(x, y)| is_among[x as usize] && is_among[y as usize]);
            return within.filter(|&(x, y)| both(x, y)).count() as u64;
        }
        among.iter().enumerate().map(|(i, &x)| among[..i].iter().filter(|&&y| both(x, y)).count() as u64).sum()
    }

    /// Whether the search grows the set of additions that it scores.
    pub(crate) fn grow(&self) -> bool {
        matches!(self.active, ActiveSet::Growing)
    }

    /// The pairs that a move may concern: those of the active set and the arcs of `dag`; `None` when all pairs are active.
    pub(crate) fn pairs(&self, dag: &Dag) -> Option<Vec<(Variable, Variable)>> {
        let ActiveSet::Pairs(graph) = self.active else { return None };
        let mut pairs: Vec<_> = graph.edges().chain(dag.arcs().map(|(x, y)| (x.min(y), x.max(y)))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    /// The variables that may become parents of `child` and are not in `parents` (sorted), in increasing order.
    pub(crate) fn parents_for(&self, child: Variable, parents: &[Variable]) -> Vec<Variable> {
        let mut next = 0;
        let mut free = |x: Variable| {
            while next < parents.len() && parents[next] < x {
                next += 1;
            }
            parents.get(next) != Some(&x)
        };
        let known = |x: Variable| self.scope.is_none_or(|scope| scope.allows_arc(x, child));
        match self.active {
            ActiveSet::All | ActiveSet::Growing => {
                (0..self.n_variables as Variable).filter(|&x| x != child && free(x) && known(x)).collect()
            }
            ActiveSet::Screened(graph) => {
                screened(graph, child, parents).into_iter().filter(|&x| free(x) && known(x)).collect()
            }
            ActiveSet::Pairs(graph) => {
                graph.neighbours(child).iter().copied().filter(|&x| free(x) && known(x)).collect()
            }
        }
    }
}

/// The neighbours of a child and of its parents in a graph of marginal dependences, without the child, in increasing order.
pub(crate) fn screened(graph: &UndirectedGraph, child: Variable, parents: &[Variable]) -> Vec<Variable> {
    let mut found = graph.neighbours(child).to_vec();
    if !parents.is_empty() {
        parents.iter().for_each(|&parent| found.extend_from_slice(graph.neighbours(parent)));
        found.sort_unstable();
        found.dedup();
        if let Ok(at) = found.binary_search(&child) {
            found.remove(at);
        }
    }
    found
}
