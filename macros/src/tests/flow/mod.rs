//! What `#[inplace]` may overwrite.

mod accepted;
mod asserted;
mod property;
mod rejected;

use super::{parse, render, rewritten};

/// The struct of these tests.
const NET: &str = "
    struct Net {
        #[inplace]
        relu: Relu,
        #[inplace]
        sigmoid: Sigmoid,
        #[inplace]
        dropout: Dropout,
        #[inplace]
        exp: Exp,
        #[inplace]
        exps: Vec<Exp>,
        #[inplace]
        several: Vec<Relu>,
        #[inplace]
        maybe: Option<Relu>,
        #[checkpoint]
        f: Linear,
        #[quantize(bits = 8)]
        q: Linear,
        #[recompute(cheap)]
        norm: LayerNorm,
        linear: Linear,
        layers: Vec<Linear>,
        bias: Param<Tensor<2>>,
        scale: f64,
    }";

/// The signature of the methods of these tests.
const SIGNATURE: &str =
    "fn forward(&self, mut x: Tensor<2>, y: Tensor<2>, lent: &Tensor<2>, deep: bool) -> Tensor<2>";

/// What is wrong with these statements, if anything is.
fn faults(body: &str) -> Vec<String> {
    let source = format!("impl Net {{ {SIGNATURE} {{\n{body}\n}} }}");
    let text = render(&source, rewritten(NET, &source));
    let messages = text.split("error: ").skip(1);
    messages.map(str::to_string).collect()
}

#[test]
fn a_source_parses() {
    let _ = parse(SIGNATURE);
}
