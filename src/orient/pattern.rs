//! From a skeleton and its v-structures to a CPDAG (the paper's Algorithm 6, `skel-to-cpdag`).

use rustc_hash::FxHashMap;

use super::VStructure;
use super::background::undirected_with_knowledge;
use super::extension::{extension_within, forced_extension_within};
use super::meek::close;
use super::undecided::Undecided;
use crate::Variable;
use crate::graph::{Dag, Pdag, Reach, UndirectedGraph};
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::{Error, Result};

/// A skeleton with its directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Oriented {
    /// The estimate: a CPDAG (the maximally directed graph, with background knowledge) when it is extendable.
    pub pdag: Pdag,
    /// Whether the estimate is valid: whether it has a consistent extension, of which it then is the CPDAG.
    pub extendable: bool,
    /// A DAG that stands for the estimate: a consistent extension where it is extendable, else a forced one
    /// ([`forced_extension`](super::forced_extension)).
    pub dag: Dag,
    /// The v-structures that were skipped because they conflict with others or with background knowledge, in the order
    /// in which they were tried: the first [`MOST_CONFLICTS`] of them.
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
        Self { pdag, extendable: false, dag, conflicts: Vec::new(), n_conflicts: 0, directed: false }
    }
}

/// Directs a skeleton: background knowledge first, then v-structures, then rules R1 to R4.
///
/// From samples, v-structures may contradict each other. They are tried by decreasing p-value of the separation; of
/// equals, those first that share arcs with most others, then by index. Each is applied whole or, when it would reverse
/// an arc, close a directed cycle or break `knowledge`, skipped whole.
///
/// The estimate is extendable when the pattern, that is the skeleton with knowledge and the applied v-structures, has a
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
    let mut n_conflicts = 0;
    for v in by_evidence(v_structures, run)? {
        run.check_overtime()?;
        if fits(&pdag, &v, knowledge, &mut reach) {
            for end in [v.x, v.y] {
                if !pdag.has_arc(end, v.centre) {
                    pdag.orient(end, v.centre);
                }
            }
        } else {
            n_conflicts += 1;
            if conflicts.len() < MOST_CONFLICTS {
                conflicts.push(v);
            }
        }
    }
    let extension = extension_within(&pdag, undecided, run)?;
    close(&mut pdag, undecided, run)?;
    let extendable = extension.is_some();
    let dag = match extension {
        Some(dag) => dag,
        None => forced_extension_within(&pdag, undecided, run)?,
    };
    Ok(Oriented { pdag, extendable, dag, conflicts, n_conflicts, directed: true })
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

/// The order in which v-structures are tried.
fn by_evidence(v_structures: &[VStructure], run: &Run) -> Result<Vec<VStructure>> {
    let mut arcs: FxHashMap<(Variable, Variable), u32> = FxHashMap::default();
    for part in v_structures.chunks(AT_A_TIME) {
        run.check_overtime()?;
        for v in part {
            *arcs.entry((v.x, v.centre)).or_default() += 1;
            *arcs.entry((v.y, v.centre)).or_default() += 1;
        }
    }
    let mut ordered: Vec<(u32, VStructure)> = Vec::with_capacity(v_structures.len());
    let order = |(agree_a, a): &(u32, VStructure), (agree_b, b): &(u32, VStructure)| {
        let by_p = b.log_p_value.total_cmp(&a.log_p_value);
        by_p.then(agree_b.cmp(agree_a)).then(a.index().cmp(&b.index()))
    };
    // Sorted in parts, so that the run can be stopped between them; what the last sort merges is nearly in order.
    for part in v_structures.chunks(AT_A_TIME) {
        run.check_overtime()?;
        let start = ordered.len();
        ordered.extend(part.iter().map(|v| (arcs[&(v.x, v.centre)] + arcs[&(v.y, v.centre)], *v)));
        ordered[start..].sort_unstable_by(order);
    }
    if v_structures.len() > AT_A_TIME {
        run.check_overtime()?;
        ordered.sort_by(order);
    }
    Ok(ordered.into_iter().map(|(_, v)| v).collect())
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
