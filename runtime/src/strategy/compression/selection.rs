//! Which annotations compress: all, unless they are being compared.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Annotations, by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Selection {
    All,
    None,
    /// Those with this name, or without one.
    Only(Option<&'static str>),
}

struct State {
    selection: Selection,
    /// The names that asked, while somebody wants to know.
    seen: Option<BTreeSet<Option<&'static str>>>,
}

thread_local! {
    static STATE: RefCell<State> = const {
        RefCell::new(State {
            selection: Selection::All,
            seen: None,
        })
    };
}

/// Whether the annotation of that name is one of those that compress.
pub(super) fn selects(name: Option<&'static str>) -> bool {
    STATE.with_borrow_mut(|state| {
        if let Some(seen) = &mut state.seen {
            seen.insert(name);
        }
        match state.selection {
            Selection::All => true,
            Selection::None => false,
            Selection::Only(only) => only == name,
        }
    })
}

/// Runs `f` with the selected annotations only.
pub(in super::super) fn run_with<R>(selection: Selection, f: impl FnOnce() -> R) -> R {
    let before = STATE.with_borrow_mut(|state| std::mem::replace(&mut state.selection, selection));
    let _back = OnDrop(move || STATE.with_borrow_mut(|state| state.selection = before));
    f()
}

/// Runs `f`, and gives the names of the annotations in it.
pub(in super::super) fn seen_by<R>(f: impl FnOnce() -> R) -> (R, BTreeSet<Option<&'static str>>) {
    let take = || STATE.with_borrow_mut(|state| state.seen.take());
    STATE.with_borrow_mut(|state| state.seen = Some(BTreeSet::new()));
    let stop = OnDrop(take);
    let result = f();
    let seen = take().unwrap_or_default();
    drop(stop);
    (result, seen)
}

/// Also when there is a panic.
struct OnDrop<R, F: FnMut() -> R>(F);

impl<R, F: FnMut() -> R> Drop for OnDrop<R, F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
