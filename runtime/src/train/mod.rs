//! What a training loop does with gradients.
//!
//! * [`Accumulator`]: many small backward passes, one update, one set of gradients.
//! * [`BatchNorms`]: what batch normalisation does in a window of micro-batches.
//! * [`TrainLoop`]: all of it in the right order, with [observers](observe), saving and resuming.
//!
//! [`clip_grad_norm`] and [`clip_grad_value`] stand between the backward pass and burn's optimizer:
//!
//! ```
//! use burn::nn::LinearConfig;
//! use burn::optim::{AdamWConfig, GradientsParams};
//! use burn::tensor::{Device, Tensor};
//! use remat::train::clip_grad_norm;
//!
//! let device = Device::flex().autodiff();
//! let mut model = LinearConfig::new(4, 4).init(&device);
//! let mut optimizer = AdamWConfig::new().init();
//! let x = Tensor::<2>::ones([1, 4], &device);
//!
//! let loss = model.forward(x).square().mean();
//! let mut grads = GradientsParams::from_grads(loss.backward(), &model);
//! let norm = clip_grad_norm(&mut grads, &model, 1.0);
//! if norm.is_finite() {
//!     model = optimizer.step(1e-3, model, grads);
//! }
//! # let _ = model;
//! ```
//!
//! A step of burn's `AdamW` needs one temporary of the size of one parameter at a time (and in its first step the two moments,
//! which stay); [`clip_grad_norm`] on f32 needs one as well, [`clip_grad_value`] none. Parameters go one after the other.

pub mod accumulator;
mod batch_norm;
mod clip;
mod each;
pub mod observe;
mod stop;
mod train_loop;

pub use accumulator::{Accumulator, Window};
pub use batch_norm::{BatchNorms, BatchNormsError};
pub use clip::{clip_grad_norm, clip_grad_value};
pub use stop::StopSignal;
pub use train_loop::{
    ForwardError, IntoMicroBatch, InvalidInterval, InvalidLimit, LastWindow, MicroBatch, Outcome,
    Position, SaveError, Summary, TrainError, TrainLoop, Update,
};
