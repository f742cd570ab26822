//! Statistical calls and seconds by phase.

use std::time::Instant;

/// A phase of learning, as named in result files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// Pairwise mutual informations, entropies and clustering.
    Partition = 0,
    /// Tests within clusters; also every test of a skeleton learner that has no partition.
    Within,
    /// Screens between clusters.
    Between,
    /// Completion of the skeleton.
    Complete,
    /// Detection of v-structures by testing.
    VStructures,
    /// Estimates along the solution path (PATH), HGI included.
    Path,
    /// Score-based search.
    Search,
    /// Refinement after the search.
    Refine,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 8] = [
        Self::Partition,
        Self::Within,
        Self::Between,
        Self::Complete,
        Self::VStructures,
        Self::Path,
        Self::Search,
        Self::Refine,
    ];

    /// The name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Within => "within",
            Self::Between => "between",
            Self::Complete => "complete",
            Self::VStructures => "v_structures",
            Self::Path => "path",
            Self::Search => "search",
            Self::Refine => "refine",
        }
    }
}

/// Counts of statistical calls (the paper's unit of cost: independence tests, local score evaluations and, for
/// clustering, mutual informations and entropies) and seconds, by phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    calls: [u64; Phase::ALL.len()],
    seconds: [f64; Phase::ALL.len()],
}

impl Ledger {
    /// An empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `calls` to a phase.
    pub fn add_calls(&mut self, phase: Phase, calls: u64) {
        self.calls[phase as usize] += calls;
    }

    /// Adds `seconds` to a phase.
    pub fn add_seconds(&mut self, phase: Phase, seconds: f64) {
        self.seconds[phase as usize] += seconds;
    }

    /// Runs `work` and adds the seconds that it took to `phase`.
    pub fn timed<R>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.add_seconds(phase, start.elapsed().as_secs_f64());
        result
    }

    /// Calls of a phase.
    pub fn calls(&self, phase: Phase) -> u64 {
        self.calls[phase as usize]
    }

    /// Seconds of a phase.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.seconds[phase as usize]
    }

    /// Calls of all phases.
    pub fn total_calls(&self) -> u64 {
        self.calls.iter().sum()
    }

    /// Adds all of another ledger.
    pub fn merge(&mut self, other: &Self) {
        for phase in Phase::ALL {
            self.add_calls(phase, other.calls(phase));
            self.add_seconds(phase, other.seconds(phase));
        }
    }
}
