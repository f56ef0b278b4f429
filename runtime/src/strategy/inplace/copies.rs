//! How often a layer in place had to copy.

use super::super::segment::Label;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static COPIES: AtomicUsize = AtomicUsize::new(0);

/// How many inputs were copied in this process, since somebody else held them when they should have been overwritten. The
/// results are the same, but a copy saves nothing.
///
/// Each of them also writes a line with the name of the field to the [`log`], at the level `debug`. On backends that do
/// not tell who holds a buffer (`ndarray`, `remote`), none is counted.
///
/// ```
/// use burn::nn::Relu;
/// use burn::tensor::{Device, Tensor};
/// use remat::inplace;
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<1>::ones([2], &device).require_grad() * 1.0;
///
/// let shared = remat::inplace(&Relu::new(), x.clone()); // `x` is still there
/// assert_eq!(inplace::copies(), 1);
/// drop(shared);
/// let alone = remat::inplace(&Relu::new(), x);
/// assert_eq!(inplace::copies(), 1);
/// # drop(alone);
/// ```
#[must_use]
pub fn copies() -> usize {
    COPIES.load(Relaxed)
}

pub(super) fn count(label: Label) {
    COPIES.fetch_add(1, Relaxed);
    log::debug!(
        "remat: inplace of {label}: something else holds its input, which was copied. Nothing is saved."
    );
}
