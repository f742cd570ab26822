//! The learners by name, for all variables or for one, and the symmetry correction.

use super::blankets;
use super::marginals::Marginals;
use super::searches::{Searches, search};
use super::target::Finding;
use crate::independence::{Alpha, IndependenceTest};
use crate::knowledge::Scope;
use crate::run::{Ledger, Phase, Run};
use crate::skeleton::{PairRecord, Skeleton};
use crate::{Error, Result, Variable, VariableSet};

/// A local skeleton learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalLearner {
    /// Max-min parents and children: the most careful choice of what to add, many tests.
    Mmpc,
    /// Semi-interleaved HITON-PC: the fewest tests of all.
    SiHitonPc,
    /// Interleaved HITON-PC: eliminates whenever it adds.
    HitonPc,
    /// GetPC: max-min parents and children that eliminates whenever it adds.
    GetPc,
    /// Hybrid parents and children: the most edges found, the most tests.
    Hpc,
    /// Fast-IAMB: few tests, large conditioning sets.
    FastIamb,
    /// Grow-Shrink: the plainest Markov blankets.
    GrowShrink,
    /// Incremental association Markov blankets: the strongest variable joins.
    Iamb,
    /// IAMB that shrinks whenever it grows.
    InterIamb,
    /// IAMB with control of the false discovery rate.
    IambFdr,
}

impl LocalLearner {
    /// All learners.
    pub const ALL: [Self; 10] = [
        Self::Mmpc,
        Self::SiHitonPc,
        Self::HitonPc,
        Self::GetPc,
        Self::Hpc,
        Self::FastIamb,
        Self::GrowShrink,
        Self::Iamb,
        Self::InterIamb,
        Self::IambFdr,
    ];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mmpc => "mmpc",
            Self::SiHitonPc => "si-hiton-pc",
            Self::HitonPc => "hiton-pc",
            Self::GetPc => "getpc",
            Self::Hpc => "hpc",
            Self::FastIamb => "fast-iamb",
            Self::GrowShrink => "gs",
            Self::Iamb => "iamb",
            Self::InterIamb => "inter-iamb",
            Self::IambFdr => "iamb-fdr",
        }
    }

    /// The learner of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|learner| learner.name() == name)
    }

    /// The largest conditioning set that the paper uses with the learner: 4 for HPC, 5 for the others.
    pub fn default_max_conditioning_size(self) -> usize {
        if self == Self::Hpc { 4 } else { 5 }
    }

    /// Whether skeletons come from Markov blankets that both ends agree on: of a pair that is in both blankets, the subsets of
    /// the smaller one are tested.
    pub(super) fn joins_blankets(self) -> bool {
        matches!(self, Self::GrowShrink | Self::Iamb | Self::InterIamb | Self::IambFdr)
    }
}

/// Options of [`local_skeleton`] and [`local_neighbourhood`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalOptions {
    /// The significance level α.
    pub alpha: Alpha,
    /// The largest conditioning set (m); `None` for no limit. Markov blankets then have at most m + 1 members.
    pub max_conditioning_size: Option<usize>,
}

impl LocalOptions {
    /// Options for a significance level, with the learner's usual limit for conditioning sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use phgs::independence::Alpha;
    /// use phgs::skeleton::local::{LocalLearner, LocalOptions};
    /// assert_eq!(LocalOptions::new(LocalLearner::Hpc, Alpha::default()).max_conditioning_size, Some(4));
    /// ```
    pub fn new(learner: LocalLearner, alpha: Alpha) -> Self {
        Self { alpha, max_conditioning_size: Some(learner.default_max_conditioning_size()) }
    }

    /// The same options with another limit for the size of conditioning sets.
    pub fn with_max_conditioning_size(self, max_conditioning_size: Option<usize>) -> Self {
        Self { max_conditioning_size, ..self }
    }
}

/// A neighbour of a target variable.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalNeighbour {
    /// The neighbour.
    pub variable: Variable,
    /// Logarithm of the largest p-value of all tests of the pair; −∞ for a required pair.
    pub max_log_p_value: f64,
    /// The conditioning set that gave it: the one that came closest to separating the pair.
    pub closest_set: VariableSet,
}

/// Learns a skeleton from the neighbourhoods of all variables, in parallel over variables.
///
/// All tests count under [`Phase::Within`], the marginal ones of all pairs that knowledge leaves open included. The skeleton has a record for each
/// adjacent pair and for each pair that depends marginally and was separated; Φ is the largest p-value of the pair in the
/// searches of both ends, except that an adjacent pair's is never above α (HPC keeps a neighbour that only one of its two
/// internal searches finds). Pairs that are left out for want of room in a blanket, or by a
/// false-discovery-rate rule, are not adjacent and have no record. A variable whose search is not done at the deadline of
/// the run has its required neighbours alone.
///
/// # Errors
///
/// [`Error::Interrupted`] when the run is cancelled.
///
/// # Examples
///
/// ```
/// use phgs::{graph::Dag, independence::DSeparationOracle, knowledge::Knowledge, run::{Ledger, Run}};
/// use phgs::skeleton::local::{LocalLearner, LocalOptions, local_skeleton};
/// let dag = Dag::from_arcs(4, [(0, 1), (2, 1), (1, 3)])?;
/// let (learner, mut ledger) = (LocalLearner::Mmpc, Ledger::new());
/// let options = LocalOptions::new(learner, Default::default());
/// let test = DSeparationOracle::new(&dag);
/// let skeleton = local_skeleton(learner, &test, &options, &Knowledge::none(), &Run::new(1)?, &mut ledger)?;
/// assert_eq!(skeleton.graph(), &dag.skeleton());
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn local_skeleton<'k, T: IndependenceTest>(
    learner: LocalLearner,
    test: &T,
    options: &LocalOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Skeleton> {
    let scope = scope.into();
    let p = test.n_variables();
    ledger.timed(Phase::Within, |ledger| {
        run.progress().enter(Phase::Within, p as u64);
        let marginals = match Marginals::of_all(test, options.alpha.log(), scope, run) {
            Err(Error::OutOfTime) => Marginals::none(p),
            other => other?,
        };
        ledger.add_calls(Phase::Within, marginals.tests());
        let searches = run.try_map(
            p,
            || test.session(),
            |session, x| {
                let x = x as Variable;
                let found = search(learner, false, session, x, p, &marginals, options, scope, run)?;
                run.progress().advance(1);
                Ok(found)
            },
        )?;
        let searches = if learner.joins_blankets() {
            blankets::neighbours_of_all(searches, test, &marginals, options, scope, run)?
        } else {
            searches
        };
        ledger.add_calls(Phase::Within, searches.iter().map(|(_, tests)| tests).sum());
        Ok(Skeleton::new(p, options.alpha, symmetric_records(&searches, options.alpha.log())))
    })
}

/// Learns the neighbours of one variable, with the symmetry correction: its own search and one for each neighbour found.
///
/// The result is that of [`local_skeleton`] around `target`, at the cost of p − 1 marginal tests for each search instead
/// of all p (p − 1) / 2. Neighbours come by increasing index. Tests count under [`Phase::Within`].
///
/// # Errors
///
/// [`Error::Parameter`] when the target does not exist; [`Error::Interrupted`].
///
/// # Examples
///
/// ```
/// use phgs::{graph::Dag, independence::DSeparationOracle, knowledge::Knowledge, run::{Ledger, Run}};
/// use phgs::skeleton::local::{LocalLearner, LocalOptions, local_neighbourhood};
/// let dag = Dag::from_arcs(4, [(0, 1), (2, 1), (1, 3)])?;
/// let (learner, mut ledger) = (LocalLearner::Hpc, Ledger::new());
/// let options = LocalOptions::new(learner, Default::default());
/// let test = DSeparationOracle::new(&dag);
/// let found = local_neighbourhood(learner, &test, 1, &options, &Knowledge::none(), &Run::new(1)?, &mut ledger)?;
/// assert_eq!(found.iter().map(|n| n.variable).collect::<Vec<_>>(), [0, 2, 3]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn local_neighbourhood<'k, T: IndependenceTest>(
    learner: LocalLearner,
    test: &T,
    target: Variable,
    options: &LocalOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<Vec<LocalNeighbour>> {
    let scope = scope.into();
    let p = test.n_variables();
    if target as usize >= p {
        return Err(Error::parameter("target", format!("there is no variable {target}; the data have {p}")));
    }
    ledger.timed(Phase::Within, |ledger| {
        let mut searches = Searches::new(learner, false, test, options, scope, run);
        let neighbours = if learner.joins_blankets() {
            blankets::neighbours_of_one(&mut searches, target)?
        } else {
            searches.agreed(target)?
        };
        ledger.add_calls(Phase::Within, searches.tests());
        Ok(neighbours
            .into_iter()
            .map(|y| {
                let stronger = searches.stronger(target, y).expect("both ends have found each other");
                LocalNeighbour {
                    variable: y,
                    max_log_p_value: stronger.max_log_p_value.min(options.alpha.log()),
                    closest_set: stronger.set.clone(),
                }
            })
            .collect())
    })
}

/// The records of pairs, from the findings of both ends: adjacent when both say so.
fn symmetric_records(searches: &[(Vec<Finding>, u64)], log_alpha: f64) -> Vec<PairRecord> {
    let mut records = Vec::new();
    for (x, (findings, _)) in searches.iter().enumerate() {
        let x = x as Variable;
        let above = findings.partition_point(|f| f.other < x);
        for finding in &findings[above..] {
            let of_other = &searches[finding.other as usize].0;
            // Both ends report every pair that depends marginally.
            let Ok(at) = of_other.binary_search_by_key(&x, |f| f.other) else { continue };
            let back = &of_other[at];
            let stronger = if back.max_log_p_value > finding.max_log_p_value { back } else { finding };
            let adjacent = finding.is_neighbour && back.is_neighbour;
            if !adjacent && stronger.max_log_p_value <= log_alpha {
                continue;
            }
            records.push(PairRecord {
                x,
                y: finding.other,
                max_log_p_value: if adjacent {
                    stronger.max_log_p_value.min(log_alpha)
                } else {
                    stronger.max_log_p_value
                },
                separating_set: stronger.set.clone(),
            });
        }
    }
    records
}
