//! What the walk knows about the value of an expression.

use proc_macro2::TokenStream;

/// A value, as far as annotated fields go.
#[derive(Clone)]
pub enum Value {
    /// Nothing to follow.
    Other,
    /// A reference to something that is not followed.
    Borrowed,
    /// The expression does not come to an end: `return`, `continue`, `panic!(..)`.
    Never,
    /// The struct itself, behind so many references.
    Whole {
        depth: usize,
    },
    /// An annotated field or a part of it, alone or several of them in an `Option`, a `Vec` or an iterator.
    Layer(Layer),
    /// An `Option` or an iterator of such values.
    Items(Box<Value>),
    Tuple(Vec<Value>),
    /// Something that came out of a layer in a way that remat cannot follow. It may be a number or a layer.
    Derived(Derived),
}

#[derive(Clone)]
pub struct Layer {
    /// Its row in the table.
    pub row: usize,
    /// Behind how many references it is: 0 for the place `self.f`, 1 for `&self.f`.
    pub depth: usize,
    /// The loop over a grouped field, of those around the expression, whose layer it is.
    pub segment: Option<usize>,
    /// The user's tokens that mention it, `self.f`.
    pub mention: TokenStream,
}

#[derive(Clone)]
pub struct Derived {
    pub row: usize,
    pub segment: Option<usize>,
    pub mention: TokenStream,
    /// What it came out of: `chunk_by`.
    pub through: String,
}

impl Value {
    pub fn items(item: Self) -> Self {
        if item.is_followed() {
            Self::Items(Box::new(item))
        } else {
            Self::Other
        }
    }

    /// A tuple, if one of its elements is worth following.
    pub fn tuple(elements: Vec<Self>) -> Self {
        if elements.iter().any(Self::is_followed) {
            Self::Tuple(elements)
        } else {
            Self::Other
        }
    }

    /// Whether it is, or holds, something that comes from an annotated field or the struct.
    pub fn is_followed(&self) -> bool {
        !matches!(self, Self::Other | Self::Borrowed | Self::Never)
    }

    /// The layers in it.
    pub fn layers(&self) -> Vec<&Layer> {
        match self {
            Self::Layer(layer) => vec![layer],
            Self::Items(item) => item.layers(),
            Self::Tuple(elements) => elements.iter().flat_map(Self::layers).collect(),
            _ => Vec::new(),
        }
    }

    /// `&value`
    pub fn referenced(self) -> Self {
        match self {
            Self::Other => Self::Borrowed,
            value => value.map_depth(&|depth| depth + 1),
        }
    }

    /// `*value`
    pub fn dereferenced(self) -> Self {
        self.map_depth(&|depth| depth.saturating_sub(1))
    }

    /// A place: `value.field`, `value[i]`, `value.clone()`.
    pub fn place(self) -> Self {
        self.map_depth(&|_| 0)
    }

    /// What `.iter()` or `.as_ref()` borrows: references to what was a place.
    pub fn borrowed(self) -> Self {
        self.map_depth(&|depth| depth.max(1))
    }

    fn map_depth(self, f: &dyn Fn(usize) -> usize) -> Self {
        match self {
            Self::Whole { depth } => Self::Whole { depth: f(depth) },
            Self::Borrowed => Self::Other,
            value => value.map_layers(&|layer| Layer {
                depth: f(layer.depth),
                ..layer
            }),
        }
    }

    fn map_layers(self, f: &dyn Fn(Layer) -> Layer) -> Self {
        match self {
            Self::Layer(layer) => Self::Layer(f(layer)),
            Self::Items(item) => Self::items(item.map_layers(f)),
            Self::Tuple(elements) => {
                Self::Tuple(elements.into_iter().map(|e| e.map_layers(f)).collect())
            }
            other => other,
        }
    }

    /// The layers of these rows as those of a loop.
    pub fn in_segment(self, segment: usize, rows: &[usize]) -> Self {
        self.map_layers(&|layer| Layer {
            segment: layer
                .segment
                .or_else(|| rows.contains(&layer.row).then_some(segment)),
            ..layer
        })
    }

    /// What a loop over the value or a `Some(..)` pattern gives.
    pub fn item(self) -> Self {
        match self {
            Self::Items(item) => *item,
            Self::Layer(_) | Self::Derived(_) => self,
            _ => Self::Other,
        }
    }

    /// The same value, mentioned in other words: a binding of it.
    pub fn mentioned(self, mention: &TokenStream) -> Self {
        match self {
            Self::Derived(derived) => Self::Derived(Derived {
                mention: mention.clone(),
                ..derived
            }),
            value => value.map_layers(&|layer| Layer {
                mention: mention.clone(),
                ..layer
            }),
        }
    }

    /// What is left of the value after something that remat does not know.
    pub fn derived(self, through: &str) -> Self {
        let derived = |layer: &Layer| {
            Self::Derived(Derived {
                row: layer.row,
                segment: layer.segment,
                mention: layer.mention.clone(),
                through: through.to_string(),
            })
        };
        match (&self, self.layers().first()) {
            (_, Some(layer)) => derived(layer),
            (Self::Derived(_), None) => self,
            _ => Self::Other,
        }
    }

    /// Whether two branches that give these values give the same layers.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Layer(a), Self::Layer(b)) => a.row == b.row && a.depth == b.depth,
            (Self::Whole { depth: a }, Self::Whole { depth: b }) => a == b,
            (Self::Items(a), Self::Items(b)) => a.same(b),
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Self::Derived(_), Self::Derived(_))
            | (Self::Borrowed, Self::Borrowed)
            | (Self::Other, Self::Other) => true,
            _ => false,
        }
    }
}
