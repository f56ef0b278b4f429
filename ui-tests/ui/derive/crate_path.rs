//! `#[remat(crate = ..)]` with what is no path to a crate.

use remat::Remat;

#[derive(Remat)]
#[remat(crate = remat)]
struct Relative;

#[derive(Remat)]
#[remat(crate = "remat")]
struct Quoted;

#[derive(Remat)]
#[remat(crat = ::remat)]
struct Mistyped;

#[derive(Remat)]
#[remat(crate = ::remat, crate = ::remat)]
struct Twice;

#[derive(Remat)]
#[remat]
struct Empty;

// Legal.
#[derive(Remat)]
#[remat(crate = ::remat)]
struct Absolute;

fn main() {}
