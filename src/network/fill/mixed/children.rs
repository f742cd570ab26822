//! What the children of a variable say of its value in a row.

use super::design::Row;
use super::families::{Classes, Family};
use crate::Variable;
use crate::data::power_of;
use crate::network::fill::tables::Table;

/// A value that is tried.
#[derive(Clone, Copy)]
pub(super) enum Value {
    State(u16),
    Score(f64),
}

/// The densities of a variable's children in one row, as functions of the variable's value alone: all else is summed up
/// once.
#[derive(Default)]
pub(super) struct Children<'n> {
    lines: Vec<OnLine<'n>>,
    classes: Vec<OnClasses<'n>>,
    /// The logits of the states of all `classes` at the neutral value: the first state, the score 0.
    logits: Vec<f64>,
    tables: Vec<(Variable, &'n Table)>,
}

struct OnLine<'n> {
    /// What the line leaves at the neutral value.
    residual: f64,
    precision: f64,
    /// Of the variable's columns.
    weights: &'n [f64],
}

struct OnClasses<'n> {
    classes: &'n Classes,
    /// The variable's columns.
    at: std::ops::Range<usize>,
    own: usize,
    /// Where its logits begin.
    start: usize,
}

impl<'n> Children<'n> {
    /// Reads a row in which the variable has the neutral value.
    pub(super) fn read(&mut self, x: Variable, children: &[Variable], families: &'n [Family], row: &Row) {
        self.lines.clear();
        self.classes.clear();
        self.logits.clear();
        self.tables.clear();
        for &child in children {
            match &families[child as usize] {
                Family::Table(table) => self.tables.push((child, table)),
                Family::Line(line) => self.lines.push(OnLine {
                    residual: row.scores[child as usize] - line.mean(row),
                    precision: line.variance().recip(),
                    weights: line.weights_of(x),
                }),
                Family::Classes(classes) => {
                    let own = usize::from(row.codes[child as usize]);
                    self.classes.push(OnClasses { classes, at: classes.place_of(x), own, start: self.logits.len() });
                    classes.add_logits(row, &mut self.logits);
                }
            }
        }
    }

    /// Precision, and precision times mean, of the normal distribution that the lines make of the score, as far as they
    /// are straight.
    pub(super) fn straight(&self) -> (f64, f64) {
        self.lines.iter().fold((0.0, 0.0), |(precision, shift), line| {
            let slope = line.weights.first().copied().unwrap_or(0.0);
            (precision + slope * slope * line.precision, shift + slope * line.residual * line.precision)
        })
    }

    /// The logarithm of the density of the children at a value, up to a constant. The row has the value where tables are.
    pub(super) fn log_density(&self, value: Value, row: &Row) -> f64 {
        let lines: f64 = self
            .lines
            .iter()
            .map(|line| {
                let left = line.residual - change(line.weights, value);
                left * left * line.precision
            })
            .sum();
        let classes: f64 = self.classes.iter().map(|on| on.log_share(value, &self.logits[on.start..])).sum();
        let tables: f64 =
            self.tables.iter().map(|&(x, table)| table.log_share(&row.codes, row.codes[x as usize])).sum();
        classes + tables - 0.5 * lines
    }
}

impl OnClasses<'_> {
    fn log_share(&self, value: Value, neutral: &[f64]) -> f64 {
        let logit = |state: usize| neutral[state] + change(self.classes.weights_from(state, &self.at), value);
        let arity = self.classes.arity();
        let largest = (0..arity).map(logit).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = (0..arity).map(|state| (logit(state) - largest).exp()).sum();
        logit(self.own) - largest - sum.ln()
    }
}

/// What a value adds to the sum of the variable's weighed columns, against the neutral one.
fn change(weights: &[f64], value: Value) -> f64 {
    match value {
        Value::State(0) => 0.0,
        Value::State(state) => weights[usize::from(state) - 1],
        Value::Score(z) => {
            weights.iter().enumerate().map(|(power, w)| w * (power_of(z, power) - power_of(0.0, power))).sum()
        }
    }
}
