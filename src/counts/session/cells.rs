//! F of sets of variables together with K, the number of cells that occur, for scores that charge for those.
//!
//! Both come from one pass over the counts. Nothing but tables is remembered here: scores keep what they make of the two.

use crate::Variable;
use crate::counts::table::core::{MAX_SET, Set};
use crate::counts::{CellSum, CountingSession};

impl CountingSession<'_, '_> {
    /// F(S) = Σ n ln n over the cells of the table of the set `variables` (strictly increasing), and how many of the cells
    /// occur.
    pub fn cell_sum(&mut self, variables: &[Variable]) -> CellSum {
        debug_assert!(variables.windows(2).all(|w| w[0] < w[1]));
        match *variables {
            [] => CellSum { sum: self.engine.total(), occupied: u32::from(self.engine.shape().n_rows() > 0) },
            [x] => self.single_cell_sum(x),
            _ if variables.len() > self.memo_size => self.sum_by_rows(variables),
            _ => {
                if let [x, y] = *variables
                    && let Some(known) = self.engine.known_pair_cells(x, y)
                {
                    return known;
                }
                let set = Set::new(self.engine.shape(), self.format, variables);
                let fast = self.sum_of_table(&set).or_else(|| self.sum_from_planes(&set));
                fast.unwrap_or_else(|| self.sum_by_rows(variables))
            }
        }
    }

    /// [`cell_sum`](Self::cell_sum) of base ∪ {c} for each candidate c, written to `out` in the order of `candidates`. What
    /// depends on `base` alone is computed once. `base` is increasing; no candidate is in it.
    pub fn cell_sums_with_each(&mut self, base: &[Variable], candidates: &[Variable], out: &mut Vec<CellSum>) {
        out.clear();
        match *base {
            [] => out.extend(candidates.iter().map(|&c| self.single_cell_sum(c))),
            [x] if candidates.first().is_some_and(|&c| self.engine.known_pair_cells(x, c).is_some()) => {
                let pair = |&c: &Variable| self.engine.known_pair_cells(x, c).expect("all pairs are known");
                out.extend(candidates.iter().map(pair));
            }
            _ => match self.engine.here() {
                None => *out = self.ask_totals(base, candidates),
                Some(source) if candidates.len() <= self.few(base.len(), candidates) && base.len() < MAX_SET => {
                    let one = |session: &mut Self, c| session.cell_sum(&super::joined(base, c));
                    self.sums_of_few(source, base, (candidates, candidates), one, out);
                }
                Some(source) => self.candidates.sums_with_each(source, base, candidates, candidates, out),
            },
        }
    }

    fn single_cell_sum(&self, x: Variable) -> CellSum {
        let occupied = self.engine.single_counts(x).iter().map(|&count| u32::from(count > 0)).sum();
        CellSum { sum: self.engine.single(x), occupied }
    }
}
