//! `#[frozen_stats]` on layers without running statistics, with other options and attributes.

use burn::nn::conv::Conv2d;
use burn::nn::{BatchNorm, Dropout, GroupNorm, Linear};
use remat::Remat;

#[derive(Remat)]
pub struct Layers {
    #[frozen_stats]
    pub linear: Linear,
    #[frozen_stats]
    pub convolutions: Vec<Conv2d>,
    #[frozen_stats]
    pub norm: GroupNorm,
    #[frozen_stats(update)]
    pub dropout: Option<Dropout>,
    #[frozen_stats(updates)]
    pub mistyped: BatchNorm,
    #[frozen_stats()]
    pub empty: BatchNorm,
    #[frozen_stats = true]
    pub value: BatchNorm,
    #[frozen_stats(update, update)]
    pub twice: BatchNorm,
    #[frozen_stats]
    #[frozen_stats]
    pub duplicate: BatchNorm,
    #[frozen_stats]
    #[checkpoint]
    pub with_checkpoint: BatchNorm,
    #[recompute(cheap)]
    #[frozen_stats]
    pub with_recompute: BatchNorm,
    #[remat(frozen_stats)]
    pub misplaced: BatchNorm,
}

#[derive(Remat)]
#[frozen_stats]
pub struct OnTheStruct {
    pub norm: BatchNorm,
}

fn main() {}
