//! `#[inplace]`: what is written. What may be overwritten is in `flow`.

use super::{check, derive, with_struct};

#[test]
fn constants_and_table() {
    check!(
        derive,
        "
        struct Block {
            #[inplace]
            relu: Relu,
            #[inplace]
            several: Vec<nn::Sigmoid>,
            #[inplace]
            dropout: remat::nn::Dropout,
            #[inplace]
            leaky: nn::LeakyRelu,
            #[inplace]
            elu: Option<Elu>,
            #[inplace]
            own: Exp,
        }
    "
    );
}

#[test]
fn faults_of_fields() {
    check!(
        derive,
        "
        struct Block {
            #[inplace]
            gelu: Gelu,
            #[inplace]
            linear: Option<Linear>,
            #[inplace(hard)]
            relu: Relu,
            #[inplace]
            #[checkpoint]
            sigmoid: Sigmoid,
            #[inplace]
            #[autocast(bf16)]
            tanh: Tanh,
        }
    "
    );
}

#[test]
fn a_structs_autocast_leaves_it_alone() {
    check!(
        derive,
        "
        #[autocast(bf16)]
        struct Block {
            up: Linear,
            #[inplace]
            relu: Relu,
        }
    "
    );
}

#[test]
fn calls() {
    check!(
        with_struct,
        "
        struct Block {
            linear: Linear,
            #[inplace]
            relu: Relu,
            #[inplace]
            several: Vec<Sigmoid>,
            #[inplace]
            maybe: Option<Tanh>,
        }
        ---
        impl Block {
            fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
                let h = self.relu.forward(self.linear.forward(x.clone()));
                x = x + h;
                for sigmoid in &self.several {
                    x = sigmoid.forward(self.linear.forward(x));
                }
                if let Some(tanh) = &self.maybe {
                    x = tanh.forward(x * 2.0);
                }
                self.several[0].forward(self.linear.forward(x))
            }
        }
    "
    );
}

#[test]
fn every_fault_is_reported() {
    check!(
        with_struct,
        "
        struct Block {
            linear: Linear,
            #[inplace]
            relu: Relu,
        }
        ---
        impl Block {
            fn forward(&self, x: Tensor<2>) -> Tensor<2> {
                let h = self.relu.forward(x.clone());
                let kept = self.linear.forward(h.clone());
                self.relu.forward(h) + kept + self.relu.forward(x.clone()) + x
            }
        }
    "
    );
}
