//! What kernels do, and the one place where a kernel is chosen.

use super::kernel::Kernel;
use super::registers::{Cells, Counts, Eight, Line, Quad, STATES, Tile};
use super::{portable, registers};
use crate::Result;

/// The operations that have instructions of their own on some processors. What a kernel does not define is done in plain
/// Rust, compiled for its processors. All kernels give the same integers.
pub(crate) trait Instructions: Copy {
    /// For each of at most [`TILE`](registers::TILE) planes `a` and `b`, the number of rows in a, b and all of at most
    /// [`MASKS`](registers::MASKS) masks. Counts of planes that are not there are left as they are or set to 0.
    ///
    /// All planes have the same number of lines, at most 2²³ − 1 (2³² rows).
    #[inline(always)]
    fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        portable::tile(masks, a, b, counts);
    }

    /// The number of rows that `plane` shares with each of four masks, which lie line by line side by side.
    #[inline(always)]
    fn quad(self, masks: &[[Line; 4]], plane: &[Line]) -> Quad {
        portable::quad(masks, plane)
    }

    /// The conditional information of two binary variables from `groups`, the counts with the last variable and each of the
    /// 1, 2 or 4 subsets of the others (the first of them running fastest), and `below`, the table without the last
    /// variable; and the number of strata in which both x and y vary.
    #[inline(always)]
    fn information<const G: usize>(self, n_log_n: &[i64], groups: [&Quad; G], below: &Cells) -> (i64, u32) {
        portable::information(n_log_n, groups, below)
    }

    /// How many rows each two planes have in common, word by word. All planes have as many lines.
    #[inline(always)]
    fn shared<const A: usize, const B: usize>(self, a: [&[Line]; A], b: [&[Line]; B]) -> [[Eight; B]; A] {
        portable::shared(a, b)
    }

    /// Σ n ln n over counts.
    #[inline(always)]
    fn sum(self, n_log_n: &[i64], counts: &[Eight]) -> i64 {
        portable::sum(n_log_n, counts)
    }

    /// Transposes 64 × 64 bits in each of eight words side by side: bit j of line i becomes bit i of line j.
    #[inline(always)]
    fn transpose(self, square: &mut [Line; 64]) {
        portable::transpose(square);
    }

    /// Sets `counts[s]` to the number of `rows` (at most [`MAX_ROWS`](registers::MAX_ROWS)) in which a variable is in state
    /// s + 1, for each variable in the low four bits of the bytes of `lines` (or the `high` ones), and s below `S`. `next` are
    /// rows that are wanted next.
    #[inline(always)]
    fn tally<const S: usize>(
        self,
        lines: &[Line],
        rows: &[u32],
        next: &[u32],
        high: bool,
        counts: &mut [Counts; STATES],
    ) {
        let _ = next;
        portable::tally::<S>(lines, rows, high, counts);
    }

    /// The states of 64 rows: of those in word `s` of planes, of which no two share a row, s + 1.
    #[inline(always)]
    fn states(self, words: &[u64], states: &mut [u8; 64]) {
        portable::states(words, states);
    }
}

/// Something to be done with the instructions that a [`Counter`] has, compiled for each of them.
pub(crate) trait Job {
    /// What it gives.
    type Output;

    /// Whether it adds and compares bytes or 16 bits, for which the AVX-512 kernel has nothing wider than AVX2.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    const ON_BYTES: bool = false;

    /// Does it. Implementations must be `#[inline(always)]`, or they are not compiled for the instructions.
    fn with<I: Instructions>(self, instructions: I) -> Self::Output;
}

/// A kernel that this processor is known to run; made once an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counter {
    kernel: Kernel,
    #[cfg(target_arch = "x86_64")]
    has_popcnt: bool,
}

impl Counter {
    /// # Errors
    ///
    /// [`Error::Parameter`](crate::Error::Parameter) when the processor cannot run the kernel.
    pub(crate) fn new(kernel: Kernel) -> Result<Self> {
        Ok(Self {
            kernel: kernel.supported("kernel")?,
            #[cfg(target_arch = "x86_64")]
            has_popcnt: is_x86_feature_detected!("popcnt"),
        })
    }

    pub(crate) fn kernel(self) -> Kernel {
        self.kernel
    }

    /// Does a job with the widest instructions.
    #[inline]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Output {
        match self.kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` refuses kernels whose instructions the processor lacks.
            Kernel::Avx512 if !J::ON_BYTES => unsafe { super::avx512::run(job) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above; where there is AVX-512, there is AVX2.
            Kernel::Avx512 | Kernel::Avx2 => unsafe { super::avx2::run(job) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the instruction was looked for in `new`.
            _ if self.has_popcnt => unsafe { portable::run_with_popcnt(job) },
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Kernel::Neon => job.with(super::neon::Neon),
            _ => job.with(portable::Portable),
        }
    }

    /// [`Instructions::tile`].
    #[inline]
    pub(crate) fn tile(self, masks: &[&[Line]], a: &[&[Line]], b: &[&[Line]], counts: &mut Tile) {
        self.run(CountTile { masks, a, b, counts });
    }
}

/// A tile alone, for callers that do much else between two of them.
struct CountTile<'a, 'p> {
    masks: &'a [&'p [Line]],
    a: &'a [&'p [Line]],
    b: &'a [&'p [Line]],
    counts: &'a mut Tile,
}

impl Job for CountTile<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with<I: Instructions>(self, instructions: I) {
        debug_assert!(self.masks.len() <= registers::MASKS);
        instructions.tile(self.masks, self.a, self.b, self.counts);
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::RngCore;

    use super::super::registers::{MASKS, TILE};
    use super::*;
    use crate::random_numbers::generator;

    fn words(seed: u64) -> impl FnMut() -> u64 {
        let mut random = generator(seed);
        move || random.next_u64()
    }

    fn plane(word: &mut impl FnMut() -> u64, lines: usize) -> Vec<Line> {
        (0..lines).map(|_| Line(std::array::from_fn(|_| word() | word()))).collect()
    }

    fn counters() -> impl Iterator<Item = Counter> {
        Kernel::available().iter().map(|&kernel| Counter::new(kernel).unwrap())
    }

    #[test]
    fn all_kernels_count_the_same_tiles() {
        let mut word = words(1);
        for lines in [0usize, 1, 2, 7, 8, 9, 16, 23, 49, 200] {
            let planes: Vec<Vec<Line>> = (0..11).map(|_| plane(&mut word, lines)).collect();
            let planes: Vec<&[Line]> = planes.iter().map(Vec::as_slice).collect();
            for masks in 0..=MASKS {
                for a in 1..=TILE {
                    for b in 1..=TILE {
                        let (masks, a, b) = (&planes[..masks], &planes[3..3 + a], &planes[7..7 + b]);
                        for counter in counters() {
                            let mut counts = Tile::default();
                            counter.tile(masks, a, b, &mut counts);
                            for (j, b) in b.iter().enumerate() {
                                for (i, a) in a.iter().enumerate() {
                                    let expected: u32 = (0..lines * 8)
                                        .map(|w| {
                                            let all = |plane: &[Line]| plane[w / 8].0[w % 8];
                                            masks.iter().fold(all(a) & all(b), |m, p| m & all(p)).count_ones()
                                        })
                                        .sum();
                                    let kernel = counter.kernel();
                                    assert_eq!(counts[j][i], expected, "{kernel} {lines} {} {i} {j}", masks.len());
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    struct States<'a>(&'a [u64]);

    impl Job for States<'_> {
        type Output = [u8; 64];

        const ON_BYTES: bool = true;

        #[inline(always)]
        fn with<I: Instructions>(self, instructions: I) -> [u8; 64] {
            let mut states = [9; 64];
            instructions.states(self.0, &mut states);
            states
        }
    }

    #[test]
    fn all_kernels_find_the_same_states() {
        let mut word = words(3);
        for planes in [0usize, 1, 2, 3, 7, 31] {
            for _ in 0..20 {
                let expected: [u8; 64] = std::array::from_fn(|_| (word() % (planes as u64 + 1)) as u8);
                let rows =
                    |state: usize| (0..64).fold(0u64, |w, row| w | u64::from(expected[row] as usize == state) << row);
                let bits: Vec<u64> = (1..=planes).map(rows).collect();
                for counter in counters() {
                    assert_eq!(counter.run(States(&bits)), expected, "{}", counter.kernel());
                }
            }
        }
    }

    /// All other operations on bits, of which each output is compared with what is counted bit by bit.
    struct OnLines<'a> {
        masks: &'a [[Line; 4]],
        planes: [&'a [Line]; 3],
        n_log_n: &'a [i64],
    }

    impl Job for OnLines<'_> {
        type Output = (Quad, [[Eight; 2]; 3], i64, [Line; 64]);

        #[inline(always)]
        fn with<I: Instructions>(self, instructions: I) -> Self::Output {
            let [a, b, c] = self.planes;
            let quad = instructions.quad(self.masks, a);
            let shared = instructions.shared([a, b, c], [b, c]);
            let sum = instructions.sum(self.n_log_n, shared.as_flattened());
            let mut square = [Line::default(); 64];
            square.iter_mut().zip(a.iter().chain(b)).for_each(|(into, line)| *into = *line);
            instructions.transpose(&mut square);
            (quad, shared, sum, square)
        }
    }

    #[test]
    fn all_kernels_do_the_same_with_lines() {
        let mut word = words(2);
        let n_log_n: Vec<i64> = (0..200 * 64).map(|_| (word() >> 20) as i64).collect();
        for lines in [0usize, 1, 3, 6, 7, 8, 30, 31, 32, 65, 200] {
            let planes: [Vec<Line>; 3] = std::array::from_fn(|_| plane(&mut word, lines));
            let masks: Vec<[Line; 4]> =
                (0..lines).map(|_| std::array::from_fn(|_| Line(std::array::from_fn(|_| word())))).collect();
            for counter in counters() {
                let kernel = counter.kernel();
                let job = OnLines { masks: &masks, planes: planes.each_ref().map(Vec::as_slice), n_log_n: &n_log_n };
                let (quad, shared, sum, square) = counter.run(job);
                let ones = |a: &Line, b: &Line, w: usize| (a.0[w] & b.0[w]).count_ones();
                for (mask, count) in quad.into_iter().enumerate() {
                    let of_line =
                        |(masks, line): (&[Line; 4], &Line)| (0..8).map(|w| ones(&masks[mask], line, w)).sum();
                    let expected: u32 = masks.iter().zip(&planes[0]).map(of_line).collect::<Vec<u32>>().iter().sum();
                    assert_eq!(count, expected, "{kernel} {lines} {mask}");
                }
                let mut total = 0i64;
                for (i, of_a) in shared.iter().enumerate() {
                    for (j, eight) in of_a.iter().enumerate() {
                        for (w, &count) in eight.0.iter().enumerate() {
                            let pairs = planes[i].iter().zip(&planes[j + 1]);
                            let expected: u32 = pairs.map(|(a, b)| ones(a, b, w)).sum();
                            assert_eq!(count, expected, "{kernel} {lines} {i} {j} {w}");
                            total = total.wrapping_add(n_log_n[count as usize]);
                        }
                    }
                }
                assert_eq!(sum, total, "{kernel} {lines}");
                let original: Vec<Line> = planes[0].iter().chain(&planes[1]).copied().take(64).collect();
                for (i, line) in square.iter().enumerate() {
                    for w in 0..8 {
                        for j in 0..64 {
                            let expected = original.get(j).map_or(0, |line| line.0[w] >> i & 1);
                            assert_eq!(line.0[w] >> j & 1, expected, "{kernel} {lines} {i} {j}");
                        }
                    }
                }
            }
        }
    }
}
