//! Small questions about syntax that several stages ask.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, Ident, Path, Type, ext::IdentExt};

/// The type inside parentheses and the invisible groups around a `$t:ty`.
pub fn peel_type(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel_type(&group.elem),
        Type::Paren(paren) => peel_type(&paren.elem),
        _ => ty,
    }
}

/// The expression inside parentheses and the invisible groups around a `$e:expr`.
pub fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => peel(&group.expr),
        Expr::Paren(paren) => peel(&paren.expr),
        _ => expr,
    }
}

/// The identifier that the expression consists of.
pub fn as_ident(expr: &Expr) -> Option<&Ident> {
    match peel(expr) {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// `forward` and `forward_*` are the calls that a strategy applies to.
pub fn is_forward(method: &Ident) -> bool {
    let name = method.unraw().to_string();
    name == "forward" || name.starts_with("forward_")
}

/// Types, traits, variants and constants start with an upper-case letter; variables, fields and functions do not.
pub fn is_upper(ident: &Ident) -> bool {
    ident
        .unraw()
        .to_string()
        .trim_start_matches('_')
        .starts_with(char::is_uppercase)
}

/// `Block` of `model::Block<B>`, as a user would say it.
pub fn last_name(path: &Path) -> String {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

/// Tokens as a person would type them, on one line: `self.blocks[0]`, not `self . blocks [0]`.
pub fn show(tokens: &dyn ToTokens) -> String {
    let mut text = String::new();
    write_tokens(tokens.to_token_stream(), &mut text);
    text.replace("->", " -> ").replace(';', "; ")
}

fn write_tokens(tokens: TokenStream, text: &mut String) {
    let mut joint = false;
    for tree in tokens {
        let word = matches!(tree, TokenTree::Ident(_) | TokenTree::Literal(_));
        if word
            && !joint
            && text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | '"'))
        {
            text.push(' ');
        }
        joint = matches!(&tree, TokenTree::Punct(p) if p.spacing() == Spacing::Joint);
        write_tree(tree, text);
    }
}

fn write_tree(tree: TokenTree, text: &mut String) {
    let TokenTree::Group(group) = tree else {
        text.push_str(&tree.to_string());
        return;
    };
    let (open, close) = match group.delimiter() {
        proc_macro2::Delimiter::Parenthesis => ("(", ")"),
        proc_macro2::Delimiter::Bracket => ("[", "]"),
        proc_macro2::Delimiter::Brace => ("{", "}"),
        proc_macro2::Delimiter::None => ("", ""),
    };
    text.push_str(open);
    write_tokens(group.stream(), text);
    text.push_str(close);
}
