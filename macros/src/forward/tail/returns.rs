//! What a method without its tail returns: tensors, whether they were computed or not.

use syn::{
    Block, Expr, ExprAsync, ExprClosure, ExprReturn, Item, Path, Stmt,
    spanned::Spanned,
    visit_mut::{self, VisitMut},
};

use super::super::build::{self, runtime};
use crate::syntax::last_name;

// Input:
//     if self.early {
//         return self.down.forward(x);
//     }
//     x + h
//
// Output:
//     if self.early {
//         return ::remat::returned(self.down.forward(x));
//     }
//     ::remat::returned(x + h)
pub fn wrap(krate: &Path, body: &mut Block) {
    let mut wrap = Wrap { krate };
    wrap.visit_block_mut(body);
    wrap.block(body);
}

struct Wrap<'a> {
    krate: &'a Path,
}

impl Wrap<'_> {
    fn block(&self, block: &mut Block) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.value(last);
        }
    }

    /// A returned expression: where branches give it, each of them may be of another type.
    fn value(&self, expr: &mut Expr) {
        match expr {
            Expr::Block(block) if block.label.is_none() => self.block(&mut block.block),
            Expr::Unsafe(block) => self.block(&mut block.block),
            Expr::If(branch) => {
                self.block(&mut branch.then_branch);
                if let Some((_, otherwise)) = &mut branch.else_branch {
                    self.value(otherwise);
                }
            }
            Expr::Match(choice) => {
                for arm in &mut choice.arms {
                    self.value(&mut arm.body);
                }
            }
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Loop(_) => {}
            Expr::Macro(call)
                if matches!(
                    last_name(&call.mac.path).as_str(),
                    "panic" | "todo" | "unreachable" | "unimplemented"
                ) => {}
            value => {
                let place = value.span();
                let function = runtime(self.krate, "returned", place);
                *value = build::call(function, [value.clone()], place);
            }
        }
    }
}

impl VisitMut for Wrap<'_> {
    fn visit_expr_return_mut(&mut self, exit: &mut ExprReturn) {
        visit_mut::visit_expr_return_mut(self, exit);
        if let Some(value) = &mut exit.expr {
            self.value(value);
        }
    }

    // These return for themselves.
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
