//! `#[derive(Remat)]`.

use super::{check, derive};

#[test]
fn named_fields() {
    check!(
        derive,
        "
        pub struct Block {
            norm: LayerNorm,
            /// Documented.
            #[serde(skip)]
            #[checkpoint]
            attention: MultiHeadAttention,
            #[checkpoint(deterministic)]
            pub up: Linear,
        }
    "
    );
}

#[test]
fn no_annotation() {
    check!(derive, "struct Block { norm: LayerNorm }");
}

#[test]
fn unit_struct() {
    check!(derive, "struct Block;");
}

#[test]
fn tuple_struct() {
    check!(
        derive,
        "struct Block(LayerNorm, #[checkpoint] Linear, #[checkpoint] Vec<Linear>);"
    );
}

#[test]
fn generics() {
    check!(
        derive,
        "
        struct Block<'a, B: Backend = Flex, T, const N: usize = 3>
        where
            T: Layer<'a>,
        {
            #[checkpoint]
            layers: [T; N],
            backend: PhantomData<(&'a (), B)>,
        }
    "
    );
}

#[test]
fn raw_identifiers() {
    check!(derive, "struct r#move { #[checkpoint] r#type: Linear }");
}

#[test]
fn constants_are_unique() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            up: Linear,
            #[checkpoint]
            Up: Linear,
            #[checkpoint]
            UP_2: Linear,
            #[checkpoint]
            _up: Linear,
            #[checkpoint]
            __: Linear,
        }
    "
    );
}

#[test]
fn renamed_crate() {
    check!(
        derive,
        "
        #[remat(crate = crate::reexports::memory)]
        struct Block {
            #[checkpoint]
            f: Linear,
        }
    "
    );
}

#[test]
fn crate_path_is_wrong() {
    check!(
        derive,
        r#"
        #[remat(crate = memory::remat)]
        #[remat(crate = "remat", krate = ::remat)]
        #[remat]
        #[remat(crate)]
        struct Block;
    "#
    );
}

#[test]
fn crate_path_twice() {
    check!(
        derive,
        "
        #[remat(crate = ::one)]
        #[remat(crate = ::two)]
        struct Block;
    "
    );
}

#[test]
fn remat_on_a_field() {
    check!(derive, "struct Block { #[remat(checkpoint)] f: Linear }");
}

#[test]
fn unknown_options() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint(determinstic, every = 3)]
            f: Linear,
            #[checkpoint(sqrt(2), deterministic)]
            g: Linear,
        }
    "
    );
}

#[test]
fn malformed() {
    check!(
        derive,
        r#"
        struct Block {
            #[checkpoint = 3]
            a: Linear,
            #[checkpoint("x")]
            b: Linear,
            #[checkpoint(deterministic = true)]
            c: Linear,
            #[checkpoint(deterministic(yes))]
            d: Linear,
            #[checkpoint[deterministic]]
            e: Linear,
            #[checkpoint()]
            f: Linear,
            #[checkpoint(deterministic deterministic)]
            g: Linear,
        }
    "#
    );
}

#[test]
fn duplicates() {
    check!(
        derive,
        "
        struct Block {
            #[checkpoint]
            #[checkpoint(deterministic)]
            f: Linear,
            #[checkpoint(deterministic, deterministic)]
            g: Linear,
        }
    "
    );
}

#[test]
fn on_the_struct() {
    check!(
        derive,
        "
        #[checkpoint]
        struct Block {
            #[checkpoint]
            f: Linear,
        }
    "
    );
}

#[test]
fn enumeration() {
    check!(
        derive,
        "
        #[checkpoint]
        enum Activation {
            #[checkpoint]
            Relu(#[checkpoint] Relu),
            Gelu {
                #[checkpoint]
                gelu: Gelu,
            },
        }
    "
    );
}

#[test]
fn union() {
    check!(
        derive,
        "
        union Bits {
            #[checkpoint]
            f: f32,
            u: u32,
        }
    "
    );
}

#[test]
fn not_layers() {
    check!(
        derive,
        "
        struct Block<'a, T> {
            #[checkpoint]
            size: usize,
            #[checkpoint]
            name: std::string::String,
            #[checkpoint]
            marker: PhantomData<T>,
            #[checkpoint]
            weight: Param<Tensor<2>>,
            #[checkpoint]
            mask: Option<Tensor<2>>,
            #[checkpoint]
            borrowed: &'a Linear,
            #[checkpoint]
            function: fn(Tensor<2>) -> Tensor<2>,
            #[checkpoint]
            sizes: [(usize, f64); 2],
            #[checkpoint]
            unit: (),
            #[checkpoint]
            both: (usize, Linear),
            #[checkpoint]
            generic: T,
            #[checkpoint]
            f: Linear,
        }
    "
    );
}

#[test]
fn skipped_by_burn() {
    check!(
        derive,
        "
        struct Block {
            #[module(skip)]
            #[checkpoint]
            f: Linear,
        }
    "
    );
}

#[test]
fn groups() {
    check!(
        derive,
        "
        struct Stack<const N: usize> {
            #[checkpoint(every = 4)]
            every: Vec<Layer>,
            #[checkpoint(segments = 2 * N, keep_last, deterministic)]
            segments: [Layer; N],
            #[checkpoint(sqrt, early_stop)]
            sqrt: std::vec::Vec<Layer>,
            #[checkpoint(recursive)]
            recursive: Box<[Layer]>,
            #[checkpoint(deterministic, keep_last, every = Self::GROUP)]
            alias: Layers,
            #[checkpoint(early_stop)]
            f: Linear,
        }
    "
    );
}

#[test]
fn options_of_groups() {
    check!(
        derive,
        "
        struct Stack {
            #[checkpoint(every = 4, sqrt)]
            a: Vec<Layer>,
            #[checkpoint(sqrt, sqrt)]
            b: Vec<Layer>,
            #[checkpoint(keep_last)]
            c: Vec<Layer>,
            #[checkpoint(recursive, keep_last)]
            d: Vec<Layer>,
            #[checkpoint(every, keep_last)]
            e: Vec<Layer>,
            #[checkpoint(segments(3))]
            f: Vec<Layer>,
            #[checkpoint(sqrt = 2, early_stop = true)]
            g: Vec<Layer>,
            #[checkpoint(every = 0)]
            h: Vec<Layer>,
            #[checkpoint(segments = 0usize)]
            i: Vec<Layer>,
            #[checkpoint(every = \"4\")]
            j: Vec<Layer>,
            #[checkpoint(every = )]
            k: Vec<Layer>,
            #[checkpoint(segments = 5)]
            l: [Layer; 3],
            #[checkpoint(segments = 3)]
            m: [Layer; 3],
            #[checkpoint(keep_lst, evry = 3, sqrrt)]
            n: Vec<Layer>,
        }
    "
    );
}

#[test]
fn groups_of_no_list() {
    check!(
        derive,
        "
        struct Stack<T> {
            #[checkpoint(every = 4)]
            a: Option<Vec<Layer>>,
            #[checkpoint(sqrt)]
            b: Linear,
            #[checkpoint(recursive)]
            c: nn::conv::Conv2d,
            #[checkpoint(segments = 2)]
            d: HashMap<String, Layer>,
            #[checkpoint(sqrt)]
            e: Box<Layer>,
            #[checkpoint(sqrt)]
            f: (Layer, Layer),
            #[checkpoint(sqrt)]
            g: Vec<usize>,
            #[checkpoint(sqrt)]
            h: T,
            #[checkpoint(sqrt)]
            i: Arc<[Layer]>,
        }
    "
    );
}

#[test]
fn recompute() {
    check!(
        derive,
        "
        struct Block {
            #[recompute(cheap)]
            norm: LayerNorm,
            #[recompute(cheap, deterministic)]
            gelu: Gelu,
            #[recompute]
            nothing: Gelu,
            #[recompute(deterministic)]
            expensive: Gelu,
            #[recompute(chep)]
            mistyped: Gelu,
            #[recompute(cheap)]
            #[checkpoint]
            both: Gelu,
            #[recompute(cheap)]
            linear: Option<Linear>,
            #[recompute(cheap)]
            convolutions: Vec<Conv2d>,
        }
    "
    );
}
