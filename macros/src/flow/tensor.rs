//! The methods of burn's `Tensor`: what they keep of their operands for the backward pass.
//!
//! As burn-autodiff 0.22.1 has them. None of burn's operations keeps its own output.

/// What a method does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Looks at the tensor and gives something else.
    Looks,
    /// Gives another handle of the same buffer, or may do so.
    Views,
    /// Gives a leaf of the graph, which the optimizer or the caller finds again.
    MakesLeaf,
    /// Gives a tensor of its own, and keeps nothing of its operands.
    Frees,
    /// Gives a tensor of its own, and keeps its operands.
    Keeps,
    /// None of burn's that is known.
    Unknown,
}

impl Method {
    pub fn named(name: &str) -> Self {
        let is_one_of = |names: &[&str]| names.contains(&name);
        if is_one_of(LOOKS) {
            Self::Looks
        } else if is_one_of(VIEWS) {
            Self::Views
        } else if is_one_of(&["require_grad", "set_require_grad"]) {
            Self::MakesLeaf
        } else if is_one_of(FREES) {
            Self::Frees
        } else if is_one_of(KEEPS) {
            Self::Keeps
        } else {
            Self::Unknown
        }
    }
}

/// These take `&self`.
const LOOKS: &[&str] = &[
    "can_mut",
    "contains_nan",
    "device",
    "dims",
    "dtype",
    "empty_like",
    "is_autodiff",
    "is_empty",
    "is_require_grad",
    "is_tracked",
    "len",
    "num_elements",
    "ones_like",
    "rand_like",
    "random_like",
    "rank",
    "shape",
    "to_data",
    "to_data_async",
    "zeros_like",
];

const VIEWS: &[&str] = &[
    "cast",
    "chunk",
    "contiguous",
    "detach",
    "expand",
    "flatten",
    "flip",
    "from_inner",
    "inner",
    "iter_dim",
    "movedim",
    "narrow",
    "no_grad",
    "pad",
    "permute",
    "reshape",
    "roll",
    "roll_dim",
    "slice",
    "slice_dim",
    "split",
    "split_with_sizes",
    "squeeze",
    "squeeze_dim",
    "squeeze_dims",
    "swap_dims",
    "t",
    "to_device",
    "transpose",
    "unfold",
    "unsqueeze",
    "unsqueeze_dim",
    "unsqueeze_dims",
    "without_autodiff",
];

const FREES: &[&str] = &[
    "add",
    "add_scalar",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "bool",
    "bool_not",
    "ceil",
    "cumsum",
    "div_scalar",
    "equal",
    "equal_elem",
    "floor",
    "gather",
    "greater",
    "greater_elem",
    "greater_equal",
    "greater_equal_elem",
    "int",
    "into_data",
    "into_scalar",
    "is_close",
    "is_finite",
    "is_inf",
    "is_nan",
    "lower",
    "lower_elem",
    "lower_equal",
    "lower_equal_elem",
    "mask_fill",
    "mask_where",
    "max",
    "max_dim",
    "max_pair",
    "mean",
    "mean_dim",
    "mean_dims",
    "min",
    "min_dim",
    "min_pair",
    "mul_scalar",
    "neg",
    "not_equal",
    "not_equal_elem",
    "one_hot",
    "repeat",
    "repeat_dim",
    "round",
    "select",
    "sign",
    "slice_assign",
    "slice_fill",
    "sort",
    "sub",
    "sub_scalar",
    "sum",
    "sum_dim",
    "sum_dims",
    "topk",
    "tril",
    "triu",
    "trunc",
];

const KEEPS: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "clamp",
    "clamp_max",
    "clamp_min",
    "cos",
    "cosh",
    "cross",
    "cumprod",
    "div",
    "dot",
    "erf",
    "exp",
    "hypot",
    "log",
    "log1p",
    "matmul",
    "mul",
    "powf",
    "powf_scalar",
    "powi",
    "powi_scalar",
    "prod",
    "prod_dim",
    "recip",
    "remainder",
    "remainder_scalar",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "var",
    "var_mean",
];

/// Methods of containers, which hand on what is inside.
pub fn hands_on(name: &str) -> bool {
    matches!(
        name,
        "as_deref"
            | "as_mut"
            | "as_ref"
            | "as_slice"
            | "base"
            | "cloned"
            | "copied"
            | "expect"
            | "first"
            | "get"
            | "into"
            | "into_iter"
            | "iter"
            | "last"
            | "next"
            | "ok"
            | "ok_or"
            | "ok_or_else"
            | "remove"
            | "swap_remove"
            | "take"
            | "to_owned"
            | "to_vec"
            | "pop"
            | "unwrap"
            | "unwrap_or"
            | "unwrap_or_default"
            | "unwrap_or_else"
            | "val"
    )
}
