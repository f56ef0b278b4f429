//! Values that are compressed already: a tensor that several layers keep is compressed once.

use super::compressed::{Compressed, Held};
use super::options::Form;
use crate::tape::ParentId;
use std::cell::RefCell;
use std::collections::HashMap;

/// The values of this thread, as long as somebody holds them.
#[derive(Default)]
struct Cache {
    values: HashMap<ParentId, Vec<(Form, Held)>>,
    /// How many ids there were after the last look at which are still held.
    held: usize,
}

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::default();
}

/// The value of the tensor with that id, in that form.
pub(super) fn compressed(
    id: ParentId,
    form: Form,
    compress: impl FnOnce() -> Compressed,
) -> Compressed {
    CACHE.with_borrow_mut(|cache| {
        cache.sweep();
        let forms = cache.values.entry(id).or_default();
        let known = forms.iter().find(|(known, _)| *known == form);
        known.and_then(|(_, held)| held.get()).unwrap_or_else(|| {
            let compressed = compress();
            forms.retain(|(known, _)| *known != form);
            forms.push((form, compressed.held()));
            compressed
        })
    })
}

impl Cache {
    /// Forgets what nobody holds any more, whenever the number of entries has doubled.
    fn sweep(&mut self) {
        if self.values.len() < 2 * self.held + 64 {
            return;
        }
        let is_held = |forms: &mut Vec<(Form, Held)>| forms.iter().any(|(_, held)| held.is_held());
        self.values.retain(|_, forms| is_held(forms));
        self.held = self.values.len();
    }
}
