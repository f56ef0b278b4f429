//! Programs that show remat at work, and what they share.
//!
//! * `amp` trains two models in f32, in bf16, and in f16 with a scaled loss, and compares.
//! * `char_gpt` trains a character-level language model twice, without and with its annotation, and
//!   compares memory, time and losses.
//! * `digits` trains an image classifier twice with burn's learner, and compares likewise.
//! * `frontier` measures every strategy on the same stack of transformer blocks.
//! * `train` trains a character-level language model with three strategies together, saves and resumes; and compares each
//!   of them with all.

pub mod amp;
pub mod char_gpt;
pub mod digits;
pub mod gpt;
pub mod gradients;
pub mod measure;
pub mod models;
pub mod options;
pub mod plot;
pub mod statistics;
pub mod table;
pub mod train;

/// Tests that train take turns: burn's generators belong to the process.
#[cfg(test)]
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
