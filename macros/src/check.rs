//! The rules about annotated fields that need more than the attribute itself.

use std::fmt::{self, Display};

use syn::{GenericArgument, Meta, PathArguments, Type, TypePath};

use crate::{
    attr,
    error::Errors,
    model::{Container, Layer},
    syntax::{last_name, peel_type, show},
};

/// Reports the annotated fields that cannot work, and takes them out.
pub fn check(container: &mut Container, errors: &mut Errors) {
    container.layers.retain(|layer| {
        let layer_type = check_type(layer, errors);
        let visited = check_visited(layer, errors);
        layer_type && visited
    });
}

/// A field of a type that has no `forward` cannot be a layer. Only what the syntax shows is found here; the rest
/// (a type of the user's that is no module) is for rustc, which knows.
fn check_type(layer: &Layer, errors: &mut Errors) -> bool {
    let Some((ty, reason)) = not_a_layer(&layer.original.ty) else {
        return true;
    };
    errors.at(
        ty,
        &format_args!(
            "`{}` is {reason}, not a layer\n\nhelp: `#[checkpoint]` goes on a field that is a module with a \
             `forward` method, or an `Option`, a `Vec` or an array of such modules",
            show(ty)
        ),
    );
    false
}

/// burn does not visit a field with `#[module(skip)]`, so its parameters would get no gradients.
fn check_visited(layer: &Layer, errors: &mut Errors) -> bool {
    let skipped = attr::named(&layer.original.attrs, "module")
        .any(|attr| matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "skip"));
    if skipped {
        errors.at(
            layer.annotation(),
            &"a field with `#[module(skip)]` cannot be checkpointed: burn does not visit it, so its parameters \
              would get no gradients\n\nhelp: remove one of the two attributes",
        );
    }
    !skipped
}

/// Why a type is not a layer.
enum Reason {
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
type Fault<'a> = (&'a Type, Reason);

fn not_a_layer(ty: &Type) -> Option<Fault<'_>> {
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
        | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "String" | "str" | "Flag" => {
            Reason::Constant
        }
        "PhantomData" => Reason::Marker,
        "Param" => Reason::Parameter,
        "Tensor" => Reason::Tensor,
        "Option" | "Vec" | "Box" => return all_not_layers(type_arguments(path)),
        _ => return None,
    };
    Some((ty, reason))
}

fn type_arguments(path: &TypePath) -> impl Iterator<Item = &Type> {
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

/// The first fault, if there are types and none of them is a layer.
fn all_not_layers<'a>(types: impl Iterator<Item = &'a Type>) -> Option<Fault<'a>> {
    let faults: Option<Vec<Fault>> = types.map(not_a_layer).collect();
    faults?.into_iter().next()
}
