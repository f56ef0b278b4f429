//! What strategies keep alive, in live bytes. They are counted for the whole process, so this binary has nothing else in it,
//! and its tests take turns.

#![cfg(all(feature = "flex", not(cube)))]

mod accumulation;
mod autocast;
mod checkpoint;
mod inplace;
mod quantize;
mod support;

#[global_allocator]
static ALLOCATOR: remat::memory::Tracking = remat::memory::Tracking::new();
