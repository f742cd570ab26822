//! The tables of pairs of neighbouring variables, counted together.

use super::panels;
use crate::Variable;
use crate::counts::CountingEngine;

pub(crate) use super::panels::PANEL;

/// The counts of the planes of two panels of variables, and tables made of them.
#[derive(Debug, Default)]
pub(crate) struct PairTables {
    /// The first plane of each panel.
    first: [usize; 2],
    /// Planes of the second panel.
    width: usize,
    counts: Vec<u32>,
}

impl PairTables {
    /// Counts the pairs of a variable of one panel and one of another (or the same), where rows are here.
    pub(crate) fn count(&mut self, engine: &CountingEngine<'_>, panel_x: usize, panel_y: usize) {
        let source = engine.here().expect("planes are made of rows");
        let [xs, ys] = [panel_x, panel_y].map(|panel| panels::variables(engine.shape(), panel));
        let [of_x, of_y] = [&xs, &ys].map(|variables| source.planes.range(variables.clone()));
        self.first = [of_x.start, of_y.start];
        self.width = of_y.len();
        panels::count(source, xs, ys, &mut self.counts);
    }

    /// Writes the table of x < y, which have planes and are of the panels that were counted, to `table`: x runs fastest.
    pub(crate) fn write(&self, engine: &CountingEngine<'_>, x: Variable, y: Variable, table: &mut [u32]) {
        let source = engine.here().expect("planes are made of rows");
        let (counts_x, counts_y) = (engine.single_counts(x), engine.single_counts(y));
        let r_x = counts_x.len();
        let row = source.planes.numbers(x).start - self.first[0];
        let column = source.planes.numbers(y).start - self.first[1];
        table.fill(0);
        // Both variables past their first state; then the first state of x, and that of y.
        for (t, &count_y) in counts_y.iter().enumerate().skip(1) {
            let cells = &mut table[t * r_x..(t + 1) * r_x];
            for (s, cell) in cells.iter_mut().enumerate().skip(1) {
                *cell = self.counts[(row + s - 1) * self.width + column + t - 1];
            }
            cells[0] = count_y - cells.iter().sum::<u32>();
        }
        let (first, rest) = table.split_at_mut(r_x);
        first.copy_from_slice(counts_x);
        for cells in rest.chunks_exact(r_x) {
            first.iter_mut().zip(cells).for_each(|(first, cell)| *first -= cell);
        }
    }
}
