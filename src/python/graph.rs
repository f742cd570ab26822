//! Functions of graphs, which travel as lists of edges between indices.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::error::GraphError;
use super::knowledge::{self, KnowledgeFacts};
use super::run::{AT_ONCE, run_job, run_on_graph};
use crate::Variable;
use crate::graph::{DSeparation, Dag, EdgeMark, KindCounts, Pdag};
use crate::orient::{
    Undecided, all_members, cpdag_of_dag, cpdag_with_knowledge, extension_within, forced_extension_within,
    obstacle_within,
};

/// Pairs of variables.
pub(super) type Pairs = Vec<(Variable, Variable)>;

/// Directed (from, to) and undirected edges.
pub(super) type Edges = (Pairs, Pairs);

/// Refuses variables that do not exist among `n`.
pub(super) fn check(n: usize, variables: impl IntoIterator<Item = Variable>) -> PyResult<()> {
    match variables.into_iter().find(|&x| x as usize >= n) {
        Some(x) => Err(PyIndexError::new_err(format!("variable {x} of {n}"))),
        None => Ok(()),
    }
}

fn pdag(n: usize, (directed, undirected): &Edges) -> PyResult<Pdag> {
    check(n, directed.iter().chain(undirected).flat_map(|&(x, y)| [x, y]))?;
    let mut graph = Pdag::empty(n);
    for (pairs, tie) in [(directed, EdgeMark::Forward), (undirected, EdgeMark::Undirected)] {
        for &(x, y) in pairs {
            if x == y || graph.adjacent(x, y) {
                return Err(GraphError::new_err(format!("edge {x}, {y} is a loop or is there twice")));
            }
            graph.set(x, y, tie);
        }
    }
    Ok(graph)
}

pub(super) fn edges(graph: &Pdag) -> Edges {
    (graph.directed_edges().collect(), graph.undirected_edges().collect())
}

/// The DAG with these arcs; `GraphError` names a cycle.
fn dag(arcs: Pairs, names: &[String]) -> PyResult<Dag> {
    let n = names.len();
    let graph = pdag(n, &(arcs, Vec::new()))?;
    match Dag::from_arcs(n, graph.directed_edges()) {
        Ok(dag) => Ok(dag),
        Err(_) => {
            let cycle = cycle(&graph).iter().map(|&x| names[x as usize].clone()).collect::<Vec<_>>().join(" → ");
            Err(GraphError::new_err(format!("the arcs close a directed cycle: {cycle}")))
        }
    }
}

/// A directed cycle of a graph that has one.
fn cycle(graph: &Pdag) -> Vec<Variable> {
    // Variables without parents are on no cycle; what is left of the others' parents leads back into one.
    let n = graph.n_variables();
    let mut left: Vec<usize> = (0..n).map(|x| graph.parents(x as Variable).len()).collect();
    let mut free: Vec<Variable> = (0..n as Variable).filter(|&x| left[x as usize] == 0).collect();
    while let Some(x) = free.pop() {
        for &y in graph.children(x) {
            left[y as usize] -= 1;
            if left[y as usize] == 0 {
                free.push(y);
            }
        }
    }
    let Some(start) = (0..n).find(|&x| left[x] > 0) else { return Vec::new() };
    let mut walk = vec![start as Variable];
    loop {
        let last = walk[walk.len() - 1];
        let Some(&parent) = graph.parents(last).iter().find(|&&p| left[p as usize] > 0) else { return walk };
        if let Some(at) = walk.iter().position(|&x| x == parent) {
            let mut cycle = walk.split_off(at);
            cycle.push(parent);
            cycle.reverse();
            return cycle;
        }
        walk.push(parent);
    }
}

/// Edges of a kind in the true graph, in the learned one, and alike in both.
type Kind = (usize, usize, usize);

/// What [`compare`] returns; see `phgs.Comparison`.
#[derive(IntoPyObject)]
pub(crate) struct Compared {
    learned_edges: usize,
    true_edges: usize,
    true_positives: usize,
    wrong_directions: usize,
    reversed: usize,
    direction_lost: usize,
    direction_invented: usize,
    false_positives: usize,
    false_negatives: usize,
    shd: usize,
    jaccard: f64,
    precision: Option<f64>,
    recall: Option<f64>,
    skeleton_precision: Option<f64>,
    skeleton_recall: Option<f64>,
    directed: Kind,
    undirected: Kind,
}

/// Compares a learned graph with the true one, edge by edge; see `phgs.compare`.
#[pyfunction]
pub(crate) fn compare(n: usize, truth: Edges, learned: Edges) -> PyResult<Compared> {
    let found = crate::graph::compare(&pdag(n, &truth)?, &pdag(n, &learned)?)?;
    let kind = |counts: KindCounts| (counts.in_truth, counts.learned, counts.same);
    Ok(Compared {
        learned_edges: found.learned_edges(),
        true_edges: found.true_edges(),
        true_positives: found.true_positives,
        wrong_directions: found.wrong_directions(),
        reversed: found.reversed,
        direction_lost: found.direction_lost,
        direction_invented: found.direction_invented,
        false_positives: found.false_positives,
        false_negatives: found.false_negatives,
        shd: found.structural_hamming_distance(),
        jaccard: found.jaccard_index(),
        precision: found.precision(),
        recall: found.recall(),
        skeleton_precision: found.skeleton_precision(),
        skeleton_recall: found.skeleton_recall(),
        directed: kind(found.directed),
        undirected: kind(found.undirected),
    })
}

/// The CPDAG of the DAG with these arcs over variables of these names.
#[pyfunction]
pub(crate) fn dag_to_cpdag(arcs: Pairs, names: Vec<String>) -> PyResult<Edges> {
    Ok(edges(&cpdag_of_dag(&dag(arcs, &names)?)))
}

/// The CPDAG of the DAG with these arcs, with the directions that knowledge (as in `learn`) compels besides.
#[pyfunction]
pub(crate) fn dag_to_cpdag_under(arcs: Pairs, names: Vec<String>, knowledge: KnowledgeFacts) -> PyResult<Edges> {
    let knowledge = knowledge::of_facts(Some(knowledge), names.len())?;
    Ok(edges(&cpdag_with_knowledge(&dag(arcs, &names)?, &knowledge)))
}

/// The arcs of a consistent extension; `GraphError` says what stands in its way.
#[pyfunction]
pub(crate) fn cpdag_to_dag(py: Python<'_>, graph: Edges, names: Vec<String>) -> PyResult<Pairs> {
    let graph = pdag(names.len(), &graph)?;
    let (dag, obstacle) = run_on_graph(py, graph.n_edges(), |run| {
        let dag = extension_within(&graph, &Undecided::none(), run)?;
        let obstacle = if dag.is_some() { None } else { obstacle_within(&graph, run)? };
        Ok((dag, obstacle))
    })?;
    match dag {
        Some(dag) => Ok(dag.arcs().collect()),
        None => {
            let why = obstacle.map(|o| o.describe(|x| names[x as usize].clone()));
            Err(GraphError::new_err(why.unwrap_or_else(|| "no consistent extension".to_owned())))
        }
    }
}

/// The arcs of a DAG with the adjacencies and directions of any graph without directed cycles: a consistent extension
/// where there is one, else one with few new v-structures.
#[pyfunction]
pub(crate) fn forced_dag(py: Python<'_>, n: usize, graph: Edges) -> PyResult<Pairs> {
    let graph = pdag(n, &graph)?;
    let dag = run_on_graph(py, graph.n_edges(), |run| forced_extension_within(&graph, &Undecided::none(), run))?;
    Ok(dag.arcs().collect())
}

/// The arcs of the DAGs of a class, at most `limit` of them.
#[pyfunction]
pub(crate) fn members(py: Python<'_>, n: usize, graph: Edges, limit: usize) -> PyResult<Vec<Pairs>> {
    let pdag = pdag(n, &graph)?;
    let members = run_job(py, &AT_ONCE, |run| all_members(&pdag, limit, run))?;
    Ok(members.iter().map(|dag| dag.arcs().collect()).collect())
}

/// Checks that arcs close no cycle; `GraphError` names one.
#[pyfunction]
pub(crate) fn check_acyclic(arcs: Pairs, names: Vec<String>) -> PyResult<()> {
    dag(arcs, &names).map(drop)
}

/// Whether x and y are d-separated given a set of variables.
#[pyfunction]
pub(crate) fn d_separated(
    arcs: Pairs,
    names: Vec<String>,
    x: Variable,
    y: Variable,
    given: Vec<Variable>,
) -> PyResult<bool> {
    check(names.len(), given.iter().copied().chain([x, y]))?;
    Ok(DSeparation::new(&dag(arcs, &names)?).separated(x, y, &given))
}
