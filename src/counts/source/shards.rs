//! Shards of rows in one process.

use std::sync::{Mutex, PoisonError};

use super::part::PartTables;
use super::{Cell, TableSource};
use crate::counts::CountingEngine;
use crate::data::Shape;
use crate::run::{Canceller, Run};
use crate::{Error, Result, Variable, VariableSet};

/// A source of tables over several tables of data with the same variables and states, whose rows follow each other.
///
/// # Examples
///
/// ```
/// use phgs::Run;
/// use phgs::counts::{CountingEngine, Shards};
/// use phgs::data::{Codes, DiscreteData};
///
/// let part = |x: [u8; 3]| DiscreteData::new(vec![Codes::Narrow(x.to_vec()), Codes::Narrow(vec![0, 1, 1])], vec![2, 2]);
/// let parts = [part([0, 1, 1])?, part([0, 0, 1])?];
/// let engines: Vec<_> = parts.iter().map(CountingEngine::new).collect();
/// let shards = Shards::new(&engines, Run::new(1)?.canceller())?;
/// let engine = CountingEngine::over(&shards);
/// assert_eq!(engine.session().table(&[0, 1]), Some([2, 0, 1, 3].as_slice()));
/// # Ok::<(), phgs::Error>(())
/// ```
#[derive(Debug)]
pub struct Shards<'e> {
    shape: Shape,
    parts: Vec<Part<'e>>,
    canceller: Canceller,
    failure: Mutex<Option<Error>>,
}

/// A shard.
#[derive(Debug)]
struct Part<'e> {
    engine: &'e CountingEngine<'e>,
    tables: PartTables,
}

impl<'e> Shards<'e> {
    /// A source over the tables of some engines, for a run that `canceller` ends.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] when there are none, when variables or states differ, or when there are too many rows.
    pub fn new(engines: &'e [CountingEngine<'e>], canceller: Canceller) -> Result<Self> {
        let Some(first) = engines.first() else {
            return Err(Error::Data("there are no shards".into()));
        };
        if engines.iter().any(|engine| engine.shape().arities() != first.shape().arities()) {
            return Err(Error::Data("shards differ in their variables or states".into()));
        }
        let n_rows = engines.iter().map(|engine| engine.shape().n_rows()).sum();
        let shape = Shape::new(n_rows, first.shape().arities().to_vec())?;
        let parts = engines.iter().map(|engine| Part { engine, tables: PartTables::default() }).collect();
        Ok(Self { shape, parts, canceller, failure: Mutex::default() })
    }

    /// Why the run was ended, if it was by a table that cannot be counted.
    pub fn failure(&self) -> Option<Error> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl TableSource for Shards<'_> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn tables(&self, sets: &[VariableSet]) -> Vec<Vec<u32>> {
        let asked: Vec<&[Variable]> = sets.iter().map(VariableSet::as_slice).collect();
        let mut totals: Vec<Vec<u32>> = sets.iter().map(|set| vec![0; self.shape.n_cells(set)]).collect();
        for part in &self.parts {
            // Threads of the run that learns ask; none is started here.
            let counts = part.tables.tables(part.engine, &asked, &Run::unlimited()).expect("nobody cancels it");
            let cells = totals.iter_mut().flatten();
            cells.zip(counts).for_each(|(total, count)| *total += count);
        }
        totals
    }

    fn cells(&self, variables: &[Variable]) -> Vec<Cell> {
        let parts = self.parts.iter().map(|part| part.tables.cells(part.engine, variables));
        parts.reduce(|a, b| merged(&a, &b)).unwrap_or_default()
    }

    fn fail(&self, error: Error) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.canceller.cancel();
    }
}

/// The sums of two lists of cells, each by increasing cell.
pub(super) fn merged(a: &[Cell], b: &[Cell]) -> Vec<Cell> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek().copied(), b.peek().copied()) {
            (Some((cell, count)), Some((other, more))) if cell == other => {
                all.push((cell, count + more));
                a.next();
                b.next();
            }
            (Some(first), Some(second)) if first.0 < second.0 => {
                all.push(first);
                a.next();
            }
            (_, Some(second)) => {
                all.push(second);
                b.next();
            }
            (Some(first), None) => {
                all.push(first);
                a.next();
            }
            (None, None) => return all,
        }
    }
}
