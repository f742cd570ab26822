//! The one way in which Python starts work in the core.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::error::InternalError;
use crate::run::Run;
use crate::{Error, Result};

/// How often a waiting call looks for signals and reports progress.
const POLL: Duration = Duration::from_millis(50);

/// Stack of the thread that runs a job: as much as a main thread has.
const STACK: usize = 8 << 20;

/// How a job is run: what every long function of `_core` takes from Python.
pub(crate) struct Settings {
    /// Number of threads; 0 means all that this process may use, which more do too.
    pub(crate) threads: usize,
    /// Whether threads mostly wait for answers from elsewhere, so that there may be more of them than cores.
    pub(crate) waits: bool,
    /// Seconds after which searches return the best so far.
    pub(crate) time_limit: Option<f64>,
    /// Called as `progress(phase, done, total)` about twenty times a second, and last as `progress("finished", 1, 1)`.
    pub(crate) progress: Option<Py<PyAny>>,
}

/// Default settings for short work: one thread, no limit, no progress.
pub(crate) const AT_ONCE: Settings = Settings { threads: 1, waits: false, time_limit: None, progress: None };

impl Settings {
    fn run(&self) -> Result<Run> {
        let deadline = match self.time_limit {
            None => None,
            Some(seconds) if seconds > 0.0 => {
                // A limit beyond what a clock can hold is no limit.
                Duration::try_from_secs_f64(seconds).ok().and_then(|limit| Instant::now().checked_add(limit))
            }
            Some(seconds) => {
                return Err(Error::parameter("time_limit", format!("{seconds} is not a positive number of seconds")));
            }
        };
        let run =
            if self.waits { Run::waiting(self.threads) } else { Run::new(self.threads.min(Run::available_threads())) };
        Ok(run?.with_deadline(deadline))
    }

    fn report(&self, run: &Run) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let (phase, done, total) = run.progress().read();
        Python::attach(|py| progress.call1(py, (phase.name(), done, total)).map(drop))
    }
}

/// Runs `job` on a thread of its own with the interpreter released.
///
/// The calling thread waits, and every 50 ms takes the interpreter to look for signals (Ctrl-C) and to report progress.
/// When either raises, the run is cancelled, the job is joined and the exception is passed on; a job stops at its next
/// [`Run::check`]. Workers never touch Python, so that the check happens where Python allows it: on the thread that
/// called. A panic in the core, always a fault of ours, becomes an [`InternalError`].
///
/// # Errors
///
/// The job's error, the exception of a signal handler or of the progress callback.
pub(crate) fn run_job<T: Send>(
    py: Python<'_>,
    settings: &Settings,
    job: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    let run = settings.run()?;
    let mut outcome = None;
    py.detach(|| {
        let job = Box::new(|run: &Run| {
            outcome = Some(job(run)?);
            Ok(())
        });
        wait_for(settings, &run, job)
    })?;
    let outcome = outcome.expect("a job that ends without an error has an outcome");
    if let Some(progress) = &settings.progress {
        progress.call1(py, ("finished", 1, 1))?;
    }
    Ok(outcome)
}

/// [`run_job`] for work on a graph with so many edges: on the calling thread where it takes less time than to start another.
pub(crate) fn run_on_graph<T: Send>(
    py: Python<'_>,
    n_edges: usize,
    job: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    if n_edges > FEW_EDGES { run_job(py, &AT_ONCE, job) } else { Ok(job(&Run::new(1)?)?) }
}

/// Edges of a graph that any work is done on in a few milliseconds.
const FEW_EDGES: usize = 1000;

/// Work on a thread of its own, whatever it returns.
type Job<'j> = Box<dyn FnOnce(&Run) -> Result<()> + Send + 'j>;

/// Not generic, so that threads and signals are compiled once, not for each job.
fn wait_for(settings: &Settings, run: &Run, job: Job<'_>) -> PyResult<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(1);
        let worker = std::thread::Builder::new()
            .name("phgs-job".into())
            .stack_size(STACK)
            .spawn_scoped(scope, move || {
                let result = job(run);
                // The receiver is gone only when the wait below was given up, which nobody reads.
                let _ = sender.send(());
                result
            })
            .map_err(|e| InternalError::new_err(format!("a thread cannot be started: {e}")))?;
        let raised = loop {
            match receiver.recv_timeout(POLL) {
                // A dropped sender is a job that panicked; `join` tells.
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {
                    let polled = Python::attach(|py| py.check_signals()).and_then(|()| settings.report(run));
                    if let Err(error) = polled {
                        run.canceller().cancel();
                        break Some(error);
                    }
                }
            }
        };
        let result = worker.join();
        match (raised, result) {
            (Some(error), _) => Err(error),
            (None, Ok(Err(Error::Interrupted))) => Err(PyKeyboardInterrupt::new_err(())),
            (None, Ok(result)) => result.map_err(PyErr::from),
            (None, Err(panic)) => {
                let what = panic
                    .downcast_ref::<&str>()
                    .map(|s| (*s).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned())
                    .unwrap_or_else(|| "unknown panic".to_owned());
                Err(InternalError::new_err(format!("a fault of phgs itself, please report it: {what}")))
            }
        }
    })
}

/// Number of threads that `threads=0` means: the cores that this process may use.
#[pyfunction]
pub(crate) fn available_threads() -> usize {
    Run::available_threads()
}
