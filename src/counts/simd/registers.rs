//! What kernels take and give: bits, codes and counts laid out as registers want them.

pub(crate) use crate::data::Line;

/// Planes in a tile, each way.
pub(crate) const TILE: usize = 4;

/// Most masks of a tile.
pub(crate) const MASKS: usize = 3;

/// Counts of a tile: `[b][a]`.
pub(crate) type Tile = [[u32; TILE]; TILE];

/// Numbers of rows that a plane shares with each of four masks: all rows, x, y, x and y.
pub(crate) type Quad = [u32; 4];

/// The cells of a table of at most four binary variables, x running fastest, then y; zero beyond.
pub(crate) type Cells = [u32; 16];

/// Counts of the eight words of a line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub(crate) struct Eight(pub(crate) [u32; 8]);

impl Eight {
    #[inline(always)]
    pub(crate) fn plus(mut self, other: Self) -> Self {
        for lane in 0..8 {
            self.0[lane] = self.0[lane].wrapping_add(other.0[lane]);
        }
        self
    }

    #[inline(always)]
    pub(crate) fn less(mut self, other: Self) -> Self {
        for lane in 0..8 {
            self.0[lane] = self.0[lane].wrapping_sub(other.0[lane]);
        }
        self
    }
}

/// Half bytes of one kind (the low ones or the high ones) in a line.
pub(crate) const HALF: usize = 64;

/// Most states that half a byte tells but the first.
pub(crate) const STATES: usize = 15;

/// Most rows that are tallied at a time, in bytes.
pub(crate) const MAX_ROWS: usize = 255;

/// How many rows have one state, for each half byte of one kind.
pub(crate) type Counts = [u8; HALF];
