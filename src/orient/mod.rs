//! Orientation: from a skeleton to a pattern, a CPDAG or a DAG.
//!
//! | what | function | source |
//! |---|---|---|
//! | v-structures from separating sets | [`v_structures_from_separations`] | Huang and Zhou, eq. (vs1), Algorithm 6 |
//! | v-structures by testing | [`v_structures_by_testing`] | eq. (vs2), Margaritis 2003 |
//! | conservative, majority, max-p | [`decide_colliders`] | Ramsey et al. 2006, Colombo and Maathuis 2014, Ramsey 2016 |
//! | Meek's rules | [`apply_meek_rules`] | Meek 1995 |
//! | skeleton → CPDAG | [`skeleton_to_cpdag`] | Algorithm 6, `skel-to-cpdag` |
//! | DAG → CPDAG | [`cpdag_of_dag`], [`cpdag_with_knowledge`] | Chickering 1995, 2002 |
//! | PDAG → DAG | [`consistent_extension`], [`forced_extension`] | Dor and Tarsi 1992; remark on invalid estimates |
//! | solution path | [`path`] | Algorithm 3, PATH |
//! | hybrid greedy initialisation | [`hgi`] | Algorithm 4, HGI |
//!
//! The paper's symbols: U is `v_structures`, τ is `path_length`, α⁽ᵗ⁾ is a threshold (as a logarithm), 𝒢₀ of HGI is
//! `rest` and 𝒢 is `dag`.

use crate::Variable;

mod background;
mod by_testing;
mod class;
mod collider_rule;
mod detect;
mod extension;
pub mod hgi;
mod meek;
pub mod path;
mod pattern;
mod undecided;

pub use background::{apply_knowledge, undirected_with_knowledge};
pub use by_testing::v_structures_by_testing;
pub use class::{all_members, cpdag_of_dag, cpdag_with_knowledge};
pub use collider_rule::{ColliderRule, Colliders, Triple, decide_colliders};
pub use detect::{fill_marginal_p_values, v_structures_from_separations, v_structures_within};
pub use extension::{
    ExtensionObstacle, consistent_extension, consistent_extension_with, extension_obstacle, extension_within,
    forced_extension, forced_extension_with, forced_extension_within, obstacle_within,
};
pub use meek::{apply_meek_rules, meek_rules};
pub use pattern::{MOST_CONFLICTS, Oriented, orient_skeleton, orient_within, skeleton_to_cpdag};
pub use undecided::Undecided;

/// A v-structure x → centre ← y, with x < y not adjacent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VStructure {
    /// The lower end.
    pub x: Variable,
    /// The collider.
    pub centre: Variable,
    /// The higher end.
    pub y: Variable,
    /// Logarithm of the p-value of the separation of x and y that speaks for it.
    pub log_p_value: f64,
}

impl VStructure {
    /// The order in which ties between v-structures are broken: by centre, then by ends.
    pub(crate) fn index(&self) -> (Variable, Variable, Variable) {
        (self.centre, self.x, self.y)
    }
}
