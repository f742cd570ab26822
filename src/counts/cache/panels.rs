//! Counts of the planes of two panels of neighbouring variables: the kernel of all pairs.

use std::ops::Range;

use crate::counts::extend::each::Source;
use crate::counts::simd::{Line, TILE, Tile};
use crate::data::Shape;

/// Variables whose planes are counted together, each way: a panel stays in a core's cache.
pub(crate) const PANEL: usize = 16;

/// Lines of a plane taken at a time (65,536 rows).
const BLOCK: usize = 128;

/// The variables of a panel.
pub(super) fn variables(shape: &Shape, panel: usize) -> Range<usize> {
    panel * PANEL..((panel + 1) * PANEL).min(shape.n_variables())
}

/// Counts the rows that planes of two ranges of variables share, into `counts`: `[plane of the first][plane of the second]`.
pub(super) fn count(source: Source<'_>, xs: Range<usize>, ys: Range<usize>, counts: &mut Vec<u32>) {
    let planes = source.planes;
    let (numbers_x, numbers_y) = (planes.range(xs), planes.range(ys));
    let width = numbers_y.len();
    counts.clear();
    counts.resize(numbers_x.len() * width, 0);
    let total = planes.lines_per_plane();
    for start in (0..total).step_by(BLOCK) {
        let block = start..(start + BLOCK).min(total);
        let tile = |numbers: &Range<usize>, at: usize| -> ([&[Line]; TILE], usize) {
            let n = TILE.min(numbers.len() - at);
            let plane = |i| if i < n { &planes.numbered(numbers.start + at + i)[block.clone()] } else { &[][..] };
            (std::array::from_fn(plane), n)
        };
        for at_y in (0..width).step_by(TILE) {
            let (of_y, n_y) = tile(&numbers_y, at_y);
            for at_x in (0..numbers_x.len()).step_by(TILE) {
                let (of_x, n_x) = tile(&numbers_x, at_x);
                let mut tile_counts = Tile::default();
                source.counter.tile(&[], &of_y[..n_y], &of_x[..n_x], &mut tile_counts);
                for (i, tile_counts) in tile_counts[..n_x].iter().enumerate() {
                    let to = &mut counts[(at_x + i) * width + at_y..][..n_y];
                    to.iter_mut().zip(tile_counts).for_each(|(to, count)| *to += count);
                }
            }
        }
    }
}
