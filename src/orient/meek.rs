//! Meek's orientation rules: a table of rules, and one driver that applies them to a fixed point.

use std::collections::VecDeque;

use super::background::apply_knowledge;
use super::undecided::Undecided;
use crate::Result;
use crate::Variable;
use crate::graph::{Pdag, Reach};
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
/// direction in all consistent DAGs are directed. On an inconsistent graph no arc is reversed and no directed cycle is
/// closed: an edge of which the rules compel both directions stays undirected, and edges are visited in increasing
/// order first, then in the order in which their surroundings change.
pub fn apply_meek_rules(pdag: &mut Pdag, knowledge: &Knowledge) {
    apply_knowledge(pdag, knowledge);
    close(pdag, &Undecided::none(), &Run::unlimited()).expect("nobody cancels it");
}

/// Applies the rules to a fixed point; fails as [`Run::check_overtime`] does.
pub(super) fn close(pdag: &mut Pdag, undecided: &Undecided<'_>, run: &Run) -> Result<()> {
    let queue = pdag.undirected_edges().collect();
    drive(pdag, undecided, queue, run)
}

/// Applies the rules to a fixed point after x → y was directed in a graph to which no rule applied before.
pub(super) fn close_after(pdag: &mut Pdag, x: Variable, y: Variable, run: &Run) -> Result<()> {
    let mut queue = VecDeque::new();
    enqueue_around(pdag, x, y, &mut queue);
    drive(pdag, &Undecided::none(), queue, run)
}

fn drive(
    pdag: &mut Pdag,
    undecided: &Undecided<'_>,
    mut queue: VecDeque<(Variable, Variable)>,
    run: &Run,
) -> Result<()> {
    let mut reach = Reach::new(pdag.n_variables());
    while let Some((x, y)) = queue.pop_front() {
        if !pdag.has_undirected(x, y) {
            continue;
        }
        run.check_overtime()?;
        let (from, to) = match (is_compelled(pdag, undecided, x, y), is_compelled(pdag, undecided, y, x)) {
            (true, false) => (x, y),
            (false, true) => (y, x),
            _ => continue,
        };
        if reach.reaches(|v| pdag.children(v), to, from) {
            continue;
        }
        pdag.orient(from, to);
        enqueue_around(pdag, from, to, &mut queue);
    }
    Ok(())
}

/// Adds the undirected edges on which a rule may fire because of the new arc x → y: those at x or y, and for R4, where
/// x → y starts the chain, those into a child of y.
fn enqueue_around(pdag: &Pdag, x: Variable, y: Variable, queue: &mut VecDeque<(Variable, Variable)>) {
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
        assert_eq!(closed(graph(4, &[(0, 1), (3, 2)], &[(1, 2)])), [(0, 1), (3, 2)]);
    }
}
