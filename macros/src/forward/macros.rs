//! The tokens of macro calls. What a macro makes of them is unknown, so an annotated call among them is an error.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::{
    Expr, Index, Macro, Member, Token,
    parse::{ParseStream, Parser},
};

use super::{escape::Escape, value::Value, walk::Walk};
use crate::syntax::{is_forward, last_name, show};

impl Walk<'_> {
    /// Reports an annotated call in the tokens of a macro call.
    pub fn scan(&mut self, mac: &Macro) {
        self.mentions(&mac.tokens);
        let name = last_name(&mac.path);
        match self.find_call(&mac.tokens) {
            Some(found) => self.errors.at(
                &found.mention,
                &format_args!(
                    "remat cannot see inside `{name}!`\n\nhelp: {}",
                    found.help()
                ),
            ),
            None if name == "vec" => self.scan_elements(&mac.tokens),
            None => {}
        }
    }

    /// The same for syntax that this version cannot parse.
    pub fn scan_unknown(&mut self, tokens: &TokenStream) {
        self.mentions(tokens);
        if let Some(Found { mention, .. }) = self.find_call(tokens) {
            self.errors.at(
                &mention,
                &"remat cannot read the expression around this call\n\nhelp: bind the call first with `let`",
            );
        }
    }

    /// `vec![&self.a, &self.b]` holds layers like an array does.
    fn scan_elements(&mut self, tokens: &TokenStream) {
        for mut element in elements.parse2(tokens.clone()).into_iter().flatten() {
            self.expr_into(&mut element, &Escape::Macro("vec".to_string()));
        }
    }

    /// A `forward` call in the tokens that is, or may be, one of an annotated field.
    fn find_call(&self, tokens: &TokenStream) -> Option<Found> {
        let mut search = Search {
            walk: self,
            mention: None,
            stranger: false,
        };
        if let Some(found) = search.level(tokens) {
            return Some(found);
        }
        // The name that `forward` is called on is bound inside of the macro, where the field is mentioned, too:
        // `each!(layer in &self.layers => x = layer.forward(x))`.
        search
            .mention
            .filter(|_| search.stranger)
            .map(|mention| Found {
                mention,
                receiver: None,
            })
    }
}

/// `a, b, c` or `a; n`
fn elements(input: ParseStream) -> syn::Result<Vec<Expr>> {
    let mut elements = Vec::new();
    while !input.is_empty() {
        elements.push(input.parse()?);
        input.parse::<Option<Token![,]>>()?;
        input.parse::<Option<Token![;]>>()?;
    }
    Ok(elements)
}

struct Found {
    /// The annotated field.
    mention: TokenStream,
    /// What `forward` is called on, if it is no name that is bound inside of the macro.
    receiver: Option<TokenStream>,
}

impl Found {
    fn help(&self) -> String {
        match &self.receiver {
            Some(receiver) => format!(
                "bind the call first: `let y = {}.forward(..);`",
                show(receiver)
            ),
            None => "write the call outside of the macro".to_string(),
        }
    }
}

struct Search<'a, 'w> {
    walk: &'a Walk<'w>,
    /// The first mention of an annotated field that is not in itself a call.
    mention: Option<TokenStream>,
    /// Whether there is a `forward` call of a name that is no variable outside of the macro.
    stranger: bool,
}

impl Search<'_, '_> {
    /// Looks through the tokens between two delimiters, and into the groups among them.
    fn level(&mut self, tokens: &TokenStream) -> Option<Found> {
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        for (index, tree) in trees.iter().enumerate() {
            let found = match tree {
                TokenTree::Group(group) => self
                    .level(&group.stream())
                    .or_else(|| self.path_call(&trees, index)),
                TokenTree::Ident(name) if !is_member(&trees, index) => {
                    self.name(name, &trees[index..])
                }
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A name that starts an expression, with the tokens from it on.
    fn name(&mut self, name: &Ident, trees: &[TokenTree]) -> Option<Found> {
        let mention = match self.walk.scopes.get(name) {
            Some(Value::Whole { .. }) => self.field(trees)?,
            Some(value) if !value.layers().is_empty() || matches!(value, Value::Derived(_)) => 1,
            Some(_) => return None,
            None => {
                self.stranger |= calls_forward(trees, 1);
                return None;
            }
        };
        let chain = &trees[mention..];
        let tokens = |length: usize| -> TokenStream { trees[..length].iter().cloned().collect() };
        let receiver = match call_in_chain(chain) {
            Call::None => {
                self.mention.get_or_insert(tokens(mention));
                return None;
            }
            Call::Direct { after } => Some(tokens(mention + after)),
            Call::InClosure => None,
        };
        Some(Found {
            mention: tokens(mention),
            receiver,
        })
    }

    /// How many tokens `self.field` has, if the field is annotated.
    fn field(&self, trees: &[TokenTree]) -> Option<usize> {
        let [_, dot, member, ..] = trees else {
            return None;
        };
        let member = match member {
            TokenTree::Ident(name) => Member::Named(name.clone()),
            // `self.0.1` has the number `0.1` in it.
            TokenTree::Literal(number) => Index::from(
                number
                    .to_string()
                    .split('.')
                    .next()?
                    .parse::<usize>()
                    .ok()?,
            )
            .into(),
            _ => return None,
        };
        (is_punct(Some(dot), '.') && self.walk.table.row_of(&member).is_some()).then_some(3)
    }

    /// `Linear::forward(&self.field, x)`, where `index` is the group of arguments.
    fn path_call(&self, trees: &[TokenTree], index: usize) -> Option<Found> {
        let (TokenTree::Group(arguments), TokenTree::Ident(method)) =
            (&trees[index], before(trees, index)?)
        else {
            return None;
        };
        let is_path = is_forward(method) && is_punct(before(trees, index - 1), ':');
        if !is_path {
            return None;
        }
        let mut inside = Search {
            mention: None,
            stranger: false,
            ..*self
        };
        inside.level(&arguments.stream());
        inside.mention.map(|mention| Found {
            receiver: Some(mention.clone()),
            mention,
        })
    }
}

/// The `forward` call in the postfix operators that follow a field.
enum Call {
    None,
    /// After so many tokens.
    Direct {
        after: usize,
    },
    /// `.iter().fold(x, |x, layer| layer.forward(x))`
    InClosure,
}

fn call_in_chain(trees: &[TokenTree]) -> Call {
    for (index, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '.' => {
                if calls_forward(trees, index) {
                    return Call::Direct { after: index };
                }
            }
            TokenTree::Punct(punct) if matches!(punct.as_char(), '?' | ':' | '<' | '>') => {}
            TokenTree::Ident(_) | TokenTree::Literal(_) if is_member(trees, index) => {}
            TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                if closure_calls_forward(group.stream()) {
                    return Call::InClosure;
                }
            }
            _ => return Call::None,
        }
    }
    Call::None
}

/// Whether there is a `forward` call in an argument that is a closure.
fn closure_calls_forward(tokens: TokenStream) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let closure = trees.iter().position(|tree| is_punct(Some(tree), '|'));
    closure.is_some_and(|start| any_call(&trees[start..]))
}

fn any_call(trees: &[TokenTree]) -> bool {
    trees.iter().enumerate().any(|(index, tree)| match tree {
        TokenTree::Group(group) => any_call(&group.stream().into_iter().collect::<Vec<_>>()),
        _ => calls_forward(trees, index),
    })
}

/// Whether there is `. forward` at this index.
fn calls_forward(trees: &[TokenTree], index: usize) -> bool {
    let (dot, method) = (trees.get(index), trees.get(index + 1));
    is_punct(dot, '.') && matches!(method, Some(TokenTree::Ident(method)) if is_forward(method))
}

/// Whether the name at this index is `name` in `x.name`, and not in `0..name`.
pub fn is_member(trees: &[TokenTree], index: usize) -> bool {
    let dots = trees[..index]
        .iter()
        .rev()
        .take_while(|tree| is_punct(Some(tree), '.'));
    dots.count() == 1
}

fn before(trees: &[TokenTree], index: usize) -> Option<&TokenTree> {
    trees.get(index.checked_sub(1)?)
}

pub fn is_punct(tree: Option<&TokenTree>, character: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}
