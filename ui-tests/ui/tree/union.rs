//! Nothing tells which field of a union is there.

use remat::TensorTree;

#[derive(Clone, Copy, TensorTree)]
union Number {
    whole: u32,
    real: f32,
}

fn main() {}
