//! `#[frozen_stats]`.

use super::{check, derive, model, model_impl, with_struct};

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block {
            #[frozen_stats]
            norm: BatchNorm,
            #[frozen_stats(update)]
            norms: Vec<nn::BatchNorm>,
            #[frozen_stats]
            maybe: Option<[BatchNorm; 2]>,
            #[frozen_stats]
            backbone: ResNet,
            #[frozen_stats(update)]
            stage: ConvBlock,
            #[frozen_stats]
            any: Normalization,
        }
    "
    );
}

#[test]
fn calls() {
    check!(
        model,
        "
        let x = self.frozen.forward(x);
        for stage in &self.stages {
            x = stage.forward(x, Some(mask.clone()));
        }
        self.stages[0].forward_features(Input { x: self.f.forward(self.frozen.forward(x)) })
    "
    );
}

#[test]
fn in_a_method_without_its_tail() {
    check!(
        with_struct,
        "
        struct Block {
            #[frozen_stats]
            norm: BatchNorm,
            #[remat(tail)]
            down: Linear,
        }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                x.clone() + self.down.forward(self.norm.forward(x))
            }
        }
    "
    );
}

#[test]
fn a_sequential_struct() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<4> -> Tensor<4>))]
        struct Stem {
            convolution: Conv2d,
            #[frozen_stats]
            norm: BatchNorm,
        }
    "
    );
}

#[test]
fn nothing_runs_again() {
    check!(
        model_impl,
        "
        impl Model {
            fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
                self.frozen.forward(x)
            }
        }
    "
    );
}

#[test]
fn what_a_function_of_its_own_cannot_do() {
    check!(
        model_impl,
        "
        impl Model {
            async fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.frozen.forward(x)
            }
            fn borrowed(&self, x: Tensor<3>) -> Tensor<3> {
                self.frozen.forward(&x);
                self.stages[0].forward(x, |y| y + x)
            }
            fn lost(&self, x: Tensor<3>) -> Tensor<3> {
                run(&self.frozen, x)
            }
        }
    "
    );
}

#[test]
fn layers_without_running_statistics() {
    check!(
        derive,
        "
        struct Block {
            #[frozen_stats]
            a: LayerNorm,
            #[frozen_stats]
            b: Vec<nn::GroupNorm>,
            #[frozen_stats]
            c: Option<Linear>,
            #[frozen_stats]
            d: [Conv2d; 2],
            #[frozen_stats(update)]
            e: MaxPool2d,
            #[frozen_stats]
            f: MultiHeadAttention,
            #[frozen_stats]
            g: Lstm,
            #[frozen_stats]
            h: LeakyRelu,
            #[frozen_stats]
            i: Dropout,
            #[frozen_stats]
            j: Param<Tensor<2>>,
        }
    "
    );
}

#[test]
fn options() {
    check!(
        derive,
        r#"
        struct Block {
            #[frozen_stats = 1]
            a: BatchNorm,
            #[frozen_stats()]
            b: BatchNorm,
            #[frozen_stats(updat)]
            c: BatchNorm,
            #[frozen_stats(deterministic)]
            d: BatchNorm,
            #[frozen_stats(update, update)]
            e: BatchNorm,
            #[frozen_stats(update = false)]
            f: BatchNorm,
            #[frozen_stats("update")]
            g: BatchNorm,
            #[frozen_stats[update]]
            h: BatchNorm,
            #[frozen_stats]
            #[frozen_stats(update)]
            i: BatchNorm,
            #[remat(frozen_stats)]
            j: BatchNorm,
            #[module(skip)]
            #[frozen_stats]
            k: BatchNorm,
            #[frozen_stats]
            #[remat(tail)]
            l: Mine,
        }
    "#
    );
}

#[test]
fn with_other_strategies() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            #[frozen_stats]
            a: BatchNorm,
            #[frozen_stats(update)]
            #[recompute(cheap)]
            b: BatchNorm,
        }
    "
    );
}

#[test]
fn not_on_a_field() {
    check!(
        derive,
        "
        #[frozen_stats]
        struct Block {
            norm: BatchNorm,
        }
    "
    );
}
