//! Where the flow parts and meets: branches, closures, and ends.

use quote::ToTokens;
use syn::{Block, Expr, ExprClosure, ExprIf, ExprMatch, Local, Stmt, spanned::Spanned};

use super::{
    Flow,
    state::{Who, join},
    value::Value,
};

impl Flow<'_> {
    pub fn control(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Block(block) if block.label.is_some() => {
                self.labelled(&block.block, block.label.as_ref())
            }
            Expr::Block(block) => self.block(&block.block),
            Expr::Unsafe(block) => self.block(&block.block),
            Expr::If(branch) => self.branch(branch),
            Expr::Match(matched) => self.matched(matched),
            Expr::Let(condition) => {
                let value = self.expr(&condition.expr);
                self.bind(&condition.pat, value);
                Value::NOTHING
            }
            Expr::Loop(looped) => self.looped(looped.label.as_ref(), |flow| {
                flow.block(&looped.body);
                None
            }),
            Expr::While(looped) => self.looped(looped.label.as_ref(), |flow| {
                let depth = flow.scopes.depth();
                flow.scoped(|flow| {
                    flow.expr(&looped.cond);
                    let mut ended = flow.state.clone();
                    if let Some(ended) = &mut ended {
                        ended.leave(flow.scopes.inside(depth));
                    }
                    flow.block(&looped.body);
                    ended
                })
            }),
            Expr::ForLoop(looped) => {
                let items = self.expr(&looped.expr);
                self.wait(items);
                self.looped(looped.label.as_ref(), |flow| {
                    let ended = flow.state.clone();
                    let items = flow.go_on();
                    flow.wait(items.clone());
                    flow.scoped(|flow| {
                        let item = flow.element(&items, &*looped.pat);
                        flow.bind(&looped.pat, item);
                        flow.block(&looped.body);
                    });
                    ended
                });
                self.go_on();
                Value::NOTHING
            }
            Expr::Break(end) => {
                let value = end
                    .expr
                    .as_ref()
                    .map_or(Value::NOTHING, |expr| self.expr(expr));
                self.jump(end.label.as_ref(), false, value)
            }
            Expr::Continue(end) => self.jump(end.label.as_ref(), true, Value::NOTHING),
            Expr::Return(end) => {
                if let Some(expr) = &end.expr {
                    self.expr(expr);
                }
                self.state = None;
                Value::NOTHING
            }
            Expr::Try(attempt) => {
                let value = self.expr(&attempt.expr);
                match &value {
                    Value::Parts(parts) if parts.len() == 1 => value.part("0"),
                    _ => value,
                }
            }
            Expr::Assign(assign) => {
                let value = self.expr(&assign.right);
                match self.place(&assign.left) {
                    Some(place) => self.put(&place, value),
                    None => self.assigned(&assign.left, &value),
                }
                Value::NOTHING
            }
            Expr::Closure(closure) => {
                self.closure(closure);
                Value::NOTHING
            }
            Expr::Async(block) => {
                self.mentioned(
                    block.block.to_token_stream(),
                    Who::Closure,
                    "async",
                    block.span(),
                );
                self.apart(|flow| flow.block(&block.block));
                Value::NOTHING
            }
            Expr::Await(awaited) => self.expr(&awaited.base).whole(),
            _ => Value::NOTHING,
        }
    }

    pub fn block(&mut self, block: &Block) -> Value {
        self.scoped(|flow| {
            let mut last = Value::NOTHING;
            for stmt in &block.stmts {
                last = match stmt {
                    Stmt::Local(local) => flow.local(local),
                    Stmt::Expr(expr, None) => flow.expr(expr),
                    Stmt::Expr(expr, Some(_)) => {
                        flow.expr(expr);
                        Value::NOTHING
                    }
                    Stmt::Macro(mac) if mac.semi_token.is_none() => flow.macro_call(&mac.mac),
                    Stmt::Macro(mac) => {
                        flow.macro_call(&mac.mac);
                        Value::NOTHING
                    }
                    Stmt::Item(_) => Value::NOTHING,
                };
            }
            last
        })
    }

    fn local(&mut self, local: &Local) -> Value {
        let value = match &local.init {
            Some(init) => {
                let value = self.expr(&init.expr);
                // What nothing binds stays where it is.
                if let Some(place) = self.place(&init.expr) {
                    let left = super::pattern::left(&local.pat, &value);
                    if !left.is_nothing() {
                        self.put(&place, left);
                    }
                }
                if let Some((_, otherwise)) = &init.diverge {
                    let here = self.state.clone();
                    self.expr(otherwise);
                    self.state = here;
                }
                value
            }
            None => Value::NOTHING,
        };
        self.bind(&local.pat, value);
        Value::NOTHING
    }

    /// Both ways, from here. `f` goes the first one.
    fn either<T>(
        &mut self,
        first: impl FnOnce(&mut Self) -> T,
        second: impl FnOnce(&mut Self) -> T,
    ) -> (T, T) {
        let here = self.state.clone();
        let one = first(self);
        let after = std::mem::replace(&mut self.state, here);
        let other = second(self);
        self.state = join(after, self.state.take());
        (one, other)
    }

    /// `&&`, `||`: the second one may not be evaluated.
    pub fn lazily(&mut self, left: &Expr, right: &Expr) -> Value {
        self.expr(left);
        self.either(
            |flow| {
                flow.expr(right);
            },
            |_| {},
        );
        Value::NOTHING
    }

    fn branch(&mut self, branch: &ExprIf) -> Value {
        self.scoped(|flow| {
            let before = flow.state.clone();
            flow.condition(&branch.cond);
            let (one, other) = flow.either(
                |flow| flow.block(&branch.then_branch),
                |flow| {
                    // What a pattern would have taken may still be there.
                    flow.state = join(before, flow.state.take());
                    match &branch.else_branch {
                        Some((_, otherwise)) => flow.expr(otherwise),
                        None => Value::NOTHING,
                    }
                },
            );
            one.join(other)
        })
    }

    /// All of `a && let Some(b) = c` holds where the block begins.
    fn condition(&mut self, expr: &Expr) {
        match crate::syntax::peel(expr) {
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                self.condition(&binary.left);
                self.condition(&binary.right);
            }
            other => {
                self.expr(other);
            }
        }
    }

    fn matched(&mut self, matched: &ExprMatch) -> Value {
        let place = self.place(&matched.expr);
        let value = match &place {
            Some(place) => self.look(place),
            None => self.expr(&matched.expr),
        };
        self.wait(if place.is_some() {
            Value::NOTHING
        } else {
            value.clone()
        });
        let (mut after, mut result) = (None, Value::NOTHING);
        let before = self.state.clone();
        for arm in &matched.arms {
            self.state.clone_from(&before);
            // Out of a temporary, the pattern takes what it binds.
            self.go_on();
            self.wait(match &place {
                Some(_) => Value::NOTHING,
                None => super::pattern::left(&arm.pat, &value),
            });
            let given = self.scoped(|flow| {
                if let Some(place) = &place
                    && super::pattern::takes(&arm.pat)
                    && flow.lent_by(&value).is_none()
                {
                    flow.put(place, super::pattern::left(&arm.pat, &value));
                }
                flow.bind(&arm.pat, value.clone());
                flow.expr(&arm.body)
            });
            after = join(after, self.state.take());
            result = result.join(given);
        }
        self.state = after;
        self.go_on();
        result
    }

    /// A closure may run at any time, or never: what it names is held, and its body is a method of its own.
    pub fn closure(&mut self, closure: &ExprClosure) {
        let body = closure.body.to_token_stream();
        self.mentioned(body, Who::Closure, "the closure", closure.span());
        self.apart(|flow| {
            for input in &closure.inputs {
                let value = flow.make(input);
                flow.bind(input, value);
            }
            flow.expr(&closure.body)
        });
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
