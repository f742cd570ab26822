//! Exact gains of sets of categories over independence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::exact::ExactSession;
use crate::{SortedSet, Variable, VariableSet};

/// Numbers of gains that a session remembers in rows before it starts anew.
const REMEMBERED: usize = 1 << 22;

/// Each category's width in the embedding and number of states, and what is charged.
#[derive(Debug)]
pub(super) struct Charges {
    pub(super) widths: Vec<usize>,
    pub(super) arities: Vec<u32>,
    /// What the embedded score takes off for each pair of columns.
    pub(super) per_pair: f64,
    /// What the exact score takes off for each parameter: `None` where it charges in another way.
    pub(super) per_parameter: Option<f64>,
}

impl Charges {
    /// What the embedded score takes off a set of categories: its gain is not below this with the other sign.
    pub(super) fn of(&self, set: &[Variable]) -> f64 {
        let widths = set.iter().map(|&x| self.widths[x as usize]);
        let (total, squares) = widths.fold((0, 0), |(total, squares), width| (total + width, squares + width * width));
        self.per_pair * ((total * total - squares) / 2) as f64
    }
}

/// One thread's exact gains. Variables are numbers of categories.
#[derive(Debug)]
pub(super) struct ExactGains<'s> {
    session: ExactSession<'s>,
    charges: &'s Charges,
    /// Gains of a set and each other category.
    rows: FxHashMap<VariableSet, Arc<[f64]>>,
    /// The score of a category without parents.
    marginals: FxHashMap<Variable, f64>,
}

impl<'s> ExactGains<'s> {
    pub(super) fn new(session: ExactSession<'s>, charges: &'s Charges) -> Self {
        Self { session, charges, rows: FxHashMap::default(), marginals: FxHashMap::default() }
    }

    pub(super) fn charge(&self, set: &[Variable]) -> f64 {
        self.charges.of(set)
    }

    fn marginal(&mut self, category: Variable) -> f64 {
        let session = &mut self.session;
        *self.marginals.entry(category).or_insert_with(|| session.local_score(category, &[]))
    }

    /// The gain of a set over independence.
    pub(super) fn gain(&mut self, set: &[Variable]) -> f64 {
        let mut gain = 0.0;
        for (i, &x) in set.iter().enumerate().skip(1) {
            gain += self.session.local_score(x, &set[..i]) - self.marginal(x);
        }
        gain
    }

    /// Whether the gain of a set is surely no larger than any embedded gain, without a look at its table: the categories tell
    /// at most all but the most of their entropies of each other, and a table of so many cells costs more than that.
    pub(super) fn is_hopeless(&mut self, set: &[Variable]) -> bool {
        let Some(penalty) = self.charges.per_parameter else { return false };
        let (mut entropies, mut most, mut parameters, mut cells) = (0.0, 0.0f64, 0.0, 1.0);
        for &x in set {
            let arity = f64::from(self.charges.arities[x as usize]);
            let entropy = -self.marginal(x) - penalty * (arity - 1.0);
            entropies += entropy;
            most = most.max(entropy);
            parameters += arity - 1.0;
            cells *= arity;
        }
        // More than all rounding of scores.
        let slack = 1e-3 + 1e-9 * entropies;
        entropies - most + slack - penalty * (cells - 1.0 - parameters) <= -self.charges.of(set)
    }

    /// The gains of a set with each category: −∞ of those that are hopeless.
    pub(super) fn gains(&mut self, set: &[Variable]) -> Arc<[f64]> {
        if let Some(known) = self.rows.get(set) {
            return Arc::clone(known);
        }
        let n = self.charges.arities.len();
        let found: Arc<[f64]> = match set.split_last() {
            None => vec![0.0; n].into(),
            Some((&last, before)) => {
                let outside: Vec<Variable> = (0..n as Variable).filter(|x| set.binary_search(x).is_err()).collect();
                let others: Vec<Variable> =
                    outside.iter().copied().filter(|&x| !self.is_hopeless(&set.with(x))).collect();
                let mut row = vec![0.0; n];
                outside.iter().for_each(|&other| row[other as usize] = f64::NEG_INFINITY);
                if !others.is_empty() {
                    let fewer = self.gains(before);
                    let marginal = self.marginal(last);
                    let mut scores = Vec::new();
                    self.session.local_scores_with_each(last, before, &others, &mut scores);
                    for (&other, score) in others.iter().zip(scores) {
                        let mut without = fewer[other as usize];
                        if without == f64::NEG_INFINITY {
                            without = self.gain(&before.with(other));
                        }
                        row[other as usize] = without + score - marginal;
                    }
                }
                row.into()
            }
        };
        if (self.rows.len() + 1) * n.max(1) > REMEMBERED {
            self.rows.clear();
        }
        self.rows.insert(VariableSet::from_slice(set), Arc::clone(&found));
        found
    }
}
