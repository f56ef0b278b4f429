//! Loops over elements, on the host.

/// Runs a loop with the widest vectors that the processor has: all that it calls has to be inlined.
#[cfg(feature = "flex")]
pub(crate) fn vectorised(f: impl FnOnce()) {
    pulp::Arch::new().dispatch(f);
}

#[cfg(not(feature = "flex"))]
pub(crate) fn vectorised(f: impl FnOnce()) {
    f();
}
