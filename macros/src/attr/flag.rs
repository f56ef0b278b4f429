//! Options that are there or not: `deterministic`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::{error::Errors, syntax::show};

/// Notes that the option is there. `usage` is an attribute with it. False if it is not as it should be.
pub fn set(
    flag: &mut Option<Path>,
    key: Path,
    value: &TokenStream,
    usage: &str,
    errors: &mut Errors,
) -> bool {
    if !no_value(&key, value, usage, errors) {
        return false;
    }
    match flag {
        Some(first) => twice(first, &key, errors),
        None => *flag = Some(key),
    }
    true
}

pub fn no_value(key: &Path, value: &TokenStream, usage: &str, errors: &mut Errors) -> bool {
    if value.is_empty() {
        return true;
    }
    let name = show(key);
    errors.at(
        &quote!(#key #value),
        &format_args!("`{name}` takes no value\n\nhelp: write `{usage}`"),
    );
    false
}

/// Reports an option that was written twice.
pub fn twice(first: &Path, second: &Path, errors: &mut Errors) {
    let message = format!("duplicate option `{}`", show(second));
    errors.twice(first, second, &message);
}

/// Reports the second of two options that exclude each other, which are `both` something, or of one that was written
/// twice.
pub fn exclusive(first: &Path, second: &Path, both: &str, errors: &mut Errors) {
    let (first_name, second_name) = (show(first), show(second));
    if first_name == second_name {
        return twice(first, second, errors);
    }
    let message = format!("`{first_name}` and `{second_name}` are {both}: choose one");
    errors.twice(first, second, &message);
}
