//! The attribute itself: which struct is it for?

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Generics, Path, PathArguments, Token, Type, Visibility, custom_keyword,
    parse::{Parse, ParseStream, Parser},
};

use crate::{error::Errors, syntax::peel_type, table::callback};

const NOT_AN_IMPL: &str = "`#[remat::forward]` belongs on the `impl` of a struct with `#[derive(Remat)]`; \
    it applies to every method in it";

/// Hands the impl to the callback of its struct; with errors, gives the item back as well.
pub fn attribute(args: &TokenStream, item: TokenStream) -> TokenStream {
    let (output, errors) = Errors::collect(|errors| {
        if !args.is_empty() {
            errors.at(
                args,
                &"`#[remat::forward]` takes no arguments: strategies are annotations of the struct's fields",
            );
        }
        hand_over(item, errors)
    });
    quote!(#output #errors)
}

// Input:
//     impl<B: Bound> model::Block<B> { .. }
//
// Output:
//     model::Block_with_derive_Remat! { impl<B: Bound> model::Block<B> { .. } }
fn hand_over(item: TokenStream, errors: &mut Errors) -> TokenStream {
    let header = Parser::parse2(
        |input: ParseStream| {
            let header = input.parse::<Header>();
            // The body is for later: it need not parse here.
            input.parse::<TokenStream>().and(header)
        },
        item.clone(),
    );
    match header.and_then(|header| header.callback()) {
        Ok(path) => quote!(#path! { #item }),
        Err(error) => {
            errors.push(error);
            item
        }
    }
}

custom_keyword!(default);

/// An impl up to its body.
struct Header {
    self_ty: Type,
}

impl Parse for Header {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        let start = input.fork();
        input.parse::<Visibility>()?;
        input.parse::<Option<default>>()?;
        input.parse::<Option<Token![unsafe]>>()?;
        if !input.peek(Token![impl]) {
            return Err(not_an_impl(&start));
        }
        input.parse::<Token![impl]>()?;
        if input.peek(Token![<]) {
            input.parse::<Generics>()?;
        }
        input.parse::<Option<Token![const]>>()?;
        input.parse::<Option<Token![!]>>()?;
        let mut self_ty = input.parse::<Type>()?;
        if input.parse::<Option<Token![for]>>()?.is_some() {
            self_ty = input.parse()?;
        }
        Ok(Self { self_ty })
    }
}

/// The error at the name of the item, such as `forward` of `pub fn forward()`, or at its first token.
fn not_an_impl(item: ParseStream) -> syn::Error {
    let ahead = item.fork();
    let named = ahead
        .parse::<syn::Item>()
        .ok()
        .and_then(|item| item_name(&item));
    match named {
        Some(name) => syn::Error::new_spanned(name, NOT_AN_IMPL),
        None => item.error(NOT_AN_IMPL),
    }
}

fn item_name(item: &syn::Item) -> Option<syn::Ident> {
    let name = match item {
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Mod(item) => &item.ident,
        _ => return None,
    };
    Some(name.clone())
}

impl Header {
    /// The path of the struct's callback: beside the struct, whatever its generics.
    fn callback(&self) -> syn::Result<Path> {
        let not_a_path = || syn::Error::new_spanned(self.self_ty.to_token_stream(), NOT_AN_IMPL);
        let Type::Path(ty) = peel_type(&self.self_ty) else {
            return Err(not_a_path());
        };
        if ty.qself.is_some() {
            return Err(not_a_path());
        }
        let mut path = ty.path.clone();
        for segment in &mut path.segments {
            segment.arguments = PathArguments::None;
        }
        let last = path.segments.last_mut().ok_or_else(not_a_path)?;
        last.ident = callback(&last.ident);
        Ok(path)
    }
}
