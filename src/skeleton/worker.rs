//! One thread's session and scratch memory, with the families of sets that were tested before.

use crate::Variable;
use crate::independence::TestSession;

// Families of sets that were tested before: a set is not tested again when a family contains all its members. A family
// counts only where its tested sets have the size at hand.
pub(super) const FIRST_ENDPOINT: u8 = 1;
pub(super) const FIRST_SCREEN: u8 = 2;
pub(super) const SECOND_SCREEN_X: u8 = 4;
pub(super) const SECOND_SCREEN_Y: u8 = 8;
pub(super) const HOME_CLUSTER: u8 = 16;

/// One thread's session and scratch memory.
pub(super) struct Worker<S> {
    pub(super) session: S,
    focal: Option<Variable>,
    /// The variables that may condition, in the order of enumeration.
    pub(super) pool: Vec<Variable>,
    /// For each of the pool, the families of tested sets that it belongs to.
    pub(super) pool_families: Vec<u8>,
    /// The same for every variable; all zero between tasks.
    families: Vec<u8>,
    marked: Vec<Variable>,
    pub(super) ranked: Vec<(f64, f64, Variable)>,
}

impl<S: TestSession> Worker<S> {
    pub(super) fn new(session: S, n_variables: usize) -> Self {
        Self {
            session,
            focal: None,
            pool: Vec::new(),
            pool_families: Vec::new(),
            families: vec![0; n_variables],
            marked: Vec::new(),
            ranked: Vec::new(),
        }
    }

    /// Tells the session when tasks of another focal variable begin.
    pub(super) fn focus(&mut self, focal: Variable) {
        if self.focal != Some(focal) {
            self.focal = Some(focal);
            self.session.next_neighbourhood();
        }
    }
}

impl<S> Worker<S> {
    /// Adds a list to a family, and returns the family.
    pub(super) fn mark(&mut self, list: &[Variable], family: u8) -> u8 {
        for &z in list {
            self.families[z as usize] |= family;
        }
        self.marked.extend_from_slice(list);
        family
    }

    /// Adds those of the pool that satisfy a condition to a family, and returns the family.
    pub(super) fn mark_pool(&mut self, family: u8, condition: impl Fn(Variable) -> bool) -> u8 {
        for &z in self.pool.iter().filter(|&&z| condition(z)) {
            self.families[z as usize] |= family;
            self.marked.push(z);
        }
        family
    }

    /// Looks up the families of the pool, forgets those of all variables, and returns whether one of the families
    /// that count holds the whole pool.
    pub(super) fn gather_families(&mut self, counting: u8) -> bool {
        self.pool_families.clear();
        self.pool_families.extend(self.pool.iter().map(|&z| self.families[z as usize]));
        for z in self.marked.drain(..) {
            self.families[z as usize] = 0;
        }
        self.pool_families.iter().fold(counting, |all, &family| all & family) != 0
    }
}
