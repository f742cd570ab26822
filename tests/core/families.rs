//! Tests around variables with many neighbours, made together, against the same tests one by one.

use std::ops::ControlFlow;

use phgs::Variable;
use phgs::counts::{CountingEngine, Kernel};
use phgs::data::DiscreteData;
use phgs::independence::{G2Test, IndependenceTest, SetFamily, SetVisitor, TestResult, TestSession};
use phgs::knowledge::Knowledge;
use phgs::orient::v_structures_by_testing;
use phgs::run::{Ledger, Run};

use crate::local::{LEARNERS, learn};
use crate::support::{below, permutation, rng};

/// A test that makes every test on its own.
struct OneByOne<'a>(&'a G2Test<'a, 'a>);

struct OneByOneSession<'a>(<G2Test<'a, 'a> as IndependenceTest>::Session<'a>);

impl IndependenceTest for OneByOne<'_> {
    type Session<'t>
        = OneByOneSession<'t>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.0.n_variables()
    }

    fn session(&self) -> OneByOneSession<'_> {
        OneByOneSession(self.0.session())
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl TestSession for OneByOneSession<'_> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.0.test(x, y, given)
    }

    fn rows_per_cell(&self, variables: &[Variable]) -> f64 {
        self.0.rows_per_cell(variables)
    }
}

/// A variable with many children of mixed numbers of states, most of them with a parent of their own besides, in shuffled
/// order; and the number of its column.
fn hub_data(
    seed: u64,
    n_rows: usize,
    children: usize,
    states_of_hub: usize,
    most_states: usize,
) -> (DiscreteData, Variable) {
    let mut generator = rng(seed);
    let hub: Vec<u32> = (0..n_rows).map(|_| below(&mut generator, states_of_hub) as u32).collect();
    let mut columns = vec![hub.clone()];
    for child in 0..children {
        let states = 2 + child % (most_states - 1);
        let parent: Vec<u32> = (0..n_rows).map(|_| below(&mut generator, 2) as u32).collect();
        let column = hub.iter().zip(&parent).map(|(&hub, &parent)| {
            let noise = below(&mut generator, 2);
            let value =
                if noise == 0 { below(&mut generator, states) as u32 } else { hub + u32::from(child % 3 > 0) * parent };
            value % states as u32
        });
        columns.push(column.collect());
        if child % 3 > 0 {
            columns.push(parent);
        }
    }
    let order = permutation(&mut generator, columns.len());
    let at = order.iter().position(|&from| from == 0).unwrap() as Variable;
    let columns = order.iter().map(|&from| std::mem::take(&mut columns[from as usize])).collect();
    (DiscreteData::from_columns(columns).unwrap(), at)
}

#[test]
fn families_around_a_hub_change_no_result() {
    let (log_alpha, mut most_tests) = (0.05f64.ln(), 0);
    for (round, (children, states_of_hub, most_states)) in [(12, 3, 3), (11, 3, 4), (13, 4, 2)].into_iter().enumerate()
    {
        let (data, hub) = hub_data(91 + round as u64, 20_000, children, states_of_hub, most_states);
        let reference = CountingEngine::with_kernel(&data, Kernel::Portable).unwrap();
        let reference = G2Test::new(&reference);
        let knowledge = if round == 0 {
            Knowledge::none()
        } else {
            // The hub has a required neighbour and a forbidden one, and comes before all others but one.
            let others: Vec<Variable> = (0..data.n_variables() as Variable).filter(|&v| v != hub).collect();
            let mut tier = vec![Some(1); data.n_variables()];
            tier[others[1] as usize] = Some(0);
            let forbidden = [(hub, others[5]), (others[5], hub)];
            Knowledge::new(data.n_variables(), [(hub, others[2])], [], forbidden, tier).unwrap()
        };
        let others: Vec<Variable> = (0..data.n_variables() as Variable).filter(|&v| v != hub).collect();
        let family = SetFamily { with: None, pool: &others[1..], size: 3 };
        assert!(G2Test::new(&CountingEngine::new(&data)).session().shares_family(hub, others[0], &family));
        for learner in LEARNERS {
            let (expected, calls) = learn(learner, &OneByOne(&reference), Some(5), &knowledge, 1);
            let graph = expected.graph();
            let mut ledger = Ledger::new();
            let run = Run::new(1).unwrap();
            let triples = v_structures_by_testing(
                graph,
                &OneByOne(&reference),
                log_alpha,
                Some(5),
                &knowledge,
                &run,
                &mut ledger,
            )
            .unwrap();
            most_tests = most_tests.max(calls.total_calls().min(ledger.total_calls()));
            for &kernel in Kernel::available() {
                let engine = CountingEngine::with_kernel(&data, kernel).unwrap();
                let test = G2Test::new(&engine);
                for threads in [1, 2] {
                    let (skeleton, own) = learn(learner, &test, Some(5), &knowledge, threads);
                    assert_eq!(skeleton.records(), expected.records(), "{} {round} {kernel}", learner.name());
                    assert_eq!(own.total_calls(), calls.total_calls());
                    let (run, mut own) = (Run::new(threads).unwrap(), Ledger::new());
                    let found =
                        v_structures_by_testing(graph, &test, log_alpha, Some(5), &knowledge, &run, &mut own).unwrap();
                    assert_eq!((found, own.total_calls()), (triples.clone(), ledger.total_calls()));
                }
            }
        }
    }

    assert!(most_tests > 1000, "the families are large");
}

/// Keeps what is visited.
struct Kept<const LARGEST_ONLY: bool>(Vec<(Vec<usize>, f64)>);

impl<const LARGEST_ONLY: bool> SetVisitor for Kept<LARGEST_ONLY> {
    const LARGEST_ONLY: bool = LARGEST_ONLY;

    fn wants(&mut self, positions: &[usize]) -> bool {
        positions.iter().sum::<usize>() % 7 != 0
    }

    fn visit(&mut self, positions: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.0.push((positions.to_vec(), log_p_value));
        if log_p_value > -1e-9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_family_of_tests_is_the_single_ones() {
    let (data, hub) = hub_data(95, 4000, 14, 3, 3);
    let engine = CountingEngine::new(&data);
    let test = G2Test::new(&engine);
    let others: Vec<Variable> = (0..data.n_variables() as Variable).filter(|&v| v != hub).collect();
    let one_by_one = OneByOne(&test);
    let (mut own, mut every, mut plain) = (test.session(), test.session(), one_by_one.session());
    for y in 0..6 {
        for (with, pool, size) in [(None, &others[6..], 3), (Some(others[6]), &others[7..], 3)] {
            let family = SetFamily { with, pool, size };
            assert!(own.shares_family(hub, others[y], &family));
            let (mut expected, mut found, mut all) =
                (Kept::<false>(vec![]), Kept::<true>(vec![]), Kept::<false>(vec![]));
            plain.test_family(hub, others[y], &family, &mut expected);
            own.test_family(hub, others[y], &family, &mut found);
            every.test_family(hub, others[y], &family, &mut all);
            assert_eq!(all.0, expected.0);
            assert_eq!(found.0.len(), expected.0.len());
            let mut largest = f64::NEG_INFINITY;
            for (found, expected) in found.0.iter().zip(&expected.0) {
                assert_eq!(found.0, expected.0);
                assert!(found.1 == expected.1 || (found.1 == f64::NEG_INFINITY && expected.1 <= largest));
                largest = largest.max(expected.1);
            }
        }
    }
}
