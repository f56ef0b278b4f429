//! Runs a program as the machine would, with a count of the handles of every buffer.

use super::grammar::{Operand, Operation, Program, Statement};

/// Whether no layer in place finds a buffer with another handle. `choices` are the ways that branches and loops go.
pub fn overwrites_alone(program: &Program, choices: u32) -> bool {
    let mut machine = Machine {
        variables: vec![("x".to_string(), vec![0]), ("y".to_string(), vec![1])],
        graph: vec![0, 0],
        choices,
        alone: true,
    };
    // How it ends says nothing about what it has overwritten.
    let _ = machine.run(&program.0);
    machine.alone
}

struct Machine {
    /// All that are in scope, the newest last, and which buffers they hold: one, or those of a list.
    variables: Vec<(String, Vec<usize>)>,
    /// How often the graph holds each buffer.
    graph: Vec<usize>,
    choices: u32,
    alone: bool,
}

/// Why a block ends before its end.
enum End {
    Break,
    Continue,
    /// A list has no such element.
    Panic,
}

impl Machine {
    fn run(&mut self, statements: &[Statement]) -> Result<(), End> {
        let outer = self.variables.len();
        let result = statements
            .iter()
            .try_for_each(|statement| self.statement(statement));
        self.variables.truncate(outer);
        result
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), End> {
        match statement {
            Statement::Let(name, operation) => {
                let buffer = self.operation(operation)?;
                self.variables.push((name.clone(), vec![buffer]));
            }
            Statement::Assign(name, operation) => {
                let buffer = self.operation(operation)?;
                *self.variable(name) = vec![buffer];
            }
            Statement::Drop(name) => self.variable(name).clear(),
            Statement::Look(_) => {}
            Statement::Forget(operation) => {
                self.operation(operation)?;
            }
            Statement::List(name, operands) => {
                let buffers = operands.iter().map(|operand| self.operand(operand));
                let buffers = buffers.collect();
                self.variables.push((name.clone(), buffers));
            }
            Statement::Replace(list, index, operation) => {
                let buffer = self.operation(operation)?;
                let element = self.variable(list).get_mut(*index).ok_or(End::Panic)?;
                *element = buffer;
            }
            Statement::Push(list, operation) => {
                let buffer = self.operation(operation)?;
                self.variable(list).push(buffer);
            }
            Statement::If(first, second) => {
                let chosen = if self.choose() { first } else { second };
                self.run(chosen)?;
            }
            Statement::Loop(body) => {
                let rounds = 2 * usize::from(self.choose()) + usize::from(self.choose());
                for _ in 0..rounds {
                    if round_ends(self.run(body))? {
                        break;
                    }
                }
            }
            Statement::Each(item, list, body) => self.each(item, list, body)?,
            Statement::Block(body) => self.run(body)?,
            Statement::Break => return Err(End::Break),
            Statement::Continue => return Err(End::Continue),
        }
        Ok(())
    }

    /// The iterator holds what it has not given yet.
    fn each(&mut self, item: &str, list: &str, body: &[Statement]) -> Result<(), End> {
        let outer = self.variables.len();
        let mut rest = std::mem::take(self.variable(list));
        rest.reverse();
        self.variables.push(("rest".to_string(), rest));
        while let Some(buffer) = self.variables[outer].1.pop() {
            self.variables.push((item.to_string(), vec![buffer]));
            let ends = round_ends(self.run(body));
            self.variables.truncate(outer + 1);
            if ends? {
                break;
            }
        }
        self.variables.truncate(outer);
        Ok(())
    }

    fn choose(&mut self) -> bool {
        let choice = self.choices & 1 == 1;
        self.choices = self.choices.rotate_right(1);
        choice
    }

    fn variable(&mut self, name: &str) -> &mut Vec<usize> {
        let mut newest = self.variables.iter_mut().rev();
        let found = newest.find(|(variable, _)| variable == name);
        &mut found.expect("programs name what is there").1
    }

    fn operand(&mut self, operand: &Operand) -> usize {
        let variable = self.variable(&operand.name);
        let buffer = if operand.cloned {
            variable.first().copied()
        } else {
            variable.pop()
        };
        buffer.expect("programs use nothing after it has moved")
    }

    fn fresh(&mut self) -> usize {
        self.graph.push(0);
        self.graph.len() - 1
    }

    fn operation(&mut self, operation: &Operation) -> Result<usize, End> {
        Ok(match operation {
            Operation::Handle(one) | Operation::View(one) => self.operand(one),
            Operation::Layer(one) => {
                let kept = self.operand(one);
                self.graph[kept] += 1;
                self.fresh()
            }
            Operation::Sum(one) => {
                self.operand(one);
                self.fresh()
            }
            Operation::Add(one, other) => {
                self.operand(one);
                self.operand(other);
                self.fresh()
            }
            Operation::Product(one, other) => {
                for operand in [one, other] {
                    let kept = self.operand(operand);
                    self.graph[kept] += 1;
                }
                self.fresh()
            }
            Operation::Relu(one) => {
                let output = self.overwrite(one);
                self.graph[output] += 1;
                output
            }
            Operation::Dropout(one) => self.overwrite(one),
            Operation::Element(list, index) => {
                let element = self.variable(list).get(*index).copied();
                element.ok_or(End::Panic)?
            }
            Operation::Pop(list) => self.variable(list).pop().ok_or(End::Panic)?,
        })
    }

    /// The operand's buffer, or a copy of it if it has other handles.
    fn overwrite(&mut self, operand: &Operand) -> usize {
        let buffer = self.operand(operand);
        let held = self.variables.iter().flat_map(|(_, buffers)| buffers);
        let handles = held.filter(|held| **held == buffer).count() + self.graph[buffer];
        if handles == 0 {
            return buffer;
        }
        self.alone = false;
        self.fresh()
    }
}

/// Whether a loop ends with this round.
fn round_ends(round: Result<(), End>) -> Result<bool, End> {
    match round {
        Ok(()) | Err(End::Continue) => Ok(false),
        Err(End::Break) => Ok(true),
        Err(panic) => Err(panic),
    }
}
