//! What is not annotated comes back as it was, token for token, each at its place.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

use super::{BLOCK, MODEL, NET, STACK, derive_tokens, expansion, parse, rewritten};

/// The tokens with their places.
fn flat(tokens: TokenStream, list: &mut Vec<(String, std::ops::Range<usize>)>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                list.push((
                    format!("{:?}", group.delimiter()),
                    group.span().byte_range(),
                ));
                flat(group.stream(), list);
            }
            tree => list.push((tree.to_string(), tree.span().byte_range())),
        }
    }
}

fn places(tokens: TokenStream) -> Vec<(String, std::ops::Range<usize>)> {
    let mut list = Vec::new();
    flat(tokens, &mut list);
    // Each source begins where the one before ended.
    let start = list.first().map_or(0, |(_, range)| range.start);
    for (_, range) in &mut list {
        *range = range.start - start..range.end - start;
    }
    list
}

const PLAIN: &str = r#"
    /// Documented.
    #[inline]
    pub(crate) fn plain<'a, T: Into<f64>>(&'a self, (x, y): (T, T), ) -> Result<Tensor<3>, Error> where T: Copy {
        #![allow(unused)]
        const N: usize = 3;
        let v = vec![1, 2,];
        let r = 'outer: loop { break 'outer (1,) };
        match x { 1 | 2 => {}, n @ 3..=4 if n > 3 => (), _ => { } }
        if let Some(a) = b && a > 1 { return Err(Error { a, ..Default::default() }) } else { };
        unsafe { *p += 1 };
        let c = move |x: f32, _| -> f32 { x };
        let n = self.layers.len() + self.f.config().size;
        assert_eq!(self.f.len(), n, "{n}");
        Ok(-(x.into() as f64).powi(2) * self.norm.forward::<3>(y)?)
    }
"#;

#[test]
fn an_impl_without_calls_is_untouched() {
    let source = format!(
        "#[allow(x)] unsafe impl<B> Layer for Block {{ type A = u8; const C: u8 = 1; m!{{ x }} {PLAIN} }}"
    );
    assert_eq!(places(rewritten(BLOCK, &source)), places(parse(&source)));
}

#[test]
fn a_method_without_calls_is_untouched() {
    let source =
        format!("impl Block {{ {PLAIN} fn forward(&self, x: X) -> X {{ self.f.forward(x) }} }}");
    let output = places(rewritten(BLOCK, &source));
    let length = places(parse(PLAIN)).len() + "impl Block {".split(' ').count();
    assert_eq!(output[..length], places(parse(&source))[..length]);
    assert!(output.iter().any(|(text, _)| text == "checkpoint_with"));
}

#[test]
fn an_impl_with_errors_is_untouched() {
    let source = "impl Block { fn forward(&self, x: X) -> X { self.f.forward(run(&self.g, x)) } }";
    let output = places(rewritten(BLOCK, source));
    let input = places(parse(source));
    assert_eq!(output[..input.len()], input);
}

#[test]
fn a_rewritten_call_has_the_places_of_the_users_call() {
    let source = "impl Block { fn forward(&self, x: X) -> X { self.f.forward(x) } }";
    let range_of = |text: &str| source.rfind(text).map(|at| at..at + text.len());
    let output = places(rewritten(BLOCK, source));
    let place_of = |name: &str| {
        output
            .iter()
            .rfind(|(text, _)| text == name)
            .map(|(_, range)| range.clone())
    };
    assert_eq!(place_of("checkpoint_with"), range_of("forward"));
    assert_eq!(
        place_of("F_CHECKPOINT_APPLIED_BY_REMAT_FORWARD"),
        range_of("forward")
    );
    assert_eq!(place_of("forward"), range_of("forward"));
}

#[test]
fn the_call_of_a_compressed_layer_has_the_places_of_the_users_call() {
    let source = "impl Net { fn forward(&self, x: X) -> X { self.up.forward(Input { x }) } }";
    let range_of = |text: &str| source.rfind(text).map(|at| at..at + text.len());
    let output = places(rewritten(NET, source));
    let place_of = |name: &str| {
        let mut tokens = output.iter();
        tokens
            .rfind(|(text, _)| text == name)
            .map(|(_, range)| range.clone())
    };
    assert_eq!(place_of("quantize"), range_of("forward"));
    assert_eq!(
        place_of("UP_QUANTIZE_APPLIED_BY_REMAT_FORWARD"),
        range_of("forward")
    );
    assert_eq!(place_of("Input"), range_of("Input"));
}

#[test]
fn what_compresses_has_the_places_of_its_annotation() {
    let source = "struct Net {
        #[checkpoint]
        #[quantize(bits = BITS, group = 2 * GROUP, rounding = nearest)]
        f: Layer,
    }";
    // Each source begins where the one before ended.
    let input = parse(source);
    let start = input.clone().into_iter().next().map(|tree| tree.span());
    let start = start.map_or(0, |span| span.byte_range().start);
    let range_of = |text: &str| source.find(text).map(|at| at..at + text.len());
    let mut output = Vec::new();
    let item = syn::parse2(input).expect("a test's item parses");
    flat(crate::expand::derive(&item), &mut output);
    let place_of = |name: &str| {
        let found = output.iter().find(|(text, _)| text == name);
        found.map(|(_, range)| range.start - start..range.end - start)
    };
    assert_eq!(
        place_of("F_CHECKPOINT_APPLIED_BY_REMAT_FORWARD"),
        range_of("checkpoint")
    );
    for name in ["quantize", "Quantize", "bits", "group", "Nearest"] {
        assert_eq!(place_of(name), range_of("quantize"), "{name}");
    }
    for name in ["BITS", "GROUP"] {
        assert_eq!(place_of(name), range_of(name), "{name}");
    }
}

#[test]
fn the_input_of_an_attention_keeps_its_places() {
    let source = "impl Model { fn forward(&self, x: X, mask: M) -> X {
        self.attention.forward(nn::MhaInput::self_attn(x.clone()).mask_pad(mask))
    } }";
    let range_of = |text: &str| source.find(text).map(|at| at..at + text.len());
    let argument =
        range_of("nn::MhaInput::self_attn(x.clone()).mask_pad(mask)").unwrap_or_default();
    let output = places(rewritten(MODEL, source));
    let input = places(parse(source));
    let written = |(_, range): &&(String, std::ops::Range<usize>)| {
        argument.start <= range.start && range.end <= argument.end
    };
    for token in input.iter().filter(written) {
        assert!(output.contains(token), "{token:?}");
    }
    let place_of = |name: &str| {
        let mut tokens = output.iter();
        tokens
            .find(|(text, _)| text == name)
            .map(|(_, range)| range.clone())
    };
    assert_eq!(place_of("MhaInput"), range_of("MhaInput"));
    assert_eq!(
        output
            .iter()
            .rfind(|(text, _)| text == "remat")
            .map(|(_, range)| range.clone()),
        range_of("MhaInput")
    );
}

/// The tokens without one of them, for each of them at every depth.
fn without_one(tokens: TokenStream) -> Vec<TokenStream> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut variants = Vec::new();
    for (index, tree) in trees.iter().enumerate() {
        let around = |middle: Option<TokenTree>| -> TokenStream {
            let (before, after) = (trees[..index].iter(), trees[index + 1..].iter());
            before
                .cloned()
                .chain(middle)
                .chain(after.cloned())
                .collect()
        };
        variants.push(around(None));
        if let TokenTree::Group(group) = tree {
            for inner in without_one(group.stream()) {
                variants.push(around(Some(Group::new(group.delimiter(), inner).into())));
            }
        }
    }
    variants
}

// What an editor sees while someone types: never a panic, and always the user's tokens back.

#[test]
fn a_loop_over_groups_without_one_token_is_handled() {
    let source = "impl Stack { fn forward(&self, mut x: X, mask: &M) -> X {
        let mut n = 0;
        #[allow(a)]
        'a: for (i, layer) in self.layers.iter().enumerate() {
            #![allow(b)]
            (x, _) = layer.forward(Input { x, mask }, [n, i]);
            n += 1;
            loop { break }
            println!(\"{n}\", layer.x)
        }
        self.layers.iter().fold((x, n), move |(x, n): (X, N), layer: &L| -> (X, N) { (layer.forward(x), n + 1) })
    } }";
    let table = expansion::table(derive_tokens(STACK));
    for item in without_one(parse(source)) {
        let output = crate::forward::rewrite(quote!(#table #item)).to_string();
        let rewritten = output.contains("checkpoint_sequence_with");
        assert!(
            rewritten || output.starts_with(&item.to_string()),
            "{output}"
        );
    }
}

#[test]
fn an_impl_without_one_token_is_handled() {
    let source = format!(
        "impl<B> Block<B> {{ {PLAIN} fn forward(&self, x: X) -> X {{
            let Self {{ f, maybe: Some(m), .. }} = self;
            for (i, b) in self.layers.iter().enumerate() {{ x = b.forward(vec![m.forward(x)], i); }}
            dbg!(self.layers[0].len(), self.0.1, self.f.forward(x));
            self.f.forward(MhaInput::new(x, &y).mask(|t| t + x), Input {{ x, y: -1 }})
        }} }}"
    );
    let table = expansion::table(derive_tokens(BLOCK));
    for item in without_one(parse(&source)) {
        let output = crate::forward::rewrite(quote!(#table #item)).to_string();
        assert!(output.contains("compile_error") || output.starts_with(&item.to_string()));
        let output = crate::forward::attribute(&TokenStream::new(), item.clone());
        assert!(output.to_string().contains(&item.to_string()));
    }
}

#[test]
fn a_call_of_its_own_form_without_one_token_is_handled() {
    let source = "impl Model { fn forward(&mut self, x: X, mask: M) -> X {
        for (layer, stage) in self.several.iter().zip(&self.stages) {
            x = layer.forward(MhaInput::new(x.clone(), stage.forward(x, 3), x));
        }
        let y = self.maybe.as_ref().map(|m| m.forward((nn::attention::MhaInput::self_attn)(x)));
        self.attention.forward((MhaInput::self_attn(self.norm.forward(x)).mask_pad(mask)).mask_attn(mask)).context
    } }";
    let table = expansion::table(derive_tokens(MODEL));
    for item in without_one(parse(source)) {
        let output = crate::forward::rewrite(quote!(#table #item)).to_string();
        let rewritten = output.contains("recompute_attention_with");
        assert!(
            rewritten || output.starts_with(&item.to_string()),
            "{output}"
        );
    }
}

#[test]
fn a_call_of_compressed_layers_without_one_token_is_handled() {
    let source = "impl Net { fn forward(&mut self, mut x: X, mask: M) -> X {
        for (i, layer) in self.several.iter().enumerate() { x = layer.forward(Input { x, i }, -1); }
        if let Some(relu) = &self.relu { x = relu.forward(self.up.forward(x)); }
        for block in &self.blocks { x = block.forward(x, mask.clone()); }
        let Self { last, .. } = self;
        last.forward(self.attention.forward(MhaInput::self_attn(x).mask_pad(mask)).context, |y| y + 1)
    } }";
    let table = expansion::table(derive_tokens(NET));
    for item in without_one(parse(source)) {
        let output = crate::forward::rewrite(quote!(#table #item)).to_string();
        let rewritten = output.contains(":: remat :: quantize (");
        assert!(
            rewritten || output.starts_with(&item.to_string()),
            "{output}"
        );
    }
}

#[test]
fn a_struct_without_one_token_is_handled() {
    let source = "
        #[remat(crate = crate::remat, sequential(Tensor<2> -> (T, Tensor<2>)))]
        struct Block<'a, B: Backend = X, const N: usize = 3>
        where
            B: Copy,
        {
            #[checkpoint(deterministic, every = 4 * N, keep_last)]
            r#type: Vec<&'a (usize, [Option<B>; N])>,
            #[remat(skip)]
            g: <B as A>::C,
            #[recompute(attention)]
            h: Option<nn::MultiHeadAttention>,
            #[recompute(cheap, deterministic)]
            i: Gelu,
            #[frozen_stats(update)]
            j: [BatchNorm; 3],
            #[quantize(bits = 1, group = 2 * N, rounding = stochastic, min_elements = 0)]
            k: Option<[nn::Relu; N]>,
            #[quantize(bits = B::BITS, rounding = nearest)]
            #[checkpoint(sqrt)]
            l: Vec<Layer>,
        }
    ";
    for item in without_one(parse(source)) {
        if let Ok(input) = syn::parse2(item) {
            crate::expand::derive(&input);
            crate::tree::derive(&input);
        }
    }
}
