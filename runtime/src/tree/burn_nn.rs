//! What burn's layers take and give, as far as burn lets one look inside.

use super::{TensorMapper, TensorTree, TensorVisitor};
use burn::nn::attention::MhaOutput;
use burn::nn::{LstmState, RnnState};

macro_rules! fields {
    ($($output:ident $(<$D:ident>)? { $($field:ident),+ })*) => {$(
        impl $(<const $D: usize>)? TensorTree for $output $(<$D>)? {
            fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
                $(self.$field.visit_tensors(visitor);)+
            }

            fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
                Self { $($field: self.$field.map_tensors(mapper)),+ }
            }
        }
    )*};
}

fields! {
    MhaOutput { weights, context }
    LstmState<D> { cell, hidden }
    RnnState<D> { hidden }
}
