//! What to compose: one choice for each stage.

use crate::graph::{Dag, UndirectedGraph};
use crate::independence::Alpha;
use crate::orient::ColliderRule;
use crate::orient::path::PathOptions;
use crate::search::ges::Schedule;
use crate::search::{BossOptions, SearchOptions};
use crate::skeleton::PcOptions;
use crate::skeleton::local::{LocalLearner, LocalOptions};
use crate::{Error, Result};

/// How the variables are partitioned for pPC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Partition {
    /// Not at all: one cluster, plain PC.
    One,
    /// By labels that are given, one for each variable.
    Labels(Vec<u32>),
    /// By clustering the distances between variables, which the caller of [`super::learn`] does.
    Clustered,
}

/// Stage 1: which pairs the later stages may connect.
#[derive(Debug, Clone)]
pub enum Restrict {
    /// All pairs.
    None,
    /// PC in a partition of the variables (paper, algorithm 2).
    PartitionedPc(Partition, PcOptions),
    /// A learner of neighbourhoods, whose skeleton keeps those pairs that find each other.
    Local(LocalLearner, LocalOptions),
    /// Partition, estimation and fusion (Gu and Zhou 2020): a skeleton and a DAG within it, from which an empty start then
    /// starts.
    Fusion(Partition, PcOptions),
    /// A skeleton that is given.
    Given(UndirectedGraph),
}

/// Which v-structures orientation and HGI are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VStructureRule {
    /// From the separating sets of PC or pPC (paper, equation "vs1").
    SeparatingSets,
    /// By an order-free rule from all sets that separate the ends of a triple, tested at the level of the skeleton (along
    /// PATH, at each threshold). The restriction must be PC or pPC.
    Decided {
        /// The rule.
        rule: ColliderRule,
        /// The largest conditioning set; `None` for no limit.
        max_conditioning_size: Option<usize>,
    },
    /// By testing all subsets of the smaller neighbourhood that contain the middle variable (paper, equation "vs2"): for
    /// skeletons without separating sets.
    Testing {
        /// The level of the tests.
        alpha: Alpha,
        /// The largest conditioning set; `None` for no limit.
        max_conditioning_size: Option<usize>,
    },
}

/// Stage 3: where the maximisation starts.
#[derive(Debug, Clone)]
pub enum Initialise {
    /// The graph without edges.
    Empty,
    /// The result of constraint-based orientation (paper, algorithm 6): a CPDAG, extended to a DAG where a later stage
    /// needs one.
    Oriented(VStructureRule),
    /// Hybrid greedy initialization (paper, algorithm 4).
    HybridGreedy(VStructureRule),
    /// A DAG that is given.
    Given(Dag),
}

/// Stage 4: how the score is maximised within the restriction.
#[derive(Debug, Clone)]
pub enum Maximise {
    /// Not at all: the initial graph is the result.
    None,
    /// Hill-climbing among DAGs, with a tabu list or restarts if so asked.
    HillClimb(SearchOptions),
    /// Greedy equivalence search among CPDAGs.
    Ges(Equivalence),
    /// Best order score search, over all pairs: it takes no restriction.
    Boss(Order),
}

/// How far greedy equivalence search may leave the restriction of stage 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adaptive {
    /// Not at all.
    #[default]
    No,
    /// By pairs that shield an unshielded triple: the restriction estimates the skeleton (ARGES-skeleton).
    Skeleton,
    /// By pairs that shield a v-structure: the restriction estimates the conditional-independence graph (ARGES-CIG).
    Cig,
}

/// Greedy equivalence search as a stage; see [`GesOptions`](crate::search::ges::GesOptions).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equivalence {
    /// Use insertions.
    pub forward: bool,
    /// Use deletions.
    pub backward: bool,
    /// Use turns.
    pub turning: bool,
    /// Order of the operators.
    pub schedule: Schedule,
    /// How the restriction of stage 1 is kept (in stage 5 there is none).
    pub adaptive: Adaptive,
    /// Where there is no restriction: the level of the marginal tests that say which insertions are scored
    /// ([`ActiveSet::Screened`](crate::search::ActiveSet::Screened)); `None` for all.
    pub screen: Option<Alpha>,
    /// The most parents of a variable.
    pub max_parents: Option<usize>,
    /// The budget of extended search in local scores.
    pub budget: Option<u64>,
}

/// Search among orders as a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// Its options, but for the pairs that are active.
    pub options: BossOptions<'static>,
    /// The level of the marginal tests that say which arcs are scored
    /// ([`ActiveSet::Screened`](crate::search::ActiveSet::Screened)); `None` for all.
    pub screen: Option<Alpha>,
}

/// Stage 5: how the result is improved further, over all pairs.
#[derive(Debug, Clone)]
pub enum Refine {
    /// Hill-climbing over all pairs.
    Free(SearchOptions),
    /// Hill-climbing over an active set that grows around what has changed.
    Growing(SearchOptions),
    /// Best order score search, from the order of the result.
    Boss(Order),
    /// Greedy equivalence search over all pairs, from the class of the result.
    Ges(Equivalence),
}

/// A composition of stages. Every method of the paper is one; see [`super::learn`].
#[derive(Debug, Clone)]
pub struct Hybrid {
    /// Stage 1.
    pub restrict: Restrict,
    /// Stage 2: p-value adjacency thresholding (paper, algorithm 3). It needs the maximum p-values that PC and pPC leave;
    /// a path of length 1 means none.
    pub select: PathOptions,
    /// Stage 3.
    pub initialise: Initialise,
    /// Stage 4.
    pub maximise: Maximise,
    /// Stage 5, in order.
    pub refine: Vec<Refine>,
    /// The most parents a variable may have, in every stage. Searches may have a lower limit of their own, which then holds
    /// for what they start from and for what they make.
    pub max_parents: Option<usize>,
}

impl Maximise {
    /// The search's own limit of parents; `None` where there is no search.
    fn limit(&self) -> Option<Option<usize>> {
        match self {
            Self::None => None,
            Self::HillClimb(options) => Some(options.max_parents),
            Self::Ges(options) => Some(options.max_parents),
            Self::Boss(order) => Some(order.options.max_parents),
        }
    }
}

impl Refine {
    /// The search's own limit of parents.
    fn limit(&self) -> Option<usize> {
        match self {
            Self::Free(options) | Self::Growing(options) => options.max_parents,
            Self::Ges(options) => options.max_parents,
            Self::Boss(order) => order.options.max_parents,
        }
    }
}

impl Hybrid {
    /// The limits of parents of the searches, in order.
    fn limits(&self) -> impl DoubleEndedIterator<Item = Option<usize>> + '_ {
        self.maximise.limit().into_iter().chain(self.refine.iter().map(Refine::limit))
    }

    /// The limit of the search that begins, which the initial graph keeps too.
    pub(super) fn limit_of_start(&self) -> Option<usize> {
        self.limits().next().flatten()
    }

    /// The limit of the search that comes last.
    pub(super) fn limit_of_result(&self) -> Option<usize> {
        self.limits().next_back().flatten()
    }

    /// Refuses a limit of parents where no stage could keep it: orientation keeps the edges that tests leave.
    pub(super) fn refuse_limit_of_nothing(&self) -> Result<()> {
        if self.max_parents.is_some()
            && matches!(self.initialise, Initialise::Oriented(_))
            && self.limits().next().is_none()
        {
            let problem = "an oriented skeleton keeps the edges that tests leave, and no search follows that could drop \
                           some; leave max_parents out, or choose maximize or refine";
            return Err(Error::parameter("max_parents", problem));
        }
        Ok(())
    }
}
