//! What a search knows of one child: its score, and those of the parent sets that are one arc away.

use crate::Variable;

/// What a search knows of one child with given parents.
#[derive(Debug)]
pub(super) struct ChildScores {
    /// The score with these parents.
    pub(super) score: f64,
    /// The scores with one more parent, best first (equal ones by index): all that improve, and some that do not.
    pub(super) additions: Vec<(f64, Variable)>,
    /// No addition left out has a better score (−∞: none is left out).
    pub(super) floor: f64,
    /// The scores without each of the parents, in their order.
    pub(super) deletions: Vec<f64>,
}

impl ChildScores {
    /// Those of a child with `n_parents` parents of whose neighbours nothing is known, as the search has no time left to
    /// make a move. Only the score counts then.
    pub(super) fn unknown(score: f64, n_parents: usize) -> Self {
        Self { score, additions: Vec::new(), floor: f64::NEG_INFINITY, deletions: vec![f64::NEG_INFINITY; n_parents] }
    }

    /// What all additions that gain do so in all, but for one.
    pub(super) fn gains(&self, but: Option<Variable>) -> f64 {
        let gains = self.additions.iter().map(|&(with, x)| (with - self.score, x));
        gains.take_while(|(gain, _)| *gain > 0.0).filter(|(_, x)| Some(*x) != but).map(|(gain, _)| gain).sum()
    }

    /// Sorts the additions and leaves out those that do not improve, but for `keep` of them, and those below `bound`, which others
    /// that were not scored may reach. A score that is not a number counts as −∞: such an arc is never added.
    pub(super) fn ranked(
        score: f64,
        free: &[Variable],
        scores: &[f64],
        bound: f64,
        deletions: Vec<f64>,
        keep: usize,
    ) -> Self {
        let mut floor = bound;
        let mut additions: Vec<(f64, Variable)> =
            scores.iter().zip(free).filter(|(with, _)| **with > bound).map(|(&with, &x)| (with, x)).collect();
        let best_first = |a: &(f64, Variable), b: &(f64, Variable)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let kept = additions.iter().filter(|(with, _)| *with > score).count() + keep;
        if kept < additions.len() {
            let (_, dropped, _) = additions.select_nth_unstable_by(kept, best_first);
            floor = dropped.0;
            additions.truncate(kept);
        }
        additions.sort_unstable_by(best_first);
        additions.shrink_to_fit();
        Self { score, additions, floor, deletions }
    }
}
