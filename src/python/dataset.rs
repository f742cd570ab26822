//! Data of each type: the classes by which Python holds them, and what moves into a job.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::array::{codes_from_array, codes_to_array};
use super::calls::{Calls, run_calling_job};
use super::elsewhere::{Elsewhere, SourceDataset};
use super::run::{AT_ONCE, Settings, run_job};
use crate::counts::{CountingEngine, FixedScale, Kernel, WeightedEngine};
use crate::data::{
    ContinuousData, Correlation, DiscreteData, IncompleteData, MixedColumn, MixedData, MixedOptions, Numbers,
    RowWeights, Shape, WeightedData,
};
use crate::discretise::group_numbers;
use crate::run::Run;
use crate::score::MixedEngine;
use crate::{Result, Variable};

/// Data of any type, as Python holds them.
#[derive(FromPyObject)]
pub(crate) enum AnyDataset<'py> {
    Categorical(PyRef<'py, CategoricalDataset>),
    Weighted(PyRef<'py, WeightedDataset>),
    Incomplete(PyRef<'py, IncompleteDataset>),
    Gaussian(PyRef<'py, GaussianDataset>),
    Mixed(PyRef<'py, MixedDataset>),
    Elsewhere(PyRef<'py, SourceDataset>),
}

impl AnyDataset<'_> {
    /// The data, to be moved into a job.
    pub(super) fn data(&self) -> AnyData {
        match self {
            Self::Categorical(dataset) => AnyData::Categorical(dataset.data.clone()),
            Self::Weighted(dataset) => AnyData::Weighted(Arc::clone(&dataset.data)),
            Self::Incomplete(dataset) => AnyData::Incomplete(Arc::clone(&dataset.data)),
            Self::Gaussian(dataset) => AnyData::Gaussian(Arc::clone(&dataset.correlation)),
            Self::Mixed(dataset) => AnyData::Mixed(Arc::clone(&dataset.data)),
            Self::Elsewhere(dataset) => AnyData::Elsewhere(dataset.data()),
        }
    }
}

/// Data of any type, without Python.
pub(super) enum AnyData {
    Categorical(Categorical),
    Weighted(Arc<WeightedData>),
    Incomplete(Arc<IncompleteData>),
    Gaussian(Arc<Correlation>),
    Mixed(Arc<MixedData>),
    /// Categories whose rows are elsewhere.
    Elsewhere(Arc<Elsewhere>),
}

impl AnyData {
    pub(super) fn n_variables(&self) -> usize {
        match self {
            Self::Categorical(data) => data.n_variables(),
            Self::Weighted(data) => data.data().n_variables(),
            Self::Incomplete(data) => data.n_variables(),
            Self::Gaussian(correlation) => correlation.n_variables(),
            Self::Mixed(data) => data.n_variables(),
            Self::Elsewhere(data) => data.shape().n_variables(),
        }
    }

    /// Rows and states, where all columns are complete categories.
    pub(super) fn shape(&self) -> Option<&Shape> {
        match self {
            Self::Categorical(data) => Some(data.shape()),
            Self::Weighted(data) => Some(data.data().shape()),
            Self::Elsewhere(data) => Some(data.shape()),
            Self::Incomplete(_) | Self::Gaussian(_) | Self::Mixed(_) => None,
        }
    }

    /// Does a job with the opened data.
    pub(super) fn run<T: Send>(
        &self,
        py: Python<'_>,
        settings: Settings,
        job: impl FnOnce(&OpenData<'_>, &Run, &Calls<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.run_unopened(py, settings, |run, calls| self.opened(run, calls, |open| job(open, run, calls)))
    }

    /// Does a job that opens the data itself. Where rows are elsewhere counting is waiting, which more threads can do, and
    /// Ctrl-C lets go of the rows.
    pub(super) fn run_unopened<T: Send>(
        &self,
        py: Python<'_>,
        settings: Settings,
        job: impl FnOnce(&Run, &Calls<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let Self::Elsewhere(data) = self else { return run_calling_job(py, &settings, job) };
        let done = run_calling_job(py, &Settings { waits: true, ..settings }, job);
        // A signal that came since the job was last looked after would be raised where nobody knows of the rows.
        let done = done.and_then(|found| py.check_signals().map(|()| found));
        if done.as_ref().is_err_and(|error| error.is_instance_of::<PyKeyboardInterrupt>(py)) {
            data.let_go(py)?;
        }
        done
    }

    /// Does a job with the data as tests and scores read them: complete categories through an engine that both share.
    pub(super) fn opened<T>(
        &self,
        run: &Run,
        calls: &Calls<'_>,
        job: impl FnOnce(&OpenData<'_>) -> Result<T>,
    ) -> Result<T> {
        let open = match self {
            Self::Elsewhere(data) => {
                let source = data.source(run, calls);
                let engine = CountingEngine::over(&source);
                run.check()?;
                return match data.known() {
                    None => job(&OpenData::Categorical(Box::new(engine))),
                    Some(known) => job(&OpenData::IncompleteElsewhere(&engine, known)),
                };
            }
            Self::Categorical(data) => OpenData::Categorical(Box::new(data.engine())),
            Self::Weighted(data) => OpenData::Weighted(Box::new(WeightedEngine::new(data))),
            Self::Incomplete(data) => OpenData::Incomplete(data),
            Self::Gaussian(correlation) => OpenData::Gaussian(correlation),
            Self::Mixed(data) => OpenData::Mixed(data, data.counted().map(MixedEngine::new)),
        };
        job(&open)
    }
}

/// What tests and scores are made on.
pub(super) enum OpenData<'d> {
    Categorical(Box<CountingEngine<'d>>),
    Weighted(Box<WeightedEngine<'d>>),
    Incomplete(&'d IncompleteData),
    /// What gives tables in which missing values are a state after the known ones, and the numbers of these.
    IncompleteElsewhere(&'d CountingEngine<'d>, &'d [u32]),
    Gaussian(&'d Correlation),
    /// The embedding, and what counts its categories, if there are any.
    Mixed(&'d MixedData, Option<MixedEngine<'d>>),
}

/// Complete data of categories, with what engines that count over them share: made at first use.
#[derive(Clone)]
pub(super) struct Categorical {
    data: Arc<DiscreteData>,
    scale: Arc<OnceLock<Arc<FixedScale>>>,
    kernel: Kernel,
}

impl Categorical {
    /// An engine that counts over the data.
    pub(super) fn engine(&self) -> CountingEngine<'_> {
        let scale = self.scale.get_or_init(|| Arc::new(FixedScale::new(self.data.n_rows())));
        CountingEngine::with_scale(&self.data, Arc::clone(scale), self.kernel).expect("the kernel was checked")
    }

    /// The data of some of the variables.
    pub(super) fn select(&self, variables: &[Variable]) -> Self {
        Self { data: Arc::new(self.data.select(variables)), scale: Arc::clone(&self.scale), kernel: self.kernel }
    }
}

impl Deref for Categorical {
    type Target = DiscreteData;

    fn deref(&self) -> &DiscreteData {
        &self.data
    }
}

/// Columns of state codes, copied once from numpy and never changed.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct CategoricalDataset {
    data: Categorical,
}

impl CategoricalDataset {
    /// The data, to be moved into a job.
    pub(super) fn data(&self) -> Categorical {
        self.data.clone()
    }

    /// What Python holds of data.
    pub(super) fn of(data: DiscreteData) -> PyResult<Self> {
        let kernel = Kernel::from_environment()?.unwrap_or_else(Kernel::best);
        Ok(Self { data: Categorical { data: Arc::new(data), scale: Arc::default(), kernel } })
    }
}

#[pymethods]
impl CategoricalDataset {
    /// `columns`: 1-D arrays of `uint8` or `uint16` state codes, all of one length; `arities`: the number of states of
    /// each.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        Self::of(DiscreteData::new(columns, arities)?)
    }

    /// The state codes of each variable.
    fn codes<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        self.data.data.columns().iter().map(|codes| codes_to_array(py, codes)).collect()
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    /// Number of states of each variable.
    #[getter]
    fn arities(&self) -> Vec<u32> {
        self.data.arities().to_vec()
    }
}

/// Columns of state codes, and a sampling weight for each row.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct WeightedDataset {
    data: Arc<WeightedData>,
}

impl WeightedDataset {
    /// The data, to be moved into a job.
    pub(super) fn data(&self) -> Arc<WeightedData> {
        Arc::clone(&self.data)
    }
}

#[pymethods]
impl WeightedDataset {
    /// `columns`, `arities`: as of a `CategoricalDataset`; `weights`: a number above 0 for each row.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>, weights: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        let data = WeightedData::new(DiscreteData::new(columns, arities)?, &weights.as_array().to_vec())?;
        Ok(Self { data: Arc::new(data) })
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.data().n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.data().n_variables()
    }

    /// Number of rows of equal weight that these are worth.
    #[getter]
    fn effective_rows(&self) -> f64 {
        self.data.effective_rows()
    }
}

/// Columns of state codes in which values may be missing.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct IncompleteDataset {
    data: Arc<IncompleteData>,
}

impl IncompleteDataset {
    /// The data, to be moved into a job.
    pub(super) fn data(&self) -> Arc<IncompleteData> {
        Arc::clone(&self.data)
    }
}

#[pymethods]
impl IncompleteDataset {
    /// `columns`: 1-D arrays of `uint8` or `uint16` state codes, all of one length, in which the code `arity` is a
    /// missing value; `arities`: the number of states of each.
    #[new]
    fn new(columns: Vec<Bound<'_, PyAny>>, arities: Vec<u32>) -> PyResult<Self> {
        let columns = columns.iter().map(codes_from_array).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { data: Arc::new(IncompleteData::new(columns, arities)?) })
    }

    /// Number of rows, complete or not.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }
}

/// The correlations of continuous columns and the number of rows behind them; the columns themselves are not kept.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct GaussianDataset {
    correlation: Arc<Correlation>,
    degenerate: Vec<Variable>,
}

impl GaussianDataset {
    /// What Python holds of correlations of different columns.
    pub(super) fn of(correlation: Correlation) -> Self {
        Self { correlation: Arc::new(correlation), degenerate: vec![] }
    }
}

#[pymethods]
impl GaussianDataset {
    /// From 1-D arrays of finite numbers, all of one length; with `isolate`, constant columns and copies of others
    /// correlate with nothing, where else they are refused; `weights`: a number above 0 for each row.
    #[staticmethod]
    #[pyo3(signature = (columns, threads, isolate = false, weights = None))]
    fn from_columns(
        py: Python<'_>,
        columns: Vec<PyReadonlyArray1<'_, f64>>,
        threads: usize,
        isolate: bool,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let columns = columns.iter().map(|column| column.as_array().to_vec()).collect();
        let weights = weights.map(|weights| RowWeights::new(&weights.as_array().to_vec())).transpose()?;
        let settings = Settings { threads, ..AT_ONCE };
        let (correlation, degenerate) = run_job(py, &settings, |run: &Run| {
            if isolate {
                return Correlation::of_degenerate(columns, weights, run);
            }
            Ok((Correlation::of(&ContinuousData::weighted(columns, weights)?, run)?, vec![]))
        })?;
        Ok(Self { correlation: Arc::new(correlation), degenerate })
    }

    /// From a correlation matrix and the number of rows that it was computed from.
    #[staticmethod]
    fn from_correlation(py: Python<'_>, matrix: PyReadonlyArray2<'_, f64>, n_rows: usize) -> PyResult<Self> {
        let rows: Vec<Vec<f64>> = matrix.as_array().outer_iter().map(|row| row.to_vec()).collect();
        let correlation = run_job(py, &AT_ONCE, |run| Correlation::from_matrix_within(&rows, n_rows, run))?;
        Ok(Self { correlation: Arc::new(correlation), degenerate: vec![] })
    }

    /// From what `correlations` and `log_variances` gave of other data.
    #[staticmethod]
    fn from_moments(correlations: PyReadonlyArray1<'_, f64>, log_variances: Vec<f64>, n_rows: usize) -> PyResult<Self> {
        let upper = correlations.as_array().to_vec();
        Ok(Self::of(Correlation::from_upper(&upper, log_variances, n_rows)?))
    }

    /// The logarithm of the variance of each column.
    fn log_variances(&self) -> Vec<f64> {
        (0..self.correlation.n_variables() as Variable).map(|x| self.correlation.log_variance(x)).collect()
    }

    /// Number of rows of equal weight that the rows are worth.
    #[getter]
    fn effective_rows(&self) -> f64 {
        self.correlation.effective_rows()
    }

    /// Columns that were set apart, since they are constant or copies of others.
    fn degenerate(&self) -> Vec<Variable> {
        self.degenerate.clone()
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.correlation.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.correlation.n_variables()
    }

    /// Correlations of all pairs: the upper triangle row by row.
    fn correlations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let p = self.correlation.n_variables() as Variable;
        let all = (0..p).flat_map(|x| ((x + 1)..p).map(move |y| (x, y)));
        PyArray1::from_vec(py, all.map(|(x, y)| self.correlation.get(x, y)).collect())
    }

    /// Variables that are linear combinations of others before them, with these.
    fn collinear(&self, py: Python<'_>) -> PyResult<Vec<(Variable, Vec<Variable>)>> {
        run_job(py, &AT_ONCE, |run| self.correlation.collinear_within(run))
    }
}

/// The group of each row of each number, the bounds of the groups, and what these tell relative to the embedding.
type CutNumbers<'py> = (Vec<Bound<'py, PyAny>>, Vec<Vec<(f64, f64)>>, f64);

/// Numbers beside categories, embedded in one correlation matrix.
#[pyclass(frozen, module = "phgs._core")]
pub(crate) struct MixedDataset {
    data: Arc<MixedData>,
}

#[pymethods]
impl MixedDataset {
    /// `columns`: 1-D arrays of one length, `float64` of finite numbers, or `uint8` or `uint16` state codes; `arities`: the
    /// number of states of each, 0 of a number; `ranks`: whether numbers enter by normal scores; `powers`: 1 for numbers
    /// alone, 2 with their squares, 3 with cubes; `keep_rows`: for scores that look at groups of rows; `weights`: sampling weights of rows.
    #[new]
    fn new(
        py: Python<'_>,
        columns: Vec<Bound<'_, PyAny>>,
        arities: Vec<u32>,
        ranks: bool,
        powers: usize,
        keep_rows: bool,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        threads: usize,
    ) -> PyResult<Self> {
        let weights = weights.map(|weights| weights.as_array().to_vec());
        let columns = mixed_columns(&columns, &arities)?;
        let options = MixedOptions { numbers: entering(ranks), powers, keep_rows };
        let settings = Settings { threads, ..AT_ONCE };
        let data = run_job(py, &settings, |run| MixedData::weighted(columns, weights.as_deref(), options, run))?;
        Ok(Self { data: Arc::new(data) })
    }

    /// Number of rows.
    #[getter]
    fn n_rows(&self) -> usize {
        self.data.n_rows()
    }

    /// Number of variables.
    #[getter]
    fn n_variables(&self) -> usize {
        self.data.n_variables()
    }

    /// Number of rows of equal weight that the rows are worth.
    #[getter]
    fn effective_rows(&self) -> f64 {
        self.data.effective_rows()
    }

    /// How many columns each variable has in the embedding.
    #[getter]
    fn widths(&self) -> Vec<usize> {
        (0..self.data.n_variables() as Variable).map(|x| self.data.width(x)).collect()
    }

    /// Cuts numbers into groups by what they tell of other columns: the group of each row of each of `numbers`, the least and
    /// the largest number of each group, and how much the groups tell relative to the embedding. `columns` and `arities` are
    /// those that the data were made from; nothing is cut by what is `apart`.
    fn groups<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<Bound<'py, PyAny>>,
        arities: Vec<u32>,
        numbers: Vec<Variable>,
        apart: Vec<Variable>,
        threads: usize,
    ) -> PyResult<CutNumbers<'py>> {
        let columns = mixed_columns(&columns, &arities)?;
        let data = Arc::clone(&self.data);
        let settings = Settings { threads, ..AT_ONCE };
        let found = run_job(py, &settings, |run| group_numbers(&data, &columns, &numbers, &apart, run))?;
        let codes = found.codes.iter().map(|codes| codes_to_array(py, codes)).collect();
        Ok((codes, found.bounds, found.advantage))
    }

    /// Pairs of numbers of which one is a function of the other.
    fn copies(&self) -> Vec<(Variable, Variable)> {
        self.data.copies().to_vec()
    }

    /// Correlations of all pairs of embedded columns, with the ridge: the upper triangle row by row.
    fn correlations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let q = (0..self.data.n_variables() as Variable).map(|x| self.data.width(x)).sum::<usize>() as Variable;
        let all = (0..q).flat_map(|x| ((x + 1)..q).map(move |y| (x, y)));
        PyArray1::from_vec(py, all.map(|(x, y)| self.data.correlation().get(x, y)).collect())
    }
}

/// Columns of numbers (`float64`) and of categories (state codes); of these the number of states is given.
pub(super) fn mixed_columns(columns: &[Bound<'_, PyAny>], arities: &[u32]) -> PyResult<Vec<MixedColumn>> {
    let read = |(column, &arity): (&Bound<'_, PyAny>, &u32)| {
        column.extract::<PyReadonlyArray1<'_, f64>>().map_or_else(
            |_| Ok(MixedColumn::Category(codes_from_array(column)?, arity)),
            |numbers| Ok(MixedColumn::Number(numbers.as_array().to_vec())),
        )
    };
    columns.iter().zip(arities).map(read).collect()
}

/// How numbers enter.
pub(super) fn entering(ranks: bool) -> Numbers {
    if ranks { Numbers::Ranks } else { Numbers::Values }
}
