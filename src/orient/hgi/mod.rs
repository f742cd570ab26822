//! Hybrid greedy initialisation (HGI, the paper's Algorithm 4): from a skeleton and its v-structures to a DAG, by
//! constraint-based orientations in the order in which they improve a score.
//!
//! The paper's 𝒢₀ is `rest`, the graph of edges still under consideration; 𝒢 is `dag`.

mod arrows;
mod sinks;

use super::VStructure;
use super::background::undirected_with_knowledge;
use super::undecided::Undecided;
use crate::graph::{Dag, Pdag, Reach, UndirectedGraph};
use crate::knowledge::{Constraints, Knowledge};
use crate::run::Run;
use crate::score::{LocalScore, ScoreCache};
use crate::{Result, SortedSet, Variable, VariableSet};

/// Options of [`hybrid_greedy_initialization`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HgiOptions {
    /// The largest number of parents of a variable; `None` for no limit.
    pub max_parents: Option<usize>,
}

/// A gain in score as it is compared: in units of 2⁻²⁰, so that gains that are equal but for rounding are ties.
type Gain = i64;

/// The gain of what must not be done.
const NEVER: Gain = Gain::MIN;

fn gain(after: f64, before: f64) -> Gain {
    ((after - before) * (1u32 << 20) as f64).round() as Gain
}

/// What all steps of one run of HGI share.
struct Hgi<'a, 's, S: LocalScore + 's> {
    /// The paper's 𝒢₀.
    rest: Pdag,
    /// The paper's 𝒢.
    dag: Dag,
    cache: &'a mut ScoreCache<'s, S>,
    knowledge: &'a Knowledge,
    /// None: as in the paper, what is not among the v-structures is none.
    undecided: Undecided<'static>,
    run: &'a Run,
    max_parents: usize,
    reach: Reach,
    /// Reused memory for batches of scores.
    scores: Vec<f64>,
}

impl<'s, S: LocalScore + 's> Hgi<'_, 's, S> {
    /// Whether from → to would close a directed cycle in the DAG.
    fn closes_cycle(&mut self, from: Variable, to: Variable) -> bool {
        let dag = &self.dag;
        self.reach.reaches(|x| dag.children(x), to, from)
    }

    /// Adds an arc, which closes no cycle, to both graphs.
    fn apply(&mut self, from: Variable, to: Variable) {
        self.rest.orient(from, to);
        let added = self.dag.try_insert(from, to);
        debug_assert!(added, "arc {from} → {to} closes a cycle");
    }

    /// Whether the run is cancelled or out of time: the step at hand then need not be finished.
    fn is_over(&self) -> bool {
        self.run.check().is_err() || self.run.out_of_time()
    }

    fn has_room(&self, x: Variable, more: usize) -> bool {
        self.dag.parents(x).len() + more <= self.max_parents
    }
}

/// A DAG from a skeleton and its v-structures.
///
/// 1. V-structures, greedily: at each step the one that most improves the score of its centre given the arcs so far,
///    while it improves it; those that would close a cycle, reverse an arc or exceed `max_parents` are discarded.
/// 2. Until nothing applies: remove complete sinks (variables with no arc outwards and no undirected edge) from
///    consideration; then the first of: (i) direct the edge into a potential sink that most improves the score; (ii)
///    delete the edge into a potential sink that would most worsen it; (iii) direct the edge compelled by rules R1 to
///    R4 that most improves it and closes no cycle; (iv) delete the compelled edge that would most worsen it.
///
/// Edges that are neither directed nor deleted at the end stay out of the DAG. Ties go to the lowest index: of the
/// centre, then the ends, of v-structures; of tail, then head, of edges.
///
/// With background knowledge, required arcs are there from the start. An edge that knowledge allows in one direction
/// only is decided between the two steps, by the score: all such edges that improve it are directed, best first, the
/// others deleted. Required edges without direction are directed whatever their score.
///
/// Once the run is out of time, the DAG so far is returned, with required edges directed.
///
/// # Errors
///
/// Those of [`Constraints::required_dag`], where no directions of the required edges keep `max_parents`;
/// [`crate::Error::Interrupted`] when the run is cancelled.
pub fn hybrid_greedy_initialization<S: LocalScore>(
    graph: &UndirectedGraph,
    v_structures: &[VStructure],
    cache: &mut ScoreCache<'_, S>,
    options: &HgiOptions,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<Dag> {
    let rest = undirected_with_knowledge(graph, knowledge);
    let p = rest.n_variables();
    // Required edges that are allowed in one direction only are required arcs.
    let required = rest.directed_edges().filter(|&(x, y)| knowledge.requires_edge(x, y));
    let dag = Dag::from_arcs(p, required)?;
    let max_parents = options.max_parents.unwrap_or(usize::MAX);
    let constraints = Constraints { scope: knowledge.into(), max_parents: options.max_parents };
    if !knowledge.is_empty() {
        constraints.required_dag(&dag)?;
    }
    // Arcs that knowledge directs but does not require: still to be decided.
    let forced: Vec<_> = rest.directed_edges().filter(|&(x, y)| !dag.contains(x, y)).collect();
    let undecided = Undecided::none();
    let mut hgi =
        Hgi { rest, dag, cache, knowledge, undecided, run, max_parents, reach: Reach::new(p), scores: Vec::new() };
    hgi.add_v_structures(v_structures)?;
    if !forced.is_empty() {
        hgi.add_forced(&forced)?;
    }
    hgi.extend()?;
    hgi.direct_required();
    // Where required edges found no room one by one, all of them together do.
    let Hgi { dag, cache, .. } = hgi;
    constraints.repair(dag, |child, base, others, room| Ok(cache.strongest_parents(child, base, others, room)))
}

impl<'s, S: LocalScore + 's> Hgi<'_, 's, S> {
    /// The parent, not a required one, without which the score of a variable is best.
    fn weakest_parent(&mut self, x: Variable) -> Option<Variable> {
        let parents = VariableSet::from_slice(self.dag.parents(x));
        let mut best: Option<(f64, Variable)> = None;
        for &parent in parents.iter().filter(|&&parent| !self.knowledge.requires_edge(parent, x)) {
            let score = self.cache.local_score(x, &parents.without(parent));
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, parent));
            }
        }
        best.map(|(_, parent)| parent)
    }

    /// Directs required edges that are left over. Where `max_parents` leaves no room, the weakest other parent gives way.
    fn direct_required(&mut self) {
        for (x, y) in self.knowledge.required_pairs() {
            if self.dag.adjacent(x, y) {
                continue;
            }
            let mut best: Option<(Gain, (Variable, Variable), Option<Variable>)> = None;
            for (from, to) in [(x, y), (y, x)] {
                if self.knowledge.allows_arc(from, to) && !self.closes_cycle(from, to) {
                    let before = self.cache.local_score(to, self.dag.parents(to));
                    let leaving = if self.has_room(to, 1) { None } else { self.weakest_parent(to) };
                    if leaving.is_none() && !self.has_room(to, 1) {
                        continue;
                    }
                    let parents = self.dag.parents(to);
                    let parents = leaving.map_or_else(|| VariableSet::from_slice(parents), |x| parents.without(x));
                    self.cache.local_scores_with_each(to, &parents, &[from], &mut self.scores);
                    let gain = gain(self.scores[0], before);
                    if best.is_none_or(|(other, ..)| gain > other) {
                        best = Some((gain, (from, to), leaving));
                    }
                }
            }
            let Some((_, (from, to), leaving)) = best else { continue };
            if let Some(parent) = leaving {
                self.dag.remove(parent, to);
            }
            self.apply(from, to);
        }
    }
}
