//! What the children of a variable say of its value in a row.

use super::design::Row;
use super::families::{Classes, Family};
use crate::Variable;
use crate::data::power_of;
use crate::network::fill::tables::Table;
use crate::stats::exponentials_below;

/// A value that is tried.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// A state of this group.
    Group(u16),
    Score(f64),
}

/// What a value makes of a variable's columns, against the neutral one.
enum Change {
    Nothing,
    /// This column is 1.
    Column(usize),
    /// What the powers of a score differ by.
    Powers([f64; MOST_POWERS]),
}

/// No number enters with more powers.
const MOST_POWERS: usize = 3;

impl Change {
    fn of(value: Value) -> Self {
        match value {
            Value::Group(0) => Self::Nothing,
            Value::Group(group) => Self::Column(usize::from(group) - 1),
            Value::Score(z) => Self::Powers(std::array::from_fn(|power| power_of(z, power) - power_of(0.0, power))),
        }
    }

    /// What it adds to the sum of the columns, weighed, where a column has a weight.
    #[inline]
    fn weighed(&self, weights: &[f64]) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Column(column) => weights[*column],
            Self::Powers(powers) => weights.iter().zip(powers).map(|(weight, power)| weight * power).sum(),
        }
    }
}

/// The densities of a variable's children in one row, as functions of the variable's value alone: all else is summed up
/// once.
#[derive(Default)]
pub(super) struct Children<'n> {
    lines: Vec<OnLine<'n>>,
    classes: Vec<OnClasses<'n>>,
    /// The logits of the groups of states of all `classes` at the neutral value: the first state, the score 0.
    logits: Vec<f64>,
    /// The logits of one of them at a value.
    room: Vec<f64>,
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
                    let own = usize::from(classes.group(row.codes[child as usize]));
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

    /// The logarithm of the density at a value of the children that are lines and discriminants, up to a constant.
    pub(super) fn of_value(&mut self, value: Value) -> f64 {
        let change = Change::of(value);
        let lines: f64 = self
            .lines
            .iter()
            .map(|line| {
                let left = line.residual - change.weighed(line.weights);
                left * left * line.precision
            })
            .sum();
        let (logits, room) = (&self.logits, &mut self.room);
        let classes: f64 = self.classes.iter().map(|on| on.log_share(&change, &logits[on.start..], room)).sum();
        classes - 0.5 * lines
    }

    /// The logarithm of the probability of the children that have tables, with the value in the row.
    pub(super) fn of_tables(&self, row: &Row) -> f64 {
        self.tables.iter().map(|&(x, table)| table.log_share(&row.codes, row.codes[x as usize])).sum()
    }
}

impl OnClasses<'_> {
    fn log_share(&self, change: &Change, neutral: &[f64], logits: &mut Vec<f64>) -> f64 {
        logits.clear();
        logits.extend_from_slice(&neutral[..self.classes.n_groups()]);
        let mut add = |column: usize, value: f64| {
            let weights = self.classes.weights_of(self.at.start + column);
            logits.iter_mut().zip(weights).for_each(|(logit, weight)| *logit += weight * value);
        };
        match change {
            Change::Nothing => {}
            Change::Column(column) => add(*column, 1.0),
            Change::Powers(powers) => {
                powers.iter().take(self.at.len()).enumerate().for_each(|(power, &value)| add(power, value));
            }
        }
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logits.iter_mut().for_each(|logit| *logit -= largest);
        let own = logits[self.own];
        exponentials_below(logits);
        own - logits.iter().sum::<f64>().ln()
    }
}
