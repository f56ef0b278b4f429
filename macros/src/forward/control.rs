//! Blocks, branches, loops, closures: what opens a scope or leaves it.

use quote::ToTokens;
use syn::{
    Arm, Block, Expr, ExprClosure, ExprIf, ExprMatch, ExprWhile, Local, Macro, Stmt, Token,
    spanned::Spanned,
};

use super::{escape::Escape, sequence::ends_itself, value::Value, walk::Walk};
use crate::syntax::last_name;

impl Walk<'_> {
    /// The expressions that [`Walk::expr`] leaves: those with control flow, and those that only use their operands.
    pub fn control(&mut self, expr: &mut Expr) -> Value {
        match expr {
            // A `break` out of the block is not the end.
            Expr::Block(block) if block.label.is_some() => self.block(&mut block.block).finished(),
            Expr::Block(block) => self.block(&mut block.block),
            Expr::Unsafe(block) => self.block(&mut block.block),
            Expr::If(branch) => self.branch(branch),
            Expr::Match(choice) => self.choice(choice),
            Expr::ForLoop(_) => self.for_loop(expr),
            Expr::While(each) => self.while_loop(each),
            Expr::Loop(each) => {
                self.repeated(&Value::Other, |walk| walk.block(&mut each.body));
                Value::Other
            }
            Expr::Let(test) => {
                let value = self.expr(&mut test.expr);
                self.bind(&mut test.pat, value, true);
                Value::Other
            }
            Expr::Closure(closure) => {
                let value = self.closure(closure, &Value::Other);
                self.escape(&value, &Escape::Closure);
                Value::Other
            }
            Expr::Async(block) => {
                self.within_async(Some(block.async_token), |walk| {
                    let value = walk.block(&mut block.block);
                    walk.returned(&value);
                });
                Value::Other
            }
            Expr::TryBlock(block) => {
                let value = self.block(&mut block.block);
                self.escape(&value, &Escape::Break);
                Value::Other
            }
            Expr::Assign(assign) => self.assign(assign),
            Expr::Return(exit) => self.exit(exit.expr.as_deref_mut(), &Escape::Return),
            Expr::Break(exit) => self.exit(exit.expr.as_deref_mut(), &Escape::Break),
            Expr::Continue(_) => Value::Never,
            Expr::Yield(exit) => self
                .exit(exit.expr.as_deref_mut(), &Escape::Return)
                .forgotten(),
            _ => self.operands(expr),
        }
    }

    /// The expressions that use up their operands.
    fn operands(&mut self, expr: &mut Expr) -> Value {
        match expr {
            Expr::Binary(binary) => {
                self.expr(&mut binary.left);
                self.expr(&mut binary.right);
                self.compound(binary);
            }
            Expr::Range(range) => {
                for end in [&mut range.start, &mut range.end].into_iter().flatten() {
                    self.expr(end);
                }
            }
            Expr::Await(wait) => {
                self.expr(&mut wait.base);
            }
            // A constant block cannot name a variable.
            Expr::Lit(_) | Expr::Infer(_) | Expr::Const(_) => {}
            // Syntax that this version does not know is read like a macro call.
            unknown => self.scan_unknown(&unknown.to_token_stream()),
        }
        Value::Other
    }

    pub fn block(&mut self, block: &mut Block) -> Value {
        self.scopes.open();
        let mut value = Value::Other;
        let mut diverges = false;
        for index in 0..block.stmts.len() {
            self.enter_statement(&block.stmts[index + 1..]);
            value = self.statement(&mut block.stmts[index]);
            self.leave_statement();
            diverges |= matches!(value, Value::Never);
        }
        self.scopes.close();
        if diverges && !value.is_followed() {
            Value::Never
        } else {
            value
        }
    }

    fn statement(&mut self, statement: &mut Stmt) -> Value {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expr, semi @ None) => {
                let is_loop = matches!(expr, Expr::ForLoop(_));
                let value = self.expr(expr);
                // A loop stands without one; what it becomes does not.
                if is_loop && !ends_itself(expr) {
                    *semi = Some(Token![;](expr.span()));
                }
                value
            }
            Stmt::Expr(expr, Some(_)) => self.expr(expr).forgotten(),
            Stmt::Macro(call) => self.macro_call(&call.mac),
            // Items see no local variables and have a `self` of their own.
            Stmt::Item(_) => Value::Other,
        }
    }

    fn local(&mut self, local: &mut Local) -> Value {
        let Some(init) = &mut local.init else {
            self.bind(&mut local.pat, Value::Other, false);
            return Value::Other;
        };
        let value = self.expr(&mut init.expr);
        if let Some((_, otherwise)) = &mut init.diverge {
            self.expr(otherwise);
        }
        let result = value.clone().forgotten();
        self.bind(&mut local.pat, value, init.diverge.is_some());
        result
    }

    fn branch(&mut self, branch: &mut ExprIf) -> Value {
        // The bindings of the condition end with the first block.
        self.scopes.open();
        self.expr(&mut branch.cond);
        let then = self.block(&mut branch.then_branch);
        self.scopes.close();
        match &mut branch.else_branch {
            Some((_, otherwise)) => {
                let otherwise = self.expr(otherwise);
                self.join(vec![then, otherwise])
            }
            None => Value::Other,
        }
    }

    fn choice(&mut self, choice: &mut ExprMatch) -> Value {
        let value = self.expr(&mut choice.expr);
        let values = choice
            .arms
            .iter_mut()
            .map(|arm| self.arm(arm, value.clone()))
            .collect();
        self.join(values)
    }

    fn arm(&mut self, arm: &mut Arm, value: Value) -> Value {
        self.scopes.open();
        self.bind(&mut arm.pat, value, true);
        let result = self.expr(&mut arm.body);
        self.scopes.close();
        result
    }

    /// The value of branches: what those that come to an end agree on.
    fn join(&mut self, mut values: Vec<Value>) -> Value {
        values.retain(|value| !matches!(value, Value::Never));
        let Some(first) = values.first().cloned() else {
            return Value::Never;
        };
        if values.iter().all(|value| value.same(&first)) {
            return first;
        }
        self.escape_all(&values, &Escape::Branch);
        let derived = values
            .into_iter()
            .find(|value| matches!(value, Value::Derived(_)));
        derived.unwrap_or(Value::Other)
    }

    fn while_loop(&mut self, each: &mut ExprWhile) -> Value {
        self.scopes.open();
        self.repeated(&Value::Other, |walk| {
            walk.expr(&mut each.cond);
            walk.block(&mut each.body)
        });
        self.scopes.close();
        Value::Other
    }

    /// A closure whose last parameter is bound to `last`; gives the value of its body.
    pub fn closure(&mut self, closure: &mut ExprClosure, last: &Value) -> Value {
        self.scopes.open();
        let mut parameters = closure.inputs.iter_mut().peekable();
        while let Some(parameter) = parameters.next() {
            let is_last = parameters.peek().is_none();
            let value = if is_last { last } else { &Value::Other };
            self.bind(parameter, value.clone(), false);
        }
        let mut value = Value::Other;
        self.within_async(closure.asyncness, |walk| {
            value = walk.repeated(last, |walk| walk.expr(&mut closure.body));
        });
        self.scopes.close();
        value.finished()
    }

    fn exit(&mut self, value: Option<&mut Expr>, escape: &Escape) -> Value {
        if let Some(value) = value {
            self.expr_into(value, escape);
        }
        Value::Never
    }

    /// The value of a method's body.
    pub fn returned(&mut self, value: &Value) {
        self.escape(value, &Escape::Return);
    }

    /// Walks `f` inside an `async`, if there is one.
    pub fn within_async(&mut self, token: Option<Token![async]>, f: impl FnOnce(&mut Self)) {
        let depth = self.asyncs.len();
        self.asyncs.extend(token.map(|token| (token, false)));
        f(self);
        self.asyncs.truncate(depth);
    }

    /// Looks into the tokens of a macro call.
    pub fn macro_call(&mut self, mac: &Macro) -> Value {
        self.scan(mac);
        match last_name(&mac.path).as_str() {
            "panic" | "unreachable" | "todo" | "unimplemented" | "bail" => Value::Never,
            _ => Value::Other,
        }
    }
}

impl Value {
    /// The value in front of a semicolon.
    fn forgotten(self) -> Self {
        match self {
            Self::Never => Self::Never,
            _ => Self::Other,
        }
    }

    /// What a closure or a labelled block with this body gives.
    fn finished(self) -> Self {
        match self {
            Self::Never => Self::Other,
            value => value,
        }
    }

    /// `value?`, and what `unwrap` gives.
    pub fn unwrapped(self) -> Self {
        match self {
            Self::Items(item) => *item,
            value => value,
        }
    }
}
