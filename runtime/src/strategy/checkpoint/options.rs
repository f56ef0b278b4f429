//! Options of a checkpoint and the name it goes by in messages.

use crate::random::{BrokenPromise, Stream};
use burn::tensor::Device;
use std::any::type_name;
use std::fmt;

/// Options of [`checkpoint_with`](crate::checkpoint_with).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::Checkpoint;
///
/// const ATTENTION: Checkpoint = Checkpoint::named("Block.attention").deterministic();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Checkpoint {
    name: Option<&'static str>,
    deterministic: bool,
}

impl Checkpoint {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            name: None,
            deterministic: false,
        }
    }

    /// The default options and a name for messages, such as `"Block.attention"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self {
            name: Some(name),
            deterministic: false,
        }
    }

    /// Promises that the forward pass draws no random numbers from the device, nor do checkpoints
    /// inside it (these have to be deterministic as well).
    ///
    /// Saves setting the device's generator twice, and segments of several threads no longer wait
    /// for one another. A broken promise is a wrong gradient: the second run would see other masks.
    /// Debug builds (or `REMAT_CHECK=1`) detect it.
    #[must_use]
    pub const fn deterministic(mut self) -> Self {
        self.deterministic = true;
        self
    }

    /// The stream to run with, if random numbers may be drawn.
    pub(super) fn stream<M>(self, device: &Device) -> Option<Stream> {
        if self.deterministic {
            return None;
        }
        match Stream::fork(device) {
            Ok(stream) => Some(stream),
            Err(BrokenPromise) => self.label::<M>().fail(format_args!(
                "it may draw random numbers and runs inside a checkpoint that is `deterministic`. \
                 Make this one `deterministic` as well if it draws none, or the outer one not."
            )),
        }
    }

    pub(super) fn label<M>(self) -> Label {
        Label {
            name: self.name,
            module: type_name::<M>(),
        }
    }
}

/// Which checkpoint a message is about.
#[derive(Clone, Copy)]
pub(super) struct Label {
    name: Option<&'static str>,
    module: &'static str,
}

impl Label {
    /// burn's forward and backward passes return no errors.
    #[cold]
    pub(super) fn fail(self, reason: fmt::Arguments<'_>) -> ! {
        panic!("remat: checkpoint of {self}: {reason}");
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => write!(f, "`{name}` ({})", self.module),
            None => write!(f, "`{}`", self.module),
        }
    }
}
