//! The arguments of a rewritten call: what moves into the closure and what becomes an input.

use super::{check, method};

#[test]
fn constructors() {
    check!(
        method,
        "
        self.f.forward(MhaInput::self_attn(h).mask_pad(mask).mask_attn(x.clone()));
        self.f.forward(Some(mask), Input(h), module::Input::<3>::new(x));
        self.f.forward(Outer::new(Inner::new(h), g(y)));
        self.f.forward(<Input as From<_>>::from(h))
    "
    );
}

#[test]
fn tensor_functions() {
    check!(method, "
        self.f.forward(Tensor::cat(vec![h, y], 1), burn::tensor::Tensor::<2>::zeros([1, 2], &device));
        self.f.forward(MhaInput::self_attn(Tensor::cat(parts, 1)), <Tensor<2>>::ones([1], &device))
    ");
}

#[test]
fn constructor_that_borrows() {
    check!(
        method,
        "self.f.forward(Input::from_parts(&parts, h), Config::new().build(&device))\n"
    );
}

#[test]
fn literals() {
    check!(
        method,
        "
        self.f.forward(Input { h, mask: mask.clone(), eps: Self::EPS });
        self.f.forward(Input { h, ..Default::default() }, Input { h, ..base });
        self.f.forward((h, Some(y)), [h, y], [0; 3], [y; N]);
        self.f.forward(1, -1.5, \"same\", true, None, f32::MAX, MAX_LEN, -Self::EPS);
        self.f.forward(3 as f32, y as f32, 0..3, n.., &[1, 2], &Self::SIZES)
    "
    );
}

#[test]
fn everything_else_is_an_input() {
    check!(
        method,
        "
        self.f.forward(h, h.clone(), relu(h), x + y, self.scale, g(x)?);
        self.f.forward(if c { h } else { y }, { h }, vec![h], *h, h[0], !c);
        self.f.forward(self.norm.forward(x), h.dims()[0])
    "
    );
}

#[test]
fn no_inputs() {
    check!(method, "self.f.forward()\n");
}

#[test]
fn only_constants() {
    check!(method, "self.f.forward(Config::default(), 3)\n");
}

#[test]
fn repeated_names() {
    check!(method, "self.f.forward(n, n, Input { n })\n");
}

#[test]
fn names_that_are_taken() {
    check!(method, "self.f.forward(input, g(h), f, k(h))\n");
}

#[test]
fn names_of_layers_that_are_taken() {
    check!(method, "self.f.forward(f, layer)\n");
}

#[test]
fn upper_case_variables() {
    check!(
        method,
        "
        let Q = x.clone();
        self.f.forward(Q, K)
    "
    );
}

#[test]
fn closures() {
    check!(
        method,
        "
        self.f.forward(x, |t: Tensor<3>| t.relu(), |(a, b)| a + b);
        self.f.forward(h, |t| t + x)
    "
    );
}

#[test]
fn names_in_closures() {
    check!(method, "self.f.forward(x, g(y), |t| f(input, layer(t)))\n");
}

#[test]
fn early_exits() {
    check!(
        method,
        "
        let y = self.f.forward(g(x)?);
        let y = self.f.forward(match y { Some(y) => y, None => return x });
        self.f.forward(Input::new(h.ok_or(Error)?))
    "
    );
}

#[test]
fn borrowed_inputs() {
    check!(
        method,
        "
        self.f.forward(&x);
        self.f.forward(x, (&mut state));
        self.f.forward((h, &self.mask));
        self.f.forward(Some(&mask));
        self.f.forward(Input { mask: &x });
        self.f.forward(Input::new((h, &x)))
    "
    );
}
