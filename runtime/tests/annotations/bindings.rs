//! Names that are bound to layers.

use crate::counting::{Counting, check, input, layer};
use crate::support::loss;
use burn::module::Module;
use burn::tensor::Tensor;
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Block {
    #[checkpoint]
    up: Counting,
    #[checkpoint]
    layers: Vec<Counting>,
    #[checkpoint]
    maybe: Option<Counting>,
    #[checkpoint]
    absent: Option<Counting>,
    plain: Counting,
    others: Vec<Counting>,
}

impl Block {
    fn new() -> Self {
        Self {
            up: layer(),
            layers: vec![layer(), layer(), layer()],
            maybe: Some(layer()),
            absent: None,
            plain: layer(),
            others: vec![layer(), layer(), layer()],
        }
    }
}

/// The test of a method: which layers it runs, annotated and not.
macro_rules! check {
    ($method:ident, $twice:expr, $once:expr) => {
        #[test]
        fn $method() {
            let (model, x) = (Block::new(), input());
            let (twice, once): (fn(&Block) -> Vec<&Counting>, fn(&Block) -> Vec<&Counting>) =
                ($twice, $once);
            check(
                &model,
                |model| loss(model.$method(x.clone())),
                twice(&model),
                once(&model),
            );
        }
    };
}

fn all(model: &Block) -> Vec<&Counting> {
    model.layers.iter().collect()
}

fn others(model: &Block) -> Vec<&Counting> {
    model.others.iter().collect()
}

fn none(_: &Block) -> Vec<&Counting> {
    Vec::new()
}

check!(for_loop, all, none);
check!(
    for_iter_rev_skip,
    |model| vec![&model.layers[0], &model.layers[2]],
    none
);
check!(
    for_slice,
    |model| vec![&model.layers[1], &model.layers[2]],
    none
);
check!(for_enumerate, all, |model| vec![&model.plain]);
check!(for_zip, all, others);
check!(for_zip_the_other_way, all, others);
check!(fold, all, none);
check!(fold_over_indices, all, none);
check!(map, all, none);
check!(for_each, all, none);
check!(if_let, |model| model.maybe.iter().collect(), |model| vec![
    &model.plain
]);
check!(let_else, |model| model.maybe.iter().collect(), none);
check!(match_option, |model| model.maybe.iter().collect(), none);
check!(
    match_for_the_layer,
    |model| model.maybe.iter().collect(),
    none
);
check!(
    match_slice,
    |model| vec![&model.layers[0], &model.layers[2]],
    none
);
check!(
    let_chain,
    |model| model.maybe.iter().chain([&model.layers[1]]).collect(),
    none
);
check!(option_map_or, |model| model.maybe.iter().collect(), none);
check!(
    let_reference,
    |model| vec![&model.up, &model.layers[1]],
    none
);
check!(let_clone, |model| vec![&model.up], none);
check!(
    struct_pattern,
    |model| model.maybe.iter().chain([&model.up]).collect(),
    |model| vec![&model.plain]
);
check!(split_first, all, none);
check!(shadowing, |model| vec![&model.up], |model| vec![
    &model.plain
]);
check!(branches_of_one_field, |model| vec![&model.layers[2]], none);
check!(closure_of_the_user, |model| vec![&model.up], none);

#[remat::forward]
#[allow(
    clippy::manual_let_else,
    clippy::needless_pass_by_value,
    reason = "every form that people write"
)]
impl Block {
    fn for_loop(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
        }
        x
    }

    fn for_iter_rev_skip(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in self.layers.iter().rev().step_by(2) {
            x = layer.forward(x);
        }
        x
    }

    fn for_slice(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers[1..] {
            x = layer.forward(x);
        }
        x
    }

    fn for_enumerate(&self, mut x: Tensor<2>) -> Tensor<2> {
        for (i, layer) in self.layers.iter().enumerate() {
            x = if i == 1 {
                layer.forward(self.plain.forward(x))
            } else {
                layer.forward(x) * i as f64
            };
            x = x + 1.0;
        }
        x
    }

    fn for_zip(&self, mut x: Tensor<2>) -> Tensor<2> {
        for (layer, other) in self.layers.iter().zip(&self.others) {
            x = other.forward(layer.forward(x));
        }
        x
    }

    fn for_zip_the_other_way(&self, mut x: Tensor<2>) -> Tensor<2> {
        for (i, (other, layer)) in self.others.iter().zip(&self.layers).enumerate() {
            x = other.forward(layer.forward(x)) + i as f64;
        }
        x
    }

    fn fold(&self, x: Tensor<2>) -> Tensor<2> {
        self.layers
            .iter()
            .fold(x, |x, layer| x.clone() + layer.forward(x))
    }

    fn fold_over_indices(&self, x: Tensor<2>) -> Tensor<2> {
        (0..3).fold(x, |x, i| self.layers[i].forward(x))
    }

    fn map(&self, x: Tensor<2>) -> Tensor<2> {
        let all: Vec<Tensor<2>> = self
            .layers
            .iter()
            .map(|layer| layer.forward(x.clone()))
            .collect();
        Tensor::cat(all, 0)
    }

    fn for_each(&self, x: Tensor<2>) -> Tensor<2> {
        let mut all = Vec::new();
        self.layers
            .iter()
            .for_each(|layer| all.push(layer.forward(x.clone())));
        Tensor::cat(all, 0)
    }

    fn if_let(&self, mut x: Tensor<2>) -> Tensor<2> {
        if let Some(layer) = &self.maybe {
            x = layer.forward(x);
        }
        if let Some(layer) = self.absent.as_ref() {
            x = layer.forward(x);
        } else {
            x = self.plain.forward(x);
        }
        x
    }

    fn let_else(&self, x: Tensor<2>) -> Tensor<2> {
        let Some(layer) = &self.maybe else {
            return x;
        };
        let x = layer.forward(x);
        let Some(layer) = &self.absent else {
            return x;
        };
        layer.forward(x)
    }

    fn match_option(&self, x: Tensor<2>) -> Tensor<2> {
        let x = match &self.maybe {
            Some(layer) if x.dims()[0] > 1 => layer.forward(x),
            Some(_) => x,
            None => return x,
        };
        match self.absent {
            Some(ref layer) => layer.forward(x),
            None => x,
        }
    }

    fn match_for_the_layer(&self, x: Tensor<2>) -> Tensor<2> {
        let layer = match &self.maybe {
            Some(layer) => layer,
            None => return x,
        };
        layer.forward(x)
    }

    fn match_slice(&self, x: Tensor<2>) -> Tensor<2> {
        match self.layers.as_slice() {
            [first, .., last] => last.forward(first.forward(x)),
            [only] => only.forward(x),
            [] => x,
        }
    }

    fn let_chain(&self, mut x: Tensor<2>) -> Tensor<2> {
        if let Some(first) = &self.maybe
            && x.dims()[0] > 1
            && let Some(second) = self.layers.get(1)
        {
            x = second.forward(first.forward(x));
        }
        x
    }

    fn option_map_or(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self
            .maybe
            .as_ref()
            .map_or(x.clone(), |layer| layer.forward(x));
        self.absent
            .as_ref()
            .map_or_else(|| x.clone(), |layer| layer.forward(x.clone()))
    }

    fn let_reference(&self, x: Tensor<2>) -> Tensor<2> {
        let first = &self.up;
        let second = &self.layers[1];
        let again = &second;
        again.forward(second.forward(first.forward(x)))
    }

    fn let_clone(&self, x: Tensor<2>) -> Tensor<2> {
        let up = self.up.clone();
        up.forward(x)
    }

    fn struct_pattern(&self, x: Tensor<2>) -> Tensor<2> {
        let Self {
            up,
            maybe: Some(renamed),
            plain,
            ..
        } = self
        else {
            return x;
        };
        plain.forward(renamed.forward(up.forward(x)))
    }

    fn split_first(&self, x: Tensor<2>) -> Tensor<2> {
        let (first, rest) = self.layers.split_first().unwrap();
        let (second, third) = rest.split_at(1);
        third[0].forward(second[0].forward(first.forward(x)))
    }

    fn shadowing(&self, x: Tensor<2>) -> Tensor<2> {
        let layer = &self.up;
        let x = {
            let layer = &self.plain;
            layer.forward(x)
        };
        let x = layer.forward(x);
        let layer = &self.plain;
        layer.forward(x)
    }

    fn branches_of_one_field(&self, x: Tensor<2>) -> Tensor<2> {
        let layer = if x.dims()[0] > 100 {
            &self.layers[1]
        } else {
            &self.layers[2]
        };
        layer.forward(x)
    }

    fn closure_of_the_user(&self, x: Tensor<2>) -> Tensor<2> {
        let run = |x| self.up.forward(x) * 2.0;
        run(run(x))
    }
}
