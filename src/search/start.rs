//! The graph that a search starts from, made to agree with what is known.

use crate::graph::Dag;
use crate::knowledge::Knowledge;
use crate::{Error, Result, Variable};

/// `start` with every required adjacency and without arcs that knowledge forbids. Required arcs come first, so that of
/// the arcs of `start` those give way that would close a cycle with them, or for which they leave no room. Without
/// knowledge it is `start` itself.
///
/// # Errors
///
/// [`Error::Knowledge`] when no DAG can have all that is required, [`Error::Parameter`] when a variable has more than
/// `max_parents` parents.
pub(crate) fn start_under_knowledge(start: &Dag, knowledge: &Knowledge, max_parents: Option<usize>) -> Result<Dag> {
    let dag = if knowledge.is_empty() { start.clone() } else { repaired(start, knowledge, max_parents)? };
    if let Some(most) = max_parents {
        for x in 0..dag.n_variables() as Variable {
            let parents = dag.parents(x).len();
            if parents > most {
                return Err(Error::parameter(
                    "max_parents",
                    format!("variable {x} has {parents} parents in the start graph, more than {most}"),
                ));
            }
        }
    }
    Ok(dag)
}

fn repaired(start: &Dag, knowledge: &Knowledge, max_parents: Option<usize>) -> Result<Dag> {
    let p = start.n_variables();
    let most = max_parents.unwrap_or(usize::MAX);
    let mut dag = Dag::empty(p);
    let outside = |x: Variable| x as usize >= p;
    let required = knowledge.required_pairs();
    if let Some(&(x, y)) = required.iter().find(|(x, y)| outside(*x) || outside(*y)) {
        return Err(Error::Knowledge(format!("required edge {x} − {y} names a variable that does not exist")));
    }
    // What has one direction only goes first; what has a choice always finds one that closes no cycle.
    let forced = |x: Variable, y: Variable| !(knowledge.allows_arc(x, y) && knowledge.allows_arc(y, x));
    for &(x, y) in required.iter().filter(|(x, y)| forced(*x, *y)) {
        let (from, to) = if knowledge.allows_arc(x, y) { (x, y) } else { (y, x) };
        if !dag.try_insert(from, to) {
            return Err(Error::Knowledge(format!("required edge {x} − {y} closes a cycle with other required edges")));
        }
    }
    for &(x, y) in required.iter().filter(|(x, y)| !forced(*x, *y)) {
        let (from, to) = if start.contains(y, x) { (y, x) } else { (x, y) };
        let room = dag.parents(to).len() < most;
        let placed = (room && dag.try_insert(from, to)) || dag.try_insert(to, from);
        if !placed {
            dag.try_insert(from, to);
        }
    }
    for (from, to) in start.arcs() {
        // A start that has too many parents of its own is for the caller to refuse.
        let room = dag.parents(to).len() < most || start.parents(to).len() > most;
        if room && knowledge.allows_arc(from, to) && !dag.contains(to, from) {
            dag.try_insert(from, to);
        }
    }
    Ok(dag)
}
