//! Clipping of gradients, by what they come to and what they allocate. Bytes are counted for the whole process, so tests
//! take turns.

#![cfg(not(cube))]

use burn::module::{Module, Param, ParamId};
use burn::optim::{AdamWConfig, GradientsParams};
use burn::tensor::{DType, Device, Tensor};
use remat::memory::{Tracking, measure};
use remat::train::{clip_grad_norm, clip_grad_value};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: Tracking = Tracking::new();

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parameters of several ranks; `tied` may be `vector` again.
#[derive(Module, Debug)]
struct Model {
    vector: Param<Tensor<1>>,
    matrix: Param<Tensor<2>>,
    tied: Param<Tensor<1>>,
}

impl Model {
    /// Of `rows` x 4 elements in the matrix, and 4 in each vector.
    fn new(rows: usize) -> Self {
        let device = Device::flex().autodiff();
        let vector = Param::initialized(ParamId::new(), Tensor::ones([4], &device));
        Self {
            tied: vector.clone(),
            vector,
            matrix: Param::initialized(ParamId::new(), Tensor::ones([rows, 4], &device)),
        }
    }

    /// Every element of a gradient is the same.
    fn gradients(&self, of: [f64; 2], dtype: DType) -> GradientsParams {
        let device = Device::flex();
        let mut grads = GradientsParams::new();
        let vector = Tensor::<1>::full([4], of[0], (&device, dtype));
        grads.register(self.vector.id, vector);
        let matrix = Tensor::<2>::full(self.matrix.shape(), of[1], (&device, dtype));
        grads.register(self.matrix.id, matrix);
        grads
    }

    fn first_elements(&self, grads: &GradientsParams) -> [f32; 2] {
        let vector = grads.get::<1>(self.vector.id).unwrap().into_data();
        let matrix = grads.get::<2>(self.matrix.id).unwrap().into_data();
        [vector, matrix].map(|data| data.iter::<f32>().next().unwrap())
    }
}

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// 4 elements of 3 and 4 of 4: the root of 36 + 64. With the tied vector twice it would be the root of 136.
#[test]
fn the_norm_is_that_of_all_gradients_and_counts_each_once() {
    let _turn = turn();
    let model = Model::new(1);
    for dtype in DTYPES {
        let mut grads = model.gradients([3.0, 4.0], dtype);
        assert_eq!(clip_grad_norm(&mut grads, &model, 10.0), 10.0);
        assert_eq!(model.first_elements(&grads), [3.0, 4.0], "{dtype:?}");
        assert_eq!(clip_grad_norm(&mut grads, &model, 5.0), 10.0);
        assert_eq!(model.first_elements(&grads), [1.5, 2.0], "{dtype:?}");
        assert_eq!(clip_grad_norm(&mut grads, &model, f32::INFINITY), 5.0);
    }
}

/// The square of 300 is no f16, and 8 x 2^24 + 1 no bf16.
#[test]
fn norms_of_half_precision_are_summed_in_f32() {
    let _turn = turn();
    let model = Model::new(1);
    let mut grads = model.gradients([300.0, 400.0], DType::F16);
    assert_eq!(clip_grad_norm(&mut grads, &model, 100.0), 1000.0);
    assert_eq!(model.first_elements(&grads), [30.0, 40.0]);
    let model = Model::new(1000);
    let mut grads = model.gradients([1.0, 1.0], DType::BF16);
    assert_eq!(clip_grad_norm(&mut grads, &model, 1e9), 4004.0_f32.sqrt());
}

#[test]
fn what_is_not_finite_is_returned_and_left_alone() {
    let _turn = turn();
    let model = Model::new(1);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut grads = model.gradients([bad, 4.0], DType::F32);
        let norm = clip_grad_norm(&mut grads, &model, 1.0);
        assert_eq!(norm.is_nan(), bad.is_nan());
        assert!(!norm.is_finite());
        assert_eq!(model.first_elements(&grads)[1], 4.0);
    }
}

#[test]
fn values_are_limited_and_nan_stays() {
    let _turn = turn();
    let model = Model::new(1);
    for dtype in DTYPES {
        let mut grads = model.gradients([-3.0, 0.5], dtype);
        clip_grad_value(&mut grads, &model, 2.0);
        assert_eq!(model.first_elements(&grads), [-2.0, 0.5], "{dtype:?}");
        let mut grads = model.gradients([f64::NAN, f64::INFINITY], dtype);
        clip_grad_value(&mut grads, &model, 2.0);
        let [nan, infinity] = model.first_elements(&grads);
        assert!(nan.is_nan() && infinity == 2.0, "{dtype:?}");
    }
}

/// S09: parameters without gradients, which are none of the norm's.
#[test]
fn s09_without_gradients_nothing_happens() {
    let _turn = turn();
    let model = Model::new(1);
    let mut grads = GradientsParams::new();
    assert_eq!(clip_grad_norm(&mut grads, &model, 1.0), 0.0);
    clip_grad_value(&mut grads, &model, 1.0);
    assert!(grads.is_empty());

    let mut grads = model.gradients([3.0, 4.0], DType::F32);
    grads.remove::<2>(model.matrix.id);
    assert_eq!(clip_grad_norm(&mut grads, &model, 3.0), 6.0);
    assert_eq!(grads.len(), 1);
}

#[test]
fn a_limit_that_is_none_is_refused_and_loses_nothing() {
    let _turn = turn();
    let model = Model::new(1);
    let mut grads = model.gradients([3.0, 4.0], DType::F32);
    for limit in [0.0, -1.0, f32::NAN] {
        let mut refused = |clip: fn(&mut GradientsParams, &Model, f32)| {
            let clip = std::panic::AssertUnwindSafe(|| clip(&mut grads, &model, limit));
            let panic = std::panic::catch_unwind(clip).unwrap_err();
            let message = panic.downcast::<String>().unwrap();
            assert!(message.contains("must be above 0, but it is"), "{message}");
        };
        refused(|grads, model, limit| {
            clip_grad_norm(grads, model, limit);
        });
        refused(clip_grad_value);
    }
    assert_eq!(model.first_elements(&grads), [3.0, 4.0]);
}

const ROWS: usize = 1 << 16;

/// The most that a call holds beyond what was there before it, in buffers of the matrix.
fn peak<R>(call: impl FnOnce() -> R) -> f64 {
    let (result, report) = measure(&Device::flex(), call);
    drop(result);
    report.peak().unwrap() as f64 / (ROWS * 4 * 4) as f64
}

#[test]
fn clipping_takes_at_most_one_temporary() {
    let _turn = turn();
    let model = Model::new(ROWS);
    let mut grads = model.gradients([1.0, 1.0], DType::F32);
    let _ = clip_grad_norm(&mut grads, &model, 10.0);

    let norm = peak(|| clip_grad_norm(&mut grads, &model, 1.0));
    assert!((0.9..1.1).contains(&norm), "the squares: {norm}");
    let value = peak(|| clip_grad_value(&mut grads, &model, 1e-6));
    assert!(value < 0.1, "in place: {value}");

    let mut grads = model.gradients([1.0, 1.0], DType::BF16);
    let norm = peak(|| clip_grad_norm(&mut grads, &model, 1.0));
    assert!(norm < 2.1, "an f32 copy of bf16, and its squares: {norm}");
}

/// burn's own, of the matrix alone: what is there from the second step on.
#[test]
fn a_step_of_adamw_takes_at_most_one_temporary() {
    let _turn = turn();
    let mut model = Some(Model::new(ROWS));
    let mut optimizer = AdamWConfig::new().init();
    let mut step = || {
        let before = model.take().unwrap();
        let grads = before.gradients([1.0, 1.0], DType::F32);
        peak(|| model = Some(optimizer.step(1e-3, before, grads)))
    };
    // The two moments, which stay, and a temporary.
    let first = step();
    let later = step();
    assert!((2.9..3.1).contains(&first), "{first}");
    assert!((0.9..1.1).contains(&later), "{later}");
}
