//! Text from a trained model.

use burn::module::Module;
use burn::tensor::Device;
use burn::tensor::activation::softmax;
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::rngs::StdRng;

use super::text::numbers;
use super::{Gpt, Settings, Text};

/// Below 1, likely characters become likelier: a model that has seen little makes fewer errors.
const TEMPERATURE: f64 = 0.7;

/// Lets the model write `count` characters, from the first one of its text on.
///
/// The model sees the whole window again for each of them, which is slow but needs no cache.
#[must_use]
pub fn generate(
    model: &Gpt,
    settings: &Settings,
    text: &Text,
    device: &Device,
    count: usize,
) -> String {
    let model = model.valid();
    let device = device.clone().without_autodiff();
    let mut random = StdRng::seed_from_u64(settings.seed);
    let mut written = vec![text.first()];
    while written.len() <= count {
        let window = &written[written.len().saturating_sub(settings.seq)..];
        let tokens = numbers(window.iter().copied(), [1, window.len()], &device);
        let scores = model.forward(tokens);
        let last = scores.narrow(1, window.len() - 1, 1);
        let chances: Vec<f32> = softmax(last / TEMPERATURE, 2).to_data().iter().collect();
        match pick(&chances, &mut random) {
            Some(character) => written.push(character),
            None => break, // a training that went astray: every score is NaN
        }
    }
    text.decode(&written)
}

/// A place, as likely as its weight says; `None` if the weights are not numbers.
fn pick(weights: &[f32], random: &mut StdRng) -> Option<usize> {
    Some(WeightedIndex::new(weights).ok()?.sample(random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_follow_the_weights() {
        let mut random = StdRng::seed_from_u64(0);
        let picks: Vec<_> = (0..1000)
            .filter_map(|_| pick(&[0.0, 3.0, 1.0], &mut random))
            .collect();
        let ones = picks.iter().filter(|pick| **pick == 1).count();
        assert_eq!(picks.len(), 1000);
        assert!((700..800).contains(&ones), "{ones}");
        assert!(!picks.contains(&0));
    }

    #[test]
    fn weights_that_are_not_numbers_pick_nothing() {
        assert_eq!(
            pick(&[f32::NAN, f32::NAN], &mut StdRng::seed_from_u64(0)),
            None
        );
    }
}
