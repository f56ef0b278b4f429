//! Parameters that are cast once for several calls.

use super::super::segment::Context;
use crate::tape::{Parent, ParentId, record};
use burn::backend::DispatchTensor;
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{DType, FloatDType, Tensor};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// While it is open, each parameter of a module is cast once for all calls of [`autocast`](crate::autocast()) and
/// [`autocast_attention`](crate::autocast_attention): for a layer that is called several times in one forward pass, or a
/// weight that several layers share. Open it in front of the first call, and let it go where the forward pass ends.
///
/// `#[remat::forward]` writes one at the top of a method that calls an `#[autocast(..)]` field in several places, or in a
/// loop or closure. A weight that two fields share is only seen by hand.
///
/// * Numbers: those without the scope, to the bit. Calls share the cast's value and not its place in the graph: each
///   sends its own gradient to the parameter, in the parameter's dtype, so that nothing is summed in 16 bits. (`PyTorch`
///   shares both in its cache, and sums there.)
/// * Memory: 2 bytes a parameter, from its first call to the end of the scope; with a frozen one also from there to
///   the backward pass, but once instead of once a call. For what is trained the backward pass casts again, call by call.
/// * It knows parameters by their place in the graph, so one that was changed is another. Segments
///   ([`checkpoint`](crate::checkpoint()), [`recompute`](crate::recompute())) run copies of their modules: a scope outside
///   does not reach in, and one that is opened inside, by a method that runs there, is one of that run.
/// * It is of one thread. Scopes may be nested; each parameter is kept until the outermost that it is in ends. On devices
///   without autodiff tensors have no place in a graph, and each call casts.
///
/// ```
/// use burn::nn::LinearConfig;
/// use burn::tensor::{Device, Tensor};
/// use remat::amp::{CastScope, Precision};
///
/// let device = Device::flex().autodiff();
/// let cell = LinearConfig::new(4, 4).init(&device);
/// let mut x = Tensor::<2>::ones([2, 4], &device);
///
/// let casts = CastScope::of(&cell);
/// for _ in 0..3 {
///     x = remat::autocast(Precision::BF16, &cell, (x,), |cell, (x,)| cell.forward(x)).tanh();
/// }
/// drop(casts); // before the backward pass, which has no use for them
/// assert!(cell.weight.val().grad(&x.sum().backward()).is_some());
/// ```
#[derive(Debug)]
#[must_use = "casts are shared for as long as it lives: `let _casts = CastScope::of(..);`"]
pub struct CastScope(Rc<Casts>);

#[derive(Debug, Default)]
struct Casts {
    parameters: HashSet<ParentId>,
    values: RefCell<HashMap<(ParentId, DType), DispatchTensor>>,
}

thread_local! {
    /// The open scopes, outermost first.
    static OPEN: RefCell<Vec<Rc<Casts>>> = const { RefCell::new(Vec::new()) };
}

impl CastScope {
    /// Opens a scope for the module's parameters.
    ///
    /// ```
    /// use burn::module::Module;
    /// use burn::nn::{Linear, LinearConfig};
    /// use burn::tensor::{Device, Tensor};
    /// use remat::amp::{CastScope, Precision};
    ///
    /// #[derive(Module, Debug)]
    /// struct Tied {
    ///     encoder: Linear,
    ///     decoder: Linear,
    /// }
    ///
    /// impl Tied {
    ///     fn forward(&self, x: Tensor<2>) -> Tensor<2> {
    ///         let _casts = CastScope::of(self);
    ///         let each = |layer, x| remat::autocast(Precision::BF16, layer, (x,), |layer: &Linear, (x,)| layer.forward(x));
    ///         each(&self.decoder, each(&self.encoder, x).tanh())
    ///     }
    /// }
    ///
    /// let device = Device::flex().autodiff();
    /// let encoder = LinearConfig::new(4, 4).init(&device);
    /// let model = Tied { decoder: encoder.clone(), encoder };
    /// let gradients = model.forward(Tensor::ones([2, 4], &device)).sum().backward();
    /// assert!(model.encoder.weight.val().grad(&gradients).is_some());
    /// ```
    pub fn of<M: Module>(module: &M) -> Self {
        let mut parameters = Parameters::default();
        module.visit(&mut parameters);
        let casts = Rc::new(Casts {
            parameters: parameters.0,
            values: RefCell::default(),
        });
        OPEN.with_borrow_mut(|open| open.push(Rc::clone(&casts)));
        Self(casts)
    }
}

impl Drop for CastScope {
    fn drop(&mut self) {
        // Not the last one: two guards of one function may go in any order. After the thread's own values, none is left.
        let _ = OPEN.try_with(|open| {
            open.borrow_mut()
                .retain(|casts| !Rc::ptr_eq(casts, &self.0));
        });
    }
}

#[derive(Default)]
struct Parameters(HashSet<ParentId>);

impl ModuleVisitor for Parameters {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.extend(ParentId::of(&param.base()));
    }
}

/// The tensor in another precision: burn's cast, or one with the value that an open scope has.
pub(super) fn cast<const D: usize>(tensor: &Tensor<D>, dtype: FloatDType) -> Tensor<D> {
    match shared(tensor, dtype) {
        Some(value) => with_value(tensor, value),
        None => tensor.clone().cast(dtype),
    }
}

/// The value of the cast, if a scope is open for the tensor: the outermost one keeps it.
fn shared<const D: usize>(tensor: &Tensor<D>, dtype: FloatDType) -> Option<Tensor<D>> {
    let id = ParentId::of(tensor)?;
    OPEN.with_borrow(|open| {
        let casts = open.iter().find(|casts| casts.parameters.contains(&id))?;
        let mut values = casts.values.borrow_mut();
        let value = values.entry((id, dtype.into()));
        let value = value.or_insert_with(|| tensor.clone().inner().cast(dtype).into_dispatch());
        Some(Tensor::from_dispatch(value.clone()))
    })
}

/// A cast of the tensor in its graph, whose value is there already.
fn with_value<const D: usize>(tensor: &Tensor<D>, value: Tensor<D>) -> Tensor<D> {
    let Some(parent) = Parent::of(tensor) else {
        return Context::of(tensor).constant(value);
    };
    let dtype = FloatDType::from(tensor.dtype());
    let mut node = record(vec![parent], move |mut outputs, parents| {
        if let Some(gradient) = outputs.take::<D>(0) {
            parents.set(0, gradient.cast(dtype));
        }
    });
    node.output(value)
}
