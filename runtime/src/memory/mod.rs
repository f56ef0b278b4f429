//! Measuring the memory that a piece of a training step keeps.
//!
//! [`measure`] runs a closure and answers with a [`Report`]: the bytes that are still live when it
//! returns, and the most that were live at once. Around a forward pass the first number is what
//! burn keeps for the backward pass (the saved tensors and the entries of its graph), the one that
//! a memory strategy lowers; around a whole step the second is what the machine must have.
//!
//! Backends that keep tensors in ordinary Rust memory (Flex, `NdArray`) are measured by [`Tracking`],
//! a counting allocator that the program installs. Backends with a memory pool of their own
//! (`wgpu`, `vulkan`, `cuda`, `cpu`) are measured by asking the pool.
//!
//! ```
//! use burn::tensor::{Device, Tensor};
//! use remat::memory::{Tracking, measure};
//!
//! #[global_allocator]
//! static ALLOC: Tracking = Tracking::new();
//!
//! let device = Device::flex();
//! let (x, report) = measure(&device, || Tensor::<2>::ones([256, 256], &device));
//!
//! // 65536 floats of 4 bytes, and a few bytes of bookkeeping.
//! assert!((256 << 10..257 << 10).contains(&report.retained().unwrap()));
//! println!("{report}"); // retained 0.25 MiB, peak 0.25 MiB
//! # drop(x);
//! ```

mod measure;
mod report;
mod tracking;

pub use measure::measure;
pub use report::{Report, Source};
pub use tracking::{Tracking, live_bytes};
