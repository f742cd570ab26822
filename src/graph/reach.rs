//! Reachability queries that reuse their memory.

use crate::Variable;

/// Scratch memory for directed-path queries on one graph, which may change between queries: a query costs what it
/// visits, not the number of variables.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    stamps: Vec<u32>,
    current: u32,
    stack: Vec<Variable>,
}

impl Reach {
    /// Prepares for queries on graphs of `n_variables` variables.
    pub(crate) fn new(n_variables: usize) -> Self {
        Self { stamps: vec![0; n_variables], current: 0, stack: Vec::new() }
    }

    /// Whether a path of directed edges (of any length, 0 included) leads from one variable to another.
    pub(crate) fn reaches<'g>(
        &mut self,
        children: impl Fn(Variable) -> &'g [Variable],
        from: Variable,
        to: Variable,
    ) -> bool {
        if from == to {
            return true;
        }
        self.current = self.current.wrapping_add(1);
        if self.current == 0 {
            self.stamps.fill(0);
            self.current = 1;
        }
        self.stack.clear();
        self.stack.push(from);
        while let Some(x) = self.stack.pop() {
            for &child in children(x) {
                if child == to {
                    return true;
                }
                let stamp = &mut self.stamps[child as usize];
                if *stamp != self.current {
                    *stamp = self.current;
                    self.stack.push(child);
                }
            }
        }
        false
    }
}
