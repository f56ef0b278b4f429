//! `TrainLoop`: the same steps as by hand, epochs, saving and resuming to the bit, errors, observers.

mod by_hand;
mod epochs;
mod errors;
mod observers;
mod parameters;
mod resume;
mod saving;
mod skipped;
mod stopping;
mod support;
