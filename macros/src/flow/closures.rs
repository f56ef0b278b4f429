//! Code that runs some other time.

use quote::ToTokens;
use syn::{ExprAsync, ExprClosure, spanned::Spanned};

use super::{Flow, state::Who, value::Value};

impl Flow<'_> {
    /// A closure may run at any time, or never: what it names is held, and its body is a method of its own. It has what it
    /// names.
    pub fn closure(&mut self, closure: &ExprClosure) -> Value {
        let named = self.named_in(closure.body.to_token_stream());
        self.hold(&named, Who::Closure, "the closure", closure.span());
        self.apart(|flow| {
            for input in &closure.inputs {
                let value = flow.make(input);
                flow.bind(input, value);
            }
            flow.statement(|flow| flow.expr(&closure.body))
        });
        named
    }

    /// So may an `async` block.
    pub fn future(&mut self, block: &ExprAsync) -> Value {
        let named = self.named_in(block.block.to_token_stream());
        self.hold(&named, Who::Future, "", block.span());
        self.apart(|flow| flow.block(&block.block));
        named
    }

    /// Runs `f` as code that runs some other time.
    fn apart<T>(&mut self, f: impl FnOnce(&mut Self) -> T) {
        let here = self.state.clone();
        let targets = std::mem::take(&mut self.targets);
        self.scoped(f);
        self.targets = targets;
        self.state = here;
    }
}
