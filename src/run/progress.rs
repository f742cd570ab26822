//! Progress that another thread can read while a computation runs.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::Phase;

/// How far a run is: its phase and a fraction of that phase. Written by the computation, read by whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    phase: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Enters a phase that has `total` steps (0: unknown).
    pub fn enter(&self, phase: Phase, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    /// Counts `steps` more steps of the phase.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// The phase, the steps done and the steps in all.
    pub fn read(&self) -> (Phase, u64, u64) {
        let phase = Phase::ALL[usize::from(self.phase.load(Ordering::Relaxed)).min(Phase::ALL.len() - 1)];
        (phase, self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
