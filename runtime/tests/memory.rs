//! `remat::memory` in a program that has the counting allocator.

use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

use burn::tensor::{Device, Tensor};
use remat::memory::{Report, Source, Tracking, live_bytes, measure};

#[global_allocator]
static ALLOC: Tracking = Tracking::new();

const KIB: usize = 1 << 10;

/// The counters are the program's: two tests at once would count each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures until two measurements in a row agree: the test harness allocates too, on its own
/// thread and at its own times.
fn settled<T>(mut work: impl FnMut() -> T) -> (Option<isize>, Option<usize>) {
    let mut once = || {
        let (_value, report) = measure(&Device::flex(), &mut work);
        (report.retained(), report.peak())
    };
    let mut last = once();
    for _ in 0..100 {
        let next = once();
        if next == last {
            return next;
        }
        last = next;
    }
    panic!("a hundred measurements, and no two agree: the last is {last:?}");
}

#[test]
fn counts_a_known_allocation_to_the_byte() {
    let _alone = alone();
    assert_eq!(settled(|| vec![1_u8; 12_345]), (Some(12_345), Some(12_345)));
    assert_eq!(settled(|| vec![0_u64; 1000]), (Some(8000), Some(8000)));
    assert_eq!(settled(|| ()), (Some(0), Some(0)));
}

#[test]
fn the_peak_is_of_what_was_live_at_once() {
    let _alone = alone();
    let (retained, peak) = settled(|| {
        drop(vec![1_u8; 3 * KIB]);
        let kept = vec![1_u8; KIB];
        drop(vec![1_u8; KIB]);
        kept
    });
    assert_eq!((retained, peak), (Some(1024), Some(3 * KIB)));
}

#[test]
fn reallocation_counts_the_difference() {
    let _alone = alone();
    let (retained, peak) = settled(|| {
        let mut v = Vec::<u8>::with_capacity(4 * KIB);
        v.push(1);
        v.reserve_exact(8 * KIB - 1);
        v.shrink_to(2 * KIB);
        v
    });
    assert_eq!((retained, peak), (Some(2048), Some(8 * KIB)));
}

#[test]
fn freeing_what_was_there_before_is_negative() {
    let _alone = alone();
    let mut before = Some(vec![1_u8; 1 << 20]);
    let ((), report) = measure(&Device::flex(), || drop(before.take()));
    assert!(report.retained().unwrap() < 0, "{report:?}");
    assert!(report.after() < report.before());
}

#[test]
fn counts_every_thread() {
    let _alone = alone();
    let (retained, peak) = settled(|| {
        let barrier = Barrier::new(4);
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| {
                scope.spawn(|| {
                    let scratch = vec![1_u8; 1 << 20];
                    barrier.wait();
                    drop(scratch);
                    vec![1_u8; 1 << 18]
                })
            });
            threads.map(|thread| thread.join().unwrap())
        })
    });
    // A thread brings a few hundred bytes of its own.
    assert!(retained.unwrap().unsigned_abs().abs_diff(1 << 20) < 64 * KIB);
    assert!(peak.unwrap().abs_diff(4 << 20) < 64 * KIB);
}

#[test]
fn a_nested_measurement_takes_nothing_from_the_outer_one() {
    let _alone = alone();
    let mut inner = None;
    let outer = settled(|| {
        drop(vec![1_u8; 64 * KIB]);
        let kept = vec![1_u8; KIB];
        let ((), report) = measure(&Device::flex(), || drop(vec![1_u8; 2 * KIB]));
        inner = report.peak();
        kept
    });
    assert_eq!(outer, (Some(1024), Some(64 * KIB)));
    assert_eq!(inner, Some(2 * KIB));

    let outer = settled(|| measure(&Device::flex(), || vec![1_u8; 2 * KIB]).0);
    assert_eq!(outer, (Some(2048), Some(2 * KIB)));
}

#[test]
fn overlapping_measurements_keep_their_own_peaks() {
    let _alone = alone();
    let turn = Barrier::new(2);
    let report = |report: Report| report.peak().unwrap();
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            let ((), first) = measure(&Device::flex(), || {
                drop(vec![1_u8; 4 << 20]);
                turn.wait(); // the second begins
                turn.wait(); // the second has begun
            });
            turn.wait(); // the first has ended
            report(first)
        });
        let second = scope.spawn(|| {
            turn.wait();
            let ((), second) = measure(&Device::flex(), || {
                turn.wait();
                turn.wait();
                drop(vec![1_u8; 1 << 20]);
            });
            report(second)
        });
        (first.join().unwrap(), second.join().unwrap())
    });
    // The test harness and the two threads allocate and free a little meanwhile.
    assert!(first.abs_diff(4 << 20) < 64 * KIB, "{first}");
    assert!(second.abs_diff(1 << 20) < 64 * KIB, "{second}");
}

#[test]
fn a_panic_leaves_no_measurement_behind() {
    let _alone = alone();
    let panicked = std::panic::catch_unwind(|| {
        measure(&Device::flex(), || -> () {
            std::panic::resume_unwind(Box::new(()))
        })
    });
    assert!(panicked.is_err());
    assert_eq!(settled(|| vec![1_u8; KIB]), (Some(1024), Some(KIB)));
}

#[test]
fn counts_a_tensor_of_flex() {
    let _alone = alone();
    let device = Device::flex();
    let (retained, _) = settled(|| Tensor::<2>::ones([300, 500], &device));
    let data = 300 * 500 * 4;
    // The shape, the strides and the reference counts.
    assert!((data..data + 1024).contains(&retained.unwrap()));
}

#[test]
fn what_is_live_follows_what_is_held() {
    let _alone = alone();
    let before = live_bytes().unwrap();
    let held = vec![1_u8; 1 << 20];
    let with = live_bytes().unwrap();
    drop(held);
    let after = live_bytes().unwrap();
    // The test harness allocates and frees a little meanwhile.
    assert!(with.abs_diff(before) > (1 << 20) - 64 * KIB);
    assert!(after.abs_diff(before) < 64 * KIB);
}

#[test]
fn says_where_the_numbers_come_from() {
    let _alone = alone();
    let ((), report) = measure(&Device::flex(), || ());
    assert_eq!(report.source(), Some(Source::Allocator));
}

#[cfg(feature = "wgpu")]
#[test]
fn a_memory_pool_is_read_at_the_edges() {
    use burn::tensor::DeviceKind;

    let _alone = alone();
    let device = Device::wgpu(DeviceKind::DefaultDevice).autodiff();
    let (kept, report) = measure(&device, || {
        let _scratch = Tensor::<2>::ones([1024, 1024], &device);
        Tensor::<2>::ones([512, 512], &device)
    });
    assert_eq!(report.source(), Some(Source::Pool));
    assert_eq!(report.retained(), Some(1 << 20));
    assert_eq!(report.peak(), None);

    let ((), report) = measure(&device, || drop(kept));
    assert_eq!(report.retained(), Some(-(1 << 20)));
}
