//! Which pairs a method looks at: what background knowledge leaves, without variables that are set apart.

use super::Knowledge;
use crate::{Error, Result, Variable};

/// Background knowledge, and the variables that are isolated: adjacent to nothing, and separating nothing. These are
/// columns of which no test can tell anything, such as identifiers: a finding about data, not knowledge of the graph.
///
/// Of some of them a score can tell something all the same: a scope may [leave these to scores](Self::leaving_to_scores). Searches
/// then look at them, and stages that test take [what is tested](Self::tested), in which they are isolated, too.
///
/// Functions that test or score pairs take `impl Into<Scope>`: a reference to knowledge alone will do. What only directs
/// edges takes [`Knowledge`]: isolated variables have none.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'k> {
    knowledge: &'k Knowledge,
    /// Empty where no variable is isolated.
    isolated: &'k [bool],
    /// Those and the variables that only scores look at; empty where there are none of the latter.
    untested: &'k [bool],
}

impl<'k> From<&'k Knowledge> for Scope<'k> {
    fn from(knowledge: &'k Knowledge) -> Self {
        Self { knowledge, isolated: &[], untested: &[] }
    }
}

impl<'k> Scope<'k> {
    /// What knowledge leaves without isolated variables. `isolated` is empty or has one entry for each variable.
    ///
    /// # Errors
    ///
    /// [`Error::Knowledge`] when one of them has a required arc or edge.
    pub fn new(knowledge: &'k Knowledge, isolated: &'k [bool]) -> Result<Self> {
        let isolated = if isolated.contains(&true) { isolated } else { &[] };
        let scope = Self { knowledge, isolated, untested: &[] };
        match knowledge.required_pairs().into_iter().find(|&(x, y)| scope.is_isolated(x) || scope.is_isolated(y)) {
            None => Ok(scope),
            Some((x, y)) => {
                Err(Error::Knowledge("{} and {} must be adjacent, but one of them is isolated".into()).about([x, y]))
            }
        }
    }

    /// The same, in which tests also leave out the variables marked in `untested`, which has one entry for each variable and
    /// marks what is isolated, too.
    pub fn leaving_to_scores(self, untested: &'k [bool]) -> Self {
        Self { untested, ..self }
    }

    /// What stages that test look at: variables left to scores are isolated.
    pub fn tested(self) -> Self {
        if self.untested.is_empty() { self } else { Self { isolated: self.untested, untested: &[], ..self } }
    }

    /// Variables that are not isolated, and that no test looks at.
    pub fn left_to_scores(&self) -> impl Iterator<Item = Variable> + '_ {
        let untested = self.untested.iter().enumerate().filter(|(_, is_untested)| **is_untested);
        untested.map(|(x, _)| x as Variable).filter(|&x| !self.is_isolated(x))
    }

    /// What is known.
    pub fn knowledge(&self) -> &'k Knowledge {
        self.knowledge
    }

    /// Whether a variable is adjacent to nothing and separates nothing.
    pub fn is_isolated(&self, x: Variable) -> bool {
        self.isolated.get(x as usize).copied().unwrap_or(false)
    }

    /// Whether all pairs are open: nothing is known, and no variable is isolated.
    pub fn is_all(&self) -> bool {
        self.isolated.is_empty() && self.knowledge.is_empty()
    }

    /// Whether the arc from → to may be in the graph. The reverse of a required arc may not.
    pub fn allows_arc(&self, from: Variable, to: Variable) -> bool {
        self.knowledge.allows_arc(from, to) && !self.is_isolated(from) && !self.is_isolated(to)
    }

    /// Whether x and y may be adjacent.
    pub fn allows_edge(&self, x: Variable, y: Variable) -> bool {
        self.allows_arc(x, y) || self.allows_arc(y, x)
    }

    /// Whether the arc from → to must be in the graph.
    pub fn requires_arc(&self, from: Variable, to: Variable) -> bool {
        self.knowledge.requires_arc(from, to)
    }

    /// Whether x and y must be adjacent.
    pub fn requires_edge(&self, x: Variable, y: Variable) -> bool {
        self.knowledge.requires_edge(x, y)
    }

    /// Required adjacencies, of arcs and of edges without direction, as (lower, higher) in increasing order.
    pub fn required_pairs(&self) -> Vec<(Variable, Variable)> {
        self.knowledge.required_pairs()
    }

    /// Whether tests decide whether x and y are adjacent: neither forbidden nor required.
    pub fn leaves_open(&self, x: Variable, y: Variable) -> bool {
        self.allows_edge(x, y) && !self.requires_edge(x, y)
    }

    /// Of how many pairs of `n_variables` variables tests decide.
    pub fn n_open_pairs(&self, n_variables: usize) -> u64 {
        let p = n_variables as u64;
        if self.is_all() {
            return p * p.saturating_sub(1) / 2;
        }
        let open_above = |x: Variable| ((x + 1)..p as Variable).filter(|&y| self.leaves_open(x, y)).count() as u64;
        (0..p as Variable).map(open_above).sum()
    }

    /// Whether z may be in a separating set of x and y: not if it is later than both, or isolated.
    pub fn may_separate(&self, x: Variable, y: Variable, z: Variable) -> bool {
        !self.is_isolated(z) && self.knowledge.may_separate(x, y, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolated_variables_have_no_arcs_and_separate_nothing() {
        let none = Vec::<(Variable, Variable)>::new;
        let nothing = Knowledge::none();
        let scope = Scope::new(&nothing, &[false, true, false]).unwrap();
        assert!(!scope.allows_edge(0, 1) && !scope.allows_edge(1, 2) && scope.allows_edge(0, 2));
        assert!(!scope.may_separate(0, 2, 1) && scope.may_separate(0, 1, 2));
        assert!(!scope.is_all() && scope.knowledge().is_empty() && scope.n_open_pairs(3) == 1);
        assert!(Scope::new(&nothing, &[false; 3]).unwrap().is_all());
        let left = Scope::new(&nothing, &[false, true, false]).unwrap().leaving_to_scores(&[true, true, false]);
        assert!(left.allows_edge(0, 2) && !left.allows_edge(0, 1) && left.left_to_scores().eq([0]));
        assert!(!left.tested().allows_edge(0, 2) && left.tested().left_to_scores().next().is_none());
        let required = Knowledge::new(3, [(0, 1)], none(), none(), vec![]).unwrap();
        assert!(Scope::new(&required, &[false, true, false]).is_err());
    }
}
