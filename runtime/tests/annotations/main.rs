//! `#[derive(Remat)]` and `#[remat::forward]` on burn modules: every form in which a layer can be called.
//!
//! A test compares loss and gradients with plain burn's, and counts runs: a layer whose annotation was not applied runs
//! once, and fails the test.

mod arguments;
mod attention;
#[cfg(not(cube))] // not every device computes in 16 bits
mod autocast;
mod bindings;
mod containers;
mod counting;
mod dead_code;
mod frozen_stats;
mod generated;
mod hostile;
mod inplace;
mod items;
mod quantize;
mod receivers;
mod recompute;
mod sequences;
mod sequential;
#[allow(
    dead_code,
    reason = "it also holds what only the tests of `checkpoint` need"
)]
#[path = "../checkpoint/support.rs"]
mod support;
