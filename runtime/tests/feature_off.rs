//! A tensor of a backend that burn has and remat was not told of: CI runs this with the features
//! `wgpu,burn/flex`.

#![cfg(not(feature = "flex"))]

use burn::nn::LinearConfig;
use burn::tensor::{Device, Tensor};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn the_message_names_the_feature() {
    let device = Device::flex().autodiff();
    let linear = LinearConfig::new(2, 2).init(&device);
    let x = Tensor::<2>::ones([1, 2], &device);
    let run = || {
        remat::checkpoint(&linear, (x.clone(),), |linear, (x,)| linear.forward(x));
    };
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("without the feature `flex`"), "{message}");
    assert!(message.contains("Cargo.toml"), "{message}");
}
