//! The macros know some layers by their names: what they say is what the layers say.

use burn::nn::activation::{Celu, Elu, HardSigmoid, Hardtanh, LeakyRelu, Relu6, Selu};
use burn::nn::{Relu, Sigmoid, Tanh};
use remat::Remat;
use remat::inplace::keeps_output;
use remat::nn::{Dropout, LogSoftmax, Scale, Softmax};

/// remat, but what a struct publishes becomes a list: each field, whether the macros know that its layers keep their output,
/// and whether they do.
mod listing {
    pub use remat::*;

    pub mod __private {
        macro_rules! forward {
            (struct $name:ident (crate = $krate:path) {
                $($field:ident: inplace $(($known:ident))? => $constant:ident,)*
            }) => {
                [$((
                    stringify!($field),
                    stringify!($($known)?) == "keeps_output",
                    keeps_output(|layers: &$name| &layers.$field),
                    $name::$constant,
                )),*]
            };
        }
        pub(crate) use forward;
    }
}

#[derive(Remat)]
#[remat(crate = crate::known::listing)]
struct Known {
    #[inplace]
    relu: Relu,
    #[inplace]
    sigmoid: Sigmoid,
    #[inplace]
    tanh: Tanh,
    #[inplace]
    elu: Elu,
    #[inplace]
    celu: Celu,
    #[inplace]
    selu: Selu,
    #[inplace]
    leaky_relu: LeakyRelu,
    #[inplace]
    relu6: Relu6,
    #[inplace]
    hardtanh: Hardtanh,
    #[inplace]
    hard_sigmoid: HardSigmoid,
    #[inplace]
    scale: Scale,
    #[inplace]
    softmax: Softmax,
    #[inplace]
    log_softmax: LogSoftmax,
    #[inplace]
    dropout: Dropout,
    #[inplace]
    several: Option<Vec<[Box<Relu>; 2]>>,
    #[inplace]
    dropouts: Box<[Dropout]>,
}

#[test]
fn names_and_types_agree() {
    for (field, known, keeps, _) in Known_with_derive_Remat!() {
        assert_eq!(known, keeps, "{field}");
    }
}
