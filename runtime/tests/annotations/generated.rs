//! Structs and impls that come out of a `macro_rules!`.

use crate::counting::{Counting, check, input, layer};
use crate::support::{assert_same, loss};
use burn::module::Module;
use burn::tensor::Tensor;
use remat::Remat;

macro_rules! sequential {
    ($name:ident { $($field:ident),* $(,)? }) => {
        #[derive(Module, Debug, Remat)]
        struct $name {
            $(#[checkpoint] $field: Counting,)*
        }

        #[remat::forward]
        impl $name {
            fn forward(&self, x: Tensor<2>) -> Tensor<2> {
                $(let x = self.$field.forward(x);)*
                x
            }
        }
    };
}

sequential!(Sequence { first, second });

#[test]
fn struct_and_impl_from_one_macro() {
    let (model, x) = (
        Sequence {
            first: layer(),
            second: layer(),
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.first, &model.second],
        [],
    );
}

macro_rules! annotated {
    ($(#[$attribute:meta])* struct $name:ident { $field:ident: $type:ty $(,)? }) => {
        $(#[$attribute])*
        #[derive(Module, Debug, Remat)]
        struct $name {
            #[checkpoint]
            $field: $type,
        }
    };
}

annotated!(
    /// Its impl is written by hand.
    struct ByHand {
        layers: Vec<Counting>,
    }
);

#[remat::forward]
impl ByHand {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.layers.iter().fold(x, |x, layer| layer.forward(x))
    }
}

#[test]
fn struct_from_a_macro() {
    let (model, x) = (
        ByHand {
            layers: vec![layer(), layer()],
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        &model.layers,
        [],
    );
}

#[derive(Module, Debug, Remat)]
struct Impls {
    #[checkpoint]
    up: Counting,
    #[checkpoint]
    layers: Vec<Counting>,
    plain: Counting,
}

macro_rules! method {
    ($name:ty, |$this:ident, $x:ident| $body:expr) => {
        #[remat::forward]
        impl $name {
            fn forward(&$this, $x: Tensor<2>) -> Tensor<2> {
                $body
            }
        }
    };
}

/// What a macro is given is one operand: `$sum * 2.0`, and not the last part of the sum.
macro_rules! call {
    ($name:ident, $method:ident, $layer:expr, $sum:expr, $scale:expr) => {
        #[remat::forward]
        impl $name {
            fn $method(&self, x: Tensor<2>) -> Tensor<2> {
                let x = x * $sum * 2.0;
                assert_eq!($sum * 2.0, 6.0);
                let x = self.up.forward($scale(x) * $sum);
                $layer(self, x)
            }
        }
    };
}

method!(Impls, |self, x| {
    let x = self.plain.forward(self.up.forward(x));
    self.layers.iter().fold(x, |x, layer| layer.forward(x))
});
call!(
    Impls,
    forward_call,
    |this: &Self, x| this.plain.forward(x),
    1.0 + 2.0,
    |x: Tensor<2>| x * 0.1
);

#[test]
fn impl_from_a_macro() {
    let (model, x) = (
        Impls {
            up: layer(),
            layers: vec![layer()],
            plain: layer(),
        },
        input(),
    );
    check(
        &model,
        |model| loss(model.forward(model.forward_call(x.clone()))),
        [&model.up, &model.layers[0]],
        [&model.plain],
    );

    let y = model.forward_call(x.clone());
    let expected = model.plain.forward(model.up.forward(x * 6.0 * 0.1 * 3.0));
    assert_same(&y.into_data(), &expected.into_data());
}

macro_rules! of_this_crate {
    ($name:ident) => {
        #[derive(Module, Debug, Remat)]
        #[remat(crate = $crate::items::reexport::remat)]
        struct $name {
            #[checkpoint]
            up: Counting,
        }

        #[remat::forward]
        impl $name {
            fn forward(&self, x: Tensor<2>) -> Tensor<2> {
                self.up.forward(x)
            }
        }
    };
}

#[test]
fn runtime_under_a_path_from_the_crate_of_the_macro() {
    of_this_crate!(Block);

    let (model, x) = (Block { up: layer() }, input());
    check(
        &model,
        |model| loss(model.forward(x.clone())),
        [&model.up],
        [],
    );
}
