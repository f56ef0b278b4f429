//! Loops over elements, on the host.

mod elements;

pub(crate) use elements::{Elements, on_elements, with_elements};

/// Runs a loop with the widest vectors that the processor has: all that it calls has to be inlined.
#[cfg(feature = "flex")]
pub(crate) fn vectorised(f: impl FnOnce()) {
    pulp::Arch::new().dispatch(f);
}

#[cfg(not(feature = "flex"))]
pub(crate) fn vectorised(f: impl FnOnce()) {
    f();
}

/// Runs the jobs, on all cores if there are several.
#[cfg(feature = "flex")]
pub(crate) fn in_parallel<J: Send>(jobs: Vec<J>, run: impl Fn(J) + Send + Sync) {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    if let [_, _, ..] = jobs.as_slice() {
        jobs.into_par_iter().for_each(run);
    } else {
        jobs.into_iter().for_each(run);
    }
}

#[cfg(not(feature = "flex"))]
pub(crate) fn in_parallel<J: Send>(jobs: Vec<J>, run: impl Fn(J) + Send + Sync) {
    jobs.into_iter().for_each(run);
}
