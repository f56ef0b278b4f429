//! What a measurement found.

use std::fmt;

/// The memory of one [`measure`](super::measure): every number is in bytes, and is there only if it
/// was measured.
///
/// It prints itself in MiB (2^20 bytes):
///
/// ```
/// use burn::tensor::Device;
/// use remat::memory::{Tracking, measure};
///
/// #[global_allocator]
/// static ALLOC: Tracking = Tracking::new();
///
/// let (kept, report) = measure(&Device::flex(), || {
///     let _scratch = vec![0_u8; 1 << 20];
///     vec![0_u8; 2 << 20]
/// });
/// assert_eq!(report.to_string(), "retained 2.00 MiB, peak 3.00 MiB");
/// # drop(kept);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    measured: Option<Measured>,
}

/// Readings at the edges of a measurement, and the peak above the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) source: Source,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) peak: Option<usize>,
}

/// Where the numbers of a [`Report`] come from.
///
/// ```
/// use burn::tensor::Device;
/// use remat::memory::{Source, Tracking, measure};
///
/// #[global_allocator]
/// static ALLOC: Tracking = Tracking::new();
///
/// let ((), report) = measure(&Device::flex(), || ());
/// assert_eq!(report.source(), Some(Source::Allocator));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The program's allocator, [`Tracking`](super::Tracking).
    Allocator,
    /// The device's memory pool.
    Pool,
}

impl Report {
    pub(super) fn new(measured: Option<Measured>) -> Self {
        Self { measured }
    }

    /// What was measured, or `None` if nothing was: the device has no memory pool, and the program
    /// did not install [`Tracking`](super::Tracking) or keeps no tensors where that sees them.
    ///
    /// ```
    /// use burn::tensor::Device;
    ///
    /// let ((), report) = remat::memory::measure(&Device::flex(), || ());
    /// assert_eq!(report.source(), None); // no allocator in this program
    /// ```
    #[must_use]
    pub fn source(&self) -> Option<Source> {
        Some(self.measured?.source)
    }

    /// Live bytes before the closure ran.
    ///
    /// ```
    /// # use burn::tensor::Device;
    /// # use remat::memory::{Tracking, measure};
    /// # #[global_allocator]
    /// # static ALLOC: Tracking = Tracking::new();
    /// let weights = vec![0_u8; 1 << 20];
    /// let ((), report) = measure(&Device::flex(), || ());
    /// assert!(report.before().unwrap() >= 1 << 20);
    /// # drop(weights);
    /// ```
    #[must_use]
    pub fn before(&self) -> Option<usize> {
        Some(self.measured?.before)
    }

    /// Live bytes after the closure returned, its value included.
    ///
    /// ```
    /// # use burn::tensor::Device;
    /// # use remat::memory::{Tracking, measure};
    /// # #[global_allocator]
    /// # static ALLOC: Tracking = Tracking::new();
    /// let (kept, report) = measure(&Device::flex(), || vec![0_u8; 1 << 20]);
    /// assert!(report.after().unwrap() >= 1 << 20);
    /// # drop(kept);
    /// ```
    #[must_use]
    pub fn after(&self) -> Option<usize> {
        Some(self.measured?.after)
    }

    /// Live bytes after the closure minus those before: negative if it freed more than it kept.
    ///
    /// ```
    /// # use burn::tensor::Device;
    /// # use remat::memory::{Tracking, measure};
    /// # #[global_allocator]
    /// # static ALLOC: Tracking = Tracking::new();
    /// let old = vec![0_u8; 3 << 20];
    /// let (new, report) = measure(&Device::flex(), || {
    ///     drop(old);
    ///     vec![0_u8; 1 << 20]
    /// });
    /// assert_eq!(report.retained(), Some(-(2 << 20)));
    /// # drop(new);
    /// ```
    #[must_use]
    pub fn retained(&self) -> Option<isize> {
        let Measured { before, after, .. } = self.measured?;
        Some(after.wrapping_sub(before).cast_signed())
    }

    /// The most bytes that were live at once, minus those before: at least 0.
    ///
    /// `None` where nothing was measured, and where the numbers come from a memory pool: burn's
    /// pools report what they hold now, not what they held at most.
    ///
    /// ```
    /// # use burn::tensor::Device;
    /// # use remat::memory::{Tracking, measure};
    /// # #[global_allocator]
    /// # static ALLOC: Tracking = Tracking::new();
    /// let ((), report) = measure(&Device::flex(), || drop(vec![0_u8; 1 << 20]));
    /// assert_eq!(report.retained(), Some(0));
    /// assert_eq!(report.peak(), Some(1 << 20));
    /// ```
    #[must_use]
    pub fn peak(&self) -> Option<usize> {
        self.measured?.peak
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(retained) = self.retained() else {
            return f
                .write_str("not measured (is remat::memory::Tracking the #[global_allocator]?)");
        };
        write!(f, "retained {:.2} MiB, ", mib(retained))?;
        match self.peak() {
            Some(peak) => write!(f, "peak {:.2} MiB", mib(peak.cast_signed())),
            None => f.write_str("peak unknown (a memory pool keeps none)"),
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "two decimals are printed")]
fn mib(bytes: isize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(source: Source, peak: Option<usize>) -> Report {
        Report::new(Some(Measured {
            source,
            before: 3 << 20,
            after: 1 << 20,
            peak,
        }))
    }

    #[test]
    fn says_what_is_not_known() {
        assert_eq!(
            report(Source::Allocator, Some(1 << 19)).to_string(),
            "retained -2.00 MiB, peak 0.50 MiB"
        );
        assert_eq!(
            report(Source::Pool, None).to_string(),
            "retained -2.00 MiB, peak unknown (a memory pool keeps none)"
        );
        let nothing = Report::new(None);
        assert!(nothing.to_string().starts_with("not measured"));
        assert_eq!((nothing.retained(), nothing.peak()), (None, None));
    }
}
