//! Directed acyclic graphs.

use super::{Reach, UndirectedGraph, insert_sorted, remove_sorted};
use crate::{Error, Result, Variable};

/// A directed acyclic graph. Parents and children are listed in increasing order.
///
/// # Examples
///
/// ```
/// use phgs::graph::Dag;
/// let dag = Dag::from_arcs(3, [(0, 1), (2, 1)])?;
/// assert_eq!(dag.parents(1), [0, 2]);
/// assert!(Dag::from_arcs(2, [(0, 1), (1, 0)]).is_err());
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Dag {
    parents: Vec<Vec<Variable>>,
    children: Vec<Vec<Variable>>,
}

impl Dag {
    /// The graph on `n_variables` variables with no arcs.
    pub fn empty(n_variables: usize) -> Self {
        Self { parents: vec![Vec::new(); n_variables], children: vec![Vec::new(); n_variables] }
    }

    /// The graph with these arcs (from, to).
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] when the arcs close a cycle or name a variable that does not exist.
    pub fn from_arcs(n_variables: usize, arcs: impl IntoIterator<Item = (Variable, Variable)>) -> Result<Self> {
        let mut dag = Self::empty(n_variables);
        for (from, to) in arcs {
            if from as usize >= n_variables || to as usize >= n_variables {
                return Err(Error::Graph(format!("arc {from} → {to} names a variable that does not exist")));
            }
            insert_sorted(&mut dag.parents[to as usize], from);
            insert_sorted(&mut dag.children[from as usize], to);
        }
        if dag.try_topological_order().is_none() {
            return Err(Error::Graph("the arcs close a directed cycle".into()));
        }
        Ok(dag)
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.parents.len()
    }

    /// Number of arcs.
    pub fn n_arcs(&self) -> usize {
        self.parents.iter().map(Vec::len).sum()
    }

    /// Parents of a variable, in increasing order.
    pub fn parents(&self, x: Variable) -> &[Variable] {
        &self.parents[x as usize]
    }

    /// Children of a variable, in increasing order.
    pub fn children(&self, x: Variable) -> &[Variable] {
        &self.children[x as usize]
    }

    /// Whether the arc from → to is there.
    pub fn contains(&self, from: Variable, to: Variable) -> bool {
        self.parents[to as usize].binary_search(&from).is_ok()
    }

    /// Whether x and y are adjacent.
    pub fn adjacent(&self, x: Variable, y: Variable) -> bool {
        self.contains(x, y) || self.contains(y, x)
    }

    /// All arcs (from, to), by increasing `to`, then `from`.
    pub fn arcs(&self) -> impl Iterator<Item = (Variable, Variable)> + '_ {
        self.parents
            .iter()
            .enumerate()
            .flat_map(|(to, parents)| parents.iter().map(move |&from| (from, to as Variable)))
    }

    /// Adds an arc unless it closes a cycle; returns whether the graph has it now.
    pub fn try_insert(&mut self, from: Variable, to: Variable) -> bool {
        if self.contains(from, to) {
            return true;
        }
        if from == to || self.has_path(to, from) {
            return false;
        }
        insert_sorted(&mut self.parents[to as usize], from);
        insert_sorted(&mut self.children[from as usize], to);
        true
    }

    /// Adds an arc of which the caller knows that it is new and closes no cycle.
    pub(crate) fn insert_acyclic(&mut self, from: Variable, to: Variable) {
        debug_assert!(from != to && !self.has_path(to, from), "arc {from} → {to} closes a cycle");
        insert_sorted(&mut self.parents[to as usize], from);
        insert_sorted(&mut self.children[from as usize], to);
    }

    /// Removes an arc; false when it was not there.
    pub fn remove(&mut self, from: Variable, to: Variable) -> bool {
        remove_sorted(&mut self.parents[to as usize], from) && remove_sorted(&mut self.children[from as usize], to)
    }

    /// Whether there is a directed path (of any length, 0 included) from one variable to another.
    pub fn has_path(&self, from: Variable, to: Variable) -> bool {
        Reach::new(self.n_variables()).reaches(|x| self.children(x), from, to)
    }

    /// An order in which parents come before children; among the variables that could come next, the lowest first.
    pub fn topological_order(&self) -> Vec<Variable> {
        self.try_topological_order().expect("a Dag has no cycle")
    }

    fn try_topological_order(&self) -> Option<Vec<Variable>> {
        let mut missing: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        let mut ready: std::collections::BinaryHeap<std::cmp::Reverse<Variable>> =
            (0..self.n_variables() as Variable).filter(|&x| missing[x as usize] == 0).map(std::cmp::Reverse).collect();
        let mut order = Vec::with_capacity(self.n_variables());
        while let Some(std::cmp::Reverse(x)) = ready.pop() {
            order.push(x);
            for &child in self.children(x) {
                missing[child as usize] -= 1;
                if missing[child as usize] == 0 {
                    ready.push(std::cmp::Reverse(child));
                }
            }
        }
        (order.len() == self.n_variables()).then_some(order)
    }

    /// The undirected graph of adjacencies.
    pub fn skeleton(&self) -> UndirectedGraph {
        UndirectedGraph::from_edges(self.n_variables(), self.arcs())
    }

    /// All v-structures (x, z, y): x → z ← y with x < y not adjacent, by z, then (x, y).
    pub fn v_structures(&self) -> Vec<(Variable, Variable, Variable)> {
        let mut found = Vec::new();
        for z in 0..self.n_variables() as Variable {
            let parents = self.parents(z);
            for (i, &x) in parents.iter().enumerate() {
                found.extend(parents[i + 1..].iter().filter(|&&y| !self.adjacent(x, y)).map(|&y| (x, z, y)));
            }
        }
        found
    }
}
