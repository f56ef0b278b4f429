//! The variables that the tokens of a macro call name.

use proc_macro2::{Ident, Literal, TokenStream, TokenTree};

use super::{
    macros::{is_member, is_punct},
    walk::Walk,
};

impl Walk<'_> {
    /// Takes every name in the tokens for a variable, if it is one of outside. One too many is a copy too many.
    pub fn mentions(&mut self, tokens: &TokenStream) {
        if self.segments.is_empty() {
            return;
        }
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        for (index, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.mentions(&group.stream()),
                TokenTree::Ident(name) if may_be_variable(&trees, index) => self.read(name),
                TokenTree::Literal(literal) => {
                    for name in format_arguments(literal) {
                        self.read(&name);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Not `field` in `x.field` and `field: x`, not a part of a path and not the name of a macro.
fn may_be_variable(trees: &[TokenTree], index: usize) -> bool {
    let next = trees.get(index + 1);
    let before = index.checked_sub(1).and_then(|before| trees.get(before));
    let is_macro = is_punct(next, '!') && matches!(trees.get(index + 2), Some(TokenTree::Group(_)));
    !is_member(trees, index) && !is_punct(next, ':') && !is_punct(before, ':') && !is_macro
        || is_value(trees, index)
}

/// `x` in `field: x`
fn is_value(trees: &[TokenTree], index: usize) -> bool {
    let colon = |back: usize| {
        let tree = index.checked_sub(back).and_then(|index| trees.get(index));
        is_punct(tree, ':')
    };
    colon(1) && !colon(2) && !is_punct(trees.get(index + 1), ':')
}

/// `n` and `width` of `"{n:>width$}"`
fn format_arguments(literal: &Literal) -> Vec<Ident> {
    let text = literal.to_string();
    if !text.ends_with('"') && !text.ends_with('#') {
        return Vec::new();
    }
    let pieces = text
        .split('{')
        .skip(1)
        .filter_map(|piece| piece.split_once('}'));
    let words =
        pieces.flat_map(|(argument, _)| argument.split([':', '$', '.', '>', '<', '^', '?']));
    words
        .filter_map(|word| syn::parse_str::<Ident>(word).ok())
        .map(|mut name| {
            name.set_span(literal.span());
            name
        })
        .collect()
}
