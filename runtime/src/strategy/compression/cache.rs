//! Values that are compressed already: a tensor that several layers keep is compressed once.

use super::compressed::{Compressed, Held};
use super::options::Form;
use crate::tape::ParentId;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Which value it is: of the tensor with that id, in that form.
type Key = (ParentId, Form);

static VALUES: LazyLock<Mutex<HashMap<Key, Held>>> = LazyLock::new(Mutex::default);

fn values() -> MutexGuard<'static, HashMap<Key, Held>> {
    VALUES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a value out of the table when nobody holds it any more.
pub(super) struct Entry(Key);

impl Drop for Entry {
    fn drop(&mut self) {
        values().remove(&self.0);
    }
}

/// The value of the tensor with that id, in that form.
pub(super) fn compressed(
    id: ParentId,
    form: Form,
    compress: impl FnOnce(Entry) -> Compressed,
) -> Compressed {
    let key = (id, form);
    let known = values().get(&key).and_then(Held::get);
    known.unwrap_or_else(|| {
        let compressed = compress(Entry(key));
        values().insert(key, compressed.held());
        compressed
    })
}
