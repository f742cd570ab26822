//! Many conditional tests around one variable, the target: with each other variable given families of subsets of a pool.
//!
//! N times the conditional information of the target and x given S is E(S) − E(S ∪ {x}), with E(S) = F(S) − F(S and the
//! target) for N times the entropy of the target given S. So one number for each set serves a test of each of its members: the
//! numbers are remembered for the variables that were in a pool (the *roster*), and a set of six that is met for
//! the first time costs about a microsecond, see [`split`].

use smallvec::SmallVec;

use self::entropies::Entropies;
use self::sorted::{MAX_STRATA, Records};
use self::split::{Entropy, MAX_ROSTER, MAX_STATES, Split};
use crate::Variable;
use crate::counts::extend::each::Source;
use crate::counts::{CountingSession, InformationVisitor};
use crate::data::DiscreteData;
use crate::subsets::Combinations;

mod entropies;
mod leaf;
mod sorted;
mod split;

/// The sizes of conditioning sets.
const SIZES: std::ops::RangeInclusive<usize> = 3..=5;

/// Most rows: bits are numbered in 32 bits, and the planes of a roster are sorted anew for each prefix.
const MAX_ROWS: usize = 1 << 20;

/// What is kept around one target.
#[derive(Debug, Default)]
pub(crate) struct AroundTarget {
    target: Option<Variable>,
    roster: Vec<Variable>,
    records: Records,
    remembered: Entropies,
    /// Counts for sets of a family with the other variable of the test, and for those without.
    with_other: Split,
    without: Split,
}

impl AroundTarget {
    fn position(&self, variable: Variable) -> Option<u8> {
        self.roster.iter().position(|&v| v == variable).map(|at| at as u8)
    }

    /// Takes the target and all of `pool` (at most as many as a roster holds) in, and drops what is kept of others if need be.
    fn prepare(&mut self, data: &DiscreteData, target: Variable, pool: impl Iterator<Item = Variable> + Clone) {
        let new = pool.clone().filter(|&variable| self.position(variable).is_none()).count();
        if self.target != Some(target) || self.roster.len() + new > MAX_ROSTER {
            self.clear();
            self.target = Some(target);
        }
        for variable in pool {
            if self.position(variable).is_none() {
                self.roster.push(variable);
                self.remembered.push(variable);
                self.records.push(data, variable);
                self.with_other.sorted.invalidate();
                self.without.sorted.invalidate();
            }
        }
    }

    fn clear(&mut self) {
        self.target = None;
        self.roster.clear();
        self.records.clear();
        self.remembered.clear();
        self.with_other.sorted.invalidate();
        self.without.sorted.invalidate();
    }
}

impl CountingSession<'_, '_> {
    /// N times the conditional information of `target` and `other` given `with` (if any) and every subset of `size` of `pool`
    /// (distinct), in lexicographic order of positions, until `visitor` has enough: what
    /// [`conditional_information`](Self::conditional_information) tells. What many such calls for one target share is
    /// kept.
    ///
    /// False, and nothing is visited, where that does not apply: sets have three to five variables, those of the pool and
    /// `with` at most four states, the others few enough, and there are at most 1,048,576 rows.
    pub fn visit_around(
        &mut self,
        target: Variable,
        other: Variable,
        with: Option<Variable>,
        pool: &[Variable],
        size: usize,
        visitor: &mut impl InformationVisitor,
    ) -> bool {
        if !self.applies_around(target, other, with, pool, size) {
            return false;
        }
        let Some(Source { data, counter, scale, .. }) = self.engine.here() else { return false };
        let n_log_n = scale.table();
        self.around.prepare(data, target, pool.iter().copied().chain(with));
        let around = &mut self.around;
        let position = |variable: Variable| around.position(variable).expect("all are on the roster");
        let positions: SmallVec<[u8; 64]> = pool.iter().map(|&variable| position(variable)).collect();
        let always = with.map(position);
        let outside = around.position(other).is_none().then_some(other);
        let inside = around.position(other);
        let compute =
            |split: &mut Split, records: &Records, roster: &[Variable], first: Option<Variable>, set: &[u8]| {
                let (head, last) = set.split_at(set.len() - 3);
                let mut prefix: SmallVec<[Variable; 3]> = first.into_iter().collect();
                prefix.extend(head.iter().map(|&at| roster[usize::from(at)]));
                if split.sorted.sort(data, target, &prefix) {
                    split.reset(records);
                }
                let last = [0, 1, 2].map(|i| usize::from(last[i]));
                counter.run(Entropy { split, records, n_log_n, last })
            };
        let AroundTarget { roster, records, remembered, with_other, without, .. } = around;
        let mut subsets = Combinations::new(pool.len(), size);
        let (mut order, mut set) = (SmallVec::<[u8; 8]>::new(), SmallVec::<[u8; 8]>::new());
        while let Some(at) = subsets.next() {
            if visitor.wants(at) {
                order.clear();
                order.extend(always);
                order.extend(at.iter().map(|&at| positions[at]));
                set.clear();
                order.iter().for_each(|&at| insert(&mut set, at));
                let before = match remembered.get(&set, None) {
                    Some(entropy) => entropy,
                    None => {
                        let entropy = compute(without, records, roster, None, &order);
                        remembered.set(&set, None, entropy);
                        entropy
                    }
                };
                inside.into_iter().for_each(|at| insert(&mut set, at));
                let after = match remembered.get(&set, outside) {
                    Some(entropy) => entropy,
                    None => {
                        let entropy = compute(with_other, records, roster, Some(other), &order);
                        remembered.set(&set, outside, entropy);
                        entropy
                    }
                };
                if visitor.visit(at, before.wrapping_sub(after), None).is_break() {
                    break;
                }
            }
        }
        true
    }

    /// Whether [`visit_around`](Self::visit_around) applies.
    pub(crate) fn applies_around(
        &self,
        target: Variable,
        other: Variable,
        with: Option<Variable>,
        pool: &[Variable],
        size: usize,
    ) -> bool {
        let Some(Source { data, .. }) = self.engine.here() else { return false };
        let few = |&variable: &Variable| data.arity(variable) as usize <= MAX_STATES + 1;
        // The prefix has the other variable and at most two of the pool.
        let most = pool.iter().chain(&with).map(|&variable| data.arity(variable) as usize).max().unwrap_or(1);
        let ends = (data.arity(target) as usize).saturating_mul(data.arity(other) as usize);
        SIZES.contains(&(size + usize::from(with.is_some())))
            && data.n_rows() <= MAX_ROWS
            && pool.len() < MAX_ROSTER
            && pool.iter().chain(&with).all(few)
            && ends.saturating_mul(most * most) <= MAX_STRATA
    }
}

/// Puts a position where it belongs in an increasing list.
#[inline]
fn insert(set: &mut SmallVec<[u8; 8]>, position: u8) {
    let at = set.iter().rposition(|&other| other < position).map_or(0, |at| at + 1);
    set.insert(at, position);
}
