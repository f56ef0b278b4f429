//! `remat::amp`: loss scaling, and the cases of the field (S..).
//!
//! Nothing here draws random numbers, so the tests run side by side.

mod backward;
mod overflow;
mod parts;
mod scale;
mod state;
mod steps;
mod support;
mod window;
