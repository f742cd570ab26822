//! Scores and the test of numbers beside categories.

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::{Codes, MixedColumn, MixedData, MixedOptions};
use phgs::graph::{Dag, Pdag};
use phgs::independence::{IndependenceTest, MixedLrTest, TestSession};
use phgs::knowledge::Knowledge;
use phgs::run::{Ledger, Run};
use phgs::score::{
    ConditionalGaussian, DiscreteScore, DiscreteScoreKind, LocalScore, MixedBic, MixedEngine, ScoreSession, score_dag,
};
use phgs::search::ges::{GesOptions, GesResult, Schedule, ges};
use phgs::stats::normal_quantile;
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore;

use crate::support::{below, permutation, rng, uniform};

fn normal(rng: &mut impl RngCore) -> f64 {
    normal_quantile(uniform(rng).clamp(1e-12, 1.0 - 1e-12))
}

/// A linear model over a random order, every second column of which is cut into states.
fn linear(seed: u64, p: usize, n: usize, weight: f64) -> Vec<MixedColumn> {
    let mut rng = rng(seed);
    let order = permutation(&mut rng, p);
    let mut latent: Vec<Vec<f64>> = vec![Vec::new(); p];
    for (i, &x) in order.iter().enumerate() {
        let from: Vec<Variable> = order[..i].iter().copied().filter(|_| below(&mut rng, 3) == 0).take(2).collect();
        let values = (0..n).map(|row| {
            let total: f64 = from.iter().map(|&z| weight * latent[z as usize][row]).sum();
            total + normal(&mut rng)
        });
        latent[x as usize] = values.collect();
    }
    let cut = |(x, values): (usize, Vec<f64>)| {
        if x.is_multiple_of(2) {
            return MixedColumn::Number(values);
        }
        let states = 2 + x as u32 % 3;
        let code = |v: f64| ((v + 1.0) * f64::from(states) / 2.0).clamp(0.0, f64::from(states) - 1.0) as u8;
        MixedColumn::Category(Codes::Narrow(values.into_iter().map(code).collect()), states)
    };
    latent.into_iter().enumerate().map(cut).collect()
}

fn data(columns: Vec<MixedColumn>) -> MixedData {
    let options = MixedOptions { keep_rows: true, ..MixedOptions::default() };
    MixedData::new(columns, options, &Run::new(1).unwrap()).unwrap()
}

/// Calls `job` with each of the scores.
fn with_scores(data: &MixedData, job: impl Fn(&dyn Fn(Variable, &[Variable]) -> f64, &str)) {
    let engine = data.counted().map(MixedEngine::new);
    let mixed = MixedBic::new(data, engine.as_ref(), 0.5, Some(0.5), DiscreteScoreKind::Bic(0.5)).unwrap();
    job(&|x, parents| mixed.session().local_score(x, parents), "mixed-ebic");
    let conditional = ConditionalGaussian::new(data, 0.5, 0.5).unwrap();
    job(&|x, parents| conditional.session().local_score(x, parents), "cg");
}

fn without(set: &[Variable], x: Variable) -> Vec<Variable> {
    set.iter().copied().filter(|&y| y != x).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A complete DAG over some variables has the same score for each order of them, which makes scores of equivalent DAGs
    /// equal: they differ by the order of two variables with the same other parents.
    #[test]
    fn the_order_of_variables_makes_no_difference(seed: u64, n in 20usize..300) {
        let data = data(linear(seed, 6, n, 0.8));
        let mut rng = rng(seed);
        with_scores(&data, |local, name| {
            let mut rng = rng.clone();
            let order = permutation(&mut rng, 6);
            for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
                let mut given: Vec<Variable> = order[..i].to_vec();
                given.sort_unstable();
                let (x, y) = (order[i], order[j]);
                let add = |z: Variable| {
                    let mut with = given.clone();
                    with.push(z);
                    with.sort_unstable();
                    with
                };
                let one = local(x, &given) + local(y, &add(x));
                let other = local(y, &given) + local(x, &add(y));
                assert!((one - other).abs() < 1e-7 * one.abs().max(1.0), "{name}: {one} {other}");
            }
        });
        rng.next_u64();
    }

    /// What a search leaves out does not exceed what it asked for, and all else is as it is alone, to the bit.
    #[test]
    fn only_scores_that_do_not_exceed_are_left_out(seed: u64) {
        let data = data(linear(seed, 9, 200, 0.7));
        let engine = data.counted().map(MixedEngine::new);
        let score = MixedBic::new(&data, engine.as_ref(), 0.5, Some(0.5), DiscreteScoreKind::Bic(0.5)).unwrap();
        let mut session = score.session();
        for (child, parents) in [(4, vec![]), (3, vec![]), (0, vec![3]), (5, vec![0, 3, 7]), (8, vec![1, 2, 6])] {
            let candidates = without(&(0..9).filter(|x| !parents.contains(x)).collect::<Vec<_>>(), child);
            let (mut all, mut above) = (Vec::new(), Vec::new());
            let least = session.local_score(child, &parents);
            session.local_scores_with_each(child, &parents, &candidates, &mut all);
            session.local_scores_above(child, &parents, &candidates, least, &mut above);
            for ((&candidate, &exact), &screened) in candidates.iter().zip(&all).zip(&above) {
                let mut with = parents.clone();
                with.push(candidate);
                with.sort_unstable();
                prop_assert_eq!(score.session().local_score(child, &with), exact);
                prop_assert!(screened == exact || (screened == f64::NEG_INFINITY && exact <= least));
            }
        }
    }
}

fn search(data: &MixedData, schedule: Schedule, budget: Option<u64>, threads: usize) -> (GesResult, u64) {
    let score = MixedBic::new(data, None, 0.5, Some(0.5), DiscreteScoreKind::Bic(0.5)).unwrap();
    let options = GesOptions { turning: true, schedule, budget, ..GesOptions::default() };
    let (run, mut ledger) = (Run::new(threads).unwrap(), Ledger::new());
    let start = Pdag::empty(data.n_variables());
    let found = ges(&score, &start, &options, &Knowledge::none(), &run, &mut ledger).unwrap();
    let calls = ledger.total_calls();
    (found, calls)
}

#[test]
fn a_budget_ends_extended_search_the_same_for_any_number_of_threads() {
    let data = data(linear(3, 24, 400, 0.6));
    let (plain, spent) = search(&data, Schedule::Interleaved, None, 1);
    // All of it spent: no costly change is tried.
    let (same, _) = search(&data, Schedule::Extended, Some(1), 1);
    assert_eq!((same.cpdag, same.complete), (plain.cpdag.clone(), true));
    let (far, all) = search(&data, Schedule::Extended, None, 1);
    assert!(all > 2 * spent);
    let (middle, calls) = search(&data, Schedule::Extended, Some(spent + (all - spent) / 4), 1);
    assert_eq!(search(&data, Schedule::Extended, Some(spent + (all - spent) / 4), 2), (middle.clone(), calls));
    assert!(calls < all && middle.complete);
    assert!(plain.score <= middle.score + 1e-9 && middle.score <= far.score + 1e-9);
}

/// Independent columns: numbers, categories or both, by `kind`.
fn independent(seed: u64, p: usize, n: usize, kind: usize) -> Vec<MixedColumn> {
    let mut rng = rng(seed);
    let column = |x: usize| {
        if kind == 0 || (kind == 1 && x.is_multiple_of(2)) {
            return MixedColumn::Number((0..n).map(|_| normal(&mut rng)).collect());
        }
        let states = if kind == 2 { 2 } else { 2 + x % 3 };
        MixedColumn::Category(Codes::Narrow((0..n).map(|_| below(&mut rng, states) as u8).collect()), states as u32)
    };
    (0..p).map(column).collect()
}

#[test]
fn few_rows_of_independent_columns_give_hardly_any_edge() {
    for n in [8, 12, 20, 30, 60, 100, 200] {
        for kind in 0..3 {
            let rounds = 8;
            let mut edges = 0;
            for seed in 0..rounds {
                let data = data(independent(1000 * seed + n as u64, 30, n, kind));
                let engine = data.counted().map(MixedEngine::new);
                let score = MixedBic::new(&data, engine.as_ref(), 0.5, Some(0.5), DiscreteScoreKind::Bic(0.5)).unwrap();
                let options = GesOptions { turning: true, schedule: Schedule::Interleaved, ..GesOptions::default() };
                let (run, mut ledger) = (Run::new(1).unwrap(), Ledger::new());
                let found = ges(&score, &Pdag::empty(30), &options, &Knowledge::none(), &run, &mut ledger).unwrap();
                edges += found.dag.n_arcs();
            }
            // At most .5 a table on average; three standard deviations of the sum of eight more.
            assert!(edges <= 10, "{edges} edges in {rounds} tables of {n} rows, kind {kind}");
        }
    }
}

#[test]
fn families_that_are_too_wide_for_the_rows_never_gain() {
    // All columns are the same number with a little noise: everything depends on everything.
    let mut rng = rng(5);
    let common: Vec<f64> = (0..40).map(|_| normal(&mut rng)).collect();
    let column = |_| MixedColumn::Number(common.iter().map(|v| v + 0.1 * normal(&mut rng)).collect());
    let data = data((0..8).map(column).collect());
    let score = MixedBic::new(&data, None, 0.5, None, DiscreteScoreKind::Bic(0.5)).unwrap();
    let mut session = score.session();
    let one = session.local_score(0, &[]);
    // 40 rows have room for eight columns, which are four numbers with their squares.
    assert!(session.local_score(0, &[1]) > one + 50.0);
    let four = session.local_score(0, &[1, 2, 3]);
    assert!(four > one);
    assert!(session.local_score(0, &[1, 2, 3, 4]) < four - 40.0 * 40f64.ln());
    assert!(session.local_score(0, &[1, 2, 3, 4, 5, 6, 7]).is_finite());
}

#[test]
fn distances_are_those_of_pairs_in_any_order() {
    let columns = linear(9, 7, 150, 0.9);
    let (there, back) = (data(columns.clone()), data(columns.into_iter().rev().collect()));
    let run = Run::new(2).unwrap();
    let of = |data: &MixedData| MixedLrTest::new(data).distances(&run).unwrap().unwrap();
    let (there, back) = (of(&there), of(&back));
    let at = |x: usize, y: usize| x * 7 - x * (x + 1) / 2 + y - x - 1;
    for x in 0..7 {
        for y in (x + 1)..7 {
            assert!((there[at(x, y)] - back[at(6 - y, 6 - x)]).abs() < 1e-9);
            assert!((0.0..=1.0).contains(&there[at(x, y)]));
        }
    }
}

#[test]
fn constants_copies_and_functions_of_groups_are_finite() {
    let mut rng = rng(11);
    let z: Vec<f64> = (0..90).map(|_| normal(&mut rng)).collect();
    let g: Vec<u8> = (0..90).map(|_| below(&mut rng, 3) as u8).collect();
    let columns = vec![
        MixedColumn::Number(z.clone()),
        MixedColumn::Number(z.iter().map(|v| -v.exp()).collect()),
        MixedColumn::Category(Codes::Narrow(g.clone()), 3),
        MixedColumn::Number(g.iter().map(|&g| 2.5 * f64::from(g)).collect()),
        MixedColumn::Number(vec![3.0; 90]),
        MixedColumn::Category(Codes::Narrow(vec![0; 90]), 1),
        MixedColumn::Category(Codes::Narrow(g.iter().map(|&g| u8::from(g > 0)).collect()), 2),
    ];
    let data = data(columns);
    assert_eq!(data.copies(), [(0, 1)]);
    with_scores(&data, |local, name| {
        for child in 0..7 {
            for bits in 0..128u32 {
                let parents: Vec<Variable> = (0..7).filter(|&x| x != child && bits >> x & 1 == 1).collect();
                assert!(local(child, &parents).is_finite(), "{name} {child} {parents:?}");
            }
        }
    });
    let test = MixedLrTest::new(&data);
    let mut session = test.session();
    for (x, y, given) in [(0, 1, vec![]), (2, 3, vec![6]), (0, 4, vec![1]), (0, 6, vec![2, 3, 5])] {
        assert!(session.test(x, y, &given).log_p_value.is_finite());
    }
}

#[test]
fn the_conditional_gaussian_score_needs_rows() {
    let run = Run::new(1).unwrap();
    let lean = MixedData::new(linear(1, 4, 50, 0.5), MixedOptions::default(), &run).unwrap();
    assert!(ConditionalGaussian::new(&lean, 0.5, 0.5).is_err());
    assert!(MixedBic::new(&lean, None, -1.0, None, DiscreteScoreKind::Bic(0.5)).is_err());
    let kept = data(linear(1, 4, 50, 0.5));
    assert!(ConditionalGaussian::new(&kept, f64::NAN, 0.5).is_err());
    // Slopes of opposite signs in two groups: the embedding sees nothing, the conditional score does.
    let mut rng = rng(2);
    let group: Vec<u8> = (0..300).map(|_| below(&mut rng, 2) as u8).collect();
    let x: Vec<f64> = (0..300).map(|_| normal(&mut rng)).collect();
    let y = x.iter().zip(&group).map(|(x, &g)| if g == 0 { x + 0.5 } else { -x - 0.5 } + 0.3 * normal(&mut rng));
    let y = y.collect();
    let columns = vec![MixedColumn::Category(Codes::Narrow(group), 2), MixedColumn::Number(x), MixedColumn::Number(y)];
    let data = data(columns);
    let score = ConditionalGaussian::new(&data, 0.5, 0.5).unwrap();
    let run = Run::new(1).unwrap();
    let of = |arcs: &[(Variable, Variable)]| {
        score_dag(&score, &Dag::from_arcs(3, arcs.iter().copied()).unwrap(), &run).unwrap().total
    };
    assert!(of(&[(0, 2), (1, 2)]) > of(&[(0, 2)]) + 100.0);
}

/// The log determinant of a positive definite matrix.
fn log_determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let k = matrix.len();
    let mut log = 0.0;
    for i in 0..k {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|m| matrix[i][m] * matrix[j][m]).sum();
            let left = matrix[i][j] - sum;
            matrix[i][j] = if i == j { left.sqrt() } else { left / matrix[j][j] };
        }
        log += 2.0 * matrix[i][i].ln();
    }
    log
}

/// Categories of 30, 25 and 40 states, the last a finer form of the first, beside one of 3 states and three numbers.
fn with_wide_categories(n: usize) -> Vec<MixedColumn> {
    let mut rng = rng(17);
    let mut codes: Vec<Vec<u8>> = vec![Vec::new(); 4];
    let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); 3];
    for _ in 0..n {
        let region = below(&mut rng, 30);
        let fine = if region < 10 { 30 + region } else { region };
        codes[0].push(region as u8);
        codes[1].push(((region + below(&mut rng, 8)) % 25) as u8);
        codes[2].push(if below(&mut rng, 2) == 0 { region } else { fine } as u8);
        codes[3].push((region % 3) as u8);
        let x = region as f64 / 10.0 + normal(&mut rng);
        let y = x + normal(&mut rng);
        numbers.iter_mut().zip([x, y, normal(&mut rng)]).for_each(|(column, value)| column.push(value));
    }
    let category = |(codes, states)| MixedColumn::Category(Codes::Narrow(codes), states);
    let mut columns: Vec<MixedColumn> = codes.into_iter().zip([30, 25, 40, 3]).map(category).collect();
    for (at, values) in [1, 3, 5].into_iter().zip(numbers) {
        columns.insert(at, MixedColumn::Number(values));
    }
    columns
}

#[test]
fn wide_categories_have_the_score_of_the_formula() {
    let n = 3000;
    let data = data(with_wide_categories(n));
    let p = data.n_variables() as Variable;
    assert!([0, 2, 4].iter().all(|&x| data.width(x) > 20));
    let engine = data.counted().map(MixedEngine::new);
    let counted = CountingEngine::new(data.categories().unwrap());
    let exact = DiscreteScore::new(&counted, DiscreteScoreKind::Bic(0.5)).unwrap();
    let per_pair = 0.5 * (n as f64).ln();
    let embedded = |set: &[Variable]| {
        let columns: Vec<Variable> = set.iter().flat_map(|&x| data.block(x)).collect();
        let entry = |&a: &Variable| columns.iter().map(|&b| data.correlation().get(a, b)).collect();
        let pairs: usize = set
            .iter()
            .enumerate()
            .flat_map(|(i, &x)| set[..i].iter().map(move |&y| (x, y)))
            .map(|(x, y)| data.width(x) * data.width(y))
            .sum();
        -0.5 * n as f64 * log_determinant(columns.iter().map(entry).collect()) - per_pair * pairs as f64
    };
    let of_set = |set: &[Variable], with_exact: bool| {
        let categories: Vec<Variable> = set.iter().copied().filter(|&x| data.category(x).is_some()).collect();
        let alone: f64 = categories.iter().map(|&x| embedded(&[x])).sum();
        let numbers: Vec<Variable> = categories.iter().filter_map(|&x| data.category(x)).collect();
        let mut session = exact.session();
        let mut gain = |i: usize| session.local_score(numbers[i], &numbers[..i]) - session.local_score(numbers[i], &[]);
        let gain: f64 = (0..numbers.len()).map(&mut gain).sum();
        let more = if with_exact { (gain - (embedded(&categories) - alone)).max(0.0) } else { 0.0 };
        embedded(set) + more
    };
    let per_parent = 0.5 * f64::from(p).ln() * (1.0 + 100.0 / n as f64);
    let mut rng = rng(3);
    for with_exact in [false, true] {
        let engine = engine.as_ref().filter(|_| with_exact);
        let score = MixedBic::new(&data, engine, 0.5, Some(0.5), DiscreteScoreKind::Bic(0.5)).unwrap();
        let (mut session, mut out) = (score.session(), Vec::new());
        for _ in 0..60 {
            let order = permutation(&mut rng, p as usize);
            let size = below(&mut rng, 4);
            let mut parents = order[1..=size].to_vec();
            parents.sort_unstable();
            let (child, candidates) = (order[0], &order[size + 1..]);
            let value = |parents: &[Variable]| {
                let mut family = parents.to_vec();
                family.push(child);
                family.sort_unstable();
                of_set(&family, with_exact) - of_set(parents, with_exact) - per_parent * parents.len() as f64
            };
            let found = session.local_score(child, &parents);
            assert!((found - value(&parents)).abs() < 1e-6, "{child} {parents:?}: {found}");
            session.local_scores_with_each(child, &parents, candidates, &mut out);
            for (&candidate, &scored) in candidates.iter().zip(&out) {
                let mut with = parents.clone();
                with.push(candidate);
                with.sort_unstable();
                assert_eq!(scored, session.local_score(child, &with));
            }
            let all = out.clone();
            session.local_scores_above(child, &parents, candidates, found, &mut out);
            for (&all, &above) in all.iter().zip(&out) {
                assert!(above == all || (above == f64::NEG_INFINITY && all <= found));
            }
        }
    }
}
