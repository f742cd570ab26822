//! Nodes in layers, arcs downwards.

use super::{Point, count_crossings, downward_order};

const SWEEPS: usize = 24;

/// A line that goes further aside than this between two layers first goes straight down beside the boxes.
const FLAT: f64 = 2.0;

/// Half of the height that is kept free beside the boxes of a layer.
const BESIDE: f64 = 0.25;

/// Width that a line takes in a layer that it passes.
const LINE: f64 = 0.4;

/// Links that touch do not cross.
const TOUCHING: f64 = 1e-9;

/// Where nodes are, and where edges pass between other nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Layered {
    /// The place of each node: layers one apart, the first layer on top (at 0), nodes of a layer beside each other.
    pub places: Vec<Point>,
    /// For each edge, the arcs first, the points that it passes on its way from its first to its second node.
    pub bends: Vec<Vec<Point>>,
}

/// Places nodes of these widths in layers; `arcs` point down, except those that close a cycle.
///
/// Nodes come in the order of [`downward_order`], each below all that it follows and as near to what it leads to as
/// that allows. Layers are ordered by sweeps of means of neighbours; of all orders seen, the one with the fewest
/// crossings stays. In each layer nodes lie as near to where they wish to be as their widths allow (isotonic
/// regression).
pub fn layered(widths: &[f64], arcs: &[(u32, u32)], edges: &[(u32, u32)]) -> Layered {
    let n = widths.len();
    let order = downward_order(n, arcs, edges);
    let mut rank = vec![0; n];
    for (i, &x) in order.iter().enumerate() {
        rank[x as usize] = i;
    }
    // Every edge from its upper to its lower node, and whether that turns it round.
    let down: Vec<(usize, usize, bool)> = arcs
        .iter()
        .chain(edges)
        .map(|&(a, b)| (a as usize, b as usize))
        .map(|(a, b)| if rank[a] < rank[b] { (a, b, false) } else { (b, a, true) })
        .collect();
    let layer = layers_of(n, &order, &down);
    // Long edges pass through a dummy in each layer between.
    let mut layer_of = layer.clone();
    let mut links = Vec::new();
    let mut first_dummy = Vec::with_capacity(down.len());
    for &(a, b, _) in &down {
        first_dummy.push(layer_of.len());
        let mut last = a;
        for level in layer[a] + 1..layer[b] {
            links.push((last, layer_of.len()));
            last = layer_of.len();
            layer_of.push(level);
        }
        links.push((last, b));
    }
    let mut layers = vec![Vec::new(); layer.iter().max().map_or(0, |most| most + 1)];
    for x in order.iter().map(|&x| x as usize).chain(n..layer_of.len()) {
        layers[layer_of[x]].push(x);
    }
    let mut widths = widths.to_vec();
    widths.resize(layer_of.len(), LINE);
    let x = place(&widths, layers, &links);
    let at = |i: usize| [x[i], -(layer_of[i] as f64)];
    let bends = down.iter().zip(&first_dummy).map(|(&(a, b, turned), &first)| {
        let mut bends = bends(at(a), at(b), (first..first + (layer[b] - layer[a]).saturating_sub(1)).map(at));
        if turned {
            bends.reverse();
        }
        bends
    });
    Layered { bends: bends.collect(), places: (0..n).map(at).collect() }
}

/// The layer of each node: below all that it follows, then pulled down towards what it leads to.
fn layers_of(n: usize, order: &[u32], down: &[(usize, usize, bool)]) -> Vec<usize> {
    let mut below = vec![Vec::new(); n];
    for &(a, b, _) in down {
        below[a].push(b);
    }
    let mut layer = vec![0; n];
    for &a in order {
        for &b in &below[a as usize] {
            layer[b] = layer[b].max(layer[a as usize] + 1);
        }
    }
    for &a in order.iter().rev() {
        if let Some(least) = below[a as usize].iter().map(|&b| layer[b]).min() {
            layer[a as usize] = layer[a as usize].max(least - 1);
        }
    }
    layer
}

/// The points between two ends: straight down beside the boxes of a layer, so that a flat line runs behind none.
fn bends(start: Point, end: Point, passed: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut inner: Vec<Point> = passed.flat_map(|[x, y]| [[x, y + BESIDE], [x, y - BESIDE]]).collect();
    let (first, last) = (inner.first().unwrap_or(&end)[0], inner.last().unwrap_or(&start)[0]);
    if (first - start[0]).abs() > FLAT {
        inner.insert(0, [start[0], start[1] - BESIDE]);
    }
    if (last - end[0]).abs() > FLAT {
        inner.push([end[0], end[1] + BESIDE]);
    }
    inner
}

/// Orders each layer by the means of its neighbours, sweeping down and up, and puts nodes beside each other.
fn place(widths: &[f64], mut layers: Vec<Vec<usize>>, links: &[(usize, usize)]) -> Vec<f64> {
    let n = widths.len();
    let (mut above, mut below) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for &(a, b) in links {
        above[b].push(a);
        below[a].push(b);
    }
    let mut x = vec![0.0; n];
    for members in &layers {
        let mut left = -members.iter().map(|&node| widths[node]).sum::<f64>() / 2.0;
        for &node in members {
            x[node] = left + widths[node] / 2.0;
            left += widths[node];
        }
    }
    let mut best = x.clone();
    let mut fewest = crossings(&layers, &below, &x);
    let n_layers = layers.len();
    for sweep in 0..SWEEPS {
        for i in 0..n_layers {
            let (at, around) = if sweep % 2 == 0 { (i, &above) } else { (n_layers - 1 - i, &below) };
            spread(&mut layers[at], widths, around, &mut x);
        }
        let found = crossings(&layers, &below, &x);
        if found <= fewest {
            best.copy_from_slice(&x);
            fewest = found;
        }
    }
    best
}

/// Puts the nodes of a layer as near to the means of their neighbours as their widths allow.
fn spread(members: &mut [usize], widths: &[f64], around: &[Vec<usize>], x: &mut [f64]) {
    let wish = |node: usize| match around[node].as_slice() {
        [] => x[node],
        near => near.iter().map(|&other| x[other]).sum::<f64>() / near.len() as f64,
    };
    let mut wished: Vec<(f64, f64, usize)> = members.iter().map(|&node| (wish(node), x[node], node)).collect();
    wished.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    // Isotonic regression: wishes must not fall; blocks that would are averaged.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let mut offset = 0.0;
    for (i, &(wish, _, node)) in wished.iter().enumerate() {
        if i > 0 {
            offset += (widths[wished[i - 1].2] + widths[node]) / 2.0;
        }
        let mut block = (wish - offset, 1);
        while let Some(&(value, weight)) = blocks.last().filter(|last| last.0 > block.0) {
            let total = weight + block.1;
            block = ((value * weight as f64 + block.0 * block.1 as f64) / total as f64, total);
            blocks.pop();
        }
        blocks.push(block);
    }
    let fitted = blocks.iter().flat_map(|&(value, weight)| std::iter::repeat_n(value, weight));
    offset = 0.0;
    for (i, (value, &(_, _, node))) in fitted.zip(&wished).enumerate() {
        if i > 0 {
            offset += (widths[wished[i - 1].2] + widths[node]) / 2.0;
        }
        x[node] = value + offset;
        members[i] = node;
    }
}

/// How often links cross, all layers together.
fn crossings(layers: &[Vec<usize>], below: &[Vec<usize>], x: &[f64]) -> u64 {
    let mut count = 0;
    let mut ends = Vec::new();
    for members in layers {
        // Members are in the order of x.
        ends.clear();
        for &a in members {
            let from = ends.len();
            ends.extend(below[a].iter().map(|&b| x[b]));
            ends[from..].sort_by(f64::total_cmp);
        }
        count += count_crossings(&ends, TOUCHING);
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::layered;

    /// A DAG: arcs from lower to higher nodes.
    fn arcs() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::btree_set((0_u32..30, 0_u32..30), 0..60)
            .prop_map(|pairs| pairs.into_iter().filter(|(a, b)| a < b).collect())
    }

    proptest! {
        #[test]
        fn arcs_point_down_and_nodes_of_a_layer_are_apart(arcs in arcs()) {
            let widths: Vec<f64> = (0..30).map(|i| 1.0 + f64::from(i % 4)).collect();
            let found = layered(&widths, &arcs, &[]);
            for (&(a, b), bends) in arcs.iter().zip(&found.bends) {
                let (start, end) = (found.places[a as usize], found.places[b as usize]);
                prop_assert!(start[1] >= end[1] + 1.0);
                let line: Vec<f64> = [start[1]].into_iter().chain(bends.iter().map(|p| p[1])).chain([end[1]]).collect();
                prop_assert!(line.is_sorted_by(|a, b| a >= b));
            }
            for a in 0..30 {
                for b in 0..a {
                    let (p, q) = (found.places[a], found.places[b]);
                    prop_assert!(p[1] != q[1] || (p[0] - q[0]).abs() > (widths[a] + widths[b]) / 2.0 - 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_square_needs_no_crossing() {
        let found = layered(&[1.0; 4], &[(0, 3), (1, 2)], &[]);
        let x = |i: usize| found.places[i][0];
        assert_eq!((x(0) - x(1)).signum(), (x(3) - x(2)).signum());
        assert_eq!(layered(&[], &[], &[]).places, Vec::<[f64; 2]>::new());
    }
}
