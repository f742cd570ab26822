//! A smaller graph with the shape of a larger one: neighbours merge in pairs.

/// An undirected graph with masses of nodes and weights of links.
pub(super) struct Weighted {
    pub(super) masses: Vec<f64>,
    /// For each node its neighbours with the weights of the links, by node.
    pub(super) near: Vec<Vec<(u32, f64)>>,
}

impl Weighted {
    pub(super) fn new(n: usize, pairs: &[(u32, u32)]) -> Self {
        let links = pairs.iter().map(|&(a, b)| (a, b, 1.0)).collect();
        Self { masses: vec![1.0; n], near: joined(n, links) }
    }

    pub(super) fn len(&self) -> usize {
        self.masses.len()
    }

    /// Merges pairs of nodes; returns the smaller graph and the node in it of each node.
    pub(super) fn coarser(&self) -> (Self, Vec<u32>) {
        const FREE: u32 = u32::MAX;
        let n = self.len();
        let mut partner = vec![FREE; n];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&x| (self.near[x].len(), x));
        for &x in &order {
            if partner[x] != FREE {
                continue;
            }
            // The heaviest link to a light neighbour.
            let worth = |&(y, weight): &(u32, f64)| weight / self.masses[y as usize];
            let free = self.near[x].iter().filter(|&&(y, _)| partner[y as usize] == FREE);
            if let Some(&(y, _)) = free.max_by(|a, b| worth(a).total_cmp(&worth(b)).then(b.0.cmp(&a.0))) {
                partner[x] = y;
                partner[y as usize] = x as u32;
            }
        }
        // Leaves of a hub, whose only neighbour is taken, merge with each other.
        let mut single: Vec<usize> = (0..n).filter(|&x| partner[x] == FREE && !self.near[x].is_empty()).collect();
        single.sort_by_key(|&x| (self.near[x][0].0, x));
        let mut i = 0;
        while i + 1 < single.len() {
            let (x, y) = (single[i], single[i + 1]);
            if self.near[x][0].0 == self.near[y][0].0 {
                (partner[x], partner[y]) = (y as u32, x as u32);
                i += 1;
            }
            i += 1;
        }
        let mut merged = vec![FREE; n];
        let mut masses = Vec::new();
        for x in 0..n {
            if merged[x] == FREE {
                merged[x] = masses.len() as u32;
                masses.push(self.masses[x]);
                if partner[x] != FREE {
                    merged[partner[x] as usize] = merged[x];
                    masses[merged[x] as usize] += self.masses[partner[x] as usize];
                }
            }
        }
        let mut links = Vec::new();
        for x in 0..n {
            for &(y, weight) in &self.near[x] {
                let (a, b) = (merged[x], merged[y as usize]);
                if x < y as usize && a != b {
                    links.push((a.min(b), a.max(b), weight));
                }
            }
        }
        let near = joined(masses.len(), links);
        (Self { masses, near }, merged)
    }
}

/// Neighbours of each node; the weights of links between the same nodes are added.
fn joined(n: usize, mut links: Vec<(u32, u32, f64)>) -> Vec<Vec<(u32, f64)>> {
    links.sort_by_key(|&(a, b, _)| (a, b));
    links.dedup_by(|next, first| {
        let same = (next.0, next.1) == (first.0, first.1);
        if same {
            first.2 += next.2;
        }
        same
    });
    let mut near = vec![Vec::new(); n];
    for (a, b, weight) in links {
        near[a as usize].push((b, weight));
        near[b as usize].push((a, weight));
    }
    near
}
