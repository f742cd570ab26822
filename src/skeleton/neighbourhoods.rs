//! Frozen neighbourhoods, strongest neighbour first.

use super::PairRecord;
use crate::Variable;

/// The neighbours of every variable at one moment, by increasing Φ with it (strongest first; ties by index).
#[derive(Debug, Default)]
pub(super) struct Neighbourhoods {
    starts: Vec<usize>,
    neighbours: Vec<Variable>,
    edges: Vec<u32>,
}

impl Neighbourhoods {
    /// Freezes the graph whose edges are the records with these positions.
    pub(super) fn freeze(n_variables: usize, records: &[PairRecord], edges: &[u32]) -> Self {
        let mut starts = vec![0usize; n_variables + 1];
        for &edge in edges {
            let record = &records[edge as usize];
            starts[record.x as usize + 1] += 1;
            starts[record.y as usize + 1] += 1;
        }
        for x in 0..n_variables {
            starts[x + 1] += starts[x];
        }
        let mut next = starts.clone();
        let mut sorted_edges = vec![0u32; edges.len() * 2];
        for &edge in edges {
            let record = &records[edge as usize];
            for end in [record.x, record.y] {
                sorted_edges[next[end as usize]] = edge;
                next[end as usize] += 1;
            }
        }
        let other = |edge: u32, x: Variable| {
            let record = &records[edge as usize];
            if record.x == x { record.y } else { record.x }
        };
        let mut neighbours = Vec::with_capacity(sorted_edges.len());
        for x in 0..n_variables {
            let around = &mut sorted_edges[starts[x]..starts[x + 1]];
            let x = x as Variable;
            around.sort_unstable_by(|&a, &b| {
                let strength = |edge: u32| records[edge as usize].max_log_p_value;
                strength(a).total_cmp(&strength(b)).then_with(|| other(a, x).cmp(&other(b, x)))
            });
            neighbours.extend(around.iter().map(|&edge| other(edge, x)));
        }
        Self { starts, neighbours, edges: sorted_edges }
    }

    /// Neighbours of a variable, strongest first.
    pub(super) fn of(&self, x: Variable) -> &[Variable] {
        &self.neighbours[self.starts[x as usize]..self.starts[x as usize + 1]]
    }

    /// The records of the edges to the neighbours of a variable, in the same order.
    pub(super) fn edges_of(&self, x: Variable) -> &[u32] {
        &self.edges[self.starts[x as usize]..self.starts[x as usize + 1]]
    }

    /// The size of the largest neighbourhood.
    pub(super) fn max_degree(&self) -> usize {
        self.starts.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }
}
