//! Undirected graphs: skeletons and active sets.

use super::{insert_sorted, remove_sorted};
use crate::Variable;

/// An undirected graph without loops. Neighbours are listed in increasing order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndirectedGraph {
    neighbours: Vec<Vec<Variable>>,
}

impl UndirectedGraph {
    /// The graph on `n_variables` variables with no edges.
    pub fn empty(n_variables: usize) -> Self {
        Self { neighbours: vec![Vec::new(); n_variables] }
    }

    /// The graph in which every pair is adjacent.
    pub fn complete(n_variables: usize) -> Self {
        let all = 0..n_variables as Variable;
        Self { neighbours: all.clone().map(|x| all.clone().filter(|&y| y != x).collect()).collect() }
    }

    /// The graph with these edges.
    pub fn from_edges(n_variables: usize, edges: impl IntoIterator<Item = (Variable, Variable)>) -> Self {
        let mut graph = Self::empty(n_variables);
        for (x, y) in edges {
            assert_ne!(x, y, "a variable is not its own neighbour");
            graph.neighbours[x as usize].push(y);
            graph.neighbours[y as usize].push(x);
        }
        for list in &mut graph.neighbours {
            list.sort_unstable();
            list.dedup();
        }
        graph
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.neighbours.len()
    }

    /// Number of edges.
    pub fn n_edges(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// Neighbours of a variable, in increasing order.
    pub fn neighbours(&self, x: Variable) -> &[Variable] {
        &self.neighbours[x as usize]
    }

    /// Whether x and y are adjacent.
    pub fn contains(&self, x: Variable, y: Variable) -> bool {
        self.neighbours[x as usize].binary_search(&y).is_ok()
    }

    /// Connects x and y; false when they were adjacent.
    ///
    /// # Panics
    ///
    /// When x = y.
    pub fn insert(&mut self, x: Variable, y: Variable) -> bool {
        assert_ne!(x, y, "a variable is not its own neighbour");
        insert_sorted(&mut self.neighbours[x as usize], y) && insert_sorted(&mut self.neighbours[y as usize], x)
    }

    /// Disconnects x and y; false when they were not adjacent.
    pub fn remove(&mut self, x: Variable, y: Variable) -> bool {
        remove_sorted(&mut self.neighbours[x as usize], y) && remove_sorted(&mut self.neighbours[y as usize], x)
    }

    /// All edges (x, y) with x < y, in increasing order.
    pub fn edges(&self) -> impl Iterator<Item = (Variable, Variable)> + '_ {
        self.neighbours.iter().enumerate().flat_map(|(x, list)| {
            let x = x as Variable;
            list.iter().filter(move |&&y| x < y).map(move |&y| (x, y))
        })
    }

    /// All unshielded triples (x, z, y): x − z − y with x < y not adjacent, in the order of z, then (x, y).
    pub fn unshielded_triples(&self) -> impl Iterator<Item = (Variable, Variable, Variable)> + '_ {
        (0..self.n_variables() as Variable).flat_map(move |z| {
            let around = self.neighbours(z);
            around.iter().enumerate().flat_map(move |(i, &x)| {
                around[i + 1..].iter().filter(move |&&y| !self.contains(x, y)).map(move |&y| (x, z, y))
            })
        })
    }
}
