use super::network::Workspace;
use super::*;
use crate::network::GaussianNetwork;

fn network() -> GaussianNetwork {
    let dag = Dag::from_arcs(4, [(0, 1), (0, 2), (1, 3), (2, 3)]).unwrap();
    GaussianNetwork::new(dag, vec![vec![], vec![0.9], vec![-0.7], vec![0.8, 1.1]], vec![1.0, 0.5, 0.8, 0.3]).unwrap()
}

fn sampled(n: usize, run: &Run) -> Vec<Vec<f64>> {
    let data = network().sample(n, 4, run).unwrap();
    (0..4).map(|x| data.column(x).iter().map(|value| 10.0 * f64::from(x) + value).collect()).collect()
}

fn estimate(complete: &[Vec<f64>], run: &Run) -> (Network, Vec<Scale>) {
    let scales: Vec<Scale> = complete.iter().map(|column| Scale::of(column, |_| 1.0)).collect();
    let columns: Vec<Vec<f64>> =
        complete.iter().zip(&scales).map(|(c, scale)| c.iter().map(|&v| scale.standard(v)).collect()).collect();
    let dag = network().dag().clone();
    (Families::count(&columns, None, &dag, run).unwrap().network(run).unwrap(), scales)
}

#[test]
fn draws_have_the_conditional_mean_and_covariance() {
    // One row is there very often, without its second and third value.
    let run = Run::new(2).unwrap();
    let complete = sampled(20_000, &run);
    let precision = estimate(&complete, &run).0;
    let row: Vec<f64> = [0.7, f64::NAN, f64::NAN, -0.4].to_vec();
    let (mut workspace, mut rng) = (Workspace::new(4), stream(1, 1));
    let n = 40_000;
    for at_once in [true, false] {
        let draws: Vec<[f64; 2]> = (0..n)
            .map(|_| {
                let mut values: Vec<f64> = row.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
                if at_once {
                    precision.draw_row(&[1, 2], &mut values, &mut workspace, &mut rng);
                } else {
                    (0..40).for_each(|_| precision.sweep(&mut values, &[1, 2], &mut rng));
                }
                [values[1], values[2]]
            })
            .collect();
        // Λₘₘ = [[a, b], [b, c]] of the two.
        let entry = |x: usize, y: Variable| precision.others[x].iter().find(|(o, _)| *o == y).unwrap().1;
        let (a, b, c) = (precision.diagonal[1], entry(1, 2), precision.diagonal[2]);
        let (r, s) = (-(entry(1, 0) * row[0] + entry(1, 3) * row[3]), -(entry(2, 0) * row[0] + entry(2, 3) * row[3]));
        let determinant = a * c - b * b;
        let mean = [(c * r - b * s) / determinant, (a * s - b * r) / determinant];
        let covariance = [c / determinant, a / determinant, -b / determinant];
        let average = |f: &dyn Fn(&[f64; 2]) -> f64| draws.iter().map(f).sum::<f64>() / f64::from(n);
        for i in 0..2 {
            let error = (covariance[i] / f64::from(n)).sqrt();
            assert!((average(&|d| d[i]) - mean[i]).abs() < 5.0 * error);
            let found = average(&|d| (d[i] - mean[i]).powi(2));
            assert!((found / covariance[i] - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt());
        }
        let found = average(&|d| (d[0] - mean[0]) * (d[1] - mean[1]));
        let spread = (covariance[0] * covariance[1] + covariance[2] * covariance[2]) / f64::from(n);
        assert!((found - covariance[2]).abs() < 5.0 * spread.sqrt());
    }
}

#[test]
fn the_network_is_that_of_the_data() {
    let run = Run::new(1).unwrap();
    let complete = sampled(100_000, &run);
    let (precision, scales) = estimate(&complete, &run);
    // In units of the columns: Λ = (I − W)ᵀ D⁻¹ (I − W).
    let scale = |x: usize| scales[x].deviation;
    assert!((precision.diagonal[3] / scale(3).powi(2) * 0.3 - 1.0).abs() < 0.03);
    let right = 0.8 * 1.1 / 0.3;
    assert!((precision.others[1].iter().find(|(o, _)| *o == 2).unwrap().1 / (scale(1) * scale(2)) - right).abs() < 0.1);
    assert!(precision.others[0].iter().all(|&(other, _)| other != 3));
}

#[test]
fn draws_do_not_depend_on_threads_and_known_values_stay() {
    let complete = sampled(2000, &Run::new(1).unwrap());
    let mut rng = stream(9, 0);
    let gapped: Vec<Vec<f64>> = complete
        .iter()
        .map(|column| {
            column.iter().map(|&v| if crate::random_numbers::uniform(&mut rng) < 0.3 { f64::NAN } else { v }).collect()
        })
        .collect();
    let data = IncompleteNumbers::new(gapped.clone()).unwrap();
    let with = |threads: usize| {
        let run = Run::new(threads).unwrap();
        let start = data.fill_from_marginals(3, &run).unwrap();
        data.fill(&start, network().dag(), 8, 4, &run).unwrap()
    };
    let filled = with(1);
    assert!(filled == with(2) && filled == with(4));
    for (gapped, filled) in gapped.iter().zip(&filled) {
        assert!(gapped.iter().zip(filled).all(|(known, value)| known.is_nan() && value.is_finite() || known == value));
    }
}

#[test]
fn constants_copies_and_empty_columns_have_finite_draws() {
    let mut a: Vec<f64> = (0..50).map(|row| f64::from(row * row % 17)).collect();
    let mut copy = a.clone();
    a[3] = f64::NAN;
    copy[5] = f64::NAN;
    let mut constant = vec![2.5; 50];
    constant[9] = f64::NAN;
    let data = IncompleteNumbers::new(vec![a.clone(), copy, constant, vec![f64::NAN; 50]]).unwrap();
    let run = Run::new(1).unwrap();
    let start = data.fill_from_marginals(1, &run).unwrap();
    assert_eq!(start[2], [2.5; 50]);
    let dag = Dag::from_arcs(4, [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]).unwrap();
    let mut filled = start;
    for round in 0..10 {
        filled = data.fill(&filled, &dag, 4, round, &run).unwrap();
    }
    assert!(filled.iter().flatten().all(|value| value.is_finite()));
    assert!((filled[0][3] - 9.0).abs() < 0.5 && (filled[1][5] - 8.0).abs() < 0.5, "{} {}", filled[0][3], filled[1][5]);
    assert!(IncompleteNumbers::new(vec![vec![1.0, f64::INFINITY]]).is_err());
    assert!(IncompleteNumbers::new(vec![vec![1.0], vec![]]).is_err());
}
