//! Local skeleton learners and v-structures by testing: oracle proofs, knowledge, limits and determinism.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use phgs::Variable;
use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::graph::{Dag, UndirectedGraph};
use phgs::independence::{
    Alpha, DSeparationOracle, DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, Rules, TestResult,
    TestSession, Tested, Verdict,
};
use phgs::knowledge::Knowledge;
use phgs::orient::v_structures_by_testing;
use phgs::run::{Ledger, Phase, Run};
use phgs::skeleton::Skeleton;
use phgs::skeleton::local::{LocalLearner, LocalOptions, local_neighbourhood, local_skeleton, markov_blanket};

use crate::knowledge::random_knowledge;
use crate::support::{below, golden_data, permutation, random_dag, rng};

pub(crate) const LEARNERS: [LocalLearner; 10] = LocalLearner::ALL;

/// Learns a skeleton at α = 0.05.
pub(crate) fn learn<T: IndependenceTest>(
    learner: LocalLearner,
    test: &T,
    max_size: Option<usize>,
    knowledge: &Knowledge,
    threads: usize,
) -> (Skeleton, Ledger) {
    let options = LocalOptions::new(learner, Alpha::default()).with_max_conditioning_size(max_size);
    let mut ledger = Ledger::new();
    let skeleton =
        local_skeleton(learner, test, &options, knowledge, &Run::new(threads).unwrap(), &mut ledger).unwrap();
    (skeleton, ledger)
}

fn oracle_dags(seed: u64, rounds: usize) -> impl Iterator<Item = Dag> {
    let mut generator = rng(seed);
    (0..rounds).map(move |round| {
        let p = 4 + below(&mut generator, 13);
        random_dag(&mut generator, p, [1.0, 1.5, 2.0, 2.5][round % 4])
    })
}

fn true_skeletons(learner: LocalLearner) {
    for (round, dag) in oracle_dags(learner as u64, 500).enumerate() {
        let oracle = DSeparationOracle::new(&dag);
        let (skeleton, _) = learn(learner, &oracle, None, &Knowledge::none(), 1);
        assert_eq!(skeleton.graph(), &dag.skeleton(), "{} round {round}: {dag:?}", learner.name());
        // Separating sets separate.
        let mut session = oracle.session();
        for record in skeleton.records().iter().filter(|r| !dag.adjacent(r.x, r.y)) {
            assert!(session.test(record.x, record.y, &record.separating_set).log_p_value == 0.0);
        }
    }
}

#[test]
fn mmpc_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::Mmpc);
}

#[test]
fn si_hiton_pc_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::SiHitonPc);
}

#[test]
fn fast_iamb_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::FastIamb);
}

#[test]
fn hpc_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::Hpc);
}

#[test]
fn hiton_pc_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::HitonPc);
}

#[test]
fn get_pc_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::GetPc);
}

#[test]
fn grow_shrink_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::GrowShrink);
}

#[test]
fn iamb_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::Iamb);
}

#[test]
fn inter_iamb_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::InterIamb);
}

#[test]
fn iamb_fdr_finds_the_true_skeleton() {
    true_skeletons(LocalLearner::IambFdr);
}

#[test]
fn blankets_are_the_true_ones() {
    for (round, dag) in oracle_dags(78, 500).enumerate() {
        let oracle = DSeparationOracle::new(&dag);
        let target = (round % dag.n_variables()) as Variable;
        // Parents, children and the children's parents.
        let mut expected: Vec<Variable> = dag.parents(target).iter().chain(dag.children(target)).copied().collect();
        expected.extend(dag.children(target).iter().flat_map(|&child| dag.parents(child)));
        expected.sort_unstable();
        expected.dedup();
        expected.retain(|&v| v != target);
        for learner in LEARNERS {
            let options = LocalOptions::new(learner, Alpha::default()).with_max_conditioning_size(None);
            let (run, mut ledger) = (Run::new(1 + round % 2).unwrap(), Ledger::new());
            let none = Knowledge::none();
            let found = markov_blanket(learner, &oracle, target, &options, &none, &run, &mut ledger).unwrap();
            assert_eq!(found, expected, "{} {round} {dag:?}", learner.name());
            assert!(ledger.calls(Phase::Within) > 0);
        }
    }
}

#[test]
fn one_target_gives_its_part_of_the_skeleton() {
    for (round, dag) in oracle_dags(77, 60).enumerate() {
        let oracle = DSeparationOracle::new(&dag);
        let target = (round % dag.n_variables()) as Variable;
        for learner in LEARNERS {
            for threads in [1, 2] {
                let options = LocalOptions::new(learner, Alpha::default()).with_max_conditioning_size(None);
                let (run, mut ledger) = (Run::new(threads).unwrap(), Ledger::new());
                let none = Knowledge::none();
                let found = local_neighbourhood(learner, &oracle, target, &options, &none, &run, &mut ledger).unwrap();
                let found: Vec<Variable> = found.iter().map(|n| n.variable).collect();
                assert_eq!(found, dag.skeleton().neighbours(target));
                assert!(ledger.total_calls() > 0);
            }
        }
    }
    // On data too.
    let (data, _) = golden_data("alarm");
    let engine = CountingEngine::new(&data);
    let test = G2Test::new(&engine);
    for learner in LEARNERS {
        let options = LocalOptions::new(learner, Alpha::default());
        let (run, mut ledger) = (Run::new(1).unwrap(), Ledger::new());
        let none = Knowledge::none();
        let skeleton = local_skeleton(learner, &test, &options, &none, &run, &mut ledger).unwrap();
        for target in 0..data.n_variables() as Variable {
            let found = local_neighbourhood(learner, &test, target, &options, &none, &run, &mut ledger).unwrap();
            let neighbours: Vec<Variable> = found.iter().map(|n| n.variable).collect();
            assert_eq!(neighbours, skeleton.graph().neighbours(target));
            for neighbour in &found {
                let record = skeleton.record(target, neighbour.variable).unwrap();
                assert_eq!(neighbour.max_log_p_value, record.max_log_p_value);
                assert_eq!(neighbour.closest_set, record.separating_set);
            }
        }
        assert!(local_neighbourhood(learner, &test, 37, &options, &none, &run, &mut ledger).is_err());
    }
}

#[test]
fn v_structures_by_testing_are_the_true_ones() {
    for (round, dag) in oracle_dags(5, 500).enumerate() {
        let oracle = DSeparationOracle::new(&dag);
        let (run, mut ledger) = (Run::new(1 + round % 2).unwrap(), Ledger::new());
        let none = Knowledge::none();
        let found =
            v_structures_by_testing(&dag.skeleton(), &oracle, 0.05f64.ln(), None, &none, &run, &mut ledger).unwrap();
        let found: Vec<_> = found.v_structures.iter().map(|v| (v.x, v.centre, v.y)).collect();
        assert_eq!(found, dag.v_structures());
        assert!(found.is_empty() || ledger.calls(Phase::VStructures) > 0);
    }
}

/// A test that watches what it is asked.
struct Watched<'t, T> {
    test: T,
    largest_set: AtomicUsize,
    tests: AtomicU64,
    knowledge: &'t Knowledge,
    /// Whether every set that it is asked about is to separate the pair.
    only_separators: bool,
}

struct WatchedSession<'t, T: IndependenceTest + 't> {
    session: T::Session<'t>,
    watched: &'t Watched<'t, T>,
}

impl<T: IndependenceTest> IndependenceTest for Watched<'_, T> {
    type Session<'t>
        = WatchedSession<'t, T>
    where
        Self: 't;

    fn n_variables(&self) -> usize {
        self.test.n_variables()
    }

    fn session(&self) -> WatchedSession<'_, T> {
        WatchedSession { session: self.test.session(), watched: self }
    }

    fn name(&self) -> &'static str {
        self.test.name()
    }
}

impl<T: IndependenceTest> TestSession for WatchedSession<'_, T> {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        self.watched.tests.fetch_add(1, Ordering::Relaxed);
        self.watched.largest_set.fetch_max(given.len(), Ordering::Relaxed);
        let knowledge = self.watched.knowledge;
        assert!(knowledge.allows_edge(x, y) && !knowledge.requires_edge(x, y), "{x} {y} | {given:?}");
        let may_separate = given.iter().all(|&z| knowledge.may_separate(x, y, z));
        assert!(may_separate || !self.watched.only_separators, "{x} {y} | {given:?}");
        let mut sorted = given.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), given.len());
        assert!(!given.contains(&x) && !given.contains(&y) && x != y);
        self.session.test(x, y, given)
    }
}

#[test]
fn knowledge_is_obeyed_and_limits_hold() {
    for (round, dag) in oracle_dags(41, 60).enumerate() {
        for faithful in [true, false] {
            let knowledge = random_knowledge(&mut rng(round as u64), dag.n_variables(), faithful.then_some(&dag), true);
            for learner in LEARNERS {
                for max_size in [Some(0), Some(1), Some(2), None] {
                    let test = Watched {
                        test: DSeparationOracle::new(&dag),
                        largest_set: AtomicUsize::new(0),
                        tests: AtomicU64::new(0),
                        knowledge: &knowledge,
                        only_separators: matches!(learner, LocalLearner::Mmpc | LocalLearner::SiHitonPc),
                    };
                    let (skeleton, ledger) = learn(learner, &test, max_size, &knowledge, 1);
                    let graph = skeleton.graph();
                    assert!(test.largest_set.load(Ordering::Relaxed) <= max_size.unwrap_or(usize::MAX));
                    assert_eq!(test.tests.load(Ordering::Relaxed), ledger.calls(Phase::Within));
                    assert!(knowledge.required_pairs().iter().all(|&(x, y)| graph.contains(x, y)));
                    assert!(graph.edges().all(|(x, y)| knowledge.allows_edge(x, y)));
                    if faithful && max_size.is_none() {
                        // Knowledge that is true leaves the result true.
                        assert_eq!(graph, &dag.skeleton(), "{} {round}", learner.name());
                    }
                    let (run, mut ledger) = (Run::new(1).unwrap(), Ledger::new());
                    let before = test.tests.load(Ordering::Relaxed);
                    let found =
                        v_structures_by_testing(graph, &test, 0.05f64.ln(), max_size, &knowledge, &run, &mut ledger);
                    assert_eq!(test.tests.load(Ordering::Relaxed) - before, ledger.calls(Phase::VStructures));
                    assert!(found.unwrap().v_structures.iter().all(|v| knowledge.allows_edge(v.x, v.y)));
                }
            }
        }
    }
}

#[test]
fn results_and_counts_do_not_depend_on_threads_or_columns() {
    for name in ["alarm", "insurance"] {
        let (data, _) = golden_data(name);
        let engine = CountingEngine::new(&data);
        let test = G2Test::new(&engine);
        let p = data.n_variables();
        let order = permutation(&mut rng(3), p);
        let columns = order.iter().map(|&v| data.column(v).clone()).collect();
        let arities = order.iter().map(|&v| data.arity(v)).collect();
        let permuted = phgs::data::DiscreteData::new(columns, arities).unwrap();
        let permuted_engine = CountingEngine::new(&permuted);
        for learner in LEARNERS {
            let size = Some(learner.default_max_conditioning_size());
            let (skeleton, ledger) = learn(learner, &test, size, &Knowledge::none(), 1);
            assert!(skeleton.graph().n_edges() > p / 3);
            for threads in [2, 3] {
                let (again, counted) = learn(learner, &test, size, &Knowledge::none(), threads);
                assert_eq!(again, skeleton);
                assert_eq!(counted.total_calls(), ledger.total_calls());
            }
            let (other, _) = learn(learner, &G2Test::new(&permuted_engine), size, &Knowledge::none(), 1);
            let back = other.graph().edges().map(|(x, y)| (order[x as usize], order[y as usize]));
            assert_eq!(&UndirectedGraph::from_edges(p, back), skeleton.graph(), "{}", learner.name());
            let none = Knowledge::none();
            let v_structures = |threads| {
                let (run, mut ledger) = (Run::new(threads).unwrap(), Ledger::new());
                let graph = skeleton.graph();
                let found = v_structures_by_testing(graph, &test, 0.05f64.ln(), size, &none, &run, &mut ledger);
                (found.unwrap(), ledger.total_calls())
            };
            assert_eq!(v_structures(1), v_structures(2));
        }
    }
}

#[test]
fn tests_made_together_are_the_single_ones() {
    let run = Run::new(1).unwrap();
    let (data, _) = golden_data("insurance");
    let engine = CountingEngine::new(&data);
    let others: Vec<Variable> = (0..data.n_variables() as Variable).filter(|v| ![3, 5, 9].contains(v)).collect();
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        for minimum in [MinimumSample::Off, MinimumSample::RowsPerCell(5.0, Verdict::Dependent)] {
            let test = G2Test::with_rules(&engine, Rules::new(rule, minimum).unwrap());
            let mut session = test.session();
            for given in [&[][..], &[5], &[9, 5]] {
                for take in [0, 1, 3, others.len()] {
                    let mut together = Vec::new();
                    session
                        .test_each(3, &others[..take], given, &run, &mut together)
                        .map(|tested| assert_eq!(tested, Tested::All))
                        .unwrap();
                    let single: Vec<_> = others[..take].iter().map(|&y| session.test(3, y, given)).collect();
                    assert_eq!(together, single);
                }
            }
        }
    }
}

/// Enough others for them to be tested by their sums, wide and narrow, brought together or not.
#[test]
fn many_tests_made_together_are_the_single_ones() {
    let run = Run::new(1).unwrap();
    let (insurance, _) = golden_data("insurance");
    let (p, n) = (insurance.n_variables(), insurance.n_rows());
    // Copies whose rows are moved on: as far as they depend on the others at all, it is by chance.
    let columns = (0..14 * p).map(|v| {
        let column = insurance.column((v % p) as Variable);
        (0..n).map(|row| column.get((row + 37 * (v / p)) % n)).collect()
    });
    let data = DiscreteData::from_columns(columns.collect()).unwrap();
    let engine = CountingEngine::new(&data);
    let all: Vec<Variable> = (0..data.n_variables() as Variable).filter(|v| ![3, 5, 9].contains(v)).collect();
    for rule in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
        let test = G2Test::with_rules(&engine, Rules::new(rule, MinimumSample::Off).unwrap());
        test.marginal_dependences(&Run::new(1).unwrap(), -3.0, |_, _| true).unwrap();
        let (mut session, mut plain) = (test.session(), test.session());
        for take in [30, 70, all.len()] {
            for gather in [false, true] {
                let others = &all[..take];
                if gather {
                    session.gather(others);
                }
                for (x, given) in [(3, &[5][..]), (5, &[3]), (3, &[9, 5]), (9, &[5, 3])] {
                    let mut together = Vec::new();
                    session
                        .test_each(x, others, given, &run, &mut together)
                        .map(|tested| assert_eq!(tested, Tested::All))
                        .unwrap();
                    assert_eq!(together.len(), take);
                    for (&y, result) in others.iter().zip(&together).step_by(3) {
                        assert_eq!(*result, plain.test(x, y, given), "{x} {y} {given:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_cancelled_search_ends_at_once() {
    /// Cancels its run after some tests and counts those that follow.
    struct Cancelling<'t> {
        oracle: DSeparationOracle<'t>,
        canceller: phgs::run::Canceller,
        tests: AtomicU64,
    }
    struct Session<'t>(&'t Cancelling<'t>, <DSeparationOracle<'t> as IndependenceTest>::Session<'t>);
    impl IndependenceTest for Cancelling<'_> {
        type Session<'t>
            = Session<'t>
        where
            Self: 't;
        fn n_variables(&self) -> usize {
            self.oracle.n_variables()
        }
        fn session(&self) -> Session<'_> {
            Session(self, self.oracle.session())
        }
        fn name(&self) -> &'static str {
            "cancelling"
        }
    }
    impl TestSession for Session<'_> {
        fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
            // The marginal tests are 435.
            if self.0.tests.fetch_add(1, Ordering::Relaxed) == 1000 {
                self.0.canceller.cancel();
            }
            self.1.test(x, y, given)
        }
    }
    // A complete graph on thirty variables: 2^28 sets for each pair.
    let dag = Dag::from_arcs(30, (0..30).flat_map(|x| ((x + 1)..30).map(move |y| (x, y)))).unwrap();
    for learner in LEARNERS {
        let run = Run::new(1).unwrap();
        let oracle = DSeparationOracle::new(&dag);
        let test = Cancelling { oracle, canceller: run.canceller(), tests: AtomicU64::new(0) };
        let options = LocalOptions::new(learner, Alpha::default()).with_max_conditioning_size(None);
        let result = local_skeleton(learner, &test, &options, &Knowledge::none(), &run, &mut Ledger::new());
        assert_eq!(result, Err(phgs::Error::Interrupted));
        assert!(test.tests.load(Ordering::Relaxed) < 2000);
    }
}
