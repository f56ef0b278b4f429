//! Turning every strategy off.

use std::cell::Cell;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Runs `f` as plain burn: on this thread, until it returns, every annotated call is the call
/// itself. For comparing results and for measuring what a strategy costs.
///
/// ```
/// use burn::{nn::LinearConfig, tensor::{Device, Tensor}};
///
/// let device = Device::flex().autodiff();
/// let linear = LinearConfig::new(4, 4).init(&device);
/// let x = Tensor::<2>::ones([1, 4], &device);
///
/// let forward = || remat::checkpoint(&linear, (x.clone(),), |linear, (x,)| linear.forward(x));
/// let plain = remat::without_strategies(forward);
/// assert_eq!(forward().to_data(), plain.to_data());
/// ```
pub fn without_strategies<R>(f: impl FnOnce() -> R) -> R {
    let _guard = Guard(DEPTH.replace(DEPTH.get() + 1));
    f()
}

/// Runs `f` with the strategies on: the second run of a segment whose first run had them, also if
/// the backward pass itself runs inside [`without_strategies`].
pub(super) fn with_strategies<R>(f: impl FnOnce() -> R) -> R {
    let _guard = Guard(DEPTH.replace(0));
    f()
}

pub(crate) fn strategies_are_off() -> bool {
    DEPTH.get() > 0
}

/// Restores the depth, also when `f` panics.
struct Guard(usize);

impl Drop for Guard {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}
