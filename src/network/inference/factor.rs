//! Tables over sets of variables.

use crate::Variable;
use crate::network::Node;

/// A non-negative table over a set of variables in increasing order; the last one runs fastest.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::network) struct Factor {
    pub(in crate::network) variables: Vec<Variable>,
    pub(in crate::network) arities: Vec<usize>,
    pub(in crate::network) table: Vec<f64>,
}

impl Factor {
    /// The table of ones over these variables, which are in increasing order.
    pub(super) fn ones(variables: Vec<Variable>, arity: impl Fn(Variable) -> usize) -> Self {
        let arities: Vec<usize> = variables.iter().map(|&x| arity(x)).collect();
        let size = arities.iter().product();
        Self { variables, arities, table: vec![1.0; size] }
    }

    /// The conditional table of a node, each row divided by its sum.
    pub(super) fn of_node(nodes: &[Node], x: Variable) -> Self {
        let node = &nodes[x as usize];
        let mut variables: Vec<Variable> = node.parents.iter().copied().chain([x]).collect();
        let given = Self {
            arities: variables.iter().map(|&v| nodes[v as usize].arity()).collect(),
            variables: variables.clone(),
            table: node
                .rows()
                .flat_map(|row| {
                    let total: f64 = row.iter().sum();
                    row.iter().map(move |&v| v / total)
                })
                .collect(),
        };
        variables.sort_unstable();
        let mut sorted = Self::ones(variables, |v| nodes[v as usize].arity());
        sorted.combine(&given, |a, b| a * b);
        sorted
    }

    /// Applies `operation(entry, matching entry of other)` to every entry; the variables of `other` (in any order) are
    /// among those of `self`.
    fn combine(&mut self, other: &Self, operation: impl Fn(f64, f64) -> f64) {
        let steps = self.steps_in(other);
        let table = &other.table;
        let inner = self.arities.last().copied().unwrap_or(1);
        let inner_step = steps.last().copied().unwrap_or(0);
        let mut at = Odometer::new(&self.arities, &steps);
        for chunk in self.table.chunks_exact_mut(inner) {
            let start = at.position;
            for (k, entry) in chunk.iter_mut().enumerate() {
                *entry = operation(*entry, table[start + k * inner_step]);
            }
            at.advance();
        }
    }

    /// Multiplies by a table over some of the same variables.
    pub(super) fn multiply(&mut self, other: &Self) {
        self.combine(other, |a, b| a * b);
    }

    /// Divides by a table over some of the same variables, where 0 / 0 is 0.
    pub(super) fn divide(&mut self, other: &Self) {
        self.combine(other, |a, b| if b == 0.0 { 0.0 } else { a / b });
    }

    /// Sums out all variables but `keep`, which are in increasing order and among those of `self`.
    pub(super) fn marginal(&self, keep: &[Variable]) -> Self {
        let arity = |v| self.arities[self.variables.iter().position(|&x| x == v).expect("a variable of the table")];
        let mut sum = Self::ones(keep.to_vec(), arity);
        sum.table.fill(0.0);
        let steps = self.steps_in(&sum);
        let inner = self.arities.last().copied().unwrap_or(1);
        let inner_step = steps.last().copied().unwrap_or(0);
        let mut at = Odometer::new(&self.arities, &steps);
        for chunk in self.table.chunks_exact(inner) {
            let start = at.position;
            if inner_step == 0 {
                sum.table[start] += chunk.iter().sum::<f64>();
            } else {
                for (k, &entry) in chunk.iter().enumerate() {
                    sum.table[start + k * inner_step] += entry;
                }
            }
            at.advance();
        }
        sum
    }

    /// By how much one state of each own variable moves the position in the table of `other`.
    fn steps_in(&self, other: &Self) -> Vec<usize> {
        let mut steps = vec![0; self.variables.len()];
        let mut step = 1;
        for (&v, &arity) in other.variables.iter().zip(&other.arities).rev() {
            let own = self.variables.iter().position(|&x| x == v).expect("a variable of the table");
            steps[own] = step;
            step *= arity;
        }
        steps
    }
}

/// Runs through all states of all but the last variable and keeps the position in another table.
struct Odometer<'a> {
    arities: &'a [usize],
    steps: &'a [usize],
    states: Vec<usize>,
    position: usize,
}

impl<'a> Odometer<'a> {
    fn new(arities: &'a [usize], steps: &'a [usize]) -> Self {
        let outer = arities.len().saturating_sub(1);
        Self { arities: &arities[..outer], steps: &steps[..outer], states: vec![0; outer], position: 0 }
    }

    fn advance(&mut self) {
        for i in (0..self.states.len()).rev() {
            self.states[i] += 1;
            self.position += self.steps[i];
            if self.states[i] < self.arities[i] {
                return;
            }
            self.position -= self.steps[i] * self.arities[i];
            self.states[i] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arity(x: Variable) -> usize {
        [2, 3, 4][x as usize]
    }

    #[test]
    fn products_and_sums_are_those_of_the_definition() {
        let mut a = Factor::ones(vec![0, 1, 2], arity);
        a.table = (0..24).map(f64::from).collect();
        let mut b = Factor::ones(vec![0, 2], arity);
        b.table = (0..8).map(|v| f64::from(v * v)).collect();
        let mut product = a.clone();
        product.multiply(&b);
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..4 {
                    let at = (i * 3 + j) * 4 + k;
                    assert_eq!(product.table[at], a.table[at] * b.table[i * 4 + k]);
                }
            }
        }
        let sum = product.marginal(&[1]);
        for j in 0..3 {
            let expected: f64 = (0..8).map(|ik| product.table[(ik / 4 * 3 + j) * 4 + ik % 4]).sum();
            assert_eq!(sum.table[j], expected);
        }
        assert_eq!(product.marginal(&[]).table, [product.table.iter().sum::<f64>()]);
        product.divide(&b);
        for (at, (&quotient, &entry)) in product.table.iter().zip(&a.table).enumerate() {
            // b is 0 where variables 0 and 2 are both 0.
            assert_eq!(quotient, if at % 4 == 0 && at < 12 { 0.0 } else { entry });
        }
    }

    #[test]
    fn rows_of_a_node_are_put_in_order_and_divided_by_their_sums() {
        let states = |n: usize| (0..n).map(|s| s.to_string()).collect();
        let table = vec![0.5, 0.499, 0.25, 0.75, 1.0, 0.0];
        let nodes = [
            Node { name: "x".into(), states: states(2), parents: vec![1], probabilities: table },
            Node { name: "y".into(), states: states(3), parents: vec![], probabilities: vec![0.2, 0.3, 0.5] },
        ];
        let factor = Factor::of_node(&nodes, 0);
        assert_eq!(factor.variables, [0, 1]);
        assert_eq!(factor.table, [0.5 / 0.999, 0.25, 1.0, 0.499 / 0.999, 0.75, 0.0]);
    }
}
