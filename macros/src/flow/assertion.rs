//! What only rustc can decide: whether a layer of the user's keeps its output.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ImplItemFn, ItemImpl, Type, parse_quote, parse_quote_spanned};

use super::rules::Fault;
use crate::table::Table;

/// The `Self` of an impl.
pub struct Owner {
    ty: Type,
    is_generic: bool,
}

impl Owner {
    pub fn of(item: &ItemImpl) -> Self {
        Self {
            ty: (*item.self_ty).clone(),
            is_generic: !item.generics.params.is_empty(),
        }
    }
}

/// Makes the method assert that the layers of these fields do not keep their output.
// Output:
//     const _: () = ::core::assert!(
//         !::remat::inplace::keeps_output(|layers: &Block| &layers.exp),
//         "{}",
//         "`self.relu` would overwrite its input, but ..",
//     );
//
// An item cannot name the parameters of an impl. There it is `const { ::core::assert!(..) }`, with `Self`, which rustc
// evaluates when it builds the method and not when it only checks it.
pub fn write(table: &Table, owner: &Owner, open: &[Fault], function: &mut ImplItemFn) {
    let assertions = open.iter().map(|fault| {
        let (start, end) = ends(&fault.input);
        if owner.is_generic {
            let assertion = assertion(table, &quote!(Self), fault, start, end);
            parse_quote_spanned!(start=> const { #assertion };)
        } else {
            let assertion = assertion(table, &owner.ty, fault, start, end);
            parse_quote!(const _: () = #assertion;)
        }
    });
    function.block.stmts.splice(0..0, assertions);
}

/// Stands where the input is: rustc shows what lies between its first and its last token.
fn assertion(
    table: &Table,
    owner: &dyn ToTokens,
    fault: &Fault,
    start: Span,
    end: Span,
) -> TokenStream {
    let (krate, message, member) = (&table.krate, &fault.message, &fault.only_if);
    let keeps_output = quote_spanned! {start=>
        #krate::inplace::keeps_output(|layers: &#owner| &layers.#member)
    };
    let mut arguments = Group::new(
        proc_macro2::Delimiter::Parenthesis,
        quote_spanned!(start=> !#keeps_output, "{}", #message),
    );
    arguments.set_span(end);
    quote_spanned!(start=> ::core::assert!#arguments)
}

fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens
        .clone()
        .into_iter()
        .map(|tree: TokenTree| tree.span());
    let start = spans.next().unwrap_or_else(Span::call_site);
    (start, spans.last().unwrap_or(start))
}
