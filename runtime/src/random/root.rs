//! What all seeds are counted from.
//!
//! The first root is drawn from the device's generator, which is then set to a known seed, the *mark*. As long as
//! the generator still gives what the mark gives, nobody has seeded it or drawn from it, and the root stays. Otherwise
//! a new one is drawn.
//!
//! Looking means reading values back. Where that waits for the device, it is done once a step: as long as something that
//! was counted from the root waits for its backward pass, the root stays unseen. There `device.seed` is obeyed from the
//! next step on, and [`seed`] at once.

use super::generator::{Counter, next_numbers, read, turn};
use crate::tape::reads_wait;
use burn::tensor::{Device, Tensor};
use std::sync::{Arc, Mutex, PoisonError, Weak};

static ROOT: Mutex<Option<Root>> = Mutex::new(None);

pub(super) struct Root {
    mark: u64,
    /// The seeds of segments, and of what follows them.
    pub(super) seeds: Counter,
    /// The seeds of threads' masks.
    pub(super) threads: Counter,
    identity: Arc<()>,
    in_use: Weak<InUse>,
}

/// Keeps a root in use while it lives.
#[derive(Debug)]
pub(crate) struct InUse;

/// The root, new if somebody has seeded the device's generator or drawn from it. Take [turns](super::generator::turn).
pub(super) fn with<R>(device: &Device, f: impl FnOnce(&mut Root) -> R) -> R {
    let mut slot = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    let root = match slot.take() {
        Some(root) if root.stays_unseen(device) => root,
        known => Root::look(known, device),
    };
    f(slot.insert(root))
}

/// The root as it was when it was last looked at.
pub(super) fn seen<R>(device: &Device, f: impl FnOnce(&mut Root) -> R) -> R {
    let mut slot = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    f(slot.get_or_insert_with(|| Root::look(None, device)))
}

/// Sets the device's generator to a seed that stands for "untouched" from now on.
pub(super) fn mark(device: &Device, seed: u64) {
    let mut slot = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(root) = slot.as_mut() {
        root.mark = seed;
    }
    device.seed(seed);
}

/// Seeds the device's generator, and is obeyed at once: what still waits for its backward pass does not keep the root.
pub(crate) fn seed(device: &Device, seed: u64) {
    let _turn = turn();
    device.seed(seed);
    let mut slot = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(root) = slot.as_mut() {
        root.in_use = Weak::new();
    }
}

/// Keeps the root in use, if it is still that one.
pub(super) fn in_use(identity: &Arc<()>) -> Arc<InUse> {
    let mut slot = ROOT.lock().unwrap_or_else(PoisonError::into_inner);
    let root = slot
        .as_mut()
        .filter(|root| Arc::ptr_eq(&root.identity, identity));
    root.map_or_else(|| Arc::new(InUse), Root::use_it)
}

impl Root {
    fn look(known: Option<Self>, device: &Device) -> Self {
        let numbers = next_numbers(device);
        let Some(known) = known else {
            return Self::new(read(numbers)[0], device);
        };
        device.seed(known.mark);
        let seen = read(Tensor::cat(vec![numbers, next_numbers(device)], 0));
        if seen[0] == seen[1] {
            device.seed(known.mark);
            known
        } else {
            Self::new(seen[0], device)
        }
    }

    fn new(seed: u64, device: &Device) -> Self {
        let mut seeds = Counter::new(seed);
        let root = Self {
            mark: seeds.count(),
            threads: Counter::new(seeds.count()),
            seeds,
            identity: Arc::new(()),
            in_use: Weak::new(),
        };
        device.seed(root.mark);
        root
    }

    fn stays_unseen(&self, device: &Device) -> bool {
        reads_wait(device) && self.in_use.strong_count() > 0
    }

    /// While it lives, the root is in use.
    pub(super) fn use_it(&mut self) -> Arc<InUse> {
        self.in_use.upgrade().unwrap_or_else(|| {
            let in_use = Arc::new(InUse);
            self.in_use = Arc::downgrade(&in_use);
            in_use
        })
    }

    /// Which root it is.
    pub(super) fn identity(&self) -> &Arc<()> {
        &self.identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed_and_identity(device: &Device) -> (u64, Arc<()>) {
        with(device, |root| {
            (root.threads.count(), root.identity().clone())
        })
    }

    /// The root stays until somebody else seeds the generator or draws from it; the same seed gives the same root.
    #[test]
    fn a_root_stays_while_the_generator_is_untouched() {
        let _turn = crate::random::alone();
        let device = Device::default();
        device.seed(1);
        let (first, root) = seed_and_identity(&device);
        let (second, same) = seed_and_identity(&device);
        assert_ne!(first, second);
        assert!(Arc::ptr_eq(&root, &same), "looking leaves no trace");
        mark(&device, 5);
        assert!(Arc::ptr_eq(&root, &seed_and_identity(&device).1));

        let _ = next_numbers(&device);
        assert!(
            !Arc::ptr_eq(&root, &seed_and_identity(&device).1),
            "drawn from"
        );
        device.seed(1);
        let (again, new) = seed_and_identity(&device);
        assert!(!Arc::ptr_eq(&root, &new));
        assert_eq!(again, first);
    }
}
