//! Consistent extensions: DAGs with the skeleton, the arcs and the v-structures of a partially directed graph
//! (Dor and Tarsi 1992, the paper's `pdag-to-dag`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::undecided::Undecided;
use crate::graph::{Dag, EdgeMark, Pdag, Reach};
use crate::run::Run;
use crate::{Result, Variable};

/// Whether x has no edge directed outwards and each neighbour by an undirected edge is adjacent to all other variables
/// adjacent to x: conditions (a) and (b) of the paper. What must not become a v-structure counts; an undecided triple
/// may.
pub(super) fn is_potential_sink(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable) -> bool {
    pdag.children(x).is_empty() && first_gap(pdag, undecided, x).is_none()
}

/// The first two variables adjacent to x but not to each other, the first of them by an undirected edge with x.
fn first_gap(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable) -> Option<(Variable, Variable)> {
    (0..pdag.undirected(x).len()).find_map(|i| gap_of(pdag, undecided, x, i))
}

/// [`first_gap`] with the i-th of the undirected neighbours of x.
fn gap_of(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, i: usize) -> Option<(Variable, Variable)> {
    let undirected = pdag.undirected(x);
    let k = undirected[i];
    let others = undirected[i + 1..].iter().chain(pdag.parents(x)).chain(pdag.children(x));
    others.copied().find(|&v| !pdag.adjacent(k, v) && !undecided.contains(k, x, v)).map(|v| (k, v))
}

/// How many v-structures directing all undirected edges of x into x would make.
fn n_gaps(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable) -> usize {
    let undirected = pdag.undirected(x);
    let gaps = |(i, &k): (usize, &Variable)| {
        undirected[i + 1..]
            .iter()
            .chain(pdag.parents(x))
            .filter(|&&v| !pdag.adjacent(k, v) && !undecided.contains(k, x, v))
            .count()
    };
    undirected.iter().enumerate().map(gaps).sum()
}

/// Removal of potential sinks, lowest index first.
struct SinkRemoval<'u> {
    undecided: &'u Undecided<'u>,
    /// What is not removed yet.
    rest: Pdag,
    /// The edges of what is removed, directed.
    arcs: Vec<(Variable, Variable)>,
    present: Vec<bool>,
    n_present: usize,
    ready: BinaryHeap<Reverse<Variable>>,
    /// What is or was in `ready`: a potential sink stays one until it is removed, so that it is not looked at again.
    is_ready: Vec<bool>,
    /// [`n_gaps`] of each variable, where it was asked for and has not changed since.
    gaps: Vec<Option<usize>>,
    run: &'u Run,
}

impl<'u> SinkRemoval<'u> {
    fn new(pdag: &Pdag, undecided: &'u Undecided<'u>, run: &'u Run) -> Result<Self> {
        let p = pdag.n_variables();
        let mut removal = Self {
            undecided,
            rest: pdag.clone(),
            arcs: Vec::with_capacity(pdag.n_edges()),
            present: vec![true; p],
            n_present: p,
            ready: BinaryHeap::new(),
            is_ready: vec![false; p],
            gaps: vec![None; p],
            run,
        };
        (0..p as Variable).try_for_each(|x| removal.look_at(x))?;
        Ok(removal)
    }

    /// Notes if x is a potential sink now.
    fn look_at(&mut self, x: Variable) -> Result<()> {
        if self.is_ready[x as usize] || !self.rest.children(x).is_empty() {
            return Ok(());
        }
        for i in 0..self.rest.undirected(x).len() {
            self.run.check_overtime()?;
            if gap_of(&self.rest, self.undecided, x, i).is_some() {
                return Ok(());
            }
        }
        self.is_ready[x as usize] = true;
        self.ready.push(Reverse(x));
        Ok(())
    }

    /// Directs the undirected edges of x into x and removes x.
    fn remove(&mut self, x: Variable) -> Result<()> {
        self.present[x as usize] = false;
        self.n_present -= 1;
        let around = self.rest.adjacents(x);
        for &k in &around {
            self.arcs.push((k, x));
            self.rest.set(k, x, EdgeMark::None);
            self.gaps[k as usize] = None;
        }
        // A variable that is not adjacent to x keeps its conditions; one that is adjacent can only gain them.
        around.into_iter().try_for_each(|k| self.look_at(k))
    }

    /// Removes potential sinks until there is none; whether nothing is left.
    fn run(&mut self) -> Result<bool> {
        while let Some(Reverse(x)) = self.ready.pop() {
            if self.present[x as usize] {
                self.remove(x)?;
            }
        }
        Ok(self.n_present == 0)
    }

    /// The sink that makes the fewest new v-structures when it comes last.
    fn least_harm(&mut self) -> Result<Option<Variable>> {
        let mut least: Option<(usize, Variable)> = None;
        for x in 0..self.present.len() as Variable {
            if !self.present[x as usize] || !self.rest.children(x).is_empty() {
                continue;
            }
            let gaps = match self.gaps[x as usize] {
                Some(gaps) => gaps,
                None => {
                    self.run.check_overtime()?;
                    *self.gaps[x as usize].insert(n_gaps(&self.rest, self.undecided, x))
                }
            };
            if least.is_none_or(|(fewest, _)| gaps < fewest) {
                least = Some((gaps, x));
            }
        }
        Ok(least.map(|(_, x)| x))
    }

    fn remaining(&self) -> impl Iterator<Item = Variable> + '_ {
        (0..self.present.len() as Variable).filter(|&x| self.present[x as usize])
    }
}

/// A DAG with the same adjacencies, all arcs and exactly the v-structures of a partially directed graph; `None` when
/// there is none. Among the variables that could come last, the one with the lowest index does.
///
/// # Examples
///
/// ```
/// use phgs::graph::{Pdag, UndirectedGraph};
/// use phgs::orient::consistent_extension;
/// let chain = Pdag::from_undirected(&UndirectedGraph::from_edges(3, [(0, 1), (1, 2)]));
/// assert_eq!(consistent_extension(&chain).unwrap().v_structures(), []);
/// let square = Pdag::from_undirected(&UndirectedGraph::from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)]));
/// assert_eq!(consistent_extension(&square), None);
/// ```
pub fn consistent_extension(pdag: &Pdag) -> Option<Dag> {
    consistent_extension_with(pdag, &Undecided::none())
}

/// [`consistent_extension`] where undecided triples may become v-structures.
pub fn consistent_extension_with(pdag: &Pdag, undecided: &Undecided<'_>) -> Option<Dag> {
    extension_within(pdag, undecided, &Run::unlimited()).expect("nobody cancels it")
}

/// [`consistent_extension_with`] for a graph that may be too dense for the time of the run: a complete one takes p³ steps.
///
/// # Errors
///
/// [`crate::Error::Interrupted`] and [`crate::Error::OutOfTime`], as [`Run::check_overtime`] tells them.
pub fn extension_within(pdag: &Pdag, undecided: &Undecided<'_>, run: &Run) -> Result<Option<Dag>> {
    let mut removal = SinkRemoval::new(pdag, undecided, run)?;
    Ok(if removal.run()? { Dag::from_arcs(pdag.n_variables(), removal.arcs).ok() } else { None })
}

/// A DAG for any partially directed graph, also where no consistent extension exists (the paper's remark on invalid
/// estimates).
///
/// Proceeds as [`consistent_extension`]; where it is stuck, the sink whose completion makes the fewest new v-structures
/// (the lowest index among equals) comes last. All edges are in the DAG, in the direction that they have, unless the
/// arcs close directed cycles: then, in increasing order, each arc that closes a cycle with those before it is dropped.
pub fn forced_extension(pdag: &Pdag) -> Dag {
    forced_extension_with(pdag, &Undecided::none())
}

/// [`forced_extension`] where undecided triples may become v-structures.
pub fn forced_extension_with(pdag: &Pdag, undecided: &Undecided<'_>) -> Dag {
    forced_extension_within(pdag, undecided, &Run::unlimited()).expect("nobody cancels it")
}

/// [`forced_extension_with`] for a graph that may be too dense for the time of the run.
///
/// # Errors
///
/// As for [`extension_within`].
pub fn forced_extension_within(pdag: &Pdag, undecided: &Undecided<'_>, run: &Run) -> Result<Dag> {
    let mut acyclic = pdag.clone();
    if Dag::from_arcs(pdag.n_variables(), pdag.directed_edges()).is_err() {
        drop_cycles(&mut acyclic, run)?;
    }
    let mut removal = SinkRemoval::new(&acyclic, undecided, run)?;
    while !removal.run()? {
        let last = removal.least_harm()?;
        removal.remove(last.expect("a finite graph without directed cycles has a sink"))?;
    }
    let arcs = removal.arcs;
    Ok(Dag::from_arcs(pdag.n_variables(), arcs).expect("each arc leads to a variable that was removed before"))
}

fn drop_cycles(pdag: &mut Pdag, run: &Run) -> Result<()> {
    let arcs: Vec<_> = pdag.directed_edges().collect();
    for &(x, y) in &arcs {
        pdag.set(x, y, EdgeMark::None);
    }
    let mut reach = Reach::new(pdag.n_variables());
    for (x, y) in arcs {
        run.check_overtime()?;
        if !reach.reaches(|v| pdag.children(v), y, x) {
            pdag.orient(x, y);
        }
    }
    Ok(())
}

/// Why a partially directed graph has no consistent extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtensionObstacle {
    /// These arcs close a directed cycle: each variable has an arc to the next, the last to the first.
    Cycle(Vec<Variable>),
    /// In the part of the graph where every ordering fails, `to` has no arc outwards but cannot come last: `from` →
    /// `to` would make a v-structure with `other`, which is adjacent to `to` but not to `from`.
    Edge {
        /// The end of the blocked edge that would be the parent.
        from: Variable,
        /// The end of the blocked edge that would be the child.
        to: Variable,
        /// The third variable.
        other: Variable,
    },
}

impl ExtensionObstacle {
    /// A sentence for users, with `name` giving the variables' names.
    pub fn describe(&self, name: impl Fn(Variable) -> String) -> String {
        match self {
            Self::Cycle(cycle) => {
                let names: Vec<_> = cycle.iter().chain(cycle.first()).map(|&x| name(x)).collect();
                format!("no consistent extension: the arcs close a directed cycle {}", names.join(" → "))
            }
            Self::Edge { from, to, other } => {
                let (from, to, other) = (name(*from), name(*to), name(*other));
                format!(
                    "no consistent extension: the edge {from} − {to} cannot be directed either way without a directed \
                     cycle or a new v-structure, such as {from} → {to} ← {other}"
                )
            }
        }
    }
}

impl std::fmt::Display for ExtensionObstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.describe(|x| x.to_string()))
    }
}

/// What keeps a partially directed graph from having a consistent extension; `None` when it has one. Of several
/// obstacles the one with the lowest index is named.
pub fn extension_obstacle(pdag: &Pdag) -> Option<ExtensionObstacle> {
    obstacle_within(pdag, &Run::unlimited()).expect("nobody cancels it")
}

/// [`extension_obstacle`] for a graph that may be dense.
///
/// # Errors
///
/// As for [`extension_within`].
pub fn obstacle_within(pdag: &Pdag, run: &Run) -> Result<Option<ExtensionObstacle>> {
    let undecided = Undecided::none();
    let mut removal = SinkRemoval::new(pdag, &undecided, run)?;
    if removal.run()? {
        return Ok(None);
    }
    let blocked = removal.remaining().find_map(|to| {
        let rest = &removal.rest;
        let (from, other) = first_gap(rest, &undecided, to).filter(|_| rest.children(to).is_empty())?;
        Some(ExtensionObstacle::Edge { from, to, other })
    });
    // Without any sink, following arcs from anywhere must come back to where it has been.
    Ok(blocked.or_else(|| {
        let mut walk = vec![removal.remaining().next()?];
        loop {
            let next = *removal.rest.children(*walk.last()?).first()?;
            if let Some(start) = walk.iter().position(|&x| x == next) {
                return Some(ExtensionObstacle::Cycle(walk.split_off(start)));
            }
            walk.push(next);
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::UndirectedGraph;

    fn undirected(n: usize, edges: &[(u32, u32)]) -> Pdag {
        Pdag::from_undirected(&UndirectedGraph::from_edges(n, edges.iter().copied()))
    }

    #[test]
    fn paper_example() {
        // Figure "extend_eg", variables counted from 0.
        let mut pdag = undirected(8, &[(0, 3), (1, 2), (2, 5), (0, 4), (4, 6)]);
        for (x, y) in [(3, 4), (1, 4), (5, 7), (4, 7)] {
            pdag.orient(x, y);
        }
        let dag = consistent_extension(&pdag).unwrap();
        assert_eq!(dag.v_structures(), [(1, 4, 3), (4, 7, 5)]);
        for (x, y) in [(3, 0), (4, 0), (4, 6)] {
            assert!(dag.contains(x, y));
        }
    }

    #[test]
    fn a_square_is_forced_with_one_new_v_structure() {
        let square = undirected(4, &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        let dag = forced_extension(&square);
        assert_eq!((dag.n_arcs(), dag.v_structures().len()), (4, 1));
        let obstacle = extension_obstacle(&square).unwrap();
        assert_eq!(obstacle, ExtensionObstacle::Edge { from: 1, to: 0, other: 3 });
        assert!(obstacle.to_string().contains("1 − 0"));
    }

    #[test]
    fn cycles_are_named_and_broken() {
        let mut pdag = undirected(4, &[(0, 3)]);
        for (x, y) in [(0, 1), (1, 2), (2, 0)] {
            pdag.orient(x, y);
        }
        assert_eq!(extension_obstacle(&pdag), Some(ExtensionObstacle::Cycle(vec![0, 1, 2])));
        let dag = forced_extension(&pdag);
        assert_eq!(dag.n_arcs(), 3);
        assert!(dag.contains(0, 1) && dag.contains(1, 2) && dag.adjacent(0, 3));
    }
}
