//! Operators and searches against enumeration of all DAGs.

use std::collections::{BTreeMap, HashMap};

use super::class::EquivalenceClass;
use super::generate::{Marks, Space};
use super::operator::{Kind, Operator, PathFinder};
use super::scores::Scores;
use super::search::Search;
use super::{GesOptions, Restriction, Schedule};
use crate::Variable;
use crate::data::Correlation;
use crate::graph::{Dag, Pdag, UndirectedGraph};
use crate::knowledge::{Knowledge, Scope};
use crate::orient::cpdag_of_dag;
use crate::random_numbers::{generator, permutation, uniform};
use crate::run::Run;
use crate::score::{GaussianBic, LocalScore, ScoreSession};

/// The correlations of a random linear Gaussian network on a random DAG.
fn random_correlation(p: usize, density: f64, n_rows: usize, seed: u64) -> Correlation {
    let random = &mut generator(seed);
    // Rows of the total effects of the disturbances.
    let mut effects = vec![vec![0.0; p]; p];
    for y in 0..p {
        for x in 0..y {
            if uniform(random) < density {
                let weight = (0.2 + 0.8 * uniform(random)) * if uniform(random) < 0.5 { -1.0 } else { 1.0 };
                let of_x = effects[x].clone();
                effects[y].iter_mut().zip(of_x).for_each(|(e, f)| *e += weight * f);
            }
        }
        effects[y][y] = 1.0 + 0.4 * uniform(random);
    }
    // In a random order of the variables.
    let order: Vec<usize> = permutation(random, p).into_iter().map(|x| x as usize).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(u, v)| u * v).sum::<f64>();
    let covariance = |x: usize, y: usize| dot(&effects[order[x]], &effects[order[y]]);
    let r = |x: usize, y: usize| {
        if x == y { 1.0 } else { covariance(x.max(y), x.min(y)) / (covariance(x, x) * covariance(y, y)).sqrt() }
    };
    let rows: Vec<Vec<f64>> = (0..p).map(|x| (0..p).map(|y| r(x, y)).collect()).collect();
    Correlation::from_matrix(&rows, n_rows).unwrap()
}

/// A score plus a constant for each arc, so that all insertions or all deletions gain.
struct PerArc<'c>(GaussianBic<'c>, f64);

struct PerArcSession<'s>(<GaussianBic<'s> as LocalScore>::Session<'s>, f64);

impl LocalScore for PerArc<'_> {
    type Session<'s>
        = PerArcSession<'s>
    where
        Self: 's;
    fn n_variables(&self) -> usize {
        self.0.n_variables()
    }
    fn session(&self) -> PerArcSession<'_> {
        PerArcSession(self.0.session(), self.1)
    }
    fn name(&self) -> &'static str {
        "test"
    }
    fn is_score_equivalent(&self) -> bool {
        true
    }
}

impl ScoreSession for PerArcSession<'_> {
    fn local_score(&mut self, child: Variable, parents: &[Variable]) -> f64 {
        self.0.local_score(child, parents) + self.1 * parents.len() as f64
    }
}

fn total(score: &impl LocalScore, dag: &Dag) -> f64 {
    let mut session = score.session();
    (0..dag.n_variables() as Variable).map(|x| session.local_score(x, dag.parents(x))).sum()
}

/// All DAGs on p variables.
fn all_dags(p: usize) -> Vec<Dag> {
    let pairs: Vec<(Variable, Variable)> =
        (0..p as Variable).flat_map(|x| (x + 1..p as Variable).map(move |y| (x, y))).collect();
    (0..3usize.pow(pairs.len() as u32))
        .filter_map(|mut code| {
            let mut arcs = Vec::new();
            for &(x, y) in &pairs {
                match code % 3 {
                    1 => arcs.push((x, y)),
                    2 => arcs.push((y, x)),
                    _ => {}
                }
                code /= 3;
            }
            Dag::from_arcs(p, arcs).ok()
        })
        .collect()
}

/// A graph as something that can be ordered.
fn key(cpdag: &Pdag) -> Vec<(Variable, Variable, bool)> {
    let directed = cpdag.directed_edges().map(|(x, y)| (x, y, true));
    directed.chain(cpdag.undirected_edges().map(|(x, y)| (x, y, false))).collect()
}

type Class = Vec<(Variable, Variable, bool)>;

/// The classes that one arc's change of a kind in some member leads to, each with one of its DAGs.
fn neighbours(members: &[Dag], kind: Kind) -> BTreeMap<Class, Dag> {
    let mut found = BTreeMap::new();
    for dag in members {
        let p = dag.n_variables() as Variable;
        for x in 0..p {
            for y in (0..p).filter(|&y| y != x) {
                let mut arcs: Vec<_> = dag.arcs().collect();
                match kind {
                    Kind::Insert if !dag.adjacent(x, y) => arcs.push((x, y)),
                    Kind::Delete if dag.contains(x, y) => arcs.retain(|&arc| arc != (x, y)),
                    Kind::Turn if dag.contains(y, x) => {
                        arcs.retain(|&arc| arc != (y, x));
                        arcs.push((x, y));
                    }
                    _ => continue,
                }
                if let Ok(next) = Dag::from_arcs(p as usize, arcs) {
                    found.insert(key(&cpdag_of_dag(&next)), next);
                }
            }
        }
    }
    found
}

/// All operators of a kind that gain, valid or not.
fn operators<S: LocalScore>(
    kind: Kind,
    class: &EquivalenceClass,
    space: &Space<'_>,
    scores: &mut Scores<'_, S>,
    run: &Run,
) -> Vec<Operator> {
    let cpdag = class.cpdag();
    let p = cpdag.n_variables();
    let mut found = Vec::new();
    for y in 0..p as Variable {
        found.extend(match kind {
            Kind::Insert => {
                let mut needs = Vec::new();
                space.insertion_needs(cpdag, y, &mut needs);
                scores.prepare(needs, run).unwrap();
                space.insertions(cpdag, y, scores, &mut Marks::new(p))
            }
            Kind::Delete => space.deletions(cpdag, y, false, &mut |x, parents| scores.local_score(x, parents)),
            Kind::Turn => space.turns(cpdag, y, false, &mut |x, parents| scores.local_score(x, parents)),
        });
    }
    found
}

/// Operators lead exactly to the neighbouring classes, with the difference of the scores as their gain.
fn check_operators(p: usize, every: usize) {
    let run = Run::new(1).unwrap();
    let mut classes: HashMap<Class, Vec<Dag>> = HashMap::new();
    for dag in all_dags(p) {
        classes.entry(key(&cpdag_of_dag(&dag))).or_default().push(dag);
    }
    assert_eq!(classes.len(), [1, 2, 11, 185, 8782][p - 1]);
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let correlation = random_correlation(p, 0.8, 40, 6);
    let bic = GaussianBic::new(&correlation, 0.5).unwrap();
    let (options, knowledge) = (GesOptions::default(), Knowledge::none());
    let space = Space::new(&options, Scope::from(&knowledge));
    let mut finder = PathFinder::new(p);
    for (kind, per_arc) in [(Kind::Insert, 1e4), (Kind::Delete, -1e4), (Kind::Turn, 0.0)] {
        let score = PerArc(bic, per_arc);
        let mut scores = Scores::new(&score);
        for (class_key, members) in classes.iter().step_by(every) {
            let class = EquivalenceClass::of(&members[0]);
            assert_eq!(key(class.cpdag()), *class_key);
            let before = total(&score, &members[0]);
            let mut expected = neighbours(members, kind);
            expected.retain(|_, dag| total(&score, dag) - before > 1e-6);
            let mut reached: BTreeMap<Class, f64> = BTreeMap::new();
            for operator in operators(kind, &class, &space, &mut scores, &run) {
                if finder.blocking_path(class.cpdag(), &operator).is_some() {
                    continue;
                }
                let mut next = class.clone();
                let change = next.apply(&operator);
                assert_eq!(cpdag_of_dag(&next.member()), *next.cpdag(), "{class_key:?} {operator:?}");
                for x in 0..p as Variable {
                    for y in 0..x {
                        let told = change.pairs.iter().any(|&(a, b, _)| (a.min(b), a.max(b)) == (y, x));
                        assert!(told || class.cpdag().tie(x, y) == next.cpdag().tie(x, y));
                    }
                }
                let dag = expected.get(&key(next.cpdag()));
                let dag = dag.unwrap_or_else(|| panic!("{class_key:?} {operator:?} leads to {:?}", next.cpdag()));
                assert!((total(&score, dag) - before - operator.gain).abs() < 1e-6, "{class_key:?} {operator:?}");
                reached.insert(key(next.cpdag()), operator.gain);
            }
            let missed: Vec<&Class> = expected.keys().filter(|class| !reached.contains_key(*class)).collect();
            assert!(missed.is_empty(), "{kind:?} from {class_key:?} does not reach {missed:?}");
        }
    }
}

#[test]
fn operators_reach_the_neighbouring_classes_of_four_variables() {
    check_operators(4, 1);
}

#[test]
fn operators_reach_the_neighbouring_classes_of_five_variables() {
    check_operators(5, 7);
}

/// At every step the operator that a search takes is the best of all that are generated from nothing.
#[test]
fn books_are_kept_up() {
    let run = Run::new(2).unwrap();
    let knowledge = Knowledge::none();
    for seed in 0..40 {
        let correlation = random_correlation(14, 0.3, 200, seed);
        let score = GaussianBic::new(&correlation, 0.5).unwrap();
        let random = &mut generator(seed);
        let pairs: Vec<_> =
            (0..14).flat_map(|x| (0..x).map(move |y| (x, y))).filter(|_| uniform(random) < 0.4).collect();
        let graph = UndirectedGraph::from_edges(14, pairs);
        let restriction = match seed % 4 {
            0 | 1 => Restriction::Unrestricted,
            2 => Restriction::Skeleton(&graph),
            _ => Restriction::Cig(&graph),
        };
        let options = GesOptions {
            turning: true,
            restriction,
            schedule: Schedule::Interleaved,
            max_parents: (seed % 3 == 0).then_some(3),
            ..GesOptions::default()
        };
        let mut search = Search::new(&score, &Dag::empty(14), &options, Scope::from(&knowledge), &run).unwrap();
        let space = Space::new(&options, Scope::from(&knowledge));
        let mut scores = Scores::new(&score);
        let kinds = if seed % 2 == 0 { vec![Kind::Delete, Kind::Turn, Kind::Insert] } else { vec![Kind::Insert] };
        search.open(&kinds).unwrap();
        let mut finder = PathFinder::new(14);
        loop {
            let best = kinds.iter().find_map(|&kind| {
                let class = search.class();
                let mut all = operators(kind, class, &space, &mut scores, &run);
                all.retain(|operator| finder.blocking_path(class.cpdag(), operator).is_none());
                let best = all.iter().map(|operator| operator.gain).max_by(f64::total_cmp);
                best.map(|gain| (kind, gain))
            });
            let step = search.step(&kinds);
            assert_eq!(best, step.as_ref().map(|(_, operator)| (operator.kind, operator.gain)), "seed {seed}");
            let Some((change, _)) = step else { break };
            search.follow(&kinds, &change).unwrap();
            assert_eq!(cpdag_of_dag(&search.class().member()), *search.class().cpdag());
        }
    }
}

/// From A − B and C alone an insertion leads to four classes: C − A − B, A − B − C and a collider at A or at B. (A
/// search that starts from one DAG of the class sees three.)
#[test]
fn one_edge_and_one_variable_have_four_insertions() {
    let run = Run::new(1).unwrap();
    let correlation = random_correlation(3, 0.8, 40, 5);
    let score = PerArc(GaussianBic::new(&correlation, 0.5).unwrap(), 1e4);
    let (options, knowledge) = (GesOptions::default(), Knowledge::none());
    let class = EquivalenceClass::of(&Dag::from_arcs(3, [(0, 1)]).unwrap());
    let space = Space::new(&options, Scope::from(&knowledge));
    let mut reached: Vec<Class> = operators(Kind::Insert, &class, &space, &mut Scores::new(&score), &run)
        .iter()
        .filter(|operator| PathFinder::new(3).blocking_path(class.cpdag(), operator).is_none())
        .map(|operator| {
            let mut next = class.clone();
            next.apply(operator);
            key(next.cpdag())
        })
        .collect();
    reached.sort();
    reached.dedup();
    assert_eq!(reached.len(), 4);
}

/// What is passed on to a saved class, or taken back from it, is all that operators have changed.
#[test]
fn changes_of_a_class_are_passed_on_and_taken_back() {
    let run = Run::new(1).unwrap();
    let knowledge = Knowledge::none();
    for seed in 0..40 {
        let correlation = random_correlation(12, 0.4, 100, seed);
        let score = PerArc(GaussianBic::new(&correlation, 0.5).unwrap(), if seed % 2 == 0 { 2.0 } else { -2.0 });
        let options = GesOptions::default();
        let space = Space::new(&options, Scope::from(&knowledge));
        let mut scores = Scores::new(&score);
        let mut finder = PathFinder::new(12);
        let mut class = EquivalenceClass::of(&Dag::empty(12));
        let mut saved = class.clone();
        let random = &mut generator(seed);
        for step in 0..60 {
            let kind = [Kind::Insert, Kind::Turn, Kind::Delete][step % 3];
            let mut all = operators(kind, &class, &space, &mut scores, &run);
            all.retain(|operator| finder.blocking_path(class.cpdag(), operator).is_none());
            if all.is_empty() {
                continue;
            }
            let at = (uniform(random) * all.len() as f64) as usize;
            class.apply(&all[at]);
            if uniform(random) < 0.3 {
                if uniform(random) < 0.5 {
                    class.pass_on(&mut saved);
                } else {
                    class.take_back(&saved);
                }
                assert_eq!(class.cpdag(), saved.cpdag(), "seed {seed}");
                assert_eq!(class.member(), saved.member(), "seed {seed}");
                assert_eq!(cpdag_of_dag(&class.member()), *class.cpdag(), "seed {seed}");
            }
        }
    }
}
