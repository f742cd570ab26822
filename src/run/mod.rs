//! What a running computation carries with it: threads, cancellation, a deadline, progress and the count of
//! statistical calls and seconds by phase. Nothing here is global: every run has its own [`Run`].

mod ledger;
mod pool;
mod progress;

pub use ledger::{Ledger, Phase};
pub use pool::{Canceller, Run};
pub use progress::Progress;
