//! The one place that starts threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Progress;
use crate::{Error, Result};

/// A running computation: its threads, its cancellation flag, its deadline and its progress.
///
/// Every public computation takes a `&Run`. A run owns its thread pool, so that nothing is shared between runs,
/// between Python threads or with a forked child. With one thread no thread is started at all.
///
/// # Examples
///
/// ```
/// let run = phgs::run::Run::new(2)?;
/// let squares = run.map(5, || (), |_, i| i * i)?;
/// assert_eq!(squares, [0, 1, 4, 9, 16]);
/// # Ok::<(), phgs::Error>(())
/// ```
pub struct Run {
    pool: Option<rayon::ThreadPool>,
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// A stage was told that time is up.
    expired: AtomicBool,
    progress: Arc<Progress>,
}

/// What cancels a [`Run`], from any thread.
#[derive(Debug, Clone)]
pub struct Canceller(Arc<AtomicBool>);

impl Canceller {
    /// Cancels the run: it stops at its next check.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long after the deadline what is needed for a result at all may still take: the orientation of the skeleton at
/// hand, for one.
const GRACE: Duration = Duration::from_millis(150);

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("threads", &self.threads()).field("deadline", &self.deadline).finish()
    }
}

impl Run {
    /// A run on `threads` threads; 0 means all cores that this process may use ([`Run::available_threads`]). No more
    /// threads than that, or eight, are started: more would only wait for each other.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] when the threads cannot be started.
    pub fn new(threads: usize) -> Result<Self> {
        let available = Self::available_threads();
        Self::of_threads(if threads == 0 { available } else { threads.min(available.max(FEW_THREADS)) })
    }

    /// A run whose threads mostly wait for answers from elsewhere: on `threads` of them, at most 64, which 0 means.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn waiting(threads: usize) -> Result<Self> {
        Self::of_threads(if threads == 0 { WAITING_THREADS } else { threads.min(WAITING_THREADS) })
    }

    fn of_threads(threads: usize) -> Result<Self> {
        let pool = if threads == 1 {
            None
        } else {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("phgs-{i}")).build();
            Some(pool.map_err(|e| Error::parameter("threads", format!("{threads} threads cannot be started: {e}")))?)
        };
        Ok(Self::on(pool))
    }

    /// A run on the calling thread that nobody cancels and that has no deadline.
    pub(crate) fn unlimited() -> Self {
        Self::on(None)
    }

    fn on(pool: Option<rayon::ThreadPool>) -> Self {
        Self {
            pool,
            cancelled: Arc::default(),
            deadline: None,
            expired: AtomicBool::new(false),
            progress: Arc::default(),
        }
    }

    /// Number of cores that this process may use.
    pub fn available_threads() -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    /// The same run with a time after which searches stop and return the best graph so far.
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// What cancels this run from another thread.
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.cancelled))
    }

    /// Progress, to be written by the computation and read by whoever shows it.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Call at the head of every loop that may run long.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Whether the deadline has passed. A stage that is told so leaves the rest of its work and returns what it has.
    ///
    /// Every loop whose steps may add up asks at each step: it costs nothing without a deadline, and one look at the
    /// clock (some 30 ns) with one.
    pub fn out_of_time(&self) -> bool {
        let Some(deadline) = self.deadline else { return false };
        if self.was_cut_short() {
            return true;
        }
        let past = Instant::now() >= deadline;
        if past {
            self.expired.store(true, Ordering::Relaxed);
        }
        past
    }

    /// Whether any stage was told that time is up: what it then left undone is missing from the result. Once true it
    /// stays true. A stage carries no flag of its own for this.
    pub fn was_cut_short(&self) -> bool {
        self.expired.load(Ordering::Relaxed)
    }

    /// [`Run::check`] for work without which there is no result, so that it may go on for a short while after the
    /// deadline.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled, [`Error::OutOfTime`] once that while is over too.
    pub fn check_overtime(&self) -> Result<()> {
        self.check()?;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline + GRACE => {
                self.expired.store(true, Ordering::Relaxed);
                Err(Error::OutOfTime)
            }
            _ => Ok(()),
        }
    }

    /// Calls `work(session, i)` for every `i` below `n`, in parallel, and returns the results in the order of `i`.
    ///
    /// Each thread makes one session by `start` and keeps it for all its items; a result must not depend on what a
    /// session has seen before, so that results are the same for any number of threads. The run is checked for
    /// cancellation before each item.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] once the run is cancelled.
    pub fn map<S, R: Send>(
        &self,
        n: usize,
        start: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) -> R + Sync,
    ) -> Result<Vec<R>> {
        self.try_map(n, start, |session, i| Ok(work(session, i)))
    }

    /// [`Run::map`] for work that can fail. Of several errors that of the lowest index is returned, for any number of threads:
    /// all items below a failing one were handed out before it, and are finished.
    ///
    /// # Errors
    ///
    /// The error of `work`, or [`Error::Interrupted`].
    pub fn try_map<S, R: Send>(
        &self,
        n: usize,
        start: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let Some(pool) = self.pool.as_ref().filter(|_| n > 1) else {
            let mut session = start();
            return (0..n)
                .map(|i| {
                    self.check()?;
                    work(&mut session, i)
                })
                .collect();
        };
        // Items are handed out by a counter, so that one slow item does not hold up a block of others; small blocks
        // keep neighbouring items, which often share cached tables, on one thread.
        let block = (n / (pool.current_num_threads() * 64)).clamp(1, 64);
        let next = AtomicUsize::new(0);
        let all: Mutex<Vec<Option<Result<R>>>> = Mutex::new((0..n).map(|_| None).collect());
        on_every_thread(pool, &|| {
            let mut session = start();
            let mut part: Vec<(usize, Result<R>)> = Vec::new();
            'blocks: loop {
                let first = next.fetch_add(block, Ordering::Relaxed);
                if first >= n {
                    break;
                }
                for i in first..(first + block).min(n) {
                    let result = self.check().and_then(|()| work(&mut session, i));
                    let failed = result.is_err();
                    part.push((i, result));
                    if failed {
                        next.store(n, Ordering::Relaxed);
                        break 'blocks;
                    }
                }
            }
            let mut all = all.lock().expect("no thread fails while it hands over");
            for (i, result) in part {
                all[i] = Some(result);
            }
        });
        // None are those that nobody began after a failure.
        all.into_inner().expect("as above").into_iter().flatten().collect()
    }
}

/// Runs the same work on all threads at once. Not generic, so that rayon's part is compiled once.
fn on_every_thread(pool: &rayon::ThreadPool, work: &(dyn Fn() + Sync)) {
    pool.broadcast(|_| work());
}

/// Threads that are started if asked for, however few cores there are: so that tests of several threads are such
/// everywhere.
const FEW_THREADS: usize = 8;

/// Threads that wait: as many requests are gathered at once.
const WAITING_THREADS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_that_time_is_up_is_known() {
        let run = Run::new(1).unwrap();
        assert!(!run.out_of_time() && !run.was_cut_short());
        let run = Run::new(1).unwrap().with_deadline(Some(Instant::now()));
        assert!(!run.was_cut_short(), "nobody has asked yet");
        assert!(run.check_overtime().is_ok() && !run.was_cut_short());
        assert!(run.out_of_time() && run.was_cut_short());
        let run = Run::new(1).unwrap().with_deadline(Some(Instant::now() - 2 * GRACE));
        assert_eq!(run.check_overtime(), Err(Error::OutOfTime));
        assert!(run.was_cut_short() && run.out_of_time());
    }

    #[test]
    fn threads_are_no_more_than_there_is_use_for() {
        for threads in [4000, 1_000_000] {
            assert!(Run::new(threads).unwrap().threads() <= Run::available_threads().max(FEW_THREADS));
        }
        assert_eq!(Run::new(3).unwrap().threads(), 3);
    }

    #[test]
    fn map_keeps_order_for_any_thread_count() {
        for threads in [1, 2, 3] {
            let run = Run::new(threads).unwrap();
            let result = run.map(
                1000,
                || 0usize,
                |seen, i| {
                    *seen += 1;
                    i * 2
                },
            );
            assert_eq!(result.unwrap(), (0..1000).map(|i| i * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn cancellation_is_an_error() {
        for threads in [1, 2] {
            let run = Run::new(threads).unwrap();
            let canceller = run.canceller();
            let result = run.map(
                1000,
                || (),
                |(), i| {
                    if i == 10 {
                        canceller.cancel();
                    }
                },
            );
            assert_eq!(result, Err(Error::Interrupted));
        }
    }

    #[test]
    fn the_first_error_is_returned() {
        let run = Run::new(2).unwrap();
        let result = run.try_map(
            100,
            || (),
            |(), i| {
                if i >= 50 { Err(Error::Data("x".into())) } else { Ok(i) }
            },
        );
        assert_eq!(result, Err(Error::Data("x".into())));
    }
}
