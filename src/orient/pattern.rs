//! From a skeleton and its v-structures to a CPDAG (the paper's Algorithm 6, `skel-to-cpdag`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::VStructure;
use super::background::undirected_with_knowledge;
use super::class::cpdag_with_knowledge;
use super::extension::{extension_within, forced_extension_within};
use super::meek::close;
use super::undecided::Undecided;
use crate::Variable;
use crate::graph::{Dag, EdgeMark, Pdag, Reach, UndirectedGraph};
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::{Error, Result};

/// A skeleton with its directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Oriented {
    /// The estimate: a CPDAG (the maximally directed graph, with background knowledge) when it is extendable.
    pub pdag: Pdag,
    /// Whether `pdag` has a consistent extension. Where nothing is undecided it then is its CPDAG.
    pub extendable: bool,
    /// Whether the estimate is valid: whether it has a consistent extension when undecided triples may be v-structures or
    /// not. A valid estimate without consistent extension has edges that only these can explain.
    pub valid: bool,
    /// A DAG that stands for the estimate: a consistent extension where it is valid, else a forced one
    /// ([`forced_extension`](super::forced_extension)).
    pub dag: Dag,
    /// The v-structures that were skipped because they conflict with others or with background knowledge, in the order
    /// in which they were tried; then the triples at which the rules contradicted each other (for these no separation speaks:
    /// the logarithm is −∞). The first [`MOST_CONFLICTS`] of them.
    pub conflicts: Vec<VStructure>,
    /// How many were skipped in all.
    pub n_conflicts: usize,
    /// Whether the skeleton was directed: false where the time of the run did not suffice. `pdag` is then the skeleton
    /// with background knowledge alone, `dag` holds none of its undirected edges, and `extendable` is false, as nobody
    /// has looked.
    pub directed: bool,
}

/// Conflicts that a result lists. A dense skeleton has as many as it has triples, millions, which nobody reads.
pub const MOST_CONFLICTS: usize = 10_000;

impl Oriented {
    /// A skeleton that nobody has directed but `knowledge`.
    pub(crate) fn undirected(graph: &UndirectedGraph, knowledge: &Knowledge) -> Self {
        let pdag = undirected_with_knowledge(graph, knowledge);
        let n_variables = graph.n_variables();
        let dag = Dag::from_arcs(n_variables, pdag.directed_edges()).unwrap_or_else(|_| Dag::empty(n_variables));
        Self { pdag, extendable: false, valid: false, dag, conflicts: Vec::new(), n_conflicts: 0, directed: false }
    }
}

/// Directs a skeleton: background knowledge first, then v-structures, then rules R1 to R4.
///
/// From samples, v-structures may contradict each other. They are tried by decreasing p-value of the separation; of
/// equals (to 10⁻⁹ of the p-value), those first that share arcs with most others. Each is applied whole or, when it would
/// reverse an arc, close a directed cycle or break `knowledge`, skipped whole. Where the evidence of some that contradict each
/// other is equal, all of these are skipped, so that nothing depends on the order of variables.
///
/// The estimate is valid when the pattern, that is the skeleton with knowledge and the applied v-structures, has a
/// consistent extension. The rules then lead to the CPDAG of that extension; otherwise they lead to a graph without
/// meaning as an equivalence class, which the result says.
///
/// Of a pair that knowledge forbids it is not known what would separate it. Triples with such ends are [`Undecided`]:
/// with them, the estimate directs what all consistent extensions share, and these may belong to several classes.
pub fn skeleton_to_cpdag(graph: &UndirectedGraph, v_structures: &[VStructure], knowledge: &Knowledge) -> Oriented {
    orient_skeleton(graph, v_structures, &Undecided::new(knowledge, []), knowledge)
}

/// [`skeleton_to_cpdag`] where some unshielded triples are undecided.
pub fn orient_skeleton(
    graph: &UndirectedGraph,
    v_structures: &[VStructure],
    undecided: &Undecided<'_>,
    knowledge: &Knowledge,
) -> Oriented {
    oriented(graph, v_structures, undecided, knowledge, &Run::unlimited()).expect("nobody cancels it")
}

/// [`orient_skeleton`] for a skeleton that may be too dense to direct in the time of the run; it is then left undirected
/// ([`Oriented::directed`]).
///
/// # Errors
///
/// [`Error::Interrupted`] when the run is cancelled.
pub fn orient_within(
    graph: &UndirectedGraph,
    v_structures: &[VStructure],
    undecided: &Undecided<'_>,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<Oriented> {
    match oriented(graph, v_structures, undecided, knowledge, run) {
        Err(Error::OutOfTime) => Ok(Oriented::undirected(graph, knowledge)),
        other => other,
    }
}

fn oriented(
    graph: &UndirectedGraph,
    v_structures: &[VStructure],
    undecided: &Undecided<'_>,
    knowledge: &Knowledge,
    run: &Run,
) -> Result<Oriented> {
    let mut pdag = undirected_with_knowledge(graph, knowledge);
    let mut reach = Reach::new(pdag.n_variables());
    let mut conflicts = Vec::new();
    for equals in by_evidence(v_structures, run)? {
        apply_equals(&mut pdag, &equals, knowledge, &mut reach, &mut conflicts, run)?;
    }
    let extension = extension_within(&pdag, undecided, run)?;
    let known: FxHashSet<_> = conflicts.iter().map(VStructure::index).collect();
    let contradictions = close(&mut pdag, undecided, run)?;
    for (x, centre, y) in contradictions.into_iter().filter(|&(x, centre, y)| !known.contains(&(centre, x, y))) {
        conflicts.push(VStructure { x, centre, y, log_p_value: f64::NEG_INFINITY });
    }
    let n_conflicts = conflicts.len();
    conflicts.truncate(MOST_CONFLICTS);
    let valid = extension.is_some();
    let plain = if valid && undecided.is_none() { None } else { extension_within(&pdag, &Undecided::none(), run)? };
    if !valid && let Some(dag) = plain {
        // What the rules led to has an extension though the pattern has none: that says what is meant.
        let pdag = cpdag_with_knowledge(&dag, knowledge);
        return Ok(Oriented { pdag, extendable: true, valid: true, dag, conflicts, n_conflicts, directed: true });
    }
    let extendable = plain.is_some() || (valid && undecided.is_none());
    let dag = match extension {
        Some(dag) => dag,
        None => forced_extension_within(&pdag, undecided, run)?,
    };
    Ok(Oriented { pdag, extendable, valid, dag, conflicts, n_conflicts, directed: true })
}

/// Whether both arcs are there or can be directed, without a cycle and as knowledge allows.
fn fits(pdag: &Pdag, v: &VStructure, knowledge: &Knowledge, reach: &mut Reach) -> bool {
    !pdag.adjacent(v.x, v.y)
        && [v.x, v.y].into_iter().all(|end| {
            pdag.has_arc(end, v.centre)
                || (pdag.has_undirected(end, v.centre)
                    && knowledge.allows_arc(end, v.centre)
                    && !reach.reaches(|x| pdag.children(x), v.centre, end))
        })
}

/// Applies those v-structures of equal evidence that fit and do not contradict each other; the others are conflicts.
fn apply_equals(
    pdag: &mut Pdag,
    equals: &[VStructure],
    knowledge: &Knowledge,
    reach: &mut Reach,
    conflicts: &mut Vec<VStructure>,
    run: &Run,
) -> Result<()> {
    let mut fitting = Vec::with_capacity(equals.len());
    for v in equals {
        run.check_overtime()?;
        fitting.push(fits(pdag, v, knowledge, reach));
    }
    let mut wanted: FxHashSet<(Variable, Variable)> = FxHashSet::default();
    for (v, _) in equals.iter().zip(&fitting).filter(|(_, fits)| **fits) {
        wanted.extend([(v.x, v.centre), (v.y, v.centre)]);
    }
    let opposed = |v: &VStructure| [v.x, v.y].into_iter().any(|end| wanted.contains(&(v.centre, end)));
    let chosen: Vec<bool> = equals.iter().zip(&fitting).map(|(v, &fits)| fits && !opposed(v)).collect();
    let new_arcs = |pdag: &Pdag, v: &VStructure| {
        [v.x, v.y]
            .into_iter()
            .filter(|&end| !pdag.has_arc(end, v.centre))
            .map(|end| (end, v.centre))
            .collect::<Vec<_>>()
    };
    let new: Vec<Vec<_>> = equals.iter().map(|v| new_arcs(pdag, v)).collect();
    let of_chosen = || new.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(arcs, _)| arcs);
    of_chosen().flatten().for_each(|&(from, to)| pdag.orient(from, to));
    // Each fits alone, but several together may close a directed cycle: then none of those on it stays.
    let mut in_cycle: FxHashSet<(Variable, Variable)> = FxHashSet::default();
    if equals.len() > 1 {
        for &(from, to) in of_chosen().flatten() {
            run.check_overtime()?;
            if reach.reaches(|x| pdag.children(x), to, from) {
                in_cycle.insert((from, to));
            }
        }
    }
    let stays = |i: usize| chosen[i] && !new[i].iter().any(|arc| in_cycle.contains(arc));
    let staying: FxHashSet<_> = (0..equals.len()).filter(|&i| stays(i)).flat_map(|i| new[i].iter().copied()).collect();
    for &(from, to) in of_chosen().flatten().filter(|arc| !staying.contains(arc)) {
        pdag.set(from, to, EdgeMark::Undirected);
    }
    conflicts.extend(equals.iter().enumerate().filter(|(i, _)| !stays(*i)).map(|(_, v)| *v));
    Ok(())
}

/// Logarithms of p-values closer than this are of equal evidence: rounding depends on the order of columns.
const EQUAL: f64 = 1e-9;

/// The v-structures in the order in which they are tried, those of equal evidence together.
fn by_evidence(v_structures: &[VStructure], run: &Run) -> Result<Vec<Vec<VStructure>>> {
    let mut arcs: FxHashMap<(Variable, Variable), u32> = FxHashMap::default();
    for part in v_structures.chunks(AT_A_TIME) {
        run.check_overtime()?;
        for v in part {
            *arcs.entry((v.x, v.centre)).or_default() += 1;
            *arcs.entry((v.y, v.centre)).or_default() += 1;
        }
    }
    let agreement = |v: &VStructure| arcs[&(v.x, v.centre)] + arcs[&(v.y, v.centre)];
    let order =
        |a: &VStructure, b: &VStructure| b.log_p_value.total_cmp(&a.log_p_value).then(a.index().cmp(&b.index()));
    let mut ordered: Vec<VStructure> = Vec::with_capacity(v_structures.len());
    // Sorted in parts, so that the run can be stopped between them; what the last sort merges is nearly in order.
    for part in v_structures.chunks(AT_A_TIME) {
        run.check_overtime()?;
        let start = ordered.len();
        ordered.extend(part);
        ordered[start..].sort_unstable_by(order);
    }
    if v_structures.len() > AT_A_TIME {
        run.check_overtime()?;
        ordered.sort_by(order);
    }
    let mut groups = Vec::new();
    for equals in ordered.chunk_by(|a, b| a.log_p_value - b.log_p_value <= EQUAL || a.log_p_value == b.log_p_value) {
        run.check_overtime()?;
        let mut equals = equals.to_vec();
        equals.sort_unstable_by(|a, b| agreement(b).cmp(&agreement(a)).then(a.index().cmp(&b.index())));
        groups.extend(equals.chunk_by(|a, b| agreement(a) == agreement(b)).map(<[VStructure]>::to_vec));
    }
    Ok(groups)
}

/// V-structures that are put in order between two looks at the run.
const AT_A_TIME: usize = 1 << 15;

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: u32, centre: u32, y: u32, log_p_value: f64) -> VStructure {
        VStructure { x, centre, y, log_p_value }
    }

    #[test]
    fn collider_and_its_consequence() {
        let graph = UndirectedGraph::from_edges(4, [(0, 2), (1, 2), (2, 3)]);
        let oriented = skeleton_to_cpdag(&graph, &[v(0, 2, 1, 0.0)], &Knowledge::none());
        assert_eq!(oriented.pdag.directed_edges().collect::<Vec<_>>(), [(0, 2), (1, 2), (2, 3)]);
        assert!(oriented.extendable && oriented.conflicts.is_empty());
    }

    #[test]
    fn of_two_conflicting_v_structures_the_surer_separation_wins() {
        let graph = UndirectedGraph::from_edges(4, [(0, 1), (1, 2), (2, 3)]);
        let (left, right) = (v(0, 1, 2, -1.0), v(1, 2, 3, -0.5));
        let oriented = skeleton_to_cpdag(&graph, &[left, right], &Knowledge::none());
        assert_eq!(oriented.conflicts, [left]);
        assert!(oriented.pdag.has_arc(1, 2) && oriented.pdag.has_arc(3, 2));
        // 0 − 1 → 2: nothing directs 0 − 1.
        assert!(oriented.pdag.has_undirected(0, 1) && oriented.extendable);
    }

    #[test]
    fn of_equal_p_values_agreement_decides() {
        let graph = UndirectedGraph::from_edges(5, [(0, 1), (1, 2), (2, 3), (1, 4)]);
        let (a, b) = (v(0, 1, 2, -1.0), v(2, 1, 4, -1.0));
        let c = v(1, 2, 3, -1.0);
        assert_eq!(skeleton_to_cpdag(&graph, &[c, a, b], &Knowledge::none()).conflicts, [c]);
        let surer = v(1, 2, 3, -0.1);
        assert_eq!(skeleton_to_cpdag(&graph, &[surer, a, b], &Knowledge::none()).conflicts, [a, b]);
    }

    #[test]
    fn of_two_conflicting_v_structures_with_equal_evidence_neither_stays() {
        let graph = UndirectedGraph::from_edges(4, [(0, 1), (1, 2), (2, 3)]);
        let (left, right) = (v(0, 1, 2, -1.0), v(1, 2, 3, -1.0 + 1e-13));
        let oriented = skeleton_to_cpdag(&graph, &[left, right], &Knowledge::none());
        assert_eq!(oriented.conflicts, [left, right]);
        assert_eq!(oriented.pdag, Pdag::from_undirected(&graph));
    }

    #[test]
    fn of_equal_v_structures_that_close_a_cycle_together_none_stays() {
        // 0 → 1 → 2 → 0 with an outer parent at each, and 6 → 7 ← 8 elsewhere.
        let edges = [(0, 1), (1, 2), (0, 2), (1, 3), (2, 4), (0, 5), (6, 7), (7, 8)];
        let graph = UndirectedGraph::from_edges(9, edges);
        let around = [v(0, 1, 3, -1.0), v(1, 2, 4, -1.0), v(2, 0, 5, -1.0)];
        let apart = v(6, 7, 8, -1.0);
        let oriented = skeleton_to_cpdag(&graph, &[around[0], around[1], around[2], apart], &Knowledge::none());
        assert_eq!(oriented.pdag.directed_edges().collect::<Vec<_>>(), [(6, 7), (8, 7)]);
        assert_eq!(oriented.conflicts.len(), 3);
    }

    #[test]
    fn nothing_follows_from_a_forbidden_pair() {
        // 0 → 1 ← 3 is seen; whether 0 → 1 ← 2 is not known, as 0 and 2 may not be adjacent and were not tested.
        let graph = UndirectedGraph::from_edges(4, [(0, 1), (1, 2), (1, 3), (2, 3)]);
        let knowledge = Knowledge::new(4, [], [], [(0, 2), (2, 0)], vec![]).unwrap();
        let oriented = skeleton_to_cpdag(&graph, &[v(0, 1, 3, 0.0)], &knowledge);
        assert!(oriented.extendable && oriented.pdag.has_undirected(1, 2));
        // A chain whose ends may not be adjacent stays undirected.
        let chain = UndirectedGraph::from_edges(3, [(0, 1), (1, 2)]);
        let knowledge = Knowledge::new(3, [], [], [(0, 2), (2, 0)], vec![]).unwrap();
        assert_eq!(skeleton_to_cpdag(&chain, &[], &knowledge).pdag, Pdag::from_undirected(&chain));
    }

    #[test]
    fn knowledge_comes_before_v_structures() {
        let graph = UndirectedGraph::from_edges(3, [(0, 1), (1, 2)]);
        let knowledge = Knowledge::new(3, [(1, 0)], [], [], vec![]).unwrap();
        let collider = v(0, 1, 2, 0.0);
        let oriented = skeleton_to_cpdag(&graph, &[collider], &knowledge);
        assert_eq!(oriented.conflicts, [collider]);
        assert!(oriented.pdag.has_arc(1, 0) && oriented.pdag.has_undirected(1, 2));
    }
}
