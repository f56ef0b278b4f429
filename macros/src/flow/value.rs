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
    former: bool,
}

impl Buffer {
    pub fn last(site: Site) -> Self {
        Self {
            site,
            former: false,
        }
    }

    pub fn former(site: Site) -> Self {
        Self { site, former: true }
    }
}

/// A variable: where it is declared.
pub type Variable = Site;

/// What may be in a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Handles(Handles),
    /// A tuple or struct, by its fields.
    Parts(BTreeMap<String, Value>),
}

/// Nothing at all: a number, or whatever else is no tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handles {
    /// It may be a handle of each of these.
    buffers: BTreeSet<Buffer>,
    /// The variables that it is a mutable reference into: what is written through it may be there.
    into: BTreeSet<Variable>,
    /// Whether there is a gradient to be computed for it.
    gradient: bool,
}

impl Handles {
    const NOTHING: Self = Self {
        buffers: BTreeSet::new(),
        into: BTreeSet::new(),
        gradient: false,
    };

    fn with(mut self, other: Self) -> Self {
        self.buffers.extend(other.buffers);
        self.into.extend(other.into);
        self.gradient |= other.gradient;
        self
    }
}

impl Value {
    pub const NOTHING: Self = Self::Handles(Handles::NOTHING);

    pub fn handle(buffer: Buffer) -> Self {
        Self::handles([buffer])
    }

    pub fn handles(buffers: impl IntoIterator<Item = Buffer>) -> Self {
        Self::Handles(Handles {
            buffers: buffers.into_iter().collect(),
            into: BTreeSet::new(),
            gradient: true,
        })
    }

    /// The parts in one.
    fn all(&self) -> Handles {
        match self {
            Self::Handles(handles) => handles.clone(),
            Self::Parts(parts) => parts
                .values()
                .fold(Handles::NOTHING, |all, part| all.with(part.all())),
        }
    }

    /// Every buffer that it is a handle of.
    pub fn buffers(&self) -> BTreeSet<Buffer> {
        self.all().buffers
    }

    /// The variables that it is a mutable reference into.
    pub fn leads_into(&self) -> BTreeSet<Variable> {
        self.all().into
    }

    /// It is a mutable reference into these variables, too.
    pub fn leading_into(&self, variables: impl IntoIterator<Item = Variable>) -> Self {
        let mut all = self.all();
        all.into.extend(variables);
        Self::Handles(all)
    }

    /// Whether there is a gradient to be computed for what is in it.
    pub fn has_gradient(&self) -> bool {
        self.all().gradient
    }

    /// The same tensors, without a gradient.
    pub fn detached(&self) -> Self {
        let mut all = self.all();
        all.gradient = false;
        Self::Handles(all)
    }

    /// Whether it is no tensor, and leads to none.
    pub fn is_nothing(&self) -> bool {
        let all = self.all();
        all.buffers.is_empty() && all.into.is_empty()
    }

    /// What it has in common with another.
    pub fn common(&self, other: &Self) -> Self {
        Self::handles(self.buffers().intersection(&other.buffers()).copied())
    }

    /// The parts in one.
    pub fn whole(&self) -> Self {
        Self::Handles(self.all())
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
            // Nothing in particular has the parts of the other.
            (parts @ Self::Parts(_), nothing) if nothing.is_nothing() => parts,
            (nothing, parts @ Self::Parts(_)) if nothing.is_nothing() => parts,
            (one, other) => Self::Handles(one.all().with(other.all())),
        }
    }

    /// What was made at this place was made before, from now on.
    pub fn age(&mut self, site: Site) {
        match self {
            Self::Handles(handles) => age(&mut handles.buffers, site),
            Self::Parts(parts) => parts.values_mut().for_each(|part| part.age(site)),
        }
    }
}

pub fn age(buffers: &mut BTreeSet<Buffer>, site: Site) {
    if buffers.remove(&Buffer::last(site)) {
        buffers.insert(Buffer::former(site));
    }
}
