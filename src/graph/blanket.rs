//! Markov blankets read from graphs.

use super::{Dag, Pdag};
use crate::Variable;

fn sorted_without(mut list: Vec<Variable>, x: Variable) -> Vec<Variable> {
    list.sort_unstable();
    list.dedup();
    list.retain(|&v| v != x);
    list
}

impl Dag {
    /// The Markov blanket of x, in increasing order: its parents, its children and the other parents of its children.
    ///
    /// ```
    /// use phgs::graph::Dag;
    /// let dag = Dag::from_arcs(5, [(0, 1), (1, 2), (3, 2), (2, 4)])?;
    /// assert_eq!(dag.markov_blanket(1), [0, 2, 3]);
    /// # Ok::<(), phgs::Error>(())
    /// ```
    pub fn markov_blanket(&self, x: Variable) -> Vec<Variable> {
        let mut blanket = [self.parents(x), self.children(x)].concat();
        for &child in self.children(x) {
            blanket.extend_from_slice(self.parents(child));
        }
        sorted_without(blanket, x)
    }
}

impl Pdag {
    /// The Markov blanket of x, in increasing order: all variables adjacent to it and the other parents of its
    /// children. On a CPDAG this is the Markov blanket of x in every DAG of the class.
    pub fn markov_blanket(&self, x: Variable) -> Vec<Variable> {
        let mut blanket = self.adjacents(x);
        for &child in self.children(x) {
            blanket.extend_from_slice(self.parents(child));
        }
        sorted_without(blanket, x)
    }
}
