//! Background knowledge in a search over classes.

use crate::graph::{Dag, Pdag};
use crate::knowledge::{Constraints, Knowledge, Scope};
use crate::orient::{consistent_extension, cpdag_of_dag};
use crate::{Result, Variable};

/// The arc that knowledge wants where it allows one direction only.
fn only_direction(knowledge: &Knowledge, x: Variable, y: Variable) -> Option<(Variable, Variable)> {
    match (knowledge.allows_arc(x, y), knowledge.allows_arc(y, x)) {
        (true, false) => Some((x, y)),
        (false, true) => Some((y, x)),
        _ => None,
    }
}

/// A DAG of a class that obeys knowledge, if there is one.
pub(super) fn member_that_obeys(cpdag: &Pdag, knowledge: &Knowledge) -> Option<Dag> {
    if cpdag.directed_edges().any(|(x, y)| !knowledge.allows_arc(x, y))
        || cpdag.undirected_edges().any(|(x, y)| !knowledge.allows_edge(x, y))
        || knowledge.required_pairs().iter().any(|&(x, y)| !cpdag.adjacent(x, y))
    {
        return None;
    }
    let mut directed = cpdag.clone();
    for (x, y) in cpdag.undirected_edges() {
        if let Some((from, to)) = only_direction(knowledge, x, y) {
            directed.orient(from, to);
        }
    }
    // The extension keeps all arcs. It is in the class unless these arcs made new v-structures.
    consistent_extension(&directed).filter(|dag| cpdag_of_dag(dag) == *cpdag)
}

/// A DAG with the arcs of another and all required ones, that obeys knowledge.
pub(super) fn with_required(dag: Dag, scope: Scope<'_>, max_parents: Option<usize>) -> Result<Dag> {
    let constraints = Constraints { scope, max_parents };
    // A start may have arcs at isolated variables, which have to go.
    if !scope.is_all()
        && !dag.arcs().any(|(from, to)| scope.is_isolated(from) || scope.is_isolated(to))
        && let Some(obedient) = member_that_obeys(&cpdag_of_dag(&dag), scope.knowledge())
    {
        constraints.refuse_parents(&obedient, "the start graph")?;
        return Ok(obedient);
    }
    constraints.start(&dag)
}
