//! Marginal dependences, which every local search starts from.

use crate::independence::{IndependenceTest, TestSession};
use crate::knowledge::Scope;
use crate::run::Run;
use crate::{Result, Variable};

/// For some variables, those that depend on them marginally with their log p-values, by increasing index. Pairs that
/// knowledge forbids or requires are left out.
#[derive(Debug)]
pub(super) struct Marginals {
    dependent: Vec<Vec<(Variable, f64)>>,
    /// The only variable that has a list, if not all have.
    only: Option<Variable>,
    tests: u64,
}

impl Marginals {
    /// The lists of all variables.
    pub(super) fn of_all<T: IndependenceTest>(test: &T, log_alpha: f64, scope: Scope<'_>, run: &Run) -> Result<Self> {
        let p = test.n_variables();
        let mut dependent = vec![Vec::new(); p];
        let known = !scope.is_all();
        for pair in test.marginal_dependences(run, log_alpha, |x, y| !known || scope.leaves_open(x, y))? {
            // By increasing (x, y): both lists grow in order.
            dependent[pair.x as usize].push((pair.y, pair.result.log_p_value));
            dependent[pair.y as usize].push((pair.x, pair.result.log_p_value));
        }
        Ok(Self { dependent, only: None, tests: scope.n_open_pairs(p) })
    }

    /// No pair depends, as nobody could tell in time.
    pub(super) fn none(n_variables: usize) -> Self {
        Self { dependent: vec![Vec::new(); n_variables], only: None, tests: 0 }
    }

    /// The list of one variable.
    pub(super) fn of_one<S: TestSession>(
        session: &mut S,
        x: Variable,
        n_variables: usize,
        log_alpha: f64,
        scope: Scope<'_>,
        run: &Run,
    ) -> Result<Self> {
        let others: Vec<Variable> =
            (0..n_variables as Variable).filter(|&y| y != x && scope.leaves_open(x, y)).collect();
        let mut results = Vec::new();
        session.next_neighbourhood();
        // Without time there are fewer dependent variables, as there are where a search ends early.
        let _ = session.test_each(x, &others, &[], run, &mut results)?;
        let dependent = others.iter().zip(&results).filter(|(_, result)| !result.is_independent(log_alpha));
        let dependent = dependent.map(|(&y, result)| (y, result.log_p_value)).collect();
        Ok(Self { dependent: vec![dependent], only: Some(x), tests: others.len() as u64 })
    }

    /// Marginal tests made.
    pub(super) fn tests(&self) -> u64 {
        self.tests
    }

    /// The variables that depend on x, if its list is known.
    pub(super) fn of(&self, x: Variable) -> Option<&[(Variable, f64)]> {
        match self.only {
            None => Some(&self.dependent[x as usize]),
            Some(only) => (only == x).then(|| &self.dependent[0][..]),
        }
    }

    /// Whether x and y depend marginally, if that is known.
    pub(super) fn depend(&self, x: Variable, y: Variable) -> Option<bool> {
        let (list, other) = match self.of(x) {
            Some(list) => (list, y),
            None => (self.of(y)?, x),
        };
        Some(list.binary_search_by_key(&other, |&(v, _)| v).is_ok())
    }
}
