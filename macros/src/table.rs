//! The table of annotated fields: how `#[derive(Remat)]` tells `#[remat::forward]` about them.
//!
//! It is printed by the derive into the body of a `macro_rules!` and parsed by `__forward!` in front of the impl:
//!
//! ```text
//! struct Block(crate = ::remat) {
//!     attention: checkpoint => ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
//! }
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Ident, Member, Path, Token, braced,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
};

pub struct Table {
    /// The struct, as its own module calls it.
    pub name: Ident,
    /// The path of the runtime crate.
    pub krate: Path,
    pub rows: Vec<Row>,
}

pub struct Row {
    pub member: Member,
    pub strategy: Strategy,
    /// The associated constant that a rewritten call mentions.
    pub constant: Ident,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    Checkpoint,
}

impl Table {
    /// The row of a field, by its index, if it is annotated.
    pub fn row_of(&self, member: &Member) -> Option<usize> {
        self.rows.iter().position(|row| row.member == *member)
    }
}

/// The macro through which a struct publishes its table.
///
/// Its name is the diagnostic of a missing derive: "cannot find macro `derive_Remat_on_Block`".
pub fn callback(name: &Ident) -> Ident {
    format_ident!("derive_Remat_on_{}", name.unraw(), span = name.span())
}

impl Strategy {
    /// The name of the attribute.
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
        }
    }
}

impl ToTokens for Table {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { name, krate, rows } = self;
        tokens.extend(quote!(struct #name (crate = #krate) { #(#rows,)* }));
    }
}

impl ToTokens for Row {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            member, constant, ..
        } = self;
        let strategy = format_ident!("{}", self.strategy.name());
        tokens.extend(quote!(#member: #strategy => #constant));
    }
}

impl Parse for Table {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        input.parse::<Token![struct]>()?;
        let name = input.call(Ident::parse_any)?;
        let header;
        parenthesized!(header in input);
        header.parse::<Token![crate]>()?;
        header.parse::<Token![=]>()?;
        let krate = header.call(Path::parse_mod_style)?;
        let body;
        braced!(body in input);
        let rows = body
            .parse_terminated(Row::parse, Token![,])?
            .into_iter()
            .collect();
        Ok(Self { name, krate, rows })
    }
}

impl Parse for Row {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let member = input.parse()?;
        input.parse::<Token![:]>()?;
        let strategy = input.parse()?;
        input.parse::<Token![=>]>()?;
        let constant = input.parse()?;
        Ok(Self {
            member,
            strategy,
            constant,
        })
    }
}

impl Parse for Strategy {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name: Ident = input.parse()?;
        match name.to_string().as_str() {
            "checkpoint" => Ok(Self::Checkpoint),
            _ => Err(syn::Error::new(
                name.span(),
                "this strategy is not known: are `remat` and `remat-macros` of one version?",
            )),
        }
    }
}
