//! What an expression gives, as far as it is about tensors: which buffers it may be a handle of.

use std::collections::{BTreeMap, BTreeSet};

/// A place in the code that makes tensors: the address of its syntax, which does not move while it is analysed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site(usize);

impl Site {
    pub fn of<T>(syntax: &T) -> Self {
        Self(std::ptr::from_ref(syntax) as usize)
    }
}

/// The memory of a tensor. In a loop, one place makes several: the last one, and those before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Buffer {
    pub site: Site,
    pub former: bool,
}

/// What may be in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Handles of these buffers. None of them: a number, or whatever else is no tensor.
    Handles(BTreeSet<Buffer>),
    /// A tuple or struct, by its fields.
    Parts(BTreeMap<String, Value>),
}

impl Value {
    pub const NOTHING: Self = Self::Handles(BTreeSet::new());

    pub fn handle(buffer: Buffer) -> Self {
        Self::Handles(BTreeSet::from([buffer]))
    }

    /// Every buffer that it is a handle of.
    pub fn buffers(&self) -> BTreeSet<Buffer> {
        match self {
            Self::Handles(buffers) => buffers.clone(),
            Self::Parts(parts) => parts.values().flat_map(Self::buffers).collect(),
        }
    }

    pub fn is_nothing(&self) -> bool {
        self.buffers().is_empty()
    }

    /// What it has in common with another.
    pub fn common(&self, other: &Self) -> Self {
        Self::Handles(
            self.buffers()
                .intersection(&other.buffers())
                .copied()
                .collect(),
        )
    }

    /// The parts in one.
    pub fn whole(&self) -> Self {
        Self::Handles(self.buffers())
    }

    /// A field. Of what has no parts, all of it.
    pub fn part(&self, name: &str) -> Self {
        match self {
            Self::Parts(parts) => parts.get(name).cloned().unwrap_or(Self::NOTHING),
            Self::Handles(_) => self.clone(),
        }
    }

    /// The field, to be changed. `None` if there are no parts.
    pub fn part_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Parts(parts) => Some(parts.entry(name.to_string()).or_insert(Self::NOTHING)),
            Self::Handles(_) => None,
        }
    }

    /// What is one of the two.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Parts(mut parts), Self::Parts(others)) => {
                for (name, value) in others {
                    let part = parts.remove(&name).unwrap_or(Self::NOTHING);
                    parts.insert(name, part.join(value));
                }
                Self::Parts(parts)
            }
            (one, other) => {
                let mut buffers = one.buffers();
                buffers.extend(other.buffers());
                // Nothing in particular has the parts of the other.
                match (one, other) {
                    (parts @ Self::Parts(_), nothing) if nothing.is_nothing() => parts,
                    (nothing, parts @ Self::Parts(_)) if nothing.is_nothing() => parts,
                    _ => Self::Handles(buffers),
                }
            }
        }
    }

    /// What was made at this place was made before, from now on.
    pub fn age(&mut self, site: Site) {
        match self {
            Self::Handles(buffers) => {
                if buffers.remove(&Buffer {
                    site,
                    former: false,
                }) {
                    buffers.insert(Buffer { site, former: true });
                }
            }
            Self::Parts(parts) => parts.values_mut().for_each(|part| part.age(site)),
        }
    }
}
