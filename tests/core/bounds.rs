//! Bounds by which tests are decided without their tables.

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::independence::{
    DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, Rules, Subsets, TestResult, TestSession,
};
use phgs::run::Run;

use crate::support::{Separating, below, rng};

/// A chain in which every variable is mostly a function of the one before, each with its own number of states.
fn chain(seed: u64, n_rows: usize, arities: &[u32]) -> DiscreteData {
    let mut rng = rng(seed);
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for &arity in arities {
        let column = (0..n_rows).map(|row| {
            let before = columns.last().map_or(0, |column| column[row]);
            if below(&mut rng, 5) == 0 { below(&mut rng, arity as usize) as u32 } else { (before * 3 + 1) % arity }
        });
        columns.push(column.collect());
    }
    DiscreteData::from_columns(columns).unwrap()
}

#[test]
fn the_information_is_not_below_its_bound() {
    let data = chain(7, 900, &[3, 5, 2, 4, 1, 6]);
    let engine = CountingEngine::new(&data);
    let mut session = engine.session();
    let mut close = 0;
    for given in [&[2][..], &[2, 3], &[3, 2], &[5, 4, 2], &[4]] {
        for (x, y) in [(0, 1), (1, 0)] {
            let information = session.conditional_information(x, y, given);
            let bound = session.information_at_least(x, y, given);
            let [information, bound] = [information, bound].map(|sum| engine.scale().value(sum));
            assert!(bound <= information + 1e-9, "{x} {y} {given:?}: {bound} {information}");
            close += usize::from(bound > 0.5 * information);
            if let [z] = *given {
                // I(x; y | z) ≥ I(x; y) − I(x; z).
                let mut pair = |a, b| engine.scale().value(session.conditional_information(a, b, &[]));
                assert!((bound - (pair(x, y) - pair(x, z))).abs() < 1e-9);
            }
        }
    }
    assert!(close >= 2, "{close}");
}

/// A session that makes every test.
struct Every<S>(S);

impl<S: TestSession> TestSession for Every<S> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.0.test(x, y, given)
    }
}

#[test]
fn tests_that_are_not_made_change_nothing() {
    let run = Run::new(1).unwrap();
    let (mut separated, mut kept) = (0, 0);
    for (seed, n_rows) in [(1, 60), (2, 800), (3, 5000)] {
        let data = chain(seed, n_rows, &[3, 5, 2, 4, 8, 2, 3, 7]);
        let engine = CountingEngine::new(&data);
        if seed == 2 {
            engine.pairwise(&run).unwrap();
        }
        for degrees in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
            let test = G2Test::with_rules(&engine, Rules::new(degrees, MinimumSample::Off).unwrap());
            let (mut own, mut every) = (test.session(), Every(test.session()));
            for x in 0..8 {
                for y in (0..8).filter(|&y| y != x) {
                    let pool: Vec<Variable> = (0..8).rev().filter(|z| ![x, y].contains(z)).collect();
                    for size in 1..=3 {
                        let sets = Subsets::new(&pool, size);
                        for log_alpha in [-0.1, -3.0, -7.0] {
                            let known = test.session().test(x, y, &[]).log_p_value;
                            let start = |pool| Separating::new(pool, log_alpha, known);
                            let (mut found, mut expected) = (start(&pool), start(&pool));
                            let _ = own.test_subsets(x, y, &sets, &run, &mut found).unwrap();
                            let _ = every.test_subsets(x, y, &sets, &run, &mut expected).unwrap();
                            assert_eq!(found, expected, "{seed} {x} {y} {size} {log_alpha}");
                            separated += usize::from(found.max_log_p_value > log_alpha);
                            kept += usize::from(found.max_log_p_value <= log_alpha);
                        }
                    }
                }
            }
        }
    }
    assert!(separated > 100 && kept > 100, "{separated} {kept}");
}
