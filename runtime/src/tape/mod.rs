//! The only module that knows burn's autodiff internals.
//!
//! * [`record`] puts a node into burn's graph whose backward pass is a closure;
//! * [`save_as`] changes what the consumers of a tensor keep of it;
//! * [`Vjp`] runs a backward pass from given gradients;
//! * a sweep keeps burn's bookkeeping of untracked operations small.
//!
//! Everything is generic over the backends burn dispatches to and over its two checkpointing
//! strategies; callers see `Tensor<D>`.

// Without any backend only the advice to name one is left.
#![cfg_attr(
    not(any(
        cube,
        feature = "flex",
        feature = "ndarray",
        feature = "tch",
        feature = "remote"
    )),
    allow(unreachable_code, unused_imports, unused_variables)
)]

mod backend;
mod gradients;
pub(crate) mod kernels;
mod node;
mod saved;
mod steps;
mod sweep;
mod vjp;

pub(crate) use backend::{is_shared, reads_wait};
pub use gradients::{Cotangents, ParentGradients};
pub use node::{Node, Parent, ParentId, record};
pub(crate) use saved::{MOST_INPUTS, gives_value_again};
pub use saved::{SavedAs, Values, save_as};
pub(crate) use sweep::sweep_now_and_then;
pub use vjp::Vjp;
