//! What rustc prints for each mistake that a user can make.
//!
//! `TRYBUILD=overwrite cargo test --workspace --test ui` writes the `.stderr` files anew; read them.

/// The messages are compared to the letter, and each rustc has its own words around ours.
#[rustversion::stable(1.95)]
#[test]
fn ui() {
    // Only `compile_fail`: with a single `pass`, trybuild would build burn and not only check it.
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}

#[rustversion::not(stable(1.95))]
#[test]
fn ui() {
    eprintln!("skipped: the expected messages are those of rustc 1.95");
}
