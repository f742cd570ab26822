//! Compositions of stages, proven against the d-separation oracle.

use phgs::Error;
use phgs::graph::Dag;
use phgs::hybrid::{
    Adaptive, Equivalence, Hybrid, Initialise, Learned, Maximise, Order, Partition, Refine, Restrict, VStructureRule,
    learn,
};
use phgs::independence::{Alpha, DSeparationOracle};
use phgs::knowledge::{Constraints, Knowledge};
use phgs::orient::path::PathOptions;
use phgs::orient::{ColliderRule, cpdag_of_dag, v_structures_by_testing};
use phgs::run::{Ledger, Phase, Run};
use phgs::search::ges::Schedule;
use phgs::search::{BossOptions, SearchOptions, Tabu};
use phgs::skeleton::PcOptions;

use crate::knowledge::random_knowledge;
use crate::orient::PopulationScore;
use crate::support::{below, random_dag, random_labels, rng};

fn no_path() -> PathOptions {
    PathOptions { path_length: 1, ..PathOptions::default() }
}

fn tabu() -> SearchOptions {
    SearchOptions { tabu: Some(Tabu { length: 10, patience: 10 }), ..SearchOptions::default() }
}

fn ges(adaptive: Adaptive) -> Equivalence {
    let schedule = Schedule::Phases;
    let (screen, max_parents, budget) = (None, None, None);
    Equivalence { forward: true, backward: true, turning: true, schedule, adaptive, screen, max_parents, budget }
}

fn testing() -> VStructureRule {
    VStructureRule::Testing { alpha: Alpha::default(), max_conditioning_size: None }
}

fn run_oracle(dag: &Dag, hybrid: &Hybrid, run: &Run) -> Learned {
    let oracle = DSeparationOracle::new(dag);
    let score = PopulationScore::new(&mut rng(1), dag);
    let none = |_| unreachable!("labels are given");
    learn(&oracle, &score, hybrid, none, &Knowledge::none(), run).unwrap()
}

#[test]
fn testing_finds_exactly_the_true_v_structures() {
    let mut rng = rng(71);
    let run = Run::new(2).unwrap();
    for _ in 0..500 {
        let p = 5 + below(&mut rng, 16);
        let dag = random_dag(&mut rng, p, 2.5);
        let (oracle, mut ledger) = (DSeparationOracle::new(&dag), Ledger::new());
        let (graph, alpha) = (dag.skeleton(), 0.05f64.ln());
        let found =
            v_structures_by_testing(&graph, &oracle, alpha, None, &Knowledge::none(), &run, &mut ledger).unwrap();
        let found: Vec<_> = found.v_structures.iter().map(|v| (v.x, v.centre, v.y)).collect();
        assert_eq!(found, dag.v_structures());
        assert_eq!(ledger.total_calls(), ledger.calls(Phase::VStructures));
    }
}

#[test]
fn every_composition_finds_the_true_class() {
    let mut rng = rng(72);
    let run = Run::new(1).unwrap();
    let options = PcOptions::new(Alpha::default()).with_max_conditioning_size(None);
    for i in 0..200 {
        let p = 5 + below(&mut rng, 11);
        let dag = random_dag(&mut rng, p, 2.0);
        let truth = cpdag_of_dag(&dag);
        let clusters = 1 + below(&mut rng, 4);
        let labels = Partition::Labels(random_labels(&mut rng, p, clusters));
        let ppc = |initialise, maximise, refine| Hybrid {
            restrict: Restrict::PartitionedPc(labels.clone(), options),
            select: PathOptions::default(),
            initialise,
            maximise,
            refine,
            max_parents: None,
        };
        let separated = VStructureRule::SeparatingSets;
        let climb = || Maximise::HillClimb(tabu());
        let decided = |rule| Initialise::Oriented(VStructureRule::Decided { rule, max_conditioning_size: None });
        let compositions = [
            ("pPC, conservative", ppc(decided(ColliderRule::Conservative), Maximise::None, vec![])),
            ("pPC, majority", ppc(decided(ColliderRule::Majority), Maximise::None, vec![])),
            ("pPC, max-p", ppc(decided(ColliderRule::MaxP), Maximise::None, vec![])),
            ("pPC", ppc(Initialise::Oriented(separated), Maximise::None, vec![])),
            ("pPC-HC", ppc(Initialise::Oriented(separated), climb(), vec![])),
            ("pHGS", ppc(Initialise::HybridGreedy(separated), climb(), vec![])),
            ("pHGS refined", ppc(Initialise::HybridGreedy(separated), climb(), vec![Refine::Free(tabu())])),
            (
                "pHGS refined by GES",
                ppc(Initialise::HybridGreedy(separated), climb(), vec![Refine::Ges(ges(Adaptive::No))]),
            ),
            ("ARGES", ppc(Initialise::Oriented(separated), Maximise::Ges(ges(Adaptive::Skeleton)), vec![])),
            (
                "GES",
                Hybrid {
                    restrict: Restrict::None,
                    select: no_path(),
                    ..ppc(Initialise::Empty, Maximise::Ges(ges(Adaptive::No)), vec![])
                },
            ),
            (
                "GSC* with HGI",
                Hybrid {
                    restrict: Restrict::Given(dag.skeleton()),
                    select: no_path(),
                    ..ppc(Initialise::HybridGreedy(testing()), climb(), vec![])
                },
            ),
        ];
        for (name, hybrid) in compositions {
            let learned = run_oracle(&dag, &hybrid, &run);
            assert_eq!(learned.cpdag, truth, "{name}, graph {i}");
            assert!(learned.extendable && learned.complete);
            assert!(learned.undecided.is_empty());
            assert_eq!(learned.dag.is_none(), name.starts_with("pPC") && name != "pPC-HC", "{name}");
            assert_eq!(learned.score.is_some(), learned.dag.is_some());
        }
    }
}

#[test]
fn stages_that_do_not_fit_are_refused() {
    let dag = Dag::from_arcs(3, [(0, 1), (1, 2)]).unwrap();
    let run = Run::new(1).unwrap();
    let oracle = DSeparationOracle::new(&dag);
    let score = PopulationScore::new(&mut rng(1), &dag);
    let nothing = Hybrid {
        restrict: Restrict::None,
        select: PathOptions::default(),
        initialise: Initialise::Empty,
        maximise: Maximise::None,
        refine: vec![],
        max_parents: None,
    };
    let refused = |hybrid: &Hybrid| {
        let none = |_| unreachable!("nothing is clustered");
        learn(&oracle, &score, hybrid, none, &Knowledge::none(), &run).unwrap_err().to_string()
    };
    assert!(refused(&nothing).starts_with("path_length"));
    let hgi = Initialise::HybridGreedy(VStructureRule::SeparatingSets);
    assert!(refused(&Hybrid { initialise: hgi.clone(), ..nothing.clone() }).starts_with("init"));
    let given = Restrict::Given(dag.skeleton());
    let no_sets = Hybrid { restrict: given, select: no_path(), initialise: hgi, ..nothing };
    assert!(refused(&no_sets).starts_with("v_structures"));
}

#[test]
fn every_composition_keeps_knowledge_and_limits() {
    let run = Run::new(2).unwrap();
    let (mut learned, mut refused) = (0, 0);
    for seed in 0..300 {
        let rng = &mut rng(20_000 + seed);
        let p = 4 + below(rng, 6);
        let dag = random_dag(rng, p, 3.5);
        let knowledge = random_knowledge(rng, p, None, true);
        let limit = |rng: &mut _| [None, None, Some(1), Some(2), Some(3)][below(rng, 5)];
        let own = (limit(rng), limit(rng));
        let climb = SearchOptions { max_parents: own.0, ..tabu() };
        let class = Equivalence { max_parents: own.0, ..ges(Adaptive::No) };
        let pc = Restrict::PartitionedPc(Partition::One, PcOptions::new(Alpha::default()));
        let restrict = [Restrict::None, pc, Restrict::Given(dag.skeleton())][below(rng, 3)].clone();
        let everything = matches!(restrict, Restrict::None);
        let initialise = match below(rng, if everything { 2 } else { 4 }) {
            0 => Initialise::Empty,
            1 => Initialise::Given(random_dag(rng, p, 1.0)),
            2 => Initialise::Oriented(testing()),
            _ => Initialise::HybridGreedy(testing()),
        };
        let maximise = match below(rng, 3) {
            0 => Maximise::HillClimb(climb),
            1 => Maximise::Ges(class),
            _ => Maximise::None,
        };
        let boss = BossOptions { max_parents: own.1, ..BossOptions::default() };
        let boss = Order { options: boss, screen: [None, Some(Alpha::new(0.1).unwrap())][below(rng, 2)] };
        let last = Equivalence { max_parents: own.1, ..ges(Adaptive::No) };
        let free = SearchOptions { max_parents: own.1, ..tabu() };
        let refine = [Refine::Boss(boss), Refine::Ges(last), Refine::Growing(free)][below(rng, 3)].clone();
        let max_parents = limit(rng);
        let hybrid = Hybrid { restrict, select: no_path(), initialise, maximise, refine: vec![refine], max_parents };
        let all = Constraints { scope: (&knowledge).into(), max_parents };
        let searches = !matches!(hybrid.maximise, Maximise::None);
        let first = if searches { all.within(own.0) } else { all.within(own.1) };
        let last = all.within(own.1);
        let feasible = |c: &Constraints<'_>| c.required_dag(&Dag::empty(p)).is_ok();
        let start_fits = match &hybrid.initialise {
            Initialise::Given(start) => first.start(start).is_ok(),
            _ => true,
        };
        let (oracle, score) = (DSeparationOracle::new(&dag), PopulationScore::new(rng, &dag));
        match learn(&oracle, &score, &hybrid, |_| unreachable!("one cluster"), &knowledge, &run) {
            Ok(found) => {
                assert!(feasible(&first) && feasible(&last) && start_fits, "seed {seed}");
                assert!(last.are_kept_by(&found.dag.unwrap()), "seed {seed}: {hybrid:?}");
                learned += 1;
            }
            Err(error) => {
                assert!(matches!(error, Error::About { .. }), "seed {seed}: {error}");
                assert!(!(feasible(&first) && feasible(&last) && start_fits), "seed {seed}: {error}");
                refused += 1;
            }
        }
    }
    assert!(learned > 150 && refused > 10, "{learned} learned, {refused} refused");
}
