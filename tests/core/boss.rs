//! Best order score search: against a plain reference, with a consistent score, under knowledge.

use std::collections::HashMap;

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::graph::Dag;
use phgs::knowledge::Knowledge;
use phgs::orient::cpdag_of_dag;
use phgs::run::{Ledger, Phase, Run};
use phgs::score::{LocalScore, PopulationScore, QuotientNml, ScoreSession};
use phgs::search::{ActiveSet, BossOptions, Restarts, SearchResult, boss};

use crate::knowledge::{keeps_knowledge, random_knowledge};
use crate::scores::{Noise, PlainBic, sampled, total};
use crate::support;

fn search(
    score: &impl LocalScore,
    start: &Dag,
    options: &BossOptions<'_>,
    knowledge: &Knowledge,
    threads: usize,
) -> (SearchResult, u64) {
    let mut ledger = Ledger::new();
    let found = boss(score, start, options, knowledge, &Run::new(threads).unwrap(), &mut ledger).unwrap();
    assert_eq!(ledger.total_calls(), ledger.calls(Phase::Refine));
    (found, ledger.total_calls())
}

const EXACT: BossOptions<'static> = BossOptions {
    active: ActiveSet::All,
    max_parents: None,
    growing: false,
    narrowing: false,
    incremental: false,
    order_from_data: false,
    backward: false,
    restarts: None,
    restart_share: None,
    budget: None,
    phase: Phase::Refine,
};

/// Greedy growing and shrinking among `before`, as plainly as can be.
fn parents_among(
    session: &mut impl ScoreSession,
    child: Variable,
    before: &[Variable],
    most: usize,
    tolerance: f64,
) -> (f64, Vec<Variable>) {
    let mut parents: Vec<Variable> = Vec::new();
    let mut score = session.local_score(child, &parents);
    while parents.len() < most {
        let mut best: Option<(f64, Vec<Variable>)> = None;
        let mut sorted = before.to_vec();
        sorted.sort_unstable();
        for x in sorted.into_iter().filter(|x| !parents.contains(x)) {
            let mut with = parents.clone();
            with.push(x);
            with.sort_unstable();
            let score = session.local_score(child, &with);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, with));
            }
        }
        let Some((with, larger)) = best.filter(|(with, _)| *with > score + tolerance) else { break };
        (score, parents) = (with, larger);
    }
    loop {
        let mut best: Option<(f64, Vec<Variable>)> = None;
        for i in 0..parents.len() {
            let mut without = parents.clone();
            without.remove(i);
            let score = session.local_score(child, &without);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, without));
            }
        }
        let Some((without, fewer)) = best.filter(|(without, _)| *without > score + tolerance) else { break };
        (score, parents) = (without, fewer);
    }
    (score, parents)
}

/// The same search with every order scored in full.
fn plain_boss(score: &impl LocalScore, start: &Dag, most: usize) -> (Dag, f64, usize) {
    let p = start.n_variables();
    let mut session = score.session();
    let largest = (0..p as Variable).map(|x| session.local_score(x, start.parents(x)).abs()).fold(0.0, f64::max);
    let tolerance = (1e-12 * largest).max(1e-9);
    let mut known: HashMap<(Variable, Vec<Variable>), (f64, Vec<Variable>)> = HashMap::new();
    let mut of_order = |order: &[Variable]| -> (f64, Dag) {
        let mut arcs = Vec::new();
        let mut scores = vec![0.0; p];
        for (i, &child) in order.iter().enumerate() {
            let mut before = order[..i].to_vec();
            before.sort_unstable();
            let (score, parents) = known
                .entry((child, before.clone()))
                .or_insert_with(|| parents_among(&mut session, child, &before, most, tolerance));
            scores[child as usize] = *score;
            arcs.extend(parents.iter().map(|&x| (x, child)));
        }
        (scores.iter().sum(), Dag::from_arcs(p, arcs).unwrap())
    };
    let mut order = start.topological_order();
    let (mut moves, mut unmoved) = (0, 0);
    'all: while unmoved < p {
        for x in order.clone() {
            let (here, _) = of_order(&order);
            let at = order.iter().position(|&y| y == x).unwrap();
            let placed = |place: usize| {
                let mut other = order.clone();
                other.remove(at);
                other.insert(place, x);
                other
            };
            let scores: Vec<f64> = (0..p).map(|place| of_order(&placed(place)).0).collect();
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if best > here + tolerance {
                order = placed(scores.iter().position(|score| *score >= best - tolerance).unwrap());
                moves += 1;
                unmoved = 0;
            } else {
                unmoved += 1;
            }
            if unmoved >= p {
                break 'all;
            }
        }
    }
    let (score, dag) = of_order(&order);
    (dag, score, moves)
}

#[test]
fn every_move_is_that_of_a_plain_search() {
    for seed in 0..40 {
        let mut rng = support::rng(seed);
        let p = 2 + support::below(&mut rng, 6);
        let truth = support::random_dag(&mut rng, p, 2.5);
        let start = if seed % 3 == 0 { support::random_dag(&mut rng, p, 1.0) } else { Dag::empty(p) };
        let data = sampled(seed, &truth, 300);
        let engine = CountingEngine::new(&data);
        for most in [usize::MAX, 2] {
            if (0..p as Variable).any(|x| start.parents(x).len() > most) {
                continue;
            }
            let options = BossOptions { max_parents: (most < p).then_some(most), ..EXACT };
            let none = Knowledge::none();
            let bic = PlainBic(&engine);
            let expected = plain_boss(&bic, &start, most);
            let (found, _) = search(&bic, &start, &options, &none, 1);
            if expected.1 >= total(&bic, &start) {
                assert_eq!((found.dag, found.score, found.iterations), expected, "seed {seed} bic");
            }
            let noise = Noise { p, seed };
            let expected = plain_boss(&noise, &start, most);
            let (found, _) = search(&noise, &start, &options, &none, 2);
            if expected.1 >= total(&noise, &start) {
                assert_eq!((found.dag, found.score, found.iterations), expected, "seed {seed} noise");
            } else {
                assert_eq!(found.dag, start);
            }
        }
    }
}

#[test]
fn a_consistent_score_leads_to_the_true_class() {
    let (mut exact, mut grown, mut narrowed, mut screened, mut incremental) = (0, 0, 0, 0, 0);
    for seed in 0..500 {
        let mut rng = support::rng(seed);
        let p = 5 + support::below(&mut rng, 11);
        let degree = 1.5 + 2.0 * support::uniform(&mut rng);
        let truth = support::random_dag(&mut rng, p, degree);
        let score = PopulationScore::new(&truth, seed);
        let class = cpdag_of_dag(&truth);
        let none = Knowledge::none();
        let options = BossOptions { growing: false, ..BossOptions::default() };
        let found = search(&score, &Dag::empty(p), &options, &none, 1).0;
        exact += usize::from(cpdag_of_dag(&found.dag) == class);
        let found = search(&score, &Dag::empty(p), &BossOptions::default(), &none, 1).0;
        grown += usize::from(cpdag_of_dag(&found.dag) == class);
        let options = BossOptions { narrowing: true, ..BossOptions::default() };
        let found = search(&score, &Dag::empty(p), &options, &none, 1).0;
        narrowed += usize::from(cpdag_of_dag(&found.dag) == class);
        let dependent = support::marginal_dependences(&truth);
        for growing in [false, true] {
            let options = BossOptions { growing, incremental: true, ..BossOptions::default() };
            let found = search(&score, &Dag::empty(p), &options, &none, 1).0;
            incremental += usize::from(cpdag_of_dag(&found.dag) == class);
            let options = BossOptions { active: ActiveSet::Screened(&dependent), growing, ..BossOptions::default() };
            let found = search(&score, &Dag::empty(p), &options, &none, 1).0;
            screened += usize::from(cpdag_of_dag(&found.dag) == class);
        }
    }
    let found = [exact, grown, narrowed, screened, incremental];
    assert_eq!(
        found,
        [500, 500, 500, 1000, 1000],
        "true class: exact, growing, narrowing, screened and incremental twice"
    );
}

#[test]
fn promises_hold_under_knowledge() {
    for seed in 0..150 {
        let mut rng = support::rng(seed);
        let p = 2 + support::below(&mut rng, 9);
        let knowledge = random_knowledge(&mut support::rng(seed), p, None, true);
        let start = support::random_dag(&mut rng, p, 2.0);
        let noise = Noise { p, seed };
        for (growing, incremental) in [(false, false), (true, false), (false, true), (true, true)] {
            let narrowing = seed / 2 % 2 == 0;
            let pairs = support::random_dag(&mut rng, p, 2.0).skeleton();
            let active = if seed % 2 == 0 { ActiveSet::All } else { ActiveSet::Screened(&pairs) };
            let options = BossOptions { active, growing, narrowing, incremental, ..BossOptions::default() };
            let (found, calls) = search(&noise, &start, &options, &knowledge, 1);
            keeps_knowledge(&found.dag, &knowledge);
            assert_eq!(found.score, total(&noise, &found.dag));
            assert!(found.complete);
            assert_eq!((found, calls), search(&noise, &start, &options, &knowledge, 3));
        }
    }
}

#[test]
fn it_never_ends_below_its_start_and_stops_when_told() {
    for seed in 0..50 {
        let mut rng = support::rng(seed);
        let p = 8;
        let start = support::random_dag(&mut rng, p, 2.5);
        let noise = Noise { p, seed };
        let none = Knowledge::none();
        let (found, _) = search(&noise, &start, &BossOptions::default(), &none, 1);
        assert!(found.score >= total(&noise, &start));
        let (again, _) = search(&noise, &found.dag, &BossOptions::default(), &none, 1);
        assert!(again.score >= found.score);
        let run = Run::new(1).unwrap().with_deadline(Some(std::time::Instant::now()));
        let late = boss(&noise, &start, &BossOptions::default(), &none, &run, &mut Ledger::new()).unwrap();
        assert!(!late.complete && late.score >= total(&noise, &start));
        run.canceller().cancel();
        let cancelled = boss(&noise, &start, &EXACT, &none, &run, &mut Ledger::new());
        assert_eq!(cancelled, Err(phgs::Error::Interrupted));
    }
    for p in 0..3 {
        let (found, _) = search(&Noise { p, seed: 1 }, &Dag::empty(p), &BossOptions::default(), &Knowledge::none(), 2);
        assert!(found.complete);
    }
}

fn restarts(count: usize, seed: u64) -> Option<Restarts> {
    Some(Restarts { count, perturbations: 3, seed })
}

/// The highest score of any DAG, by the best parents within every set and the best last variable of every set.
fn optimum(score: &impl LocalScore) -> f64 {
    let p = score.n_variables();
    let mut session = score.session();
    let members = |set: usize| -> Vec<Variable> { (0..p as Variable).filter(|&x| set >> x & 1 == 1).collect() };
    let within = |session: &mut _, child: usize, set: usize| {
        let local = |parents: usize, session: &mut _| {
            phgs::score::ScoreSession::local_score(session, child as Variable, &members(parents))
        };
        (0..1usize << p)
            .filter(|parents| parents & !set == 0)
            .map(|parents| local(parents, session))
            .fold(f64::MIN, f64::max)
    };
    let mut best = vec![f64::MIN; 1 << p];
    best[0] = 0.0;
    for set in 1..1usize << p {
        for last in (0..p).filter(|&x| set >> x & 1 == 1) {
            let others = set & !(1 << last);
            best[set] = best[set].max(best[others] + within(&mut session, last, others));
        }
    }
    best[(1 << p) - 1]
}

#[test]
fn restarts_reach_more_optima_of_few_variables() {
    let (mut reached, mut without) = (0, 0);
    for seed in 0..100 {
        let mut rng = support::rng(seed);
        let p = 4 + support::below(&mut rng, 2);
        let truth = support::random_dag(&mut rng, p, 2.5);
        let data = sampled(seed, &truth, 500);
        let engine = CountingEngine::new(&data);
        let score = QuotientNml::support_coded(&engine, 1.0).unwrap();
        let best = optimum(&score);
        let start = support::random_dag(&mut rng, p, 2.0);
        let options = BossOptions { restarts: restarts(40, seed), ..BossOptions::default() };
        let (found, _) = search(&score, &start, &options, &Knowledge::none(), 1);
        assert!(found.score <= best + 1e-6, "seed {seed}: {} is above the optimum {best}", found.score);
        reached += usize::from(found.score >= best - 1e-6);
        let (plain, _) = search(&score, &start, &BossOptions::default(), &Knowledge::none(), 1);
        without += usize::from(plain.score >= best - 1e-6);
    }
    // What is left are parents that gain only together, which greedy growing does not find in any order.
    assert!(reached > without && reached >= 85, "optimum: {reached} with restarts, {without} without, of 100");
}

#[test]
fn restarts_keep_all_promises() {
    for seed in 0..20 {
        let mut rng = support::rng(seed);
        let p = 2 + support::below(&mut rng, 11);
        let knowledge =
            if seed % 2 == 0 { random_knowledge(&mut support::rng(seed), p, None, true) } else { Knowledge::none() };
        let most = (seed % 3 == 0).then_some(p - 1 - support::below(&mut rng, p / 2));
        let start = if seed % 2 == 0 { Dag::empty(p) } else { support::random_dag(&mut rng, p, 1.5) };
        if (0..p as Variable).any(|x| most.is_some_and(|most| start.parents(x).len() > most)) {
            continue;
        }
        let noise = Noise { p, seed };
        for (growing, budget) in [(false, None), (true, None), (true, Some(300)), (false, Some(300))] {
            let (incremental, narrowing) = (seed / 2 % 2 == 0, seed / 4 % 2 == 0);
            let plain =
                BossOptions { growing, narrowing, incremental, budget, max_parents: most, ..BossOptions::default() };
            let options = BossOptions { restarts: restarts(10, seed), ..plain };
            let mut ledger = Ledger::new();
            let Ok(without) = boss(&noise, &start, &plain, &knowledge, &Run::new(1).unwrap(), &mut ledger) else {
                // More is required than the limit of parents has room for.
                assert!(most.is_some());
                continue;
            };
            let (found, calls) = search(&noise, &start, &options, &knowledge, 1);
            keeps_knowledge(&found.dag, &knowledge);
            assert!((0..p as Variable).all(|x| found.dag.parents(x).len() <= most.unwrap_or(p)));
            assert_eq!(found.score, total(&noise, &found.dag));
            assert!(found.complete, "an end by the budget is the end of the search");
            if !growing && budget.is_none() {
                assert!(found.score >= without.score - 1e-9, "seed {seed}: restarts take back what does not gain");
            }
            for threads in [2, 7] {
                assert_eq!((found.clone(), calls), search(&noise, &start, &options, &knowledge, threads));
            }
        }
    }
}

#[test]
fn a_budget_ends_the_search() {
    let mut rng = support::rng(5);
    let p = 40;
    let truth = support::random_dag(&mut rng, p, 3.0);
    let data = sampled(5, &truth, 400);
    let engine = CountingEngine::new(&data);
    let score = QuotientNml::support_coded(&engine, 1.0).unwrap();
    let none = Knowledge::none();
    let start = support::random_dag(&mut rng, p, 1.0);
    let options = BossOptions { restarts: restarts(200, 1), ..BossOptions::default() };
    let (free, spent) = search(&score, &start, &options, &none, 1);
    for budget in [0, 40, 400, 1000, 2000, 4000, spent / 2, spent, spent + (p * p) as u64 + 1] {
        let (found, calls) = search(&score, &start, &BossOptions { budget: Some(budget), ..options }, &none, 1);
        assert!(found.complete && found.score >= total(&score, &start));
        // A step that has begun ends: it places one variable, or finds the parents of each in the first order.
        let step = (p * p) as u64;
        assert!(calls <= budget.max(p as u64) + step, "{calls} local scores with a budget of {budget}");
        assert!(budget > 40 || (found.dag == start && calls == p as u64));
        assert!(budget <= spent + step || (found.dag == free.dag && found.score == free.score));
    }
}
