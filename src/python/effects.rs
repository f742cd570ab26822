//! Tables of many sets, and the effects that sums of such tables show.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::dataset::CategoricalDataset;
use super::graph::check;
use super::run::{AT_ONCE, Settings, run_job};
use crate::counts::CountingEngine;
use crate::independence::{DegreesOfFreedom, Effect};
use crate::{Error, Result, Variable};

/// Sets of variables, one after another: set i is `members[starts[i]..starts[i + 1]]`.
pub(super) struct Sets {
    members: Vec<Variable>,
    starts: Vec<u64>,
}

impl Sets {
    pub(super) fn new(members: &PyReadonlyArray1<'_, Variable>, starts: &PyReadonlyArray1<'_, u64>) -> Result<Self> {
        let sets = Self { members: members.as_array().to_vec(), starts: starts.as_array().to_vec() };
        let rises = sets.starts.windows(2).all(|w| w[0] <= w[1]);
        if !rises || sets.starts.last().copied().unwrap_or(0) != sets.members.len() as u64 {
            return Err(Error::Data("starts: expected to rise to the number of members".into()));
        }
        Ok(sets)
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn set(&self, i: usize) -> &[Variable] {
        &self.members[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// The counts of the tables of sets of variables, one after another, the first variable of a set running fastest.
#[pyfunction]
#[pyo3(signature = (dataset, members, starts, threads))]
pub(crate) fn tables<'py>(
    py: Python<'py>,
    dataset: PyRef<'_, CategoricalDataset>,
    members: PyReadonlyArray1<'_, Variable>,
    starts: PyReadonlyArray1<'_, u64>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let data = dataset.data();
    check(data.n_variables(), members.as_array().iter().copied())?;
    let sets = Sets::new(&members, &starts)?;
    let found = run_job(py, &Settings { threads, ..AT_ONCE }, move |run| {
        let engine: CountingEngine<'_> = data.engine();
        run.map(
            sets.len(),
            || engine.session(),
            |session, i| {
                let set = sets.set(i);
                let cells = set.iter().map(|&v| data.arity(v) as usize).product();
                let mut table = vec![0u64; cells];
                session.for_each_cell(set, |cell, count| table[cell as usize] = u64::from(count));
                table
            },
        )
        .map(|tables| tables.concat())
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// Of each table the conditional mutual information in bits, G², its degrees of freedom and log p-value.
type Effects<'py> = [Bound<'py, PyArray1<f64>>; 4];

/// The effects of the first two variables of each set on each other given the others, by the tables that [`tables`]
/// returns (or sums of such) of variables with these numbers of states.
#[pyfunction]
#[pyo3(signature = (counts, members, starts, arities, adjusted))]
pub(crate) fn effects<'py>(
    py: Python<'py>,
    counts: PyReadonlyArray1<'_, u64>,
    members: PyReadonlyArray1<'_, Variable>,
    starts: PyReadonlyArray1<'_, u64>,
    arities: Vec<usize>,
    adjusted: bool,
) -> PyResult<Effects<'py>> {
    check(arities.len(), members.as_array().iter().copied())?;
    let sets = Sets::new(&members, &starts)?;
    let rule = if adjusted { DegreesOfFreedom::Adjusted } else { DegreesOfFreedom::Classical };
    let wrong = || Error::Data("counts: expected the tables of these sets".into());
    let counts = counts.as_slice().map_err(|_| wrong())?;
    let (mut rest, mut found) = (counts, Vec::with_capacity(sets.len()));
    for i in 0..sets.len() {
        let set = sets.set(i);
        let [x, y, ..] = *set else { return Err(wrong().into()) };
        let cells = set.iter().map(|&v| arities[v as usize]).product();
        let (table, others) = rest.split_at_checked(cells).filter(|(table, _)| !table.is_empty()).ok_or_else(wrong)?;
        found.push(Effect::of_table(table, arities[x as usize], arities[y as usize], rule));
        rest = others;
    }
    let column = |of: fn(&Effect) -> f64| PyArray1::from_iter(py, found.iter().map(of));
    Ok([
        column(|effect| effect.bits),
        column(|effect| effect.statistic),
        column(|effect| effect.degrees_of_freedom),
        column(|effect| effect.log_p_value),
    ])
}
