//! Reading from a device, which waits for it: what is wanted at one time is read at once.

use burn::tensor::kind::{Basic, Transaction as Readable};
use burn::tensor::{Device, Tensor, TensorData, Transaction};
use std::mem;
use std::vec::IntoIter;

/// Tensors that are read together.
#[derive(Default)]
pub(crate) struct Reads {
    device: Option<Device>,
    transaction: Transaction,
}

impl Reads {
    /// Tensors of other devices are copied to that of the first.
    pub(crate) fn add<const D: usize, K: Basic + Readable>(&mut self, tensor: Tensor<D, K>) {
        let device = self.device.get_or_insert_with(|| tensor.device());
        let tensor = tensor.to_device(device);
        self.transaction = mem::take(&mut self.transaction).register(tensor);
    }

    /// The values, in the order in which the tensors were added.
    pub(crate) fn execute(self) -> IntoIter<TensorData> {
        if self.device.is_none() {
            return Vec::new().into_iter();
        }
        #[cfg(test)]
        count::one();
        self.transaction.execute().into_iter()
    }
}

/// Reads a tensor that is wanted alone.
pub(crate) fn one<const D: usize, K: Basic + Readable>(tensor: Tensor<D, K>) -> TensorData {
    let mut reads = Reads::default();
    reads.add(tensor);
    let read = reads.execute().next();
    read.expect("what was added is read")
}

/// How often this thread has read.
#[cfg(test)]
pub(crate) mod count {
    use std::cell::Cell;

    thread_local!(static READS: Cell<usize> = const { Cell::new(0) });

    pub(super) fn one() {
        READS.set(READS.get() + 1);
    }

    /// The reads of `work`.
    pub(crate) fn of(work: impl FnOnce()) -> usize {
        let before = READS.get();
        work();
        READS.get() - before
    }
}
