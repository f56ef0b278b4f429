//! `#[recompute(attention)]` on other layers, with other options and where nothing can call it.

use burn::module::Module;
use burn::nn::attention::MultiHeadAttention;
use burn::nn::transformer::TransformerEncoder;
use burn::nn::{LayerNorm, Linear};
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Remat)]
pub struct Layers {
    #[recompute(attention)]
    pub linear: Linear,
    #[recompute(attention)]
    pub norms: Vec<LayerNorm>,
    #[recompute(attention)]
    pub encoder: Option<TransformerEncoder>,
    #[recompute(cheap)]
    pub not_cheap: MultiHeadAttention,
    #[recompute(attention, deterministic)]
    pub deterministic: MultiHeadAttention,
    #[recompute(cheap, attention)]
    pub both: MultiHeadAttention,
    #[recompute(attention)]
    #[checkpoint]
    pub stacked: MultiHeadAttention,
}

#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<3> -> Tensor<3>))]
pub struct Sequential {
    #[recompute(attention)]
    attention: MultiHeadAttention,
}

fn main() {}
