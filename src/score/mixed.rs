//! The score of numbers beside categories.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::blocks::BlockFactor;
use super::discrete::DiscreteScoreKind;
use super::exact::{Exact, MixedEngine};
use super::exact_gains::{Charges, ExactGains};
use super::likelihood::{per_parameter, per_parent};
use super::wide::{Left, WideBlocks};
use super::{LocalScore, ScoreSession};
use crate::data::{DiscreteData, MixedData};
use crate::run::Run;
use crate::{Result, SortedSet, Variable, VariableSet};

/// What few rows add to the charge for each parent, in rows. Of 30 independent columns it leaves fewer than half a false edge
/// on average, whatever the rows and columns.
const FEW_ROWS: f64 = 100.0;
/// Rows that a family needs for each embedded column.
const ROWS_PER_COLUMN: usize = 5;

/// The degenerate Gaussian score (Andrews, Ramsey and Cooper 2019) of an embedding, with exact gains of categories.
///
/// With |R_V| the determinant of the blocks of V in the embedding's correlation matrix and w the widths of blocks,
///
/// ```text
/// S(V) = −n/2 · ln|R_V| − λ ln n · Σ_{pairs of V} w_u w_v + E(categories of V)
/// ```
///
/// and the local score of x given P is S(P ∪ x) − S(P) − γ ln p · (1 + 100/n) · |P|; the bracket makes up for
/// distributions that are far from their limits with few rows. Families of more columns than n/5 are too wide for the
/// rows: C(V) = ½ n ln n · (w_V − n/5)² is taken off there, which is more than any fit gains, and is a function of sets as
/// well. E(A) is what the gain of the multinomial score
/// of the categories A over their independence exceeds the embedded gain by, at least 0: for categories alone the
/// larger of the two counts. S is a function of sets, so that equivalent DAGs score alike, up to rounding. Of weighted rows n
/// is the effective number.
#[derive(Debug)]
pub struct MixedBic<'a> {
    data: &'a MixedData,
    wide: WideBlocks,
    exact: Option<(Exact<'a>, Charges)>,
    penalty: f64,
    per_parent: f64,
    name: &'static str,
}

impl<'a> MixedBic<'a> {
    /// The score with penalty λ (½ is BIC), γ of the extended BIC if any, and an engine that counts the categories of the
    /// data: `None` leaves E out.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Parameter`] unless λ and γ are finite and at least 0.
    pub fn new(
        data: &'a MixedData,
        engine: Option<&'a MixedEngine<'a>>,
        lambda: f64,
        gamma: Option<f64>,
        exact: DiscreteScoreKind,
    ) -> Result<Self> {
        let penalty = per_parameter(lambda, data.effective_rows())?;
        let few_rows = 1.0 + FEW_ROWS / data.effective_rows();
        let per_parent = few_rows * per_parent(gamma.unwrap_or(0.0), data.n_variables())?;
        let charges = |categories: &DiscreteData| Charges {
            widths: (0..data.n_variables() as Variable)
                .filter(|&x| data.category(x).is_some())
                .map(|x| data.width(x))
                .collect(),
            arities: categories.arities().to_vec(),
            per_pair: penalty,
            per_parameter: match exact {
                DiscreteScoreKind::Bic(lambda) => per_parameter(lambda, data.effective_rows()).ok(),
                _ => None,
            },
        };
        let exact = match (engine, data.categories()) {
            (Some(engine), Some(categories)) => Some((Exact::new(engine, exact)?, charges(categories))),
            _ => None,
        };
        let name = if gamma.is_some() { "mixed-ebic" } else { "mixed-bic" };
        let wide = WideBlocks::of(data);
        Ok(Self { data, wide, exact, penalty, per_parent, name })
    }

    /// The embedded score of a child of which the parents leave a block of this log determinant.
    fn embedded(&self, child: Variable, log: f64, parents_width: usize, n_parents: usize) -> f64 {
        let own = self.data.width(child);
        let pairs = (own * parents_width) as f64;
        let crowded = self.crowding(own + parents_width) - self.crowding(own) - self.crowding(parents_width);
        -0.5 * self.data.effective_rows() * log - self.penalty * pairs - self.per_parent * n_parents as f64 - crowded
    }

    /// C of a set of this width.
    fn crowding(&self, width: usize) -> f64 {
        let n = self.data.effective_rows();
        let over = width.saturating_sub(n as usize / ROWS_PER_COLUMN) as f64;
        0.5 * n * n.ln() * over * over
    }

    fn width_of(&self, variables: &[Variable]) -> usize {
        variables.iter().map(|&x| self.data.width(x)).sum()
    }
}

impl LocalScore for MixedBic<'_> {
    type Session<'s>
        = MixedSession<'s>
    where
        Self: 's;

    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    fn session(&self) -> MixedSession<'_> {
        MixedSession {
            score: self,
            factor: BlockFactor::default(),
            of_set: BlockFactor::default(),
            exact: self.exact.as_ref().map(|(exact, charges)| ExactGains::new(exact.session(), charges)),
            excesses: FxHashMap::default(),
            alone: FxHashMap::default(),
        }
    }

    fn prepare_pairs(&self, run: &Run) -> Result<()> {
        self.exact.as_ref().map_or(Ok(()), |(score, _)| score.prepare_pairs(run))
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }
}

/// Sets whose excess a session remembers before it starts anew.
const REMEMBERED_SETS: usize = 1 << 18;
/// From so many candidates on the categories are counted together.
const MANY: usize = 8;

/// One thread's access to a [`MixedBic`].
#[derive(Debug)]
pub struct MixedSession<'s> {
    score: &'s MixedBic<'s>,
    /// Of the parents, and then more.
    factor: BlockFactor,
    of_set: BlockFactor,
    exact: Option<ExactGains<'s>>,
    /// E of sets of variables.
    excesses: FxHashMap<VariableSet, f64>,
    /// The log determinant of a block.
    alone: FxHashMap<Variable, f64>,
}

impl MixedSession<'_> {
    /// E of a set of categories, by the numbers of their variables; its exact gain where it is known.
    fn excess(&mut self, set: &[Variable], exact: Option<f64>) -> f64 {
        if set.len() < 2 {
            return 0.0;
        }
        let data = self.score.data;
        let categories: VariableSet = set.iter().filter_map(|&x| data.category(x)).collect();
        let Some(gains) = &mut self.exact else { return 0.0 };
        let charge = gains.charge(&categories);
        // The embedded gain is not below −charge: no determinant is needed for what is far below it, nor memory.
        if exact.is_some_and(|exact| exact <= -charge) {
            return 0.0;
        }
        if let Some(&known) = self.excesses.get(set) {
            return known;
        }
        let exact = exact.unwrap_or_else(|| {
            if gains.is_hopeless(&categories) { f64::NEG_INFINITY } else { gains.gain(&categories) }
        });
        let found = if exact <= -charge {
            0.0
        } else {
            let alone: f64 = set.iter().map(|&x| self.log_alone(x)).sum();
            let log = self.log_determinant(set) - alone;
            (exact - (-0.5 * data.effective_rows() * log - charge)).max(0.0)
        };
        if self.excesses.len() >= REMEMBERED_SETS {
            self.excesses.clear();
        }
        self.excesses.insert(VariableSet::from_slice(set), found);
        found
    }

    fn log_alone(&mut self, x: Variable) -> f64 {
        if let Some(&known) = self.alone.get(&x) {
            return known;
        }
        let found = self.log_determinant(&[x]);
        self.alone.insert(x, found);
        found
    }

    /// The logarithm of the determinant of some blocks.
    fn log_determinant(&mut self, set: &[Variable]) -> f64 {
        let MixedBic { data, wide, .. } = self.score;
        let left = wide.left(data, &wide.among(set));
        self.of_set.clear();
        let narrow = set.iter().filter(|&&x| !wide.contains(x));
        let log: f64 = narrow.map(|&x| wide.push(&mut self.of_set, data, left.as_deref(), x)).sum();
        log + left.map_or(0.0, |left| left.log)
    }

    /// The logarithm of the determinant of what the parents leave of the child's block.
    fn log_left(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let MixedBic { data, wide, .. } = self.score;
        if wide.contains(child) {
            let family: VariableSet = VariableSet::from_slice(parents).with(child);
            return self.log_determinant(&family) - self.log_determinant(parents);
        }
        let left = self.factorise(parents);
        wide.push(&mut self.factor, data, left.as_deref(), child)
    }

    /// What E adds to the local score of a category given the categories among its parents.
    fn exactness(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let data = self.score.data;
        if self.exact.is_none() || data.category(child).is_none() {
            return 0.0;
        }
        let of: VariableSet = parents.iter().copied().filter(|&x| data.category(x).is_some()).collect();
        if of.is_empty() { 0.0 } else { self.excess(&of.with(child), None) - self.excess(&of, None) }
    }

    /// Factors the narrow parents, given the wide ones; returns what these leave.
    fn factorise(&mut self, parents: &[Variable]) -> Option<Arc<Left>> {
        let MixedBic { data, wide, .. } = self.score;
        let left = wide.left(data, &wide.among(parents));
        self.factor.clear();
        for &x in parents.iter().filter(|&&x| !wide.contains(x)) {
            wide.push(&mut self.factor, data, left.as_deref(), x);
        }
        left
    }
}

impl ScoreSession for MixedSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        let log = self.log_left(child, parents);
        let embedded = self.score.embedded(child, log, self.score.width_of(parents), parents.len());
        embedded + self.exactness(child, parents)
    }

    /// Factors the parents once. A candidate takes its place in the order of the indices, so that the result is that of
    /// [`ScoreSession::local_score`] to the bit; what comes after it is done again.
    fn local_scores_with_each(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        out: &mut Vec<f64>,
    ) {
        let score = self.score;
        let (data, k) = (score.data, parents.len());
        let width = score.width_of(parents);
        out.clear();
        let child_is_category = data.category(child).is_some() && self.exact.is_some();
        let of: VariableSet = parents.iter().copied().filter(|&x| data.category(x).is_some()).collect();
        // Counted together: the categories of the parents, and of the family, with each candidate.
        let mut of_parents: Option<Arc<[f64]>> = None;
        let mut of_family: Option<Arc<[f64]>> = None;
        if let (Some(exact), true) = (&mut self.exact, child_is_category && candidates.len() >= MANY) {
            let numbers: VariableSet = of.iter().filter_map(|&x| data.category(x)).collect();
            of_parents = (!numbers.is_empty()).then(|| exact.gains(&numbers));
            let child = data.category(child).unwrap_or_default();
            of_family = Some(exact.gains(&numbers.with(child)));
        }
        let unchanged = self.exactness(child, parents);
        let family = of.with(child);
        // From the last place to the first: the factor of the parents before a place is a part of that before the next.
        let mut places: Vec<u32> = (0..candidates.len() as u32).collect();
        places.sort_unstable_by_key(|&i| std::cmp::Reverse(candidates[i as usize]));
        out.resize(candidates.len(), 0.0);
        // Wide ones leave no part of a factor to the next: they have their factors to themselves.
        let wide = &score.wide;
        let has_own = |candidate: Variable| wide.contains(child) || wide.contains(candidate);
        let mut logs = vec![0.0; candidates.len()];
        for (log, &candidate) in logs.iter_mut().zip(candidates).filter(|(_, candidate)| has_own(**candidate)) {
            *log = self.log_left(child, &VariableSet::from_slice(parents).with(candidate));
        }
        let left = self.factorise(parents);
        let narrow: VariableSet = parents.iter().copied().filter(|&x| !wide.contains(x)).collect();
        for i in places {
            let candidate = candidates[i as usize];
            let log = if has_own(candidate) {
                logs[i as usize]
            } else {
                let at = narrow.partition_point(|&parent| parent < candidate);
                self.factor.truncate(at);
                wide.push(&mut self.factor, data, left.as_deref(), candidate);
                for &parent in &narrow[at..] {
                    wide.push(&mut self.factor, data, left.as_deref(), parent);
                }
                wide.push(&mut self.factor, data, left.as_deref(), child)
            };
            let embedded = score.embedded(child, log, width + data.width(candidate), k + 1);
            let exactness = match data.category(candidate) {
                Some(number) if child_is_category => {
                    let known = |row: &Option<Arc<[f64]>>| row.as_ref().map(|row| row[number as usize]);
                    let (without, whole) = (known(&of_parents), known(&of_family));
                    self.excess(&family.with(candidate), whole) - self.excess(&of.with(candidate), without)
                }
                _ => unchanged,
            };
            out[i as usize] = embedded + exactness;
        }
    }

    /// Candidates are screened with the candidate eliminated last: the fit gains as much either way, and then one forward
    /// substitution for each is all. What is not clearly below `least` by that is scored as it is alone. Where both are
    /// categories the exact gains may add, and nothing is screened, nor where one is wide.
    fn local_scores_above(
        &mut self,
        child: Variable,
        parents: &[Variable],
        candidates: &[Variable],
        least: f64,
        out: &mut Vec<f64>,
    ) {
        let score = self.score;
        let (data, k) = (score.data, parents.len());
        // More than what rounding does to factors of matrices with a ridge of 1/n.
        let margin = 1e-6 * data.effective_rows();
        let width = score.width_of(parents);
        let exact = data.category(child).is_some() && self.exact.is_some();
        let wide = &score.wide;
        if wide.contains(child) {
            return self.local_scores_with_each(child, parents, candidates, out);
        }
        let left = self.factorise(parents);
        let log = wide.push(&mut self.factor, data, left.as_deref(), child);
        let k_narrow = parents.iter().filter(|&&x| !wide.contains(x)).count();
        let unchanged = self.exactness(child, parents);
        let mut promising: Vec<Variable> = Vec::with_capacity(candidates.len());
        out.clear();
        for &candidate in candidates {
            if !(exact && data.category(candidate).is_some() || wide.contains(candidate)) {
                self.factor.truncate(k_narrow + 1);
                let given_all = wide.push(&mut self.factor, data, left.as_deref(), candidate);
                let gained = log + given_all - self.factor.last_given_first(k_narrow);
                let bound = score.embedded(child, gained, width + data.width(candidate), k + 1) + unchanged + margin;
                if bound <= least {
                    out.push(f64::NEG_INFINITY);
                    continue;
                }
            }
            promising.push(candidate);
            out.push(f64::NAN);
        }
        super::score_the_rest(self, child, parents, &promising, out);
    }
}
