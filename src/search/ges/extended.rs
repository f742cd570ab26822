//! Beyond the first local optimum: deletions that cost score, each followed by a search of its own.
//!
//! An edge that was inserted early can keep the search from a better class, although to delete it alone costs score
//! (Nazaret and Blei 2024). So each deletion is tried, the least costly first: the search goes on from there without the
//! deleted edge, then with it again, and what it ends with is kept when its score is better than before.

use rustc_hash::FxHashSet;

use super::book::Book;
use super::class::EquivalenceClass;
use super::operator::{Kind, Operator};
use super::scores::tolerance;
use super::search::Search;
use crate::score::LocalScore;
use crate::{Result, Variable};

/// What a search returns to from a trial that has brought nothing.
struct Saved {
    class: EquivalenceClass,
    books: [Book; 3],
    applied: [usize; 3],
    hash: u64,
}

impl<S: LocalScore> Search<'_, S> {
    /// Tries costly deletions until none leads to a better class. To be called where no operator of these kinds is left.
    pub(super) fn try_costly_deletions(&mut self, kinds: &[Kind]) -> Result<()> {
        let least = tolerance(self.total());
        while self.complete && self.improve_by_deletion(kinds, least)? {}
        Ok(())
    }

    /// Whether some deletion leads to a class whose score is better by more than `least`, to which the search then went.
    fn improve_by_deletion(&mut self, kinds: &[Kind], least: f64) -> Result<bool> {
        for deletion in self.costly_deletions()? {
            self.run.check()?;
            if self.run.out_of_time() {
                self.complete = false;
                return Ok(false);
            }
            let saved =
                Saved { class: self.class.clone(), books: self.books.clone(), applied: self.applied, hash: self.hash };
            let Some(change) = self.apply(&deletion) else { continue };
            let pair = (deletion.x, deletion.y);
            self.space.forbid(Some(pair));
            // A trial may well pass through classes that others have passed through.
            self.visited = FxHashSet::from_iter([self.hash]);
            self.cycled = false;
            self.follow(kinds, &change)?;
            let mut gain = deletion.gain + self.go_on(kinds)?;
            self.space.forbid(None);
            // The edge may come back beside what has taken its place, in another direction too.
            if kinds.contains(&Kind::Insert) && self.complete {
                self.regenerate(Kind::Insert, &[pair.0.min(pair.1), pair.0.max(pair.1)])?;
                gain += self.go_on(kinds)?;
            }
            if gain > least {
                return Ok(true);
            }
            Saved { class: self.class, books: self.books, applied: self.applied, hash: self.hash } = saved;
        }
        Ok(false)
    }

    /// All deletions, the best first; of equal gains that of the lowest y, then of the lowest x, then of the clique that
    /// is first in lexicographic order.
    fn costly_deletions(&mut self) -> Result<Vec<Operator>> {
        let Self { class, space, scores, run, .. } = self;
        let cpdag = class.cpdag();
        let p = cpdag.n_variables() as Variable;
        let mut keys = Vec::new();
        for y in 0..p {
            space.deletions(cpdag, y, true, &mut |child, parents: &[Variable]| {
                keys.push((child, parents.into()));
                0.0
            });
        }
        scores.prepare_singles(keys, run)?;
        let mut found = Vec::new();
        for y in 0..p {
            found.extend(space.deletions(cpdag, y, true, &mut |child, parents| scores.local_score(child, parents)));
        }
        found.sort_by(|a, b| {
            let by_gain = b.gain.total_cmp(&a.gain);
            by_gain.then_with(|| (a.y, a.x).cmp(&(b.y, b.x))).then_with(|| a.clique.cmp(&b.clique))
        });
        Ok(found)
    }

    /// The score of the class at hand.
    fn total(&mut self) -> f64 {
        let dag = self.class.member();
        (0..dag.n_variables() as Variable).map(|x| self.scores.local_score(x, dag.parents(x))).sum()
    }
}
