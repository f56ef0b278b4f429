//! Random small graphs of modules: gradients with checkpoints are those without, to the bit.

use crate::support::{Mlp, assert_same, assert_same_or_zeros, device, loss, numbers, run};
use burn::module::Module;
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, Tanh};
use burn::tensor::Tensor;
use proptest::prelude::*;
use remat::checkpoint;

const D: usize = 4;

/// One layer of a random graph.
#[derive(Clone, Debug)]
enum Op {
    Linear {
        checkpointed: bool,
    },
    Norm {
        checkpointed: bool,
    },
    Mlp {
        checkpointed: bool,
        residual: bool,
    },
    /// A sub-graph in one segment (or in none), whose members may be segments themselves.
    Group {
        checkpointed: bool,
        ops: Vec<Op>,
    },
    Tanh,
    Detach,
}

fn ops(depth: u32) -> impl Strategy<Value = Vec<Op>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|checkpointed| Op::Linear { checkpointed }),
        any::<bool>().prop_map(|checkpointed| Op::Norm { checkpointed }),
        any::<(bool, bool)>().prop_map(|(checkpointed, residual)| Op::Mlp {
            checkpointed,
            residual
        }),
        Just(Op::Tanh),
        Just(Op::Detach),
    ];
    let op = leaf.prop_recursive(depth, 16, 4, |op| {
        (any::<bool>(), prop::collection::vec(op, 1..4))
            .prop_map(|(checkpointed, ops)| Op::Group { checkpointed, ops })
    });
    prop::collection::vec(op, 1..6)
}

#[derive(Module, Debug)]
enum Layer {
    Linear(Linear),
    Norm(LayerNorm),
    Mlp(Mlp),
    Group(Graph),
    Tanh(Tanh),
}

#[derive(Module, Debug)]
struct Node {
    layer: Layer,
    checkpointed: bool,
    residual: bool,
    detach: bool,
}

#[derive(Module, Debug)]
struct Graph {
    nodes: Vec<Node>,
}

impl Graph {
    fn new(ops: &[Op]) -> Self {
        Self {
            nodes: ops.iter().map(Node::new).collect(),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.nodes.iter().fold(x, |x, node| node.forward(x))
    }
}

impl Node {
    fn new(op: &Op) -> Self {
        let device = &device();
        let (layer, checkpointed, residual) = match op {
            Op::Linear { checkpointed } => (
                Layer::Linear(LinearConfig::new(D, D).init(device)),
                *checkpointed,
                false,
            ),
            Op::Norm { checkpointed } => (
                Layer::Norm(LayerNormConfig::new(D).init(device)),
                *checkpointed,
                false,
            ),
            Op::Mlp {
                checkpointed,
                residual,
            } => (Layer::Mlp(Mlp::new(D, device)), *checkpointed, *residual),
            Op::Group { checkpointed, ops } => {
                (Layer::Group(Graph::new(ops)), *checkpointed, false)
            }
            Op::Tanh | Op::Detach => (Layer::Tanh(Tanh::new()), false, false),
        };
        Self {
            layer,
            checkpointed,
            residual,
            detach: matches!(op, Op::Detach),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = if self.detach { x.detach() } else { x };
        let y = if self.checkpointed {
            checkpoint(&self.layer, (x.clone(),), |layer, (x,)| layer.forward(x))
        } else {
            self.layer.forward(x.clone())
        };
        if self.residual { x + y } else { y }
    }
}

impl Layer {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Linear(linear) => linear.forward(x),
            Self::Norm(norm) => norm.forward(x),
            Self::Mlp(mlp) => mlp.forward(x),
            Self::Group(graph) => graph.forward(x),
            Self::Tanh(tanh) => tanh.forward(x),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(cube) { 8 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn gradients_are_those_of_plain_burn(ops in ops(3), tracked in any::<bool>()) {
        let graph = Graph::new(&ops);
        let x = numbers([3, D], &device());
        let x = if tracked { x.require_grad() } else { x };
        let first = LinearConfig::new(D, D).init(&device());
        let last = LinearConfig::new(D, D).init(&device());
        let model = (first, graph, last);
        let forward = |(first, graph, last): &(Linear, Graph, Linear)| {
            loss(last.forward(graph.forward(first.forward(x.clone()))))
        };
        let (loss, grads) = run(&model, forward);
        let (plain_loss, plain_grads) = remat::without_strategies(|| run(&model, forward));
        assert_same(&loss, &plain_loss);
        // A segment that detaches its input still has it as a parent.
        assert_same_or_zeros(&grads, &plain_grads);
    }
}
