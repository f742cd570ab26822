//! Tests on incomplete data against the tests of complete data on the rows that are left.

use phgs::Variable;
use phgs::counts::{CountingEngine, Shards};
use phgs::data::{Codes, DiscreteData, IncompleteData};
use phgs::independence::{
    DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, PearsonTest, Rules, Statistic, TestResult, TestSession,
    TestwiseTest, Verdict,
};
use phgs::run::Run;

use crate::support::{below, rng, uniform};

/// Columns of codes, some of them missing; arities are larger than what survives, for levels are fixed by column.
fn random_columns(seed: u64, n_rows: usize, arities: &[u32]) -> Vec<Vec<Option<u32>>> {
    let mut rng = rng(seed);
    let mut column = |arity: u32| {
        (0..n_rows).map(|_| (uniform(&mut rng) > 0.15).then(|| below(&mut rng, arity as usize) as u32)).collect()
    };
    arities.iter().map(|&arity| column(arity)).collect()
}

fn incomplete(columns: &[Vec<Option<u32>>], arities: &[u32]) -> IncompleteData {
    let codes = |(column, &arity): (&Vec<Option<u32>>, &u32)| {
        Codes::Wide(column.iter().map(|code| code.unwrap_or(arity) as u16).collect())
    };
    IncompleteData::new(columns.iter().zip(arities).map(codes).collect(), arities.to_vec()).unwrap()
}

/// The rows that are complete in some columns, of these columns, with the states that they show.
fn complete_rows(columns: &[Vec<Option<u32>>], variables: &[Variable]) -> DiscreteData {
    let rows = (0..columns[0].len()).filter(|&row| variables.iter().all(|&v| columns[v as usize][row].is_some()));
    let rows: Vec<usize> = rows.collect();
    let numbered = |&v: &Variable| {
        let codes: Vec<u32> = rows.iter().map(|&row| columns[v as usize][row].unwrap()).collect();
        let mut states = codes.clone();
        states.sort_unstable();
        states.dedup();
        let new = codes.iter().map(|code| states.binary_search(code).unwrap() as u16).collect();
        (Codes::Wide(new), states.len() as u32)
    };
    let (codes, arities) = variables.iter().map(numbered).unzip();
    DiscreteData::new(codes, arities).unwrap()
}

fn assert_same(a: TestResult, b: TestResult, what: &str) {
    assert!((a.statistic - b.statistic).abs() <= 1e-10 * b.statistic.abs().max(1.0), "{what}: {a:?} {b:?}");
    assert_eq!(a.degrees_of_freedom, b.degrees_of_freedom, "{what}");
    assert!((a.log_p_value - b.log_p_value).abs() <= 1e-9 * b.log_p_value.abs().max(1.0), "{what}: {a:?} {b:?}");
}

#[test]
fn each_test_is_that_of_its_own_complete_rows() {
    // The last columns make tables that are too large to be dense, and products beyond 2³¹.
    let arities = [2, 3, 2, 4, 50, 300, 300, 2000, 2000];
    let columns = random_columns(1, 400, &arities);
    let data = incomplete(&columns, &arities);
    let sets: &[&[Variable]] = &[&[], &[2], &[2, 3], &[3, 4], &[4, 5], &[5, 6, 7], &[2, 3, 5, 6, 7]];
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        for statistic in [Statistic::G2, Statistic::X2] {
            let test = TestwiseTest::new(&data, statistic, Rules::new(rule, MinimumSample::Off).unwrap());
            let mut session = test.session();
            for (x, y) in [(0, 1), (1, 0), (0, 8), (1, 8)] {
                for given in sets {
                    let all: Vec<Variable> = [&[x, y], *given].concat();
                    let rows = complete_rows(&columns, &all);
                    let engine = CountingEngine::new(&rows);
                    let places: Vec<Variable> = (2..all.len() as Variable).collect();
                    let expected = match statistic {
                        Statistic::G2 => {
                            let test = G2Test::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
                            test.session().test(0, 1, &places)
                        }
                        Statistic::X2 => {
                            let test = PearsonTest::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
                            test.session().test(0, 1, &places)
                        }
                    };
                    let (found, n_rows) = session.test_with_rows(x, y, given);
                    assert_same(found, expected, &format!("{statistic:?} {x} {y} {given:?}"));
                    assert_eq!(n_rows, rows.n_rows());
                    let backwards: Vec<Variable> = given.iter().rev().copied().collect();
                    assert_eq!(session.test(y, x, &backwards), found);
                    assert_eq!(
                        test.name(),
                        if statistic == Statistic::G2 { ["g2", "g2-adjusted"] } else { ["x2", "x2-adjusted"] }
                            [usize::from(rule == DegreesOfFreedom::Adjusted)]
                    );
                }
            }
        }
    }
}

#[test]
fn distances_and_room_are_those_of_pairwise_complete_rows() {
    let arities = [2, 3, 4, 1];
    let mut columns = random_columns(2, 300, &arities);
    // A pair that is never seen together.
    columns.push((0..300).map(|row| columns[0][row].is_none().then_some(row as u32 % 2)).collect());
    let arities = [2, 3, 4, 1, 2];
    let data = incomplete(&columns, &arities);
    let test =
        TestwiseTest::new(&data, Statistic::G2, Rules::new(DegreesOfFreedom::Classical, MinimumSample::Off).unwrap());
    let run = Run::new(2).unwrap();
    let found = test.distances(&run).unwrap().unwrap();
    let pairs: Vec<(Variable, Variable)> = (0..5).flat_map(|x| ((x + 1)..5).map(move |y| (x, y))).collect();
    for (&(x, y), distance) in pairs.iter().zip(found) {
        if (x, y) == (0, 4) {
            assert_eq!(distance, 1.0);
            let (result, n_rows) = test.session().test_with_rows(0, 4, &[]);
            assert_eq!((result, n_rows), (TestResult::NO_INFORMATION, 0));
            continue;
        }
        let rows = complete_rows(&columns, &[x, y]);
        let engine = CountingEngine::new(&rows);
        let expected = G2Test::new(&engine).distances(&run).unwrap().unwrap()[0];
        assert!((distance - expected).abs() < 1e-12, "{x} {y}: {distance} {expected}");
        let room = rows.n_rows() as f64 / f64::from(arities[x as usize] * arities[y as usize]);
        assert_eq!(test.session().rows_per_cell(&[x, y]), room);
    }
}

#[test]
fn the_least_sample_rule_looks_at_the_rows_of_the_test() {
    // 60 rows, of which 30 are complete; 5 rows for each of 8 cells are 40.
    let x: Vec<Option<u32>> = (0..60).map(|row| (row % 2 == 0).then_some(row / 2 % 2)).collect();
    let y: Vec<Option<u32>> = (0..60).map(|row| Some(row / 4 % 2)).collect();
    let z: Vec<Option<u32>> = (0..60).map(|row| Some(row / 8 % 2)).collect();
    let data = incomplete(&[x, y, z], &[2, 2, 2]);
    let rule = MinimumSample::RowsPerCell(5.0, Verdict::Dependent);
    let test = TestwiseTest::new(&data, Statistic::G2, Rules::new(DegreesOfFreedom::Classical, rule).unwrap());
    assert!(test.session().test(0, 1, &[]).statistic.is_finite());
    assert_eq!(test.session().test(0, 1, &[2]).statistic, f64::INFINITY);
    assert_eq!(test.decided_by_minimum_sample(), 1);
}

#[test]
fn over_tables_in_which_a_state_stands_for_missing_values_every_test_is_the_same_to_the_bit() {
    // The last columns make tables that are too large to be dense, and products beyond 2³¹; one has no gap.
    let arities = [2, 3, 2, 4, 50, 300, 2000, 2000, 3];
    let mut columns = random_columns(3, 600, &arities);
    columns[8].iter_mut().zip(0..).for_each(|(code, row)| *code = Some(row % 3));
    let data = incomplete(&columns, &arities);
    let with_gap: Vec<u32> =
        arities.iter().zip(0..).map(|(&arity, v)| if v == 8 { arity } else { arity + 1 }).collect();
    let parts: Vec<DiscreteData> = [0..100, 100..110, 110..600]
        .into_iter()
        .map(|rows| {
            let of =
                |v: usize| Codes::Wide(rows.clone().map(|row| data.column(v as Variable).get(row) as u16).collect());
            DiscreteData::new((0..arities.len()).map(of).collect(), with_gap.clone()).unwrap()
        })
        .collect();
    let engines: Vec<CountingEngine<'_>> = parts.iter().map(CountingEngine::new).collect();
    let run = Run::new(1).unwrap();
    let shards = Shards::new(&engines, run.canceller()).unwrap();
    let engine = CountingEngine::over(&shards);
    let minimum = MinimumSample::RowsPerCell(0.5, Verdict::Independent);
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        for (statistic, minimum) in [(Statistic::G2, MinimumSample::Off), (Statistic::X2, minimum)] {
            let rules = Rules::new(rule, minimum).unwrap();
            let here = TestwiseTest::new(&data, statistic, rules);
            let elsewhere = TestwiseTest::over(&engine, &arities, statistic, rules);
            let (mut expected, mut found) = (here.session(), elsewhere.session());
            let sets: [&[Variable]; 9] =
                [&[], &[2], &[2, 3], &[3, 2, 8], &[4, 3], &[4, 5], &[5, 6, 7], &[2, 3, 5, 6, 7], &[8]];
            for (x, y) in [(0, 1), (1, 0), (1, 4), (4, 0)] {
                for given in sets.iter().filter(|given| !given.contains(&x) && !given.contains(&y)) {
                    assert_eq!(found.test_with_rows(x, y, given), expected.test_with_rows(x, y, given));
                    assert_eq!(found.informative(x, y, given), expected.informative(x, y, given));
                    let all: Vec<Variable> = [&[x, y], *given].concat();
                    assert_eq!(found.rows_per_cell(&all), expected.rows_per_cell(&all));
                }
            }
            assert_eq!(elsewhere.distances(&run).unwrap(), here.distances(&run).unwrap());
        }
    }
    assert_eq!(shards.failure(), None);
}
