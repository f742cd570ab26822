//! Greedy equivalence search: from class to class of equivalent DAGs, by the best insertion, deletion or turn.
//!
//! | what | where | source |
//! |---|---|---|
//! | GES: insertions, then deletions | [`ges`] with [`GesOptions::default`] | Chickering 2002 |
//! | turning phase | [`GesOptions::turning`] | Hauser and Bühlmann 2012, for observational data |
//! | ARGES-skeleton, ARGES-CIG | [`Restriction::Skeleton`], [`Restriction::Cig`] | Nandy, Hauser and Maathuis 2018 |
//! | deletions before turns before insertions | [`Schedule::Interleaved`] | XGES-0 of Nazaret and Blei 2024 |
//! | deletions that cost score, each followed by a search | [`Schedule::Extended`] | XGES of the same |
//! | likewise turns and insertions | [`Schedule::Extended`] | beyond it |
//! | likewise each variable cut loose | [`Schedule::CutLoose`], [`Schedule::Extended`] | beyond it |
//!
//! The classes are never rebuilt. An operator is kept with its gain until something near its variables changes; whether
//! a path blocks it is looked at only when it has the best gain, and looked at again only when an edge of the path that
//! blocked it has changed. Gains of all insertions into a variable come from whole rows, one evaluation of the score
//! for each set of parents.
//!
//! Ties: of operators with equal gains that of the lowest y (the variable that gets or loses a parent) is taken, then
//! of the lowest x, then of the clique that is first in lexicographic order. Gains within rounding of 0 (1e-9 plus
//! 1e-13 of the local score) count as none: an edge whose deletion costs no more goes. A search that rounding leads back to a class it has left ends there.

mod class;
mod extended;
mod generate;
mod informed;
mod operator;
mod operator_queue;
mod scores;
mod search;

#[cfg(test)]
mod tests;

use crate::graph::{Dag, Pdag, UndirectedGraph};
use crate::knowledge::Scope;
use crate::orient::{consistent_extension, forced_extension};
use crate::run::{Ledger, Phase, Run};
use crate::score::LocalScore;
use crate::search::prepare_pairs;
use crate::{Error, Result};

/// Which pairs insertions may connect.
#[derive(Debug, Clone, Copy, Default)]
pub enum Restriction<'a> {
    /// All.
    #[default]
    Unrestricted,
    /// The edges of a graph, and no others.
    Pairs(&'a UndirectedGraph),
    /// All, but an insertion is scored only where [`ActiveSet::Screened`](crate::search::ActiveSet::Screened) scores the
    /// arc that it stands for.
    Screened(&'a UndirectedGraph),
    /// The edges of an estimated skeleton and pairs that would shield an unshielded triple of the class at hand
    /// (ARGES-skeleton).
    Skeleton(&'a UndirectedGraph),
    /// The edges of an estimated conditional-independence graph and pairs that would shield a v-structure of the class
    /// at hand (ARGES-CIG).
    Cig(&'a UndirectedGraph),
}

/// In which order operators are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// A phase for each kind: insertions until none improves the score, then deletions, then turns.
    #[default]
    Phases,
    /// As [`Schedule::Phases`], round after round until a whole round changes nothing.
    Rounds,
    /// At each step a deletion if any improves the score, else a turn, else an insertion. It ends in classes that no
    /// operator improves, as rounds do, and usually in better ones.
    Interleaved,
    /// As [`Schedule::Interleaved`]; then each variable is cut loose from all others, and the search goes on from there. What
    /// ends with a better score is kept. A variable is tried again when something has changed around what its trial had
    /// changed, until none leads to a better class. It needs deletions, and leaves most of what [`Schedule::Extended`]
    /// leaves in a small part of its time.
    CutLoose,
    /// As [`Schedule::Interleaved`]; then changes that cost score are tried, each followed by a search: each variable is cut
    /// loose from all others; each deletion, then each turn, then insertions between variables two steps apart are made, the
    /// least costly first, and that pair is left as it is until nothing else gains. What ends with a better score is
    /// kept, and trials begin anew from there, until none leads to a better class. It needs deletions.
    Extended,
}

/// What a search may do.
#[derive(Debug, Clone, Copy)]
pub struct GesOptions<'a> {
    /// Use insertions.
    pub forward: bool,
    /// Use deletions.
    pub backward: bool,
    /// Use turns.
    pub turning: bool,
    /// Order of the operators.
    pub schedule: Schedule,
    /// Pairs that insertions may connect.
    pub restriction: Restriction<'a>,
    /// The most parents of a variable in any DAG of the class (all DAGs of a class have the same maximum).
    pub max_parents: Option<usize>,
    /// Of [`Schedule::CutLoose`] and [`Schedule::Extended`]: how many local scores may have been computed before no other costly change is tried;
    /// `None` for no limit. The same budget gives the same result on every machine.
    pub budget: Option<u64>,
    /// The phase that statistical calls are counted under.
    pub phase: Phase,
}

impl Default for GesOptions<'_> {
    fn default() -> Self {
        Self {
            forward: true,
            backward: true,
            turning: false,
            schedule: Schedule::Phases,
            restriction: Restriction::Unrestricted,
            max_parents: None,
            budget: None,
            phase: Phase::Search,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct GesResult {
    /// The CPDAG of the class.
    pub cpdag: Pdag,
    /// A DAG of the class that obeys the knowledge.
    pub dag: Dag,
    /// Its score.
    pub score: f64,
    /// Insertions made.
    pub insertions: usize,
    /// Deletions made.
    pub deletions: usize,
    /// Turns made.
    pub turns: usize,
    /// False when the time limit ended the search.
    pub complete: bool,
}

/// Searches from the class of a CPDAG (or of any graph with a consistent extension) for the class with the best score.
///
/// With knowledge every class on the way has a DAG that obeys it, and the DAG returned does; the class itself is that of
/// the data alone ([`crate::orient::cpdag_with_knowledge`] directs what knowledge compels besides). Required arcs that
/// `start` lacks are put in first.
///
/// # Errors
///
/// [`Error::Parameter`] when the score is not score equivalent, the schedule needs deletions that are not used, or `start`
/// has variables with more than `max_parents`
/// parents; [`Error::Graph`] when `start` has no consistent extension or graphs differ in their number of variables;
/// [`Error::Knowledge`] when no DAG of `start` obeys the knowledge; [`Error::Interrupted`].
///
/// # Examples
///
/// ```
/// use phgs::data::Correlation;
/// use phgs::graph::Pdag;
/// use phgs::knowledge::Knowledge;
/// use phgs::run::{Ledger, Run};
/// use phgs::score::GaussianBic;
/// use phgs::search::ges::{GesOptions, ges};
/// // 0 → 2 ← 1 with weights of one half.
/// let r = 0.5 / 1.5f64.sqrt();
/// let correlation = Correlation::from_matrix(&[vec![1.0, 0.0, r], vec![0.0, 1.0, r], vec![r, r, 1.0]], 1000)?;
/// let score = GaussianBic::new(&correlation, 0.5)?;
/// let (run, mut ledger) = (Run::new(1)?, Ledger::new());
/// let result = ges(&score, &Pdag::empty(3), &GesOptions::default(), &Knowledge::none(), &run, &mut ledger)?;
/// assert_eq!(result.cpdag.directed_edges().collect::<Vec<_>>(), [(0, 2), (1, 2)]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn ges<'k, S: LocalScore>(
    score: &S,
    start: &Pdag,
    options: &GesOptions<'_>,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<GesResult> {
    let scope = scope.into();
    let p = score.n_variables();
    if matches!(options.schedule, Schedule::CutLoose | Schedule::Extended) && !options.backward {
        return Err(Error::parameter("schedule", "a search that goes on from changes that cost score needs deletions"));
    }
    if !score.is_score_equivalent() {
        let problem = format!("{} gives equivalent DAGs different scores; use BIC, AIC or BDeu", score.name());
        return Err(Error::parameter("score", problem));
    }
    let of_restriction = match options.restriction {
        Restriction::Unrestricted => p,
        Restriction::Pairs(graph)
        | Restriction::Screened(graph)
        | Restriction::Skeleton(graph)
        | Restriction::Cig(graph) => graph.n_variables(),
    };
    for (name, size) in [("the start", start.n_variables()), ("the restriction", of_restriction)] {
        if size != p {
            return Err(Error::Graph(format!("{name} of a search over {p} variables has {size}")));
        }
    }
    let dag = match consistent_extension(start) {
        Some(dag) => dag,
        // Required edges may leave no way but to make a new v-structure.
        None if !scope.is_all() => forced_extension(start),
        None => return Err(Error::Graph("the start of a search over classes has no consistent extension".into())),
    };
    let dag = informed::with_required(dag, scope, options.max_parents)?;
    if matches!(options.restriction, Restriction::Unrestricted | Restriction::Screened(_)) && options.forward {
        run.progress().enter(options.phase, 0);
        prepare_pairs(score, run)?;
    }
    search::Search::new(score, &dag, options, scope, run)?.run(ledger)
}
