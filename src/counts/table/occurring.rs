//! The cells of a table that occur, for tables of any size: rows are counted some at a time, so that memory is that of the
//! cells that occur and not of the rows.

use super::row_scan::{Cell, Rows};
use crate::Variable;
use crate::counts::simd::{Counter, Instructions, Job};
use crate::data::DiscreteData;

/// Rows whose cells are put in order together.
pub(crate) const TOGETHER: usize = 1 << 18;

/// Cells that occur, in increasing order, and how many rows each has.
type Counted<T> = Vec<(T, u32)>;

/// The rows of each cell of the table of `variables` (the first one fastest) that has any, by increasing cell.
///
/// With `ids`, a number for each row, the cells are those of `variables` and these numbers, which run slowest.
pub(crate) fn cells<T: Cell + Ord>(
    counter: Counter,
    data: &DiscreteData,
    variables: &[Variable],
    ids: &[u32],
) -> Counted<T> {
    let mut found = InOrder { newest: Vec::new(), counted: Vec::new() };
    counter.run(Visit { rows: Rows { data, variables, ids }, found: &mut found });
    found.whole()
}

/// Goes through the rows.
struct Visit<'a, T> {
    rows: Rows<'a>,
    found: &'a mut InOrder<T>,
}

impl<T: Cell + Ord> Job for Visit<'_, T> {
    type Output = ();

    const ON_BYTES: bool = true;

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) {
        self.rows.chunks::<T, I>(instructions, |cells| self.found.add(cells));
    }
}

/// Cells of rows, put in order as they come.
struct InOrder<T> {
    /// Those of the newest rows, in the order of the rows.
    newest: Vec<T>,
    /// Those of all others, in pieces of which each has at least twice as many cells as the next.
    counted: Vec<Counted<T>>,
}

impl<T: Copy + Ord> InOrder<T> {
    fn add(&mut self, cells: &[T]) {
        self.newest.extend_from_slice(cells);
        if self.newest.len() >= TOGETHER {
            self.count_newest();
        }
    }

    fn count_newest(&mut self) {
        self.newest.sort_unstable();
        let runs = self.newest.chunk_by(|a, b| a == b);
        let mut last: Counted<T> = runs.map(|run| (run[0], run.len() as u32)).collect();
        self.newest.clear();
        while let Some(before) = self.counted.pop_if(|before| before.len() < 2 * last.len()) {
            last = merged(&before, &last);
        }
        self.counted.push(last);
    }

    fn whole(mut self) -> Counted<T> {
        if !self.newest.is_empty() {
            self.count_newest();
        }
        self.newest = Vec::new();
        let mut whole = self.counted.pop().unwrap_or_default();
        while let Some(before) = self.counted.pop() {
            whole = merged(&before, &whole);
        }
        whole
    }
}

/// The sum of two tables.
fn merged<T: Copy + Ord>(a: &[(T, u32)], b: &[(T, u32)]) -> Counted<T> {
    let mut both = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    while let (Some(&(cell_a, count_a)), Some(&(cell_b, count_b))) = (a.peek(), b.peek()) {
        both.push(match cell_a.cmp(&cell_b) {
            std::cmp::Ordering::Less => (cell_a, count_a),
            std::cmp::Ordering::Greater => (cell_b, count_b),
            std::cmp::Ordering::Equal => (cell_a, count_a + count_b),
        });
        if cell_a <= cell_b {
            a.next();
        }
        if cell_b <= cell_a {
            b.next();
        }
    }
    both.extend(a);
    both.extend(b);
    both
}
