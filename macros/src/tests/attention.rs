//! `#[recompute(attention)]`.

use proc_macro2::{Delimiter, Group};
use quote::quote;

use super::{MODEL, check, derive, derive_tokens, expansion, model, model_impl, with_struct};

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block {
            #[recompute(attention)]
            attention: MultiHeadAttention,
            #[recompute(attention)]
            several: [nn::attention::MultiHeadAttention; 2],
            #[recompute(attention)]
            maybe: Option<Vec<MultiHeadAttention>>,
            #[recompute(attention)]
            alias: Mine,
        }
    "
    );
}

#[test]
fn inputs() {
    check!(
        model,
        "
        let y = self.attention.forward(MhaInput::self_attn(x.clone()));
        let y = self.attention.forward(burn::nn::attention::MhaInput::new(x.clone(), y.context, x).mask_pad(mask.clone()));
        let y = self.attention.forward((attention::MhaInput::self_attn(y)).mask_attn(self.mask(&mask)?));
        self.attention.forward(((MhaInput::self_attn)(y).mask_pad(mask))).context
    "
    );
}

#[test]
fn receivers() {
    check!(
        model,
        "
        for layer in &self.several {
            x = layer.forward(MhaInput::self_attn(x)).context;
        }
        let x = self.several.iter().fold(x, |x, b| b.forward(MhaInput::self_attn(x)).context);
        let x = self.several[1].forward(MhaInput::self_attn(x)).context;
        if let Some(attention) = &self.maybe {
            return attention.forward(MhaInput::self_attn(x)).context;
        }
        let Self { attention, .. } = self;
        #[cfg(feature = \"more\")]
        attention.forward(MhaInput::self_attn(x.clone()));
        self.maybe.as_ref().unwrap().forward(MhaInput::self_attn(x)).context
    "
    );
}

#[test]
fn calls_in_the_arguments() {
    check!(
        model,
        "
        let h = self.attention.forward(MhaInput::self_attn(self.norm.forward(x)).mask_pad(self.f.forward(mask)));
        self.attention.forward(MhaInput::new(
            h.context.clone(),
            self.attention.forward(MhaInput::self_attn(h.context)).context,
            x,
        )).context
    "
    );
}

#[test]
fn whatever_is_in_scope() {
    check!(
        model_impl,
        "
        impl Model {
            async fn forward(&mut self, x: Tensor<3>, masks: &[Mask]) -> Tensor<3> {
                let run = |h| self.attention.forward(MhaInput::self_attn(h).mask_pad(masks[0].clone()));
                run(self.attention.forward(MhaInput::self_attn(read(&x).await?)).context).context
            }
        }
    "
    );
}

#[test]
fn invisible_groups() {
    // What `$input` and `$function` of `$input:expr`, `$function:expr` are in a macro's output.
    let group = |tokens| Group::new(Delimiter::None, tokens);
    let (x, function) = (group(quote!(x)), group(quote!(MhaInput::self_attn)));
    let input = group(quote!(MhaInput::self_attn(#x)));
    let item = quote! {
        impl Model {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let x = self.attention.forward(#input).context;
                self.attention.forward(#function(#x).mask_pad(#x)).context
            }
        }
    };
    let table = expansion::table(derive_tokens(MODEL));
    let output = crate::forward::rewrite(quote!(#table #item));
    insta::assert_snapshot!(expansion::render(&item.to_string(), output));
}

#[test]
fn tuple_struct_and_renamed_crate() {
    check!(
        with_struct,
        "
        #[remat(crate = crate::reexports::memory)]
        struct Block(LayerNorm, #[recompute(attention)] MultiHeadAttention);
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.1.forward(MhaInput::self_attn(self.0.forward(x))).context
            }
        }
    "
    );
}

#[test]
fn in_a_method_without_its_tail() {
    check!(
        with_struct,
        "
        struct Block {
            #[recompute(attention)]
            attention: MultiHeadAttention,
            #[remat(tail)]
            down: Linear,
        }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let h = self.attention.forward(MhaInput::self_attn(x.clone())).context;
                x + self.down.forward(h)
            }
        }
    "
    );
}

#[test]
fn inputs_that_are_not_written() {
    check!(
        model,
        "
        let input = MhaInput::self_attn(x);
        let y = self.attention.forward(input);
        let y = self.attention.forward(self.input(y).mask_pad(mask));
        let y = self.several[0].forward({ MhaInput::self_attn(y) });
        let y = self.attention.forward(Input::self_attn(self.f.forward(y)));
        let y = self.attention.forward(MhaInput(y));
        let y = self.attention.forward(MhaInput::try_new(y)?);
        self.maybe.as_ref().unwrap().forward(self_attn(y))
    "
    );
}

#[test]
fn other_calls() {
    check!(
        model,
        "
        let y = self.attention.forward_cache(MhaInput::self_attn(x), &mut cache);
        let y = self.attention.forward_masked(MhaInput::self_attn(x));
        let y = self.attention.forward();
        let y = self.attention.forward(MhaInput::self_attn(x), mask);
        let y = self.attention.forward::<3>(MhaInput::self_attn(x));
        let y = self.attention.query.forward(x);
        let y = self.attention.inner.forward(MhaInput::self_attn(x));
        MultiHeadAttention::forward(&self.attention, MhaInput::self_attn(x))
    "
    );
}

#[test]
fn a_part_that_is_an_attention() {
    check!(
        model,
        "self.attention.inner.forward(MhaInput::self_attn(x)).context\n"
    );
}

#[test]
fn other_layers() {
    check!(
        derive,
        "
        struct Block {
            #[recompute(attention)]
            linear: Linear,
            #[recompute(attention)]
            norms: Vec<nn::LayerNorm>,
            #[recompute(attention)]
            encoder: Option<TransformerEncoder>,
            #[recompute(attention)]
            cross: Box<CrossAttention>,
            #[recompute(attention)]
            convolution: [Conv2d; 3],
            #[recompute(attention)]
            statistics: BatchNorm,
            #[recompute(attention)]
            size: usize,
            #[recompute(cheap)]
            attention: Vec<MultiHeadAttention>,
            #[module(skip)]
            #[recompute(attention)]
            skipped: MultiHeadAttention,
        }
    "
    );
}

#[test]
fn options() {
    check!(
        derive,
        "
        struct Block {
            #[recompute(attention, deterministic)]
            a: MultiHeadAttention,
            #[recompute(attention, cheap)]
            b: MultiHeadAttention,
            #[recompute(cheap, attention)]
            c: Gelu,
            #[recompute(attention, attention)]
            d: MultiHeadAttention,
            #[recompute(attention = true)]
            e: MultiHeadAttention,
            #[recompute(atention)]
            f: Mine,
            #[recompute()]
            g: Mine,
            #[recompute(attention)]
            #[recompute(cheap)]
            h: MultiHeadAttention,
            #[checkpoint]
            #[recompute(attention)]
            i: MultiHeadAttention,
            #[recompute(cheap, deterministic = true)]
            j: Gelu,
            #[remat(recompute(attention))]
            k: MultiHeadAttention,
            #[recompute(attention)]
            #[remat(tail)]
            l: MultiHeadAttention,
        }
    "
    );
}

#[test]
fn in_a_sequential_struct() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<3> -> Tensor<3>))]
        struct Model {
            norm: LayerNorm,
            #[recompute(attention)]
            attention: MultiHeadAttention,
        }
    "
    );
}
