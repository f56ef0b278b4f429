//! The attribute, and what it is put on.

use quote::quote;

use super::{attribute, block_impl, check, expansion::render, parse};

#[test]
fn path_of_the_callback() {
    check!(
        attribute,
        "
        unsafe impl<'a, B: Bound<{ 1 > 0 }>> crate::Layer<B> for model::Block<'a, B> {
            body that does not parse
        }
    "
    );
}

#[test]
fn inherent_impl() {
    check!(attribute, "impl r#type {}");
}

#[test]
fn group_around_the_type() {
    let ty = proc_macro2::Group::new(proc_macro2::Delimiter::None, quote!(Block<B>));
    let output = crate::forward::attribute(&quote!(), quote!(impl #ty {}));
    insta::assert_snapshot!(render("impl Block<B> {}", output));
}

#[test]
fn arguments() {
    let source = "checkpoint, deterministic impl Block {}";
    let args: proc_macro2::TokenStream = parse(source).into_iter().take(3).collect();
    let item = parse(source).into_iter().skip(3).collect();
    insta::assert_snapshot!(render(source, crate::forward::attribute(&args, item)));
}

#[test]
fn function() {
    check!(
        attribute,
        "pub fn forward(&self, x: Tensor<3>) -> Tensor<3> { self.f.forward(x) }"
    );
}

#[test]
fn structure() {
    check!(attribute, "#[derive(Module)] struct Block { f: Linear }");
}

#[test]
fn module() {
    check!(attribute, "mod model {}");
}

#[test]
fn trait_item() {
    check!(attribute, "trait Layer {}");
}

#[test]
fn use_item() {
    check!(attribute, "use model::Block;");
}

#[test]
fn impl_for_a_reference() {
    check!(attribute, "impl Layer for &Block {}");
}

#[test]
fn half_typed_body() {
    check!(
        block_impl,
        "
        impl Block {
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                self.f.
            }
        }
    "
    );
}

#[test]
fn all_errors_at_once() {
    check!(
        block_impl,
        "
        impl Block {
            fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
                let x = self.f.forward(&x);
                run(&self.g);
                trace!(self.g.forward(x))
            }
        }
    "
    );
}
