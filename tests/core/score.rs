//! Scores against golden values, closed forms and each other.

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::graph::{DSeparation, Dag};
use phgs::run::Run;
use phgs::score::{
    Bdeu, DiscreteScore, DiscreteScoreKind, K2, LocalScore, PenalizedLikelihood, PopulationScore, ScoreSession,
    n_parameters, score_dag,
};
use proptest::prelude::*;

use crate::support::{below, golden_data, random_dag, read_csv, rng};

const KINDS: [DiscreteScoreKind; 10] = [
    DiscreteScoreKind::LogLikelihood,
    DiscreteScoreKind::Aic,
    DiscreteScoreKind::Bic(0.5),
    DiscreteScoreKind::Bdeu(1.0),
    DiscreteScoreKind::Bdeu(10.0),
    DiscreteScoreKind::K2,
    DiscreteScoreKind::Ebic(0.5, 0.5),
    DiscreteScoreKind::Qnml(1.0),
    DiscreteScoreKind::Sqnml(0.5),
    DiscreteScoreKind::Sqnml(1.0),
];

#[test]
fn golden_scores_are_reproduced() {
    // Extended BIC and quotient NML, the last of them, have no column; see their tests.
    let (header, rows) = read_csv("golden/scores.csv");
    assert_eq!(header[3..], ["nparams", "loglik", "aic", "bic", "bde_iss1", "bde_iss10", "k2"]);
    assert_eq!(rows.len(), 20);
    for row in rows {
        let (data, index) = golden_data(&row[0]);
        let engine = CountingEngine::new(&data);
        let arcs = row[2].split(';').filter(|arc| !arc.is_empty()).map(|arc| {
            let (from, to) = arc.split_once('>').expect("an arc");
            (index[from], index[to])
        });
        let dag = Dag::from_arcs(data.n_variables(), arcs).unwrap();
        let parameters: f64 =
            (0..data.n_variables() as Variable).map(|x| n_parameters(data.shape(), x, dag.parents(x))).sum();
        assert_eq!(parameters, row[3].parse::<f64>().unwrap());
        for (kind, expected) in KINDS.into_iter().zip(&row[4..]) {
            let expected: f64 = expected.parse().unwrap();
            let score = DiscreteScore::new(&engine, kind).unwrap();
            let one = score_dag(&score, &dag, &Run::new(1).unwrap()).unwrap();
            let two = score_dag(&score, &dag, &Run::new(2).unwrap()).unwrap();
            assert_eq!(one, two);
            let gap = (one.total - expected).abs();
            assert!(gap <= 1e-9 * expected.abs(), "{} {} {kind:?}: {} {expected}", row[0], row[1], one.total);
        }
    }
}

fn random_data(seed: u64, n: usize, arities: &[usize]) -> DiscreteData {
    let mut rng = rng(seed);
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for (c, &arity) in arities.iter().enumerate() {
        let column = (0..n).map(|row| {
            let before: usize = columns[..c].iter().map(|b| b[row] as usize).sum();
            (if below(&mut rng, 3) == 0 { below(&mut rng, arity) } else { before % arity }) as u32
        });
        let column = column.collect();
        columns.push(column);
    }
    let codes = columns.into_iter().map(|c| phgs::data::Codes::Narrow(c.into_iter().map(|v| v as u8).collect()));
    DiscreteData::new(codes.collect(), arities.iter().map(|&r| r as u32).collect()).unwrap()
}

/// Reverses a random covered arc (x → y with parents(y) = parents(x) ∪ {x}), which leads to an equivalent DAG.
fn equivalent(dag: &Dag, seed: u64) -> Option<Dag> {
    let mut rng = rng(seed);
    let covered: Vec<(Variable, Variable)> = dag
        .arcs()
        .filter(|&(x, y)| dag.parents(y).iter().copied().filter(|&u| u != x).eq(dag.parents(x).iter().copied()))
        .collect();
    let &(x, y) = covered.get(below(&mut rng, covered.len().max(1)))?;
    Some(Dag::from_arcs(dag.n_variables(), dag.arcs().map(|arc| if arc == (x, y) { (y, x) } else { arc })).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Equivalent DAGs have equal scores: bit for bit while the penalty does not dwarf the likelihood (a score below
    /// 4 N ln N is a whole number of units below 2⁵³), and to rounding beyond.
    #[test]
    fn equivalent_dags_tie_exactly(
        seed in any::<u64>(), n in 1usize..300, arities in prop::collection::vec(1usize..6, 6), degree in 0.5f64..4.0,
    ) {
        let data = random_data(seed, n, &arities);
        let engine = CountingEngine::new(&data);
        let run = Run::new(1).unwrap();
        let mut rng = rng(seed);
        let mut dag = random_dag(&mut rng, 6, degree);
        let mut kinds = KINDS.to_vec();
        kinds.push(DiscreteScoreKind::Bic(1.3));
        let totals = |dag: &Dag| -> Vec<f64> {
            kinds.iter().map(|&kind| {
                let score = DiscreteScore::new(&engine, kind).unwrap();
                if score.is_score_equivalent() { score_dag(&score, dag, &run).unwrap().total } else { 0.0 }
            }).collect()
        };
        let first = totals(&dag);
        for step in 0..6 {
            if let Some(next) = equivalent(&dag, seed ^ step) {
                dag = next;
                for (&now, &before) in totals(&dag).iter().zip(&first) {
                    let exact = before.abs() < 4.0 * n as f64 * (n as f64).ln();
                    let tolerance = if exact { 0.0 } else { 1e-15 * before.abs() };
                    prop_assert!((now - before).abs() <= tolerance, "{} {}", now, before);
                }
            }
        }
    }

    /// The batched form gives the same bits as single scores, in any session.
    #[test]
    fn batches_are_the_single_scores(seed in any::<u64>(), n in 1usize..300) {
        let arities = [2, 3, 4, 1, 2, 5, 3];
        let data = random_data(seed, n, &arities);
        let engine = CountingEngine::new(&data);
        let mut rng = rng(seed);
        for kind in KINDS {
            let score = DiscreteScore::new(&engine, kind).unwrap();
            let mut session = score.session();
            for _ in 0..4 {
                let child = below(&mut rng, 7) as Variable;
                let others: Vec<Variable> = (0..7).filter(|&v| v != child).collect();
                let (parents, candidates): (Vec<_>, Vec<_>) = others.iter().partition(|_| below(&mut rng, 3) == 0);
                let mut batch = Vec::new();
                session.local_scores_with_each(child, &parents, &candidates, &mut batch);
                prop_assert_eq!(batch.len(), candidates.len());
                for (&candidate, &value) in candidates.iter().zip(&batch) {
                    let mut with = parents.clone();
                    with.push(candidate);
                    with.sort_unstable();
                    prop_assert_eq!(score.session().local_score(child, &with), value);
                }
            }
        }
    }
}

/// ln Γ of positive integers and half-integers by the recurrence.
fn ln_gamma_of_half(twice: u32) -> f64 {
    match twice {
        1 => 0.5 * std::f64::consts::PI.ln(),
        2 => 0.0,
        _ => ln_gamma_of_half(twice - 2) + (f64::from(twice) / 2.0 - 1.0).ln(),
    }
}

#[test]
fn bdeu_and_k2_are_their_closed_forms() {
    // One binary child, one parent with four declared states of which two occur.
    let data = DiscreteData::new(
        vec![
            phgs::data::Codes::Narrow(vec![0, 1, 1, 1, 0, 0, 1]),
            phgs::data::Codes::Narrow(vec![0, 0, 0, 0, 2, 2, 2]),
        ],
        vec![2, 4],
    )
    .unwrap();
    let engine = CountingEngine::new(&data);
    // Equivalent sample size 4: cells of the family have ½, parent configurations 1.
    let half = ln_gamma_of_half;
    let expected = (half(2) - half(10))
        + (half(3) - half(1))
        + (half(7) - half(1))
        + (half(2) - half(8))
        + (half(5) - half(1))
        + (half(3) - half(1));
    let value = Bdeu::new(&engine, 4.0).unwrap().session().local_score(0, &[1]);
    assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    let factorial = |n: u32| (1..=n).map(|k| f64::from(k).ln()).sum::<f64>();
    let expected = -factorial(5) + factorial(1) + factorial(3) - factorial(4) + factorial(2) + factorial(1);
    let value = K2::new(&engine).session().local_score(0, &[1]);
    assert!((value - expected).abs() < 1e-9, "{value} {expected}");
}

#[test]
fn many_large_parents_need_little_memory_and_no_overflow() {
    // Five parents of 20 states: 3.2 million configurations; then forty parents of 250 states: 10^96.
    let mut generator = rng(9);
    let n = 500;
    let columns: Vec<Vec<u32>> = (0..41).map(|_| (0..n).map(|_| below(&mut generator, 250) as u32).collect()).collect();
    let few: Vec<Vec<u32>> = columns.iter().take(6).map(|c| c.iter().map(|v| v % 20).collect()).collect();
    for (columns, parents) in [(few, 5u32), (columns, 40)] {
        let data = DiscreteData::from_columns(columns).unwrap();
        let engine = CountingEngine::new(&data);
        let parents: Vec<Variable> = (1..=parents).collect();
        for kind in KINDS {
            let score = DiscreteScore::new(&engine, kind).unwrap();
            let mut session = score.session();
            let value = session.local_score(0, &parents);
            assert!(value.is_finite(), "{kind:?}");
            let mut batch = Vec::new();
            session.local_scores_with_each(0, &parents[1..], &parents[..1], &mut batch);
            assert_eq!(batch, [value], "{kind:?}");
        }
    }
}

#[test]
fn parameters_without_meaning_are_refused() {
    let data = DiscreteData::from_columns(vec![vec![0, 1], vec![0, 1]]).unwrap();
    let engine = CountingEngine::new(&data);
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(DiscreteScore::new(&engine, DiscreteScoreKind::Bic(bad)).is_err());
        assert!(DiscreteScore::new(&engine, DiscreteScoreKind::Ebic(0.5, bad)).is_err());
        assert!(DiscreteScore::new(&engine, DiscreteScoreKind::Bdeu(bad)).is_err());
        assert!(DiscreteScore::new(&engine, DiscreteScoreKind::Qnml(bad)).is_err());
        assert!(DiscreteScore::new(&engine, DiscreteScoreKind::Sqnml(bad)).is_err());
    }
    assert!(Bdeu::new(&engine, 0.0).is_err());
    assert_eq!(PenalizedLikelihood::bic_with_multiplier(&engine, 0.0).unwrap().penalty(), 0.0);
    let score = PenalizedLikelihood::bic(&engine);
    assert!(score_dag(&score, &Dag::empty(3), &Run::new(1).unwrap()).is_err());
}

/// Against the definitions, computed elsewhere with 60 digits (`tests/data/generators/quotient_nml.py`).
#[test]
fn quotient_nml_is_its_definition() {
    let (names, rows) = read_csv("quotient_nml/table.csv");
    let number = |row: &Vec<String>, c: usize| row[c].parse::<u32>().unwrap();
    let columns = (0..names.len()).map(|c| rows.iter().map(|row| number(row, c)).collect()).collect();
    let data = DiscreteData::from_columns(columns).unwrap();
    let engine = CountingEngine::new(&data);
    let index = |name: &str| names.iter().position(|other| other == name).unwrap() as Variable;
    let (_, rows) = read_csv("quotient_nml/scores.csv");
    assert_eq!(rows.len(), 55);
    for row in rows {
        let gamma = row[1].parse().unwrap();
        let kind = match row[0].as_str() {
            "qnml" => DiscreteScoreKind::Qnml(gamma),
            _ => DiscreteScoreKind::Sqnml(gamma),
        };
        let score = DiscreteScore::new(&engine, kind).unwrap();
        assert_eq!(score.name(), row[0]);
        let arcs = row[2].split(';').filter(|arc| !arc.is_empty()).map(|arc| {
            let (from, to) = arc.split_once('>').expect("an arc");
            (index(from), index(to))
        });
        let dag = Dag::from_arcs(names.len(), arcs).unwrap();
        let found = score_dag(&score, &dag, &Run::new(1).unwrap()).unwrap();
        for (value, expected) in [found.total].iter().chain(&found.local).zip(&row[3..]) {
            let expected: f64 = expected.parse().unwrap();
            assert!((value - expected).abs() < 1e-10, "{row:?}: {value} {expected}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// An arc gains the same in either direction beside the same parents; a copy of a parent gains nothing; where all
    /// cells occur the two forms are one; the order of rows and the numbers of states do not matter.
    #[test]
    fn quotient_nml_is_made_of_sets(
        seed in any::<u64>(), n in 1usize..400, arities in prop::collection::vec(1usize..6, 6), gamma in 0.0f64..2.0,
    ) {
        let data = random_data(seed, n, &arities);
        let mut rng = rng(seed);
        let mut columns: Vec<Vec<u32>> =
            (0..6).map(|v| (0..n).map(|row| data.column(v).get(row)).collect()).collect();
        // A copy of the first column; then the same rows in another order with other numbers of states.
        columns.push(columns[0].clone());
        let sizes: Vec<u32> = data.arities().iter().copied().chain([data.arity(0)]).collect();
        let table = |columns: Vec<Vec<u32>>| {
            let codes = columns.into_iter().map(|c| phgs::data::Codes::Narrow(c.into_iter().map(|v| v as u8).collect()));
            DiscreteData::new(codes.collect(), sizes.clone()).unwrap()
        };
        let mut shuffled = columns.clone();
        for i in (1..n).rev() {
            let j = below(&mut rng, i + 1);
            shuffled.iter_mut().for_each(|column| column.swap(i, j));
        }
        for (column, &arity) in shuffled.iter_mut().zip(&sizes) {
            let shift = below(&mut rng, arity as usize) as u32;
            column.iter_mut().for_each(|state| *state = arity - 1 - (*state + shift) % arity);
        }
        let (data, other) = (table(columns), table(shuffled));
        let (engine, other) = (CountingEngine::new(&data), CountingEngine::new(&other));
        for kind in [DiscreteScoreKind::Qnml(gamma), DiscreteScoreKind::Sqnml(gamma)] {
            let score = DiscreteScore::new(&engine, kind).unwrap();
            let other = DiscreteScore::new(&other, kind).unwrap();
            let (mut session, mut of_other) = (score.session(), other.session());
            for _ in 0..8 {
                let x = below(&mut rng, 7) as Variable;
                let y = (x + 1 + below(&mut rng, 6) as Variable) % 7;
                let set: Vec<Variable> = (0..7).filter(|&z| z != x && z != y && below(&mut rng, 3) == 0).collect();
                let with = |z: Variable| {
                    let mut with = set.clone();
                    with.push(z);
                    with.sort_unstable();
                    with
                };
                let one = session.local_score(y, &with(x)) - session.local_score(y, &set);
                let reversed = session.local_score(x, &with(y)) - session.local_score(x, &set);
                prop_assert_eq!(one, reversed);
                prop_assert_eq!(session.local_score(y, &with(x)), of_other.local_score(y, &with(x)));
                // ln C(N, r) is convex in ln r, so a copy gains nothing; the code of the support is not, and on a few rows
                // a copy may gain a nat of it.
                if matches!(kind, DiscreteScoreKind::Qnml(_)) && x == 6 && set.contains(&0) && y != 0 {
                    prop_assert!(one <= -gamma * 7f64.ln() + 1e-9, "{}", one);
                }
            }
        }
        let (plain, coded) = (DiscreteScoreKind::Qnml(gamma), DiscreteScoreKind::Sqnml(gamma));
        let (plain, coded) = (DiscreteScore::new(&engine, plain).unwrap(), DiscreteScore::new(&engine, coded).unwrap());
        let mut counting = engine.session();
        let occurs = |session: &mut phgs::counts::CountingSession<'_, '_>, set: &[Variable]| {
            let cells: u32 = set.iter().map(|&v| data.arity(v)).product();
            session.cell_sum(set).occupied == cells
        };
        for (x, y) in [(0, 1), (2, 3), (4, 5), (1, 4)] {
            if occurs(&mut counting, &[x, y]) {
                let (one, other) = (plain.session().local_score(y, &[x]), coded.session().local_score(y, &[x]));
                prop_assert_eq!(one, other);
            }
        }
    }
}

/// Consistent: on many rows of independent columns no arc gains; of dependent ones it does, by N times the information less
/// about what BIC takes off.
#[test]
fn quotient_nml_is_bic_and_a_constant_in_the_limit() {
    let n = 100_000;
    let mut generator = rng(3);
    let x: Vec<u32> = (0..n).map(|_| below(&mut generator, 3) as u32).collect();
    let y: Vec<u32> = (0..n).map(|_| below(&mut generator, 4) as u32).collect();
    let z = x.iter().map(|&x| if below(&mut generator, 10) == 0 { (x + 1) % 3 } else { x }).collect();
    let data = DiscreteData::from_columns(vec![x, y, z]).unwrap();
    let engine = CountingEngine::new(&data);
    let gain = |kind: DiscreteScoreKind, from: Variable, to: Variable| {
        let score = DiscreteScore::new(&engine, kind).unwrap();
        let mut session = score.session();
        session.local_score(to, &[from]) - session.local_score(to, &[])
    };
    // ln C(n, r) → (r − 1)/2 ln(n / 2π) + ln(π^(r/2) / Γ(r/2)): Rissanen's constant for each set.
    let constant = |r: f64| {
        0.5 * r * std::f64::consts::PI.ln()
            - phgs::stats::ln_gamma(0.5 * r)
            - 0.5 * (r - 1.0) * std::f64::consts::TAU.ln()
    };
    for (from, to, arities) in [(0, 1, [3.0, 4.0]), (0, 2, [3.0, 3.0])] {
        let bic = gain(DiscreteScoreKind::Bic(0.5), from, to);
        let [r, s] = arities;
        let support = if to == 1 { 0.0 } else { 84f64.ln() };
        let expected = bic - constant(r * s) + constant(r) + constant(s);
        let value = gain(DiscreteScoreKind::Qnml(0.0), from, to);
        assert!((value - expected).abs() < 0.05, "{value} {expected}");
        assert_eq!(value > 0.0, to == 2);
        // Of z, six of the nine cells occur: fewer parameters, and 84 ways in which cells occur.
        let coded = gain(DiscreteScoreKind::Sqnml(0.0), from, to);
        let six = constant(6.0) + 2.5 * f64::from(n).ln() - constant(9.0) - 4.0 * f64::from(n).ln();
        let expected = if to == 1 { value } else { value - six - support };
        assert!((coded - expected).abs() < 0.05, "{coded} {expected}");
    }
}

/// γ ln p for each parent.
#[test]
fn extended_bic_is_bic_less_its_share_of_each_parent() {
    let data = random_data(5, 200, &[2, 3, 2, 4]);
    let engine = CountingEngine::new(&data);
    let bic = PenalizedLikelihood::bic(&engine);
    for gamma in [0.0, 0.5, 1.0] {
        let extended = PenalizedLikelihood::extended_bic(&engine, 0.5, gamma).unwrap();
        for parents in [&[][..], &[1], &[1, 3]] {
            let difference = bic.session().local_score(0, parents) - extended.session().local_score(0, parents);
            assert!((difference - gamma * 4f64.ln() * parents.len() as f64).abs() < 1e-9);
        }
    }
}

/// The population score gains from a parent exactly when d-separation says that it depends on the child.
#[test]
fn the_population_score_is_locally_consistent_and_equivalent() {
    let mut generator = rng(11);
    for round in 0..150 {
        let p = 3 + below(&mut generator, 12);
        let degree = [1.0f64, 2.0, 3.0, 5.0][round % 4];
        let dag = random_dag(&mut generator, p, degree.min(p as f64 - 1.0));
        let score = PopulationScore::new(&dag, round as u64);
        let mut session = score.session();
        let mut separation = DSeparation::new(&dag);
        for _ in 0..300 {
            let x = below(&mut generator, p) as Variable;
            let y = below(&mut generator, p) as Variable;
            if x == y {
                continue;
            }
            let given: Vec<Variable> =
                (0..p as Variable).filter(|&z| z != x && z != y && below(&mut generator, 3) == 0).collect();
            let mut with = given.clone();
            with.push(y);
            with.sort_unstable();
            let gain = session.local_score(x, &with) - session.local_score(x, &given);
            assert_eq!(gain < 0.0, separation.separated(x, y, &given), "round {round}: {x} {y} {given:?} {gain}");
        }
        let run = Run::new(1).unwrap();
        let mut member = dag.clone();
        let total = score_dag(&score, &dag, &run).unwrap().total;
        for step in 0..5 {
            if let Some(next) = equivalent(&member, step) {
                member = next;
                assert_eq!(score_dag(&score, &member, &run).unwrap().total, total);
            }
        }
    }
}
