//! The impl in another module than the struct: the macro that carries the table has to be reached as the struct is.
//!
//! The warnings cannot be avoided: rustc drops an impl that it cannot expand, and so does not see what it would use.

mod model {
    use burn::module::Module;
    use burn::nn::Linear;
    use remat::Remat;

    #[derive(Module, Debug, Remat)]
    pub struct Block {
        #[checkpoint]
        pub up: Linear,
    }
}

mod forward {
    use super::model::Block;
    use burn::tensor::Tensor;

    #[remat::forward]
    impl Block {
        pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
            self.up.forward(x)
        }
    }
}

mod legal {
    use crate::model;
    use burn::tensor::Tensor;

    #[remat::forward]
    impl model::Block {
        pub fn forward_twice(&self, x: Tensor<3>) -> Tensor<3> {
            self.up.forward(self.up.forward(x))
        }
    }
}

fn main() {}
