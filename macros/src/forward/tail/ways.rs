//! Where a value that was not computed may go: into operations whose gradients do not need it.

/// What a tensor's method needs of the tensor, for its result and its gradient.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Neither its value nor that of a tensor it is given: `.add(..)`.
    NothingOfBoth,
    /// Not its value: `.reshape(..)`.
    Nothing,
    /// What a tensor without a value has as well: `.dims()`. The result is not a tensor.
    Shape,
    Value,
}

/// The gradients of these do not depend on values: sums, copies, changes of shape, multiplication by a number.
pub fn need(method: &str) -> Need {
    match method {
        "add" | "sub" => Need::NothingOfBoth,
        "neg" | "add_scalar" | "sub_scalar" | "mul_scalar" | "div_scalar" | "reshape"
        | "flatten" | "squeeze" | "squeeze_dim" | "squeeze_dims" | "unsqueeze"
        | "unsqueeze_dim" | "unsqueeze_dims" | "swap_dims" | "transpose" | "t" | "permute"
        | "movedim" | "flip" | "expand" | "repeat" | "repeat_dim" | "slice" | "narrow"
        | "slice_dim" | "sum" | "sum_dim" | "mean" | "mean_dim" | "cast" | "clone" => Need::Nothing,
        "dims" | "shape" | "dtype" | "device" | "rank" => Need::Shape,
        _ => Need::Value,
    }
}
