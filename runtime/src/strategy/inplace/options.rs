//! Options of a layer in place.

use super::super::segment::{Label, Options};

/// Options of [`inplace_with`](crate::inplace_with).
///
/// `#[derive(Remat)]` writes one such constant for every annotated field.
///
/// ```
/// use remat::Inplace;
///
/// const RELU: Inplace = Inplace::named("Block.relu");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Inplace(Options);

impl Default for Inplace {
    fn default() -> Self {
        Self::new()
    }
}

impl Inplace {
    /// The default options.
    #[must_use]
    pub const fn new() -> Self {
        Self(Options::new("inplace", None))
    }

    /// The default options and a name for messages, such as `"Block.relu"`.
    #[must_use]
    pub const fn named(name: &'static str) -> Self {
        Self(Options::new("inplace", Some(name)))
    }

    pub(super) fn label<A>(self) -> Label {
        self.0.label::<A>()
    }
}
