//! The tables of many sets, counted together where the rows are.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::Cell;
use crate::counts::cache::pair_tables::{PANEL, PairTables};
use crate::counts::session::Remembered;
use crate::counts::{CountingEngine, CountingSession};
use crate::run::Run;
use crate::{Result, Variable};

/// What a part of the rows that is asked for tables again and again remembers from one request to the next.
#[derive(Debug, Default)]
pub(crate) struct PartTables {
    /// Of the threads that have no request at the moment.
    idle: Mutex<Vec<Remembered>>,
}

/// Sets whose tables are counted by one thread.
enum Job {
    /// Pairs (by their positions among all sets) of the variables of two panels.
    Pairs(usize, usize, Vec<usize>),
    /// Some sets, by their positions.
    Sets(Vec<usize>),
}

impl Job {
    fn positions(&self) -> &[usize] {
        match self {
            Self::Pairs(.., positions) | Self::Sets(positions) => positions,
        }
    }
}

/// Sets that one thread counts one after another, so that it remembers what neighbouring ones share.
const TOGETHER: usize = 64;

/// So many pairs of the same two panels are counted together.
const PAIRS: usize = PANEL * PANEL / 8;

impl PartTables {
    /// The counts of the tables of sets (each increasing), one after another, the first variable of a set running fastest.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`] when the run is cancelled.
    pub(crate) fn tables(&self, engine: &CountingEngine<'_>, sets: &[&[Variable]], run: &Run) -> Result<Vec<u32>> {
        let shape = engine.shape();
        let mut starts = Vec::with_capacity(sets.len() + 1);
        starts.push(0);
        sets.iter().for_each(|set| starts.push(starts[starts.len() - 1] + shape.n_cells(set)));
        let jobs = jobs(engine, sets);
        let counted = run.map(
            jobs.len(),
            || Taken { session: Some(self.session(engine)), idle: &self.idle, pairs: PairTables::default() },
            |taken, job| taken.count(sets, &jobs[job]),
        )?;
        let mut all = vec![0; starts[sets.len()]];
        for (job, counted) in jobs.iter().zip(counted) {
            let mut from = 0;
            for &at in job.positions() {
                let to = &mut all[starts[at]..starts[at + 1]];
                to.copy_from_slice(&counted[from..from + to.len()]);
                from += to.len();
            }
        }
        Ok(all)
    }

    /// The cells of the table of `variables` (any order) that have a count, by increasing cell.
    pub(crate) fn cells(&self, engine: &CountingEngine<'_>, variables: &[Variable]) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut session = self.session(engine);
        session.for_each_cell(variables, |cell, count| found.push((cell, count)));
        put_back(&self.idle, session);
        found
    }

    fn session<'e, 'd>(&self, engine: &'e CountingEngine<'d>) -> CountingSession<'e, 'd> {
        let remembered = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        CountingSession::with(engine, remembered.unwrap_or_default())
    }
}

fn put_back(idle: &Mutex<Vec<Remembered>>, session: CountingSession<'_, '_>) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(session.into_remembered());
}

/// Shares sets out: many pairs of neighbouring variables are counted together, others in their order.
fn jobs(engine: &CountingEngine<'_>, sets: &[&[Variable]]) -> Vec<Job> {
    let has_planes = |&v: &Variable| engine.here().is_some_and(|source| source.planes.has(v, engine.shape().arity(v)));
    let panels = |set: &[Variable]| match *set {
        [x, y] if set.iter().all(has_planes) => Some((x as usize / PANEL, y as usize / PANEL)),
        _ => None,
    };
    let mut pairs: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for (at, set) in sets.iter().enumerate() {
        if let Some(panels) = panels(set) {
            pairs.entry(panels).or_default().push(at);
        }
    }
    pairs.retain(|_, positions| positions.len() >= PAIRS);
    let alone = |&at: &usize| panels(sets[at]).is_none_or(|panels| !pairs.contains_key(&panels));
    let others: Vec<usize> = (0..sets.len()).filter(alone).collect();
    let mut jobs: Vec<Job> = others.chunks(TOGETHER).map(|some| Job::Sets(some.to_vec())).collect();
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable_by_key(|&(panels, _)| panels);
    jobs.extend(pairs.into_iter().map(|((x, y), positions)| Job::Pairs(x, y, positions)));
    jobs
}

/// A session of one thread, which gives back what it remembers.
struct Taken<'e, 'd, 'i> {
    session: Option<CountingSession<'e, 'd>>,
    idle: &'i Mutex<Vec<Remembered>>,
    pairs: PairTables,
}

impl Taken<'_, '_, '_> {
    fn count(&mut self, sets: &[&[Variable]], job: &Job) -> Vec<u32> {
        let session = self.session.as_mut().expect("there until the end");
        let shape = session.engine().shape();
        let mut counts = Vec::new();
        if let &Job::Pairs(x, y, _) = job {
            self.pairs.count(session.engine(), x, y);
        }
        for &at in job.positions() {
            let set = sets[at];
            let start = counts.len();
            counts.resize(start + shape.n_cells(set), 0);
            match *set {
                [x, y] if matches!(job, Job::Pairs(..)) => {
                    self.pairs.write(session.engine(), x, y, &mut counts[start..]);
                    session.remember_table(set, &counts[start..]);
                }
                _ => session.add_table(set, &mut counts[start..]),
            }
        }
        counts
    }
}

impl Drop for Taken<'_, '_, '_> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            put_back(self.idle, session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VariableSet;
    use crate::data::{Codes, DiscreteData};

    /// 40 columns, some constant, some with more states than planes have.
    fn data(n_rows: usize) -> DiscreteData {
        let arity = |x: usize| [2, 3, 1, 4, 2, 40, 5][x % 7];
        let code = |x: usize, row: usize| ((row * (x + 3) / 7 + row / (x + 2)) % arity(x)) as u8;
        let columns = (0..40).map(|x| Codes::Narrow((0..n_rows).map(|row| code(x, row)).collect()));
        DiscreteData::new(columns.collect(), (0..40).map(|x| arity(x) as u32).collect()).unwrap()
    }

    #[test]
    fn tables_are_those_of_counting_row_by_row_in_whatever_order_they_are_asked_for() {
        let data = data(700);
        let engine = CountingEngine::new(&data);
        let expected = |set: &[Variable]| {
            let mut table = vec![0; data.shape().n_cells(set)];
            for row in 0..data.n_rows() {
                let cell = set.iter().rev().fold(0, |cell, &x| cell * data.arity(x) + data.column(x).get(row));
                table[cell as usize] += 1;
            }
            table
        };
        let pairs: Vec<VariableSet> =
            (0..40).flat_map(|x| (x + 1..40).map(move |y| VariableSet::from_slice(&[x, y]))).collect();
        let some_pairs: Vec<VariableSet> = pairs.iter().step_by(9).cloned().collect();
        let others: Vec<VariableSet> = (0..36)
            .flat_map(|x| [vec![x], vec![], vec![x, x + 1, x + 4], vec![x, x + 1, x + 2, x + 3]])
            .map(|set| VariableSet::from_slice(&set))
            .collect();
        let mixed: Vec<VariableSet> =
            others.iter().zip(pairs.iter().rev()).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        for threads in [1, 3] {
            let run = Run::new(threads).unwrap();
            let part = PartTables::default();
            for sets in [&some_pairs, &others, &pairs, &mixed, &others, &some_pairs] {
                let asked: Vec<&[Variable]> = sets.iter().map(VariableSet::as_slice).collect();
                let wanted: Vec<u32> = sets.iter().flat_map(|set| expected(set)).collect();
                assert_eq!(part.tables(&engine, &asked, &run).unwrap(), wanted);
            }
            assert_eq!(part.tables(&engine, &[], &run).unwrap(), []);
        }
    }
}
