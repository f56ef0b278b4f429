//! Annotated code among names and lints that could break what the macros write.

mod attention;
#[cfg(not(cube))]
mod autocast;
mod groups;
mod lints;
mod names;
mod prelude;
