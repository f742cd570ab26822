//! The distribution of a variable given its parents, as draws of mixed data need it: tables, lines, discriminants.
//!
//! All that estimates need are counts and means of products, which are averaged over draws.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::design::{Columns, Design, Kind, Row};
use super::groups::Groups;
use crate::Variable;
use crate::graph::Dag;
use crate::network::fill::regression::{Regression, factor, regression, solve_lower, solve_upper};
use crate::network::fill::rows::weight_of;
use crate::network::fill::tables::{Cells, Table};

/// The distribution of a variable given its parents.
pub(super) enum Family {
    /// A category given categories.
    Table(Table),
    /// A number: a line, with a normal disturbance.
    Line(Line),
    /// A category with a number among its parents: a linear discriminant.
    Classes(Classes),
}

impl Family {
    /// The family of a variable, of no rows.
    pub(super) fn new(x: Variable, kinds: &[Kind], arities: &[u32], n_rows: usize, dag: &Dag) -> Self {
        let parents = dag.parents(x);
        let is_category = |parent: &Variable| matches!(kinds[*parent as usize], Kind::Category(..));
        match &kinds[x as usize] {
            Kind::Number(_) => Self::Line(Line::new(Design::new(parents, kinds))),
            Kind::Category(..) if parents.iter().all(is_category) => Self::Table(Table::new(arities, n_rows, dag, x)),
            Kind::Category(_, groups) => Self::Classes(Classes::new(Arc::clone(groups), Design::new(parents, kinds))),
        }
    }

    /// The counts of no rows.
    pub(super) fn nothing(&self) -> Counts {
        match self {
            Self::Table(table) => Counts::Cells(table.nothing()),
            Self::Line(line) => Counts::Products(vec![0.0; line.design.n_products(true)]),
            Self::Classes(classes) => {
                let sums = classes.groups.len() * (1 + classes.design.width);
                Counts::Classes(vec![0.0; classes.design.n_products(false)], vec![0.0; sums])
            }
        }
    }

    /// Counts some rows of completed data.
    pub(super) fn add(&self, counts: &mut Counts, x: Variable, columns: &Columns, rows: &[u32]) {
        match (self, counts) {
            (Self::Table(table), Counts::Cells(cells)) => {
                table.add(cells, &columns.codes, x, rows, columns.weights.as_deref());
            }
            (Self::Line(line), Counts::Products(sums)) => line.design.add_products(sums, columns, Some(x), rows),
            (Self::Classes(classes), Counts::Classes(products, sums)) => {
                classes.design.add_products(products, columns, None, rows);
                classes.add_sums(sums, x, columns, rows);
            }
            _ => unreachable!("counts are of the family that made them"),
        }
    }

    /// Takes the counts of all rows, which weigh so much together, in place of those so far.
    pub(super) fn take(&mut self, new: Counts, n: f64) {
        match (&mut *self, new) {
            (Self::Table(table), Counts::Cells(new)) => table.cells = new,
            (_, new) => self.blend(new, 1.0, n),
        }
    }

    /// Takes the mean of the counts so far and those of other completed data, which have this weight.
    pub(super) fn blend(&mut self, new: Counts, weight: f64, n: f64) {
        match (self, new) {
            (Self::Table(table), Counts::Cells(new)) => table.cells.blend(new, weight),
            (Self::Line(line), Counts::Products(new)) => {
                mean(&mut line.moments, &new, n, weight);
                line.fitted = regression(&line.moments, line.design.width, n);
            }
            (Self::Classes(classes), Counts::Classes(products, sums)) => {
                mean(&mut classes.products, &products, n, weight);
                mean(&mut classes.sums, &sums, n, weight);
                classes.fit(n);
            }
            _ => unreachable!("counts are of the family that made them"),
        }
    }

    /// For each state of a category the logarithm of a number proportional to its probability given the parents.
    pub(super) fn logarithms(&self, row: &Row, found: &mut Vec<f64>) {
        match self {
            Self::Table(table) => {
                found.clear();
                found.extend(table.row(table.configuration(&row.codes)).iter().map(|weight| weight.ln()));
            }
            Self::Classes(classes) => classes.logits(row, found),
            Self::Line(_) => unreachable!("a number has no states"),
        }
    }

    pub(super) fn line(&self) -> Option<&Line> {
        if let Self::Line(line) = self { Some(line) } else { None }
    }
}

/// What a family is estimated from.
#[derive(Clone)]
pub(super) enum Counts {
    /// Of a table.
    Cells(Cells),
    /// Of a line: sums of products.
    Products(Vec<f64>),
    /// Of a discriminant: sums of products, and sums by group.
    Classes(Vec<f64>, Vec<f64>),
}

/// Takes the mean of means so far and those that sums over all rows make.
fn mean(old: &mut [f64], sums: &[f64], n: f64, weight: f64) {
    old.iter_mut().zip(sums).for_each(|(old, &sum)| *old += weight * (sum / n - *old));
}

/// A number given its parents.
pub(super) struct Line {
    design: Design,
    moments: Vec<f64>,
    fitted: Regression,
}

impl Line {
    fn new(design: Design) -> Self {
        let moments = vec![0.0; design.n_products(true)];
        let fitted = regression(&moments, design.width, 1.0);
        Self { design, moments, fitted }
    }

    /// What the parents' values in a row make of it.
    pub(super) fn mean(&self, row: &Row) -> f64 {
        self.fitted.intercept + self.design.sum(&self.fitted.weights, row)
    }

    /// The variance of the disturbance.
    pub(super) fn variance(&self) -> f64 {
        self.fitted.variance
    }

    /// The weights of a parent's columns.
    pub(super) fn weights_of(&self, parent: Variable) -> &[f64] {
        &self.fitted.weights[self.design.place_of(parent)]
    }
}

/// A category given numbers, and categories beside them: in each group of states the parents' columns count as normal with
/// a mean of the group's own and one covariance matrix, so that the logarithms of the groups' odds are linear in them.
/// Within a group states are independent of the parents.
pub(super) struct Classes {
    groups: Arc<Groups>,
    design: Design,
    /// Means of products of any two of 1 and the columns.
    products: Vec<f64>,
    /// For each group: its share, and the mean of each column times its indicator.
    sums: Vec<f64>,
    constants: Vec<f64>,
    /// For each column the weights of all groups.
    weights: Vec<f64>,
}

impl Classes {
    fn new(groups: Arc<Groups>, design: Design) -> Self {
        let (n_groups, width) = (groups.len(), design.width);
        Self {
            products: vec![0.0; design.n_products(false)],
            sums: vec![0.0; n_groups * (1 + width)],
            constants: vec![0.0; n_groups],
            weights: vec![0.0; n_groups * width],
            groups,
            design,
        }
    }

    /// Adds some rows to the sums of each group.
    fn add_sums(&self, sums: &mut [f64], x: Variable, columns: &Columns, rows: &[u32]) {
        let k = 1 + self.design.width;
        let (mut row, mut values) = (columns.room(), Vec::with_capacity(k));
        for &at in rows {
            let at = at as usize;
            let weight = weight_of(columns.weights.as_deref(), at);
            columns.read(at, self.design.variables(), &mut row);
            values.clear();
            values.push((0, 1.0));
            self.design.write(&row, 1, &mut values);
            let group = usize::from(self.groups.group(columns.codes[x as usize].get(at) as u16));
            values.iter().for_each(|&(column, value)| sums[group * k + column] += weight * value);
        }
    }

    /// Estimates the weights from sums over rows that weigh so much together.
    fn fit(&mut self, n: f64) {
        let k = self.design.width;
        let at = |i: usize, j: usize| self.products[i * (i + 1) / 2 + j];
        let overall = |i: usize| at(i + 1, 0);
        let n_groups = self.groups.len();
        let share = |group: usize| self.sums[group * (k + 1)];
        // A row of all data is added to each group: of a rare one the mean is not known.
        let shift = |group: usize, i: usize| {
            (self.sums[group * (k + 1) + 1 + i] - share(group) * overall(i)) / (share(group) + 1.0 / n)
        };
        let shifts: Vec<f64> = (0..n_groups).flat_map(|group| (0..k).map(move |i| shift(group, i))).collect();
        let mut between = vec![0.0; k * k];
        for (group, shifts) in shifts.chunks_exact(k.max(1)).enumerate() {
            for (i, between) in between.chunks_exact_mut(k.max(1)).enumerate() {
                let weighted = share(group) * shifts[i];
                between[..=i].iter_mut().zip(shifts).for_each(|(sum, shift)| *sum += weighted * shift);
            }
        }
        let mut within = between;
        for i in 0..k {
            for j in 0..=i {
                within[i * k + j] = at(i + 1, j + 1) - overall(i) * overall(j) - within[i * k + j];
            }
            within[i * k + i] += 1.0 / n;
        }
        factor(&mut within, k);
        let (mut weights, mut own) = (vec![0.0; n_groups * k], vec![0.0; k]);
        let mut constants = Vec::with_capacity(n_groups);
        for group in 0..n_groups {
            own.copy_from_slice(&shifts[group * k..][..k]);
            solve_lower(&within, k, &mut own);
            solve_upper(&within, k, &mut own);
            own.iter().enumerate().for_each(|(column, &weight)| weights[column * n_groups + group] = weight);
            let against = |i: usize| 0.5 * shifts[group * k + i] + overall(i);
            let prior = (n * share(group) + 1.0 / n_groups as f64).ln();
            constants.push(prior - own.iter().enumerate().map(|(i, weight)| weight * against(i)).sum::<f64>());
        }
        (self.weights, self.constants) = (weights, constants);
    }

    /// The number of groups of states.
    pub(super) fn n_groups(&self) -> usize {
        self.groups.len()
    }

    /// The group of a state.
    pub(super) fn group(&self, state: u16) -> u16 {
        self.groups.group(state)
    }

    /// Where the columns of a parent begin.
    pub(super) fn place_of(&self, parent: Variable) -> Range<usize> {
        self.design.place_of(parent)
    }

    /// The weights of a column in each group.
    #[inline]
    pub(super) fn weights_of(&self, column: usize) -> &[f64] {
        &self.weights[column * self.groups.len()..][..self.groups.len()]
    }

    /// The logits of all states.
    fn logits(&self, row: &Row, found: &mut Vec<f64>) {
        found.clear();
        self.add_logits(row, found);
        if self.groups.has_merged() {
            let of_groups = found.clone();
            found.clear();
            found.extend(self.groups.states().map(|(group, share)| of_groups[usize::from(group)] + share));
        }
    }

    /// Appends the logits of all groups.
    pub(super) fn add_logits(&self, row: &Row, found: &mut Vec<f64>) {
        // Of each parent few columns are not 0.
        let mut values: SmallVec<[(usize, f64); 32]> = SmallVec::new();
        self.design.write(row, 0, &mut values);
        let start = found.len();
        found.extend_from_slice(&self.constants);
        for (column, value) in values {
            found[start..].iter_mut().zip(self.weights_of(column)).for_each(|(sum, weight)| *sum += weight * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::children::{Children, Value};
    use super::*;
    use crate::data::Codes;

    fn columns(n: usize) -> Columns {
        let group: Vec<u8> = (0..n).map(|row| (row * 7 % 3) as u8).collect();
        let score: Vec<f64> = (0..n).map(|row| ((row * 37 % 101) as f64 - 50.0) / 30.0).collect();
        let line = |row: usize| 0.5 + [0.0, 1.0, -2.0][usize::from(group[row])] - 0.8 * score[row];
        let child: Vec<f64> = (0..n).map(line).collect();
        Columns {
            codes: vec![Codes::Narrow(group), Codes::Narrow(vec![]), Codes::Narrow(vec![])],
            scores: vec![vec![], score, child],
            weights: None,
        }
    }

    fn category(columns: &Columns, x: usize, arity: u32) -> Kind {
        Kind::Category(arity, Arc::new(Groups::of(&columns.codes[x], arity, |_| 1.0)))
    }

    fn estimate(x: Variable, kinds: &[Kind], arities: &[u32], columns: &Columns, dag: &Dag) -> Family {
        let n = columns.n_rows();
        let mut family = Family::new(x, kinds, arities, n, dag);
        let mut counts = family.nothing();
        family.add(&mut counts, x, columns, &(0..n as u32).collect::<Vec<_>>());
        family.take(counts, n as f64);
        family
    }

    #[test]
    fn a_line_is_that_of_the_data() {
        let columns = columns(303);
        let kinds = [category(&columns, 0, 3), Kind::Number(2), Kind::Number(2)];
        let dag = Dag::from_arcs(3, [(0, 2), (1, 2)]).unwrap();
        let family = estimate(2, &kinds, &[3, 1, 1], &columns, &dag);
        let line = family.line().unwrap();
        let mut row = columns.room();
        for at in [0, 5, 200] {
            columns.read(at, 0..3, &mut row);
            assert!((line.mean(&row) - columns.scores[2][at]).abs() < 1e-3);
        }
        assert!((line.weights_of(1)[0] + 0.8).abs() < 1e-3);
        assert!(line.variance() < 1e-4);
    }

    #[test]
    fn odds_are_those_of_normal_groups() {
        // Two states whose numbers are normal with means 1 apart: the logit is linear, with the slope 1 / σ².
        let n = 100_000;
        let code = |row: usize| u8::from(row.is_multiple_of(4));
        let scores: Vec<f64> = (0..n)
            .map(|row| {
                let z = crate::stats::normal_quantile(((row / 4) as f64 + 0.5) / (n / 4) as f64);
                0.5 * z + f64::from(code(row))
            })
            .collect();
        let columns = Columns {
            codes: vec![Codes::Narrow(vec![]), Codes::Narrow((0..n).map(code).collect())],
            scores: vec![scores, vec![]],
            weights: None,
        };
        let dag = Dag::from_arcs(2, [(0, 1)]).unwrap();
        let kinds = [Kind::Number(1), category(&columns, 1, 2)];
        let families = [0, 1].map(|x| estimate(x, &kinds, &[1, 2], &columns, &dag));
        for z in [-0.5, 0.3, 1.2] {
            let row = Row { codes: vec![0, 1], scores: vec![z, 0.0] };
            let density = |mean: f64| (-0.5 * ((z - mean) / 0.5f64).powi(2)).exp();
            let right = 0.25 * density(1.0) / (0.25 * density(1.0) + 0.75 * density(0.0));
            let mut logarithms = Vec::new();
            families[1].logarithms(&row, &mut logarithms);
            let found = 1.0 / (1.0 + (logarithms[0] - logarithms[1]).exp());
            assert!((found - right).abs() < 2e-3, "{z}: {found} {right}");
            // The same as its parent sees it.
            let neutral = Row { codes: vec![0, 1], scores: vec![0.0, 0.0] };
            let mut children = Children::default();
            children.read(0, &[1], &families, &neutral);
            assert!(((children.of_value(Value::Score(z)) + children.of_tables(&row)).exp() - found).abs() < 1e-12);
        }
    }
}
