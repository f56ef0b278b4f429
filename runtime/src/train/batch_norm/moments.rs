//! Mean and variance of several micro-batches, as of all their samples.

use super::running::Statistics;
use burn::tensor::{Bool, Tensor};

/// The samples so far, their mean, and the sum of their squared distances from it, for each channel; nothing at first.
#[derive(Default)]
pub(super) struct Moments(Option<Sums>);

struct Sums {
    count: Tensor<1>,
    mean: Tensor<1>,
    squares: Tensor<1>,
}

impl Moments {
    /// Adds the statistics of a micro-batch, which are known from how they have moved the running ones: Chan's formula.
    ///
    /// A layer of which nothing moved did not run, and is left out; so are channels that are not finite.
    pub(super) fn add(
        &mut self,
        before: &Statistics,
        after: &Statistics,
        momentum: f64,
        samples: f64,
    ) {
        if momentum == 0.0 {
            return;
        }
        let batch = |before: &Tensor<1>, after: &Tensor<1>| {
            (after.clone() - before.clone() * (1.0 - momentum)) / momentum
        };
        let mean = batch(&before.mean, &after.mean);
        let variance = batch(&before.variance, &after.variance).clamp_min(0.0);
        let left_out = left_out(before, after, &mean, &variance);
        let mean = mean.mask_fill(left_out.clone(), 0.0);
        let variance = variance.mask_fill(left_out.clone(), 0.0);

        let sums = self.0.take().unwrap_or_else(|| Sums::none(&mean));
        self.0 = Some(sums.add(left_out.bool_not().float() * samples, mean, variance));
    }

    /// Running statistics after one update by all samples.
    pub(super) fn moved(self, running: Statistics, momentum: f64) -> Statistics {
        let Some(Sums {
            count,
            mean,
            squares,
        }) = self.0
        else {
            return running;
        };
        let none = count.clone().equal_elem(0.0);
        let moved = |running: Tensor<1>, batch: Tensor<1>| {
            let moved = running.clone() * (1.0 - momentum) + batch * momentum;
            moved.mask_where(none.clone(), running)
        };
        Statistics {
            mean: moved(running.mean, mean),
            variance: moved(running.variance, squares / count),
        }
    }
}

impl Sums {
    fn none(like: &Tensor<1>) -> Self {
        Self {
            count: like.zeros_like(),
            mean: like.zeros_like(),
            squares: like.zeros_like(),
        }
    }

    fn add(self, count: Tensor<1>, mean: Tensor<1>, variance: Tensor<1>) -> Self {
        let all = self.count.clone() + count.clone();
        // Without any sample all is 0: nothing is added, whatever the share.
        let share = count.clone() / all.clone().clamp_min(f32::MIN_POSITIVE);
        let distance = mean - self.mean.clone();
        let between = distance.clone() * distance.clone() * self.count * share.clone();
        Self {
            mean: self.mean + distance * share,
            squares: self.squares + variance * count + between,
            count: all,
        }
    }
}

/// Of the layer, not of each channel, it is asked whether it ran: one that is always 0 does not move once it is there.
fn left_out(
    before: &Statistics,
    after: &Statistics,
    mean: &Tensor<1>,
    variance: &Tensor<1>,
) -> Tensor<1, Bool> {
    let same = |before: &Tensor<1>, after: &Tensor<1>| after.clone().equal(before.clone());
    let unmoved = same(&before.mean, &after.mean).bool_and(same(&before.variance, &after.variance));
    let finite = mean
        .clone()
        .is_finite()
        .bool_and(variance.clone().is_finite());
    let channels = unmoved.dims();
    unmoved.all().expand(channels).bool_or(finite.bool_not())
}
