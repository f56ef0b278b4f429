//! Groups of layers: every form of loop that can be over groups.

use crate::counting::{Counting, WIDTH, check, input, layer};
use crate::support::{assert_same, device, loss, numbers, run};
use burn::module::Module;
use burn::tensor::{Bool, Tensor, Tolerance};
use remat::Remat;

#[derive(Module, Debug, Remat)]
struct Stack {
    #[checkpoint(every = 2)]
    every: Vec<Counting>,
    #[checkpoint(segments = 2, deterministic)]
    segments: [Counting; 3],
    #[checkpoint(sqrt)]
    sqrt: Vec<Counting>,
}

fn layers(count: usize) -> Vec<Counting> {
    (0..count).map(|_| layer()).collect()
}

fn stack() -> Stack {
    Stack {
        every: layers(3),
        segments: [layer(), layer(), layer()],
        sqrt: layers(4),
    }
}

#[remat::forward]
impl Stack {
    fn loops(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.every {
            x = layer.forward(x);
        }
        for layer in self.segments.iter() {
            x = x.clone() + layer.forward(x);
        }
        for (i, layer) in self.sqrt.iter().enumerate() {
            x = layer.forward(x) * (i + 1) as f32;
        }
        x
    }

    fn folds(&self, x: Tensor<2>) -> Tensor<2> {
        let x = self.every.iter().fold(x, |x, layer| layer.forward(x));
        let (x, sum) = self
            .segments
            .iter()
            .fold((x.clone(), x), |(x, sum), layer| {
                let x = layer.forward(x);
                (x.clone(), sum + x)
            });
        self.sqrt.iter().enumerate().fold(x + sum, |x, (i, layer)| {
            if i % 2 == 0 {
                layer.forward(x)
            } else {
                x.clone() + layer.forward(x)
            }
        })
    }

    /// A mask by value, a bias by reference, numbers, and a branch that leaves the variable as it is.
    fn shared(&self, x: Tensor<2>, mask: Tensor<2, Bool>, bias: &Tensor<2>) -> Tensor<2> {
        let (mut x, scale, mut seen) = (x, 0.5, 0_usize);
        for layer in &self.every {
            seen += 1;
            let h = layer.forward(x.clone()) * scale;
            if seen != 2 {
                x = x.mask_fill(mask.clone(), 0.0) + h + bias.clone();
            }
        }
        for layer in &self.segments {
            x = layer.forward(x);
        }
        for layer in &self.sqrt {
            x = layer.forward(x);
        }
        x.mask_fill(mask, 0.1) * seen as f32
    }

    fn nested(&self, x: Tensor<2>) -> Tensor<2> {
        let mut x = x;
        for _ in 0..2 {
            for layer in &self.every {
                x = layer.forward(x);
            }
        }
        let rest = |mut x: Tensor<2>| {
            for layer in &self.segments {
                x = layer.forward(x);
            }
            self.sqrt.iter().fold(x, |x, layer| layer.forward(x))
        };
        rest(x)
    }
}

fn all(stack: &Stack) -> impl Iterator<Item = &Counting> {
    stack.every.iter().chain(&stack.segments).chain(&stack.sqrt)
}

#[test]
fn loops_and_folds() {
    let (stack, x) = (stack(), input());
    for forward in [Stack::loops, Stack::folds] {
        check(
            &stack,
            |stack| loss(forward(stack, x.clone())),
            all(&stack),
            [],
        );
    }
}

#[test]
fn shared_values() {
    let (stack, x) = (stack(), input());
    let mask = x.clone().greater_elem(0.5);
    let bias = numbers([3, WIDTH], &device());
    let forward = |stack: &Stack| loss(stack.shared(x.clone(), mask.clone(), &bias));
    check(&stack, forward, all(&stack), []);
}

/// A shared tensor gets the sum of the gradients.
#[test]
fn the_gradient_of_a_shared_tensor() {
    let (stack, x) = (stack(), input());
    let mask = x.clone().greater_elem(0.5);
    let gradient = || {
        let bias = numbers([3, WIDTH], &device()).require_grad();
        let y = loss(stack.shared(x.clone(), mask.clone(), &bias));
        bias.grad(&y.backward()).unwrap().into_data()
    };
    let plain = remat::without_strategies(gradient);
    gradient().assert_approx_eq::<f32>(&plain, Tolerance::rel_abs(1e-5, 1e-6));
}

#[test]
fn loops_in_loops_and_closures() {
    let (stack, x) = (stack(), input());
    // Weights that are used in several segments: the same sums in another order.
    let forward = |stack: &Stack| loss(stack.nested(x.clone()));
    let (loss, grads) = run(&stack, forward);
    let (plain_loss, plain) = remat::without_strategies(|| run(&stack, forward));
    assert_same(&loss, &plain_loss);
    for (gradient, plain) in grads.iter().flatten().zip(plain.iter().flatten()) {
        gradient.assert_approx_eq::<f32>(plain, Tolerance::rel_abs(1e-5, 1e-6));
    }
}

#[derive(Module, Debug, Remat)]
struct Recursive<const N: usize> {
    #[checkpoint(recursive)]
    layers: [Counting; N],
    #[checkpoint(every = Self::SIZE, keep_last)]
    kept: Vec<Counting>,
}

impl<const N: usize> Recursive<N> {
    const SIZE: usize = 2;
}

#[remat::forward]
impl<const N: usize> Recursive<N> {
    fn forward(&self, mut x: Tensor<2>) -> Tensor<2> {
        for layer in &self.layers {
            x = layer.forward(x);
        }
        for layer in &self.kept {
            x = layer.forward(x);
        }
        x
    }

    /// A loop that calls no layer is left alone.
    fn biases(&self) -> usize {
        let mut biases = 0;
        for layer in &self.kept {
            biases += usize::from(layer.linear.bias.is_some());
        }
        biases
    }
}

#[test]
fn recursive_and_keep_last() {
    let model = Recursive::<4> {
        layers: [layer(), layer(), layer(), layer()],
        kept: layers(3),
    };
    let x = input();
    let (_, grads) = run(&model, |model| loss(model.forward(x.clone())));
    let runs = |layers: &[Counting]| layers.iter().map(Counting::take_runs).collect::<Vec<_>>();
    assert_eq!(runs(&model.layers), [3, 2, 2, 2], "halves of 2, 1, 1");
    assert_eq!(runs(&model.kept), [2, 2, 1], "the last is kept");
    let (_, plain) = remat::without_strategies(|| run(&model, |m| loss(m.forward(x.clone()))));
    crate::support::assert_all_same(&grads, &plain);
    assert_eq!(model.biases(), 3);
}

/// A list may have no layers, or one.
#[test]
fn short_lists() {
    let x = input();
    for count in [0, 1] {
        let model = Recursive::<0> {
            layers: [],
            kept: layers(count),
        };
        let y = model.forward(x.clone());
        let plain = remat::without_strategies(|| model.forward(x.clone()));
        assert_eq!(y.into_data(), plain.into_data());
    }
}
