//! Local skeleton learners: the neighbourhood of each variable on its own, then the symmetry correction.
//!
//! | learner | idea | source |
//! |---|---|---|
//! | MMPC | adds the variable whose *least* association is largest | Tsamardinos, Brown and Aliferis 2006 |
//! | SI-HITON-PC | adds variables by marginal association, each unless it is separated at once | Aliferis et al. 2010 |
//! | HITON-PC | the same, and every member is tested anew whenever one joins | Aliferis et al. 2003 |
//! | GetPC | MMPC in which every member is tested anew whenever one joins | Peña et al. 2007 |
//! | Fast-IAMB | grows a Markov blanket speculatively, shrinks it, then drops spouses | Yaramakala and Margaritis 2005 |
//! | HPC | data-efficient supersets, then blankets with false-discovery-rate control | Gasse, Aussem and Elghazel 2014 |
//! | Grow-Shrink | Markov blankets: each variable that depends given the blanket joins | Margaritis and Thrun 1999 |
//! | IAMB | Markov blankets: the variable that depends most joins | Tsamardinos et al. 2003 |
//! | Inter-IAMB | IAMB that shrinks after each step | Tsamardinos et al. 2003 |
//! | IAMB-FDR | IAMB with control of the false discovery rate | Peña 2008 |
//!
//! The last four find Markov blankets. Of pairs that are in each other's blanket, those are neighbours that no subset of the
//! smaller blanket separates. [`markov_blanket`] gives the blanket itself, by any of the learners.
//!
//! A variable is in another's neighbourhood only if the reverse holds too (AND rule). Within a learner variables are taken
//! by p-value, exact ties by index; conditioning sets are enumerated by size, then in the order in which their members
//! were taken in. All learners stop at the first p-value of a pair above α.
//!
//! Background knowledge: pairs forbidden both ways are never tested and never adjacent; required pairs are neighbours from
//! the start and never tested; a variable that may separate nothing of a pair is in no set that is to separate it (the blankets
//! of Fast-IAMB, HPC and the last four may hold it: spouses are found by conditioning on common children, whatever their tier).

mod blankets;
mod fast_iamb;
mod get_pc;
mod grow_shrink;
mod hiton_pc;
mod hpc;
mod iamb;
mod iamb_fdr;
mod learn;
mod marginals;
mod mmpc;
mod searches;
mod separating;
mod si_hiton_pc;
mod target;

pub use blankets::markov_blanket;
pub use learn::{LocalLearner, LocalNeighbour, LocalOptions, local_neighbourhood, local_skeleton};
