//! Equivalence classes: the CPDAG of a DAG, and the DAGs of a CPDAG.

use super::extension::extension_within;
use super::meek::{apply_meek_rules, close, close_after};
use super::undecided::Undecided;
use crate::graph::{Dag, EdgeMark, Pdag};
use crate::knowledge::Knowledge;
use crate::run::Run;
use crate::{Result, Variable};

/// The CPDAG of a DAG: the graph with the same adjacencies in which exactly the compelled arcs are directed (Chickering
/// 1995: arcs are labelled in an order that follows the DAG; no rule is iterated).
///
/// # Examples
///
/// ```
/// use phgs::graph::Dag;
/// use phgs::orient::cpdag_of_dag;
/// let cpdag = cpdag_of_dag(&Dag::from_arcs(4, [(0, 2), (1, 2), (2, 3)])?);
/// assert_eq!(cpdag.directed_edges().count(), 3);
/// let chain = cpdag_of_dag(&Dag::from_arcs(3, [(0, 1), (1, 2)])?);
/// assert_eq!(chain.undirected_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn cpdag_of_dag(dag: &Dag) -> Pdag {
    let p = dag.n_variables();
    let order = dag.topological_order();
    let mut position = vec![0; p];
    for (i, &x) in order.iter().enumerate() {
        position[x as usize] = i;
    }
    // For each variable, one label for each parent: whether that arc is compelled.
    let mut compelled: Vec<Vec<bool>> = (0..p).map(|y| vec![false; dag.parents(y as Variable).len()]).collect();
    for &y in &order {
        let parents = dag.parents(y);
        let mut by_position: Vec<usize> = (0..parents.len()).collect();
        by_position.sort_unstable_by_key(|&i| std::cmp::Reverse(position[parents[i] as usize]));
        let mut labels = vec![None; parents.len()];
        for &i in &by_position {
            if labels[i].is_some() {
                continue;
            }
            let x = parents[i];
            let compelled_into_x = dag.parents(x).iter().zip(&compelled[x as usize]).filter(|&(_, &c)| c);
            let mut all = false;
            for (&w, _) in compelled_into_x {
                match parents.binary_search(&w) {
                    Ok(at) => labels[at] = Some(true),
                    Err(_) => {
                        all = true;
                        break;
                    }
                }
            }
            if all {
                labels.fill(Some(true));
                break;
            }
            let collides = parents.iter().any(|&z| z != x && !dag.contains(z, x));
            for label in labels.iter_mut().filter(|label| label.is_none()) {
                *label = Some(collides);
            }
        }
        for (slot, label) in compelled[y as usize].iter_mut().zip(labels) {
            *slot = label == Some(true);
        }
    }
    let mut pdag = Pdag::empty(p);
    for (y, labels) in compelled.iter().enumerate() {
        for (&x, &directed) in dag.parents(y as Variable).iter().zip(labels) {
            pdag.set(x, y as Variable, if directed { EdgeMark::Forward } else { EdgeMark::Undirected });
        }
    }
    pdag
}

/// The graph of all DAGs that are equivalent to a DAG *and* obey `knowledge`: directed are the arcs that have the same
/// direction in all of them. The DAG itself is assumed to obey the knowledge.
pub fn cpdag_with_knowledge(dag: &Dag, knowledge: &Knowledge) -> Pdag {
    let mut pdag = cpdag_of_dag(dag);
    if !knowledge.is_empty() {
        apply_meek_rules(&mut pdag, knowledge);
    }
    pdag
}

/// All consistent extensions of a partially directed graph, at most `limit` of them; none when it has no consistent
/// extension. On a CPDAG these are the DAGs of the class. In the order of the first undirected edge (x, y), x → y
/// first, and so on.
///
/// Time is proportional to the number of DAGs returned: each branch of the enumeration leads to one.
///
/// # Errors
///
/// [`Error::Interrupted`](crate::Error::Interrupted) when the run is cancelled.
///
/// # Examples
///
/// ```
/// use phgs::{graph::{Pdag, UndirectedGraph}, orient::all_members, run::Run};
/// let (run, triangle) = (Run::new(1)?, Pdag::from_undirected(&UndirectedGraph::complete(3)));
/// assert_eq!(all_members(&triangle, usize::MAX, &run)?.len(), 6);
/// assert_eq!(all_members(&triangle, 2, &run)?.len(), 2);
/// # Ok::<(), phgs::Error>(())
/// ```
pub fn all_members(pdag: &Pdag, limit: usize, run: &Run) -> Result<Vec<Dag>> {
    let mut members = Vec::new();
    if extension_within(pdag, &Undecided::none(), run)?.is_none() {
        return Ok(members);
    }
    let mut closed = pdag.clone();
    close(&mut closed, &Undecided::none(), run)?;
    // Closed graphs that are still to be completed; in a closed graph both directions of an undirected edge occur.
    let mut stack = vec![closed];
    while let Some(graph) = stack.pop() {
        run.check()?;
        if members.len() >= limit {
            break;
        }
        let first = graph.undirected_edges().next();
        match first {
            None => members.extend(Dag::from_arcs(graph.n_variables(), graph.directed_edges())),
            Some((x, y)) => {
                for (from, to) in [(y, x), (x, y)] {
                    let mut branch = graph.clone();
                    branch.orient(from, to);
                    close_after(&mut branch, from, to, run)?;
                    stack.push(branch);
                }
            }
        }
    }
    Ok(members)
}
