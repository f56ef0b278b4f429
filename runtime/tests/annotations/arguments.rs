//! What goes into an annotated call, and what comes out.
//!
//! No tensor has more than two consumers here (a hidden state has many): burn adds their gradients in the order of its
//! graph, in which a checkpoint is one node, and a sum of three rounds in another way in another order.

use crate::counting::{Counting, WIDTH, check, input, layer};
use crate::support::{assert_as_plain, device, loss, numbers};
use burn::module::Module;
use burn::nn::attention::{
    MhaInput, MhaOutput, MultiHeadAttention, MultiHeadAttentionConfig, generate_autoregressive_mask,
};
use burn::nn::{Lstm, LstmConfig, LstmState};
use burn::tensor::{Bool, Int, Tensor};
use remat::{Remat, TensorTree};

/// A counting layer around which arguments and results of all kinds fit.
#[derive(Module, Debug)]
struct Flexible {
    inner: Counting,
}

#[derive(Clone, Debug, TensorTree)]
struct Options<T> {
    scale: f64,
    shift: Option<T>,
    #[remat(skip)]
    name: &'static str,
}

#[derive(TensorTree)]
enum Step<T> {
    Skip,
    Add(T),
    Mix { first: T, second: T, weight: f64 },
}

#[derive(TensorTree)]
struct Output<T, const N: usize> {
    parts: [T; N],
    best: Tensor<2, Int>,
}

const SCALE: f64 = 0.5;

impl Flexible {
    fn forward(&self, x: Tensor<2>, options: Options<Tensor<2>>) -> Tensor<2> {
        assert_eq!(options.name, "flexible");
        let y = self.inner.forward(x) * options.scale;
        match options.shift {
            Some(shift) => y + shift,
            None => y,
        }
    }

    fn forward_step(&self, x: Tensor<2>, step: Step<Tensor<2>>) -> Output<Tensor<2>, 2> {
        let y = self.inner.forward(x.clone());
        let best = y.clone().argmax(1);
        let y = match step {
            Step::Skip => y,
            Step::Add(other) => y + other,
            Step::Mix {
                first,
                second,
                weight,
            } => y + first * weight + second,
        };
        Output {
            parts: [y, x],
            best,
        }
    }

    fn forward_with(&self, x: Tensor<2>, f: impl Fn(Tensor<2>) -> Tensor<2>) -> Tensor<2> {
        f(self.inner.forward(x))
    }

    fn forward_many(
        &self,
        (x, y): (Tensor<2>, Tensor<2>),
        list: Vec<Tensor<2>>,
        mask: Option<Tensor<2, Bool>>,
        scale: f64,
        name: &str,
    ) -> Tensor<2> {
        assert_eq!(name, "many");
        let x = list.into_iter().fold(x * y, |x, other| x + other);
        let x = match mask {
            Some(mask) => x.mask_fill(mask, 0.0),
            None => x,
        };
        self.inner.forward(x) * scale
    }

    fn forward_nothing(&self) -> Tensor<2> {
        self.inner.forward(input())
    }
}

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    flexible: Flexible,
    plain: Counting,
}

impl Block {
    const SHARE: f64 = 0.25;

    fn new() -> Self {
        Self {
            flexible: Flexible { inner: layer() },
            plain: layer(),
        }
    }
}

#[remat::forward]
impl Block {
    fn struct_literal(&self, x: Tensor<2>) -> Tensor<2> {
        let shift = Some(self.plain.forward(x.clone()));
        let name = "flexible";
        self.flexible.forward(
            x,
            Options {
                scale: SCALE,
                shift,
                name,
            },
        )
    }

    fn struct_as_a_value(&self, x: Tensor<2>) -> Tensor<2> {
        let options = Options {
            scale: 2.0,
            shift: None,
            name: "flexible",
        };
        let base = options.clone();
        let x = self.flexible.forward(self.plain.forward(x), options);
        self.flexible.forward(
            x.clone(),
            Options {
                shift: Some(x),
                ..base
            },
        )
    }

    fn variants(&self, x: Tensor<2>) -> Tensor<2> {
        let Output {
            parts: [y, _],
            best,
        } = self.flexible.forward_step(x.clone(), Step::Skip);
        assert_eq!(best.dims(), [3, 1]);
        let y = self.plain.forward(y);
        let [y, x] = self.flexible.forward_step(y, Step::Add(x)).parts;
        y * x
    }

    fn variants_with_fields(&self, x: Tensor<2>) -> Tensor<2> {
        let first = self.plain.forward(x.clone());
        let mix = Step::Mix {
            first,
            second: x.clone(),
            weight: Self::SHARE,
        };
        let [y, _] = self.flexible.forward_step(x.clone(), mix).parts;
        let out = self.flexible.forward_step(
            y,
            Step::Mix {
                first: x.clone() * 2.0,
                second: x,
                weight: -Self::SHARE,
            },
        );
        out.parts
            .into_iter()
            .fold(Tensor::zeros([3, WIDTH], &device()), |sum, part| sum + part)
    }

    fn closures(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.flexible.forward_with(x, |y| y * SCALE);
        let x = self.plain.forward(x);
        self.flexible.forward_with(x, Tensor::exp)
    }

    fn many(&self, x: Tensor<2>) -> Tensor<2> {
        let h = self.plain.forward(x.clone());
        let mask = h.clone().greater_elem(0.0);
        let list = vec![x.clone(), h.clone()];
        let y = self
            .flexible
            .forward_many((x.clone(), h.clone()), list, Some(mask), 3.0, "many");
        self.flexible
            .forward_many((y, x.clone() * 2.0), vec![x], None, Self::SHARE, "many")
    }

    fn conditions(&self, x: Tensor<2>) -> Tensor<2> {
        let input = self.plain.forward(x.clone());
        let options = || Options {
            scale: 1.0,
            shift: None,
            name: "flexible",
        };
        self.flexible.forward(
            if x.dims()[0] > 100 { x } else { input },
            match options().shift {
                None => options(),
                Some(_) => return self.plain.forward(Tensor::zeros([3, WIDTH], &device())),
            },
        )
    }

    fn nothing(&self, x: Tensor<2>) -> Tensor<2> {
        self.flexible.forward_nothing() + self.plain.forward(x)
    }
}

macro_rules! check {
    ($($method:ident),*) => {$(
        #[test]
        fn $method() {
            let (model, x) = (Block::new(), input());
            let twice = model.flexible.inner.clone();
            check(&model, |model| loss(model.$method(x.clone())), [&twice], [&model.plain]);
        }
    )*};
}

check!(
    struct_literal,
    struct_as_a_value,
    variants,
    variants_with_fields,
    closures,
    many,
    conditions,
    nothing
);

#[derive(Module, Debug, Remat)]
struct Transformer {
    #[checkpoint]
    attention: MultiHeadAttention,
}

#[remat::forward]
impl Transformer {
    fn forward(&self, x: Tensor<3>, pad: Tensor<2, Bool>, causal: Tensor<3, Bool>) -> Tensor<3> {
        let input = self
            .attention
            .forward(MhaInput::self_attn(x.clone()))
            .context;
        let MhaOutput { context, weights } = self.attention.forward(
            MhaInput::new(input.clone(), x, input)
                .mask_pad(pad)
                .mask_attn(causal),
        );
        assert_eq!(weights.dims(), [2, 2, 5, 5]);
        context
    }
}

#[test]
fn attention_with_masks() {
    let device = device();
    let attention = MultiHeadAttentionConfig::new(8, 2)
        .with_dropout(0.0)
        .init(&device);
    let x = numbers([2, 5, 8], &device);
    let pad = Tensor::<2>::zeros([2, 5], &device).greater_elem(0.0);
    let causal = generate_autoregressive_mask(2, 5, &device);
    assert_as_plain(&Transformer { attention }, |model| {
        loss(model.forward(x.clone(), pad.clone(), causal.clone()))
    });
}

#[derive(Module, Debug, Remat)]
struct Recurrent {
    #[checkpoint]
    first: Lstm,
    #[checkpoint]
    second: Lstm,
}

#[remat::forward]
impl Recurrent {
    fn forward(&self, x: Tensor<3>, state: Option<LstmState<2>>) -> (Tensor<3>, LstmState<2>) {
        self.first.forward(x, state)
    }

    fn forward_fresh(&self, x: Tensor<3>) -> Tensor<3> {
        let (y, LstmState { cell, hidden }) = self.first.forward(x, None);
        let state = LstmState {
            cell: cell * 2.0,
            hidden: hidden.detach(),
        };
        self.second.forward(y, Some(state)).0
    }
}

#[test]
fn lstm_with_optional_state() {
    let device = device();
    let lstm = || LstmConfig::new(4, 4, true).init(&device);
    let x = numbers([2, 3, 4], &device);
    let state = LstmState::new(numbers([2, 4], &device), numbers([2, 4], &device));
    let model = Recurrent {
        first: lstm(),
        second: lstm(),
    };
    assert_as_plain(&model, |model| {
        let (y, state) = model.forward(x.clone(), Some(state.clone()));
        loss(y) + state.cell.sum()
    });
    assert_as_plain(&model, |model| loss(model.forward(x.clone(), None).0));
    assert_as_plain(&model, |model| loss(model.forward_fresh(x.clone())));
}
