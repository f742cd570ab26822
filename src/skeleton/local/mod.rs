//! Local skeleton learners: the neighbourhood of each variable on its own, then the symmetry correction.
//!
//! | learner | idea | source |
//! |---|---|---|
//! | MMPC | adds the variable whose *least* association is largest | Tsamardinos, Brown and Aliferis 2006 |
//! | SI-HITON-PC | adds variables by marginal association, each unless it is separated at once | Aliferis et al. 2010 |
//! | Fast-IAMB | grows a Markov blanket speculatively, shrinks it, then drops spouses | Yaramakala and Margaritis 2005 |
//! | HPC | data-efficient supersets, then blankets with false-discovery-rate control | Gasse, Aussem and Elghazel 2014 |
//!
//! A variable is in another's neighbourhood only if the reverse holds too (AND rule). Within a learner variables are taken
//! by p-value, exact ties by index; conditioning sets are enumerated by size, then in the order in which their members
//! were taken in. All learners stop at the first p-value of a pair above α.
//!
//! Background knowledge: pairs forbidden both ways are never tested and never adjacent; required pairs are neighbours from
//! the start and never tested; a variable that may separate nothing of a pair is in no set that is to separate it (the blankets
//! of Fast-IAMB and HPC may hold it: spouses are found by conditioning on common children, whatever their tier).

mod fast_iamb;
mod hpc;
mod learn;
mod marginals;
mod mmpc;
mod si_hiton_pc;
mod target;

pub use learn::{LocalLearner, LocalNeighbour, LocalOptions, local_neighbourhood, local_skeleton};
