//! Annotated fields that get where they cannot be followed.

use super::{block_impl, check, method};

#[test]
fn arguments() {
    check!(
        method,
        "
        run(&self.f, x);
        let g = &self.g;
        helper::run(g, x);
        other.run(&self.f);
        xs.extend(self.layers.iter());
        Wrapper::new(self.f.clone())
    "
    );
}

#[test]
fn path_calls() {
    check!(
        method,
        "
        let x = Linear::forward(&self.f, x);
        for b in &self.layers {
            x = Layer::forward(b, x);
        }
        Block::forward(self, x)
    "
    );
}

#[test]
fn containers() {
    check!(
        method,
        "
        let a = [&self.f, &self.g];
        let b = Pair { first: &self.f, second: &self.g };
        let c = vec![&self.f, &self.g];
        let d = vec![&self.f; 3];
        let e: Vec<&Linear> = self.layers.iter().collect();
        helper((1, &self.f))
    "
    );
}

#[test]
fn leaving_the_method() {
    check!(
        block_impl,
        "
        impl Block {
            fn f(&self) -> &Linear {
                &self.f
            }
            fn g(&self) -> Option<&Linear> {
                if self.layers.is_empty() {
                    return Some(&self.g);
                }
                None
            }
            fn h(&self) -> impl Fn() -> &Linear {
                || &self.f
            }
        }
    "
    );
}

#[test]
fn assignments() {
    check!(
        method,
        "
        let f;
        f = &self.f;
        let mut g = &self.g;
        g = &other;
        loop {
            break &self.f;
        }
        x
    "
    );
}

#[test]
fn blocks_that_end() {
    check!(
        method,
        "
        let a = { loop { break } &self.f };
        let b = 'b: { if c { break 'b; } };
        let d = 'd: { break 'd &self.g; };
        let mut it = self.layers.iter().enumerate();
        it = others.iter().enumerate();
        a.forward(x)
    "
    );
}

#[test]
fn branches() {
    check!(
        method,
        "
        let f = if x.len() > 1 { &self.f } else { &self.g };
        let g = match n {
            0 => &self.f,
            _ => &self.norm,
        };
        g.forward(f.forward(x))
    "
    );
}

#[test]
fn functions_of_layers() {
    check!(
        method,
        "
        let all = self.layers.iter().map(Linear::forward);
        let run = |x, b: &Linear| b.forward(x);
        self.layers.iter().fold(x, run)
    "
    );
}

#[test]
fn unknown_methods() {
    check!(
        method,
        "
        let x = self.attention.inner().forward(x);
        for pair in self.layers.array_chunks() {
            x = pair[0].forward(x);
        }
        self.layers.iter().reduce_by(|a, b| b.forward(x));
        let f = &self.f as &dyn Layer;
        f.forward(x)
    "
    );
}

#[test]
fn chains() {
    check!(
        method,
        "
        for b in self.layers.iter().chain(&self.layers) {
            x = b.forward(x);
        }
        for b in self.layers.iter().chain(&self.maybe) {
            x = b.forward(x);
        }
        for b in self.layers.iter().chain(others) {
            x = b.forward(x);
        }
        x
    "
    );
}

#[test]
fn unwrap_or() {
    check!(
        method,
        "self.maybe.as_ref().unwrap_or(&self.norm).forward(x)\n"
    );
}

#[test]
fn copies_of_the_struct() {
    check!(
        block_impl,
        "
        impl Block {
            fn with_scale(self, scale: f64) -> Self {
                Self { f: self.f.clone(), maybe: Some(self.g), scale, ..self }
            }
            fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let Self { f, .. } = Self { f: self.f.clone(), ..self.clone() };
                f.forward(x)
            }
        }
    "
    );
}

#[test]
fn mutable_self() {
    check!(
        block_impl,
        "
        impl Block {
            fn forward(&mut self, x: Tensor<3>) -> Tensor<3> {
                self.f.forward(x)
            }
            fn typed(self: &mut Self, x: Tensor<3>) -> Tensor<3> {
                self.layers.iter_mut().fold(x, |x, b| b.forward(x))
            }
            fn reset(&mut self) {
                self.f = self.g.fresh();
            }
        }
    "
    );
}

#[test]
fn asynchronous() {
    check!(
        block_impl,
        "
        impl Block {
            async fn forward(&self, x: Tensor<3>) -> Tensor<3> {
                let x = self.f.forward(x);
                self.g.forward(x)
            }
            fn block(&self, x: Tensor<3>) -> impl Future<Output = Tensor<3>> {
                let x = self.f.forward(x);
                let run = async |x| self.f.forward(x);
                async move { self.f.forward(x) }
            }
            async fn other(&self, x: Tensor<3>) -> Tensor<3> {
                self.norm.forward(x).await
            }
        }
    "
    );
}
