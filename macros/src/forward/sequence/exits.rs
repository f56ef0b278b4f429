//! Ways out of a loop's body, other than its end.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Block, ExprAsync, ExprAwait, ExprBlock, ExprBreak, ExprClosure, ExprContinue, ExprForLoop,
    ExprLoop, ExprReturn, ExprTry, ExprWhile, Item, Label, Lifetime,
    visit::{self, Visit},
};

/// A way out: its tokens, and the word for it.
pub struct Exit {
    pub tokens: TokenStream,
    pub word: &'static str,
}

/// The exits of a loop's body, in order.
pub fn exits(body: &Block) -> Vec<Exit> {
    let mut search = Search::default();
    search.visit_block(body);
    search.found
}

/// Goes through everything but closures, `async` blocks and items, which have ways out of their own.
#[derive(Default)]
struct Search {
    found: Vec<Exit>,
    /// The loops inside of the body around the expression.
    loops: usize,
    /// The labels inside of the body around the expression.
    labels: Vec<Lifetime>,
}

impl Search {
    fn exit(&mut self, tokens: &dyn ToTokens, word: &'static str) {
        self.found.push(Exit {
            tokens: tokens.to_token_stream(),
            word,
        });
    }

    /// `break` and `continue`, with the label they name.
    fn jump(&mut self, label: Option<&Lifetime>, tokens: &dyn ToTokens, word: &'static str) {
        let stays = match label {
            Some(label) => self.labels.contains(label),
            None => self.loops > 0,
        };
        if !stays {
            self.exit(tokens, word);
        }
    }

    fn inside(&mut self, label: Option<&Label>, is_loop: bool, body: &Block) {
        self.labels.extend(label.map(|label| label.name.clone()));
        self.loops += usize::from(is_loop);
        self.visit_block(body);
        self.loops -= usize::from(is_loop);
        if label.is_some() {
            self.labels.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Search {
    fn visit_expr_return(&mut self, exit: &'ast ExprReturn) {
        self.exit(&exit.return_token, "return");
        visit::visit_expr_return(self, exit);
    }

    fn visit_expr_try(&mut self, attempt: &'ast ExprTry) {
        visit::visit_expr_try(self, attempt);
        self.exit(&attempt.question_token, "?");
    }

    fn visit_expr_await(&mut self, wait: &'ast ExprAwait) {
        visit::visit_expr_await(self, wait);
        self.exit(&wait.await_token, ".await");
    }

    fn visit_expr_break(&mut self, exit: &'ast ExprBreak) {
        self.jump(exit.label.as_ref(), &exit.break_token, "break");
        visit::visit_expr_break(self, exit);
    }

    fn visit_expr_continue(&mut self, exit: &'ast ExprContinue) {
        self.jump(exit.label.as_ref(), &exit.continue_token, "continue");
    }

    fn visit_expr_for_loop(&mut self, each: &'ast ExprForLoop) {
        self.visit_expr(&each.expr);
        self.inside(each.label.as_ref(), true, &each.body);
    }

    fn visit_expr_while(&mut self, each: &'ast ExprWhile) {
        self.visit_expr(&each.cond);
        self.inside(each.label.as_ref(), true, &each.body);
    }

    fn visit_expr_loop(&mut self, each: &'ast ExprLoop) {
        self.inside(each.label.as_ref(), true, &each.body);
    }

    fn visit_expr_block(&mut self, block: &'ast ExprBlock) {
        self.inside(block.label.as_ref(), false, &block.block);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}
