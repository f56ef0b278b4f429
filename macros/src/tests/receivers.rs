//! The receivers through which an annotated field is called.

use quote::quote;

use super::{
    BLOCK, block_impl, check, derive_tokens, expansion, expansion::render, method, with_struct,
};

#[test]
fn field() {
    check!(
        method,
        "
        let h = self.norm.forward(x.clone());
        x + self.attention.forward(MhaInput::self_attn(h)).context
    "
    );
}

#[test]
fn methods_named_forward() {
    check!(
        method,
        "
        let x = self.f.forward_train(x);
        let x = self.f.forwards(x);
        self.f.forward_with::<3>(x)
    "
    );
}

#[test]
fn other_methods() {
    check!(
        method,
        "
        let n = self.layers.len() + self.f.config().size(self.scale);
        let s = self.f.weight.shape().dims[0];
        self.norm.forward(x).mul_scalar(n * s)
    "
    );
}

#[test]
fn element() {
    check!(
        method,
        "
        let i = self.layers.len() - 1;
        let x = self.layers[0].forward(x);
        self.layers[i - 1].forward(x)
    "
    );
}

#[test]
fn part_of_a_field() {
    check!(
        method,
        "
        let x = self.attention.query.forward(x);
        self.attention.heads[1].inner.forward(x)
    "
    );
}

#[test]
fn parentheses_and_references() {
    check!(
        method,
        "
        let x = (self.f).forward(x);
        let x = (&self.f).forward(x);
        let x = (*self.f).forward(x);
        (&*self.f).forward(x)
    "
    );
}

#[test]
fn optional() {
    check!(
        method,
        r#"
        let x = self.maybe.as_ref().unwrap().forward(x);
        let x = self.maybe.as_ref().expect("a layer").forward(x);
        let x = self.layers.first().unwrap().forward(x);
        self.layers.get(1).ok_or(Error)?.forward(x)
    "#
    );
}

#[test]
fn iterator_next() {
    check!(
        method,
        "
        let mut it = self.layers.iter();
        let x = it.next().unwrap().forward(x);
        while let Some(layer) = it.next() {
            x = layer.forward(x);
        }
        x
    "
    );
}

#[test]
fn copies() {
    check!(
        method,
        "
        let f = self.f.clone();
        let this = self.clone();
        this.g.forward(f.forward(x))
    "
    );
}

#[test]
fn fold() {
    check!(method, "self.layers.iter().fold(x, |x, b| b.forward(x))\n");
}

#[test]
fn option_closures() {
    check!(
        method,
        "
        let a = self.maybe.as_ref().map(|f| f.forward(x.clone()));
        let b = self.maybe.as_ref().map_or(x, |f| f.forward(a));
        self.maybe.as_ref().map_or_else(|| x, |f: &Linear| { f.forward(b) })
    "
    );
}

#[test]
fn iterator_closures() {
    check!(method, "
        let sizes: Vec<usize> = self.layers.iter().map(|b| b.len()).collect();
        let all: Vec<Tensor<3>> = self.layers.iter().map(|b| b.forward(x.clone())).collect();
        self.layers.iter().filter(|b| b.len() > 1).enumerate().for_each(|(i, b)| out.push(b.forward(x)));
        self.layers.iter().zip(all).fold(x, |x, (b, y)| b.forward(x + y));
        self.layers.iter().map(|b| &b.inner).try_fold(x, |x, inner| inner.forward(x))
    ");
}

#[test]
fn closure_of_another_iterator() {
    check!(method, "(0..3).fold(x, |x, i| self.layers[i].forward(x))\n");
}

#[test]
fn map_to_layers() {
    check!(
        method,
        "
        for layer in (0..3).map(|i| &self.layers[i]) {
            x = layer.forward(x);
        }
        x
    "
    );
}

#[test]
fn nested_calls() {
    check!(
        method,
        "self.f.forward(self.g.forward(self.norm.forward(x)))\n"
    );
}

#[test]
fn nested_calls_of_one_layer() {
    check!(method, "self.f.forward(self.f.forward(x))\n");
}

#[test]
fn tuple_struct() {
    check!(
        with_struct,
        "
        struct Block(#[checkpoint] Linear, LayerNorm, #[checkpoint] Vec<Linear>);
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let x = self.0.forward(x);
                self.2[0].forward(self.1.forward(x))
            }
        }
    "
    );
}

#[test]
fn raw_identifier() {
    check!(
        with_struct,
        "
        struct r#move { #[checkpoint] r#type: Linear }
        ---
        impl r#move {
            fn forward(&self, r#in: Tensor<3>) -> Tensor<3> {
                self.r#type.forward(r#in)
            }
        }
    "
    );
}

#[test]
fn renamed_crate() {
    check!(
        with_struct,
        "
        #[remat(crate = crate::reexports::memory)]
        struct Block { #[checkpoint] f: Linear }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.f.forward(x)
            }
        }
    "
    );
}

#[test]
fn generics() {
    check!(with_struct, "
        struct Block<'a, T: Layer<'a>, const N: usize> where T: Clone { #[checkpoint] layers: [T; N] }
        ---
        impl<'a, T: Layer<'a>, const N: usize> Block<'a, T, N>
        where
            T: Clone,
        {
            fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
                self.layers[N - 1].forward::<D>(x, N)
            }
        }
    ");
}

#[test]
fn kinds_of_self() {
    check!(
        block_impl,
        "
        impl Layer for Block {
            type Output = Tensor<3>;
            fn by_value(self, x: Tensor<3>) -> Tensor<3> {
                let x = self.f.forward(x);
                for layer in self.layers {
                    x = layer.forward(x);
                }
                x
            }
            fn typed(self: &Self, x: Tensor<3>) -> Tensor<3> {
                self.f.forward(x)
            }
            fn counted(self: Rc<Self>, x: Tensor<3>) -> Tensor<3> {
                self.f.forward(x)
            }
            fn other(&self, other: &Self, x: Tensor<3>) -> Tensor<3> {
                other.f.forward(x)
            }
            fn without(f: &Linear, x: Tensor<3>) -> Tensor<3> {
                f.forward(x)
            }
        }
    "
    );
}

#[test]
fn attributes_of_the_call() {
    check!(
        method,
        "
        #[cfg(feature = \"f\")]
        self.f.forward(x.clone());
        #[allow(deprecated)]
        let y = self.g.forward(x);
        y
    "
    );
}

#[test]
fn invisible_groups() {
    // What `$field`, `$x` of `$field:expr`, `$x:expr` are in a macro's output.
    let group = |tokens| proc_macro2::Group::new(proc_macro2::Delimiter::None, tokens);
    let (this, field, x) = (group(quote!(self)), group(quote!(self.f)), group(quote!(x)));
    let (wrapped, sum) = (group(quote!(Some(#x))), group(quote!(1.0 + #x)));
    let closure = group(quote!(|y| y));
    let item = quote! {
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let x = #this.f.forward(#x);
                let x = #field.forward(#wrapped);
                for layer in &#this.layers {
                    x = layer.forward(#x);
                }
                let x = #closure(#sum * 2.0) - self.f.forward(#sum);
                dbg!(#sum * 2.0, #x)
            }
        }
    };
    let table = expansion::table(derive_tokens(BLOCK));
    let output = crate::forward::rewrite(quote!(#table #item));
    insta::assert_snapshot!(render(&item.to_string(), output));
}

#[test]
fn methods_with_the_names_of_iterators() {
    check!(
        method,
        "
        let g = self.f.clone().map(&mut mapper);
        let n = g.size();
        self.f.forward(x)
    "
    );
}

#[test]
fn names_that_variables_should_not_have() {
    check!(
        with_struct,
        "
        struct Block { #[checkpoint] W_q: Linear, #[checkpoint] _up: Linear }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self._up.forward(self.W_q.forward(x))
            }
        }
    "
    );
}

#[test]
fn recomputed_layers() {
    check!(
        with_struct,
        "
        struct Block {
            #[recompute(cheap)]
            norm: LayerNorm,
            #[recompute(cheap)]
            pools: Vec<MaxPool2d>,
            up: Linear,
        }
        ---
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let x = self.up.forward(self.norm.forward(x));
                self.pools.iter().fold(x, |x, pool| pool.forward(x))
            }
        }
    "
    );
}
