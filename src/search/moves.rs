//! The moves of a search among DAGs, and the hash by which it recognises a DAG.

use crate::Variable;
use crate::graph::Dag;

/// A change of one arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// Adds from → to.
    Add(Variable, Variable),
    /// Deletes from → to.
    Delete(Variable, Variable),
    /// Replaces from → to by its reverse.
    Reverse(Variable, Variable),
}

impl Move {
    /// The move that takes it back.
    pub(crate) fn inverse(self) -> Self {
        match self {
            Self::Add(from, to) => Self::Delete(from, to),
            Self::Delete(from, to) => Self::Add(from, to),
            Self::Reverse(from, to) => Self::Reverse(to, from),
        }
    }

    /// The hash of the DAG that this move makes of one with hash `hash`.
    pub(crate) fn hash_after(self, hash: u128) -> u128 {
        match self {
            Self::Add(from, to) | Self::Delete(from, to) => hash ^ arc_hash(from, to),
            Self::Reverse(from, to) => hash ^ arc_hash(from, to) ^ arc_hash(to, from),
        }
    }
}

/// A hash of the set of arcs that does not depend on their order: the exclusive or of one 128-bit number per arc.
/// Two different DAGs have equal hashes with probability 2⁻¹²⁸.
pub(crate) fn structure_hash(dag: &Dag) -> u128 {
    dag.arcs().fold(0, |hash, (from, to)| hash ^ arc_hash(from, to))
}

fn arc_hash(from: Variable, to: Variable) -> u128 {
    let arc = u64::from(from) << 32 | u64::from(to);
    u128::from(mix(arc ^ 0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(mix(arc ^ 0xd1b5_4a32_d192_ed03))
}

/// The finaliser of SplitMix64: a bijection that spreads every bit over all.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
