//! How many rows of a contingency table say anything about a conditional independence.

use crate::Variable;
use crate::counts::CountingSession;

/// The strata of a test of x ⫫ y | given, and those in which both variables vary: only they say anything.
///
/// # Examples
///
/// ```
/// use phgs::counts::CountingEngine;
/// use phgs::data::DiscreteData;
/// use phgs::independence::Informative;
/// // y is constant where z = 1.
/// let data = DiscreteData::from_columns(vec![vec![0, 1, 1, 0, 1], vec![0, 1, 0, 1, 1], vec![0, 0, 0, 1, 1]])?;
/// let engine = CountingEngine::new(&data);
/// let found = Informative::count(&mut engine.session(), 0, 1, &[2]);
/// assert_eq!(found, Informative { rows: 5, strata: 2, informative_strata: 1, informative_rows: 3 });
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Informative {
    /// Rows.
    pub rows: usize,
    /// Configurations of the conditioning variables that occur.
    pub strata: usize,
    /// Those in which each of the two variables has at least two states.
    pub informative_strata: usize,
    /// Rows in these.
    pub informative_rows: usize,
}

impl Informative {
    /// Counts the strata of x ⫫ y | given.
    pub fn count(session: &mut CountingSession<'_, '_>, x: Variable, y: Variable, given: &[Variable]) -> Self {
        let r_x = session.engine().shape().arity(x);
        let mut found = Self::default();
        session.for_each_stratum(&[x, y], given, |cells| found.add(cells, r_x));
        found
    }

    /// Adds a stratum, of which these are the cells that have rows, where x has so many states.
    pub(super) fn add(&mut self, cells: &[(u32, u32)], r_x: u32) {
        let rows = cells.iter().map(|&(_, count)| count as usize).sum::<usize>();
        let (first, _) = cells[0];
        let varies = |state: fn(u32, u32) -> u32| cells.iter().any(|&(cell, _)| state(cell, r_x) != state(first, r_x));
        self.rows += rows;
        self.strata += 1;
        if varies(|cell, r_x| cell % r_x) && varies(|cell, r_x| cell / r_x) {
            self.informative_strata += 1;
            self.informative_rows += rows;
        }
    }
}
