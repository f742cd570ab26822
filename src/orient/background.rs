//! What background knowledge says of the directions of a graph's edges.

use crate::Variable;
use crate::graph::{EdgeMark, Pdag, Reach, UndirectedGraph};
use crate::knowledge::Knowledge;

/// Makes a partially directed graph obey `knowledge`: forbidden edges go, required ones come, required arcs have their
/// direction, and an edge that is allowed in one direction only gets it.
///
/// Edges are directed in increasing order, those that are required first. An edge whose only allowed direction would
/// close a directed cycle cannot be in any DAG that obeys the knowledge, and goes too.
pub fn apply_knowledge(pdag: &mut Pdag, knowledge: &Knowledge) {
    if knowledge.is_empty() {
        return;
    }
    let edges: Vec<(Variable, Variable)> = pdag.skeleton().edges().collect();
    for &(x, y) in &edges {
        match (knowledge.allows_arc(x, y), knowledge.allows_arc(y, x)) {
            (true, true) => {}
            (false, false) => pdag.set(x, y, EdgeMark::None),
            (forward, _) => {
                let against = if forward { EdgeMark::Backward } else { EdgeMark::Forward };
                if pdag.tie(x, y) == against {
                    pdag.set(x, y, EdgeMark::Undirected);
                }
            }
        }
    }
    for (x, y) in knowledge.required_arcs() {
        pdag.orient(x, y);
    }
    let required = knowledge.required_pairs();
    for &(x, y) in &required {
        if !pdag.adjacent(x, y) {
            pdag.set(x, y, EdgeMark::Undirected);
        }
    }
    let mut reach = Reach::new(pdag.n_variables());
    for (x, y) in required.into_iter().chain(edges) {
        if !pdag.has_undirected(x, y) {
            continue;
        }
        let (from, to) = match (knowledge.allows_arc(x, y), knowledge.allows_arc(y, x)) {
            (true, false) => (x, y),
            (false, true) => (y, x),
            _ => continue,
        };
        if reach.reaches(|v| pdag.children(v), to, from) {
            pdag.set(x, y, EdgeMark::None);
        } else {
            pdag.orient(from, to);
        }
    }
}

/// The skeleton as a partially directed graph that obeys `knowledge` (see [`apply_knowledge`]).
pub fn undirected_with_knowledge(graph: &UndirectedGraph, knowledge: &Knowledge) -> Pdag {
    let mut pdag = Pdag::from_undirected(graph);
    apply_knowledge(&mut pdag, knowledge);
    pdag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowledge_directs_adds_and_removes() {
        let graph = UndirectedGraph::from_edges(5, [(0, 1), (1, 2), (2, 3)]);
        let knowledge = Knowledge::new(5, [(1, 0)], [(3, 4)], [(2, 1), (2, 3), (3, 2)], vec![None; 5]).unwrap();
        let pdag = undirected_with_knowledge(&graph, &knowledge);
        assert_eq!(pdag.directed_edges().collect::<Vec<_>>(), [(1, 0), (1, 2)]);
        assert_eq!(pdag.undirected_edges().collect::<Vec<_>>(), [(3, 4)]);
    }

    #[test]
    fn forbidden_directions_never_close_a_cycle() {
        let graph = UndirectedGraph::complete(3);
        let knowledge = Knowledge::new(3, [], [], [(1, 0), (2, 1), (0, 2)], vec![]).unwrap();
        let pdag = undirected_with_knowledge(&graph, &knowledge);
        assert_eq!(pdag.directed_edges().collect::<Vec<_>>(), [(0, 1), (2, 0)]);
    }
}
