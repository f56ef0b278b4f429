//! What the syntax of a field's type tells about the field. The rest is for rustc, which knows types.

use std::fmt::{self, Display};

use syn::{Expr, GenericArgument, Lit, PathArguments, Type, TypePath};

use crate::{
    burn::Work,
    syntax::{last_name, peel, peel_type},
};

/// Why a type is not a layer.
pub enum Reason {
    Constant,
    Marker,
    Parameter,
    Tensor,
    Reference,
    Pointer,
    Function,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Constant => "a constant",
            Self::Marker => "a marker",
            Self::Parameter => "a parameter",
            Self::Tensor => "a tensor",
            Self::Reference => "a reference",
            Self::Pointer => "a pointer",
            Self::Function => "a function",
        })
    }
}

/// The part of a type that cannot be a layer, and why.
pub type Fault<'a> = (&'a Type, Reason);

pub fn not_a_layer(ty: &Type) -> Option<Fault<'_>> {
    let ty = peel_type(ty);
    let reason = match ty {
        Type::Path(path) if path.qself.is_none() => return not_a_layer_path(ty, path),
        Type::Array(array) => return not_a_layer(&array.elem),
        Type::Slice(slice) => return not_a_layer(&slice.elem),
        Type::Tuple(tuple) if tuple.elems.is_empty() => Reason::Constant,
        Type::Tuple(tuple) => return all_not_layers(tuple.elems.iter()),
        Type::Reference(_) => Reason::Reference,
        Type::Ptr(_) => Reason::Pointer,
        Type::FnPtr(_) => Reason::Function,
        _ => return None,
    };
    Some((ty, reason))
}

fn not_a_layer_path<'a>(ty: &'a Type, path: &'a TypePath) -> Option<Fault<'a>> {
    let reason = match last_name(&path.path).as_str() {
        "bool" | "char" | "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize"
        | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "String" | "str" | "Flag"
        | "Ignored" => Reason::Constant,
        "PhantomData" => Reason::Marker,
        "Param" => Reason::Parameter,
        "Tensor" => Reason::Tensor,
        "Option" | "Vec" | "Box" => return all_not_layers(type_arguments(path)),
        _ => return None,
    };
    Some((ty, reason))
}

/// The types in the angle brackets.
pub fn type_arguments(path: &TypePath) -> impl Iterator<Item = &Type> {
    let arguments = path.path.segments.last().map(|segment| &segment.arguments);
    let angle_bracketed = match arguments {
        Some(PathArguments::AngleBracketed(arguments)) => Some(&arguments.args),
        _ => None,
    };
    angle_bracketed
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// The type of one layer in a field: `Linear` in `Option<Vec<Linear>>`.
pub fn layer_type(ty: &Type) -> &Type {
    let ty = peel_type(ty);
    match ty {
        Type::Array(array) => layer_type(&array.elem),
        Type::Slice(slice) => layer_type(&slice.elem),
        Type::Path(path) => layer_type_of_path(path).unwrap_or(ty),
        _ => ty,
    }
}

fn layer_type_of_path(path: &TypePath) -> Option<&Type> {
    match last_name(&path.path).as_str() {
        "Vec" | "Option" | "Box" => type_arguments(path).next().map(layer_type),
        _ => None,
    }
}

/// The first fault, if there are types and none of them is a layer.
fn all_not_layers<'a>(types: impl Iterator<Item = &'a Type>) -> Option<Fault<'a>> {
    let faults: Option<Vec<Fault>> = types.map(not_a_layer).collect();
    faults?.into_iter().next()
}

/// How many layers a field holds, as far as its type shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `Vec<Linear>`, `[Linear; 3]`, `Box<[Linear]>`
    List,
    /// `Option<Linear>`
    Optional,
    /// One that is known to be none of these.
    Single,
    /// A type of the user's: one layer, or an alias of a list.
    Unknown,
}

/// `Option<Vec<Linear>>`, `Vec<Option<Linear>>`
pub fn is_nested(ty: &Type) -> bool {
    let several = |ty: &Type| matches!(Shape::of(ty), Shape::List | Shape::Optional);
    let inner = match peel_type(ty) {
        Type::Array(array) => Some(&*array.elem),
        Type::Path(path) if matches!(last_name(&path.path).as_str(), "Vec" | "Option") => {
            type_arguments(path).next()
        }
        _ => None,
    };
    several(ty) && inner.is_some_and(several)
}

impl Shape {
    pub fn of(ty: &Type) -> Self {
        match peel_type(ty) {
            Type::Array(_) | Type::Slice(_) => Self::List,
            Type::Path(path) => Self::of_path(path),
            Type::Macro(_) | Type::Infer(_) => Self::Unknown,
            _ => Self::Single,
        }
    }

    fn of_path(path: &TypePath) -> Self {
        match last_name(&path.path).as_str() {
            "Vec" => Self::List,
            "Option" => Self::Optional,
            "Box" | "Rc" | "Arc" => match type_arguments(path).next().map(peel_type) {
                Some(Type::Slice(_)) => Self::List,
                _ => Self::Single,
            },
            name if is_of_std(name) || Work::of(name).is_some() => Self::Single,
            _ => Self::Unknown,
        }
    }
}

/// Containers that are no slice of layers.
fn is_of_std(name: &str) -> bool {
    matches!(
        name,
        "HashMap"
            | "BTreeMap"
            | "HashSet"
            | "BTreeSet"
            | "VecDeque"
            | "LinkedList"
            | "Result"
            | "Cell"
            | "RefCell"
            | "Mutex"
            | "RwLock"
            | "OnceCell"
    )
}

/// `3` of `[Linear; 3]`
pub fn array_length(ty: &Type) -> Option<usize> {
    let Type::Array(array) = peel_type(ty) else {
        return None;
    };
    integer(&array.len)
}

/// The value of an integer literal.
pub fn integer(expr: &Expr) -> Option<usize> {
    match peel(expr) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
