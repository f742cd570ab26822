use super::*;
use crate::random_numbers::{normal, uniform};
fn options() -> MixedOptions {
    MixedOptions { powers: 2, ..MixedOptions::default() }
}

fn dag() -> Dag {
    Dag::from_arcs(4, [(0, 1), (1, 2), (0, 3), (1, 3), (2, 3)]).unwrap()
}

/// A category; a number that depends on it; a number that depends on that; a category of all three.
fn complete(n: usize) -> Vec<MixedColumn> {
    let mut rng = stream(5, 0);
    let (mut group, mut x, mut y, mut last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let g = u8::from(uniform(&mut rng) < 0.4);
        let a = 10.0 + 2.0 * f64::from(g) + normal(&mut rng);
        let b = -0.8 * (a - 10.0) + 0.5 * normal(&mut rng);
        let odds = (1.5 * b + f64::from(g)).exp();
        group.push(g);
        x.push(a);
        y.push(b);
        last.push(u8::from(uniform(&mut rng) < odds / (1.0 + odds)));
    }
    let category = |codes| MixedColumn::Category(Codes::Narrow(codes), 2);
    vec![category(group), MixedColumn::Number(x), MixedColumn::Number(y), category(last)]
}

fn gapped(complete: &[MixedColumn], is_gap: impl Fn(usize, usize) -> bool) -> Vec<MixedColumn> {
    let mut columns = complete.to_vec();
    for (x, column) in columns.iter_mut().enumerate() {
        for row in (0..complete[0].n_rows()).filter(|&row| is_gap(x, row)) {
            match column {
                MixedColumn::Category(codes, arity) => codes.set(row, *arity),
                MixedColumn::Number(values) => values[row] = f64::NAN,
            }
        }
    }
    columns
}

fn numbers(column: &MixedColumn) -> &[f64] {
    if let MixedColumn::Number(values) = column { values } else { panic!("no number") }
}

fn codes(column: &MixedColumn) -> Vec<f64> {
    let MixedColumn::Category(codes, _) = column else { panic!("no category") };
    (0..codes.len()).map(|row| f64::from(codes.get(row))).collect()
}

fn in_rounds(data: &IncompleteMixed, dag: &Dag, run: &Run) -> Vec<MixedColumn> {
    let mut filled = data.fill_from_marginals(1, run).unwrap();
    for round in 0..12 {
        filled = data.fill(&filled, dag, 4, round, run).unwrap();
    }
    filled
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / a.len() as f64
}

#[test]
fn draws_have_the_joint_distribution_of_the_missing_values() {
    // In the second half of the rows three of four values are missing.
    let n = 20_000;
    let complete = complete(n);
    let data = IncompleteMixed::new(gapped(&complete, |x, row| row >= n / 2 && x != 2), options()).unwrap();
    let filled = in_rounds(&data, &dag(), &Run::new(2).unwrap());
    let half = n / 2..n;
    let part = |column: &[f64]| column[half.clone()].to_vec();
    let all = |columns: &[MixedColumn]| {
        [part(&codes(&columns[0])), part(numbers(&columns[1])), part(numbers(&columns[2])), part(&codes(&columns[3]))]
    };
    let (right, found) = (all(&complete), all(&filled));
    for i in 0..4 {
        let deviation = covariance(&right[i], &right[i]).sqrt();
        assert!((mean(&found[i]) - mean(&right[i])).abs() < 0.05 * deviation, "{i}");
        for j in 0..=i {
            let scale = deviation * covariance(&right[j], &right[j]).sqrt();
            let (a, b) = (covariance(&right[i], &right[j]), covariance(&found[i], &found[j]));
            assert!((a - b).abs() < 0.06 * scale, "{i} {j}: {} {}", a / scale, b / scale);
        }
    }
    // What is drawn is among the values that are known.
    let mut known = numbers(&complete[1])[..n / 2].to_vec();
    known.sort_unstable_by(f64::total_cmp);
    assert!(found[1].iter().all(|value| known.binary_search_by(|other| other.total_cmp(value)).is_ok()));
}

#[test]
fn both_tops_of_a_distribution_are_drawn() {
    // A number whose square alone is known: it is as often below as above.
    let n = 4000;
    let mut rng = stream(7, 0);
    let x: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
    let square: Vec<f64> = x.iter().map(|x| x * x + 0.1 * normal(&mut rng)).collect();
    let complete = vec![MixedColumn::Number(x.clone()), MixedColumn::Number(square)];
    let data = IncompleteMixed::new(gapped(&complete, |x, row| x == 0 && row % 2 == 1), options()).unwrap();
    let filled = in_rounds(&data, &Dag::from_arcs(2, [(0, 1)]).unwrap(), &Run::new(1).unwrap());
    let drawn = numbers(&filled[0]);
    let far: Vec<usize> = (0..n).filter(|&row| row % 2 == 1 && x[row].abs() > 1.0).collect();
    let below = far.iter().filter(|&&row| drawn[row] < 0.0).count() as f64 / far.len() as f64;
    assert!((below - 0.5).abs() < 0.08, "{below}");
    let wrong = far.iter().filter(|&&row| drawn[row].abs() < 0.5).count() as f64 / far.len() as f64;
    assert!(wrong < 0.1, "{wrong}");
}

#[test]
fn draws_do_not_depend_on_threads_and_known_values_stay() {
    let complete = complete(1500);
    let holes = |x: usize, row: usize| (row * 7 + x * 3).is_multiple_of(5);
    let data = IncompleteMixed::new(gapped(&complete, holes), options()).unwrap();
    let with = |threads: usize| {
        let run = Run::new(threads).unwrap();
        let start = data.fill_from_marginals(3, &run).unwrap();
        data.fill(&start, &dag(), 8, 4, &run).unwrap()
    };
    let filled = with(1);
    assert!(filled == with(2) && filled == with(4));
    for (x, (own, other)) in complete.iter().zip(&filled).enumerate() {
        assert!((0..1500).all(|row| !is_missing(other, row)));
        let same = |row: usize| match (own, other) {
            (MixedColumn::Number(a), MixedColumn::Number(b)) => a[row] == b[row],
            (MixedColumn::Category(a, _), MixedColumn::Category(b, _)) => a.get(row) == b.get(row),
            _ => false,
        };
        assert!((0..1500).filter(|&row| !holes(x, row)).all(same));
    }
}

#[test]
fn constants_copies_and_empty_columns_have_values() {
    let n = 60;
    let a: Vec<f64> = (0..n).map(|row| f64::from(row * row % 17)).collect();
    let state: Vec<u8> = (0..n).map(|row| u8::from(row * row % 17 > 8)).collect();
    let columns = vec![
        MixedColumn::Number(a.clone()),
        MixedColumn::Number(a),
        MixedColumn::Number(vec![2.5; n as usize]),
        MixedColumn::Category(Codes::Narrow(state), 2),
        MixedColumn::Category(Codes::Narrow(vec![0; n as usize]), 1),
        MixedColumn::Number(vec![f64::NAN; n as usize]),
    ];
    let data = IncompleteMixed::new(gapped(&columns, |x, row| x < 5 && (row + x) % 6 == 0), options()).unwrap();
    let arcs = (0..6).flat_map(|b| (0..b).map(move |a| (a, b)));
    let filled = in_rounds(&data, &Dag::from_arcs(6, arcs).unwrap(), &Run::new(1).unwrap());
    assert_eq!(numbers(&filled[2]), vec![2.5; n as usize]);
    assert_eq!(numbers(&filled[5]), vec![0.0; n as usize]);
    let differ = numbers(&filled[0]).iter().zip(numbers(&filled[1])).filter(|(a, b)| (*a - *b).abs() > 2.0).count();
    assert!(differ <= 2, "{differ}");
    let wrong = numbers(&filled[0]).iter().zip(codes(&filled[3])).filter(|(a, s)| (**a > 8.0) != (*s == 1.0));
    assert!(wrong.count() <= 3);
    let dag = Dag::from_arcs(1, []).unwrap();
    let number = |values: Vec<f64>| IncompleteMixed::new(vec![MixedColumn::Number(values)], options());
    assert!(number(vec![1.0, f64::INFINITY]).is_err() && number(vec![]).is_err());
    let one = number(vec![1.0, f64::NAN]).unwrap();
    let run = Run::new(1).unwrap();
    assert!(one.fill(&[MixedColumn::Number(vec![1.0])], &dag, 1, 1, &run).is_err());
}
