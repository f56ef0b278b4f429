//! A union is no module.

use remat::Remat;
use std::mem::ManuallyDrop;

#[derive(Remat)]
union Either {
    #[checkpoint]
    number: usize,
    name: ManuallyDrop<String>,
}

fn main() {}
