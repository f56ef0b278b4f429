//! Counting live bytes in a process that does other things as well: the test harness allocates when it likes, and a table of
//! burn's grows in some round or other, since its hashes are random. What happens once is not what the tests are about, so
//! they compare medians.

use burn::tensor::{Device, Tensor};
use remat::memory::{live_bytes, measure};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs the test on a thread of its own, which is gone before the next one measures: what the kernels keep for each thread
/// is freed with it.
pub fn alone(test: fn()) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(panic) = thread::spawn(test).join() {
        resume_unwind(panic);
    }
}

pub fn device() -> Device {
    Device::flex().autodiff()
}

/// Before counting, lazy parameters, thread pools and tables come to their size.
const WARM_UP: usize = 2;

/// The bytes that `work` leaves each time it runs.
pub fn left_by(mut work: impl FnMut()) -> i64 {
    let mut round = || {
        let before = live_bytes().unwrap();
        work();
        live_bytes().unwrap() as i64 - before as i64
    };
    (0..WARM_UP).for_each(|_| _ = round());
    median((0..9).map(|_| round()))
}

/// What a call holds when it returns, and the most that it held meanwhile, in bytes beyond its input.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub retained: f64,
    pub peak: f64,
}

impl Cost {
    /// In units of so many bytes.
    pub fn per(self, bytes: usize) -> Self {
        Self {
            retained: self.retained / bytes as f64,
            peak: self.peak / bytes as f64,
        }
    }
}

/// Of a call whose input is there before. What it gives runs backward afterwards: burn keeps the graphs of dropped outputs
/// until then.
pub fn cost_on<I, const D: usize>(input: impl Fn() -> I, call: impl Fn(I) -> Tensor<D>) -> Cost {
    let round = || {
        let x = input();
        let (y, report) = measure(&device(), || call(x));
        let _ = y.sum().backward();
        (report.retained().unwrap(), report.peak().unwrap())
    };
    (0..WARM_UP).for_each(|_| _ = round());
    let rounds = [(); 3].map(|()| round());
    Cost {
        retained: median(rounds.map(|(retained, _)| retained)) as f64,
        peak: median(rounds.map(|(_, peak)| peak)) as f64,
    }
}

pub fn cost<const D: usize>(forward: impl Fn() -> Tensor<D>) -> Cost {
    cost_on(|| (), |()| forward())
}

/// What a whole step needs at most, in bytes.
pub fn peak<T>(mut step: impl FnMut() -> T) -> f64 {
    let mut round = || {
        let (_value, report) = measure(&device(), &mut step);
        report.peak().unwrap()
    };
    (0..WARM_UP).for_each(|_| _ = round());
    median((0..3).map(|_| round())) as f64
}

pub fn median<N: Copy + Ord>(values: impl IntoIterator<Item = N>) -> N {
    let mut values: Vec<N> = values.into_iter().collect();
    values.sort_unstable();
    values[values.len() / 2]
}

/// A leak in each round is seen, growth in a few is not.
#[test]
fn what_stays_once_is_not_left_each_time() {
    alone(|| {
        let mut kept = Vec::with_capacity(100);
        let mut rounds = 0;
        let left = left_by(|| {
            rounds += 1;
            if rounds % 4 == 0 {
                kept.push(vec![1_u8; 1000]);
            }
        });
        assert_eq!(left, 0);
        assert_eq!(left_by(|| kept.push(vec![1_u8; 7])), 7);
    });
}
