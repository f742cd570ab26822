//! Columns of mixed data as draws see them, and how parents enter lines and discriminants.

use std::sync::Arc;

use super::groups::Groups;
use crate::Variable;
use crate::data::{Codes, RowWeights, power_of};
use crate::network::fill::rows::{weight_of, weight_of_all};

/// Columns without gaps: the codes of categories and the scores of numbers; each is empty of the others.
pub(super) struct Columns {
    pub(super) codes: Vec<Codes>,
    pub(super) scores: Vec<Vec<f64>>,
    pub(super) weights: Option<Arc<RowWeights>>,
}

/// One row of them.
#[derive(Default)]
pub(super) struct Row {
    pub(super) codes: Vec<u16>,
    pub(super) scores: Vec<f64>,
}

impl Columns {
    /// Copies a row of some variables.
    pub(super) fn read(&self, at: usize, variables: impl Iterator<Item = Variable>, row: &mut Row) {
        for x in variables.map(|x| x as usize) {
            match self.scores[x].get(at) {
                Some(&score) => row.scores[x] = score,
                None => row.codes[x] = self.codes[x].get(at) as u16,
            }
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        self.codes[0].len().max(self.scores[0].len())
    }

    /// What all rows weigh.
    pub(super) fn weight_of_all(&self) -> f64 {
        weight_of_all(self.weights.as_deref(), self.n_rows())
    }

    pub(super) fn room(&self) -> Row {
        Row { codes: vec![0; self.codes.len()], scores: vec![0.0; self.codes.len()] }
    }
}

/// What a variable is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A category with so many states, and their groups.
    Category(u32, Arc<Groups>),
    /// A number, with so many powers of its score in lines and discriminants.
    Number(usize),
}

/// How parents enter lines and discriminants: an indicator for each group of states but the first, powers of scores.
pub(super) struct Design {
    parents: Vec<(Variable, Kind)>,
    pub(super) width: usize,
}

impl Design {
    pub(super) fn new(parents: &[Variable], kinds: &[Kind]) -> Self {
        let parents: Vec<(Variable, Kind)> =
            parents.iter().map(|&parent| (parent, kinds[parent as usize].clone())).collect();
        let width = parents.iter().map(|(_, kind)| width(kind)).sum();
        Self { parents, width }
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.parents.iter().map(|&(parent, _)| parent)
    }

    /// What the parents' values in a row are, weighed; `weights` has one for each column.
    pub(super) fn sum(&self, weights: &[f64], row: &Row) -> f64 {
        let (mut at, mut sum) = (0, 0.0);
        for (parent, kind) in &self.parents {
            let parent = *parent;
            match kind {
                Kind::Category(_, groups) => {
                    if let Some(other) = usize::from(groups.group(row.codes[parent as usize])).checked_sub(1) {
                        sum += weights[at + other];
                    }
                }
                Kind::Number(powers) => {
                    let z = row.scores[parent as usize];
                    sum += (0..*powers).map(|power| weights[at + power] * power_of(z, power)).sum::<f64>();
                }
            }
            at += width(kind);
        }
        sum
    }

    /// Appends the columns that are not 0 in a row, each with its place from `first` on.
    pub(super) fn write(&self, row: &Row, first: usize, columns: &mut impl Extend<(usize, f64)>) {
        let mut at = first;
        for (parent, kind) in &self.parents {
            let parent = *parent;
            match kind {
                Kind::Category(_, groups) => {
                    if let Some(other) = usize::from(groups.group(row.codes[parent as usize])).checked_sub(1) {
                        columns.extend([(at + other, 1.0)]);
                    }
                }
                Kind::Number(powers) => {
                    let z = row.scores[parent as usize];
                    columns.extend((0..*powers).map(|power| (at + power, power_of(z, power))));
                }
            }
            at += width(kind);
        }
    }

    /// The number of products of any two of: 1, the columns, and a number if there is one.
    pub(super) fn n_products(&self, with_number: bool) -> usize {
        let k = 1 + self.width + usize::from(with_number);
        k * (k + 1) / 2
    }

    /// Adds the products of some rows to the sums of them: the lower triangle, row by row.
    pub(super) fn add_products(&self, sums: &mut [f64], columns: &Columns, number: Option<Variable>, rows: &[u32]) {
        let k = 1 + self.width + usize::from(number.is_some());
        let (mut row, mut values) = (columns.room(), Vec::with_capacity(k));
        for &at in rows {
            let at = at as usize;
            let weight = weight_of(columns.weights.as_deref(), at);
            columns.read(at, self.variables(), &mut row);
            values.clear();
            values.push((0, 1.0));
            self.write(&row, 1, &mut values);
            values.extend(number.map(|x| (k - 1, columns.scores[x as usize][at])));
            for (i, &(a, of_a)) in values.iter().enumerate() {
                let line = &mut sums[a * (a + 1) / 2..];
                let of_a = weight * of_a;
                values[..=i].iter().for_each(|&(b, of_b)| line[b] += of_a * of_b);
            }
        }
    }

    /// Where the columns of a parent begin, and where they end.
    pub(super) fn place_of(&self, x: Variable) -> std::ops::Range<usize> {
        let mut at = 0;
        for (parent, kind) in &self.parents {
            if *parent == x {
                return at..at + width(kind);
            }
            at += width(kind);
        }
        0..0
    }
}

fn width(kind: &Kind) -> usize {
    match kind {
        Kind::Category(_, groups) => groups.len().max(1) - 1,
        Kind::Number(powers) => *powers,
    }
}
