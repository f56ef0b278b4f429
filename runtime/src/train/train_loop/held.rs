//! The model, which a step of burn's optimizer takes and gives back.

/// There is none only while a step makes the next.
pub(super) struct Held<M>(Option<M>);

const IN_A_STEP: &str = "there is a model, unless a step of the optimizer has panicked";

impl<M> Held<M> {
    pub(super) fn new(model: M) -> Self {
        Self(Some(model))
    }

    pub(super) fn get(&self) -> &M {
        self.0.as_ref().expect(IN_A_STEP)
    }

    pub(super) fn into_inner(self) -> M {
        self.0.expect(IN_A_STEP)
    }

    /// To be [put](Self::put) back.
    pub(super) fn take(&mut self) -> M {
        self.0.take().expect(IN_A_STEP)
    }

    pub(super) fn put(&mut self, model: M) {
        self.0 = Some(model);
    }
}
