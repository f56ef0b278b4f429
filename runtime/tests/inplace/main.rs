//! Layers that overwrite their input. What is counted is counted for the whole process, so tests take turns.

#![cfg(not(cube))]

mod bits;
mod buffers;
mod copies;
mod exponential;
mod known;
mod models;
mod segments;
mod sides;
mod support;

#[global_allocator]
static ALLOCATOR: remat::memory::Tracking = remat::memory::Tracking::new();
