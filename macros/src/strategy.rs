//! The strategies, and what each of them is called.

/// What the calls of an annotated field become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Each layer of the field by itself.
    Checkpoint,
    /// The layers of a list in groups.
    CheckpointSequence,
    /// Each layer of the field by itself, without its output.
    Recompute,
    /// burn's `MultiHeadAttention`, without what is as large as the attention weights.
    RecomputeAttention,
    /// Batch normalisation with the running statistics.
    FrozenStats,
    /// Each layer of the field by itself, in another precision.
    Autocast,
    /// burn's `MultiHeadAttention` with products in 16 bits.
    AutocastAttention,
    /// Each layer of the field by itself, with what it keeps of its inputs compressed.
    Quantize,
    /// Each layer of the field by itself, in the buffer of its input.
    Inplace,
}

struct Names {
    /// In the table, and the stem of the runtime's functions: `checkpoint` of `checkpoint_with`.
    stem: &'static str,
    /// The type of the constant that a call mentions.
    options: &'static str,
    /// What is on the field, for messages.
    attribute: &'static str,
}

impl Strategy {
    const ALL: [Self; 9] = [
        Self::Checkpoint,
        Self::CheckpointSequence,
        Self::Recompute,
        Self::RecomputeAttention,
        Self::FrozenStats,
        Self::Autocast,
        Self::AutocastAttention,
        Self::Quantize,
        Self::Inplace,
    ];

    fn names(self) -> Names {
        let (stem, options, attribute) = match self {
            Self::Checkpoint => ("checkpoint", "Checkpoint", "checkpoint"),
            Self::CheckpointSequence => ("checkpoint_sequence", "CheckpointSequence", "checkpoint"),
            Self::Recompute => ("recompute", "Recompute", "recompute(cheap)"),
            Self::RecomputeAttention => (
                "recompute_attention",
                "RecomputeAttention",
                "recompute(attention)",
            ),
            Self::FrozenStats => ("frozen_stats", "FrozenStats", "frozen_stats"),
            Self::Autocast => ("autocast", "Autocast", "autocast(..)"),
            Self::AutocastAttention => ("autocast_attention", "Autocast", "autocast(..)"),
            Self::Quantize => ("quantize", "Quantize", "quantize(..)"),
            Self::Inplace => ("inplace", "Inplace", "inplace"),
        };
        Names {
            stem,
            options,
            attribute,
        }
    }

    /// The name in the table.
    pub fn name(self) -> &'static str {
        self.names().stem
    }

    /// The strategy with this name in the table.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }

    /// The type of the runtime's that has the options.
    pub fn options(self) -> &'static str {
        self.names().options
    }

    /// The attribute on the field.
    pub fn attribute(self) -> &'static str {
        self.names().attribute
    }

    /// The function of the runtime that a call becomes: `checkpoint_with`, `checkpoint_early_stop`.
    pub fn function(self, early_stop: bool) -> String {
        let stem = self.name();
        match (self, early_stop) {
            // Without options it would not say in how many bits: there is no shorter form.
            (Self::Quantize, _) => stem.to_string(),
            (_, true) => format!("{stem}_early_stop"),
            (_, false) => format!("{stem}_with"),
        }
    }

    /// Whether the user's code runs again in the backward pass.
    pub fn runs_again(self) -> bool {
        matches!(
            self,
            Self::Checkpoint | Self::CheckpointSequence | Self::Recompute
        )
    }

    /// Whether its parameters are cast where it is called, each for the caller's graph.
    pub fn casts_parameters(self) -> bool {
        matches!(self, Self::Autocast | Self::AutocastAttention)
    }

    /// Whether the input of the layer is kept, whatever the layer does with it.
    pub fn keeps_input(self) -> bool {
        !matches!(
            self,
            Self::Autocast | Self::AutocastAttention | Self::Quantize | Self::Inplace
        )
    }

    /// Whether burn's `MultiHeadAttention` is taken apart, for which its input must be written in the call.
    pub fn takes_attention_apart(self) -> bool {
        matches!(self, Self::RecomputeAttention | Self::AutocastAttention)
    }
}
