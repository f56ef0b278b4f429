//! How values are compressed.

use crate::quantize::{Quantizer, Rounding};

/// Options of [`quantize`](crate::quantize()), and of strategies that keep their inputs compressed
/// ([`Checkpoint::quantize`](crate::Checkpoint::quantize)).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::{Quantize, Rounding};
///
/// const UP: Quantize = Quantize::bits(4).named("Block.up").group(64).rounding(Rounding::Nearest);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantize {
    pub(super) name: Option<&'static str>,
    pub(super) form: Form,
    pub(super) min_elements: usize,
}

/// What is kept of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// Whether it is above 0.
    Signs,
    Steps(Quantizer),
}

impl Form {
    /// Whether it needs a seed.
    pub(super) fn draws(self) -> bool {
        matches!(self, Self::Steps(quantizer) if quantizer.draws())
    }
}

impl Quantize {
    /// Keeps 8, 4 or 2 bits an element, in groups of 256 with stochastic rounding; or 1 bit: whether it is above 0, which
    /// is all that the gradient of a `Relu` needs, and wrong for any other layer.
    ///
    /// # Panics
    ///
    /// If there are other bits: when compiling, in a constant.
    #[must_use]
    pub const fn bits(bits: u32) -> Self {
        let form = match bits {
            1 => Form::Signs,
            bits => Form::Steps(Quantizer::bits(bits)),
        };
        Self {
            name: None,
            form,
            min_elements: 1024,
        }
    }

    /// A name for reports, such as `"Block.up"`.
    #[must_use]
    pub const fn named(self, name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// The same, with this name unless it has one.
    pub(in super::super) const fn named_like(self, name: Option<&'static str>) -> Self {
        match self.name {
            Some(_) => self,
            None => Self { name, ..self },
        }
    }

    /// Refuses signs where a layer is computed again from the values.
    pub(crate) const fn assert_values(self) {
        assert!(
            matches!(self.form, Form::Steps(_)),
            "remat: a layer cannot run again from signs, which are 1 bit: keep 2 bits or more"
        );
    }

    /// The number of elements that share their steps ([`Quantizer::group`]).
    ///
    /// # Panics
    ///
    /// If it is not a positive multiple of 16, or only signs are kept: when compiling, in a constant.
    #[must_use]
    pub const fn group(self, elements: usize) -> Self {
        match self.form {
            Form::Steps(quantizer) => Self {
                form: Form::Steps(quantizer.group(elements)),
                ..self
            },
            Form::Signs => panic!("remat: signs, which are 1 bit, have no groups"),
        }
    }

    /// How values between two steps are rounded: [stochastically](Rounding::Stochastic), unless you say otherwise.
    ///
    /// # Panics
    ///
    /// If only signs are kept: when compiling, in a constant.
    #[must_use]
    pub const fn rounding(self, rounding: Rounding) -> Self {
        match self.form {
            Form::Steps(quantizer) => Self {
                form: Form::Steps(quantizer.rounding(rounding)),
                ..self
            },
            Form::Signs => panic!("remat: signs, which are 1 bit, are not rounded"),
        }
    }

    /// Smaller tensors are kept as they are. 1024 elements, unless you say otherwise.
    #[must_use]
    pub const fn min_elements(self, elements: usize) -> Self {
        Self {
            min_elements: elements,
            ..self
        }
    }
}
