//! The distribution of a variable given its parents, as draws of mixed data need it: tables, lines, discriminants.
//!
//! All that estimates need are counts and means of products, which are averaged over draws.

use super::design::{Columns, Design, Kind, Row};
use crate::Variable;
use crate::graph::Dag;
use crate::network::fill::regression::{Regression, factor, regression, solve_lower, solve_upper};
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
    pub(super) fn estimate(x: Variable, kinds: &[Kind], arities: &[u32], columns: &Columns, dag: &Dag) -> Self {
        let parents = dag.parents(x);
        match kinds[x as usize] {
            Kind::Number(_) => Self::Line(Line::estimate(x, Design::new(parents, kinds), columns)),
            Kind::Category(_) if parents.iter().all(|&parent| matches!(kinds[parent as usize], Kind::Category(_))) => {
                Self::Table(Table::estimate(arities, &columns.codes, dag, x))
            }
            Kind::Category(arity) => Self::Classes(Classes::estimate(x, arity, Design::new(parents, kinds), columns)),
        }
    }

    /// Counts or moments of other completed data.
    pub(super) fn count(&self, x: Variable, columns: &Columns) -> Counts {
        match self {
            Self::Table(table) => Counts::Cells(table.count(&columns.codes, x)),
            Self::Line(line) => Counts::Moments(line.design.moments(columns, Some(x))),
            Self::Classes(classes) => {
                let (products, sums) = classes.count(x, columns);
                Counts::Classes(products, sums)
            }
        }
    }

    /// Takes the mean of the counts so far and those of other completed data, which have this weight.
    pub(super) fn blend(&mut self, new: Counts, weight: f64, n_rows: usize) {
        match (self, new) {
            (Self::Table(table), Counts::Cells(new)) => table.cells.blend(new, weight),
            (Self::Line(line), Counts::Moments(new)) => {
                mean(&mut line.moments, &new, weight);
                line.fitted = regression(&line.moments, line.design.width, n_rows);
            }
            (Self::Classes(classes), Counts::Classes(products, sums)) => {
                mean(&mut classes.products, &products, weight);
                mean(&mut classes.sums, &sums, weight);
                classes.fit(n_rows);
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
pub(super) enum Counts {
    /// Of a table.
    Cells(Cells),
    /// Of a line.
    Moments(Vec<f64>),
    /// Of a discriminant: means of products, and sums by state.
    Classes(Vec<f64>, Vec<f64>),
}

fn mean(old: &mut [f64], new: &[f64], weight: f64) {
    old.iter_mut().zip(new).for_each(|(old, &new)| *old += weight * (new - *old));
}

/// A number given its parents.
pub(super) struct Line {
    design: Design,
    moments: Vec<f64>,
    fitted: Regression,
}

impl Line {
    fn estimate(x: Variable, design: Design, columns: &Columns) -> Self {
        let moments = design.moments(columns, Some(x));
        let fitted = regression(&moments, design.width, columns.n_rows());
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

/// A category given numbers, and categories beside them: in each state the parents' columns count as normal with a mean
/// of the state's own and one covariance matrix, so that the logarithms of the states' odds are linear in them.
pub(super) struct Classes {
    arity: usize,
    design: Design,
    /// Means of products of any two of 1 and the columns.
    products: Vec<f64>,
    /// For each state: its share, and the mean of each column times its indicator.
    sums: Vec<f64>,
    constants: Vec<f64>,
    /// A row for each state.
    weights: Vec<f64>,
}

impl Classes {
    fn estimate(x: Variable, arity: u32, design: Design, columns: &Columns) -> Self {
        let arity = arity as usize;
        let mut made = Self {
            arity,
            design,
            products: Vec::new(),
            sums: Vec::new(),
            constants: vec![0.0; arity],
            weights: Vec::new(),
        };
        (made.products, made.sums) = made.count(x, columns);
        made.weights = vec![0.0; arity * made.design.width];
        made.fit(columns.n_rows());
        made
    }

    fn count(&self, x: Variable, columns: &Columns) -> (Vec<f64>, Vec<f64>) {
        let (n, k) = (columns.n_rows(), 1 + self.design.width);
        let mut sums = vec![0.0; self.arity * k];
        let (mut row, mut values) = (columns.room(), Vec::with_capacity(k));
        for at in 0..n {
            columns.read(at, self.design.variables(), &mut row);
            values.clear();
            values.push((0, 1.0));
            self.design.write(&row, 1, &mut values);
            let state = columns.codes[x as usize].get(at) as usize;
            values.iter().for_each(|&(column, value)| sums[state * k + column] += value);
        }
        sums.iter_mut().for_each(|sum| *sum /= n as f64);
        (self.design.moments(columns, None), sums)
    }

    fn fit(&mut self, n_rows: usize) {
        let (k, n) = (self.design.width, n_rows as f64);
        let at = |i: usize, j: usize| self.products[i * (i + 1) / 2 + j];
        let overall = |i: usize| at(i + 1, 0);
        let share = |state: usize| self.sums[state * (k + 1)];
        // A row of all data is added to each state: of a rare one the mean is not known.
        let shift = |state: usize, i: usize| {
            (self.sums[state * (k + 1) + 1 + i] - share(state) * overall(i)) / (share(state) + 1.0 / n)
        };
        let shifts: Vec<f64> = (0..self.arity).flat_map(|state| (0..k).map(move |i| shift(state, i))).collect();
        let mut between = vec![0.0; k * k];
        for (state, shifts) in shifts.chunks_exact(k.max(1)).enumerate() {
            for (i, between) in between.chunks_exact_mut(k.max(1)).enumerate() {
                let weighted = share(state) * shifts[i];
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
        let mut weights = shifts.clone();
        let mut constants = Vec::with_capacity(self.arity);
        for state in 0..self.arity {
            let own = &mut weights[state * k..][..k];
            solve_lower(&within, k, own);
            solve_upper(&within, k, own);
            let against = |i: usize| 0.5 * shifts[state * k + i] + overall(i);
            let prior = (n * share(state) + 1.0 / self.arity as f64).ln();
            constants.push(prior - own.iter().enumerate().map(|(i, weight)| weight * against(i)).sum::<f64>());
        }
        (self.weights, self.constants) = (weights, constants);
    }

    /// The number of states.
    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    /// Where the columns of a parent begin.
    pub(super) fn place_of(&self, parent: Variable) -> std::ops::Range<usize> {
        self.design.place_of(parent)
    }

    /// The weights of some columns in a state.
    #[inline]
    pub(super) fn weights_from(&self, state: usize, columns: &std::ops::Range<usize>) -> &[f64] {
        let start = state * self.design.width;
        &self.weights[start + columns.start..start + columns.end]
    }

    fn logits(&self, row: &Row, found: &mut Vec<f64>) {
        found.clear();
        self.add_logits(row, found);
    }

    /// Appends the logits of all states.
    pub(super) fn add_logits(&self, row: &Row, found: &mut Vec<f64>) {
        let k = self.design.width;
        found.extend(
            (0..self.arity).map(|state| self.constants[state] + self.design.sum(&self.weights[state * k..][..k], row)),
        );
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
        }
    }

    #[test]
    fn a_line_is_that_of_the_data() {
        let columns = columns(303);
        let kinds = [Kind::Category(3), Kind::Number(2), Kind::Number(2)];
        let dag = Dag::from_arcs(3, [(0, 2), (1, 2)]).unwrap();
        let family = Family::estimate(2, &kinds, &[3, 1, 1], &columns, &dag);
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
        };
        let dag = Dag::from_arcs(2, [(0, 1)]).unwrap();
        let kinds = [Kind::Number(1), Kind::Category(2)];
        let families = [0, 1].map(|x| Family::estimate(x, &kinds, &[1, 2], &columns, &dag));
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
            assert!((children.log_density(Value::Score(z), &row).exp() - found).abs() < 1e-12);
        }
    }
}
