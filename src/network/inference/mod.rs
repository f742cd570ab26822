//! Exact marginals and joint distributions of a network, as far as preparation and tiling need them.
//!
//! General inference is not a part of this crate: export a network to a package that is made for it.

mod cluster_tree;
mod elimination;
mod factor;
mod joint;
mod marginals;

pub(super) use joint::joint;
pub use marginals::Marginals;
