//! Layers that burn lacks.

mod dropout;

pub use dropout::{Dropout, DropoutConfig};
