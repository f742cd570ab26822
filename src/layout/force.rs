//! Places by springs and repulsion, from a coarse graph to the whole one.

use super::Point;
use super::coarsen::Weighted;
use super::quadtree::Quadtree;

/// Repulsion beside the springs (Hu's C).
const REPULSION: f64 = 0.2;

/// How far a graph may stretch: the radius, beside √n, at which a pull to the middle balances the repulsion.
const STRETCH: f64 = 1.6;

/// The least distance of nodes from the middle, as a root of the mean of squares, beside √n.
const ROOM: f64 = 0.45;

/// Graphs of at most this many nodes are not made coarser.
const COARSEST: usize = 8;

/// Most rounds on the whole graph, and on coarser ones, which cost little.
const ROUNDS: usize = 70;
const COARSE_ROUNDS: usize = 150;

/// Places the nodes of a connected graph as springs of length one between neighbours and repulsion between all nodes do.
///
/// The multilevel method of Hu, *Efficient, high-quality force-directed graph drawing* (2005), with a quadtree for the
/// repulsion. The longer side of what comes out lies along x, and edges are about one long, or longer
/// where nodes would lie too near to each other.
pub fn force(n: usize, pairs: &[(u32, u32)]) -> Vec<Point> {
    let mut levels = vec![(Weighted::new(n, pairs), Vec::new())];
    loop {
        let finest = &levels[levels.len() - 1].0;
        if finest.len() <= COARSEST {
            break;
        }
        let (coarser, merged) = finest.coarser();
        if coarser.len() * 10 > finest.len() * 9 {
            break;
        }
        levels.push((coarser, merged));
    }
    let mut places: Vec<Point> = Vec::new();
    while let Some((graph, merged)) = levels.pop() {
        if places.is_empty() {
            places = (0..graph.len()).map(|i| spiral(i, 1.0)).collect();
        }
        let rounds = if levels.is_empty() { ROUNDS } else { COARSE_ROUNDS };
        relax(&graph, &mut places, rounds);
        if !levels.is_empty() {
            // The nodes of the next level lie where what they were merged into lies, which needs more room there.
            let spread: Vec<Point> = places.iter().map(|place| place.map(|x| x * 1.4)).collect();
            places = merged
                .iter()
                .enumerate()
                .map(|(i, &node)| {
                    let [x, y] = spread[node as usize];
                    let [dx, dy] = spiral(i % 16, 0.08);
                    [x + dx, y + dy]
                })
                .collect();
        }
    }
    turned(&mut places);
    let length = |&(a, b): &(u32, u32)| {
        let (p, q) = (places[a as usize], places[b as usize]);
        (p[0] - q[0]).hypot(p[1] - q[1])
    };
    let mean = pairs.iter().map(length).sum::<f64>() / pairs.len().max(1) as f64;
    let spread = (places.iter().map(|[x, y]| x * x + y * y).sum::<f64>() / n.max(1) as f64).sqrt();
    if mean > 0.0 && spread > 0.0 {
        // Where edges are long beside the distances of nodes, nodes need room of their own.
        let scale = (1.0 / mean).max(ROOM * (n as f64).sqrt() / spread * f64::from(u8::from(n > 2)));
        for place in &mut places {
            *place = place.map(|x| x * scale);
        }
    }
    places
}

/// A point of a spiral that fills the plane evenly.
fn spiral(i: usize, step: f64) -> Point {
    let angle = i as f64 * std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let radius = step * (i as f64 + 0.5).sqrt();
    [radius * angle.cos(), radius * angle.sin()]
}

/// Moves nodes along their forces, with steps that shrink as long as that lowers the energy (Hu, algorithm 1).
fn relax(graph: &Weighted, places: &mut [Point], rounds: usize) {
    let (mut step, mut energy, mut progress) = (0.5_f64, f64::INFINITY, 0);
    // Long chains curl up, so that the map fills a page.
    let gravity = REPULSION * graph.masses.iter().sum::<f64>() / (STRETCH * STRETCH * places.len() as f64);
    let mut forces = vec![[0.0; 2]; places.len()];
    for _ in 0..rounds {
        let mut tree = Quadtree::new(places, &graph.masses);
        let mut total = 0.0;
        for (x, force) in forces.iter_mut().enumerate() {
            let [px, py] = places[x];
            let [rx, ry] = tree.repulsion([px, py]);
            let (mut fx, mut fy) = (REPULSION * rx - gravity * px, REPULSION * ry - gravity * py);
            for &(y, _) in &graph.near[x] {
                let [qx, qy] = places[y as usize];
                let (dx, dy) = (qx - px, qy - py);
                let pull = dx.hypot(dy);
                fx += dx * pull;
                fy += dy * pull;
            }
            total += fx * fx + fy * fy;
            *force = [fx, fy];
        }
        let mut moved = 0.0;
        for (place, [fx, fy]) in places.iter_mut().zip(&forces) {
            let size = fx.hypot(*fy);
            if size > 0.0 {
                let by = step.min(size);
                *place = [place[0] + fx / size * by, place[1] + fy / size * by];
                moved += by;
            }
        }
        if total < energy {
            progress += 1;
            if progress >= 5 {
                progress = 0;
                step /= 0.9;
            }
        } else {
            progress = 0;
            step *= 0.9;
        }
        energy = total;
        if moved < 0.005 * places.len() as f64 {
            break;
        }
    }
}

/// Turns points so that their longest extent lies along x, their middle at 0.
fn turned(places: &mut [Point]) {
    let n = places.len().max(1) as f64;
    let mean = [0, 1].map(|axis| places.iter().map(|p| p[axis]).sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in &mut *places {
        *place = [place[0] - mean[0], place[1] - mean[1]];
        xx += place[0] * place[0];
        xy += place[0] * place[1];
        yy += place[1] * place[1];
    }
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    for place in places {
        *place = [cos * place[0] + sin * place[1], cos * place[1] - sin * place[0]];
    }
}

#[cfg(test)]
mod tests {
    use super::force;

    fn distance(p: [f64; 2], q: [f64; 2]) -> f64 {
        (p[0] - q[0]).hypot(p[1] - q[1])
    }

    #[test]
    fn edges_of_a_path_are_alike_and_a_grid_lies_flat() {
        let pairs: Vec<(u32, u32)> = (0..99).map(|i| (i, i + 1)).collect();
        let places = force(100, &pairs);
        for i in 0..99 {
            let length = distance(places[i], places[i + 1]);
            assert!((0.3..2.0).contains(&length), "{length}");
        }
        let at = |i: u32, j: u32| 20 * i + j;
        let mut pairs = Vec::new();
        for i in 0..20 {
            for j in 0..20 {
                pairs.extend((i < 19).then(|| (at(i, j), at(i + 1, j))));
                pairs.extend((j < 19).then(|| (at(i, j), at(i, j + 1))));
            }
        }
        let places = force(400, &pairs);
        let corners = [at(0, 0), at(0, 19), at(19, 19), at(19, 0)].map(|x| places[x as usize]);
        // Opposite corners are further apart than others: the grid is not folded.
        let side = (0..4).map(|i| distance(corners[i], corners[(i + 1) % 4])).fold(0.0, f64::max);
        assert!(distance(corners[0], corners[2]) > side && distance(corners[1], corners[3]) > side);
    }

    #[test]
    fn one_node_two_nodes_and_a_star_have_places() {
        assert_eq!(force(1, &[]).len(), 1);
        let two = force(2, &[(0, 1)]);
        assert!((distance(two[0], two[1]) - 1.0).abs() < 1e-9);
        let star = force(200, &(1..200).map(|i| (0, i)).collect::<Vec<_>>());
        assert!(star.iter().flatten().all(|x| x.is_finite()));
        let same = force(200, &(1..200).map(|i| (0, i)).collect::<Vec<_>>());
        assert_eq!(star, same);
    }
}
