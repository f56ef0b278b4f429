//! Loops, and what leads out of them and back.

use syn::{Block, Label, Lifetime};

use super::{
    Flow,
    scope::Depth,
    state::{State, join},
    value::Value,
};

/// What `break` and `continue` lead to.
pub struct Target {
    label: Option<String>,
    is_loop: bool,
    /// What there is outside.
    depth: Depth,
    /// How many operands wait outside.
    waiting: usize,
    left: Option<State>,
    again: Option<State>,
    value: Value,
}

impl Flow<'_> {
    /// A loop: what is known at its beginning is what is known before it and after each round. `round` gives the
    /// state in which the loop ends by itself.
    pub fn looped(
        &mut self,
        label: Option<&Label>,
        round: impl Fn(&mut Self) -> Option<State>,
    ) -> Value {
        let mut head = self.state.clone();
        loop {
            self.enter(label, true);
            self.state.clone_from(&head);
            let ended = round(self);
            let Some(target) = self.targets.pop() else {
                return Value::NOTHING;
            };
            let nothing = Value::NOTHING;
            let again = join((self.state.take(), &nothing), (target.again, &nothing));
            let next = join((head.clone(), &nothing), (again, &nothing));
            let is_known = match (&head, &next) {
                (Some(head), Some(next)) => next.is_like(head),
                _ => true,
            };
            if is_known {
                self.state = join((ended, &nothing), (target.left, &target.value));
                return target.value;
            }
            head = next;
        }
    }

    pub fn labelled(&mut self, block: &Block, label: Option<&Label>) -> Value {
        self.enter(label, false);
        let value = self.block(block);
        let Some(target) = self.targets.pop() else {
            return value;
        };
        self.state = join((self.state.take(), &value), (target.left, &target.value));
        value.join(target.value)
    }

    fn enter(&mut self, label: Option<&Label>, is_loop: bool) {
        self.targets.push(Target {
            label: label.map(|label| label.name.ident.to_string()),
            is_loop,
            depth: self.scopes.depth(),
            waiting: self.state.as_ref().map_or(0, |state| state.waiting.len()),
            left: None,
            again: None,
            value: Value::NOTHING,
        });
    }

    pub fn jump(&mut self, label: Option<&Lifetime>, again: bool, value: Value) -> Value {
        let label = label.map(|label| label.ident.to_string());
        let mut state = self.state.take();
        let mut targets = self.targets.iter_mut().rev();
        let target = targets.find(|target| match &label {
            Some(label) => target.label.as_ref() == Some(label),
            None => target.is_loop,
        });
        if let Some(target) = target {
            if let Some(state) = &mut state {
                state.waiting.truncate(target.waiting);
                state.leave(self.scopes.inside(target.depth));
            }
            let to = if again {
                &mut target.again
            } else {
                &mut target.left
            };
            *to = join((to.take(), &target.value), (state, &value));
            target.value = std::mem::replace(&mut target.value, Value::NOTHING).join(value);
        }
        Value::NOTHING
    }
}
