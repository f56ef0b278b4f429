//! The methods of burn's `Tensor`: what they keep of their operands for the backward pass.
//!
//! As burn-autodiff 0.22.1 has them. None of burn's operations keeps its own output.

use syn::Path;

use super::methods::Invocation;
use crate::syntax::last_name;

/// What a method does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Gives another handle.
    Clones,
    /// Looks at the tensor and gives something else.
    Looks,
    /// Gives another handle of the same buffer, or may do so.
    Views,
    /// Gives a leaf of the graph, which the optimizer or the caller finds again.
    MakesLeaf,
    /// Gives a tensor of its own, and keeps nothing of its operands.
    Frees,
    /// So, and its tensor has no gradient: it is of integers or booleans, or was.
    GivesConstant,
    /// Gives a tensor of its own, and keeps its operands.
    Keeps,
    /// So, but each operand only for the gradient of the other.
    Multiplies,
    /// So, but the first operand only for the gradient of the second.
    Divides,
    /// Gives what is in a container.
    HandsOn(Hands),
    /// Puts something into a container.
    Adds,
    /// None of burn's that is known.
    Unknown,
}

/// What a container hands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hands {
    /// A reference, and keeps what is in it.
    Reference,
    /// What is in it, and is no more.
    Whole,
    /// What is in it and in another one.
    Pairs,
    /// One of its elements.
    One,
    /// What is in it, and is empty then.
    All,
}

impl Method {
    pub fn of(call: &Invocation) -> Self {
        match (call.name.as_str(), call.arguments.len()) {
            ("clone", 0) => Self::Clones,
            ("take", 0) => Self::HandsOn(Hands::All),
            ("take", 1) => Self::HandsOn(Hands::Whole),
            ("take", _) => Self::Frees,
            (name, _) => Self::named(name),
        }
    }

    fn named(name: &str) -> Self {
        let methods = [
            (Self::Looks, LOOKS),
            (Self::Views, VIEWS),
            (Self::Views, PIECES),
            (Self::MakesLeaf, &["require_grad", "set_require_grad"]),
            (Self::Frees, FREES),
            (Self::GivesConstant, GIVES_CONSTANT),
            (Self::Keeps, KEEPS),
            (Self::Multiplies, &["matmul", "mul"]),
            (Self::Divides, &["div", "remainder"]),
            (Self::HandsOn(Hands::Reference), GIVES_REFERENCE),
            (Self::HandsOn(Hands::Whole), GIVES_ALL),
            (Self::HandsOn(Hands::Pairs), &["chain", "zip"]),
            (Self::HandsOn(Hands::One), GIVES_ONE),
            (Self::Adds, &["push", "push_back", "push_front"]),
        ];
        let mut methods = methods.into_iter();
        let method = methods.find(|(_, names)| names.contains(&name));
        method.map_or(Self::Unknown, |(method, _)| method)
    }
}

/// Whether a method hands on what is in a container.
pub fn hands_on(name: &str) -> bool {
    matches!(Method::named(name), Method::HandsOn(_))
}

/// Whether a method gives several views of one tensor.
pub fn is_in_pieces(name: &str) -> bool {
    PIECES.contains(&name)
}

/// `Tensor::zeros(..)`
pub fn makes_constant(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev().skip(1);
    segments
        .next()
        .is_some_and(|segment| segment.ident == "Tensor")
        && MAKES_CONSTANT.contains(&last_name(path).as_str())
}

/// Whether it is a function of burn's, whose output is its own. It may keep its inputs.
pub fn is_of_burn(name: &str) -> bool {
    let name = ["1d", "2d", "3d"]
        .into_iter()
        .find_map(|dimension| name.strip_suffix(dimension))
        .unwrap_or(name);
    FUNCTIONS.contains(&name)
}

/// These take `&self`.
const LOOKS: &[&str] = &[
    "can_mut",
    "contains_nan",
    "device",
    "dims",
    "dtype",
    "dtype_or",
    "is_autodiff",
    "is_distributed",
    "is_empty",
    "is_require_grad",
    "is_tracked",
    "len",
    "num_elements",
    "rank",
    "shape",
    "to_data",
    "to_data_as",
    "to_data_async",
    "to_data_dtype",
    "try_to_data",
    "try_to_data_as",
    "try_to_data_dtype",
    "try_to_vec_as",
];

const VIEWS: &[&str] = &[
    "cast",
    "contiguous",
    "detach",
    "expand",
    "flatten",
    "flip",
    "from_inner",
    "inner",
    "movedim",
    "narrow",
    "no_grad",
    "pad",
    "permute",
    "reshape",
    "roll",
    "roll_dim",
    "select_dim",
    "slice",
    "slice_dim",
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

/// Several of one tensor.
const PIECES: &[&str] = &["chunk", "iter_dim", "split", "split_with_sizes"];

const FREES: &[&str] = &[
    "add",
    "add_scalar",
    "backward",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "cov",
    "cumsum",
    "deg2rad",
    "div_scalar",
    "floor",
    "gather",
    "gather_nd",
    "into_data",
    "into_data_as",
    "into_data_async",
    "into_data_dtype",
    "into_scalar",
    "into_scalar_async",
    "mask_fill",
    "mask_select",
    "mask_where",
    "max",
    "max_dim",
    "max_dim_with_indices",
    "max_dims",
    "max_pair",
    "mean",
    "mean_dim",
    "mean_dims",
    "median",
    "median_with_indices",
    "min",
    "min_dim",
    "min_dim_with_indices",
    "min_dims",
    "min_pair",
    "mul_scalar",
    "neg",
    "rad2deg",
    "repeat",
    "repeat_dim",
    "round",
    "scatter",
    "scatter_nd",
    "select",
    "select_assign",
    "sign",
    "slice_assign",
    "slice_fill",
    "sort",
    "sort_descending",
    "sort_descending_with_indices",
    "sort_with_indices",
    "sub",
    "sub_scalar",
    "sum",
    "sum_dim",
    "sum_dims",
    "sum_dims_squeeze",
    "topk",
    "topk_with_indices",
    "tril",
    "triu",
    "trunc",
    "try_into_data",
    "try_into_data_as",
    "try_into_data_dtype",
    "try_into_scalar",
    "try_into_scalar_async",
    "try_into_vec_as",
    "var",
    "var_bias",
    "var_mean",
    "var_mean_bias",
];

const GIVES_CONSTANT: &[&str] = &[
    "all",
    "all_close",
    "all_dim",
    "any",
    "any_dim",
    "argmax",
    "argmin",
    "argsort",
    "argsort_descending",
    "argtopk",
    "argwhere",
    "bool",
    "bool_and",
    "bool_not",
    "bool_or",
    "bool_xor",
    "categorical",
    "empty_like",
    "equal",
    "equal_elem",
    "equal_scalar",
    "float",
    "full_like",
    "greater",
    "greater_elem",
    "greater_equal",
    "greater_equal_elem",
    "greater_equal_scalar",
    "greater_scalar",
    "int",
    "is_close",
    "is_finite",
    "is_inf",
    "is_nan",
    "lower",
    "lower_elem",
    "lower_equal",
    "lower_equal_elem",
    "lower_equal_scalar",
    "lower_scalar",
    "nonzero",
    "not_equal",
    "not_equal_elem",
    "not_equal_scalar",
    "one_hot",
    "one_hot_fill",
    "ones_like",
    "rand_like",
    "random_like",
    "zeros_like",
];

const MAKES_CONSTANT: &[&str] = &[
    "arange",
    "diag_mask",
    "empty",
    "eye",
    "from_bool",
    "from_data",
    "from_floats",
    "from_ints",
    "full",
    "ones",
    "random",
    "tril_mask",
    "triu_mask",
    "zeros",
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
    "cos",
    "cosh",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "dot",
    "erf",
    "exp",
    "fmod",
    "fmod_scalar",
    "grid_sample_2d",
    "hypot",
    "log",
    "log1p",
    "max_abs",
    "max_abs_dim",
    "max_abs_dims",
    "powf",
    "powf_scalar",
    "powi",
    "powi_scalar",
    "prod",
    "prod_dim",
    "prod_dims",
    "recip",
    "remainder_scalar",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
];

const GIVES_REFERENCE: &[&str] = &[
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_ref",
    "as_slice",
    "base",
    "by_ref",
    "deref",
    "first",
    "first_mut",
    "get",
    "get_mut",
    "iter",
    "iter_mut",
    "last",
    "last_mut",
    "to_owned",
    "to_vec",
    "val",
];

/// These take `self`.
const GIVES_ALL: &[&str] = &[
    "cloned",
    "collect",
    "copied",
    "enumerate",
    "expect",
    "filter",
    "fuse",
    "inspect",
    "into",
    "into_iter",
    "ok",
    "ok_or",
    "ok_or_else",
    "peekable",
    "rev",
    "skip",
    "skip_while",
    "step_by",
    "take_while",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

const GIVES_ONE: &[&str] = &[
    "next",
    "next_back",
    "nth",
    "pop",
    "pop_back",
    "pop_front",
    "remove",
    "swap_remove",
];

/// Those of burn's modules `tensor::module` and `tensor::activation`.
const FUNCTIONS: &[&str] = &[
    "adaptive_avg_pool",
    "attention",
    "avg_pool",
    "conv",
    "conv_transpose",
    "deform_conv",
    "elu",
    "embedding",
    "gelu",
    "glu",
    "hard_sigmoid",
    "interpolate",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "max_pool",
    "max_pool2d_with_indices",
    "mish",
    "prelu",
    "quiet_softmax",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "tanh",
];
