//! Which of several moves of equal gain is made.

use std::cmp::Ordering;

use super::moves::Move;
use crate::Variable;

/// How a climb decides between moves of equal gain. Additions always go before deletions before reversals.
///
/// The first arc of every component is a tie between its two directions, and so is every reversal within a class, so
/// the rule decides between local optima.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieRule {
    /// The arc (as it is after a reversal) into the head with the larger total association, then that from the tail
    /// with the smaller one, then the lower tail and the lower head. A variable's total association is what all arcs
    /// into it that gain at the start gain in all.
    ///
    /// Arcs into variables that much depends on make the v-structures there possible, while arcs out of them make all
    /// their neighbours dependent. The rule does not depend on the order of columns, but for exact ties of these too.
    Association,
    /// By association; and where the arc and the same arc the other way are both best, the one after which arcs into its
    /// head gain more than before, by more in all. That scores one or two more children a tie, which the next move may
    /// need anyway.
    ///
    /// Where the head has other causes they gain by it (they are dependent given the head); where it is itself a cause
    /// of what it depends on, or between, the others lose.
    #[default]
    Lookahead,
    /// The lower tail, then the lower head (of the arc as it is before a reversal): the order of columns decides, as in
    /// bnlearn.
    Columns,
}

/// The order among moves of equal gain.
pub(super) struct TieOrder {
    rule: TieRule,
    association: Vec<f64>,
}

impl TieOrder {
    /// `association` is asked for only where the rule needs it.
    pub(super) fn new(rule: TieRule, association: impl FnOnce() -> Vec<f64>) -> Self {
        Self { rule, association: if rule == TieRule::Columns { Vec::new() } else { association() } }
    }

    /// Whether the two directions of an arc are compared by what follows.
    pub(super) fn looks_ahead(&self) -> bool {
        self.rule == TieRule::Lookahead
    }

    /// Whether `a` goes before `b` (less) or after it.
    pub(super) fn compare(&self, a: Move, b: Move) -> Ordering {
        let kind = |step: Move| match step {
            Move::Add(..) => 0,
            Move::Delete(..) => 1,
            Move::Reverse(..) => 2,
        };
        let of_kind = kind(a).cmp(&kind(b));
        match self.rule {
            TieRule::Columns => of_kind.then_with(|| arc_before(a).cmp(&arc_before(b))),
            TieRule::Association | TieRule::Lookahead => {
                let of = |x: Variable| self.association[x as usize];
                let ((tail_a, head_a), (tail_b, head_b)) = (arc_after(a), arc_after(b));
                of_kind
                    .then_with(|| of(head_b).total_cmp(&of(head_a)))
                    .then_with(|| of(tail_a).total_cmp(&of(tail_b)))
                    .then((tail_a, head_a).cmp(&(tail_b, head_b)))
            }
        }
    }
}

/// The arc of a move, as it is before a reversal.
fn arc_before(step: Move) -> (Variable, Variable) {
    match step {
        Move::Add(tail, head) | Move::Delete(tail, head) | Move::Reverse(tail, head) => (tail, head),
    }
}

/// The arc of a move, as it is after a reversal.
fn arc_after(step: Move) -> (Variable, Variable) {
    match step {
        Move::Add(tail, head) | Move::Delete(tail, head) | Move::Reverse(head, tail) => (tail, head),
    }
}
