//! Which parents of a child are worth scoring: what a growing search has learned, kept from one search to the next.

use crate::{Variable, VariableSet};

/// For one child: variables that are worth scoring as parents, and the parents beside which all candidates were scored, so
/// that every variable that gains beside these is among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KnownParents {
    variables: Vec<Variable>,
    beside: Vec<VariableSet>,
}

impl KnownParents {
    /// The variables, in increasing order.
    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Whether everything that gains beside `parents` is among the variables.
    pub(crate) fn knows(&self, parents: &[Variable]) -> bool {
        self.beside.iter().any(|set| set[..] == *parents)
    }

    /// Notes that all candidates were scored beside `parents`. To be followed by [`KnownParents::add`] of those that gain.
    pub(crate) fn note(&mut self, parents: &[Variable]) {
        if !self.knows(parents) {
            self.beside.push(VariableSet::from_slice(parents));
        }
    }

    /// Adds variables. Returns whether one is new.
    pub(crate) fn add(&mut self, variables: impl IntoIterator<Item = Variable>) -> bool {
        let before = self.variables.len();
        self.variables.extend(variables);
        self.variables.sort_unstable();
        self.variables.dedup();
        self.variables.len() > before
    }
}
