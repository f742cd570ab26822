//! Boxes that do not overlap.

use super::Point;

const MOST_ROUNDS: usize = 1500;

/// After so many rounds that left overlaps all places move from the middle by this factor.
const PATIENCE: usize = 10;
const GROWTH: f64 = 1.04;

/// Moves boxes apart until none overlaps another; `halves` are half of their widths and heights.
///
/// Overlapping boxes push each other along the side where they overlap less, half of it each. Where that does not end
/// soon, all of them move from their middle step by step, so that there is room for it.
pub fn separate(places: &mut [Point], halves: &[Point]) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    let n = places.len().max(1) as f64;
    let middle = [0, 1].map(|axis| places.iter().map(|place| place[axis]).sum::<f64>() / n);
    for round in 1..=MOST_ROUNDS {
        // From left to right: those that begin before this one ends.
        order.sort_by(|&a, &b| (places[a][0] - halves[a][0]).total_cmp(&(places[b][0] - halves[b][0])).then(a.cmp(&b)));
        let mut overlaps = false;
        let before = places.to_vec();
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i + 1..] {
                if before[b][0] - halves[b][0] >= before[a][0] + halves[a][0] {
                    break;
                }
                let over = [0, 1].map(|k| halves[a][k] + halves[b][k] - (before[a][k] - before[b][k]).abs());
                if over[0] <= 1e-6 || over[1] <= 1e-6 {
                    continue;
                }
                overlaps = true;
                let axis = usize::from(over[1] < over[0]);
                let direction = match before[b][axis] - before[a][axis] {
                    apart if apart != 0.0 => apart.signum(),
                    _ => (b as f64 - a as f64).signum(),
                };
                let by = 0.51 * over[axis] * direction;
                places[a][axis] -= by;
                places[b][axis] += by;
            }
        }
        if !overlaps {
            return;
        }
        if round % PATIENCE == 0 {
            for place in &mut *places {
                *place = [0, 1].map(|axis| middle[axis] + GROWTH * (place[axis] - middle[axis]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::separate;

    #[test]
    fn no_box_overlaps_another() {
        let mut places: Vec<[f64; 2]> =
            (0..150).map(|i| [f64::from(i * 37 % 101) / 20.0, f64::from(i * 53 % 97) / 20.0]).collect();
        let halves: Vec<[f64; 2]> = (0..150).map(|i| [0.3 + 0.1 * f64::from(i % 5), 0.2]).collect();
        separate(&mut places, &halves);
        for a in 0..150 {
            for b in 0..a {
                let apart = (0..2).any(|k| (places[a][k] - places[b][k]).abs() >= halves[a][k] + halves[b][k] - 1e-5);
                assert!(apart, "{a} and {b}");
            }
        }
    }
}
