//! Quotient normalized maximum likelihood, and its form in which the cells that occur are coded.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::likelihood::per_parent;
use super::regret::{Cells, Regrets};
use super::unit::ScoreUnit;
use super::{LocalScore, ScoreSession};
use crate::counts::{CellSum, CountingEngine, CountingSession, FixedSum, SharedSums};
use crate::run::Run;
use crate::{Result, SortedSet, Variable, VariableSet};

/// The quotient NML score (Silander, Leppä-aho, Jääsaari and Roos 2018), and the same with the support coded.
///
/// The local score of x with parents Π is G({x} ∪ Π) − G(Π) − γ ln p |Π|, where p is the number of variables and G a function
/// of a set of variables alone. With F(S) = Σ n ln n over the cells of the table of S, N rows, |S| cells of which K(S) occur,
/// and C(N, r) the regret of the normalized maximum likelihood of a multinomial with r states,
///
/// * quotient NML has G(S) = F(S) − ln C(N, |S|),
/// * with the support coded, G(S) = F(S) − ln C(N, K(S)) − ln binomial(|S|, K(S)): the code says which cells occur and then
///   codes the rows over these. Where all cells occur the two are the same; where a table has structural zeros the second
///   charges for what occurs.
///
/// Equivalent DAGs have equal scores by construction, bit for bit: each G is rounded to a power of two near 2⁻⁵⁰ N ln N.
/// Natural logarithms; larger is better.
#[derive(Debug)]
pub struct QuotientNml<'e, 'd> {
    engine: &'e CountingEngine<'d>,
    unit: ScoreUnit,
    support_coded: bool,
    per_parent: f64,
    regrets: Regrets,
    /// G of sets joined with each of many variables, for all sessions.
    rows: RwLock<SharedSums>,
}

impl<'e, 'd> QuotientNml<'e, 'd> {
    /// Quotient NML with γ.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`](crate::Error::Parameter) when γ is negative or not finite.
    pub fn new(engine: &'e CountingEngine<'d>, gamma: f64) -> Result<Self> {
        let unit = ScoreUnit::of_sums(engine.scale());
        let per_parent = unit.round(per_parent(gamma, engine.shape().n_variables())?);
        let regrets = Regrets::new(engine.shape().n_rows());
        Ok(Self { engine, unit, support_coded: false, per_parent, regrets, rows: RwLock::default() })
    }

    /// The score with the support coded, with γ.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn support_coded(engine: &'e CountingEngine<'d>, gamma: f64) -> Result<Self> {
        Ok(Self { support_coded: true, ..Self::new(engine, gamma)? })
    }

    /// The charge for a table of so many cells, of which so many occur, in units.
    fn charge(&self, cells: Cells, occupied: u32) -> i64 {
        // Tables of more than e^10,000 cells are taken as that large, so that differences stay whole numbers.
        const MOST: i64 = 1 << 60;
        let charge = if self.support_coded { self.regrets.of_support(cells, occupied) } else { self.regrets.of(cells) };
        self.unit.units(charge).min(MOST)
    }
}

impl LocalScore for QuotientNml<'_, '_> {
    type Session<'s>
        = QuotientNmlSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.engine.shape().n_variables()
    }

    fn session(&self) -> QuotientNmlSession<'_> {
        QuotientNmlSession {
            score: self,
            counting: self.engine.session(),
            values: FxHashMap::default(),
            charges: FxHashMap::default(),
            with_child: Vec::new(),
            without: Vec::new(),
            missing: Vec::new(),
            sums: Vec::new(),
            cell_sums: Vec::new(),
        }
    }

    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        if self.engine.has_too_many_pairs() {
            return Ok(());
        }
        if self.support_coded {
            self.engine.pairwise_with_cells(run)?
        } else {
            self.engine.pairwise(run)?
        };
        Ok(())
    }

    fn batch(&self, x: Variable) -> usize {
        self.engine.batch(x)
    }

    fn name(&self) -> &'static str {
        if self.support_coded { "sqnml" } else { "qnml" }
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// Sets whose G a session remembers before it starts anew; about 60 bytes each.
const REMEMBERED_SETS: usize = 1 << 17;

/// Up to so many sets are counted, and remembered, one by one: as many as the counting does.
const FEW: usize = 64;

/// Numbers of cells whose charge a session remembers before it starts anew.
const REMEMBERED_CHARGES: usize = 1 << 14;

/// One thread's access to a [`QuotientNml`].
#[derive(Debug)]
pub struct QuotientNmlSession<'s> {
    score: &'s QuotientNml<'s, 's>,
    counting: CountingSession<'s, 's>,
    /// G of sets, in units.
    values: FxHashMap<VariableSet, i64>,
    /// The charges of numbers of cells, by the bits of their logarithm, where the support is not coded.
    charges: FxHashMap<u64, i64>,
    with_child: Vec<FixedSum>,
    without: Vec<FixedSum>,
    missing: Vec<u32>,
    sums: Vec<FixedSum>,
    cell_sums: Vec<CellSum>,
}

impl QuotientNmlSession<'_> {
    /// G of a set in increasing order, in units.
    fn value(&mut self, set: &[Variable]) -> i64 {
        if let Some(&value) = self.values.get(set) {
            return value;
        }
        let sum = if self.score.support_coded {
            self.counting.cell_sum(set)
        } else {
            CellSum { sum: self.counting.sum_n_log_n(set), occupied: 0 }
        };
        let value = self.value_of(set, sum);
        self.remember(VariableSet::from_slice(set), value);
        value
    }

    fn remember(&mut self, set: VariableSet, value: i64) {
        if self.values.len() >= REMEMBERED_SETS {
            self.values.clear();
        }
        self.values.insert(set, value);
    }

    /// G of a set that was counted.
    fn value_of(&mut self, set: &[Variable], sum: CellSum) -> i64 {
        let cells = Cells::of(self.score.engine.shape(), set);
        ScoreUnit::units_of_sum(sum.sum) - self.charge(cells, sum.occupied)
    }

    fn charge(&mut self, cells: Cells, occupied: u32) -> i64 {
        if self.score.support_coded {
            return self.score.charge(cells, occupied);
        }
        if self.charges.len() >= REMEMBERED_CHARGES {
            self.charges.clear();
        }
        let score = self.score;
        *self.charges.entry(cells.ln.to_bits()).or_insert_with(|| score.charge(cells, 0))
    }

    /// G of a set in increasing order and each of `candidates`, in units, written to `out`.
    fn values_with_each(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        if self.score.support_coded {
            return self.values_by_cells(base, candidates, out);
        }
        // The sums have a memory of their own.
        let mut sums = std::mem::take(&mut self.sums);
        self.counting.sums_with_each(base, candidates, &mut sums);
        out.clear();
        // The charge is that of the arity.
        let mut known: Vec<(u32, i64)> = Vec::new();
        for (&candidate, &sum) in candidates.iter().zip(&sums) {
            let arity = self.score.engine.shape().arity(candidate);
            let charge = match known.iter().find(|(of, _)| *of == arity) {
                Some(&(_, charge)) => charge,
                None => {
                    let cells = Cells::of(self.score.engine.shape(), &base.with(candidate));
                    let charge = self.charge(cells, 0);
                    // A product that is not exact depends on the order of its factors.
                    if cells.number < (1u64 << 53) as f64 {
                        known.push((arity, charge));
                    }
                    charge
                }
            };
            out.push(FixedSum(ScoreUnit::units_of_sum(sum) - charge));
        }
        self.sums = sums;
    }

    /// The same where cells are counted: what is known, to this session or in the rows that all share, is not counted again.
    fn values_by_cells(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<FixedSum>) {
        let score = self.score;
        let p = score.engine.shape().n_variables();
        let mut missing = std::mem::take(&mut self.missing);
        let key = VariableSet::from_slice(base);
        score.rows.read().unwrap_or_else(PoisonError::into_inner).recall(&key, candidates, out, &mut missing);
        let is_wide = SharedSums::pays(candidates.len(), p);
        if !is_wide && missing.len() > FEW {
            self.recall(base, candidates, &mut missing, out);
        }
        if missing.len() <= FEW {
            let wanted: Vec<Variable> = missing.iter().map(|&at| candidates[at as usize]).collect();
            self.counting.expect_each(base, &wanted);
            if self.counting.asks() {
                for &at in &missing {
                    out[at as usize] = FixedSum(self.value(&base.with(candidates[at as usize])));
                }
            } else {
                self.values_counted(base, candidates, &mut missing, out);
            }
        } else {
            let all = 2 * candidates.len() >= p;
            let counted: Vec<Variable> = if all {
                // All variables at once cost little more.
                (0..p as Variable).filter(|v| base.binary_search(v).is_err()).collect()
            } else {
                missing.iter().map(|&at| candidates[at as usize]).collect()
            };
            let mut cell_sums = std::mem::take(&mut self.cell_sums);
            self.counting.cell_sums_with_each(base, &counted, &mut cell_sums);
            let mut values = Vec::with_capacity(counted.len());
            for (&candidate, &sum) in counted.iter().zip(&cell_sums) {
                let set = base.with(candidate);
                let value = self.value_of(&set, sum);
                values.push(FixedSum(value));
                if !is_wide {
                    self.remember(set, value);
                }
            }
            if all {
                for (out, candidate) in out.iter_mut().zip(candidates) {
                    *out = values[counted.binary_search(candidate).expect("no candidate is in the base")];
                }
            } else {
                missing.iter().zip(&values).for_each(|(&at, &value)| out[at as usize] = value);
            }
            if is_wide {
                let mut rows = score.rows.write().unwrap_or_else(PoisonError::into_inner);
                rows.keep(key, p, &counted, &values);
            }
            self.cell_sums = cell_sums;
        }
        self.missing = missing;
    }

    /// Writes what the session remembers, and leaves the positions of the other candidates.
    fn recall(&self, base: &[Variable], candidates: &[Variable], missing: &mut Vec<u32>, out: &mut [FixedSum]) {
        missing.retain(|&at| match self.values.get(&base.with(candidates[at as usize])) {
            Some(&value) => {
                out[at as usize] = FixedSum(value);
                false
            }
            None => true,
        });
    }

    /// The same of the few candidates at `missing`, each of whose sets is remembered.
    fn values_counted(
        &mut self,
        base: &[Variable],
        candidates: &[Variable],
        missing: &mut Vec<u32>,
        out: &mut [FixedSum],
    ) {
        self.recall(base, candidates, missing, out);
        let wanted: Vec<Variable> = missing.iter().map(|&at| candidates[at as usize]).collect();
        let mut cell_sums = std::mem::take(&mut self.cell_sums);
        self.counting.cell_sums_with_each(base, &wanted, &mut cell_sums);
        for (&at, &sum) in missing.iter().zip(&cell_sums) {
            let set = base.with(candidates[at as usize]);
            let value = self.value_of(&set, sum);
            self.remember(set, value);
            out[at as usize] = FixedSum(value);
        }
        self.cell_sums = cell_sums;
    }

    fn score(&self, family: i64, parents: i64, n_parents: usize) -> f64 {
        self.score.unit.value(family - parents) - self.score.per_parent * n_parents as f64
    }
}

impl ScoreSession for QuotientNmlSession<'_> {
    fn asks(&self) -> bool {
        self.counting.asks()
    }

    fn expect(&mut self, families: Vec<VariableSet>) {
        // Sums of pairs are prepared.
        self.counting.expect(families.into_iter().filter(|family| family.len() > 2));
    }

    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let (family, alone) = (self.value(&parents.with(child)), self.value(parents));
        self.score(family, alone, parents.len())
    }

    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        let (mut families, mut alone) = (std::mem::take(&mut self.with_child), std::mem::take(&mut self.without));
        self.values_with_each(&parents.with(child), candidates, &mut families);
        self.values_with_each(parents, candidates, &mut alone);
        out.clear();
        let both = families.iter().zip(&alone);
        out.extend(both.map(|(family, alone)| self.score(family.0, alone.0, parents.len() + 1)));
        (self.with_child, self.without) = (families, alone);
    }
}
