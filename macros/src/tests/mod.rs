//! Snapshots of what the macros write. `INSTA_UPDATE=always cargo test -p remat-macros` writes them anew; read them.

mod attention;
mod autocast;
mod derive;
mod escapes;
mod expansion;
mod flow;
mod frozen_stats;
mod hoisting;
mod hygiene;
mod inplace;
mod items;
mod macro_calls;
mod patterns;
mod quantize;
mod receivers;
mod sequences;
mod sequential;
mod tails;
mod tokens;
mod tree;

use expansion::render;
use proc_macro2::TokenStream;
use quote::quote;

/// Compares what `run` makes of a source with the snapshot of the test's name.
macro_rules! check {
    ($run:path, $source:literal) => {{
        let source = indoc::indoc!($source);
        insta::with_settings!({ description => source, omit_expression => true }, {
            insta::assert_snapshot!($run(source));
        });
    }};
}
use check;

/// The structs of the tests on methods.
const BLOCK: &str = "
    struct Block {
        norm: LayerNorm,
        #[checkpoint]
        f: Linear,
        #[checkpoint]
        g: Linear,
        #[checkpoint]
        attention: MultiHeadAttention,
        #[checkpoint]
        layers: Vec<Linear>,
        #[checkpoint]
        maybe: Option<Linear>,
        scale: f64,
    }";

/// The struct of the tests on groups of layers.
const STACK: &str = "
    struct Stack {
        #[checkpoint(every = 4)]
        layers: Vec<Layer>,
        #[checkpoint(sqrt)]
        others: [Layer; 9],
        #[checkpoint]
        f: Linear,
        norm: LayerNorm,
        scale: f64,
    }";

/// The struct of the tests on tails.
const TAIL: &str = "
    struct Block {
        #[checkpoint]
        attention: MultiHeadAttention,
        #[remat(tail)]
        down: Linear,
    }";

/// The struct of the tests on what has a call of its own form.
const MODEL: &str = "
    struct Model {
        #[recompute(attention)]
        attention: MultiHeadAttention,
        #[recompute(attention)]
        several: Vec<MultiHeadAttention>,
        #[recompute(attention)]
        maybe: Option<MultiHeadAttention>,
        #[recompute(cheap)]
        norm: LayerNorm,
        #[frozen_stats]
        frozen: BatchNorm,
        #[frozen_stats(update)]
        stages: [Stage; 4],
        #[checkpoint]
        f: Linear,
    }";

/// The struct of the tests on compressed inputs.
const NET: &str = "
    struct Net {
        #[quantize(bits = 8)]
        up: Linear,
        #[quantize(bits = 4)]
        several: Vec<Linear>,
        #[quantize(bits = 1)]
        relu: Option<Relu>,
        #[quantize(bits = 2)]
        #[checkpoint]
        attention: MultiHeadAttention,
        #[checkpoint(every = 2)]
        #[quantize(bits = 8)]
        blocks: Vec<Layer>,
        #[checkpoint(early_stop)]
        #[quantize(bits = 8)]
        last: Layer,
        scale: f64,
    }";

fn parse(source: &str) -> TokenStream {
    source.parse().expect("a test's source has tokens")
}

/// What `#[derive(Remat)]` makes of an item.
fn derive(source: &str) -> String {
    render(source, derive_tokens(source))
}

fn derive_tokens(source: &str) -> TokenStream {
    crate::expand::derive(&syn::parse2(parse(source)).expect("a test's item parses"))
}

/// What `#[derive(TensorTree)]` makes of an item.
fn tree(source: &str) -> String {
    let input = syn::parse2(parse(source)).expect("a test's item parses");
    render(source, crate::tree::derive(&input))
}

/// What `#[remat::forward]` alone makes of an item: the call of the struct's callback.
fn attribute(source: &str) -> String {
    render(
        source,
        crate::forward::attribute(&TokenStream::new(), parse(source)),
    )
}

/// What becomes of an impl of [`BLOCK`].
fn block_impl(source: &str) -> String {
    render(source, rewritten(BLOCK, source))
}

/// What becomes of these statements in a method of [`BLOCK`].
fn method(body: &str) -> String {
    let source = format!(
        "impl Block {{\n    fn forward(&self, x: Tensor<3>) -> Tensor<3> {{\n{body}    }}\n}}\n"
    );
    block_impl(&source)
}

/// What becomes of these statements in a method of [`STACK`].
fn stack(body: &str) -> String {
    let source = format!(
        "impl Stack {{\n    fn forward(&self, mut x: Tensor<3>, mask: Tensor<2>, bias: &Tensor<3>) -> Tensor<3> {{\n\
         {body}    }}\n}}\n"
    );
    render(&source, rewritten(STACK, &source))
}

/// What becomes of an impl of [`MODEL`].
fn model_impl(source: &str) -> String {
    render(source, rewritten(MODEL, source))
}

/// What becomes of these statements in a method of [`MODEL`].
fn model(body: &str) -> String {
    let source = format!(
        "impl Model {{\n    fn forward(&self, x: Tensor<3>, mask: Mask) -> Tensor<3> {{\n{body}    }}\n}}\n"
    );
    model_impl(&source)
}

/// What becomes of an impl of [`NET`].
fn net_impl(source: &str) -> String {
    render(source, rewritten(NET, source))
}

/// What becomes of these statements in a method of [`NET`].
fn net(body: &str) -> String {
    let source = format!(
        "impl Net {{\n    fn forward(&self, mut x: Tensor<3>, mask: Mask) -> Tensor<3> {{\n{body}    }}\n}}\n"
    );
    net_impl(&source)
}

/// What becomes of the impl after a struct.
fn with_struct(source: &str) -> String {
    let (item, implementation) = source
        .split_once("---\n")
        .expect("`---` between struct and impl");
    render(implementation, rewritten(item, implementation))
}

/// The impl after the derive of the struct has called back.
fn rewritten(item: &str, implementation: &str) -> TokenStream {
    let table = expansion::table(derive_tokens(item));
    let implementation = parse(implementation);
    crate::forward::rewrite(quote!(#table #implementation))
}
