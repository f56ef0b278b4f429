//! How a sequence of layers is cut into segments.

use std::fmt;

/// How [`checkpoint_sequence`](crate::checkpoint_sequence) cuts a sequence of layers into segments,
/// each of which keeps its input only.
///
/// With `n` layers of equal size, what stays between forward and backward pass is one input for each
/// segment, and while a segment runs again, its own activations:
///
/// | | inputs kept | layers alive at once | times a layer runs forward |
/// |---|---|---|---|
/// | [`every(k)`](Self::every) | n / k | k | 2 |
/// | [`count(s)`](Self::count) | s | n / s | 2 |
/// | [`sqrt()`](Self::sqrt) | √n | √n | 2 |
/// | [`recursive()`](Self::recursive) | log₂ n | 1, and log₂ n inputs | 1 + log₂ n / 2 |
///
/// (Chen, Xu, Zhang, Guestrin: Training Deep Nets with Sublinear Memory Cost, 2016, sections 4.1
/// and 4.3.)
///
/// ```
/// use remat::Segments;
///
/// assert_eq!(Segments::every(4).sizes(10), Ok(vec![4, 4, 2]));
/// assert_eq!(Segments::count(3).sizes(10), Ok(vec![4, 3, 3]));
/// assert_eq!(Segments::sqrt().sizes(16), Ok(vec![4, 4, 4, 4]));
/// assert_eq!(Segments::recursive().sizes(16), Ok(vec![8, 4, 2, 1, 1]));
/// assert!(Segments::count(5).sizes(3).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    cut: Cut,
    keep_last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Every(usize),
    Count(usize),
    Sqrt,
    Recursive,
}

impl Segments {
    /// `layers` consecutive layers a segment; what is left over is the last, smaller one.
    ///
    /// # Panics
    ///
    /// If `layers` is 0 (in a constant: a compile error).
    #[must_use]
    pub const fn every(layers: usize) -> Self {
        assert!(layers > 0, "a segment has at least one layer");
        Self::new(Cut::Every(layers))
    }

    /// So many segments, of sizes that differ by one at most.
    ///
    /// # Panics
    ///
    /// If `segments` is 0 (in a constant: a compile error).
    #[must_use]
    pub const fn count(segments: usize) -> Self {
        assert!(segments > 0, "there is at least one segment");
        Self::new(Cut::Count(segments))
    }

    /// As many segments as a segment has layers: the least memory that running each layer once more
    /// can buy.
    #[must_use]
    pub const fn sqrt() -> Self {
        Self::new(Cut::Sqrt)
    }

    /// Half of the layers, half of the rest, and so on; while a segment runs again it is cut in the
    /// same way. Memory grows with the logarithm of the number of layers, and so does the time.
    #[must_use]
    pub const fn recursive() -> Self {
        Self::new(Cut::Recursive)
    }

    /// Leaves the last segment to plain burn, if there are others: its backward pass comes first, so
    /// that the peak of a step is the same and one segment less runs again.
    #[must_use]
    pub const fn keep_last(mut self) -> Self {
        self.keep_last = true;
        self
    }

    const fn new(cut: Cut) -> Self {
        Self {
            cut,
            keep_last: false,
        }
    }

    /// The sizes of the segments of so many layers, in order.
    ///
    /// # Errors
    ///
    /// If there are fewer layers than segments.
    pub fn sizes(self, layers: usize) -> Result<Vec<usize>, TooManySegments> {
        match self.cut {
            Cut::Every(size) => Ok(chunks(layers, size)),
            Cut::Count(segments) if segments > layers => Err(TooManySegments { segments, layers }),
            Cut::Count(segments) => Ok(balanced(layers, segments)),
            Cut::Sqrt => Ok(balanced(layers, rounded_sqrt(layers))),
            Cut::Recursive => Ok(halves(layers)),
        }
    }

    /// Whether the last of several segments is plain burn's.
    pub(super) fn keeps_last(self) -> bool {
        self.keep_last
    }

    /// How a segment is cut in its turn when it runs again. Its last part is needed at once: there
    /// is nothing to gain from running that twice.
    pub(super) fn inside(self) -> Option<Self> {
        matches!(self.cut, Cut::Recursive).then(|| Self::recursive().keep_last())
    }
}

/// More segments were asked for than there are layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySegments {
    segments: usize,
    layers: usize,
}

impl fmt::Display for TooManySegments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segments, layers } = self;
        write!(
            f,
            "{segments} segments were asked for, but there are {layers} layers. Ask for at most as \
             many segments as layers, or for `every` so many layers."
        )
    }
}

impl std::error::Error for TooManySegments {}

fn chunks(layers: usize, size: usize) -> Vec<usize> {
    let whole = std::iter::repeat_n(size, layers / size);
    whole
        .chain(Some(layers % size).filter(|&rest| rest > 0))
        .collect()
}

/// The larger segments come first: what they keep is needed last.
fn balanced(layers: usize, segments: usize) -> Vec<usize> {
    (0..segments)
        .map(|index| layers / segments + usize::from(index < layers % segments))
        .collect()
}

fn halves(layers: usize) -> Vec<usize> {
    let mut rest = layers;
    std::iter::from_fn(|| {
        let half = rest.div_ceil(2);
        rest -= half;
        Some(half).filter(|&half| half > 0)
    })
    .collect()
}

fn rounded_sqrt(number: usize) -> usize {
    let root = number.isqrt();
    root + usize::from(number > root * (root + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up() {
        let all = [
            Segments::every(1),
            Segments::every(3),
            Segments::count(2),
            Segments::sqrt(),
            Segments::recursive(),
        ];
        for segments in all {
            for layers in 2..100 {
                let sizes = segments.sizes(layers).unwrap();
                assert_eq!(sizes.iter().sum::<usize>(), layers, "{segments:?}");
                assert!(sizes.iter().all(|&size| size > 0), "{segments:?} {layers}");
            }
        }
    }

    #[test]
    fn no_layers_are_no_segments() {
        for segments in [Segments::every(3), Segments::sqrt(), Segments::recursive()] {
            assert_eq!(segments.sizes(0), Ok(vec![]));
        }
        assert!(Segments::count(1).sizes(0).is_err());
    }

    #[test]
    fn a_root_is_the_nearest() {
        let roots = [1, 2, 3, 4, 6, 7, 12, 13, 64, 256].map(rounded_sqrt);
        assert_eq!(roots, [1, 1, 2, 2, 2, 3, 3, 4, 8, 16]);
    }

    #[test]
    fn balanced_segments_differ_by_one() {
        assert_eq!(balanced(10, 3), [4, 3, 3]);
        assert_eq!(balanced(7, 7), [1; 7]);
    }
}
