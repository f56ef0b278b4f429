//! The methods of burn's `Tensor`: what they keep of their operands for the backward pass.
//!
//! As burn-autodiff 0.22.1 has them. None of burn's operations keeps its own output.

use syn::Path;

use super::{
    methods::Invocation,
    names::{
        DETACHES, FREES, FUNCTIONS, GIVES_CONSTANT, KEEPS, LOOKS, MAKES_CONSTANT, PIECES, VIEWS,
    },
    std_names::{GIVES_ALL, GIVES_ONE, GIVES_REFERENCE, OF_NUMBERS},
};
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
    /// So, and the handle has no gradient.
    Detaches,
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
            (Self::Detaches, DETACHES),
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

/// Whether it is a method of numbers, which gives another one.
pub fn is_of_numbers(name: &str) -> bool {
    OF_NUMBERS.contains(&name)
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
