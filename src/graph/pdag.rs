//! Partially directed graphs: patterns, CPDAGs and what lies between.

use super::{Dag, Reach, UndirectedGraph, insert_sorted, remove_sorted};
use crate::Variable;

/// How two variables are tied in a [`Pdag`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeMark {
    /// Not adjacent.
    None,
    /// x − y.
    Undirected,
    /// x → y.
    Forward,
    /// x ← y.
    Backward,
}

/// A graph with directed and undirected edges, at most one between two variables. It may be a pattern, a CPDAG or
/// anything an algorithm passes through; it may hold directed cycles unless its maker rules them out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Pdag {
    parents: Vec<Vec<Variable>>,
    children: Vec<Vec<Variable>>,
    neighbours: Vec<Vec<Variable>>,
}

impl Pdag {
    /// The graph on `n_variables` variables with no edges.
    pub fn empty(n_variables: usize) -> Self {
        let lists = vec![Vec::new(); n_variables];
        Self { parents: lists.clone(), children: lists.clone(), neighbours: lists }
    }

    /// The graph whose edges are all undirected.
    pub fn from_undirected(graph: &UndirectedGraph) -> Self {
        let mut pdag = Self::empty(graph.n_variables());
        for x in 0..graph.n_variables() {
            pdag.neighbours[x] = graph.neighbours(x as Variable).to_vec();
        }
        pdag
    }

    /// The graph whose edges are the arcs of a DAG.
    pub fn from_dag(dag: &Dag) -> Self {
        let mut pdag = Self::empty(dag.n_variables());
        for x in 0..dag.n_variables() {
            pdag.parents[x] = dag.parents(x as Variable).to_vec();
            pdag.children[x] = dag.children(x as Variable).to_vec();
        }
        pdag
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.parents.len()
    }

    /// Variables with an edge into x, in increasing order.
    pub fn parents(&self, x: Variable) -> &[Variable] {
        &self.parents[x as usize]
    }

    /// Variables with an edge from x, in increasing order.
    pub fn children(&self, x: Variable) -> &[Variable] {
        &self.children[x as usize]
    }

    /// Variables tied to x by an undirected edge, in increasing order.
    pub fn undirected(&self, x: Variable) -> &[Variable] {
        &self.neighbours[x as usize]
    }

    /// All variables adjacent to x, in increasing order.
    pub fn adjacents(&self, x: Variable) -> Vec<Variable> {
        let mut all = [self.parents(x), self.children(x), self.undirected(x)].concat();
        all.sort_unstable();
        all
    }

    /// How x and y are tied.
    pub fn tie(&self, x: Variable, y: Variable) -> EdgeMark {
        if self.neighbours[x as usize].binary_search(&y).is_ok() {
            EdgeMark::Undirected
        } else if self.children[x as usize].binary_search(&y).is_ok() {
            EdgeMark::Forward
        } else if self.parents[x as usize].binary_search(&y).is_ok() {
            EdgeMark::Backward
        } else {
            EdgeMark::None
        }
    }

    /// Whether x and y are adjacent.
    pub fn adjacent(&self, x: Variable, y: Variable) -> bool {
        self.tie(x, y) != EdgeMark::None
    }

    /// Whether x → y.
    pub fn has_arc(&self, x: Variable, y: Variable) -> bool {
        self.children[x as usize].binary_search(&y).is_ok()
    }

    /// Whether x − y.
    pub fn has_undirected(&self, x: Variable, y: Variable) -> bool {
        self.neighbours[x as usize].binary_search(&y).is_ok()
    }

    /// Makes what x is tied to what it is in `other`. What those variables are tied to has to follow.
    pub(crate) fn copy_around(&mut self, x: Variable, other: &Self) {
        let i = x as usize;
        self.parents[i].clone_from(&other.parents[i]);
        self.children[i].clone_from(&other.children[i]);
        self.neighbours[i].clone_from(&other.neighbours[i]);
    }

    /// Makes the tie of x and y what is asked, whatever it was.
    pub fn set(&mut self, x: Variable, y: Variable, tie: EdgeMark) {
        assert_ne!(x, y, "a variable is not tied to itself");
        remove_sorted(&mut self.neighbours[x as usize], y);
        remove_sorted(&mut self.neighbours[y as usize], x);
        remove_sorted(&mut self.children[x as usize], y);
        remove_sorted(&mut self.parents[y as usize], x);
        remove_sorted(&mut self.children[y as usize], x);
        remove_sorted(&mut self.parents[x as usize], y);
        match tie {
            EdgeMark::None => {}
            EdgeMark::Undirected => {
                insert_sorted(&mut self.neighbours[x as usize], y);
                insert_sorted(&mut self.neighbours[y as usize], x);
            }
            EdgeMark::Forward => {
                insert_sorted(&mut self.children[x as usize], y);
                insert_sorted(&mut self.parents[y as usize], x);
            }
            EdgeMark::Backward => {
                insert_sorted(&mut self.children[y as usize], x);
                insert_sorted(&mut self.parents[x as usize], y);
            }
        }
    }

    /// Makes it x → y.
    pub fn orient(&mut self, x: Variable, y: Variable) {
        self.set(x, y, EdgeMark::Forward);
    }

    /// Number of edges of both kinds.
    pub fn n_edges(&self) -> usize {
        self.children.iter().map(Vec::len).sum::<usize>() + self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// All directed edges (from, to), by `from`, then `to`.
    pub fn directed_edges(&self) -> impl Iterator<Item = (Variable, Variable)> + '_ {
        self.children.iter().enumerate().flat_map(|(x, list)| list.iter().map(move |&y| (x as Variable, y)))
    }

    /// All undirected edges (x, y) with x < y, in increasing order.
    pub fn undirected_edges(&self) -> impl Iterator<Item = (Variable, Variable)> + '_ {
        self.neighbours.iter().enumerate().flat_map(|(x, list)| {
            let x = x as Variable;
            list.iter().filter(move |&&y| x < y).map(move |&y| (x, y))
        })
    }

    /// The undirected graph of adjacencies.
    pub fn skeleton(&self) -> UndirectedGraph {
        UndirectedGraph::from_edges(self.n_variables(), self.directed_edges().chain(self.undirected_edges()))
    }

    /// Whether there is a path of directed edges (of any length, 0 included) from one variable to another.
    pub fn has_directed_path(&self, from: Variable, to: Variable) -> bool {
        Reach::new(self.n_variables()).reaches(|x| self.children(x), from, to)
    }
}
