//! Hill-climbing: against a plain reference, and its promises on random data, scores and knowledge.

use std::collections::HashSet;

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::graph::{Dag, UndirectedGraph};
use phgs::knowledge::Knowledge;
use phgs::run::{Ledger, Phase, Run};
use phgs::score::{LocalScore, ScoreSession};
use phgs::search::{
    ActiveSet, BossOptions, Move, Restarts, SearchOptions, SearchResult, Tabu, TieRule, boss, hill_climb,
};
use proptest::prelude::*;

use crate::knowledge::{keeps_knowledge, random_knowledge};
use crate::scores::{Noise, PlainBic, sampled, total};
use crate::support;

fn applied(dag: &Dag, step: Move) -> Option<Dag> {
    let mut next = dag.clone();
    match step {
        Move::Add(x, y) => (!dag.adjacent(x, y) && next.try_insert(x, y)).then_some(next),
        Move::Delete(x, y) => next.remove(x, y).then_some(next),
        Move::Reverse(x, y) => (next.remove(x, y) && next.try_insert(y, x)).then_some(next),
    }
}

/// What all arcs into `y` that gain do so in all, but for that from `but`.
fn gains_into<S: ScoreSession>(
    session: &mut S,
    dag: &Dag,
    y: Variable,
    active: ActiveSet<'_>,
    options: &SearchOptions,
    knowledge: &Knowledge,
    but: Option<Variable>,
) -> f64 {
    let full = options.max_parents.is_some_and(|most| dag.parents(y).len() >= most);
    let own = session.local_score(y, dag.parents(y));
    let mut gains: Vec<f64> = (0..dag.n_variables() as Variable)
        .filter(|&x| x != y && !dag.contains(x, y) && !full && Some(x) != but)
        .filter(|&x| active.contains(x, y) && knowledge.allows_arc(x, y))
        .map(|x| {
            let mut with = dag.parents(y).to_vec();
            with.push(x);
            with.sort_unstable();
            session.local_score(y, &with) - own
        })
        .filter(|gain| *gain > 0.0)
        .collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    gains.iter().sum()
}

/// The same search as plainly as can be: every move of every step is made on a copy of the graph and scored in full.
fn plain_search(
    score: &impl LocalScore,
    start: &Dag,
    active: ActiveSet<'_>,
    options: &SearchOptions,
    knowledge: &Knowledge,
) -> (Dag, f64, usize) {
    let p = start.n_variables() as Variable;
    let mut session = score.session();
    let largest = (0..p).map(|x| session.local_score(x, start.parents(x)).abs()).fold(0.0, f64::max);
    let tolerance = (1e-12 * largest).max(1e-9);
    let association: Vec<f64> =
        (0..p).map(|y| gains_into(&mut session, start, y, active, options, knowledge, None)).collect();
    let (mut dag, mut best) = (start.clone(), (start.clone(), total(score, start)));
    let mut listed: Vec<Dag> = vec![start.clone()];
    let (mut since, mut moves) = (0, 0);
    loop {
        let mut found: Vec<(f64, Move, Dag)> = Vec::new();
        for kind in 0..3 {
            for from in 0..p {
                for to in 0..p {
                    let step = [Move::Add(from, to), Move::Delete(from, to), Move::Reverse(from, to)][kind];
                    let adds = match step {
                        Move::Add(x, y) => Some((x, y)),
                        Move::Reverse(x, y) => Some((y, x)),
                        Move::Delete(..) => None,
                    };
                    if from == to
                        || adds.is_some_and(|(x, y)| !active.contains(x, y) || !knowledge.allows_arc(x, y))
                        || matches!(step, Move::Delete(x, y) if knowledge.requires_edge(x, y))
                    {
                        continue;
                    }
                    let Some(next) = applied(&dag, step) else { continue };
                    let full =
                        options.max_parents.is_some_and(|most| adds.is_some_and(|(_, y)| next.parents(y).len() > most));
                    let tabu = options
                        .tabu
                        .is_some_and(|tabu| listed.iter().rev().take(tabu.length).any(|seen| *seen == next));
                    if full || tabu {
                        continue;
                    }
                    let gain: f64 = (0..p)
                        .filter(|&x| next.parents(x) != dag.parents(x))
                        .map(|x| session.local_score(x, next.parents(x)) - session.local_score(x, dag.parents(x)))
                        .sum();
                    found.push((gain, step, next));
                }
            }
        }
        let Some(most) = found.iter().map(|(gain, ..)| *gain).max_by(f64::total_cmp) else { break };
        if options.tabu.is_none() && most <= tolerance {
            break;
        }
        // Among equals: kind; then the head of more association, the tail of less, and index; or index alone. Then the
        // other direction, if more follows from it.
        found.retain(|(gain, ..)| *gain >= most - tolerance);
        found.sort_by(|(_, a, _), (_, b, _)| {
            let key = |step: &Move| match *step {
                Move::Add(x, y) => (0, x, y),
                Move::Delete(x, y) => (1, x, y),
                Move::Reverse(x, y) => (2, y, x),
            };
            let ((ka, ta, ha), (kb, tb, hb)) = (key(a), key(b));
            if options.ties == TieRule::Columns {
                let arc = |step: &Move| match *step {
                    Move::Add(x, y) | Move::Delete(x, y) | Move::Reverse(x, y) => (x, y),
                };
                return ka.cmp(&kb).then(arc(a).cmp(&arc(b)));
            }
            let of = |x: Variable| association[x as usize];
            ka.cmp(&kb).then(of(hb).total_cmp(&of(ha))).then(of(ta).total_cmp(&of(tb))).then((ta, ha).cmp(&(tb, hb)))
        });
        let mut chosen = 0;
        if let (TieRule::Lookahead, Move::Add(x, y)) = (options.ties, found[0].1)
            && let Some(turned) = found.iter().position(|(_, step, _)| *step == Move::Add(y, x))
        {
            // What arcs into the head gain after the move, minus what they gained before.
            let mut opened = |x: Variable, y: Variable, next: &Dag| {
                gains_into(&mut session, next, y, active, options, knowledge, None)
                    - gains_into(&mut session, &dag, y, active, options, knowledge, Some(x))
            };
            if opened(y, x, &found[turned].2) > opened(x, y, &found[0].2) + tolerance {
                chosen = turned;
            }
        }
        let (_, _, next) = found.swap_remove(chosen);
        dag = next;
        listed.push(dag.clone());
        moves += 1;
        let now = total(score, &dag);
        if now > best.1 + tolerance {
            best = (dag.clone(), now);
            since = 0;
        } else {
            since += 1;
            if options.tabu.is_none_or(|tabu| since >= tabu.patience) {
                break;
            }
        }
    }
    (best.0, best.1, moves)
}

fn search(
    score: &impl LocalScore,
    start: &Dag,
    active: ActiveSet<'_>,
    options: &SearchOptions,
    knowledge: &Knowledge,
    threads: usize,
) -> (SearchResult, u64) {
    let mut ledger = Ledger::new();
    let run = Run::new(threads).unwrap();
    let result = hill_climb(score, start, active, options, knowledge, &run, &mut ledger).unwrap();
    assert_eq!(ledger.total_calls(), ledger.calls(Phase::Search));
    (result, ledger.total_calls())
}

#[test]
fn every_move_is_that_of_a_plain_search() {
    let none = Knowledge::none();
    for seed in 0..40 {
        let mut rng = support::rng(seed);
        let p = 3 + support::below(&mut rng, 6);
        let truth = support::random_dag(&mut rng, p, 2.5);
        let start = if seed % 3 == 0 { support::random_dag(&mut rng, p, 2.0) } else { Dag::empty(p) };
        let data = sampled(seed, &truth, 300);
        let engine = CountingEngine::new(&data);
        let pairs = support::random_dag(&mut rng, p, 3.0).skeleton();
        for (tabu, max_parents) in [(None, None), (Some(Tabu { length: 20, patience: 15 }), None), (None, Some(2))] {
            let ties = [TieRule::Association, TieRule::Columns, TieRule::Lookahead][(seed / 2 % 3) as usize];
            let options = SearchOptions { tabu, max_parents, ties, ..SearchOptions::default() };
            for active in [ActiveSet::All, ActiveSet::Pairs(&pairs)] {
                if max_parents.is_some_and(|most| (0..p as Variable).any(|x| start.parents(x).len() > most)) {
                    continue;
                }
                let expected = plain_search(&PlainBic(&engine), &start, active, &options, &none);
                let (found, _) = search(&PlainBic(&engine), &start, active, &options, &none, 1);
                assert_eq!((found.dag, found.score, found.iterations), expected, "seed {seed} {options:?} bic");
                let noise = Noise { p, seed };
                let expected = plain_search(&noise, &start, active, &options, &none);
                let (found, _) = search(&noise, &start, active, &options, &none, 2);
                assert_eq!((found.dag, found.score, found.iterations), expected, "seed {seed} {options:?} noise");
                assert!(found.complete);
            }
        }
    }
}

#[test]
fn tabu_with_knowledge_is_that_of_a_plain_search() {
    for seed in 0..30 {
        let p = 6;
        let knowledge = random_knowledge(&mut support::rng(seed), p, None, true);
        let noise = Noise { p, seed };
        // What it starts from: required adjacencies alone.
        let run = Run::new(1).unwrap();
        let still = SearchOptions { max_iterations: Some(0), ..SearchOptions::default() };
        let start = hill_climb(&noise, &Dag::empty(p), ActiveSet::All, &still, &knowledge, &run, &mut Ledger::new());
        let start = start.unwrap();
        assert!(!start.complete);
        keeps_knowledge(&start.dag, &knowledge);
        let options = SearchOptions { tabu: Some(Tabu { length: 30, patience: 20 }), ..SearchOptions::default() };
        let expected = plain_search(&noise, &start.dag, ActiveSet::All, &options, &knowledge);
        let (found, _) = search(&noise, &Dag::empty(p), ActiveSet::All, &options, &knowledge, 1);
        keeps_knowledge(&found.dag, &knowledge);
        assert_eq!((found.dag, found.score, found.iterations), expected, "seed {seed}");
    }
}

#[test]
fn additions_left_out_of_the_lists_are_found_when_they_matter() {
    // Deleting is so dear that a tabu search of 30 variables soon has nothing better than poor additions.
    struct Dear;
    impl LocalScore for Dear {
        type Session<'s> = Dear;
        fn n_variables(&self) -> usize {
            30
        }
        fn session(&self) -> Dear {
            Dear
        }
        fn name(&self) -> &'static str {
            "dear"
        }
        fn is_score_equivalent(&self) -> bool {
            false
        }
    }
    impl ScoreSession for Dear {
        fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
            if child != 29 {
                return -1e9 * parents.len() as f64;
            }
            // The first parent is worth much; every other costs a little, the more the higher its index.
            let first = if parents.is_empty() { 0.0 } else { 1e6 * (1.0 + parents.len() as f64 / 100.0) };
            first - parents.iter().map(|&x| 2e4 + 10.0 * f64::from(x)).sum::<f64>()
        }
    }
    let options = SearchOptions { tabu: Some(Tabu { length: 100, patience: 28 }), ..SearchOptions::default() };
    let expected = plain_search(&Dear, &Dag::empty(30), ActiveSet::All, &options, &Knowledge::none());
    for threads in [1, 2] {
        let (found, _) = search(&Dear, &Dag::empty(30), ActiveSet::All, &options, &Knowledge::none(), threads);
        assert_eq!((found.dag, found.score, found.iterations), expected.clone());
    }
    assert_eq!(expected.0, Dag::from_arcs(30, [(0, 29)]).unwrap());
}

#[test]
fn a_growing_search_ends_where_no_move_gains() {
    for seed in 0..25 {
        let mut rng = support::rng(seed);
        let p = 30;
        let truth = support::random_dag(&mut rng, p, 3.0);
        let data = sampled(seed, &truth, 400);
        let engine = CountingEngine::new(&data);
        let bic = PlainBic(&engine);
        let none = Knowledge::none();
        let (plain, _) = search(&bic, &Dag::empty(p), ActiveSet::Growing, &SearchOptions::default(), &none, 1);
        // A plain climb over all pairs finds nothing left to do.
        let (after, _) = search(&bic, &plain.dag, ActiveSet::All, &SearchOptions::default(), &none, 1);
        assert_eq!((after.iterations, after.score), (0, plain.score), "seed {seed}");
        let options = SearchOptions { tabu: Some(Tabu { length: 20, patience: 20 }), ..SearchOptions::default() };
        let (tabu, calls) = search(&bic, &Dag::empty(p), ActiveSet::Growing, &options, &none, 1);
        assert!(tabu.score >= plain.score && tabu.complete);
        let (after, _) = search(&bic, &tabu.dag, ActiveSet::All, &SearchOptions::default(), &none, 1);
        assert_eq!((after.iterations, after.score), (0, tabu.score), "seed {seed}");
        assert_eq!((tabu, calls), search(&bic, &Dag::empty(p), ActiveSet::Growing, &options, &none, 3));
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    for seed in 0..20 {
        let mut rng = support::rng(seed);
        let p = 12;
        let truth = support::random_dag(&mut rng, p, 2.5);
        let data = sampled(seed, &truth, 400);
        let order = support::permutation(&mut rng, p);
        let codes = |x: Variable| (0..data.n_rows()).map(|row| data.column(x).get(row)).collect::<Vec<u32>>();
        let permuted = DiscreteData::from_columns(order.iter().map(|&x| codes(x)).collect()).unwrap();
        let (one, two) = (CountingEngine::new(&data), CountingEngine::new(&permuted));
        let options = SearchOptions { tabu: Some(Tabu::default()), ..SearchOptions::default() };
        let none = Knowledge::none();
        let (a, _) = search(&PlainBic(&one), &Dag::empty(p), ActiveSet::All, &options, &none, 1);
        let (b, _) = search(&PlainBic(&two), &Dag::empty(p), ActiveSet::All, &options, &none, 1);
        let back = b.dag.arcs().map(|(x, y)| (order[x as usize], order[y as usize]));
        assert_eq!(a.dag, Dag::from_arcs(p, back).unwrap(), "seed {seed}");
    }
}

#[test]
fn threads_change_nothing() {
    let mut rng = support::rng(7);
    // Enough variables that the candidates of one child are split among threads.
    let truth = support::random_dag(&mut rng, 260, 3.0);
    let data = sampled(7, &truth, 500);
    let engine = CountingEngine::new(&data);
    let restarts = Some(Restarts { count: 1, perturbations: 10, seed: 3 });
    let options = SearchOptions {
        tabu: Some(Tabu { length: 10, patience: 10 }),
        restarts,
        max_iterations: Some(60),
        ..SearchOptions::default()
    };
    let one = search(&PlainBic(&engine), &Dag::empty(260), ActiveSet::All, &options, &Knowledge::none(), 1);
    for threads in [2, 3] {
        let other = search(&PlainBic(&engine), &Dag::empty(260), ActiveSet::All, &options, &Knowledge::none(), threads);
        assert_eq!(one, other);
        assert_eq!(one.0.score.to_bits(), other.0.score.to_bits());
    }
}

#[test]
fn restarts_do_not_lose_and_depend_on_their_seed() {
    let mut better = 0;
    let mut different = HashSet::new();
    for seed in 0..20 {
        let noise = Noise { p: 8, seed };
        let plain = SearchOptions::default();
        let (once, _) = search(&noise, &Dag::empty(8), ActiveSet::All, &plain, &Knowledge::none(), 1);
        let restarts = Some(Restarts { count: 5, perturbations: 4, seed });
        let options = SearchOptions { restarts, ..plain };
        let (again, calls) = search(&noise, &Dag::empty(8), ActiveSet::All, &options, &Knowledge::none(), 1);
        assert_eq!(
            (again.clone(), calls),
            search(&noise, &Dag::empty(8), ActiveSet::All, &options, &Knowledge::none(), 2)
        );
        assert!(again.score >= once.score);
        assert_eq!(again.score, total(&noise, &again.dag));
        better += usize::from(again.score > once.score);
        let other = SearchOptions { restarts: Some(Restarts { count: 1, perturbations: 4, seed }), ..plain };
        different.insert(
            search(&Noise { p: 8, seed: 0 }, &Dag::empty(8), ActiveSet::All, &other, &Knowledge::none(), 1)
                .0
                .iterations,
        );
    }
    assert!(better > 10, "restarts helped in {better} of 20");
    assert!(different.len() > 1);
}

#[test]
fn what_cannot_be_searched_is_an_error() {
    let noise = Noise { p: 4, seed: 1 };
    let run = Run::new(1).unwrap();
    let five = UndirectedGraph::empty(5);
    let go = |start: &Dag, active, options: &SearchOptions, knowledge: &Knowledge| {
        hill_climb(&noise, start, active, options, knowledge, &run, &mut Ledger::new())
    };
    let none = Knowledge::none();
    let full = Dag::from_arcs(4, [(0, 3), (1, 3), (2, 3)]).unwrap();
    let two = SearchOptions { max_parents: Some(2), ..SearchOptions::default() };
    let error = go(&full, ActiveSet::All, &two, &none).unwrap_err().to_string();
    assert_eq!(error, "max_parents: variable 3 has 3 parents in the start graph, more than 2");
    assert!(go(&Dag::empty(3), ActiveSet::All, &two, &none).is_err());
    for active in [ActiveSet::Pairs(&five), ActiveSet::Screened(&five)] {
        let error = "the active set of a search over 4 variables has 5";
        assert_eq!(go(&Dag::empty(4), active, &two, &none).unwrap_err().to_string(), error);
        let options = BossOptions { active, ..BossOptions::default() };
        let found = boss(&noise, &Dag::empty(4), &options, &none, &run, &mut Ledger::new());
        assert_eq!(found.unwrap_err().to_string(), error);
    }
    // 0 → 1 and 1 → 2 are required; the edge 0 − 2 may only be 2 → 0.
    assert!(Knowledge::new(4, [(0, 1), (1, 2)], [(0, 2)], [(0, 2)], vec![]).is_err());
    run.canceller().cancel();
    assert_eq!(go(&Dag::empty(4), ActiveSet::All, &two, &none), Err(phgs::Error::Interrupted));
}

#[test]
fn no_time_left_gives_the_start() {
    let run = Run::new(1).unwrap().with_deadline(Some(std::time::Instant::now()));
    let start = Dag::from_arcs(5, [(0, 1)]).unwrap();
    let noise = Noise { p: 5, seed: 1 };
    let options = SearchOptions { tabu: Some(Tabu::default()), ..SearchOptions::default() };
    let found =
        hill_climb(&noise, &start, ActiveSet::All, &options, &Knowledge::none(), &run, &mut Ledger::new()).unwrap();
    assert_eq!((found.dag, found.complete), (start, false));
}

#[test]
fn degenerate_sizes_work() {
    for p in 0..3 {
        let noise = Noise { p, seed: 5 };
        let options = SearchOptions {
            tabu: Some(Tabu::default()),
            restarts: Some(Restarts { count: 2, perturbations: 2, seed: 1 }),
            ..SearchOptions::default()
        };
        let (found, _) = search(&noise, &Dag::empty(p), ActiveSet::All, &options, &Knowledge::none(), 2);
        assert!(found.complete);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold(seed in 0u64..1_000_000, p in 2usize..12, cap in 1usize..4, mode in 0usize..4) {
        let mut rng = support::rng(seed);
        let knowledge = if mode % 2 == 0 { random_knowledge(&mut support::rng(seed), p, None, true) } else { Knowledge::none() };
        let start = support::random_dag(&mut rng, p, 2.0);
        let pairs = support::random_dag(&mut rng, p, 3.0).skeleton();
        let active = if mode < 2 { ActiveSet::All } else { ActiveSet::Pairs(&pairs) };
        let options = SearchOptions {
            tabu: (seed % 3 > 0).then_some(Tabu { length: 12, patience: 9 }),
            restarts: (seed % 3 > 1).then_some(Restarts { count: 2, perturbations: 3, seed }),
            max_parents: Some(cap),
            ..SearchOptions::default()
        };
        let noise = Noise { p, seed };
        let run = Run::new(1).unwrap();
        let still = SearchOptions { max_iterations: Some(0), ..options };
        let from = hill_climb(&noise, &start, active, &still, &knowledge, &run, &mut Ledger::new());
        let found = hill_climb(&noise, &start, active, &options, &knowledge, &run, &mut Ledger::new());
        match (from, found) {
            (Ok(from), Ok(found)) => {
                prop_assert!(found.score >= from.score);
                prop_assert_eq!(found.score, total(&noise, &found.dag));
                prop_assert!(Dag::from_arcs(p, found.dag.arcs()).is_ok());
                prop_assert!((0..p as Variable).all(|x| found.dag.parents(x).len() <= cap));
                keeps_knowledge(&found.dag, &knowledge);
                for (x, y) in found.dag.arcs() {
                    prop_assert!(active.contains(x, y) || from.dag.contains(x, y));
                }
            }
            (Err(a), Err(b)) => prop_assert_eq!(a, b),
            _ => prop_assert!(false, "one fails, the other does not"),
        }
    }
}
