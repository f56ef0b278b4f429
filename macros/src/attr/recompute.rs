//! `#[recompute(cheap)]` and `#[recompute(attention)]`.

use proc_macro2::TokenStream;
use syn::{Attribute, Path};

use super::{Options, RECOMPUTE, entries, flag, unknown};
use crate::{error::Errors, strategy::Strategy, syntax::show};

const CHEAP: &str = "cheap";
const ATTENTION: &str = "attention";
const DETERMINISTIC: &str = "deterministic";

const SYNTAX: &str = "expected `#[recompute(cheap)]` or `#[recompute(attention)]`";

pub fn read(original: &Attribute, errors: &mut Errors) -> (Strategy, Options) {
    let mut keys = Keys::default();
    entries(original, SYNTAX, errors, |key, value, errors| {
        keys.set(key, &value, errors);
    });
    keys.check(original, errors);
    let strategy = keys
        .layer
        .map_or(Strategy::Recompute, |(_, strategy)| strategy);
    let options = Options {
        deterministic: strategy == Strategy::Recompute && keys.deterministic.is_some(),
        ..Options::default()
    };
    (strategy, options)
}

/// The options so far.
#[derive(Default)]
struct Keys {
    /// What the layer is, and what that means.
    layer: Option<(Path, Strategy)>,
    deterministic: Option<Path>,
    /// Whether there was an option that is none.
    wrong: bool,
}

impl Keys {
    fn set(&mut self, key: Path, value: &TokenStream, errors: &mut Errors) {
        let name = show(&key);
        let right = match name.as_str() {
            // #[recompute(cheap)]
            CHEAP => self.layer(key, Strategy::Recompute, value, errors),
            // #[recompute(attention)]
            ATTENTION => self.layer(key, Strategy::RecomputeAttention, value, errors),
            // #[recompute(cheap, deterministic)]
            DETERMINISTIC => {
                let usage = "#[recompute(cheap, deterministic)]";
                flag::set(&mut self.deterministic, key, value, usage, errors)
            }
            _ => {
                let legal = [CHEAP, ATTENTION, DETERMINISTIC];
                errors.at(&key, &unknown(&key, "option", RECOMPUTE, &legal));
                false
            }
        };
        self.wrong |= !right;
    }

    fn layer(
        &mut self,
        key: Path,
        strategy: Strategy,
        value: &TokenStream,
        errors: &mut Errors,
    ) -> bool {
        let usage = format!("#[{}]", strategy.attribute());
        let right = flag::no_value(&key, value, &usage, errors);
        match &self.layer {
            Some((first, _)) => flag::exclusive(first, &key, "for different layers", errors),
            None => self.layer = Some((key, strategy)),
        }
        right
    }

    /// `deterministic` is about a layer that runs again with what it has drawn at random.
    fn check(&self, original: &Attribute, errors: &mut Errors) {
        let Some(deterministic) = &self.deterministic else {
            return;
        };
        match &self.layer {
            Some((_, Strategy::RecomputeAttention)) => errors.at(
                deterministic,
                &"`recompute(attention)` draws its dropout by itself\n\nhelp: remove `deterministic`",
            ),
            None if !self.wrong => errors.at(
                &original.meta,
                &"say that the layer is cheap to run again: `#[recompute(cheap)]`",
            ),
            _ => {}
        }
    }
}
