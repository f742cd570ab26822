//! Rows split into shards, of which tables are added up, and rows kept as bit planes alone, against all rows in one table:
//! everything is the same, to the bit.

use phgs::counts::{CountingEngine, CountingSession, Shards, TableSource};
use phgs::data::{Codes, DiscreteData, MAX_PLANE_ARITY, PackedCodes};
use phgs::independence::{DegreesOfFreedom, G2Test, IndependenceTest, MinimumSample, PearsonTest, Rules, TestSession};
use phgs::run::Run;
use phgs::score::{DiscreteScore, DiscreteScoreKind, LocalScore, ScoreSession};
use phgs::{Error, Variable};
use rand_chacha::rand_core::RngCore;

use crate::support::{below, rng};

/// Columns that depend on the ones before; the first state is the most frequent.
fn random_data(rng: &mut impl RngCore, n_rows: usize, arities: &[u32]) -> DiscreteData {
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for (x, &arity) in arities.iter().enumerate() {
        let column = (0..n_rows).map(|row| {
            let new = below(rng, arity as usize).min(below(rng, arity as usize)) as u32;
            if x > 0 && below(rng, 2) == 0 { (columns[below(rng, x)][row] + new / 2) % arity } else { new }
        });
        let column = column.collect();
        columns.push(column);
    }
    let columns = columns.into_iter().zip(arities).map(|(codes, &arity)| {
        if arity <= 256 {
            Codes::Narrow(codes.iter().map(|&code| code as u8).collect())
        } else {
            Codes::Wide(codes.iter().map(|&code| code as u16).collect())
        }
    });
    DiscreteData::new(columns.collect(), arities.to_vec()).unwrap()
}

/// Consecutive rows of a table.
fn part(data: &DiscreteData, rows: std::ops::Range<usize>) -> DiscreteData {
    let columns = data.columns().iter().map(|codes| match codes {
        Codes::Wide(codes) => Codes::Wide(codes[rows.clone()].to_vec()),
        codes => Codes::Narrow(rows.clone().map(|row| codes.get(row) as u8).collect()),
    });
    DiscreteData::new(columns.collect(), data.arities().to_vec()).unwrap()
}

/// Shards of uneven sizes.
fn split(data: &DiscreteData, n_shards: usize) -> Vec<DiscreteData> {
    let end = |i: usize| data.n_rows() * i * (i + 1) / (n_shards * (n_shards + 1));
    (0..n_shards).map(|i| part(data, end(i)..end(i + 1))).collect()
}

/// Calls `check(data, engine of all rows, engine over shards)` for tables with few and many states, and many shards.
fn for_each_split(mut check: impl FnMut(&DiscreteData, &CountingEngine<'_>, &CountingEngine<'_>)) {
    let rng = &mut rng(5);
    let arities: [&[u32]; 4] = [&[2; 9], &[2, 3, 4, 1, 2, 3, 5, 2], &[2, 40, 3, 7, 300, 2, 12], &[3; 40]];
    for (rows, arities) in [200, 3000, 1000, 500].into_iter().zip(arities) {
        let data = random_data(rng, rows, arities);
        let whole = CountingEngine::new(&data);
        for n_shards in [1, 2, 7] {
            let parts = split(&data, n_shards);
            let engines: Vec<CountingEngine<'_>> = parts.iter().map(CountingEngine::new).collect();
            let shards = Shards::new(&engines, Run::new(1).unwrap().canceller()).unwrap();
            check(&data, &whole, &CountingEngine::over(&shards));
            assert_eq!(shards.failure(), None);
        }
        let packed = packed(&data);
        check(&data, &whole, &CountingEngine::new(&packed));
    }
}

/// The same columns, kept as bit planes where they can be.
fn packed(data: &DiscreteData) -> DiscreteData {
    let columns = data.columns().iter().zip(data.arities()).map(|(codes, &arity)| match codes {
        Codes::Narrow(bytes) if arity <= MAX_PLANE_ARITY => PackedCodes::pack(bytes, arity).into(),
        codes => codes.clone(),
    });
    DiscreteData::new(columns.collect(), data.arities().to_vec()).unwrap()
}

fn random_set(rng: &mut impl RngCore, p: usize, size: usize) -> Vec<Variable> {
    let mut set: Vec<Variable> = Vec::new();
    while set.len() < size.min(p) {
        let variable = below(rng, p) as Variable;
        if !set.contains(&variable) {
            set.push(variable);
        }
    }
    set
}

#[test]
fn everything_that_sessions_count_is_the_same() {
    let rng = &mut rng(6);
    for_each_split(|data, whole, over| {
        let p = data.n_variables();
        let (mut a, mut b) = (whole.session(), over.session());
        for turn in 0..150 {
            let set = random_set(rng, p, 2 + turn % 6);
            let mut sorted = set.clone();
            sorted.sort_unstable();
            assert_eq!(a.sum_n_log_n(&sorted), b.sum_n_log_n(&sorted), "{sorted:?}");
            assert_eq!(a.cell_sum(&sorted), b.cell_sum(&sorted), "{sorted:?}");
            assert_eq!(a.table(&set).map(<[u32]>::to_vec), b.table(&set).map(<[u32]>::to_vec), "{set:?}");
            assert_eq!(cells(&mut a, &set), cells(&mut b, &set), "{set:?}");
            let (&[x, y], given) = set.split_first_chunk().unwrap();
            assert_eq!(strata(&mut a, &[x, y], given), strata(&mut b, &[x, y], given), "{set:?}");
            assert_eq!(strata(&mut a, &[x], given), strata(&mut b, &[x], given), "{set:?}");
            assert_eq!(a.conditional_information(x, y, given), b.conditional_information(x, y, given), "{set:?}");
            assert_eq!(a.information_and_degrees(x, y, given), b.information_and_degrees(x, y, given), "{set:?}");
            let degrees = a.observed_degrees_of_freedom(x, y, given);
            assert_eq!(degrees, b.observed_degrees_of_freedom(x, y, given), "{set:?}");
            assert_eq!(a.information_at_least(x, y, given), b.information_at_least(x, y, given), "{set:?}");
            let others: Vec<Variable> = (0..p as Variable).filter(|v| !sorted.contains(v)).collect();
            for others in [&others[..], &others[..others.len().min(2)]] {
                let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
                a.sums_with_each(&set, others, &mut of_a);
                b.sums_with_each(&set, others, &mut of_b);
                assert_eq!(of_a, of_b, "{set:?} {others:?}");
                let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
                a.cell_sums_with_each(&sorted, others, &mut of_a);
                b.cell_sums_with_each(&sorted, others, &mut of_b);
                assert_eq!(of_a, of_b, "{set:?} {others:?}");
            }
        }
    });
}

fn cells(session: &mut CountingSession<'_, '_>, variables: &[Variable]) -> Vec<(u128, u32)> {
    let mut found = Vec::new();
    session.for_each_cell(variables, |cell, count| found.push((cell, count)));
    found
}

fn strata(session: &mut CountingSession<'_, '_>, inner: &[Variable], given: &[Variable]) -> Vec<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    session.for_each_stratum(inner, given, |cells| found.push(cells.to_vec()));
    found
}

#[test]
fn all_pairs_are_the_same() {
    for_each_split(|_, whole, over| {
        for threads in [1, 5] {
            let run = Run::new(threads).unwrap();
            let visited = |engine: &CountingEngine<'_>| {
                let mut pairs =
                    engine.visit_pairs(&run, Vec::new, |part, x, y, sum| part.push((x, y, sum))).unwrap().concat();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(visited(whole), visited(over));
            assert_eq!(whole.map_pairs(&run, |_, _, sum| sum), over.map_pairs(&run, |_, _, sum| sum));
        }
        let run = Run::new(2).unwrap();
        assert_eq!(whole.pairwise_with_cells(&run), over.pairwise_with_cells(&run));
        let (mut a, mut b) = (whole.session(), over.session());
        assert_eq!(a.cell_sum(&[0, 2]), b.cell_sum(&[0, 2]));
    });
}

#[test]
fn tests_and_scores_are_the_same() {
    let rng = &mut rng(7);
    for_each_split(|data, whole, over| {
        let p = data.n_variables();
        let sets: Vec<Vec<Variable>> = (0..60).map(|turn| random_set(rng, p, 2 + turn % 5)).collect();
        for degrees in [DegreesOfFreedom::Classical, DegreesOfFreedom::Adjusted] {
            let rules = Rules::new(degrees, MinimumSample::Off).unwrap();
            let (g2, over_g2) = (G2Test::with_rules(whole, rules), G2Test::with_rules(over, rules));
            let (x2, over_x2) = (PearsonTest::with_rules(whole, rules), PearsonTest::with_rules(over, rules));
            let run = Run::new(2).unwrap();
            let level = 0.05f64.ln();
            let marginal = g2.marginal_dependences(&run, level, |_, _| true);
            assert_eq!(marginal, over_g2.marginal_dependences(&run, level, |_, _| true));
            assert_eq!(g2.distances(&run), over_g2.distances(&run));
            for set in &sets {
                let (x, y, given) = (set[0], set[1], &set[2..]);
                assert_eq!(g2.session().test(x, y, given), over_g2.session().test(x, y, given), "{set:?}");
                assert_eq!(x2.session().test(x, y, given), over_x2.session().test(x, y, given), "{set:?}");
            }
        }
        for kind in [
            DiscreteScoreKind::Bic(0.5),
            DiscreteScoreKind::Bdeu(1.0),
            DiscreteScoreKind::K2,
            DiscreteScoreKind::Qnml(0.0),
            DiscreteScoreKind::Sqnml(0.5),
        ] {
            let (here, there) = (DiscreteScore::new(whole, kind).unwrap(), DiscreteScore::new(over, kind).unwrap());
            let (mut here, mut there) = (here.session(), there.session());
            for set in &sets {
                let mut parents = set[1..].to_vec();
                parents.sort_unstable();
                assert_eq!(here.local_score(set[0], &parents), there.local_score(set[0], &parents), "{kind:?} {set:?}");
                let others: Vec<Variable> = (0..p as Variable).filter(|v| !set.contains(v)).collect();
                let (mut of_here, mut of_there) = (Vec::new(), Vec::new());
                here.local_scores_with_each(set[0], &parents, &others, &mut of_here);
                there.local_scores_with_each(set[0], &parents, &others, &mut of_there);
                assert_eq!(of_here, of_there, "{kind:?} {set:?}");
            }
        }
    });
}

#[test]
fn shards_that_do_not_fit_together_are_refused() {
    let rng = &mut rng(8);
    let (first, second) = (random_data(rng, 50, &[2, 3]), random_data(rng, 50, &[2, 4]));
    let engines = [CountingEngine::new(&first), CountingEngine::new(&second)];
    let canceller = Run::new(1).unwrap().canceller();
    assert!(matches!(Shards::new(&engines, canceller.clone()), Err(Error::Data(_))));
    assert!(matches!(Shards::new(&[], canceller), Err(Error::Data(_))));
}

#[test]
fn tables_beyond_what_can_be_numbered_end_the_run() {
    let rng = &mut rng(9);
    let data = random_data(rng, 40, &[60_000; 9]);
    let engines = [CountingEngine::new(&data)];
    let run = Run::new(1).unwrap();
    let shards = Shards::new(&engines, run.canceller()).unwrap();
    let set: Vec<Variable> = (0..9).collect();
    CountingEngine::over(&shards).session().sum_n_log_n(&set);
    assert!(shards.failure().unwrap().to_string().starts_with("max_parents"));
    assert_eq!(run.check(), Err(Error::Interrupted));
    assert_eq!(shards.shape().n_rows(), 40);
}
