//! `#[remat(sequential(..))]` on the struct.

use super::{check, derive};

#[test]
fn single_layers() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        pub struct Mlp {
            up: Linear,
            act: Gelu,
            #[remat(skip)]
            scale: f64,
            #[checkpoint]
            down: Linear,
        }
    "
    );
}

#[test]
fn lists_and_options() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<3> -> Tensor<2>))]
        pub(crate) struct Model {
            #[checkpoint(every = 4)]
            blocks: Vec<Block>,
            norms: [LayerNorm; 3],
            #[checkpoint(sqrt)]
            alias: Layers,
            #[checkpoint]
            head: Option<Linear>,
        }
    "
    );
}

#[test]
fn list_at_the_end() {
    check!(
        derive,
        "
        #[remat(crate = ::memory, sequential((Tensor<2>, State) -> Output))]
        struct Model(Option<Linear>, Linear, Box<[Block]>);
    "
    );
}

#[test]
fn generics() {
    check!(
        derive,
        "
        #[remat(sequential(T::In<'a> -> [Tensor<2>; N]))]
        struct Model<'a, T: Layer<'a>, const N: usize = 3>
        where
            T: Clone,
        {
            r#type: T,
        }
    "
    );
}

#[test]
fn no_layers() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        struct Model<T> {
            size: usize,
            marker: PhantomData<T>,
            weight: Param<Tensor<2>>,
            name: Ignored<String>,
            mask: Option<Tensor<2>>,
            #[checkpoint]
            flag: bool,
            f: Linear,
        }
    "
    );
}

#[test]
fn nothing_to_run() {
    check!(
        derive,
        "
        #[remat(sequential(Tensor<2> -> Tensor<2>))]
        struct Model {
            #[remat(skip)]
            size: usize,
        }
    "
    );
}

#[test]
fn malformed() {
    check!(
        derive,
        "
        #[remat(sequential)]
        #[remat(sequental(A -> B))]
        struct Model {
            f: Linear,
            #[remat(skip)]
            n: usize,
        }
    "
    );
}

#[test]
fn malformed_types() {
    for types in [
        "()",
        "(A)",
        "(A -> )",
        "(A -> B, C)",
        "(A, B)",
        "[A -> B]",
        "= A",
    ] {
        let source = format!("#[remat(sequential{types})] struct Model {{ f: Linear }}");
        let output = derive(&source);
        assert!(
            output.contains("expected the types of what goes through"),
            "{output}"
        );
        assert!(!output.contains("fn forward"), "{output}");
    }
}

#[test]
fn twice() {
    check!(
        derive,
        "
        #[remat(sequential(A -> B), sequential(B -> C))]
        struct Model { f: Linear }
    "
    );
}

#[test]
fn skipped_fields() {
    check!(
        derive,
        "
        #[remat(sequential(A -> B))]
        struct Model {
            #[remat(skip)]
            #[checkpoint]
            f: Linear,
            #[remat(skip, skip)]
            g: Linear,
            #[remat(skp)]
            h: Linear,
        }
    "
    );
}

#[test]
fn skip_without_sequential() {
    check!(
        derive,
        "
        struct Model {
            #[remat(skip)]
            f: Linear,
        }
    "
    );
}

#[test]
fn on_an_enum() {
    check!(
        derive,
        "
        #[remat(sequential(A -> B))]
        enum Model { A(Linear) }
    "
    );
}
