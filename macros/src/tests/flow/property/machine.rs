//! Runs a program as the machine would, with a count of the handles of every buffer.

use super::program::{Operand, Operation, Program, Statement};

/// Whether no layer in place finds a buffer with another handle. `choices` are the ways that branches and loops go.
pub fn overwrites_alone(program: &Program, choices: u32) -> bool {
    let mut machine = Machine {
        variables: vec![("x".to_string(), Some(0)), ("y".to_string(), Some(1))],
        graph: vec![0, 0],
        choices,
        alone: true,
    };
    machine.run(&program.0);
    machine.alone
}

struct Machine {
    /// All that are in scope, the newest last, and which buffer they hold.
    variables: Vec<(String, Option<usize>)>,
    /// How often the graph holds each buffer.
    graph: Vec<usize>,
    choices: u32,
    alone: bool,
}

impl Machine {
    fn run(&mut self, statements: &[Statement]) {
        let outer = self.variables.len();
        for statement in statements {
            self.statement(statement);
        }
        self.variables.truncate(outer);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(name, operation) => {
                let buffer = self.operation(operation);
                self.variables.push((name.clone(), Some(buffer)));
            }
            Statement::Assign(name, operation) => {
                let buffer = self.operation(operation);
                *self.variable(name) = Some(buffer);
            }
            Statement::Drop(name) => *self.variable(name) = None,
            Statement::If(first, second) => {
                let chosen = if self.choose() { first } else { second };
                self.run(chosen);
            }
            Statement::Loop(body) => {
                let rounds = 2 * usize::from(self.choose()) + usize::from(self.choose());
                (0..rounds).for_each(|_| self.run(body));
            }
            Statement::Block(body) => self.run(body),
        }
    }

    fn choose(&mut self) -> bool {
        let choice = self.choices & 1 == 1;
        self.choices = self.choices.rotate_right(1);
        choice
    }

    fn variable(&mut self, name: &str) -> &mut Option<usize> {
        let mut newest = self.variables.iter_mut().rev();
        let found = newest.find(|(variable, _)| variable == name);
        &mut found.expect("programs name what is there").1
    }

    fn operand(&mut self, operand: &Operand) -> usize {
        let variable = self.variable(&operand.name);
        let buffer = if operand.cloned {
            *variable
        } else {
            variable.take()
        };
        buffer.expect("programs use nothing after it has moved")
    }

    fn fresh(&mut self) -> usize {
        self.graph.push(0);
        self.graph.len() - 1
    }

    fn operation(&mut self, operation: &Operation) -> usize {
        match operation {
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
        }
    }

    /// The operand's buffer, or a copy of it if it has other handles.
    fn overwrite(&mut self, operand: &Operand) -> usize {
        let buffer = self.operand(operand);
        let holds = |(_, held): &&(String, Option<usize>)| *held == Some(buffer);
        let handles = self.variables.iter().filter(holds).count() + self.graph[buffer];
        if handles == 0 {
            return buffer;
        }
        self.alone = false;
        self.fresh()
    }
}
