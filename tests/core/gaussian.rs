//! Fisher's z and Gaussian BIC against values that SciPy computed.

use phgs::Variable;
use phgs::data::{ContinuousData, Correlation};
use phgs::independence::{FisherZTest, IndependenceTest, TestResult, TestSession};
use phgs::run::Run;
use phgs::score::{GaussianBic, LocalScore, ScoreSession};

use crate::support::read_csv;

fn correlation() -> Correlation {
    let (header, rows) = read_csv("gaussian/data.csv");
    let columns = (0..header.len()).map(|c| rows.iter().map(|row| row[c].parse().unwrap()).collect()).collect();
    Correlation::of(&ContinuousData::from_columns(columns).unwrap(), &Run::new(2).unwrap()).unwrap()
}

fn set(text: &str) -> Vec<Variable> {
    text.split_whitespace().map(|v| v.parse().unwrap()).collect()
}

fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-10 * expected.abs().max(1.0)
}

#[test]
fn fisher_z_equals_scipy() {
    let correlation = correlation();
    let test = FisherZTest::new(&correlation);
    let mut session = test.session();
    let (_, rows) = read_csv("gaussian/fisher_z.csv");
    assert_eq!(rows.len(), 168);
    for row in rows {
        let (x, y, given) = (row[0].parse().unwrap(), row[1].parse().unwrap(), set(&row[2]));
        let result = session.test(x, y, &given);
        assert!(close(result.statistic, row[3].parse().unwrap()), "{row:?} {result:?}");
        assert!(close(result.log_p_value, row[4].parse().unwrap()), "{row:?} {result:?}");
        assert_eq!(session.test(y, x, &given), result, "symmetric");
        assert_eq!(test.session().test(x, y, &given), result, "no memory");
        let backwards: Vec<_> = given.iter().rev().copied().collect();
        assert!(close(session.test(x, y, &backwards).statistic, result.statistic));
    }
}

#[test]
fn marginal_tests_are_the_same_in_bulk() {
    let correlation = correlation();
    let test = FisherZTest::new(&correlation);
    let run = Run::new(2).unwrap();
    let mut session = test.session();
    for log_alpha in [0.5f64.ln(), 0.05f64.ln(), -20.0, -200.0] {
        let mut expected = Vec::new();
        for x in 0..8 {
            for y in x + 1..8 {
                let result = session.test(x, y, &[]);
                if !result.is_independent(log_alpha) {
                    expected.push((x, y, result));
                }
            }
        }
        let found = test.marginal_dependences(&run, log_alpha, |_, _| true).unwrap();
        assert_eq!(found.iter().map(|d| (d.x, d.y, d.result)).collect::<Vec<_>>(), expected);
    }
    let distances = test.distances(&run).unwrap().unwrap();
    assert_eq!(distances.len(), 28);
    assert_eq!(distances[7], 1.0 - correlation.get(1, 2).abs());
}

#[test]
fn nothing_is_nan_on_singular_sets_and_few_rows() {
    let half = 0.5f64.sqrt();
    // 2 = (0 + 1) / √2, 3 is independent of all.
    let rows =
        [vec![1.0, 0.0, half, 0.0], vec![0.0, 1.0, half, 0.0], vec![half, half, 1.0, 0.0], vec![0.0, 0.0, 0.0, 1.0]];
    for n_rows in [2, 3, 4, 5, 6, 7, 100] {
        let correlation = Correlation::from_matrix(&rows, n_rows).unwrap();
        let test = FisherZTest::new(&correlation);
        let mut session = test.session();
        for (x, y, given) in
            [(0, 2, vec![1]), (0, 3, vec![1, 2]), (3, 0, vec![2, 1]), (0, 1, vec![2, 3]), (0, 1, vec![])]
        {
            let result = session.test(x, y, &given);
            assert!(!result.log_p_value.is_nan() && !result.statistic.is_nan(), "{n_rows} {x} {y} {given:?}");
            if n_rows <= 3 {
                assert_eq!(result, TestResult::NO_INFORMATION);
            }
        }
        // 0 and 1 determine 2: given them, 2 has nothing left.
        assert_eq!(session.test(2, 3, &[0, 1]), TestResult::NO_INFORMATION);
    }
}

#[test]
fn gaussian_bic_equals_least_squares() {
    let correlation = correlation();
    let (_, rows) = read_csv("gaussian/bic.csv");
    assert_eq!(rows.len(), 48);
    for row in rows {
        let score = GaussianBic::new(&correlation, row[2].parse().unwrap()).unwrap();
        let value = score.session().local_score(row[0].parse().unwrap(), &set(&row[1]));
        assert!(close(value, row[3].parse().unwrap()), "{row:?} {value}");
    }
}
