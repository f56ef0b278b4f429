//! `remat::checkpoint` against plain burn: same values, same gradients, same state.
//!
//! Nothing in this binary draws random numbers inside a segment: burn's generators belong to the
//! process, and the tests of one binary run side by side. Those tests are in `random.rs`.

mod attention;
#[cfg(not(cube))] // not every device computes in 16 bits
mod autocast;
mod errors;
mod frozen_stats;
mod gradients;
mod graphs;
mod outputs;
mod quantize;
mod random_graphs;
mod recompute;
mod sequence;
mod shared;
mod state;
mod support;
mod tape;
mod tree;
