//! Meek's orientation rules: a table of rules, and one driver that applies them to a fixed point.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::background::apply_knowledge;
use super::collider_rule::Triple;
use super::undecided::Undecided;
use crate::Result;
use crate::Variable;
use crate::graph::{EdgeMark, Pdag, Reach};
use crate::knowledge::Knowledge;
use crate::run::Run;

/// One of Meek's rules: whether the undirected edge x − y must become x → y.
type Rule = fn(&Pdag, &Undecided<'_>, Variable, Variable) -> bool;

/// The rules with their names, in the order in which they are tried. R1 to R3 suffice for patterns; with background
/// knowledge all four are needed (Meek 1995).
const RULES: [(&str, Rule); 4] =
    [("R1", away_from_collider), ("R2", away_from_cycle), ("R3", double_triangle), ("R4", chain)];

/// R1: w → x − y with w and y not adjacent; y → x would make a new v-structure.
fn away_from_collider(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, y: Variable) -> bool {
    pdag.parents(x).iter().any(|&w| !pdag.adjacent(w, y) && !undecided.contains(w, x, y))
}

/// R2: x → w → y; y → x would close a cycle.
fn away_from_cycle(pdag: &Pdag, _: &Undecided<'_>, x: Variable, y: Variable) -> bool {
    let (from_x, to_y) = (pdag.children(x), pdag.parents(y));
    if from_x.len() <= to_y.len() {
        from_x.iter().any(|w| to_y.binary_search(w).is_ok())
    } else {
        to_y.iter().any(|w| from_x.binary_search(w).is_ok())
    }
}

/// R3: x − v → y ← w − x with v and w not adjacent; y → x would direct both into x and make a new v-structure.
fn double_triangle(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, y: Variable) -> bool {
    let parents = pdag.parents(y);
    parents.len() >= 2
        && parents.iter().enumerate().any(|(i, &v)| {
            pdag.has_undirected(x, v)
                && parents[i + 1..]
                    .iter()
                    .any(|&w| pdag.has_undirected(x, w) && !pdag.adjacent(v, w) && !undecided.contains(v, x, w))
        })
}

/// R4: x − v → w → y with w adjacent to x, and v not adjacent to y; y → x would direct w → x, then v → x, and make a
/// new v-structure.
fn chain(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, y: Variable) -> bool {
    pdag.parents(y).iter().any(|&w| {
        pdag.adjacent(w, x)
            && pdag
                .parents(w)
                .iter()
                .any(|&v| pdag.has_undirected(x, v) && !pdag.adjacent(v, y) && !undecided.contains(v, x, y))
    })
}

/// Whether one of the rules directs the undirected edge x − y as x → y.
pub(super) fn is_compelled(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, y: Variable) -> bool {
    RULES.iter().any(|(_, rule)| rule(pdag, undecided, x, y))
}

/// The names of the rules that direct the undirected edge x − y as x → y.
pub fn meek_rules(pdag: &Pdag, x: Variable, y: Variable) -> Vec<&'static str> {
    let undecided = Undecided::none();
    RULES.iter().filter(|(_, rule)| rule(pdag, &undecided, x, y)).map(|&(name, _)| name).collect()
}

/// Makes the graph obey `knowledge` ([`apply_knowledge`]), then applies rules R1 to R4 until none applies.
///
/// On a pattern (with knowledge that fits it) the result is the graph in which exactly the edges that have the same
/// direction in all consistent DAGs are directed. Rules are applied in rounds, each to the graph that the one before left, so
/// that the result does not depend on the order of variables. On an inconsistent graph no arc is reversed and no directed cycle
/// closed: edges that the rules compel both ways stay undirected, as do those of which one round's directions together would make a
/// new v-structure or close a directed cycle.
pub fn apply_meek_rules(pdag: &mut Pdag, knowledge: &Knowledge) {
    apply_knowledge(pdag, knowledge);
    close(pdag, &Undecided::none(), &Run::unlimited()).expect("nobody cancels it");
}

/// Applies the rules to a fixed point. Returns the triples (x, z, y) with x < y at which directions contradicted each other, in
/// increasing order: none on a graph that has a consistent extension. Fails as [`Run::check_overtime`] does.
pub(super) fn close(pdag: &mut Pdag, undecided: &Undecided<'_>, run: &Run) -> Result<Vec<Triple>> {
    let edges = pdag.undirected_edges().collect();
    drive(pdag, undecided, edges, run)
}

/// Applies the rules to a fixed point after x → y was directed in a graph to which no rule applied before.
pub(super) fn close_after(pdag: &mut Pdag, x: Variable, y: Variable, run: &Run) -> Result<()> {
    let mut edges = Vec::new();
    enqueue_around(pdag, x, y, &mut edges);
    drive(pdag, &Undecided::none(), edges, run).map(|_| ())
}

fn drive(
    pdag: &mut Pdag,
    undecided: &Undecided<'_>,
    mut edges: Vec<(Variable, Variable)>,
    run: &Run,
) -> Result<Vec<Triple>> {
    let mut reach = Reach::new(pdag.n_variables());
    let mut contradictions = BTreeSet::new();
    // Edges on which rules contradict each other, with the lower variable first.
    let mut barred: FxHashSet<(Variable, Variable)> = FxHashSet::default();
    while !edges.is_empty() {
        edges.sort_unstable();
        edges.dedup();
        let mut arcs: Vec<(Variable, Variable)> = Vec::new();
        for (x, y) in edges.drain(..) {
            if !pdag.has_undirected(x, y) || barred.contains(&(x, y)) {
                continue;
            }
            run.check_overtime()?;
            match (is_compelled(pdag, undecided, x, y), is_compelled(pdag, undecided, y, x)) {
                (true, true) => {
                    barred.insert((x, y));
                    contradictions.extend(broken_by(pdag, undecided, x, y));
                    contradictions.extend(broken_by(pdag, undecided, y, x));
                }
                (true, false) => arcs.push((x, y)),
                (false, true) => arcs.push((y, x)),
                (false, false) => {}
            }
        }
        arcs.iter().for_each(|&(from, to)| pdag.orient(from, to));
        let mut wrong: BTreeSet<(Variable, Variable)> = BTreeSet::new();
        arcs.sort_unstable_by_key(|&(from, to)| (to, from));
        for into_one in arcs.chunk_by(|a, b| a.1 == b.1) {
            for (i, &(x, z)) in into_one.iter().enumerate() {
                run.check_overtime()?;
                for &(y, _) in &into_one[i + 1..] {
                    if !pdag.adjacent(x, y) && !undecided.contains(x, z, y) {
                        wrong.extend([(x, z), (y, z)]);
                        contradictions.insert((x, z, y));
                    }
                }
            }
        }
        for &(from, to) in &arcs {
            run.check_overtime()?;
            if reach.reaches(|v| pdag.children(v), to, from) {
                wrong.insert((from, to));
                let next: Vec<Variable> = pdag.children(to).to_vec();
                for w in next.into_iter().filter(|&w| w == from || reach.reaches(|v| pdag.children(v), w, from)) {
                    contradictions.insert((from.min(w), to, from.max(w)));
                }
            }
        }
        for &(from, to) in &wrong {
            pdag.set(from, to, EdgeMark::Undirected);
            barred.insert((from.min(to), from.max(to)));
        }
        for &(from, to) in arcs.iter().filter(|arc| !wrong.contains(arc)) {
            enqueue_around(pdag, from, to, &mut edges);
        }
    }
    Ok(contradictions.into_iter().collect())
}

/// The triples around x that y → x would break: those that compel x → y.
fn broken_by(pdag: &Pdag, undecided: &Undecided<'_>, x: Variable, y: Variable) -> Vec<Triple> {
    let triple = |a: Variable, z: Variable, b: Variable| (a.min(b), z, a.max(b));
    let unshielded = |a: Variable, b: Variable| !pdag.adjacent(a, b) && !undecided.contains(a, x, b);
    let colliders = pdag.parents(x).iter().filter(|&&w| unshielded(w, y)).map(|&w| triple(w, x, y));
    let cycles = pdag.children(x).iter().filter(|&&w| pdag.has_arc(w, y)).map(|&w| triple(x, w, y));
    let mut found: Vec<Triple> = colliders.chain(cycles).collect();
    if found.is_empty() {
        // R3 and R4: both ends of the pair would be directed into x, or the second of a chain that leads to y.
        let around = pdag.undirected(x);
        for (i, &v) in around.iter().enumerate() {
            let others =
                around[i + 1..].iter().filter(|&&w| pdag.has_arc(v, y) && pdag.has_arc(w, y) && unshielded(v, w));
            found.extend(others.map(|&w| triple(v, x, w)));
            let starts_chain = pdag.children(v).iter().any(|&w| pdag.has_arc(w, y) && pdag.adjacent(w, x));
            if v != y && starts_chain && unshielded(v, y) {
                found.push(triple(v, x, y));
            }
        }
    }
    found
}

/// Adds the undirected edges on which a rule may fire because of the new arc x → y: those at x or y, and for R4, where
/// x → y starts the chain, those into a child of y.
fn enqueue_around(pdag: &Pdag, x: Variable, y: Variable, queue: &mut Vec<(Variable, Variable)>) {
    for end in [x, y] {
        queue.extend(pdag.undirected(end).iter().map(|&v| (end.min(v), end.max(v))));
    }
    for &child in pdag.children(y) {
        let at_child = pdag.undirected(child).iter().filter(|&&v| pdag.has_undirected(x, v));
        queue.extend(at_child.map(|&v| (v.min(child), v.max(child))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, directed: &[(u32, u32)], undirected: &[(u32, u32)]) -> Pdag {
        let mut pdag = Pdag::from_undirected(&crate::graph::UndirectedGraph::from_edges(n, undirected.iter().copied()));
        for &(x, y) in directed {
            pdag.orient(x, y);
        }
        pdag
    }

    fn closed(mut pdag: Pdag) -> Vec<(u32, u32)> {
        apply_meek_rules(&mut pdag, &Knowledge::none());
        pdag.directed_edges().collect()
    }

    #[test]
    fn rule_1() {
        let pdag = graph(3, &[(0, 1)], &[(1, 2)]);
        assert_eq!(meek_rules(&pdag, 1, 2), ["R1"]);
        assert!(meek_rules(&pdag, 2, 1).is_empty());
        assert_eq!(closed(pdag), [(0, 1), (1, 2)]);
        let shielded = graph(3, &[(0, 1)], &[(1, 2), (0, 2)]);
        assert_eq!(closed(shielded), [(0, 1)]);
    }

    #[test]
    fn rule_2() {
        let pdag = graph(3, &[(0, 1), (1, 2)], &[(0, 2)]);
        assert_eq!(meek_rules(&pdag, 0, 2), ["R2"]);
        assert_eq!(closed(pdag), [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn rule_3() {
        // 1 → 3 ← 2, 0 adjacent to all by undirected edges.
        let pdag = graph(4, &[(1, 3), (2, 3)], &[(0, 1), (0, 2), (0, 3)]);
        assert_eq!(meek_rules(&pdag, 0, 3), ["R3"]);
        assert_eq!(closed(pdag), [(0, 3), (1, 3), (2, 3)]);
    }

    #[test]
    fn rule_4() {
        // 1 → 2 → 3, 0 adjacent to all by undirected edges, 1 and 3 not adjacent.
        let pdag = graph(4, &[(1, 2), (2, 3)], &[(0, 1), (0, 2), (0, 3)]);
        assert_eq!(meek_rules(&pdag, 0, 3), ["R4"]);
        assert_eq!(closed(pdag), [(0, 3), (1, 2), (2, 3)]);
    }

    #[test]
    fn rule_4_fires_when_its_first_arc_comes_last() {
        // 4 → 1 directs 1 → 2 by R1 (4 and 2 not adjacent), which starts the chain 1 → 2 → 3; 4 is adjacent to 0, so
        // that R1 does not direct 1 − 0.
        let pdag = graph(5, &[(4, 1), (2, 3)], &[(0, 1), (1, 2), (0, 2), (0, 3), (0, 4)]);
        assert!(closed(pdag).contains(&(0, 3)));
    }

    #[test]
    fn compelled_both_ways_stays_undirected() {
        let mut pdag = graph(4, &[(0, 1), (3, 2)], &[(1, 2)]);
        assert_eq!(close(&mut pdag, &Undecided::none(), &Run::unlimited()).unwrap(), [(0, 1, 2), (1, 2, 3)]);
        assert_eq!(pdag.directed_edges().collect::<Vec<_>>(), [(0, 1), (3, 2)]);
    }

    #[test]
    fn directions_that_would_make_a_v_structure_together_are_left_out_in_any_order() {
        // 0 → 1 ← 2 and 3 → 4 ← 5, and 1 − 6 − 4: R1 wants 1 → 6 and 4 → 6, which no separating set allows.
        let arcs = [(0, 1), (2, 1), (3, 4), (5, 4)];
        for shift in 0..7 {
            let at = |x: u32| (x + shift) % 7;
            let moved: Vec<_> = arcs.iter().map(|&(x, y)| (at(x), at(y))).collect();
            let mut pdag = graph(7, &moved, &[(at(1), at(6)), (at(6), at(4))]);
            let found = close(&mut pdag, &Undecided::none(), &Run::unlimited()).unwrap();
            assert_eq!(found, [(at(1).min(at(4)), at(6), at(1).max(at(4)))]);
            assert_eq!(pdag.directed_edges().count(), 4);
        }
    }
}
