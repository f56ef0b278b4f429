//! Programs that rustc would take: nothing is used after it has moved.

use super::grammar::{Operand, Operation, Program, Statement};

/// Something that can be used.
#[derive(Clone, PartialEq)]
struct Variable {
    name: String,
    /// In how many loops it was declared.
    depth: usize,
    is_list: bool,
}

impl From<Vec<u32>> for Program {
    fn from(choices: Vec<u32>) -> Self {
        let argument = |name: &str| Variable {
            name: name.to_string(),
            depth: 0,
            is_list: false,
        };
        let mut builder = Builder {
            choices: choices.into_iter(),
            alive: vec![argument("x"), argument("y")],
            depth: 0,
            names: 0,
        };
        Self(builder.statements(12))
    }
}

struct Builder {
    choices: std::vec::IntoIter<u32>,
    alive: Vec<Variable>,
    /// How many loops there are around.
    depth: usize,
    names: usize,
}

impl Builder {
    fn choose(&mut self, of: usize) -> Option<usize> {
        self.choices.next().map(|choice| choice as usize % of)
    }

    /// A tensor or a list that can be used, the newest one more often: what was just made is of interest.
    fn pick(&mut self, is_list: bool) -> Option<Variable> {
        let is_one = |variable: &&Variable| variable.is_list == is_list;
        let count = self.alive.iter().filter(is_one).count();
        let index = self.choose(2 * count.max(1))?;
        let newest = count.saturating_sub(1);
        self.alive
            .iter()
            .filter(is_one)
            .nth(index.min(newest))
            .cloned()
    }

    fn statements(&mut self, most: usize) -> Vec<Statement> {
        let count = self.choose(most).map_or(0, |count| count + 1);
        let mut statements = Vec::new();
        for _ in 0..count {
            let Some(statement) = self.statement() else {
                break;
            };
            let ends = statement.is_jump();
            statements.push(statement);
            if ends {
                break;
            }
        }
        statements
    }

    fn statement(&mut self) -> Option<Statement> {
        Some(match self.choose(24)? {
            0 | 1 => self.branch(),
            2 if self.depth < 2 => Statement::Loop(self.body()),
            3 if self.depth < 2 => self.each()?,
            4 => Statement::Block(self.inner()),
            5 => self.dropped()?,
            6..=8 => self.assigned()?,
            9 => Statement::Look(self.pick(false)?.name),
            10 => Statement::Forget(self.forgotten()?),
            11..=13 => self.list()?,
            14 | 15 => self.replaced()?,
            16 => match self.pick(true) {
                Some(list) => Statement::Push(list.name, self.operation(None)?),
                None => self.list()?,
            },
            17 if self.depth > 0 => Statement::Break,
            18 if self.depth > 0 => Statement::Continue,
            _ => self.declared()?,
        })
    }

    fn branch(&mut self) -> Statement {
        let before = self.alive.clone();
        let first = self.inner();
        let after_first = std::mem::replace(&mut self.alive, before);
        let second = self.inner();
        // What one of them has moved is gone.
        self.alive.retain(|variable| after_first.contains(variable));
        Statement::If(first, second)
    }

    fn body(&mut self) -> Vec<Statement> {
        self.depth += 1;
        let body = self.inner();
        self.depth -= 1;
        body
    }

    fn each(&mut self) -> Option<Statement> {
        let list = match self.pick(true) {
            Some(list) if self.can_move(&list) => list,
            _ => return self.list(),
        };
        self.remove(&list.name);
        let item = self.fresh();
        self.depth += 1;
        self.declare(&item, false);
        let body = self.inner();
        self.depth -= 1;
        self.remove(&item);
        Some(Statement::Each(item, list.name, body))
    }

    fn dropped(&mut self) -> Option<Statement> {
        let is_list = self.choose(3)? == 0 && self.alive.iter().any(|variable| variable.is_list);
        let variable = self.pick(is_list)?;
        if !self.can_move(&variable) {
            return Some(Statement::Block(Vec::new()));
        }
        self.remove(&variable.name);
        Some(Statement::Drop(variable.name))
    }

    fn assigned(&mut self) -> Option<Statement> {
        let variable = self.pick(false)?;
        let operation = self.operation(Some(&variable.name));
        // It is there again, if it was moved.
        self.remove(&variable.name);
        self.alive.push(variable.clone());
        Some(Statement::Assign(variable.name, operation?))
    }

    /// `let _ = x;` would not move it.
    fn forgotten(&mut self) -> Option<Operation> {
        Some(match self.operation(None)? {
            Operation::Handle(one) => Operation::Handle(Operand {
                cloned: true,
                ..one
            }),
            operation => operation,
        })
    }

    fn list(&mut self) -> Option<Statement> {
        let count = self.choose(3)? + 1;
        let operands: Option<Vec<Operand>> = (0..count).map(|_| self.operand(None)).collect();
        let name = self.fresh();
        self.declare(&name, true);
        Some(Statement::List(name, operands?))
    }

    fn replaced(&mut self) -> Option<Statement> {
        let Some(list) = self.pick(true) else {
            return self.list();
        };
        let index = self.choose(2)?;
        Some(Statement::Replace(list.name, index, self.operation(None)?))
    }

    fn declared(&mut self) -> Option<Statement> {
        let operation = self.operation(None)?;
        let shadows = self.choose(4)? == 0;
        let name = match self.alive.first() {
            Some(first) if shadows && first.depth == self.depth && !first.is_list => {
                first.name.clone()
            }
            _ => self.fresh(),
        };
        self.declare(&name, false);
        Some(Statement::Let(name, operation))
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn declare(&mut self, name: &str, is_list: bool) {
        self.remove(name);
        self.alive.push(Variable {
            name: name.to_string(),
            depth: self.depth,
            is_list,
        });
    }

    fn remove(&mut self, name: &str) {
        self.alive.retain(|alive| alive.name != name);
    }

    /// Statements in braces: their variables end there, and do not take over the name of an outer one.
    fn inner(&mut self) -> Vec<Statement> {
        let outer = self.alive.clone();
        let statements = self.statements(4);
        self.alive.retain(|variable| outer.contains(variable));
        without_shadowing(statements, &outer)
    }

    fn can_move(&self, variable: &Variable) -> bool {
        variable.depth == self.depth
    }

    /// `assigned` gets a new value, so it can be moved anywhere.
    fn operation(&mut self, assigned: Option<&str>) -> Option<Operation> {
        let kind = self.choose(14)?;
        if let (10..=13, Some(list)) = (kind, self.pick(true)) {
            return Some(match kind {
                10 | 11 => Operation::Element(list.name, self.choose(2)?),
                _ => Operation::Pop(list.name),
            });
        }
        let one = self.operand(assigned)?;
        Some(match kind {
            0 => Operation::Handle(one),
            1 => Operation::View(one),
            2 | 3 => Operation::Layer(one),
            4 => Operation::Sum(one),
            5 => Operation::Add(one, self.operand(None)?),
            6 => Operation::Product(one, self.operand(None)?),
            7 | 8 | 10 | 11 => Operation::Relu(one),
            _ => Operation::Dropout(one),
        })
    }

    fn operand(&mut self, assigned: Option<&str>) -> Option<Operand> {
        let variable = self.pick(false)?;
        let wants_clone = self.choose(3)? == 0;
        let is_assigned = assigned == Some(variable.name.as_str());
        let cloned = wants_clone || !(self.can_move(&variable) || is_assigned);
        if !cloned {
            self.remove(&variable.name);
        }
        Some(Operand {
            name: variable.name,
            cloned,
        })
    }
}

/// Gives inner variables names of their own.
fn without_shadowing(statements: Vec<Statement>, outer: &[Variable]) -> Vec<Statement> {
    let shadows = |statement: &Statement| match statement {
        Statement::Let(name, _) => outer.iter().any(|outer| outer.name == *name),
        _ => false,
    };
    if statements.iter().any(shadows) {
        Vec::new()
    } else {
        statements
    }
}
