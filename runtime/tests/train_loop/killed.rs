//! A training that is killed again and again, and started with the same command, is the one that was not.

use crate::support::{Net, bits, linear, loader, turn};
use burn::module::{Module, ParamGroup};
use burn::optim::AdamWConfig;
use burn::tensor::Tensor;
use remat::amp::GradScalerConfig;
use remat::train::accumulator::{Accumulator, NonFinite, Schedule};
use remat::train::observe::{Observer, ObserverError};
use remat::train::{BatchNorms, LastWindow, MicroBatch, TrainError, TrainLoop, Update};

#[derive(Clone, Copy, Debug)]
struct Options {
    norms: fn() -> BatchNorms<Net>,
    last_window: LastWindow,
    non_finite: NonFinite,
    frozen: bool,
}

/// With windows of another size in every epoch.
fn training(seed: u64, options: Options) -> TrainLoop<Net> {
    let sizes = Schedule::constant(2).unwrap().from_epoch(1, 3).unwrap();
    let sizes = sizes.from_epoch(2, 1).unwrap();
    let scaler = GradScalerConfig::new().with_init_scale(1024.0);
    let scaler = scaler.with_growth_interval(2).with_hysteresis(2).init();
    let training = TrainLoop::new(Net::new(seed), AdamWConfig::new().init(), linear(9))
        .accumulator(Accumulator::scheduled(sizes).non_finite(options.non_finite))
        .amp(scaler.unwrap())
        .clip_grad_norm(0.3)
        .unwrap()
        .batch_norms((options.norms)())
        .last_window(options.last_window)
        .seed(9);
    if options.frozen {
        training.map_model(|net| net.freeze_group(ParamGroup::from_predicate("down")))
    } else {
        training
    }
}

type Item = (usize, Tensor<2>);

fn items(epoch: usize) -> impl Iterator<Item = Item> {
    (5 * epoch..).zip(loader(epoch))
}

/// Some have nothing to learn from, some are not finite, and of one only the scaled gradient is not.
fn forward(net: &Net, (i, x): Item) -> Option<MicroBatch> {
    let factor = match i {
        4 | 7 | 10 => return None,
        1 => f32::NAN,
        6 => 1e37,
        12 => f32::INFINITY,
        _ => 1.0,
    };
    let samples = x.dims()[0];
    let loss = (net.forward(x) - 0.5).square().mean() * factor;
    Some(MicroBatch::new(loss, 0.3 * samples as f64).samples(samples))
}

struct Killed {
    after: usize,
}

impl Observer for Killed {
    fn update(&mut self, update: &Update) -> Result<(), ObserverError> {
        match update.position.windows {
            windows if windows < self.after => Ok(()),
            _ => Err("killed".into()),
        }
    }
}

/// Trains to the end, in so many programs; each is killed a window after one that it has saved.
fn in_programs(options: Options, every: usize) -> (TrainLoop<Net>, usize) {
    let folder = tempfile::tempdir().unwrap();
    for program in 1.. {
        let training = training(program, options).resume_if_saved(folder.path());
        let training = training.unwrap();
        let after = training.position().windows + every + 1;
        let mut training = training
            .save_in(folder.path())
            .save_every(every)
            .unwrap()
            .observe(Killed { after });
        match training.run(4, items, forward) {
            Err(TrainError::Observer(_)) => {}
            ended => {
                ended.unwrap();
                return (training, program.try_into().unwrap());
            }
        }
    }
    unreachable!()
}

#[test]
fn all_programs_together_are_one() {
    let _turn = turn();
    let accumulated = || BatchNorms::accumulated(|net: &Net| vec![&net.norm]);
    let norms: [fn() -> _; 3] = [BatchNorms::as_is, BatchNorms::frozen, accumulated];
    for (i, norms) in norms.into_iter().enumerate() {
        for (last_window, non_finite) in [
            (LastWindow::Step, NonFinite::LeaveOut),
            (LastWindow::Drop, NonFinite::DropWindow),
        ] {
            let options = Options {
                norms,
                last_window,
                non_finite,
                frozen: i == 1,
            };
            let mut whole = training(1, options);
            whole.run(4, items, forward).unwrap();
            assert!(whole.position().skipped > 1);
            let (end, programs) = in_programs(options, 1 + i % 2);
            assert!(programs > 4);
            assert_eq!(end.position(), whole.position());
            // burn shows running statistics as they were before the last forward pass, unless this was called.
            let _ = (end.model().valid(), whole.model().valid());
            assert_eq!(bits(end.model()), bits(whole.model()), "{options:?}");
        }
    }
}
