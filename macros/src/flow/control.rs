//! Where the flow parts and meets: branches, closures, and ends.

use syn::{Block, Expr, ExprIf, ExprMatch, Local, Stmt};

use super::{
    Flow,
    pattern::left,
    state::{Who, join},
    value::Value,
};
use crate::syntax::peel;

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
                if let Some(place) = self.place(&condition.expr) {
                    self.bind_place(&condition.pat, &place);
                } else {
                    let value = self.expr(&condition.expr);
                    // What the pattern does not take is there until the statement ends.
                    self.temporary(&condition.expr, &left(&condition.pat, &value));
                    self.bind(&condition.pat, value);
                }
                Value::NOTHING
            }
            Expr::Loop(looped) => self.looped(looped.label.as_ref(), |flow| {
                flow.block(&looped.body);
                None
            }),
            Expr::While(looped) => self.looped(looped.label.as_ref(), |flow| {
                let depth = flow.scopes.depth();
                let round = |flow: &mut Self| {
                    flow.condition_statement(&looped.cond);
                    let mut ended = flow.state.clone();
                    if let Some(ended) = &mut ended {
                        ended.leave(flow.scopes.inside(depth));
                    }
                    flow.block(&looped.body);
                    ended
                };
                flow.statement(|flow| flow.scoped(round))
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
                // An `_` does not move what is in a place. Of a tuple, it may be any part.
                let value = match self.place(&assign.right) {
                    Some(place) if leaves(&assign.left) => self.look(&place),
                    _ => self.expr(&assign.right),
                };
                self.assigned(&assign.left, &value);
                Value::NOTHING
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Async(block) => self.future(block),
            Expr::Await(awaited) => self.expr(&awaited.base).whole(),
            _ => Value::NOTHING,
        }
    }

    pub fn block(&mut self, block: &Block) -> Value {
        self.scoped(|flow| {
            let mut last = Value::NOTHING;
            for stmt in &block.stmts {
                last = flow.statement(|flow| match stmt {
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
                });
            }
            last
        })
    }

    fn local(&mut self, local: &Local) -> Value {
        let Some(init) = &local.init else {
            self.bind(&local.pat, Value::NOTHING);
            return Value::NOTHING;
        };
        let place = self.place(&init.expr);
        // A number of the module's is copied.
        let place = place.filter(|place| {
            !matches!(peel(&init.expr), Expr::Field(_))
                || self.lent_by(&self.look(place)) != Some(Who::Module)
        });
        let value = match &place {
            Some(_) => Value::NOTHING,
            None => self.expr(&init.expr),
        };
        if let Some((_, otherwise)) = &init.diverge {
            let here = self.state.clone();
            self.expr(otherwise);
            self.state = here;
        }
        match place {
            Some(place) => self.bind_place(&local.pat, &place),
            None => self.bind(&local.pat, value),
        }
        Value::NOTHING
    }

    /// Both ways, from here.
    fn either(
        &mut self,
        first: impl FnOnce(&mut Self) -> Value,
        second: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let here = self.state.clone();
        let one = first(self);
        let after = std::mem::replace(&mut self.state, here);
        let other = second(self);
        self.state = join((after, &one), (self.state.take(), &other));
        one.join(other)
    }

    /// `&&`, `||`: the second one may not be evaluated.
    pub fn lazily(&mut self, left: &Expr, right: &Expr) -> Value {
        self.expr(left);
        self.either(|flow| flow.expr(right), |_| Value::NOTHING);
        Value::NOTHING
    }

    fn branch(&mut self, branch: &ExprIf) -> Value {
        self.scoped(|flow| {
            let before = flow.state.clone();
            flow.condition_statement(&branch.cond);
            flow.either(
                |flow| flow.block(&branch.then_branch),
                |flow| {
                    // What a pattern would have taken may still be there.
                    let (before, after) = (before, flow.state.take());
                    flow.state = join((before, &Value::NOTHING), (after, &Value::NOTHING));
                    match &branch.else_branch {
                        Some((_, otherwise)) => flow.expr(otherwise),
                        None => Value::NOTHING,
                    }
                },
            )
        })
    }

    /// The temporaries of a condition are dropped before the block, unless it binds a pattern.
    fn condition_statement(&mut self, expr: &Expr) {
        if binds(expr) {
            self.condition(expr);
        } else {
            self.statement(|flow| flow.condition(expr));
        }
    }

    /// All of `a && let Some(b) = c` holds where the block begins.
    fn condition(&mut self, expr: &Expr) {
        match peel(expr) {
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
            Some(_) => Value::NOTHING,
            None => self.expr(&matched.expr),
        };
        self.wait(value.clone());
        let (mut after, mut result) = (None, Value::NOTHING);
        let before = self.state.clone();
        for arm in &matched.arms {
            self.state.clone_from(&before);
            // Out of a temporary, the pattern takes what it binds.
            self.go_on();
            self.wait(match &place {
                Some(_) => Value::NOTHING,
                None => left(&arm.pat, &value),
            });
            let given = self.scoped(|flow| {
                match &place {
                    Some(place) => flow.bind_place(&arm.pat, place),
                    None => flow.bind(&arm.pat, value.clone()),
                }
                flow.expr(&arm.body)
            });
            after = join((after, &result), (self.state.take(), &given));
            result = result.join(given);
        }
        self.state = after;
        self.go_on();
        result
    }
}

/// Whether a condition binds a pattern.
fn binds(condition: &Expr) -> bool {
    match peel(condition) {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

/// Whether an assignment leaves something where it is: `_ = x`, `(a, _) = pair`.
fn leaves(left: &Expr) -> bool {
    match peel(left) {
        Expr::Infer(_) | Expr::Range(_) => true,
        Expr::Tuple(tuple) => tuple.elems.iter().any(leaves),
        Expr::Array(array) => array.elems.iter().any(leaves),
        Expr::Call(call) => call.args.iter().any(leaves),
        Expr::Struct(literal) => {
            literal.dot2_token.is_some() || literal.fields.iter().any(|field| leaves(&field.expr))
        }
        _ => false,
    }
}
