//! `TrainLoop`: the same steps as by hand, epochs, saving and resuming to the bit, errors, observers.

mod by_hand;
mod come_and_go;
mod epochs;
mod errors;
mod killed;
mod mismatch;
mod observers;
mod parameters;
#[cfg(feature = "plot")]
mod pictures;
mod resume;
mod saving;
mod skipped;
mod stopping;
mod support;
