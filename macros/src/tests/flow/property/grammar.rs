//! What programs are made of, and their text.

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
    /// `list[0].clone()`
    Element(String, usize),
    /// `list.pop().unwrap()`
    Pop(String),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Let(String, Operation),
    Assign(String, Operation),
    Drop(String),
    /// `let _ = x;`, which leaves it where it is.
    Look(String),
    /// `let _ = x.sum();`, which is dropped at once.
    Forget(Operation),
    /// `let list = vec![x, y];`
    List(String, Vec<Operand>),
    /// `list[0] = x;`
    Replace(String, usize, Operation),
    Push(String, Operation),
    If(Vec<Statement>, Vec<Statement>),
    Loop(Vec<Statement>),
    /// `for item in list { .. }`
    Each(String, String, Vec<Statement>),
    Block(Vec<Statement>),
    Break,
    Continue,
}

#[derive(Clone, Debug)]
pub struct Program(pub Vec<Statement>);

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
                Statement::Loop(body) | Statement::Each(_, _, body) | Statement::Block(body) => {
                    any(body, is)
                }
                _ => false,
            }
    })
}

impl Statement {
    pub fn is_in_place(&self) -> bool {
        match self {
            Self::Let(_, operation)
            | Self::Assign(_, operation)
            | Self::Forget(operation)
            | Self::Replace(_, _, operation)
            | Self::Push(_, operation) => {
                matches!(operation, Operation::Relu(_) | Operation::Dropout(_))
            }
            _ => false,
        }
    }

    /// What follows in the same block is never reached.
    pub fn is_jump(&self) -> bool {
        matches!(self, Self::Break | Self::Continue)
    }

    fn text(&self) -> String {
        match self {
            Self::Let(name, operation) => format!("let mut {name} = {};", operation.text()),
            Self::Assign(name, operation) => format!("{name} = {};", operation.text()),
            Self::Drop(name) => format!("drop({name});"),
            Self::Look(name) => format!("let _ = {name};"),
            Self::Forget(operation) => format!("let _ = {};", operation.text()),
            Self::List(name, operands) => {
                let operands: Vec<String> = operands.iter().map(Operand::text).collect();
                format!("let mut {name} = vec![{}];", operands.join(", "))
            }
            Self::Replace(name, index, operation) => {
                format!("{name}[{index}] = {};", operation.text())
            }
            Self::Push(name, operation) => format!("{name}.push({});", operation.text()),
            Self::If(first, second) => {
                format!("if deep {{ {} }} else {{ {} }}", text(first), text(second))
            }
            Self::Loop(body) => format!("for _ in 0..n() {{ {} }}", text(body)),
            Self::Each(item, list, body) => {
                format!("for mut {item} in {list} {{ {} }}", text(body))
            }
            Self::Block(body) => format!("{{ {} }}", text(body)),
            Self::Break => "break;".to_string(),
            Self::Continue => "continue;".to_string(),
        }
    }
}

fn text(statements: &[Statement]) -> String {
    let lines: Vec<String> = statements.iter().map(Statement::text).collect();
    lines.join("\n")
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
            Self::Element(list, index) => format!("{list}[{index}].clone()"),
            Self::Pop(list) => format!("{list}.pop().unwrap()"),
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
