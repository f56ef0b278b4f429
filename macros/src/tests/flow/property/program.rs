//! Programs that rustc would take: nothing is used after it has moved.

/// `x.clone()` or `x`
#[derive(Clone, Debug)]
pub struct Operand {
    pub name: String,
    pub cloned: bool,
}

#[derive(Clone, Debug)]
pub enum Operation {
    /// A handle of the same buffer.
    Handle(Operand),
    /// A view of it.
    View(Operand),
    /// A layer that keeps its input.
    Layer(Operand),
    /// An operation that keeps nothing.
    Sum(Operand),
    Add(Operand, Operand),
    /// Keeps both.
    Product(Operand, Operand),
    /// In place, and keeps its output.
    Relu(Operand),
    /// In place, and keeps nothing.
    Dropout(Operand),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Let(String, Operation),
    Assign(String, Operation),
    Drop(String),
    If(Vec<Statement>, Vec<Statement>),
    Loop(Vec<Statement>),
    Block(Vec<Statement>),
}

#[derive(Clone, Debug)]
pub struct Program(pub Vec<Statement>);

impl From<Vec<u32>> for Program {
    fn from(choices: Vec<u32>) -> Self {
        let alive = vec![("x".to_string(), 0), ("y".to_string(), 0)];
        let mut builder = Builder {
            choices: choices.into_iter(),
            alive,
            depth: 0,
            names: 0,
        };
        Self(builder.statements(12))
    }
}

struct Builder {
    choices: std::vec::IntoIter<u32>,
    /// What can be used, and in how many loops it was declared.
    alive: Vec<(String, usize)>,
    depth: usize,
    names: usize,
}

impl Builder {
    fn choose(&mut self, of: usize) -> Option<usize> {
        self.choices.next().map(|choice| choice as usize % of)
    }

    /// A variable that can be used.
    fn pick(&mut self) -> Option<String> {
        let index = self.choose(self.alive.len().max(1))?;
        self.alive.get(index).map(|(name, _)| name.clone())
    }

    fn statements(&mut self, most: usize) -> Vec<Statement> {
        let count = self.choose(most).map_or(0, |count| count + 1);
        (0..count).map_while(|_| self.statement()).collect()
    }

    fn statement(&mut self) -> Option<Statement> {
        Some(match self.choose(12)? {
            0 => {
                let before = self.alive.clone();
                let first = self.inner();
                let after_first = std::mem::replace(&mut self.alive, before);
                let second = self.inner();
                // What one of them has moved is gone.
                self.alive.retain(|variable| after_first.contains(variable));
                Statement::If(first, second)
            }
            1 if self.depth < 2 => {
                self.depth += 1;
                let body = self.inner();
                self.depth -= 1;
                Statement::Loop(body)
            }
            2 => Statement::Block(self.inner()),
            3 => {
                let name = self.pick()?;
                if !self.movable(&name) {
                    return Some(Statement::Block(Vec::new()));
                }
                self.alive.retain(|(alive, _)| *alive != name);
                Statement::Drop(name)
            }
            4 | 5 => {
                let name = self.pick()?;
                let variable = self.alive.iter().find(|(alive, _)| *alive == name)?.clone();
                let operation = self.operation(Some(&name));
                // It is there again, if it was moved.
                self.alive.retain(|(alive, _)| *alive != name);
                self.alive.push(variable);
                Statement::Assign(name, operation?)
            }
            _ => {
                let operation = self.operation(None)?;
                let shadows = self.choose(4)? == 0;
                let name = match self.alive.first() {
                    Some((name, depth)) if shadows && *depth == self.depth => name.clone(),
                    _ => {
                        self.names += 1;
                        format!("v{}", self.names)
                    }
                };
                self.alive.retain(|(alive, _)| *alive != name);
                self.alive.push((name.clone(), self.depth));
                Statement::Let(name, operation)
            }
        })
    }

    /// Statements in braces: their variables end there, and do not take over the name of an outer one.
    fn inner(&mut self) -> Vec<Statement> {
        let outer = self.alive.clone();
        let statements = self.statements(4);
        self.alive.retain(|variable| outer.contains(variable));
        without_shadowing(statements, &outer)
    }

    fn movable(&self, name: &str) -> bool {
        self.alive
            .iter()
            .any(|(alive, depth)| alive == name && *depth == self.depth)
    }

    /// `assigned` gets a new value, so it can be moved anywhere.
    fn operation(&mut self, assigned: Option<&str>) -> Option<Operation> {
        let kind = self.choose(10)?;
        let one = self.operand(assigned)?;
        Some(match kind {
            0 => Operation::Handle(one),
            1 => Operation::View(one),
            2 | 3 => Operation::Layer(one),
            4 => Operation::Sum(one),
            5 => Operation::Add(one, self.operand(None)?),
            6 => Operation::Product(one, self.operand(None)?),
            7 | 8 => Operation::Relu(one),
            _ => Operation::Dropout(one),
        })
    }

    fn operand(&mut self, assigned: Option<&str>) -> Option<Operand> {
        let name = self.pick()?;
        let wants_clone = self.choose(3)? == 0;
        let cloned = wants_clone || !(self.movable(&name) || assigned == Some(name.as_str()));
        if !cloned {
            self.alive.retain(|(alive, _)| *alive != name);
        }
        Some(Operand { name, cloned })
    }
}

/// Gives inner variables names of their own.
fn without_shadowing(statements: Vec<Statement>, outer: &[(String, usize)]) -> Vec<Statement> {
    let shadows = |statement: &Statement| match statement {
        Statement::Let(name, _) => outer.iter().any(|(outer, _)| outer == name),
        _ => false,
    };
    if statements.iter().any(shadows) {
        Vec::new()
    } else {
        statements
    }
}

impl Program {
    pub fn any(&self, is: &impl Fn(&Statement) -> bool) -> bool {
        any(&self.0, is)
    }

    pub fn text(&self) -> String {
        format!("{}\ny2()", text(&self.0))
    }
}

fn any(statements: &[Statement], is: &impl Fn(&Statement) -> bool) -> bool {
    statements.iter().any(|statement| {
        is(statement)
            || match statement {
                Statement::If(first, second) => any(first, is) || any(second, is),
                Statement::Loop(body) | Statement::Block(body) => any(body, is),
                _ => false,
            }
    })
}

impl Statement {
    pub fn is_in_place(&self) -> bool {
        match self {
            Self::Let(_, operation) | Self::Assign(_, operation) => {
                matches!(operation, Operation::Relu(_) | Operation::Dropout(_))
            }
            _ => false,
        }
    }
}

fn text(statements: &[Statement]) -> String {
    let lines = statements.iter().map(|statement| match statement {
        Statement::Let(name, operation) => format!("let mut {name} = {};", operation.text()),
        Statement::Assign(name, operation) => format!("{name} = {};", operation.text()),
        Statement::Drop(name) => format!("drop({name});"),
        Statement::If(first, second) => {
            format!("if deep {{ {} }} else {{ {} }}", text(first), text(second))
        }
        Statement::Loop(body) => format!("for _ in 0..n() {{ {} }}", text(body)),
        Statement::Block(body) => format!("{{ {} }}", text(body)),
    });
    lines.collect::<Vec<String>>().join("\n")
}

impl Operation {
    fn text(&self) -> String {
        match self {
            Self::Handle(one) => one.text(),
            Self::View(one) => format!("{}.reshape([1, 2])", one.text()),
            Self::Layer(one) => format!("self.linear.forward({})", one.text()),
            Self::Sum(one) => format!("{}.sum()", one.text()),
            Self::Add(one, other) => format!("{} + {}", one.text(), other.text()),
            Self::Product(one, other) => format!("{} * {}", one.text(), other.text()),
            Self::Relu(one) => format!("self.relu.forward({})", one.text()),
            Self::Dropout(one) => format!("self.dropout.forward({})", one.text()),
        }
    }
}

impl Operand {
    fn text(&self) -> String {
        if self.cloned {
            format!("{}.clone()", self.name)
        } else {
            self.name.clone()
        }
    }
}
