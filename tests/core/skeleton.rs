//! PC and partitioned PC: against a plain reference implementation, and their promises. `oracle_cpdag` has the proof with
//! the d-separation oracle.

#![allow(unreachable_pub)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;

use phgs::counts::CountingEngine;
use phgs::data::DiscreteData;
use phgs::graph::{Dag, UndirectedGraph};
use phgs::independence::{Alpha, DSeparationOracle, G2Test, IndependenceTest, TestResult, TestSession};
use phgs::knowledge::Knowledge;
use phgs::run::{Ledger, Phase, Run};
use phgs::skeleton::{PcOptions, Skeleton, partitioned_pc, pc};
use phgs::{Error, Variable};

use crate::knowledge::random_knowledge;
use crate::support::{below, golden_data, permutation, random_labels, rng, uniform};

const LOG_ALPHA: f64 = -3.0;

fn options(max_conditioning_size: Option<usize>) -> PcOptions {
    PcOptions { alpha: Alpha::at_log_p_value(LOG_ALPHA), max_conditioning_size, max_tests: None }
}

fn learn<T: IndependenceTest>(test: &T, labels: &[u32], m: Option<usize>, knowledge: &Knowledge) -> (Skeleton, Ledger) {
    let mut ledger = Ledger::new();
    let run = Run::new(1).unwrap();
    let skeleton = partitioned_pc(test, labels, &options(m), knowledge, &run, &mut ledger).unwrap();
    (skeleton, ledger)
}

/// A test that follows no distribution: the p-value of a hypothesis is a hash of the names of its variables. It has no ties,
/// contradicts itself freely, and so shows any dependence on the order of columns.
struct Arbitrary {
    names: Vec<u64>,
    /// log p is the logarithm of a uniform number times this.
    scale: f64,
    given: Mutex<Vec<(Variable, Variable, Vec<Variable>)>>,
}

impl Arbitrary {
    fn new(names: Vec<u64>, scale: f64) -> Self {
        Self { names, scale, given: Mutex::default() }
    }

    fn log_p_value(&self, x: Variable, y: Variable, given: &[Variable]) -> f64 {
        let mix = |h: u64| {
            let h = (h ^ (h >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
        };
        let name = |v: Variable| mix(self.names[v as usize] + 1);
        let set = given.iter().fold(0u64, |sum, &z| sum.wrapping_add(mix(name(z))));
        let hash = mix(mix(name(x).wrapping_add(name(y))) ^ mix(set.wrapping_add(77)));
        // Near names depend more, so that neighbourhoods are not uniform.
        let near = 1.0 / (1.0 + self.names[x as usize].abs_diff(self.names[y as usize]) as f64 / 4.0);
        (((hash >> 11) as f64 + 0.5) * (-53f64).exp2()).ln() * self.scale * near
    }
}

impl IndependenceTest for Arbitrary {
    type Session<'t> = &'t Arbitrary;

    fn n_variables(&self) -> usize {
        self.names.len()
    }

    fn session(&self) -> &Arbitrary {
        self
    }

    fn name(&self) -> &'static str {
        "arbitrary"
    }
}

impl TestSession for &Arbitrary {
    fn test(&mut self, x: Variable, y: Variable, given: &[Variable]) -> TestResult {
        let mut set = given.to_vec();
        set.sort_unstable();
        assert!(x != y && set.windows(2).all(|w| w[0] < w[1]) && !set.contains(&x) && !set.contains(&y));
        self.given.lock().unwrap().push((x.min(y), x.max(y), set));
        TestResult { statistic: 1.0, degrees_of_freedom: 1.0, log_p_value: self.log_p_value(x, y, given) }
    }
}

/// Φ and S by the names of variables.
fn named(skeleton: &Skeleton, names: &[Variable]) -> BTreeMap<(Variable, Variable), (f64, Vec<Variable>)> {
    let records = skeleton.records().iter().map(|record| {
        let (x, y) = (names[record.x as usize], names[record.y as usize]);
        let mut set: Vec<_> = record.separating_set.iter().map(|&z| names[z as usize]).collect();
        set.sort_unstable();
        ((x.min(y), x.max(y)), (record.max_log_p_value, set))
    });
    records.collect()
}

fn for_each_subset(of: &[Variable], size: usize, visit: &mut impl FnMut(&[Variable]) -> bool) -> bool {
    fn extend(
        of: &[Variable],
        size: usize,
        set: &mut Vec<Variable>,
        visit: &mut impl FnMut(&[Variable]) -> bool,
    ) -> bool {
        if set.len() == size {
            return visit(set);
        }
        for (i, &z) in of.iter().enumerate() {
            set.push(z);
            let stop = extend(&of[i + 1..], size, set, visit);
            set.pop();
            if stop {
                return true;
            }
        }
        false
    }
    extend(of, size, &mut Vec::new(), visit)
}

/// Partitioned PC as plainly as it can be written: dense matrices, and a set of all that was tested.
struct Reference<'a> {
    test: &'a Arbitrary,
    labels: &'a [u32],
    m: usize,
    knowledge: &'a Knowledge,
    phi: BTreeMap<(Variable, Variable), (f64, Vec<Variable>)>,
    edges: HashSet<(Variable, Variable)>,
    tested: HashSet<(Variable, Variable, Vec<Variable>)>,
}

impl Reference<'_> {
    fn neighbours(&self, edges: &HashSet<(Variable, Variable)>, x: Variable) -> Vec<Variable> {
        let p = self.labels.len() as Variable;
        let mut around: Vec<Variable> = (0..p).filter(|&y| edges.contains(&(x.min(y), x.max(y)))).collect();
        around.sort_by(|&a, &b| self.strength(x, a).total_cmp(&self.strength(x, b)).then(a.cmp(&b)));
        around
    }

    fn strength(&self, x: Variable, y: Variable) -> f64 {
        self.phi.get(&(x.min(y), x.max(y))).map_or(0.0, |(phi, _)| *phi)
    }

    /// Tests a pair on sets in turn; returns whether one separates it.
    fn try_sets(&mut self, x: Variable, y: Variable, pool: &[Variable], size: usize) -> bool {
        if size == 0 {
            return false;
        }
        let pool: Vec<_> =
            pool.iter().copied().filter(|&z| z != x && z != y && self.knowledge.may_separate(x, y, z)).collect();
        let mut sets = Vec::new();
        for_each_subset(&pool, size, &mut |set| {
            sets.push(set.to_vec());
            false
        });
        for mut set in sets {
            set.sort_unstable();
            if !self.tested.insert((x, y, set.clone())) {
                continue;
            }
            let log_p_value = self.test.log_p_value(x, y, &set);
            let entry = self.phi.get_mut(&(x, y)).unwrap();
            if log_p_value > entry.0 {
                *entry = (log_p_value, set);
            }
            if log_p_value > LOG_ALPHA {
                self.edges.remove(&(x, y));
                return true;
            }
        }
        false
    }

    fn endpoints(
        &self,
        x: Variable,
        y: Variable,
        frozen: &HashMap<Variable, Vec<Variable>>,
        strengths: &HashMap<Variable, Vec<f64>>,
    ) -> [Variable; 2] {
        let key = |v: Variable| (frozen[&v].len(), strengths[&v].clone());
        if key(y).partial_cmp(&key(x)) == Some(std::cmp::Ordering::Less) { [y, x] } else { [x, y] }
    }

    /// One level, or the second screen (`level` 0), over pairs that satisfy a condition.
    fn level(&mut self, level: usize, condition: impl Fn(Variable, Variable) -> bool) {
        let p = self.labels.len() as Variable;
        let frozen: HashMap<_, _> = (0..p).map(|x| (x, self.neighbours(&self.edges, x))).collect();
        let strengths: HashMap<_, Vec<f64>> =
            frozen.iter().map(|(&x, around)| (x, around.iter().map(|&y| self.strength(x, y)).collect())).collect();
        let mut pairs: Vec<_> = self.edges.iter().copied().collect();
        pairs.sort_unstable();
        for (x, y) in pairs {
            if !condition(x, y) || self.knowledge.requires_edge(x, y) {
                continue;
            }
            for end in self.endpoints(x, y, &frozen, &strengths) {
                let other = if end == x { y } else { x };
                let allowed =
                    frozen[&end].iter().filter(|&&z| z != other && self.knowledge.may_separate(x, y, z)).count();
                let size = if level == 0 { allowed.min(self.m) } else { level };
                if self.try_sets(x, y, &frozen[&end], size) {
                    break;
                }
            }
        }
    }

    fn levels(&mut self) {
        for level in 1..=self.m {
            let p = self.labels.len() as Variable;
            if (0..p).all(|x| self.neighbours(&self.edges, x).len() <= level) {
                break;
            }
            self.level(level, |_, _| true);
        }
    }

    fn run(&mut self) -> [usize; 3] {
        let p = self.labels.len() as Variable;
        let labels = self.labels;
        let within = |x: Variable, y: Variable| labels[x as usize] == labels[y as usize];
        for x in 0..p {
            for y in x + 1..p {
                let log_p_value = self.test.log_p_value(x, y, &[]);
                if self.knowledge.requires_edge(x, y) {
                    self.phi.insert((x, y), (f64::NEG_INFINITY, vec![]));
                } else if log_p_value <= LOG_ALPHA && self.knowledge.allows_edge(x, y) {
                    self.phi.insert((x, y), (log_p_value, vec![]));
                }
            }
        }
        let candidates: Vec<_> = self.phi.keys().copied().collect();
        self.edges = candidates.iter().copied().filter(|&(x, y)| within(x, y)).collect();
        self.levels();
        let after_within = self.tested.len();

        let frozen = self.edges.clone();
        let strength_then = self.phi.clone();
        for &(x, y) in candidates.iter().filter(|&&(x, y)| !within(x, y)) {
            self.edges.insert((x, y));
            if self.knowledge.requires_edge(x, y) {
                continue;
            }
            let mut union: Vec<_> =
                self.neighbours(&frozen, x).into_iter().chain(self.neighbours(&frozen, y)).collect();
            union.retain(|&z| self.knowledge.may_separate(x, y, z));
            let strength =
                |a: Variable, b: Variable| strength_then.get(&(a.min(b), a.max(b))).map_or(0.0, |(phi, _)| *phi);
            let key = |z: Variable| (strength(x, z).max(strength(y, z)), strength(x, z).min(strength(y, z)), z);
            union.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap());
            let size = union.len().min(self.m);
            self.try_sets(x, y, &union, size);
        }
        self.level(0, |x, y| !within(x, y));
        let after_between = self.tested.len();
        self.levels();
        [after_within, after_between - after_within, self.tested.len() - after_between]
    }
}

#[test]
fn equals_the_plain_reference_and_never_repeats_a_test() {
    for seed in 0..400 {
        let rng = &mut rng(10_000 + seed);
        let p = 3 + below(rng, 18);
        let m = [Some(1), Some(2), Some(3), None][below(rng, 4)];
        let n_clusters = 1 + below(rng, 4);
        let labels = random_labels(rng, p, n_clusters);
        let names = permutation(rng, p).into_iter().map(u64::from).collect();
        let test = Arbitrary::new(names, 10.0 + 60.0 * uniform(rng));
        let knowledge = if seed % 2 == 1 { random_knowledge(rng, p, None, true) } else { Knowledge::none() };
        let (skeleton, ledger) = learn(&test, &labels, m, &knowledge);
        let tests = test.given.lock().unwrap().clone();
        let distinct: HashSet<_> = tests.iter().collect();
        assert_eq!(distinct.len(), tests.len(), "seed {seed}: a set was tested twice");
        assert!(tests.iter().all(|(_, _, given)| given.len() <= m.unwrap_or(usize::MAX)));
        for (x, y, given) in &tests {
            assert!(knowledge.allows_edge(*x, *y) && !knowledge.requires_edge(*x, *y));
            assert!(given.iter().all(|&z| knowledge.may_separate(*x, *y, z)));
        }
        let marginal = tests.iter().filter(|(_, _, given)| given.is_empty()).count() as u64;
        let pairs = (0..p as Variable).flat_map(|x| (x + 1..p as Variable).map(move |y| (x, y)));
        let undecided = pairs.filter(|&(x, y)| knowledge.allows_edge(x, y) && !knowledge.requires_edge(x, y));
        assert_eq!(marginal, undecided.count() as u64);

        let mut reference = Reference {
            test: &test,
            labels: &labels,
            m: m.unwrap_or(p),
            knowledge: &knowledge,
            phi: BTreeMap::new(),
            edges: HashSet::new(),
            tested: HashSet::new(),
        };
        let calls = reference.run();
        let partitioned = labels.iter().any(|&label| label != labels[0]);
        let all = (p * (p - 1) / 2 + p) as u64;
        let (partition, within) = if partitioned { (all, 0) } else { (0, marginal) };
        assert_eq!(ledger.calls(Phase::Partition), partition);
        assert_eq!(ledger.calls(Phase::Within), calls[0] as u64 + within, "seed {seed}");
        assert_eq!(ledger.calls(Phase::Between), calls[1] as u64, "seed {seed}");
        assert_eq!(ledger.calls(Phase::Complete), calls[2] as u64, "seed {seed}");
        assert_eq!(skeleton.records().len(), reference.phi.len());
        for (record, (&(x, y), (phi, set))) in skeleton.records().iter().zip(&reference.phi) {
            assert_eq!((record.x, record.y), (x, y));
            assert_eq!(
                (record.max_log_p_value, record.separating_set.as_slice()),
                (*phi, set.as_slice()),
                "seed {seed}: {x} {y}"
            );
        }
        for x in 0..p as Variable {
            for y in x + 1..p as Variable {
                assert_eq!(skeleton.graph().contains(x, y), reference.edges.contains(&(x, y)), "seed {seed}");
                assert!(!knowledge.requires_edge(x, y) || skeleton.graph().contains(x, y));
                assert!(knowledge.allows_edge(x, y) || !skeleton.graph().contains(x, y));
            }
        }
    }
}

#[test]
fn the_order_of_columns_and_the_names_of_clusters_do_not_matter() {
    for seed in 0..200 {
        let rng = &mut rng(20_000 + seed);
        let p = 5 + below(rng, 20);
        let n_clusters = 1 + below(rng, 3);
        let labels = random_labels(rng, p, n_clusters);
        let scale = 10.0 + 60.0 * uniform(rng);
        let (skeleton, ledger) =
            learn(&Arbitrary::new((0..p as u64).collect(), scale), &labels, Some(3), &Knowledge::none());
        let order = permutation(rng, p);
        let names = order.iter().map(|&x| u64::from(x)).collect();
        let relabelled: Vec<u32> = order.iter().map(|&x| 100 - 7 * labels[x as usize]).collect();
        let (permuted, permuted_ledger) =
            learn(&Arbitrary::new(names, scale), &relabelled, Some(3), &Knowledge::none());
        let names: Vec<Variable> = (0..p as Variable).collect();
        assert_eq!(named(&permuted, &order), named(&skeleton, &names), "seed {seed}");
        for phase in Phase::ALL {
            assert_eq!(ledger.calls(phase), permuted_ledger.calls(phase));
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    for seed in 0..20 {
        let rng = &mut rng(30_000 + seed);
        let p = 60;
        let labels = random_labels(rng, p, 3);
        let test = Arbitrary::new((0..p as u64).collect(), 40.0);
        let results: Vec<_> = [1, 2, 3, 2]
            .into_iter()
            .map(|threads| {
                let mut ledger = Ledger::new();
                let run = Run::new(threads).unwrap();
                let skeleton =
                    partitioned_pc(&test, &labels, &options(Some(3)), &Knowledge::none(), &run, &mut ledger).unwrap();
                (skeleton, Phase::ALL.map(|phase| ledger.calls(phase)))
            })
            .collect();
        assert!(results.windows(2).all(|w| w[0] == w[1]), "seed {seed}");
    }
}

#[test]
fn sizes_and_options_at_their_limits() {
    let test = Arbitrary::new((0..10).collect(), 30.0);
    let labels = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
    let run = Run::new(1).unwrap();
    let (skeleton, ledger) = learn(&test, &labels, Some(0), &Knowledge::none());
    assert_eq!(ledger.total_calls(), 55, "no conditional tests");
    assert!(skeleton.records().iter().all(|record| skeleton.graph().contains(record.x, record.y)));
    for p in 0..3 {
        let dag = Dag::empty(p);
        let (skeleton, _) = learn(&DSeparationOracle::new(&dag), &[0, 1, 2][..p], None, &Knowledge::none());
        assert_eq!(skeleton.graph(), &UndirectedGraph::empty(p));
    }
    let result = partitioned_pc(&test, &[0, 1], &options(None), &Knowledge::none(), &run, &mut Ledger::new());
    assert!(matches!(result, Err(Error::Parameter { parameter: "labels", .. })));
    run.canceller().cancel();
    let result = pc(&test, &options(None), &Knowledge::none(), &run, &mut Ledger::new());
    assert_eq!(result, Err(Error::Interrupted));
}

#[test]
fn a_limit_of_tests_ends_them_at_the_same_place() {
    let p = 60;
    let test = Arbitrary::new((0..p as u64).collect(), 30.0);
    let clusters: Vec<u32> = (0..p as u32).map(|x| x % 3).collect();
    for labels in [vec![0; p], clusters] {
        let made = |max_tests: Option<u64>, threads: usize| {
            let (run, mut ledger) = (Run::new(threads).unwrap(), Ledger::new());
            let options = PcOptions { max_tests, ..options(Some(2)) };
            let found = partitioned_pc(&test, &labels, &options, &Knowledge::none(), &run, &mut ledger);
            (found, ledger.total_calls())
        };
        let (free, all) = made(None, 1);
        let free = free.unwrap();
        let (_, marginal) = {
            let (run, mut ledger) = (Run::new(1).unwrap(), Ledger::new());
            let found = partitioned_pc(&test, &labels, &options(Some(0)), &Knowledge::none(), &run, &mut ledger);
            (found.unwrap(), ledger.total_calls())
        };
        let conditional = all - marginal;
        assert!(conditional > 1000, "{conditional} tests");
        for limit in [0, 1, conditional / 2, conditional] {
            let (ended, calls) = made(Some(limit), 1);
            assert_eq!(ended, Err(Error::TooManyTests));
            assert!(calls >= marginal + limit, "no fewer than the limit");
            for threads in [2, 7] {
                assert_eq!(made(Some(limit), threads), (Err(Error::TooManyTests), calls));
            }
        }
        for limit in [conditional + 1, u64::MAX] {
            assert_eq!(made(Some(limit), 2), (Ok(free.clone()), all));
        }
    }
}

/// On data: permuted columns and recoded states give the same Φ and S to the bit; nearest names are clusters.
#[test]
fn on_data_the_order_of_columns_and_of_states_does_not_matter() {
    for name in ["child", "insurance", "alarm"] {
        let (data, _) = golden_data(name);
        let p = data.n_variables();
        let rng = &mut rng(5);
        let order = permutation(rng, p);
        let columns = order
            .iter()
            .map(|&x| {
                let states = permutation(rng, data.arity(x) as usize);
                (0..data.n_rows()).map(|row| states[data.column(x).get(row) as usize]).collect()
            })
            .collect();
        let permuted = DiscreteData::from_columns(columns).unwrap();
        let labels = random_labels(rng, p, 3);
        let permuted_labels: Vec<u32> = order.iter().map(|&x| labels[x as usize]).collect();
        let (skeleton, ledger) = learn(&G2Test::new(&CountingEngine::new(&data)), &labels, Some(3), &Knowledge::none());
        let engine = CountingEngine::new(&permuted);
        let (other, other_ledger) = learn(&G2Test::new(&engine), &permuted_labels, Some(3), &Knowledge::none());
        assert!(skeleton.graph().n_edges() > p / 2);
        assert_eq!(named(&other, &order), named(&skeleton, &(0..p as Variable).collect::<Vec<_>>()), "{name}");
        assert_eq!(ledger.total_calls(), other_ledger.total_calls());
    }
}
