//! Mixed precision in burn's learner: by itself, and with a scaled loss.

mod steps;
mod training;

/// burn's generators belong to the process, so tests that draw from them take turns.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
