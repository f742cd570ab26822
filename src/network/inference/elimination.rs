//! In which order to sum variables out.

use std::collections::BTreeSet;

use crate::Variable;
use crate::network::Node;

/// An order of elimination and the clique that each step makes.
#[derive(Debug, Clone)]
pub(super) struct Elimination {
    /// Variables in the order in which they are summed out, each with the others that share a table with it then, in
    /// increasing order.
    pub(super) steps: Vec<(Variable, Vec<Variable>)>,
    /// Entries of all tables together.
    pub(super) total: f64,
}

/// What a greedy order looks at first.
#[derive(Debug, Clone, Copy)]
pub(super) enum Criterion {
    /// The fewest new edges.
    Fill,
    /// The smallest table.
    Size,
}

/// The variables and their ancestors, in increasing order.
pub(super) fn ancestral(nodes: &[Node], variables: &[Variable]) -> Vec<Variable> {
    let mut seen = vec![false; nodes.len()];
    let mut stack = variables.to_vec();
    let mut found = Vec::new();
    while let Some(x) = stack.pop() {
        if !std::mem::replace(&mut seen[x as usize], true) {
            found.push(x);
            stack.extend_from_slice(&nodes[x as usize].parents);
        }
    }
    found.sort_unstable();
    found
}

/// Orders the elimination of an ancestral set greedily, the variables of `last` (which become one clique) never. Stops
/// early, with none, when a table would have more than `limit` entries.
pub(super) fn order(
    nodes: &[Node],
    set: &[Variable],
    last: &[Variable],
    criterion: Criterion,
    limit: f64,
) -> Option<Elimination> {
    let mut graph = Moral::new(nodes, set, last);
    let mut elimination = Elimination { steps: Vec::with_capacity(set.len()), total: 0.0 };
    // Costs are not negative, so that their bits order like the numbers.
    let key = |graph: &Moral, x: usize| match criterion {
        Criterion::Fill => (graph.fill(x).to_bits(), graph.size(x).to_bits(), x),
        Criterion::Size => (graph.size(x).to_bits(), graph.neighbours[x].len() as u64, x),
    };
    let mut keys: Vec<Option<(u64, u64, usize)>> =
        (0..set.len()).map(|x| (!graph.last[x]).then(|| key(&graph, x))).collect();
    let mut queue: BTreeSet<(u64, u64, usize)> = keys.iter().flatten().copied().collect();
    while let Some((_, _, x)) = queue.pop_first() {
        keys[x] = None;
        let size = graph.size(x);
        if size > limit {
            return None;
        }
        elimination.total += size;
        let around = graph.eliminate(x);
        elimination.steps.push((set[x], around.iter().map(|&y| set[y]).collect()));
        let mut changed = around.clone();
        if matches!(criterion, Criterion::Fill) {
            // New edges change what their ends' other neighbours would add.
            changed.extend(around.iter().flat_map(|&y| graph.neighbours[y].iter().copied()));
            changed.sort_unstable();
            changed.dedup();
        }
        for y in changed {
            if let Some(old) = keys[y] {
                let new = key(&graph, y);
                if new != old {
                    queue.remove(&old);
                    queue.insert(new);
                    keys[y] = Some(new);
                }
            }
        }
    }
    Some(elimination)
}

/// The moral graph of an ancestral set, by positions in the set.
struct Moral {
    neighbours: Vec<Vec<usize>>,
    arities: Vec<f64>,
    last: Vec<bool>,
}

impl Moral {
    fn new(nodes: &[Node], set: &[Variable], last: &[Variable]) -> Self {
        let position = |x: Variable| set.binary_search(&x).expect("the set is ancestral");
        let mut moral = Self {
            neighbours: vec![Vec::new(); set.len()],
            arities: set.iter().map(|&x| nodes[x as usize].arity() as f64).collect(),
            last: vec![false; set.len()],
        };
        for &x in set {
            let family: Vec<usize> = nodes[x as usize].parents.iter().copied().chain([x]).map(position).collect();
            moral.connect(&family);
        }
        let last: Vec<usize> = last.iter().map(|&x| position(x)).collect();
        moral.connect(&last);
        for x in last {
            moral.last[x] = true;
        }
        moral
    }

    fn connect(&mut self, clique: &[usize]) {
        for &x in clique {
            for &y in clique {
                if x != y
                    && let Err(at) = self.neighbours[x].binary_search(&y)
                {
                    self.neighbours[x].insert(at, y);
                }
            }
        }
    }

    /// Edges that eliminating x would add.
    fn fill(&self, x: usize) -> f64 {
        let around = &self.neighbours[x];
        let mut missing = 0;
        for (i, &y) in around.iter().enumerate() {
            missing += around[i + 1..].iter().filter(|z| self.neighbours[y].binary_search(z).is_err()).count();
        }
        missing as f64
    }

    /// Entries of the table that eliminating x makes.
    fn size(&self, x: usize) -> f64 {
        self.neighbours[x].iter().map(|&y| self.arities[y]).product::<f64>() * self.arities[x]
    }

    fn eliminate(&mut self, x: usize) -> Vec<usize> {
        let around = std::mem::take(&mut self.neighbours[x]);
        for &y in &around {
            if let Ok(at) = self.neighbours[y].binary_search(&x) {
                self.neighbours[y].remove(at);
            }
        }
        self.connect(&around);
        around
    }
}
