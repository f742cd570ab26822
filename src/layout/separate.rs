//! Boxes that do not overlap.

use super::Point;

const MOST_ROUNDS: usize = 400;

/// Moves boxes apart until none overlaps another; `halves` are half of their widths and heights.
///
/// Overlapping boxes push each other along the side where they overlap less, half of it each. Boxes that are crowded
/// beyond what some hundreds of rounds undo may still overlap.
pub fn separate(places: &mut [Point], halves: &[Point]) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    for _ in 0..MOST_ROUNDS {
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
