//! Hill-climbing among DAGs, with tabu list and random restarts.

use rand_chacha::rand_core::RngCore;

use super::candidates::{ActiveSet, Candidates};
use super::climber::Climber;
use super::moves::Move;
use super::prepare_pairs;
use super::tabu::TabuList;
use super::ties::TieRule;
use crate::graph::Dag;
use crate::knowledge::{Constraints, Scope};
use crate::random_numbers::{below, generator};
use crate::run::{Ledger, Phase, Run};
use crate::score::LocalScore;
use crate::{Result, Variable};

/// Going on past a local optimum without coming back to a structure visited lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabu {
    /// Number of structures listed, the latest ones (the paper's t₁).
    pub length: usize,
    /// Moves after the last new best structure until the search gives up (the paper's t₀).
    pub patience: usize,
}

impl Default for Tabu {
    /// 100 and 100, as in the paper.
    fn default() -> Self {
        Self { length: 100, patience: 100 }
    }
}

/// Climbing again from the best DAG after random changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarts {
    /// Number of restarts (the paper's r₀).
    pub count: usize,
    /// Random changes before each (the paper's r₁).
    pub perturbations: usize,
    /// Seed of the random changes.
    pub seed: u64,
}

/// Options of [`hill_climb`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// With a tabu list, or plain.
    pub tabu: Option<Tabu>,
    /// Which of several moves of equal gain is made.
    pub ties: TieRule,
    /// Random restarts.
    pub restarts: Option<Restarts>,
    /// The most parents a variable may have.
    pub max_parents: Option<usize>,
    /// The most moves in all, perturbations not counted.
    pub max_iterations: Option<usize>,
    /// The phase under which local scores are counted.
    pub phase: Phase,
}

impl Default for SearchOptions {
    /// Plain hill-climbing without limits.
    fn default() -> Self {
        Self {
            tabu: None,
            ties: TieRule::default(),
            restarts: None,
            max_parents: None,
            max_iterations: None,
            phase: Phase::Search,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The best DAG seen.
    pub dag: Dag,
    /// Its score: the local scores, added in the order of the variables.
    pub score: f64,
    /// Moves made, those after the best included.
    pub iterations: usize,
    /// Whether the search came to its own end (false: out of time or of iterations).
    pub complete: bool,
}

/// Hill-climbing from `start`: makes the move (an arc added, deleted or reversed) that gains most, until none gains.
///
/// With [`SearchOptions::tabu`] it then goes on with the best move that does not lead to one of the structures visited
/// last, even at a loss, until a number of moves have brought no new best (paper, section 4.1). The best DAG seen is
/// returned; its score is never below that of the start (as completed by knowledge).
///
/// * Arcs are added only between pairs of the active set, also by reversal. Arcs of `start` between other pairs
///   stay until they are deleted.
/// * Background knowledge: arcs of `start` that it forbids are dropped and required ones are inserted before the search;
///   no move breaks it.
/// * Of DAGs with the same score that with fewer arcs is better: an arc that gains nothing does not stay, not even one of `start`.
/// * Gains that differ by less than 10⁻¹² of the largest local score count as equal: [`TieRule`] decides between them. By
///   default the result does not depend on the order of columns.
/// * The result does not depend on the number of threads.
///
/// Cost: one local score for every pair at the start, then one for every candidate of the one or two children that a
/// move changes. Each computed score counts as one call; x → y and y → x between two variables without parents at the
/// start count as one when the score is equal for equivalent DAGs.
///
/// # Errors
///
/// [`Error::Parameter`] when `start` has more than `max_parents` parents of a variable, [`Error::Graph`] when the number
/// of variables differs from the score's, [`Error::Knowledge`] when no DAG can have all that is required,
/// [`Error::Interrupted`].
///
/// # Examples
///
/// ```
/// use phgs::graph::Dag;
/// use phgs::knowledge::Knowledge;
/// use phgs::run::{Ledger, Run};
/// use phgs::score::{LocalScore, ScoreSession};
/// use phgs::search::{ActiveSet, SearchOptions, hill_climb};
/// use phgs::Variable;
///
/// // A score that likes the arcs 0 → 1 → 2 and nothing else.
/// struct Likes;
/// impl LocalScore for Likes {
///     type Session<'s> = Likes;
///     fn n_variables(&self) -> usize { 3 }
///     fn session(&self) -> Likes { Likes }
///     fn name(&self) -> &'static str { "likes" }
///     fn is_score_equivalent(&self) -> bool { false }
/// }
/// impl ScoreSession for Likes {
///     fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
///         parents.iter().map(|&x| if x + 1 == child { 1.0 } else { -1.0 }).sum()
///     }
/// }
/// let (run, mut ledger) = (Run::new(1)?, Ledger::new());
/// let found = hill_climb(
///     &Likes, &Dag::empty(3), ActiveSet::All, &SearchOptions::default(), &Knowledge::none(), &run, &mut ledger,
/// )?;
/// assert_eq!(found.dag, Dag::from_arcs(3, [(0, 1), (1, 2)])?);
/// assert_eq!(found.score, 2.0);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn hill_climb<'k, S: LocalScore>(
    score: &S,
    start: &Dag,
    active: ActiveSet<'_>,
    options: &SearchOptions,
    scope: impl Into<Scope<'k>>,
    run: &Run,
    ledger: &mut Ledger,
) -> Result<SearchResult> {
    let scope = scope.into();
    let p = score.n_variables();
    active.check(p, start)?;
    let dag = Constraints { scope, max_parents: options.max_parents }.start(start)?;
    run.progress().enter(options.phase, 0);
    if !matches!(active, ActiveSet::Pairs(_)) {
        prepare_pairs(score, run)?;
    }
    let candidates = Candidates::new(active, scope, p);
    let remember = options.tabu.is_some() || options.restarts.is_some();
    let max_parents = options.max_parents.unwrap_or(usize::MAX);
    let mut climber = Climber::new(score, dag, candidates, max_parents, options.ties, run, remember)?;
    let mut search = Search { options, run, left: options.max_iterations.unwrap_or(usize::MAX), iterations: 0 };
    let outcome = search.with_restarts(&mut climber);
    ledger.add_calls(options.phase, climber.calls());
    let complete = outcome?;
    let (dag, total) = (climber.dag().clone(), climber.total());
    Ok(SearchResult { dag, score: total, iterations: search.iterations, complete })
}

/// The course of one search.
struct Search<'a> {
    options: &'a SearchOptions,
    run: &'a Run,
    left: usize,
    iterations: usize,
}

impl Search<'_> {
    /// Climbs, and climbs again from perturbed graphs. The climber ends at the best DAG seen. Returns whether the search
    /// came to its own end.
    fn with_restarts<S: LocalScore>(&mut self, climber: &mut Climber<'_, '_, S>) -> Result<bool> {
        let mut complete = self.climb_and_grow(climber)?;
        let Some(restarts) = self.options.restarts else { return Ok(complete) };
        let pairs = climber.candidates().pairs(climber.dag());
        let mut rng = generator(restarts.seed);
        let mut best = climber.total();
        for _ in 0..restarts.count {
            if !complete {
                break;
            }
            let before = climber.dag().clone();
            perturb(climber, &pairs, restarts.perturbations, &mut rng)?;
            complete = self.climb_and_grow(climber)?;
            if climber.total() > best + climber.tolerance() {
                best = climber.total();
            } else {
                climber.return_to(&before)?;
            }
        }
        Ok(complete)
    }

    /// Climbs until no addition gains, of those left out either.
    fn climb_and_grow<S: LocalScore>(&mut self, climber: &mut Climber<'_, '_, S>) -> Result<bool> {
        if !climber.candidates().grow() {
            return self.climb(climber, self.options.tabu);
        }
        loop {
            // The tabu list comes in only where plain climbing has nothing left to gain.
            if !self.climb(climber, None)? {
                return Ok(false);
            }
            if climber.grow()? && climber.best_move(None)?.is_some_and(|(_, gain)| gain > climber.tolerance()) {
                continue;
            }
            if self.options.tabu.is_none() {
                return Ok(true);
            }
            let before = climber.total();
            let complete = self.climb(climber, self.options.tabu)?;
            if !complete || climber.total() <= before + climber.tolerance() {
                return Ok(complete);
            }
        }
    }

    /// Climbs to the best DAG seen, of equal scores with the fewest arcs: what is idle goes, and if then something gains
    /// that did not, climbing goes on.
    fn climb<S: LocalScore>(&mut self, climber: &mut Climber<'_, '_, S>, tabu: Option<Tabu>) -> Result<bool> {
        loop {
            let complete = self.climb_once(climber, tabu)?;
            let mut dropped = false;
            while complete
                && self.left > 0
                && let Some(step) = climber.idle_arc()
            {
                self.run.check()?;
                climber.make(step)?;
                self.left -= 1;
                self.iterations += 1;
                dropped = true;
            }
            if !dropped || climber.best_move(None)?.is_none_or(|(_, gain)| gain <= climber.tolerance()) {
                return Ok(complete);
            }
        }
    }

    /// One climb, to the best DAG that it sees.
    fn climb_once<S: LocalScore>(&mut self, climber: &mut Climber<'_, '_, S>, tabu: Option<Tabu>) -> Result<bool> {
        let mut tabu = tabu.map(|tabu| (TabuList::new(tabu.length), tabu.patience));
        if let Some((list, _)) = &mut tabu {
            list.push(climber.hash());
        }
        let mut best = climber.total();
        // Moves since the best DAG.
        let mut since: Vec<Move> = Vec::new();
        let mut complete = true;
        loop {
            self.run.check()?;
            if self.left == 0 || self.run.out_of_time() {
                complete = false;
                break;
            }
            let Some((step, gain)) = climber.best_move(tabu.as_ref().map(|(list, _)| list))? else { break };
            if tabu.is_none() && gain <= climber.tolerance() {
                break;
            }
            climber.make(step)?;
            self.left -= 1;
            self.iterations += 1;
            self.run.progress().advance(1);
            if let Some((list, _)) = &mut tabu {
                list.push(climber.hash());
            }
            let total = climber.total();
            if total > best + climber.tolerance() {
                best = total;
                since.clear();
            } else {
                since.push(step);
                if tabu.as_ref().is_some_and(|(_, patience)| since.len() >= *patience) {
                    break;
                }
            }
        }
        since.into_iter().rev().for_each(|step| climber.change(step.inverse()));
        climber.rescore_changed()?;
        Ok(complete)
    }
}

/// Makes random moves: a random pair of `pairs` (`None`: of all), and one of the moves it allows at random.
fn perturb<S: LocalScore>(
    climber: &mut Climber<'_, '_, S>,
    pairs: &Option<Vec<(Variable, Variable)>>,
    moves: usize,
    rng: &mut impl RngCore,
) -> Result<()> {
    let p = climber.dag().n_variables();
    let mut made = 0;
    // Where knowledge or the parent cap allow few moves, most draws are in vain: give up at some time.
    let mut draws = 1000 * (moves + 1);
    while made < moves && draws > 0 && p > 1 && pairs.as_ref().is_none_or(|pairs| !pairs.is_empty()) {
        draws -= 1;
        let (x, y) = match pairs {
            None => (below(rng, p) as Variable, below(rng, p) as Variable),
            Some(pairs) => pairs[below(rng, pairs.len())],
        };
        let (x, y) = if below(rng, 2) == 0 { (x, y) } else { (y, x) };
        let step = match (climber.dag().contains(x, y), climber.dag().contains(y, x)) {
            (true, _) => Move::Delete(x, y),
            (_, true) => Move::Reverse(y, x),
            _ => Move::Add(x, y),
        };
        if x != y && climber.allows(step) {
            climber.change(step);
            made += 1;
        }
    }
    climber.rescore_changed()
}
