//! What the gradient of a `relu` needs.

use super::sides::{Beyond, Sides};
use burn::tensor::Tensor;
use std::fmt;
use std::ops::Bound;

/// Where a tensor is above 0, in one bit an element: all that the gradient of a `relu` needs.
///
/// Clones share the bits. On a GPU, their number is rounded up to words of 32.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use remat::quantize::SignMask;
///
/// let device = Device::flex();
/// let x = Tensor::<1>::from_data([-1.0, 0.0, 2.0], &device);
/// let mask = SignMask::of(x);
/// let gradient = Tensor::<1>::from_data([5.0, 6.0, 7.0], &device);
/// assert_eq!(mask.apply(gradient).into_data().to_vec::<f32>().unwrap(), [0.0, 0.0, 7.0]);
/// assert_eq!(mask.bytes(), 1);
/// ```
#[derive(Clone)]
pub struct SignMask(Sides);

impl SignMask {
    /// The mask of a tensor, which may be a `relu`'s input or its output: exactly the elements whose gradient burn's own
    /// `relu` lets through, NaN among them.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor, activation::relu};
    /// use remat::quantize::SignMask;
    ///
    /// let device = Device::flex();
    /// let x = Tensor::<1>::from_data([-1.0, f32::NAN, 2.0], &device);
    /// let ones = Tensor::<1>::ones([3], &device);
    /// let of_input = SignMask::of(x.clone()).apply(ones.clone());
    /// let of_output = SignMask::of(relu(x)).apply(ones);
    /// assert_eq!(of_input.to_data().to_vec::<f32>().unwrap(), [0.0, 1.0, 1.0]);
    /// assert_eq!(of_output.to_data(), of_input.to_data());
    /// ```
    #[must_use]
    pub fn of<const D: usize>(tensor: Tensor<D>) -> Self {
        let above_0 = (Bound::Excluded(0.0), Bound::Unbounded);
        Self(Sides::within(tensor.inner(), above_0))
    }

    /// The gradient where the bit is set, and 0 elsewhere, also instead of infinity or NaN. Without a graph.
    ///
    /// # Panics
    ///
    /// If the gradient has another shape than the tensor.
    ///
    /// ```
    /// use burn::tensor::{DType, Device, Tensor};
    /// use remat::quantize::SignMask;
    ///
    /// let device = Device::flex();
    /// let mask = SignMask::of(Tensor::<1>::from_data([-1.0, 2.0], &device));
    /// // It may be of another type than the tensor.
    /// let gradient = Tensor::<1>::full([2], f32::INFINITY, (&device, DType::F16));
    /// let gradient = mask.apply(gradient).into_data();
    /// assert_eq!(gradient.iter::<f32>().collect::<Vec<_>>(), [0.0, f32::INFINITY]);
    /// ```
    #[must_use]
    pub fn apply<const D: usize>(&self, gradient: Tensor<D>) -> Tensor<D> {
        let (gradient, shape) = (gradient.inner(), self.0.shape());
        let given = gradient.shape();
        assert!(
            given == *shape,
            "remat: the mask of a tensor of shape {shape} is applied to a gradient of shape {given}"
        );
        self.0.apply(gradient, Beyond::Is(0.0))
    }

    /// The bytes that it holds.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use remat::quantize::SignMask;
    ///
    /// let x = Tensor::<2>::ones([10, 100], &Device::flex());
    /// assert_eq!(SignMask::of(x).bytes(), 125); // instead of 4000
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl fmt::Debug for SignMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignMask")
            .field("shape", self.0.shape())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
