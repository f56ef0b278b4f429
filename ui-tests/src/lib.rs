//! Nothing is here: the tests are in `tests/ui.rs` and `ui/`.
