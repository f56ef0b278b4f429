//! What is known of a window when it ends, in one read.

use super::{Dropped, Window};
use crate::amp::Unscaled;
use crate::reads::Reads;
use crate::train::clip;
use burn::module::Module;
use burn::optim::GradientsParams;

pub(in crate::train) struct End {
    /// [`Window::loss`].
    pub(in crate::train) loss: f64,
    /// That of the gradients, if it was wanted and there is any.
    pub(in crate::train) norm: Option<f32>,
    /// [`Window::mean`].
    pub(in crate::train) gradients: Result<GradientsParams, Dropped>,
}

impl Window {
    /// Waits for the device once, whatever is wanted.
    pub(in crate::train) fn end<M: Module>(mut self, model: &M, norm: bool) -> End {
        let mut unscaled = Unscaled::new(self.0.take_scaled(), model);
        let norm = norm
            .then(|| clip::norm(&mut unscaled.grads, model))
            .flatten();

        let mut reads = Reads::default();
        self.0.losses.ask(&mut reads);
        if let Some(norm) = &norm {
            reads.add(norm.clone());
        }
        unscaled.ask(&mut reads);
        let mut read = reads.execute();

        let losses = self.0.losses.told(&mut read);
        let norm = norm.and_then(|_| read.next()?.iter().next());
        let finite = self.0.check_losses(&losses);
        End {
            loss: losses.mean,
            norm,
            gradients: finite.and_then(|()| Ok(unscaled.checked(&mut read, model)?)),
        }
    }
}
