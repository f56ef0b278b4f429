//! Parameters that only some micro-batches have a gradient for, or none: their moments begin at different steps.

use crate::support::{bits, device, linear, turn};
use burn::module::Module;
use burn::nn::{Embedding, EmbeddingConfig, Linear, LinearConfig};
use burn::optim::AdamWConfig;
use burn::tensor::{Int, Tensor};
use remat::amp::GradScalerConfig;
use remat::train::{MicroBatch, TrainLoop};

#[derive(Module, Debug)]
struct Branches {
    words: Embedding,
    often: Linear,
    seldom: Linear,
    never: Linear,
}

type Item = (usize, Tensor<2, Int>);

impl Branches {
    fn new(seed: u64) -> Self {
        let device = device();
        device.seed(seed);
        let layer = || LinearConfig::new(3, 2).init(&device);
        let branches = Self {
            words: EmbeddingConfig::new(9, 3).init(&device),
            often: layer(),
            seldom: layer(),
            never: layer(),
        };
        let _ = bits(&branches);
        branches
    }

    fn loss(&self, (i, words): Item) -> MicroBatch {
        let h = self.words.forward(words);
        let y = match i {
            4 => self.seldom.forward(h),
            i if i % 3 == 1 => self.often.forward(h),
            _ => h,
        };
        MicroBatch::new(y.square().mean(), i + 1)
    }
}

fn training(seed: u64) -> TrainLoop<Branches> {
    let scaler = GradScalerConfig::new().with_init_scale(3.0).init();
    TrainLoop::new(Branches::new(seed), AdamWConfig::new().init(), linear(30))
        .accumulate(3)
        .unwrap()
        .clip_grad_norm(0.5)
        .unwrap()
        .amp(scaler.unwrap())
        .seed(1)
}

fn loader(epoch: usize) -> impl Iterator<Item = Item> {
    let first = move |i| i32::try_from((i + epoch) % 9).unwrap();
    let words = move |i| Tensor::from_ints([[first(i), 2, 3]], &device());
    (0..8).map(move |i| (i, words(i)))
}

#[test]
fn a_training_goes_on_to_the_bit() {
    let _turn = turn();
    let mut whole = training(1);
    whole.run(3, loader, Branches::loss).unwrap();
    let before = bits(training(1).model());
    let moved = bits(whole.model());
    let moved: Vec<_> = moved.iter().zip(&before).map(|(a, b)| a != b).collect();
    // AdamW does not even decay what never has a gradient.
    assert_eq!(moved, [true, true, true, true, true, false, false]);

    for saved_after in [1, 2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let mut first = training(1);
        for item in loader(0).take(3 * saved_after) {
            first.micro_batch(|model| model.loss(item)).unwrap();
        }
        if saved_after == 3 {
            first.end_epoch().unwrap();
        }
        first.save(folder.path()).unwrap();
        let mut second = training(2).resume(folder.path()).unwrap();
        assert_eq!(second.position().windows, saved_after);
        second.run(3, loader, Branches::loss).unwrap();
        assert_eq!(bits(second.model()), bits(whole.model()), "{saved_after}");
    }
}
