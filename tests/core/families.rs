//! Tests around variables with many neighbours, made together, against the same tests one by one.

use std::ops::ControlFlow;

use phgs::Variable;
use phgs::counts::{CountingEngine, Kernel};
use phgs::data::DiscreteData;
use phgs::independence::{
    DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, Rules, SubsetVisitor, Subsets, TestResult, TestSession,
    Tested, Verdict,
};
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

/// Keeps what is visited; with `floor` says that p-values below the largest one do not matter.
struct Kept {
    visited: Vec<(Vec<usize>, f64)>,
    floor: bool,
}

impl SubsetVisitor for Kept {
    fn floor(&self) -> f64 {
        let largest = self.visited.iter().map(|&(_, p)| p).fold(f64::NEG_INFINITY, f64::max);
        if self.floor { largest } else { f64::NEG_INFINITY }
    }

    fn wants(&mut self, at: &[usize]) -> bool {
        at.is_empty() || at.iter().sum::<usize>() % 7 != 0
    }

    fn visit(&mut self, at: &[usize], log_p_value: f64) -> ControlFlow<()> {
        self.visited.push((at.to_vec(), log_p_value));
        if log_p_value > -1e-9 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Every way to make tests of subsets gives what single tests give, but for p-values below the floor.
fn families_are_single_tests(data: &DiscreteData, x: Variable, rules: impl Fn() -> Rules, sizes: &[usize]) -> usize {
    let run = Run::new(1).unwrap();
    let others: Vec<Variable> = (0..data.n_variables() as Variable).filter(|&v| v != x).collect();
    let mut spared = 0;
    for &kernel in Kernel::available() {
        let engine = CountingEngine::with_kernel(data, kernel).unwrap();
        let test = G2Test::with_rules(&engine, rules());
        let one_by_one = OneByOne(&test);
        let (mut own, mut every, mut plain) = (test.session(), test.session(), one_by_one.session());
        for &y in &others[..6] {
            for &size in sizes {
                for (with, pool) in [(None, &others[6..]), (Some(others[6]), &others[7..])] {
                    let subsets = Subsets { pool, size, with };
                    let visit = |floor| Kept { visited: Vec::new(), floor };
                    let (mut expected, mut found, mut all) = (visit(false), visit(true), visit(false));
                    assert_eq!(plain.test_subsets(x, y, &subsets, &run, &mut expected), Ok(Tested::All));
                    assert_eq!(own.test_subsets(x, y, &subsets, &run, &mut found), Ok(Tested::All));
                    assert_eq!(every.test_subsets(x, y, &subsets, &run, &mut all), Ok(Tested::All));
                    assert_eq!(all.visited, expected.visited, "{y} {size} {with:?} {kernel}");
                    assert_eq!(found.visited.len(), expected.visited.len());
                    let mut largest = f64::NEG_INFINITY;
                    for (found, expected) in found.visited.iter().zip(&expected.visited) {
                        assert_eq!(found.0, expected.0);
                        assert!(found.1 == expected.1 || (found.1 == f64::NEG_INFINITY && expected.1 <= largest));
                        spared += usize::from(found.1 != expected.1);
                        largest = largest.max(expected.1);
                    }
                }
            }
        }
    }
    spared
}

#[test]
fn tests_of_subsets_are_the_single_ones() {
    let rules = |degrees, minimum| move || Rules::new(degrees, minimum).unwrap();
    let (mixed, hub) = hub_data(95, 4000, 14, 3, 3);
    let (binary, other_hub) = hub_data(96, 3000, 10, 2, 2);
    for degrees in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        assert!(families_are_single_tests(&mixed, hub, rules(degrees, MinimumSample::Off), &[0, 2, 3]) > 100);
        let sizes = [0, 1, 2, 3, 4];
        assert!(families_are_single_tests(&binary, other_hub, rules(degrees, MinimumSample::Off), &sizes) > 100);
        let minimum = MinimumSample::RowsPerCell(100.0, Verdict::Dependent);
        families_are_single_tests(&binary, other_hub, rules(degrees, minimum), &sizes);
    }
}

#[test]
fn no_test_is_made_when_the_time_is_up() {
    let (data, hub) = hub_data(97, 2000, 12, 3, 3);
    let engine = CountingEngine::new(&data);
    let test = G2Test::new(&engine);
    let pool: Vec<Variable> = (0..data.n_variables() as Variable).filter(|&v| v != hub).collect();
    let late = Run::new(1).unwrap().with_deadline(Some(std::time::Instant::now()));
    let cancelled = Run::new(1).unwrap();
    cancelled.canceller().cancel();
    for size in 0..=4 {
        let subsets = Subsets::new(&pool[1..], size);
        let mut kept = Kept { visited: Vec::new(), floor: false };
        assert_eq!(test.session().test_subsets(hub, pool[0], &subsets, &late, &mut kept), Ok(Tested::OutOfTime));
        let error = test.session().test_subsets(hub, pool[0], &subsets, &cancelled, &mut kept);
        assert_eq!(error, Err(phgs::Error::Interrupted));
        assert!(kept.visited.is_empty());
    }
}
