//! G² and Pearson's X² against golden values, plain formulas and hard tables.

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::independence::{
    DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, PearsonTest, Rules, Subsets, TestResult, TestSession,
    Verdict,
};
use phgs::run::Run;
use proptest::prelude::*;

use crate::support::{Separating, below, golden_data, read_csv, rng};

fn assert_close(value: f64, expected: f64, what: &str) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{what}: {value} {expected}");
}

fn assert_result(result: TestResult, expected: &[f64], what: &str) {
    assert!(
        (result.statistic - expected[0]).abs() <= 1e-9 * expected[0].abs() + 1e-12,
        "{what}: {result:?} {expected:?}"
    );
    assert_eq!(result.degrees_of_freedom, expected[1], "{what}");
    if expected[2] > 0.0 {
        assert_close(result.log_p_value.exp(), expected[2], what);
    } else {
        assert!(result.log_p_value < -700.0, "{what}: {result:?}");
    }
}

#[test]
fn golden_tests_are_reproduced() {
    let (header, rows) = read_csv("golden/ci_tests.csv");
    assert_eq!(header[4..7], ["mi_statistic", "mi_df", "mi_p"]);
    assert_eq!(rows.len(), 400);
    let (mut guarded, mut smaller) = (0, 0);
    for name in ["asia", "child", "alarm", "insurance"] {
        let (data, index) = golden_data(name);
        let engine = CountingEngine::new(&data);
        let g2 = G2Test::new(&engine);
        let x2 = PearsonTest::new(&engine);
        let guard = MinimumSample::RowsPerCell(5.0, Verdict::Independent);
        let adjusted = G2Test::with_rules(&engine, Rules::new(DegreesOfFreedom::Adjusted, guard).unwrap());
        let x2_adjusted =
            PearsonTest::with_rules(&engine, Rules::new(DegreesOfFreedom::Adjusted, MinimumSample::Off).unwrap());
        let (mut of_g2, mut of_x2) = (g2.session(), x2.session());
        let (mut of_adjusted, mut of_x2_adjusted) = (adjusted.session(), x2_adjusted.session());
        for row in rows.iter().filter(|row| row[0] == name) {
            let variable = |name: &str| index[name];
            let (x, y) = (variable(&row[1]), variable(&row[2]));
            let z: Vec<Variable> = row[3].split(';').filter(|z| !z.is_empty()).map(variable).collect();
            let numbers: Vec<f64> = row[4..].iter().map(|v| v.parse().expect("a number")).collect();
            let what = row[..4].join(" ");
            assert_result(of_g2.test(x, y, &z), &numbers[..3], &what);
            assert_result(of_x2.test(x, y, &z), &numbers[3..6], &what);
            assert_result(of_adjusted.test(x, y, &z), &numbers[6..9], &what);
            assert_eq!(of_x2_adjusted.test(x, y, &z).degrees_of_freedom, numbers[7], "{what}");
            smaller += usize::from(numbers[7] < numbers[1]);
            // Symmetric, whatever the order of the set.
            let backwards: Vec<Variable> = z.iter().rev().copied().collect();
            assert_eq!(of_g2.test(y, x, &backwards), of_g2.test(x, y, &z));
            assert_eq!(of_x2.test(y, x, &backwards), of_x2.test(x, y, &z));
        }
        guarded += adjusted.decided_by_minimum_sample();
    }
    assert_eq!(guarded, 21);
    assert_eq!(smaller, 239);
}

/// G², X² and both degrees of freedom by the textbook, one stratum at a time.
fn by_the_book(columns: &[Vec<u32>], x: usize, y: usize, z: &[usize]) -> (f64, f64, f64) {
    let mut strata = std::collections::BTreeMap::<Vec<u32>, Vec<(u32, u32)>>::new();
    for (row, pair) in columns[x].iter().copied().zip(columns[y].iter().copied()).enumerate() {
        let key = z.iter().map(|&z| columns[z][row]).collect();
        strata.entry(key).or_default().push(pair);
    }
    let (mut g2, mut x2, mut df) = (0.0, 0.0, 0.0);
    for rows in strata.values() {
        let n = rows.len() as f64;
        let count = |keep: &dyn Fn(&(u32, u32)) -> bool| rows.iter().filter(|r| keep(r)).count() as f64;
        let mut xs: Vec<u32> = rows.iter().map(|r| r.0).collect();
        let mut ys: Vec<u32> = rows.iter().map(|r| r.1).collect();
        for states in [&mut xs, &mut ys] {
            states.sort_unstable();
            states.dedup();
        }
        df += (xs.len() as f64 - 1.0) * (ys.len() as f64 - 1.0);
        for &i in &xs {
            for &j in &ys {
                let observed = count(&|r| *r == (i, j));
                let expected = count(&|r| r.0 == i) * count(&|r| r.1 == j) / n;
                g2 += if observed > 0.0 { 2.0 * observed * (observed / expected).ln() } else { 0.0 };
                x2 += (observed - expected).powi(2) / expected;
            }
        }
    }
    (g2, x2, df)
}

fn random_columns(seed: u64, n: usize, arities: &[usize]) -> Vec<Vec<u32>> {
    let mut rng = rng(seed);
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for (c, &arity) in arities.iter().enumerate() {
        let column = (0..n)
            .map(|row| {
                // Half of the time a noisy function of the columns before.
                let before: usize = columns[..c].iter().map(|b| b[row] as usize).sum();
                (if below(&mut rng, 2) == 0 { before % arity } else { below(&mut rng, arity) }) as u32
            })
            .collect();
        columns.push(column);
    }
    columns
}

fn with_arities(columns: &[Vec<u32>], arities: &[usize]) -> DiscreteData {
    let codes = columns.iter().map(|c| phgs::data::Codes::Wide(c.iter().map(|&v| v as u16).collect())).collect();
    DiscreteData::new(codes, arities.iter().map(|&r| r as u32).collect()).unwrap()
}

proptest! {
    #[test]
    fn tests_agree_with_the_textbook(
        seed in any::<u64>(), n in 1usize..200, arities in prop::collection::vec(1usize..6, 2..6), spare in 0usize..3,
    ) {
        let columns = random_columns(seed, n, &arities);
        // Declared states that never occur change G², X² and the adjusted degrees of freedom in nothing.
        let declared: Vec<usize> = arities.iter().map(|r| r + spare).collect();
        let data = with_arities(&columns, &declared);
        let engine = CountingEngine::new(&data);
        let z: Vec<usize> = (2..arities.len()).collect();
        let given: Vec<Variable> = z.iter().map(|&z| z as Variable).collect();
        let (g2, x2, df) = by_the_book(&columns, 0, 1, &z);
        let adjusted = G2Test::with_rules(&engine, Rules::new(DegreesOfFreedom::Adjusted, MinimumSample::Off).unwrap());
        let result = adjusted.session().test(0, 1, &given);
        prop_assert_eq!(result.degrees_of_freedom, df);
        prop_assert!((result.statistic - g2).abs() <= 1e-9 * (1.0 + g2), "{:?} {}", result, g2);
        let pearson = PearsonTest::with_rules(&engine, Rules::new(DegreesOfFreedom::Adjusted, MinimumSample::Off).unwrap());
        let result = pearson.session().test(0, 1, &given);
        prop_assert!((result.statistic - x2).abs() <= 1e-10 * (1.0 + x2), "{:?} {}", result, x2);
        let classical = G2Test::new(&engine).session().test(0, 1, &given);
        let expected: usize = (declared[0] - 1) * (declared[1] - 1) * declared[2..].iter().product::<usize>();
        prop_assert_eq!(classical.degrees_of_freedom, expected as f64);
        for result in [result, classical] {
            prop_assert!(result.log_p_value <= 0.0 && result.statistic >= 0.0);
        }
    }

    #[test]
    fn a_constant_conditioner_changes_nothing(seed in any::<u64>(), n in 2usize..100) {
        let mut columns = random_columns(seed, n, &[3, 2, 3]);
        columns.push(vec![0; n]);
        let data = DiscreteData::from_columns(columns).unwrap();
        let engine = CountingEngine::new(&data);
        for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
            let mut g2 = Vec::new();
            let mut x2 = Vec::new();
            for given in [&[2][..], &[2, 3], &[3, 2]] {
                let test = G2Test::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
                g2.push(test.session().test(0, 1, given));
                let test = PearsonTest::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
                x2.push(test.session().test(0, 1, given));
            }
            prop_assert!(g2[0] == g2[1] && g2[1] == g2[2]);
            prop_assert!(x2[0] == x2[1] && x2[1] == x2[2]);
        }
    }

    #[test]
    fn all_marginal_tests_at_once_are_the_single_ones(seed in any::<u64>(), n in 1usize..80) {
        let arities = [2, 1, 3, 4, 2, 5];
        let columns = random_columns(seed, n, &arities);
        let data = with_arities(&columns, &arities.map(|r| r + 1));
        let engine = CountingEngine::new(&data);
        for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
            for minimum in [MinimumSample::Off, MinimumSample::RowsPerCell(3.0, Verdict::Dependent)] {
                let test = G2Test::with_rules(&engine, Rules::new(rule, minimum).unwrap());
                let mut session = test.session();
                for log_alpha in [0.05f64.ln(), 1.0] {
                    let mut expected = Vec::new();
                    for x in 0..6 {
                        for y in (x + 1)..6 {
                            let result = session.test(x, y, &[]);
                            if !result.is_independent(log_alpha) {
                                expected.push((x, y, result));
                            }
                        }
                    }
                    for threads in [1, 2] {
                        let run = Run::new(threads).unwrap();
                        let found = test.marginal_dependences(&run, log_alpha, |_, _| true).unwrap();
                        let found: Vec<_> = found.iter().map(|d| (d.x, d.y, d.result)).collect();
                        prop_assert_eq!(&found, &expected);
                    }
                }
            }
        }
    }
}

#[test]
fn degenerate_tables_have_no_information() {
    // x constant; y; z splits so that within each stratum y or x is constant.
    let data = DiscreteData::from_columns(vec![
        vec![0; 6],
        vec![0, 1, 0, 1, 0, 1],
        vec![0, 1, 2, 0, 1, 2],
        vec![0, 1, 2, 3, 4, 5],
    ])
    .unwrap();
    let engine = CountingEngine::new(&data);
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        let g2 = G2Test::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
        let x2 = PearsonTest::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
        assert_eq!(g2.session().test(0, 1, &[]), TestResult::NO_INFORMATION);
        assert_eq!(x2.session().test(1, 0, &[2]), TestResult::NO_INFORMATION);
        // One row in each stratum: statistic 0 and p = 1 in any case.
        for result in [g2.session().test(1, 2, &[3]), x2.session().test(1, 2, &[3])] {
            assert_eq!((result.statistic, result.log_p_value), (0.0, 0.0));
            assert_eq!(result.degrees_of_freedom == 0.0, rule == DegreesOfFreedom::Adjusted);
        }
    }
}

#[test]
fn huge_sets_neither_overflow_nor_exhaust_memory() {
    // Forty columns of up to 65,535 states: 10^190 cells and degrees of freedom.
    let n = 300;
    let mut generator = rng(5);
    let columns: Vec<Vec<u32>> =
        (0..40).map(|_| (0..n).map(|_| below(&mut generator, 65_535) as u32).collect()).collect();
    let data = with_arities(&columns, &[65_535; 40]);
    let engine = CountingEngine::new(&data);
    let given: Vec<Variable> = (2..40).collect();
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        let g2 = G2Test::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
        let x2 = PearsonTest::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
        for result in [g2.session().test(0, 1, &given), x2.session().test(0, 1, &given)] {
            assert_eq!((result.statistic, result.log_p_value), (0.0, 0.0), "{rule:?}");
            assert!(result.degrees_of_freedom.is_finite());
        }
        let result = g2.session().test(0, 1, &[]);
        assert!(result.log_p_value <= 0.0 && result.statistic > 0.0);
    }
    let wide = vec![65_535u32; 100];
    let columns: Vec<Vec<u32>> = wide.iter().map(|_| vec![0, 1]).collect();
    let data = with_arities(&columns, &[65_535; 100]);
    let engine = CountingEngine::new(&data);
    let given: Vec<Variable> = (2..100).collect();
    let result = G2Test::new(&engine).session().test(0, 1, &given);
    assert!(result.degrees_of_freedom.is_finite() && result.log_p_value == 0.0);
}

#[test]
fn the_least_sample_rule_has_both_verdicts() {
    let data = DiscreteData::from_columns(random_columns(1, 40, &[2, 3, 4])).unwrap();
    let engine = CountingEngine::new(&data);
    let with = |minimum| G2Test::with_rules(&engine, Rules::new(DegreesOfFreedom::Classical, minimum).unwrap());
    let plain = G2Test::new(&engine).session().test(0, 1, &[2]);
    // 24 cells and 8 degrees of freedom for 40 rows.
    for (minimum, refused) in [
        (MinimumSample::RowsPerCell(1.5, Verdict::Independent), false),
        (MinimumSample::RowsPerCell(2.0, Verdict::Independent), true),
        (MinimumSample::RowsPerDegree(5.0, Verdict::Independent), false),
        (MinimumSample::RowsPerDegree(6.0, Verdict::Independent), true),
    ] {
        let test = with(minimum);
        let result = test.session().test(0, 1, &[2]);
        assert_eq!(test.decided_by_minimum_sample(), u64::from(refused));
        assert_eq!(result.degrees_of_freedom, 8.0);
        if refused {
            assert_eq!((result.statistic, result.log_p_value), (0.0, 0.0));
        } else {
            assert_eq!(result, plain);
        }
    }
    let test = with(MinimumSample::RowsPerDegree(10.0, Verdict::Dependent));
    assert_eq!(test.session().test(0, 1, &[2]).log_p_value, f64::NEG_INFINITY);
    assert_eq!(test.session().test(0, 1, &[]).log_p_value, G2Test::new(&engine).session().test(0, 1, &[]).log_p_value);
    for rows in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let minimum = MinimumSample::RowsPerCell(rows, Verdict::Independent);
        assert!(Rules::new(DegreesOfFreedom::Classical, minimum).is_err());
    }
}

#[test]
fn distances_are_those_of_the_formula() {
    let mut columns = random_columns(3, 500, &[2, 3, 4, 1]);
    columns.push(columns[2].clone());
    columns.push(vec![0; 500]);
    let data = DiscreteData::from_columns(columns.clone()).unwrap();
    let engine = CountingEngine::new(&data);
    let entropy = |keys: Vec<Vec<u32>>| {
        let mut counts = std::collections::HashMap::new();
        keys.into_iter().for_each(|key| *counts.entry(key).or_insert(0.0) += 1.0 / 500.0);
        counts.values().map(|&f: &f64| -f * f.ln()).sum::<f64>()
    };
    let rows = |set: &[usize]| (0..500).map(|row| set.iter().map(|&c| columns[c][row]).collect()).collect();
    for threads in [1, 2] {
        let distances = G2Test::new(&engine).distances(&Run::new(threads).unwrap()).unwrap().unwrap();
        assert_eq!(distances.len(), 15);
        let mut found = distances.iter();
        for x in 0..6 {
            for y in (x + 1)..6 {
                let joint: f64 = entropy(rows(&[x, y]));
                let information = entropy(rows(&[x])) + entropy(rows(&[y])) - joint;
                let expected = if joint > 1e-9 { 1.0 - information / joint } else { 1.0 };
                let value = *found.next().unwrap();
                assert!((value - expected).abs() < 1e-9, "{x} {y}: {value} {expected}");
            }
        }
        // A copy is at distance 0; two constant columns at 1.
        assert_eq!((distances[10], distances[13]), (0.0, 1.0));
    }
}

/// A session that has no way of its own to search for a separating set.
struct OneByOne<S>(S);

impl<S: TestSession> TestSession for OneByOne<S> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.0.test(x, y, given)
    }
}

#[test]
fn a_search_for_a_separating_set_finds_what_single_tests_find() {
    let mut rng = rng(81);
    let run = Run::new(1).unwrap();
    let mut separated = 0;
    for n_rows in [30usize, 700] {
        let column = |before: Option<&Vec<u32>>, rng: &mut rand_chacha::ChaCha8Rng| -> Vec<u32> {
            let noise = |rng: &mut _| below(rng, 4) as u32;
            (0..n_rows).map(|row| before.map_or(0, |c| c[row]) ^ u32::from(noise(rng) == 0)).collect()
        };
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for _ in 0..8 {
            let next = column(columns.last(), &mut rng);
            columns.push(next);
        }
        // One variable is not binary.
        columns.push((0..n_rows).map(|row| columns[3][row] + columns[5][row]).collect());
        let data = DiscreteData::from_columns(columns).unwrap();
        let engine = CountingEngine::new(&data);
        for degrees in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
            for rule in [MinimumSample::Off, MinimumSample::RowsPerCell(3.0, Verdict::Dependent)] {
                let test = G2Test::with_rules(&engine, Rules::new(degrees, rule).unwrap());
                let (mut own, mut plain) = (test.session(), OneByOne(test.session()));
                for (x, y) in [(0, 2), (1, 4), (0, 7), (6, 3), (2, 3)] {
                    for last in [7, 8] {
                        let pool: Vec<Variable> = (0..=last).rev().filter(|z| ![x, y].contains(z)).collect();
                        for size in 1..=4 {
                            for (tested, alpha, known) in [(0, 0.05, -40.0), (3, 0.2, -3.0), (1, 1e-9, -1e4)] {
                                let sets = Subsets::new(&pool, size);
                                let log_alpha = f64::ln(alpha);
                                let mut found = Separating::new(&pool, log_alpha, known);
                                let family = |bit: u8| pool.iter().copied().filter(|&z| z as u8 & bit != 0).collect();
                                found.tested = [1, 2].into_iter().filter(|bit| tested & bit != 0).map(family).collect();
                                let mut expected = found.clone();
                                let _ = own.test_subsets(x, y, &sets, &run, &mut found).unwrap();
                                let _ = plain.test_subsets(x, y, &sets, &run, &mut expected).unwrap();
                                assert_eq!(found, expected, "{x} {y} {pool:?} {size} {tested} {alpha}");
                                separated += usize::from(found.max_log_p_value > log_alpha);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!((50..900).contains(&separated), "{separated}");
}
