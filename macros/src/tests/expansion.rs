//! An expansion as text: the code as a person would write it, and the errors as rustc would show them.

use proc_macro2::{LineColumn, TokenStream, TokenTree};
use syn::{Item, MacroDelimiter, spanned::Spanned};

use super::hygiene;

pub fn render(source: &str, tokens: TokenStream) -> String {
    let (errors, code) = split_errors(tokens);
    let code = match syn::parse2::<syn::File>(code.clone()) {
        Ok(file) => {
            if errors.is_empty() {
                hygiene::check(source, &file);
            }
            prettyplease::unparse(&file)
        }
        // Input that does not parse is given back.
        Err(_) => format!("{code}\n"),
    };
    let errors: String = errors.iter().map(|error| show(source, error)).collect();
    format!("{code}{errors}")
}

/// The table in the output of `#[derive(Remat)]`: what stands in front of the `$` in the callback.
pub fn table(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let in_call = index > 1 && trees[index - 2].to_string() == "forward";
        if in_call {
            let before = group
                .stream()
                .into_iter()
                .take_while(|tree| tree.to_string() != "$");
            return before.collect();
        }
        let inner = table(group.stream());
        if !inner.is_empty() {
            return inner;
        }
    }
    TokenStream::new()
}

struct Reported {
    message: String,
    start: LineColumn,
    end: LineColumn,
}

/// The `compile_error!` calls at the end, and what comes before them.
fn split_errors(tokens: TokenStream) -> (Vec<Reported>, TokenStream) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    // `:: core :: compile_error ! { .. }`
    let is_error = |at: usize| {
        trees
            .get(at + 5)
            .is_some_and(|tree| tree.to_string() == "compile_error")
    };
    let first = (0..trees.len())
        .find(|at| is_error(*at))
        .unwrap_or(trees.len());
    let code = trees[..first].iter().cloned().collect();
    let errors: TokenStream = trees[first..].iter().cloned().collect();
    let errors = syn::parse2::<syn::File>(errors).expect("only errors follow an error");
    (errors.items.iter().map(reported).collect(), code)
}

fn reported(item: &Item) -> Reported {
    let Item::Macro(item) = item else {
        panic!("an error was expected")
    };
    let MacroDelimiter::Brace(brace) = &item.mac.delimiter else {
        panic!("braces were expected")
    };
    let message: syn::LitStr = item.mac.parse_body().expect("an error has a message");
    Reported {
        message: message.value(),
        start: item.mac.path.leading_colon.span().start(),
        end: brace.span.join().end(),
    }
}

fn show(source: &str, error: &Reported) -> String {
    let line = source.lines().nth(error.start.line - 1).unwrap_or_default();
    let end = if error.end.line == error.start.line {
        error.end.column
    } else {
        line.chars().count()
    };
    let indented = error.message.replace("\n\n", "\n  |\n  = ");
    let carets = "^".repeat(end.saturating_sub(error.start.column).max(1));
    format!(
        "\nerror: {}\n  |\n  | {line}\n  | {}{carets}\n",
        indented,
        " ".repeat(error.start.column),
    )
}
