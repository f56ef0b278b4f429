//! What strategies are told about a segment, and the name it goes by in messages.

use super::super::casting::Autocast;
use super::super::compression::Quantize;
use crate::random::{BrokenPromise, Stream};
use burn::tensor::Device;
use std::any::type_name;
use std::fmt;

/// The options that every strategy has.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Options {
    /// The strategy, for messages: `checkpoint`.
    strategy: &'static str,
    name: Option<&'static str>,
    deterministic: bool,
    /// How the inputs are kept, if not as they are.
    compression: Option<Quantize>,
    /// In which precision the layer computes, if not in the caller's.
    casting: Option<Autocast>,
}

impl Options {
    pub(in super::super) const fn new(strategy: &'static str, name: Option<&'static str>) -> Self {
        Self {
            strategy,
            name,
            deterministic: false,
            compression: None,
            casting: None,
        }
    }

    pub(in super::super) const fn deterministic(mut self) -> Self {
        self.deterministic = true;
        self
    }

    pub(in super::super) const fn quantize(mut self, compression: Quantize) -> Self {
        self.compression = Some(compression.named_like(self.name));
        self
    }

    pub(in super::super) const fn compression(self) -> Option<Quantize> {
        self.compression
    }

    pub(in super::super) const fn without_compression(mut self) -> Self {
        self.compression = None;
        self
    }

    pub(in super::super) const fn autocast(mut self, casting: Autocast) -> Self {
        casting.assert_not_compressed();
        self.casting = Some(casting.named_like(self.name));
        self
    }

    pub(in super::super) const fn casting(self) -> Option<Autocast> {
        self.casting
    }

    /// The stream to run with.
    pub(super) fn stream<M>(self, device: &Device) -> Stream {
        if self.deterministic {
            return Stream::promised();
        }
        match Stream::fork(device) {
            Ok(stream) => stream,
            Err(BrokenPromise) => self.label::<M>().fail(format_args!(
                "it may draw random numbers and runs inside a checkpoint that is `deterministic`. \
                 Make this one `deterministic` as well if it draws none, or the outer one not."
            )),
        }
    }

    pub(in super::super) fn label<M>(self) -> Label {
        Label {
            strategy: self.strategy,
            name: self.name,
            module: type_name::<M>(),
        }
    }
}

/// Which segment a message is about.
#[derive(Clone, Copy)]
pub(in super::super) struct Label {
    strategy: &'static str,
    name: Option<&'static str>,
    module: &'static str,
}

impl Label {
    /// burn's forward and backward passes return no errors.
    #[cold]
    pub(in super::super) fn fail(self, reason: fmt::Arguments<'_>) -> ! {
        panic!("remat: {} of {self}: {reason}", self.strategy);
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
