//! The d-separation oracle: a test that reads the answer from a known DAG. Algorithms are proven against it.

use super::{IndependenceTest, TestResult, TestSession};
use crate::Variable;
use crate::graph::{DSeparation, Dag};

/// A test that calls x and y independent given z exactly when z d-separates them in a DAG: p-value 1 or 0.
#[derive(Debug, Clone)]
pub struct DSeparationOracle<'g> {
    dag: &'g Dag,
}

impl<'g> DSeparationOracle<'g> {
    /// An oracle for a DAG.
    pub fn new(dag: &'g Dag) -> Self {
        Self { dag }
    }
}

impl IndependenceTest for DSeparationOracle<'_> {
    type Session<'t>
        = OracleSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.dag.n_variables()
    }

    fn session(&self) -> OracleSession<'_> {
        OracleSession { separation: DSeparation::new(self.dag) }
    }

    fn name(&self) -> &'static str {
        "d-separation"
    }
}

/// One thread's access to a [`DSeparationOracle`].
#[derive(Debug)]
pub struct OracleSession<'t> {
    separation: DSeparation<'t>,
}

impl TestSession for OracleSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        if self.separation.separated(x, y, given) {
            TestResult { statistic: 0.0, degrees_of_freedom: 1.0, log_p_value: 0.0 }
        } else {
            TestResult { statistic: f64::INFINITY, degrees_of_freedom: 1.0, log_p_value: f64::NEG_INFINITY }
        }
    }
}
