//! Asking a training to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Asks a [`TrainLoop`](super::TrainLoop) to stop after its window, from another thread or a handler of signals. Clones are
/// the same signal.
///
/// ```
/// use remat::train::StopSignal;
///
/// let stop = StopSignal::new();
/// let of_another_thread = stop.clone();
/// of_another_thread.request();
/// assert!(stop.is_requested());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// A signal that nobody has given yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal that Ctrl-C gives (feature `ctrlc`). Whoever presses it a second time does not wait for the window: the program ends at once,
    /// with the exit code 130.
    ///
    /// ```
    /// use remat::train::StopSignal;
    ///
    /// let stop = StopSignal::on_ctrl_c()?;
    /// assert!(!stop.is_requested());
    /// # Ok::<(), ctrlc::Error>(())
    /// ```
    ///
    /// It replaces what a program does at Ctrl-C otherwise, also nothing: a program that a script starts in the background
    /// ignores Ctrl-C.
    ///
    /// # Errors
    ///
    /// If the program has been given such a handler already: there can be one. Clone its signal.
    #[cfg(feature = "ctrlc")]
    pub fn on_ctrl_c() -> Result<Self, ctrlc::Error> {
        let signal = Self::new();
        let given = signal.clone();
        ctrlc::set_handler(move || {
            if given.0.swap(true, Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        })?;
        Ok(signal)
    }

    /// Asks to stop.
    pub fn request(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether somebody has asked.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What a shell gives for a program that SIGINT has ended.
#[cfg(feature = "ctrlc")]
const INTERRUPTED: i32 = 130;
