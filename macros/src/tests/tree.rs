//! `#[derive(TensorTree)]`.

use super::{check, tree};

#[test]
fn named_fields() {
    check!(
        tree,
        "
        struct Input {
            query: Tensor<3>,
            r#type: Option<Tensor<2, Bool>>,
            #[remat(skip)]
            name: &'static str,
        }
    "
    );
}

#[test]
fn tuple_struct() {
    check!(tree, "struct Pair(Tensor<3>, #[remat(skip)] usize);");
}

#[test]
fn unit_struct() {
    check!(tree, "struct Nothing;");
}

#[test]
fn nothing_but_skipped() {
    check!(tree, "struct Name { #[remat(skip)] name: String }");
}

#[test]
fn enumeration() {
    check!(
        tree,
        "
        enum State {
            Empty,
            One(Tensor<2>),
            Two { hidden: Tensor<2>, cell: Tensor<2> },
            Named(#[remat(skip)] String, Tensor<1>),
        }
    "
    );
}

#[test]
fn empty_enum() {
    check!(tree, "enum Never {}");
}

#[test]
fn generics() {
    check!(
        tree,
        "
        struct Pair<'a, A: Clone, B = usize, const N: usize = 2>
        where
            B: Copy,
        {
            first: A,
            again: A,
            second: [Option<B>; N],
            marker: PhantomData<A>,
            plain: Tensor<3>,
            projected: A::Output,
            #[remat(skip)]
            name: Name<'a, B>,
        }
    "
    );
}

#[test]
fn recursive() {
    check!(tree, "enum List<T> { Nil, Cons(T, Box<List<T>>) }");
}

#[test]
fn names_that_are_taken() {
    check!(tree, "struct Hostile<V, M> { visitor: V, mapper: M }");
}

#[test]
fn renamed_crate() {
    check!(
        tree,
        "
        #[remat(crate = ::memory)]
        struct Pair { first: Tensor<3> }
    "
    );
}

#[test]
fn union() {
    check!(tree, "union Bits { f: f32, u: u32 }");
}

#[test]
fn wrong_attributes() {
    check!(tree, "
        #[remat(skip)]
        enum State {
            #[remat(skip)]
            One(#[remat(skp)] Tensor<2>),
            Two(#[remat(skip, skip)] Tensor<2>, #[remat = 3] Tensor<2>, #[remat(skip = true)] Tensor<2>),
        }
    ");
}
