//! A lower bound of the information of two variables given others, from smaller tables.

use smallvec::SmallVec;

use crate::Variable;
use crate::counts::table::core::MAX_SET;
use crate::counts::{CountingSession, FixedSum};

impl CountingSession<'_, '_> {
    /// A lower bound of [`conditional_information`](Self::conditional_information) that needs no table of x, y and all of
    /// `given` (distinct, without x and y): with H for N times the conditional entropy,
    /// H(x | given) − min over z in `given` of H(x | y, given less z), since H(x | y, given) is below each of the latter. It may
    /// be negative. Not symmetric: the tables that it needs have x in them, or are one variable smaller.
    ///
    /// Each sum of `n ln n` is rounded (see [`FixedSum`]), so the bound holds but for that rounding.
    pub fn information_at_least(&mut self, x: Variable, y: Variable, given: &[Variable]) -> FixedSum {
        let bound = self.bound(x, y, given, |session, set| Some(session.sum_n_log_n(set)));
        bound.expect("every sum can be counted")
    }

    /// The same from such tables alone as a source of tables has given before, if they tell anything. It asks for nothing.
    pub(crate) fn known_information_at_least(
        &mut self,
        x: Variable,
        y: Variable,
        given: &[Variable],
    ) -> Option<FixedSum> {
        self.bound(x, y, given, Self::known_sum)
    }

    /// The bound from the sums that are there.
    fn bound(
        &mut self,
        x: Variable,
        y: Variable,
        given: &[Variable],
        mut sum_of: impl FnMut(&mut Self, &[Variable]) -> Option<FixedSum>,
    ) -> Option<FixedSum> {
        let mut set: SmallVec<[Variable; MAX_SET]> = SmallVec::new();
        let mut sum = |session: &mut Self, with: &[Variable], without: Option<Variable>| {
            set.clear();
            set.extend(given.iter().copied().filter(|&z| Some(z) != without));
            with.iter().for_each(|&variable| set.push(variable));
            set.sort_unstable();
            sum_of(session, &set)
        };
        let before = sum(self, &[], None)? - sum(self, &[x], None)?;
        // With fewer of these the bound is lower, and still one.
        let mut after: Option<FixedSum> = if given.is_empty() { Some(before) } else { None };
        for &z in given {
            if let Some(joint) = sum(self, &[x, y], Some(z))
                && let Some(of_y) = sum(self, &[y], Some(z))
            {
                after = Some(after.map_or(of_y - joint, |least| least.min(of_y - joint)));
            }
        }
        Some(before - after?)
    }
}

#[cfg(test)]
mod tests {
    use crate::VariableSet;
    use crate::counts::{CountingEngine, FixedSum, Shards};
    use crate::data::DiscreteData;
    use crate::run::Run;

    #[test]
    fn a_bound_from_known_tables_is_that_of_all_once_they_are_known_and_never_above_the_information() {
        let code = |x: u32, row: u32| (row / (x + 1) + row * row / 3) % 2;
        let columns = (0..5).map(|x| (0..400).map(|row| code(x, row)).collect()).collect();
        let data = DiscreteData::from_columns(columns).unwrap();
        let engines = [CountingEngine::new(&data)];
        let shards = Shards::new(&engines, Run::new(1).unwrap().canceller()).unwrap();
        let (here, over) = (&engines[0], CountingEngine::over(&shards));
        let mut session = over.session();
        let given = [2, 3];
        assert_eq!(session.known_information_at_least(0, 1, &given), None);
        let information = here.session().conditional_information(0, 1, &given);
        let mut last = None;
        // A table brings those of all its subsets of one variable fewer.
        for set in [[0, 2, 3], [0, 1, 2], [0, 1, 3]] {
            session.expect([VariableSet::from_slice(&set)].into_iter());
            let bound = session.known_information_at_least(0, 1, &given);
            assert!(bound >= last && bound.is_none_or(|bound| bound <= information + FixedSum(8)), "{set:?} {bound:?}");
            last = bound;
        }
        assert_eq!(last, Some(here.session().information_at_least(0, 1, &given)));
    }
}
