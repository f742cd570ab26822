//! The counting engine against tables counted plainly, one row at a time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use phgs::Variable;
use phgs::counts::{CellSum, CountingEngine, FixedSum, InformationVisitor, Kernel};
use phgs::data::{Codes, DiscreteData};
use phgs::run::Run;
use rand_chacha::rand_core::RngCore;

use crate::support::{below, rng};

/// Random columns of the given arities, each depending on the one before so that cells are uneven.
fn random_data(rng: &mut impl RngCore, n_rows: usize, arities: &[u32]) -> DiscreteData {
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for &arity in arities {
        let column = (0..n_rows).map(|row| {
            let uneven = below(rng, arity as usize).min(below(rng, arity as usize)) as u32;
            match columns.last().filter(|_| below(rng, 3) == 0) {
                Some(before) => (before[row] + uneven / 2) % arity,
                None => uneven,
            }
        });
        let mut column: Vec<u32> = column.collect();
        // Every arity is as asked for.
        column[below(rng, n_rows)] = arity - 1;
        columns.push(column);
    }
    DiscreteData::from_columns(columns).expect("valid")
}

/// The table of a set, by states (the last variable most significant).
fn plain_table(data: &DiscreteData, variables: &[Variable]) -> BTreeMap<Vec<u32>, u32> {
    let mut table = BTreeMap::new();
    for row in 0..data.n_rows() {
        let states: Vec<u32> = variables.iter().rev().map(|&v| data.column(v).get(row)).collect();
        *table.entry(states).or_insert(0) += 1;
    }
    table
}

/// F of a set.
fn plain_sum(engine: &CountingEngine<'_>, variables: &[Variable]) -> FixedSum {
    let mut sum = FixedSum::default();
    plain_table(engine.data().unwrap(), variables).values().for_each(|&n| sum += engine.scale().n_log_n(n));
    sum
}

/// A random set of `size` variables in increasing order.
fn random_set(rng: &mut impl RngCore, p: usize, size: usize) -> Vec<Variable> {
    let mut set: Vec<Variable> = Vec::new();
    while set.len() < size {
        let variable = below(rng, p) as Variable;
        if !set.contains(&variable) {
            set.push(variable);
        }
    }
    set.sort_unstable();
    set
}

fn shuffled(rng: &mut impl RngCore, set: &[Variable]) -> Vec<Variable> {
    let mut set = set.to_vec();
    for i in (1..set.len()).rev() {
        set.swap(i, below(rng, i + 1));
    }
    set
}

const MIXED: [u32; 12] = [2, 3, 2, 4, 8, 2, 3, 1, 5, 2, 20, 3];
const LARGE: [u32; 9] = [2, 300, 3, 40, 2, 70, 1000, 4, 256];

/// An engine for each kernel that the processor can run.
fn engines(data: &DiscreteData) -> Vec<CountingEngine<'_>> {
    Kernel::available().iter().map(|&kernel| CountingEngine::with_kernel(data, kernel).expect("available")).collect()
}

fn shapes() -> Vec<(usize, Vec<u32>)> {
    vec![
        (1, vec![1, 1, 1, 1, 1, 1, 1]),
        (50, MIXED.to_vec()),
        (64, vec![2; 10]),
        (777, MIXED.to_vec()),
        (3001, LARGE.to_vec()),
        (70_001, vec![2, 3, 4, 2, 8, 3, 2]),
    ]
}

#[test]
fn sums_and_tables_are_those_of_plain_tables() {
    let mut rng = rng(1);
    for (n_rows, arities) in shapes() {
        let data = random_data(&mut rng, n_rows, &arities);
        for engine in engines(&data) {
            let mut session = engine.session();
            for round in 0..if n_rows > 10_000 { 12 } else { 60 } {
                if round % 10 == 0 {
                    session.next_neighbourhood();
                }
                let size = below(&mut rng, 7);
                let set = random_set(&mut rng, arities.len(), size);
                assert_eq!(session.sum_n_log_n(&set), plain_sum(&engine, &set), "{n_rows} {set:?}");
                let order = shuffled(&mut rng, &set);
                let expected = plain_table(&data, &order);
                let (limit, cells) =
                    (session.table_limit(), order.iter().map(|&v| data.arity(v) as f64).product::<f64>());
                match session.table(&order) {
                    Some(table) => {
                        assert_eq!(table.len() as f64, cells);
                        let mut seen = 0;
                        for (states, &count) in &expected {
                            let cell = states.iter().zip(order.iter().rev());
                            let cell = cell.fold(0, |cell, (&s, &v)| cell * data.arity(v) as usize + s as usize);
                            assert_eq!(table[cell], count);
                            seen += count as usize;
                        }
                        assert_eq!(seen, n_rows);
                        assert_eq!(table.iter().map(|&n| n as usize).sum::<usize>(), n_rows);
                    }
                    None => assert!(cells > limit as f64),
                }
                let mut counts = Vec::new();
                session.for_each_cell(&order, |cell, count| counts.push((cell, count)));
                assert_eq!(
                    counts.iter().map(|c| c.1).collect::<Vec<_>>(),
                    expected.values().copied().collect::<Vec<_>>()
                );
                assert!(counts.windows(2).all(|w| w[0].0 < w[1].0));
            }
        }
    }
}

#[test]
fn conditional_information_is_the_difference_of_four_sums() {
    let mut rng = rng(2);
    for (n_rows, arities) in shapes() {
        let data = random_data(&mut rng, n_rows, &arities);
        for engine in engines(&data) {
            let mut session = engine.session();
            for _ in 0..if n_rows > 10_000 { 6 } else { 40 } {
                let size = 2 + below(&mut rng, 4);
                let set = random_set(&mut rng, arities.len(), size);
                let set = shuffled(&mut rng, &set);
                session.next_neighbourhood();
                let f = |keep: &[usize]| {
                    let mut part: Vec<Variable> =
                        (0..size).filter(|i| *i > 1 || keep.contains(i)).map(|i| set[i]).collect();
                    part.sort_unstable();
                    plain_sum(&engine, &part)
                };
                let expected = f(&[0, 1]) + f(&[]) - f(&[0]) - f(&[1]);
                assert_eq!(session.conditional_information(set[0], set[1], &set[2..]), expected);
                assert_eq!(session.conditional_information(set[1], set[0], &set[2..]), expected);
            }
        }
    }
}

#[test]
fn strata_and_degrees_of_freedom_are_those_of_plain_tables() {
    let mut rng = rng(3);
    for (n_rows, arities) in shapes() {
        let data = random_data(&mut rng, n_rows, &arities);
        for engine in engines(&data) {
            let mut session = engine.session();
            for _ in 0..if n_rows > 10_000 { 4 } else { 30 } {
                let size = 2 + below(&mut rng, 4);
                let set = random_set(&mut rng, arities.len(), size);
                let set = shuffled(&mut rng, &set);
                let (inner, given) = set.split_at(2);
                let mut strata: BTreeMap<Vec<u32>, Vec<(u32, u32)>> = BTreeMap::new();
                for (mut states, count) in plain_table(&data, &set) {
                    let cell = states.split_off(size - 2);
                    strata.entry(states).or_default().push((cell[1] + data.arity(inner[0]) * cell[0], count));
                }
                let mut found = Vec::new();
                session.for_each_stratum(inner, given, |cells| found.push(cells.to_vec()));
                let strata: Vec<Vec<(u32, u32)>> = strata.into_values().collect();
                assert_eq!(found, strata);
                let distinct =
                    |states: Vec<u32>| states.into_iter().collect::<std::collections::BTreeSet<_>>().len() as u64;
                let r = data.arity(inner[0]);
                let expected: u64 = strata
                    .iter()
                    .map(|cells| {
                        let xs = distinct(cells.iter().map(|c| c.0 % r).collect());
                        let ys = distinct(cells.iter().map(|c| c.0 / r).collect());
                        (xs - 1) * (ys - 1)
                    })
                    .sum();
                assert_eq!(session.observed_degrees_of_freedom(inner[0], inner[1], given), expected);
                assert_eq!(session.observed_degrees_of_freedom(inner[1], inner[0], given), expected);
            }
        }
    }
}

#[test]
fn sums_with_each_candidate_are_those_of_plain_tables() {
    let mut rng = rng(4);
    // Few candidates are counted one by one, many together, and pairs come from the table of all pairs where it is known.
    let many: Vec<u32> = (0..80).map(|i| [2, 3, 2, 4, 8, 5, 2, 300][i % 8]).collect();
    for (n_rows, arities) in shapes().into_iter().chain([(700, many.clone()), (3001, many)]) {
        let data = random_data(&mut rng, n_rows, &arities);
        for engine in engines(&data) {
            let mut session = engine.session();
            let mut sums = Vec::new();
            if n_rows == 3001 {
                engine.pairwise(&Run::new(1).unwrap()).unwrap();
            }
            for size in 0..=if n_rows > 10_000 { 4 } else { 6 } {
                let base = random_set(&mut rng, arities.len(), size);
                let candidates: Vec<Variable> = (0..arities.len() as Variable).filter(|v| !base.contains(v)).collect();
                session.sums_with_each(&shuffled(&mut rng, &base), &candidates, &mut sums);
                let expected: Vec<FixedSum> = candidates
                    .iter()
                    .map(|&candidate| {
                        let mut set = [base.as_slice(), &[candidate]].concat();
                        set.sort_unstable();
                        plain_sum(&engine, &set)
                    })
                    .collect();
                assert_eq!(sums, expected, "{n_rows} {base:?}");
            }
        }
    }
}

/// The cells that occur are counted with the sums, by every kernel, whatever was counted before.
#[test]
fn cells_that_occur_are_those_of_plain_tables() {
    let mut rng = rng(19);
    let many: Vec<u32> = (0..160).map(|i| [2, 3, 2, 4, 8, 5, 2, 300, 17, 12][i % 10]).collect();
    for (n_rows, arities) in shapes().into_iter().chain([(700, many.clone()), (5001, many)]) {
        let data = random_data(&mut rng, n_rows, &arities);
        for engine in engines(&data) {
            let mut session = engine.session();
            let plain = |set: &[Variable]| CellSum {
                sum: plain_sum(&engine, set),
                occupied: plain_table(&data, set).len() as u32,
            };
            if n_rows % 2 == 1 {
                let run = Run::new(2).unwrap();
                if n_rows % 3 == 0 {
                    engine.pairwise(&run).unwrap();
                }
                let before = engine.pairwise_with_cells(&run).unwrap().clone();
                assert_eq!(engine.pairwise(&run).unwrap(), &before);
            }
            let mut sums = Vec::new();
            for size in [0, 1, 1, 2, 3, 4, 2, 3, 6] {
                let size = size.min(arities.len());
                let base = random_set(&mut rng, arities.len(), size);
                let set = random_set(&mut rng, arities.len(), size);
                if size < 4 {
                    session.sum_n_log_n(&set);
                }
                assert_eq!(session.cell_sum(&base), plain(&base), "{n_rows} {base:?}");
                assert_eq!(session.cell_sum(&set), plain(&set), "{n_rows} {set:?}");
                let mut candidates: Vec<Variable> =
                    (0..arities.len() as Variable).filter(|v| !base.contains(v)).collect();
                if below(&mut rng, 2) == 0 {
                    candidates.truncate(70);
                }
                session.cell_sums_with_each(&base, &candidates, &mut sums);
                assert_eq!(sums.len(), candidates.len());
                for (&candidate, &sum) in candidates.iter().zip(&sums) {
                    let mut set = [base.as_slice(), &[candidate]].concat();
                    set.sort_unstable();
                    assert_eq!(sum, plain(&set), "{n_rows} {set:?}");
                }
            }
        }
    }
}

/// What is kept of wide requests, of narrow ones and of single sets, in and between sessions, changes no sum.
#[test]
fn sums_are_the_same_after_any_requests() {
    let mut rng = rng(12);
    let arities: Vec<u32> = (0..320).map(|i| [5, 3, 6, 4, 8, 5, 2, 20][i % 8]).collect();
    let p = arities.len();
    let data = random_data(&mut rng, 400, &arities);
    for engine in engines(&data) {
        engine.pairwise(&Run::new(1).unwrap()).unwrap();
        let mut sessions = [engine.session(), engine.session()];
        let mut gathered = [Vec::new(), Vec::new()];
        let mut sums = Vec::new();
        for round in 0..160 {
            let session = &mut sessions[round % 2];
            // Few bases and many candidates, so that much is asked for again; most sums that are checked were known.
            let size = 2 + below(&mut rng, 3);
            let base = random_set(&mut rng, 6, size);
            let width = [1, 12, 70, 79, 100, 200, p][below(&mut rng, 7)];
            let first = below(&mut rng, p - width + 1);
            let candidates: Vec<Variable> =
                (first..first + width).map(|v| v as Variable).filter(|v| !base.contains(v)).collect();
            let mut candidates = shuffled(&mut rng, &candidates);
            if round % 4 == 0 && candidates.len() > 1 {
                gathered[round % 2] = candidates.iter().copied().filter(|&v| v >= 6).collect();
                session.gather(&gathered[round % 2]);
                assert!(session.has_gathered(&gathered[round % 2]));
            } else if round % 4 < 3 && !gathered[round % 2].is_empty() {
                candidates.clone_from(&gathered[round % 2]);
            }
            session.sums_with_each(&shuffled(&mut rng, &base), &candidates, &mut sums);
            let check = |candidate: Variable, sum: FixedSum| {
                let mut set = [base.as_slice(), &[candidate]].concat();
                set.sort_unstable();
                assert_eq!(sum, plain_sum(&engine, &set), "{round} {set:?}");
            };
            assert_eq!(sums.len(), candidates.len());
            for _ in 0..8.min(candidates.len()) {
                let at = below(&mut rng, candidates.len());
                check(candidates[at], sums[at]);
            }
            if round % 5 == 0 {
                session.next_neighbourhood();
            }
            let candidate = (6 + below(&mut rng, p - 6)) as Variable;
            let mut set = [base.as_slice(), &[candidate]].concat();
            set.sort_unstable();
            check(candidate, session.sum_n_log_n(&set));
            let [x, y] = [base[0], candidate];
            let plain = |without: &[Variable]| {
                let part: Vec<Variable> = set.iter().copied().filter(|v| !without.contains(v)).collect();
                plain_sum(&engine, &part)
            };
            let expected = plain(&[]) + plain(&[x, y]) - plain(&[x]) - plain(&[y]);
            assert_eq!(session.conditional_information(x, y, &base[1..]), expected, "{round} {set:?}");
        }
    }
}

#[test]
fn pairwise_sums_are_those_of_plain_tables_for_any_thread_count() {
    let mut rng = rng(5);
    for (n_rows, arities) in shapes() {
        let data = random_data(&mut rng, n_rows, &arities);
        let p = arities.len() as Variable;
        for threads in [1, 2] {
            for engine in engines(&data) {
                let sums = engine.pairwise(&Run::new(threads).unwrap()).unwrap();
                assert_eq!(sums.total(), plain_sum(&engine, &[]));
                for x in 0..p {
                    assert_eq!(sums.single(x), plain_sum(&engine, &[x]));
                    for y in (x + 1)..p {
                        assert_eq!(sums.pair(y, x), plain_sum(&engine, &[x, y]));
                    }
                    assert_eq!(sums.row(x).len(), (p - x - 1) as usize);
                }
            }
        }
    }
}

#[test]
fn more_cells_than_any_integer_holds_are_counted() {
    let mut rng = rng(6);
    let arities = [60_000; 10];
    let data = random_data(&mut rng, 500, &arities);
    let engine = CountingEngine::new(&data);
    let mut session = engine.session();
    let set: Vec<Variable> = (0..10).collect();
    assert_eq!(session.sum_n_log_n(&set), plain_sum(&engine, &set));
    assert_eq!(session.table(&set), None);
    let mut counts = Vec::new();
    session.for_each_cell(&set, |_, count| counts.push(count));
    assert_eq!(counts, plain_table(&data, &set).into_values().collect::<Vec<_>>());
}

#[test]
fn large_tables_of_many_rows_are_counted_some_rows_at_a_time() {
    let mut rng = rng(8);
    // Few cells occur, or nearly as many as there are rows; codes of one and of two bytes; cells of 64 bits, of 128, and more.
    for arities in [[4, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4], [60, 2, 300, 40, 3, 50, 2, 2, 700, 60, 50, 40], [60_000; 12]]
    {
        let data = random_data(&mut rng, 300_001, &arities);
        let order = shuffled(&mut rng, &(0..12).collect::<Vec<_>>());
        for set in [&order[..6], &order[..11], &order] {
            let expected = plain_table(&data, set);
            let mut sorted = set.to_vec();
            sorted.sort_unstable();
            for engine in engines(&data) {
                let mut session = engine.session();
                if session.table(set).is_some() {
                    continue;
                }
                let mut counts = Vec::new();
                session.for_each_cell(set, |cell, count| counts.push((cell, count)));
                assert!(counts.windows(2).all(|w| w[0].0 < w[1].0));
                assert_eq!(counts.len(), expected.len());
                for ((states, &count), &(found, found_count)) in expected.iter().zip(&counts) {
                    assert_eq!(count, found_count);
                    let cell = states.iter().zip(set.iter().rev()).try_fold(0u128, |cell, (&state, &v)| {
                        cell.checked_mul(u128::from(data.arity(v)))?.checked_add(u128::from(state))
                    });
                    // Beyond 128 bits cells are numbered otherwise.
                    assert!(arities[0] == 60_000 || cell == Some(found));
                }
                let mut sum = FixedSum::default();
                expected.values().for_each(|&n| sum += engine.scale().n_log_n(n));
                assert_eq!(session.sum_n_log_n(&sorted), sum);
                let mut strata: BTreeMap<&[u32], Vec<(u32, u32)>> = BTreeMap::new();
                for (states, &count) in &expected {
                    let (given, inner) = states.split_at(set.len() - 2);
                    strata.entry(given).or_default().push((inner[1] + data.arity(set[0]) * inner[0], count));
                }
                let mut strata = strata.into_values();
                session.for_each_stratum(&set[..2], &set[2..], |cells| {
                    assert_eq!(Some(cells), strata.next().as_deref());
                });
                assert_eq!(strata.next(), None);
            }
        }
    }
}

#[test]
fn sets_of_any_size_are_counted_alike_in_any_order_of_questions() {
    let mut rng = rng(7);
    for round in 0..200 {
        let n_rows = 1 + below(&mut rng, 300);
        let data = random_data(&mut rng, n_rows, &[2, 3, 4, 1, 2, 5, 3, 2, 2]);
        for engine in engines(&data) {
            let mut session = engine.session();
            for _ in 0..8 {
                let size = below(&mut rng, 10);
                let set = random_set(&mut rng, 9, size);
                if below(&mut rng, 2) == 0 {
                    assert_eq!(session.sum_n_log_n(&set), plain_sum(&engine, &set));
                }
                let mut counts = Vec::new();
                session.for_each_cell(&set, |_, count| counts.push(count));
                assert_eq!(counts, plain_table(&data, &set).into_values().collect::<Vec<_>>(), "{round} {set:?}");
                let candidates: Vec<Variable> = (0..9).filter(|v| !set.contains(v)).collect();
                let mut sums = Vec::new();
                session.sums_with_each(&set, &candidates, &mut sums);
                for (&candidate, &sum) in candidates.iter().zip(&sums) {
                    let mut with = [set.as_slice(), &[candidate]].concat();
                    with.sort_unstable();
                    assert_eq!(sum, plain_sum(&engine, &with), "{round} {n_rows} {set:?} {candidate}");
                }
            }
        }
    }
}

/// Keeps what a search through subsets visits, but for the subsets that were turned down.
struct Visited {
    found: Vec<(Vec<usize>, i64, Option<u32>)>,
    most: usize,
}

impl InformationVisitor for Visited {
    fn wants(&mut self, positions: &[usize]) -> bool {
        positions.is_empty() || positions.iter().sum::<usize>() % 5 != 0
    }

    fn visit(&mut self, positions: &[usize], information: i64, observed_degrees: Option<u32>) -> ControlFlow<()> {
        self.found.push((positions.to_vec(), information, observed_degrees));
        if self.found.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn all_subsets_of_binary_variables_are_visited_as_single_tests_are() {
    let mut rng = rng(71);
    for n_rows in [3usize, 64, 500, 512, 1000, 1537] {
        // Two binary variables are nearly constant, so that strata and margins are empty.
        let data = random_data(&mut rng, n_rows, &[2; 9]);
        let state = |v, row| data.column(v).get(row) & if v < 2 { u32::from(row % 97 == 2) } else { 1 };
        let mut columns: Vec<Vec<u32>> = (0..9).map(|v| (0..n_rows).map(|row| state(v, row)).collect()).collect();
        columns.iter_mut().for_each(|column| column[0] = 1 - column[1]);
        let data = DiscreteData::from_columns(columns).expect("valid");
        for &kernel in Kernel::available() {
            let engine = CountingEngine::with_kernel(&data, kernel).expect("available");
            let mut session = engine.session();
            for (x, y, with, pool, sizes) in [
                (3, 5, None, vec![8, 0, 4, 1, 7], 1..=3),
                (0, 6, None, vec![2, 3, 1], 1..=3),
                (1, 0, None, vec![4, 2, 8, 5, 6, 7], 1..=3),
                (3, 5, Some(6), vec![8, 0, 4, 1, 7], 0..=2),
                (1, 0, Some(3), vec![2], 0..=2),
                (1, 0, Some(3), vec![], 0..=2),
            ] {
                for size in sizes {
                    for most in [2, usize::MAX] {
                        let mut visited = Visited { found: Vec::new(), most };
                        assert!(session.are_binary(x, y, with, &pool, size));
                        session.visit_binary(x, y, with, &pool, size, &mut visited);
                        let mut expected = subsets(pool.len(), size);
                        expected.retain(|positions| size == 0 || positions.iter().sum::<usize>() % 5 != 0);
                        expected.truncate(most);
                        assert_eq!(visited.found.len(), expected.len());
                        for ((positions, information, degrees), expected) in visited.found.iter().zip(&expected) {
                            assert_eq!(positions, expected);
                            let given: Vec<Variable> = positions.iter().map(|&at| pool[at]).chain(with).collect();
                            let single = session.conditional_information(x, y, &given);
                            assert_eq!(*information, single.0, "{kernel} {n_rows} {x} {y} {given:?}");
                            let single = session.observed_degrees_of_freedom(x, y, &given);
                            assert_eq!(degrees.map(u64::from), Some(single), "{kernel} {n_rows} {x} {y} {given:?}");
                        }
                    }
                }
            }
        }
    }
}

/// All subsets of positions, in lexicographic order.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let all = 0..1usize << n;
    let chosen = all.filter(|set| set.count_ones() as usize == size);
    let mut all: Vec<Vec<usize>> = chosen.map(|set| (0..n).filter(|i| set >> i & 1 == 1).collect()).collect();
    all.sort();
    all
}

#[test]
fn subsets_are_visited_together_only_where_that_applies() {
    let data = random_data(&mut rng(72), 200, &[2, 2, 2, 3, 2, 2, 2]);
    let engine = CountingEngine::new(&data);
    let mut session = engine.session();
    let mut applies = |x, y, pool: &[Variable], size| {
        let mut visited = Visited { found: Vec::new(), most: usize::MAX };
        session.visit_binary(x, y, None, pool, size, &mut visited);
        let applies = session.are_binary(x, y, None, pool, size);
        assert!(applies || visited.found.is_empty());
        applies
    };
    assert!(applies(0, 1, &[2, 4, 5, 6], 3) && applies(0, 1, &[2], 3));
    assert!(!applies(0, 1, &[2, 3, 4], 1) && !applies(3, 1, &[2], 1) && !applies(0, 1, &[2, 4, 5, 6], 4));
}

#[test]
fn families_around_a_target_are_visited_as_single_tests_are() {
    let mut rng = rng(73);
    let arities = [3, 2, 4, 3, 1, 3, 2, 4, 3, 5, 2];
    let n = arities.len() as Variable;
    for n_rows in [1usize, 5, 64, 700, 2000] {
        let mut data = random_data(&mut rng, n_rows, &arities);
        if n_rows == 700 {
            // Wide codes, and two columns that determine the target in part.
            let code = |v: u32, row: usize| {
                let code = data.column(v).get(row);
                if v == 1 || v == 3 { (data.column(0).get(row) + code / 2) / 2 } else { code }
            };
            let columns: Vec<Codes> = (0..n)
                .map(|v| {
                    let codes = (0..n_rows).map(|row| code(v, row));
                    if v % 3 == 0 {
                        Codes::Wide(codes.map(|code| code as u16).collect())
                    } else {
                        Codes::Narrow(codes.map(|code| code as u8).collect())
                    }
                })
                .collect();
            data = DiscreteData::new(columns, arities.to_vec()).expect("valid");
        }
        for &kernel in Kernel::available() {
            let engine = CountingEngine::with_kernel(&data, kernel).expect("available");
            let (mut session, mut plain) = (engine.session(), engine.session());
            // The pool grows as a search does, and the others come into it; then another target; then back.
            for (target, other, with, pool) in [
                (0, 9, None, vec![2, 1, 5]),
                (0, 3, None, vec![2, 1, 5, 4]),
                (0, 6, Some(3), vec![2, 1, 5, 4]),
                (0, 1, Some(6), vec![2, 5, 4, 3]),
                (0, 5, None, vec![6, 4, 3, 2, 1, 7, 8]),
                (8, 0, Some(10), vec![1, 2, 3, 5, 6]),
                (0, 2, Some(8), vec![10, 6, 5, 4, 3]),
            ] {
                for size in 3 - usize::from(with.is_some())..=5 - usize::from(with.is_some()) {
                    for most in [2, usize::MAX] {
                        let mut visited = Visited { found: Vec::new(), most };
                        assert!(session.visit_around(target, other, with, &pool, size, &mut visited));
                        let mut expected = subsets(pool.len(), size);
                        expected.retain(|positions| positions.iter().sum::<usize>() % 5 != 0);
                        expected.truncate(most);
                        assert_eq!(visited.found.len(), expected.len());
                        for ((positions, information, _), expected) in visited.found.iter().zip(&expected) {
                            assert_eq!(positions, expected);
                            let given: Vec<Variable> = positions.iter().map(|&at| pool[at]).chain(with).collect();
                            let single = plain.conditional_information(target, other, &given);
                            assert_eq!(*information, single.0, "{kernel} {n_rows} {target} {other} {given:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn families_are_visited_together_only_where_that_applies() {
    let data = random_data(&mut rng(74), 200, &[3, 2, 3, 5, 2, 8, 40, 2]);
    let engine = CountingEngine::new(&data);
    let mut session = engine.session();
    let mut applies = |target, other, with, pool: &[Variable], size| {
        let mut visited = Visited { found: Vec::new(), most: usize::MAX };
        let applies = session.visit_around(target, other, with, pool, size, &mut visited);
        assert!(applies || visited.found.is_empty());
        applies
    };
    assert!(
        applies(0, 1, None, &[2, 4, 7], 3) && applies(0, 3, Some(1), &[2, 4], 2) && applies(0, 5, None, &[1, 2, 4], 3)
    );
    assert!(
        !applies(0, 1, None, &[2, 4], 2)
            && !applies(0, 1, None, &[2, 3, 4, 7], 3)
            && !applies(0, 6, None, &[2, 1, 4], 3)
    );
}

#[test]
fn margins_of_tables_with_more_cells_than_are_written_down_are_right() {
    // More rows than cells, and more cells than a dense table has.
    let arities = [110, 105, 100];
    let rng = &mut rng(11);
    let columns = arities.map(|arity| Codes::Narrow((0..1_200_000).map(|_| below(rng, arity) as u8).collect()));
    let data = DiscreteData::new(columns.to_vec(), arities.map(|arity| arity as u32).to_vec()).unwrap();
    let engine = CountingEngine::new(&data);
    let mut session = engine.session();
    let information = session.conditional_information(0, 1, &[2]);
    let sum = |set: &[Variable]| engine.session().sum_n_log_n(set);
    assert_eq!(information, sum(&[0, 1, 2]) + sum(&[2]) - sum(&[0, 2]) - sum(&[1, 2]));
    assert_eq!(session.sum_n_log_n(&[0, 2]), sum(&[0, 2]));
}
