//! Requests of many threads gathered into rounds, for sources that are far away.
//!
//! An algorithm runs on many threads, each of which waits for the tables that it needs. The first to wait leads: when nobody
//! has joined for a millisecond, it takes the sets of all, drops doubles, asks once and hands out the tables. Algorithms, their
//! order and their ties are untouched, so that the result cannot differ; there are only as many rounds as steps that need each
//! other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::{Cell, TableSource};
use crate::data::Shape;
use crate::{Error, Variable, VariableSet};

/// Who is asked, by one thread at a time: tables over all rows.
pub trait Ask: Sync + std::fmt::Debug {
    /// The counts of the tables of the sets, one after another; `None` when there is no answer and the run has been ended.
    fn tables(&self, sets: &[VariableSet]) -> Option<Vec<u32>>;

    /// See [`TableSource::cells`]; `None` as above.
    fn cells(&self, variables: &[Variable]) -> Option<Vec<Cell>>;

    /// See [`TableSource::fail`].
    fn fail(&self, error: Error);
}

/// How long nobody may have joined before a round is asked.
const QUIET: Duration = Duration::from_millis(1);

/// A source that asks in rounds.
#[derive(Debug)]
pub struct Rounds<A> {
    shape: Shape,
    ask: A,
    /// As many threads may wait at once: when all of them do, nobody else can join.
    threads: usize,
    quiet: Duration,
    /// Held while somebody asks.
    asking: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Arc<Request>>,
    is_led: bool,
    joined: Option<Instant>,
    counts: RoundCounts,
}

/// What was asked so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct RoundCounts {
    /// Rounds.
    pub rounds: u64,
    /// Tables in them.
    pub tables: u64,
    /// Cells of these.
    pub cells: u64,
}

#[derive(Debug)]
struct Request {
    sets: Vec<VariableSet>,
    answer: Mutex<Option<Vec<Vec<u32>>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Ask> Rounds<A> {
    /// A source of tables of this shape for a run on so many threads.
    pub fn new(shape: Shape, ask: A, threads: usize) -> Self {
        Self {
            shape,
            ask,
            threads,
            quiet: QUIET,
            asking: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// What was asked so far.
    pub fn counts(&self) -> RoundCounts {
        lock(&self.state).counts
    }

    /// Waits until nobody joins any more, and takes all requests.
    fn gather(&self) -> Vec<Arc<Request>> {
        let mut state = lock(&self.state);
        loop {
            let since = state.joined.map_or(self.quiet, |joined| joined.elapsed());
            if state.waiting.len() >= self.threads || since >= self.quiet {
                return std::mem::take(&mut state.waiting);
            }
            state = self.changed.wait_timeout(state, self.quiet - since).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Asks for the sets of all requests and answers each.
    fn lead(&self) {
        let requests = self.gather();
        let mut place: FxHashMap<&VariableSet, usize> = FxHashMap::default();
        let mut asked: Vec<VariableSet> = Vec::new();
        for set in requests.iter().flat_map(|request| &request.sets) {
            place.entry(set).or_insert_with(|| {
                asked.push(set.clone());
                asked.len() - 1
            });
        }
        let sizes: Vec<usize> = asked.iter().map(|set| self.shape.n_cells(set)).collect();
        let total = sizes.iter().sum();
        // A run that has been ended reads zeros until it stops.
        let asking = lock(&self.asking);
        let counts = self.ask.tables(&asked).filter(|counts| {
            let fits = counts.len() == total;
            if !fits {
                let problem = "the source of tables gave an answer of another size; its parts do not fit together";
                self.ask.fail(Error::Data(problem.into()));
            }
            fits
        });
        let counts = counts.unwrap_or_else(|| vec![0; total]);
        drop(asking);
        let mut starts = Vec::with_capacity(sizes.len() + 1);
        starts.push(0);
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        for request in &requests {
            let table = |set: &VariableSet| counts[starts[place[set]]..starts[place[set] + 1]].to_vec();
            *lock(&request.answer) = Some(request.sets.iter().map(table).collect());
        }
        let mut state = lock(&self.state);
        state.counts.rounds += 1;
        state.counts.tables += asked.len() as u64;
        state.counts.cells += total as u64;
    }
}

/// Gives the lead away, also when leading failed.
struct Led<'a, A>(&'a Rounds<A>);

impl<A> Drop for Led<'_, A> {
    fn drop(&mut self) {
        lock(&self.0.state).is_led = false;
        self.0.changed.notify_all();
    }
}

impl<A: Ask> TableSource for Rounds<A> {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn tables(&self, sets: &[VariableSet]) -> Vec<Vec<u32>> {
        if sets.is_empty() {
            return Vec::new();
        }
        let request = Arc::new(Request { sets: sets.to_vec(), answer: Mutex::default() });
        let mut state = lock(&self.state);
        state.waiting.push(Arc::clone(&request));
        state.joined = Some(Instant::now());
        self.changed.notify_all();
        loop {
            if let Some(answer) = lock(&request.answer).take() {
                return answer;
            }
            if state.is_led {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                state.is_led = true;
                drop(state);
                let led = Led(self);
                self.lead();
                drop(led);
                state = lock(&self.state);
            }
        }
    }

    fn cells(&self, variables: &[Variable]) -> Vec<Cell> {
        lock(&self.state).counts.rounds += 1;
        let _asking = lock(&self.asking);
        self.ask.cells(variables).unwrap_or_default()
    }

    fn fail(&self, error: Error) {
        self.ask.fail(error);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers each set with its first variable, in every cell.
    #[derive(Debug, Default)]
    struct Firsts {
        asked: Mutex<Vec<VariableSet>>,
        rounds: AtomicUsize,
    }

    impl Ask for &Firsts {
        fn tables(&self, sets: &[VariableSet]) -> Option<Vec<u32>> {
            self.rounds.fetch_add(1, Ordering::Relaxed);
            lock(&self.asked).extend_from_slice(sets);
            Some(sets.iter().flat_map(|set| vec![set[0]; 1 << set.len()]).collect())
        }

        fn cells(&self, _: &[Variable]) -> Option<Vec<Cell>> {
            None
        }

        fn fail(&self, _: Error) {}
    }

    /// Answers with one cell too few, and remembers why it was told to fail.
    #[derive(Debug, Default)]
    struct Short(Mutex<Option<Error>>);

    impl Ask for &Short {
        fn tables(&self, sets: &[VariableSet]) -> Option<Vec<u32>> {
            Some(vec![7; (sets.len() << 1) - 1])
        }

        fn cells(&self, _: &[Variable]) -> Option<Vec<Cell>> {
            None
        }

        fn fail(&self, error: Error) {
            *lock(&self.0) = Some(error);
        }
    }

    #[test]
    fn an_answer_of_another_size_is_an_error_and_not_zeros() {
        let short = Short::default();
        let rounds = Rounds::new(Shape::new(10, vec![2; 9]).unwrap(), &short, 1);
        rounds.tables(&[VariableSet::from_slice(&[3])]);
        assert!(lock(&short.0).as_ref().is_some_and(|error| error.to_string().contains("another size")));
    }

    #[test]
    fn threads_share_rounds_and_no_set_is_asked_for_twice_in_one() {
        let firsts = Firsts::default();
        let mut rounds = Rounds::new(Shape::new(10, vec![2; 9]).unwrap(), &firsts, 8);
        rounds.quiet = Duration::from_secs(60);
        let together = Barrier::new(8);
        std::thread::scope(|scope| {
            for x in 0..8u32 {
                let (rounds, together) = (&rounds, &together);
                scope.spawn(move || {
                    for step in 0..5 {
                        together.wait();
                        let sets = [VariableSet::from_slice(&[x / 2, 8]), VariableSet::from_slice(&[step])];
                        assert_eq!(rounds.tables(&sets), [vec![x / 2; 4], vec![step; 2]]);
                    }
                });
            }
        });
        let counts = rounds.counts();
        assert_eq!(counts.rounds as usize, firsts.rounds.load(Ordering::Relaxed));
        // All eight wait at once, so that five rounds do.
        assert_eq!(counts, RoundCounts { rounds: 5, tables: 5 * (4 + 1), cells: 5 * (4 * 4 + 2) });
    }
}
