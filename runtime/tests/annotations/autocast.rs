//! `#[autocast(..)]` on fields and structs: what a person would write with the runtime.

use crate::support::{assert_all_same, assert_same, loss, numbers, run};
use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{AvgPool2d, AvgPool2dConfig};
use burn::nn::{
    BatchNorm, BatchNormConfig, Embedding, EmbeddingConfig, Gelu, LayerNorm, LayerNormConfig,
    Linear, LinearConfig, Relu, RotaryEncoding, RotaryEncodingConfig,
};
use burn::tensor::{DType, Device, FloatDType, Int, Tensor};
use remat::amp::Precision;
use remat::{Autocast, Layer, Quantize, Remat, Rounding, autocast_attention, autocast_with};

const D: usize = 8;
const BF16: Autocast = Autocast::new(Precision::BF16);

fn device() -> Device {
    Device::flex().autodiff()
}

fn linear() -> Linear {
    LinearConfig::new(D, D).init(&device())
}

#[derive(Module, Debug, Remat)]
#[autocast(bf16)]
struct Block {
    norm: LayerNorm,
    attention: MultiHeadAttention,
    up: Linear,
    #[recompute(cheap, deterministic)]
    gelu: Gelu,
    #[autocast(f16)]
    down: Option<Linear>,
    #[autocast(f32)]
    layers: Vec<Linear>,
    scale: f64,
}

impl Block {
    fn new() -> Self {
        Self {
            norm: LayerNormConfig::new(D).init(&device()),
            attention: MultiHeadAttentionConfig::new(D, 2)
                .with_dropout(0.0)
                .init(&device()),
            up: linear(),
            gelu: Gelu::new(),
            down: Some(linear()),
            layers: vec![linear(), linear()],
            scale: 0.5,
        }
    }
}

#[remat::forward]
impl Block {
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let h = self.norm.forward(x.clone());
        let x = x + self.attention.forward(MhaInput::self_attn(h)).context;
        let mut h = self.gelu.forward(self.up.forward(x.clone()));
        if let Some(down) = &self.down {
            h = down.forward(h);
        }
        for layer in &self.layers {
            h = layer.forward(h);
        }
        x + h.mul_scalar(self.scale)
    }
}

fn by_hand(block: &Block, x: Tensor<3>) -> Tensor<3> {
    fn each(options: Autocast, linear: &Linear, x: Tensor<3>) -> Tensor<3> {
        autocast_with(options, linear, (x,), |linear, (x,)| linear.forward(x))
    }
    let f32 = Autocast::new(Precision::F32);
    let h = autocast_with(f32, &block.norm, (x.clone(),), |norm, (x,)| norm.forward(x));
    let input = remat::nn::MhaInput::self_attn(h);
    let x = x + autocast_attention(Precision::BF16, &block.attention, input).context;
    let h = each(BF16, &block.up, x.clone());
    let h = autocast_with(BF16, &block.gelu, (h,), |gelu, (h,)| gelu.forward(h));
    let f16 = Autocast::new(Precision::F16);
    let h = block.down.iter().fold(h, |h, down| each(f16, down, h));
    let h = block.layers.iter().fold(h, |h, layer| each(f32, layer, h));
    x + h.mul_scalar(block.scale)
}

/// In f32 and in a stream of 16 bits, where norms are islands.
#[test]
fn the_default_of_a_struct_and_exceptions() {
    let block = Block::new();
    for dtype in [FloatDType::F32, FloatDType::BF16] {
        let x = numbers([2, 3, D], &device()).cast(dtype);
        let of = |forward: fn(&Block, Tensor<3>) -> Tensor<3>| {
            run(&block, |block| {
                loss(forward(block, x.clone()).cast(FloatDType::F32))
            })
        };
        let (value, grads) = of(Block::forward);
        let (expected, plain) = of(by_hand);
        assert_same(&value, &expected);
        assert_all_same(&grads, &plain);
        assert_eq!(block.forward(x.clone()).dtype(), DType::from(dtype));
    }
    let x = numbers([2, 3, D], &device());
    let (value, _) = run(&block, |block| loss(block.forward(x.clone())));
    let (plain, _) =
        remat::without_strategies(|| run(&block, |block| loss(block.forward(x.clone()))));
    assert_ne!(value, plain);
}

/// Near the same without strategies, but not the same.
fn assert_near<const R: usize>(forward: impl Fn() -> Tensor<R>) {
    let plain = remat::without_strategies(&forward);
    let norm = |x: Tensor<R>| x.square().sum().sqrt().into_scalar::<f32>();
    let error = norm(forward() - plain.clone()) / norm(plain);
    assert!(0.0 < error && error < 0.05, "{error}");
}

/// A stream in bf16 that begins behind the embedding, and blocks that run again.
#[derive(Module, Debug, Remat)]
struct Model {
    #[autocast(bf16, output = bf16)]
    embedding: Embedding,
    #[checkpoint]
    blocks: Vec<Block>,
    #[autocast(bf16, output = f32)]
    head: Linear,
}

#[remat::forward]
impl Model {
    fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let mut x = self.embedding.forward(tokens);
        assert!(remat_off() || x.dtype() == DType::BF16);
        for block in &self.blocks {
            x = block.forward(x);
        }
        self.head.forward(x)
    }
}

/// Whether the model is plain burn.
fn remat_off() -> bool {
    let x = Tensor::<2>::ones([1, D], &Device::flex());
    let dtype = autocast_with(BF16, &Relu::new(), (x,), |_, (x,)| (x.dtype(), x)).0;
    dtype == DType::F32
}

#[test]
fn a_stream_in_16_bits() {
    let model = Model {
        embedding: EmbeddingConfig::new(5, D).init(&device()),
        blocks: vec![Block::new(), Block::new()],
        head: linear(),
    };
    let tokens = Tensor::<2, Int>::from_ints([[0, 1, 2], [3, 4, 0]], &device());
    let (value, grads) = run(&model, |model| loss(model.forward(tokens.clone())));
    assert!(grads.iter().all(Option::is_some));
    assert!(
        grads
            .iter()
            .flatten()
            .all(|grad| grad.dtype() == DType::F32)
    );
    assert_near(|| model.forward(tokens.clone()));
    assert_eq!(value.dtype(), DType::F32);
}

/// Written as one, with layers of every kind and other strategies on them.
#[derive(Module, Debug, Remat)]
#[remat(sequential(Tensor<4> -> Tensor<4>))]
#[autocast(f16)]
struct Convolutions {
    conv: Conv2d,
    #[frozen_stats]
    norm: BatchNorm,
    #[quantize(bits = 1, min_elements = 0)]
    relu: Relu,
    #[quantize(bits = 8, min_elements = 0)]
    again: Conv2d,
    #[checkpoint]
    last: Vec<Conv2d>,
    pool: AvgPool2d,
    #[remat(skip)]
    #[allow(dead_code)]
    unused: usize,
}

#[test]
fn sequential_with_other_strategies() {
    let conv = || Conv2dConfig::new([2, 2], [3, 3]).init(&device());
    let model = Convolutions {
        conv: conv(),
        norm: BatchNormConfig::new(2).init(&device()),
        relu: Relu::new(),
        again: conv(),
        last: vec![conv()],
        pool: AvgPool2dConfig::new([2, 2]).init(),
        unused: 0,
    };
    let x = numbers([2, 2, 9, 9], &device());
    let forward = |model: &Convolutions| loss(model.forward(x.clone()));
    let (_, grads) = run(&model, forward);
    assert!(grads.iter().take(2).all(Option::is_some));
    let mean = model.norm.running_mean.value_sync();
    assert_eq!(mean.to_data(), Tensor::<1>::zeros([2], &device()).to_data());
    assert_near(|| model.forward(x.clone()));
}

/// Layers that are called several times, in a model of any layer.
#[derive(Module, Debug, Remat)]
struct Repeated<M: Layer> {
    #[autocast(bf16)]
    cell: M,
    #[autocast(f16)]
    layers: Vec<Linear>,
    #[autocast(bf16)]
    attention: Option<MultiHeadAttention>,
}

trait Forward {
    fn forward(&self, x: Tensor<2>) -> Tensor<2>;
}

impl Forward for Linear {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        Self::forward(self, x)
    }
}

#[remat::forward]
impl<M: Layer + Forward> Repeated<M> {
    #[allow(
        clippy::used_underscore_binding,
        reason = "a name that the macro writes too"
    )]
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        let _casts = 3;
        for _ in 0.._casts {
            x = self.cell.forward(x);
            for layer in &self.layers {
                x = layer.forward(x).tanh();
            }
            if let Some(attention) = &self.attention {
                let h = x.clone().unsqueeze();
                x = x + attention.forward(MhaInput::self_attn(h)).context.squeeze();
            }
        }
        self.cell.forward(x)
    }
}

/// Each parameter is cast once; the numbers are those of calls that know nothing of each other.
#[test]
fn calls_that_repeat() {
    let model = Repeated {
        cell: linear(),
        layers: vec![linear(), linear()],
        attention: Some(
            MultiHeadAttentionConfig::new(D, 2)
                .with_dropout(0.0)
                .init(&device()),
        ),
    };
    let low = |precision, linear: &Linear, x| {
        let call = |linear: &Linear, (x,): (Tensor<2>,)| linear.forward(x);
        autocast_with(Autocast::new(precision), linear, (x,), call)
    };
    let by_hand = |model: &Repeated<Linear>, mut x: Tensor<2>| {
        for _ in 0..3 {
            x = low(Precision::BF16, &model.cell, x);
            for layer in &model.layers {
                x = low(Precision::F16, layer, x).tanh();
            }
            let attention = model.attention.as_ref().expect("an attention");
            let input = remat::nn::MhaInput::self_attn(x.clone().unsqueeze());
            x = x + autocast_attention(Precision::BF16, attention, input)
                .context
                .squeeze();
        }
        low(Precision::BF16, &model.cell, x)
    };
    let x = numbers([5, D], &device());
    let (value, grads) = run(&model, |model| loss(model.forward(x.clone())));
    let (expected, plain) = run(&model, |model| loss(by_hand(model, x.clone())));
    assert_same(&value, &expected);
    assert_all_same(&grads, &plain);
    assert!(grads.iter().all(Option::is_some));
}

/// Structs in structs: each has the precision that it says, in a segment as well.
#[derive(Module, Debug, Remat)]
#[autocast(bf16)]
struct Inner {
    fc: Linear,
    extra: Option<Linear>,
    many: Vec<Linear>,
    norm: LayerNorm,
}

#[remat::forward]
impl Inner {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut h = self.fc.forward(x);
        if let Some(extra) = &self.extra {
            h = extra.forward(h);
        }
        for layer in &self.many {
            h = layer.forward(h);
        }
        self.norm.forward(h)
    }
}

#[derive(Module, Debug, Remat)]
#[autocast(f16)]
struct Outer {
    embedding: Embedding,
    #[checkpoint]
    inner: Inner,
    #[checkpoint]
    linear: Linear,
    head: Linear,
}

#[remat::forward]
impl Outer {
    fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<2> {
        let [batch, length] = tokens.dims();
        let h = self.embedding.forward(tokens).reshape([batch * length, D]);
        let h = self.inner.forward(h);
        let h = self.linear.forward(h);
        self.head.forward(h)
    }
}

/// In plain burn, with a frozen embedding.
#[test]
fn structs_in_structs() {
    let model = Outer {
        embedding: EmbeddingConfig::new(7, D).init(&device()).no_grad(),
        inner: Inner {
            fc: linear(),
            extra: Some(linear()),
            many: vec![linear(), linear()],
            norm: LayerNormConfig::new(D).init(&device()),
        },
        linear: linear(),
        head: linear(),
    };
    let tokens = Tensor::<2, Int>::from_ints([[1, 2, 3], [4, 5, 6]], &device());
    let low = |linear: &Linear, x: Tensor<2>, dtype: FloatDType| {
        let bias = linear.bias.as_ref().map(|bias| bias.val().cast(dtype));
        let weight = linear.weight.val().cast(dtype);
        burn::tensor::module::linear(x.cast(dtype), weight, bias).cast(FloatDType::F32)
    };
    let by_hand = |model: &Outer| {
        let (bf16, f16) = (FloatDType::BF16, FloatDType::F16);
        let embedding = model.embedding.weight.val(); // stays in f32
        let inner = &model.inner;
        let h = low(
            &inner.fc,
            embedding.select(0, tokens.clone().reshape([6])),
            bf16,
        );
        let h = inner.extra.iter().fold(h, |h, extra| low(extra, h, bf16));
        let h = inner.many.iter().fold(h, |h, layer| low(layer, h, bf16));
        let h = low(&model.linear, inner.norm.forward(h), f16);
        loss(low(&model.head, h, f16))
    };
    let (value, grads) = run(&model, |model| loss(model.forward(tokens.clone())));
    let (expected, plain) = run(&model, by_hand);
    assert_same(&value, &expected);
    assert_all_same(&grads, &plain);
    let given: Vec<bool> = grads.iter().map(Option::is_some).collect();
    assert_eq!(given[0..2], [false, true]);
}

/// Groups of layers that are cast inside, by layers that are called twice.
#[derive(Module, Debug, Remat)]
struct Groups {
    #[checkpoint(every = 2)]
    blocks: Vec<Twice>,
    #[autocast(bf16)]
    #[quantize(bits = 8, min_elements = 0, rounding = nearest)]
    head: Linear,
}

#[derive(Module, Debug, Remat)]
#[autocast(bf16)]
struct Twice {
    norm: LayerNorm,
    linear: Linear,
}

#[remat::forward]
impl Twice {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.linear.forward(self.norm.forward(x.clone()));
        x + self.linear.forward(h.tanh())
    }
}

#[remat::forward]
impl Groups {
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for block in &self.blocks {
            x = block.forward(x);
        }
        x = self.head.forward(x);
        self.head.forward(x)
    }
}

#[test]
fn groups_of_cast_layers() {
    let twice = || Twice {
        norm: LayerNormConfig::new(D).init(&device()),
        linear: linear(),
    };
    let model = Groups {
        blocks: (0..5).map(|_| twice()).collect(),
        head: linear(),
    };
    let x = numbers([5, D], &device());
    let stack = |blocks: &[Twice], x| blocks.iter().fold(x, |x, block| block.forward(x));
    let head = |head: &Linear, x| {
        let options = BF16.quantize(
            Quantize::bits(8)
                .min_elements(0)
                .rounding(Rounding::Nearest),
        );
        autocast_with(options, head, (x,), |head, (x,)| head.forward(x))
    };
    let (value, grads) = run(&model, |model| loss(model.forward(x.clone())));
    let (expected, plain) = run(&model, |model| {
        let x = stack(&model.blocks, x.clone());
        loss(head(&model.head, head(&model.head, x)))
    });
    assert_same(&value, &expected);
    assert_all_same(&grads, &plain);
    assert!(grads.iter().all(Option::is_some));
}

/// Layers in tuples, which have no fields of their own.
#[derive(Module, Debug, Remat)]
#[autocast(bf16)]
struct Pairs {
    pair: (Linear, Linear),
    steps: Vec<(Linear, Gelu)>,
    norms: (LayerNorm, LayerNorm),
}

#[remat::forward]
impl Pairs {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = self.norms.0.forward(self.pair.0.forward(x));
        for (linear, gelu) in &self.steps {
            x = gelu.forward(linear.forward(x));
        }
        let (_, last) = &self.pair;
        self.norms.1.forward(last.forward(x))
    }
}

/// In a stream of 16 bits as well, where a layer that was left out would be an error.
#[test]
fn tuples() {
    let norm = || LayerNormConfig::new(D).init(&device());
    let model = Pairs {
        pair: (linear(), linear()),
        steps: vec![(linear(), Gelu::new())],
        norms: (norm(), norm()),
    };
    let low = |linear: &Linear, x| {
        let call = |linear: &Linear, (x,): (Tensor<2>,)| linear.forward(x);
        autocast_with(BF16, linear, (x,), call)
    };
    let by_hand = |model: &Pairs, x: Tensor<2>| {
        let h = low(
            &model.steps[0].0,
            model.norms.0.forward(low(&model.pair.0, x)),
        );
        let h = autocast_with(BF16, &model.steps[0].1, (h,), |gelu, (h,)| gelu.forward(h));
        model.norms.1.forward(low(&model.pair.1, h))
    };
    let x = numbers([5, D], &device());
    let (value, grads) = run(&model, |model| loss(model.forward(x.clone())));
    let (expected, plain) = run(&model, |model| loss(by_hand(model, x.clone())));
    assert_same(&value, &expected);
    assert_all_same(&grads, &plain);
    assert!(grads.iter().all(Option::is_some));
    let stream = model.forward(x.cast(FloatDType::BF16));
    assert_eq!(stream.dtype(), DType::BF16);
}

/// Layers of f32 that are used in ways of their own, of which the struct's default has nothing to say: no warning, and their
/// numbers are burn's.
#[deny(dead_code)]
mod used_in_other_ways {
    use super::*;

    #[derive(Module, Debug, Remat)]
    #[autocast(bf16)]
    struct Tied {
        embedding: Embedding,
        query: Linear,
        rope: RotaryEncoding,
    }

    #[remat::forward]
    impl Tied {
        fn forward(&self, x: Tensor<3>) -> Tensor<3> {
            let q = self.rope.apply(self.query.forward(x), 0);
            q.matmul(self.embedding.weight.val().transpose().unsqueeze())
        }
    }

    #[test]
    fn compute_as_burn() {
        let model = Tied {
            embedding: EmbeddingConfig::new(5, D).init(&device()),
            query: linear(),
            rope: RotaryEncodingConfig::new(16, D).init(&device()),
        };
        let x = numbers([2, 3, D], &device());
        let (value, grads) = run(&model, |model| loss(model.forward(x.clone())));
        let (expected, plain) = run(&model, |model| {
            let call = |linear: &Linear, (x,): (Tensor<3>,)| linear.forward(x);
            let q = autocast_with(BF16, &model.query, (x.clone(),), call);
            let weight = model.embedding.weight.val().transpose().unsqueeze();
            loss(model.rope.apply(q, 0).matmul(weight))
        });
        assert_same(&value, &expected);
        assert_all_same(&grads, &plain);
        assert!(grads.iter().all(Option::is_some));
    }
}
