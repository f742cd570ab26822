//! Kernels: counting bits and bytes with the widest instructions there are.
//!
//! [`Instructions`] says what a kernel does; `portable` does it in plain Rust, and `avx2`, `avx512` and `neon` do some of
//! it better. An algorithm is a [`Job`], generic over the instructions, and [`Counter::run`] is the only place where a
//! kernel is chosen. Nothing here knows the algorithms or the data.
//!
//! All kernels give the same integers. Here alone is `unsafe` code allowed.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod equal;
mod instructions;
mod kernel;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
mod portable;
mod registers;

pub(crate) use equal::equal;
pub(crate) use instructions::{Counter, Instructions, Job};
pub use kernel::Kernel;
pub(crate) use portable::halves;
pub(crate) use registers::{Cells, Counts, Eight, HALF, Line, MASKS, MAX_ROWS, Quad, STATES, TILE, Tile};
