//! d-separation in a DAG.

use super::Dag;
use crate::Variable;

/// Answers d-separation queries on one DAG, reusing its scratch memory (the ball-reachability algorithm; linear in the
/// number of arcs).
#[derive(Debug, Clone)]
pub struct DSeparation<'g> {
    dag: &'g Dag,
    given: Vec<bool>,
    ancestor_of_given: Vec<bool>,
    seen: Vec<[bool; 2]>,
    stack: Vec<(Variable, bool)>,
}

impl<'g> DSeparation<'g> {
    /// Prepares for queries on a DAG.
    pub fn new(dag: &'g Dag) -> Self {
        let p = dag.n_variables();
        Self {
            dag,
            given: vec![false; p],
            ancestor_of_given: vec![false; p],
            seen: vec![[false; 2]; p],
            stack: Vec::new(),
        }
    }

    /// Whether `given` d-separates x and y (distinct, neither in `given`).
    pub fn separated(&mut self, x: Variable, y: Variable, given: &[Variable]) -> bool {
        self.given.fill(false);
        self.ancestor_of_given.fill(false);
        self.seen.fill([false; 2]);
        let mut ancestors: Vec<Variable> = given.to_vec();
        for &z in given {
            self.given[z as usize] = true;
        }
        while let Some(z) = ancestors.pop() {
            if !std::mem::replace(&mut self.ancestor_of_given[z as usize], true) {
                ancestors.extend_from_slice(self.dag.parents(z));
            }
        }
        // (variable, arrived from a child): leave x as if from a child, so that both directions are open.
        self.stack.clear();
        self.stack.push((x, true));
        while let Some((v, from_child)) = self.stack.pop() {
            if v == y {
                return false;
            }
            if std::mem::replace(&mut self.seen[v as usize][usize::from(from_child)], true) {
                continue;
            }
            let observed = self.given[v as usize];
            if from_child && !observed {
                self.stack.extend(self.dag.parents(v).iter().map(|&u| (u, true)));
                self.stack.extend(self.dag.children(v).iter().map(|&u| (u, false)));
            } else if !from_child {
                if !observed {
                    self.stack.extend(self.dag.children(v).iter().map(|&u| (u, false)));
                }
                if self.ancestor_of_given[v as usize] {
                    self.stack.extend(self.dag.parents(v).iter().map(|&u| (u, true)));
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_cases() {
        // 0 → 1 → 2, 0 → 3 ← 2, 3 → 4
        let dag = Dag::from_arcs(5, [(0, 1), (1, 2), (0, 3), (2, 3), (3, 4)]).unwrap();
        let mut d = DSeparation::new(&dag);
        assert!(!d.separated(0, 2, &[]));
        assert!(d.separated(0, 2, &[1]));
        assert!(!d.separated(0, 2, &[1, 3]), "a conditioned collider opens");
        assert!(!d.separated(0, 2, &[1, 4]), "a conditioned descendant of a collider opens");
        assert!(!d.separated(1, 3, &[0]));
        assert!(d.separated(1, 3, &[0, 2]));
        assert!(d.separated(0, 4, &[3]) && !d.separated(0, 4, &[1]));
    }
}
