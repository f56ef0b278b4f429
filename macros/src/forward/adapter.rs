//! The methods of `Option`, `Vec`, slices and iterators through which a layer can be followed.

/// What a method does to the layers in its receiver.
pub enum Adapter {
    /// The same layers in another container: `.rev()`, `.next()`.
    Same,
    /// References to the layers: `.iter()`, `.as_ref()`.
    Borrow,
    /// The layers themselves: `.cloned()`.
    Own,
    /// One layer: `unwrap`.
    Item,
    /// Pairs of a number and a layer.
    Enumerate,
    /// Pairs with the items of the argument.
    Zip,
    /// The layers of both, which must be of one field.
    Chain,
    /// A pair of two slices.
    SplitAt,
    /// A layer and a slice.
    SplitFirst,
    /// Calls its last argument, a closure, with layers.
    Each(Each),
    /// Gives layers in something that remat does not follow.
    Leak,
    /// Anything else. Most of it gives no layers: `.len()`, `.config()`.
    Unknown,
}

/// A method that takes a closure whose last parameter is a layer.
pub struct Each {
    /// Whether the closure gets a reference to what the others get.
    pub by_ref: bool,
    pub gives: Gives,
}

/// What a method with a closure gives.
pub enum Gives {
    /// The layers that the closure chose: `.filter(..)`.
    Layers,
    /// What the closure returned, in a container: `.map(..)`.
    Results,
    /// Something made of what the closure returned: `.fold(..)`.
    Value,
}

impl Adapter {
    pub fn of(method: &str) -> Self {
        match method {
            "rev" | "skip" | "take" | "step_by" | "cycle" | "fuse" | "peekable" | "by_ref"
            | "into_iter" | "next" | "next_back" | "nth" | "nth_back" | "ok_or" | "ok_or_else"
            | "ok" | "flatten" => Self::Same,
            "iter" | "iter_mut" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut"
            | "as_slice" | "as_mut_slice" | "get" | "get_mut" | "first" | "first_mut" | "last"
            | "last_mut" | "chunks" | "chunks_exact" | "windows" | "borrow" | "deref"
            | "each_ref" => Self::Borrow,
            "clone" | "cloned" | "copied" | "drain" => Self::Own,
            "unwrap" | "expect" => Self::Item,
            "enumerate" => Self::Enumerate,
            "zip" => Self::Zip,
            "chain" => Self::Chain,
            "split_at" => Self::SplitAt,
            "split_first" => Self::SplitFirst,
            "collect" | "to_vec" | "into_vec" | "into_boxed_slice" | "to_owned" | "unwrap_or"
            | "unwrap_or_else" | "unwrap_or_default" | "or" | "or_else" | "xor" | "partition"
            | "unzip" => Self::Leak,
            _ => Each::of(method).map_or(Self::Unknown, Self::Each),
        }
    }
}

impl Each {
    fn of(method: &str) -> Option<Self> {
        let (by_ref, gives) = match method {
            "filter" | "inspect" | "skip_while" | "take_while" | "find" => (true, Gives::Layers),
            "map" | "and_then" | "filter_map" | "flat_map" | "map_while" | "scan" | "find_map" => {
                (false, Gives::Results)
            }
            "fold" | "try_fold" | "rfold" | "try_rfold" | "for_each" | "try_for_each"
            | "map_or" | "map_or_else" | "any" | "all" | "position" | "is_some_and"
            | "is_none_or" => (false, Gives::Value),
            _ => return None,
        };
        Some(Self { by_ref, gives })
    }
}
