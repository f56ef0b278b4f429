//! The table of annotated fields: how `#[derive(Remat)]` tells `#[remat::forward]` about them.
//!
//! It is printed by the derive into the body of a `macro_rules!` and parsed by `__forward!` in front of the impl:
//!
//! ```text
//! struct Block(crate = ::remat) {
//!     attention: checkpoint => ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
//!     norm: frozen_stats => NORM_FROZEN_STATS_APPLIED_BY_REMAT_FORWARD,
//!     up: quantize => UP_QUANTIZE_APPLIED_BY_REMAT_FORWARD,
//!     projections: autocast(list) => PROJECTIONS_AUTOCAST_APPLIED_BY_REMAT_FORWARD,
//!     relu: inplace(keeps_output) => RELU_INPLACE_APPLIED_BY_REMAT_FORWARD,
//!     layers: checkpoint_sequence(early_stop) => LAYERS_CHECKPOINT_APPLIED_BY_REMAT_FORWARD,
//! } tail {
//!     down => DOWN_TAIL_APPLIED_BY_REMAT_FORWARD,
//! } pass {
//!     dropout,
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Ident, Member, Path, Token, braced, custom_keyword,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    token::Paren,
};

use crate::strategy::Strategy;

custom_keyword!(tail);
custom_keyword!(pass);

pub struct Table {
    /// The struct, as its own module calls it.
    pub name: Ident,
    /// The path of the runtime crate.
    pub krate: Path,
    pub rows: Vec<Row>,
    pub tails: Vec<Tail>,
    /// The fields that the output of a tail may pass.
    pub passes: Vec<Member>,
}

/// A field with `#[remat(tail)]`.
pub struct Tail {
    pub member: Member,
    /// The associated constant that its rewritten call mentions.
    pub constant: Ident,
}

pub struct Row {
    pub member: Member,
    pub strategy: Strategy,
    /// Whether the second run ends where nothing more is needed: the place where the field says so.
    pub early_stop: Option<Span>,
    /// Whether it is known by its name that its gradient, as computed in place, needs its output.
    pub keeps_output: bool,
    /// Whether it is a list of layers, whose parameters are cast.
    pub list: bool,
    /// The associated constant that a rewritten call mentions.
    pub constant: Ident,
}

impl Table {
    /// The row of a field, by its index, if it is annotated.
    pub fn row_of(&self, member: &Member) -> Option<usize> {
        self.rows.iter().position(|row| row.member == *member)
    }

    /// The tail of a field, by its index, if it is one.
    pub fn tail_of(&self, member: &Member) -> Option<usize> {
        self.tails.iter().position(|tail| tail.member == *member)
    }

    /// Whether the output of a tail may pass the field.
    pub fn passes(&self, member: &Member) -> bool {
        self.passes.contains(member)
    }
}

/// The macro through which a struct publishes its table.
///
/// Its name is the diagnostic of a missing derive, and what an import of it says: "cannot find macro
/// `Block_with_derive_Remat`".
pub fn callback(name: &Ident) -> Ident {
    format_ident!("{}_with_derive_Remat", name.unraw(), span = name.span())
}

impl ToTokens for Table {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            name,
            krate,
            rows,
            tails,
            passes,
        } = self;
        tokens.extend(quote!(struct #name (crate = #krate) { #(#rows,)* }));
        if !tails.is_empty() {
            tokens.extend(quote!(tail { #(#tails,)* } pass { #(#passes,)* }));
        }
    }
}

impl ToTokens for Tail {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { member, constant } = self;
        tokens.extend(quote!(#member => #constant));
    }
}

impl ToTokens for Row {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self {
            member, constant, ..
        } = self;
        let strategy = format_ident!("{}", self.strategy.name());
        let early_stop = self
            .early_stop
            .map(|place| quote_spanned!(place=> (early_stop)));
        let keeps_output = self.keeps_output.then(|| quote!((keeps_output)));
        let list = self.list.then(|| quote!((list)));
        tokens.extend(quote!(#member: #strategy #early_stop #keeps_output #list => #constant));
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
        let (tails, passes) = parse_tails(input)?;
        Ok(Self {
            name,
            krate,
            rows,
            tails,
            passes,
        })
    }
}

fn parse_tails(input: ParseStream) -> syn::Result<(Vec<Tail>, Vec<Member>)> {
    if !input.peek(tail) {
        return Ok((Vec::new(), Vec::new()));
    }
    let (tails, passes);
    input.parse::<tail>()?;
    braced!(tails in input);
    input.parse::<pass>()?;
    braced!(passes in input);
    let tails = tails.parse_terminated(Tail::parse, Token![,])?;
    let passes = passes.parse_terminated(Member::parse, Token![,])?;
    Ok((tails.into_iter().collect(), passes.into_iter().collect()))
}

impl Parse for Tail {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let member = input.parse()?;
        input.parse::<Token![=>]>()?;
        let constant = input.parse()?;
        Ok(Self { member, constant })
    }
}

impl Parse for Row {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let member = input.parse()?;
        input.parse::<Token![:]>()?;
        let strategy = input.call(parse_strategy)?;
        let option = parse_option(input)?;
        let is = |name| option.as_ref().is_some_and(|option| option == name);
        input.parse::<Token![=>]>()?;
        let constant = input.parse()?;
        Ok(Self {
            member,
            strategy,
            early_stop: option
                .as_ref()
                .filter(|option| *option == "early_stop")
                .map(Ident::span),
            keeps_output: is("keeps_output"),
            list: is("list"),
            constant,
        })
    }
}

/// What stands in parentheses behind the strategy, if something does. A strategy has one such option at most.
fn parse_option(input: ParseStream) -> syn::Result<Option<Ident>> {
    if !input.peek(Paren) {
        return Ok(None);
    }
    let option;
    parenthesized!(option in input);
    option.parse().map(Some)
}

fn parse_strategy(input: ParseStream) -> syn::Result<Strategy> {
    let name: Ident = input.parse()?;
    Strategy::named(&name.to_string()).ok_or_else(|| {
        syn::Error::new(
            name.span(),
            "this strategy is not known: are `remat` and `remat-macros` of one version?",
        )
    })
}
