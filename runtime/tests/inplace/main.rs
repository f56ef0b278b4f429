//! Layers that overwrite their input. Copies are counted for the whole process, so tests take turns.

#![cfg(not(cube))]

mod bits;
mod copies;
mod exponential;
mod known;
mod models;
mod segments;
mod sides;
mod support;
