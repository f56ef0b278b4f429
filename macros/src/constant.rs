//! The names of the constants that carry annotations.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::{Field, Ident, Path, ext::IdentExt};

use crate::syntax::show;

/// A name that is free for the constant of a field, at the attribute's place.
///
/// An annotation that nothing applies is reported by rustc as "constant `..` is never used", at that place.
pub fn constant(
    index: usize,
    field: &Field,
    annotation: &Path,
    taken: &mut BTreeSet<String>,
) -> Ident {
    let base = upper_name(index, field);
    let mut prefix = base.clone();
    let mut count = 1;
    while !taken.insert(prefix.clone()) {
        count += 1;
        prefix = format!("{base}_{count}");
    }
    let kind = show(annotation).to_uppercase();
    let span = annotation
        .get_ident()
        .map_or_else(Span::call_site, Ident::span);
    Ident::new(&format!("{prefix}_{kind}_APPLIED_BY_REMAT_FORWARD"), span)
}

/// The name for a constant that rustc does not report if nothing uses it.
pub fn unreported(constant: &Ident) -> Ident {
    Ident::new(&format!("_{constant}"), constant.span())
}

/// `ATTENTION` for `attention`, `FIELD_0` for the first field of a tuple struct.
fn upper_name(index: usize, field: &Field) -> String {
    let upper = field.ident.as_ref().map(|ident| {
        // rustc does not report an unused name that starts with an underscore.
        ident
            .unraw()
            .to_string()
            .trim_start_matches('_')
            .to_uppercase()
    });
    match upper {
        // The upper case of a letter need not be a letter.
        Some(upper) if syn::parse_str::<Ident>(&format!("{upper}_")).is_ok() => upper,
        _ => format!("FIELD_{index}"),
    }
}
