//! Trees made of trees.

use super::{TensorMapper, TensorTree, TensorVisitor};

impl<T: TensorTree> TensorTree for Option<T> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        if let Some(tree) = self {
            tree.visit_tensors(visitor);
        }
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        self.as_ref().map(|tree| tree.map_tensors(mapper))
    }
}

/// The output of a layer that may fail.
impl<T: TensorTree, E: Clone> TensorTree for Result<T, E> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        if let Ok(tree) = self {
            tree.visit_tensors(visitor);
        }
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        match self {
            Ok(tree) => Ok(tree.map_tensors(mapper)),
            Err(error) => Err(error.clone()),
        }
    }
}

impl<T: TensorTree> TensorTree for Vec<T> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        for tree in self {
            tree.visit_tensors(visitor);
        }
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        self.iter().map(|tree| tree.map_tensors(mapper)).collect()
    }
}

impl<T: TensorTree, const N: usize> TensorTree for [T; N] {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        for tree in self {
            tree.visit_tensors(visitor);
        }
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        self.each_ref().map(|tree| tree.map_tensors(mapper))
    }
}

impl<T: TensorTree> TensorTree for Box<T> {
    fn visit_tensors<V: TensorVisitor>(&self, visitor: &mut V) {
        T::visit_tensors(self, visitor);
    }

    fn map_tensors<M: TensorMapper>(&self, mapper: &mut M) -> Self {
        Box::new(T::map_tensors(self, mapper))
    }
}

macro_rules! tuples {
    ($($tree:ident . $index:tt),+) => {
        impl<$($tree: TensorTree),+> TensorTree for ($($tree,)+) {
            fn visit_tensors<Visitor: TensorVisitor>(&self, visitor: &mut Visitor) {
                $(self.$index.visit_tensors(visitor);)+
            }

            fn map_tensors<Mapper: TensorMapper>(&self, mapper: &mut Mapper) -> Self {
                ($(self.$index.map_tensors(mapper),)+)
            }
        }
    };
}

tuples!(A.0);
tuples!(A.0, B.1);
tuples!(A.0, B.1, C.2);
tuples!(A.0, B.1, C.2, D.3);
tuples!(A.0, B.1, C.2, D.3, E.4);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10);
tuples!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7, I.8, J.9, K.10, L.11);
