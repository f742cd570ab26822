//! Data of categories whose rows are elsewhere: what Python asks for their tables, and what answers where they are.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::array::codes_from_array;
use super::calls::Calls;
use super::effects::Sets;
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use crate::counts::{Ask, Cell, CountingEngine, PartTables, Rounds};
use crate::data::{DiscreteData, Shape};
use crate::run::{Canceller, Run};
use crate::{Error, Variable, VariableSet};

/// The shape of a table, and a Python object that is asked for its contingency tables.
pub(super) struct Elsewhere {
    shape: Shape,
    /// The numbers of known states, where values are missing: a state after these stands for them.
    known: Option<Vec<u32>>,
    ask: Py<PyAny>,
}

impl Elsewhere {
    pub(super) fn known(&self) -> Option<&[u32]> {
        self.known.as_deref()
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Lets go of the rows.
    pub(super) fn let_go(&self, py: Python<'_>) -> PyResult<()> {
        self.ask.call_method0(py, "free").map(drop)
    }

    /// A source of tables for a run.
    pub(super) fn source<'a>(&'a self, run: &Run, calls: &'a Calls<'a>) -> Rounds<Asked<'a>> {
        Rounds::new(self.shape.clone(), Asked { ask: &self.ask, calls }, run.threads())
    }
}

/// Data whose rows are elsewhere.
///
/// `ask.tables(members, starts, cancelled)` returns the counts of the tables of sets of variables as `uint32`, one table after
/// another, the first variable running fastest: set i is `members[starts[i]:starts[i + 1]]`. `ask.cells(variables, cancelled)`
/// returns the cells of one table that have a count, by increasing cell: the low and the high 64 bits of each, and the counts.
/// Both are called by one thread at a time, and give up once `cancelled()` says so. `ask.free()` is called when Ctrl-C has ended
/// a run.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct SourceDataset {
    data: Arc<Elsewhere>,
}

impl SourceDataset {
    pub(super) fn data(&self) -> Arc<Elsewhere> {
        Arc::clone(&self.data)
    }
}

#[pymethods]
impl SourceDataset {
    /// `n_rows`: of all parts; `arities`: the number of states of each variable; `known`, where values are missing: the same
    /// without the state of missing values, which is the last.
    #[new]
    #[pyo3(signature = (n_rows, arities, ask, known = None))]
    fn new(n_rows: usize, arities: Vec<u32>, ask: Py<PyAny>, known: Option<Vec<u32>>) -> PyResult<Self> {
        if known.as_ref().is_some_and(|known| known.len() != arities.len()) {
            return Err(Error::Data("there must be a number of known states for each variable".into()).into());
        }
        Ok(Self { data: Arc::new(Elsewhere { shape: Shape::new(n_rows, arities)?, known, ask }) })
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.shape.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.shape.n_variables()
    }
}

/// Whether the run that asks was cancelled: called without arguments.
#[pyclass(frozen, module = "phgs._core")]
struct Cancelled(Canceller);

#[pymethods]
impl Cancelled {
    fn __call__(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Asks a Python object.
pub(super) struct Asked<'a> {
    ask: &'a Py<PyAny>,
    calls: &'a Calls<'a>,
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Asked")
    }
}

fn wrong_answer() -> PyErr {
    Error::Data("the source of tables gave no whole numbers of 32 bits".into()).into()
}

impl Ask for Asked<'_> {
    fn tables(&self, sets: &[VariableSet]) -> Option<Vec<u32>> {
        let members: Vec<Variable> = sets.iter().flat_map(|set| set.iter().copied()).collect();
        let mut starts = vec![0u64];
        sets.iter().for_each(|set| starts.push(starts[starts.len() - 1] + set.len() as u64));
        let found = self.calls.call(|py| {
            let cancelled = Cancelled(self.calls.canceller());
            let asked = (PyArray1::from_vec(py, members), PyArray1::from_vec(py, starts), cancelled);
            let found = self.ask.call_method1(py, "tables", asked)?;
            let found: PyReadonlyArray1<'_, u32> = found.extract(py).map_err(|_| wrong_answer())?;
            Ok(found.as_array().to_vec())
        });
        // Who was told to give up has no answer.
        found.filter(|_| !self.calls.canceller().is_cancelled())
    }

    fn cells(&self, variables: &[Variable]) -> Option<Vec<Cell>> {
        self.calls.call(|py| {
            let asked = (PyArray1::from_slice(py, variables), Cancelled(self.calls.canceller()));
            let found = self.ask.call_method1(py, "cells", asked)?;
            type Found<'py> = (PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u64>, PyReadonlyArray1<'py, u32>);
            let (low, high, counts): Found<'_> = found.extract(py).map_err(|_| wrong_answer())?;
            let cells = low
                .as_array()
                .iter()
                .zip(high.as_array())
                .map(|(&low, &high)| u128::from(high) << 64 | u128::from(low))
                .collect::<Vec<_>>();
            Ok(cells.into_iter().zip(counts.as_array().iter().copied()).collect())
        })
    }

    fn fail(&self, error: Error) {
        self.calls.fail(error.into());
    }
}

/// A part of the rows, where it is counted.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct PartCounter {
    engine: CountingEngine<'static>,
    tables: PartTables,
}

/// The cells of a table that have a count: the low and the high 64 bits of each, and the counts.
type Cells<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>);

#[pymethods]
impl PartCounter {
    /// `columns`, `arities`: as of a `CategoricalDataset`.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        let data = Arc::new(DiscreteData::new(columns, arities)?);
        Ok(Self { engine: CountingEngine::holding(data), tables: PartTables::default() })
    }

    /// The counts of the tables of sets of variables (each increasing), one after another.
    fn tables<'py>(
        &self,
        py: Python<'py>,
        members: PyReadonlyArray1<'_, Variable>,
        starts: PyReadonlyArray1<'_, u64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        check(self.engine.shape().n_variables(), members.as_array().iter().copied())?;
        let sets = Sets::new(&members, &starts)?;
        let found = run_job(py, &Settings { threads, ..AT_ONCE }, |run| {
            let sets: Vec<&[Variable]> = (0..sets.len()).map(|at| sets.set(at)).collect();
            self.tables.tables(&self.engine, &sets, run)
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// The cells of the table of `variables` that have a count, by increasing cell.
    fn cells<'py>(&self, py: Python<'py>, variables: PyReadonlyArray1<'_, Variable>) -> PyResult<Cells<'py>> {
        let variables = variables.as_array().to_vec();
        check(self.engine.shape().n_variables(), variables.iter().copied())?;
        let found = run_job(py, &AT_ONCE, |_| Ok(self.tables.cells(&self.engine, &variables)))?;
        Ok((
            PyArray1::from_iter(py, found.iter().map(|&(cell, _)| cell as u64)),
            PyArray1::from_iter(py, found.iter().map(|&(cell, _)| (cell >> 64) as u64)),
            PyArray1::from_iter(py, found.iter().map(|&(_, count)| count)),
        ))
    }
}
