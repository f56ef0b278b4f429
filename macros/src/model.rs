//! What `#[derive(Remat)]` knows about a struct.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, Index, Member, Path, Type,
    Visibility, ext::IdentExt,
};

use crate::{
    attr::{self, Annotation},
    burn::{self, Casts},
    constant::{constant, unreported},
    default::Default,
    error::Errors,
    kind::Shape,
    strategy::Strategy,
    syntax::{last_name, peel_type},
};

pub struct Container<'a> {
    pub ident: &'a Ident,
    pub vis: &'a Visibility,
    pub generics: &'a Generics,
    pub krate: Path,
    /// The fields with a strategy.
    pub layers: Vec<Layer<'a>>,
    /// The fields with `#[remat(tail)]`.
    pub tails: Vec<Tail<'a>>,
    /// The fields of a type named `Dropout`, which the output of a tail may pass.
    pub dropouts: Vec<Member>,
    pub sequential: Option<Sequential<'a>>,
}

/// The `forward` that the derive writes.
pub struct Sequential<'a> {
    /// The word `sequential`, for errors.
    pub key: Path,
    pub input: Type,
    pub output: Type,
    /// The fields that it runs, in order.
    pub steps: Vec<Step<'a>>,
}

/// A field that a sequential module runs.
pub struct Step<'a> {
    pub original: &'a Field,
    pub member: Member,
    pub shape: Shape,
}

/// A field with a strategy.
pub struct Layer<'a> {
    pub original: &'a Field,
    pub member: Member,
    pub annotation: Annotation<'a>,
    /// The associated constant that carries the strategy.
    pub constant: Ident,
}

/// A field whose output nobody reads when it runs again.
pub struct Tail<'a> {
    pub original: &'a Field,
    pub member: Member,
    /// The associated constant that its rewritten call mentions.
    pub constant: Ident,
}

impl<'a> Container<'a> {
    pub fn from_input(input: &'a DeriveInput, errors: &mut Errors) -> Self {
        let is_struct = matches!(input.data, Data::Struct(_));
        let has_default = |attr: &&Attribute| is_struct && attr.path().is_ident(attr::AUTOCAST);
        misplaced(input.attrs.iter().filter(|attr| !has_default(attr)), errors);
        let attr::Container { krate, sequential } = attr::container(&input.attrs, errors);
        let mut forward = None;
        let (mut tails, mut dropouts) = (Vec::new(), Vec::new());
        let layers = match &input.data {
            Data::Struct(data) => {
                let said = said_of_fields(&data.fields, errors);
                let mut steps = fields_to_run(&data.fields, &said, sequential.is_some(), errors);
                let mut constants = BTreeSet::new();
                let mut default = Default::of(&input.attrs, errors);
                let layers = layers(&data.fields, default.as_mut(), &mut constants, errors);
                tails = self::tails(&data.fields, said, &mut constants, errors);
                if let Some(default) = &default {
                    default.check(errors);
                    for tail in &tails {
                        without_default(tail, default, errors);
                    }
                }
                dropouts = self::dropouts(&data.fields);
                for step in &mut steps {
                    // An alias of a list, then.
                    if layers.iter().any(|layer| layer.is_grouped(&step.member)) {
                        step.shape = Shape::List;
                    }
                }
                forward = sequential.and_then(|attr| Sequential::new(attr, steps));
                layers
            }
            Data::Enum(data) => {
                errors.at(&data.enum_token, &ENUM);
                for variant in &data.variants {
                    misplaced(&variant.attrs, errors);
                    misplaced_in(&variant.fields, errors);
                }
                Vec::new()
            }
            Data::Union(data) => {
                errors.at(
                    &data.union_token,
                    &"a union cannot be a module: `#[derive(Remat)]` goes on a struct",
                );
                for field in &data.fields.named {
                    misplaced(&field.attrs, errors);
                }
                Vec::new()
            }
        };
        Self {
            ident: &input.ident,
            vis: &input.vis,
            generics: &input.generics,
            krate,
            layers,
            tails,
            dropouts,
            sequential: forward,
        }
    }
}

impl<'a> Sequential<'a> {
    /// `None` if there are no types to write the method with.
    fn new(attr: attr::Sequential, steps: Vec<Step<'a>>) -> Option<Self> {
        let (input, output) = attr.types?;
        Some(Self {
            key: attr.key,
            input,
            output,
            steps,
        })
    }
}

const ENUM: &str = "`#[derive(Remat)]` goes on a struct: the layers of an enum have no fields to annotate\n\n\
    help: keep the enum as it is, put it into a field of a struct and annotate that field with `#[checkpoint]`";

/// What `#[remat(..)]` says about each field.
fn said_of_fields(fields: &Fields, errors: &mut Errors) -> Vec<attr::Field> {
    let attrs = fields.iter().map(|field| &field.attrs);
    attrs.map(|attrs| attr::field(attrs, errors)).collect()
}

fn layers<'a>(
    fields: &'a Fields,
    mut default: Option<&mut Default<'a>>,
    constants: &mut BTreeSet<String>,
    errors: &mut Errors,
) -> Vec<Layer<'a>> {
    let mut layers = Vec::new();
    for (index, original) in fields.iter().enumerate() {
        let own = attr::annotation(&original.attrs, errors);
        let annotation = match &mut default {
            Some(default) => default.apply(original, own, errors),
            None => own,
        };
        if let Some(mut annotation) = annotation {
            annotation.strategy = of_type(&annotation, &original.ty);
            let attribute = annotation.original.path();
            let mut constant = constant(index, original, attribute, constants);
            if matches!(&default, Some(default) if default.is_island(&annotation)) {
                constant = unreported(&constant);
            }
            layers.push(Layer {
                original,
                member: member(index, original),
                constant,
                annotation,
            });
        }
    }
    layers
}

/// The strategy for a layer of that type.
fn of_type(annotation: &Annotation, ty: &Type) -> Strategy {
    let casting = annotation.options.casting.as_ref();
    let low = casting.is_some_and(|casting| casting.precision.is_low());
    match annotation.strategy {
        Strategy::Autocast if low && burn::casts(ty) == Some(Casts::Attention) => {
            Strategy::AutocastAttention
        }
        strategy => strategy,
    }
}

/// A tail is not called as the others are.
fn without_default(tail: &Tail, default: &Default, errors: &mut Errors) {
    errors.twice(
        default.original(),
        &tail.original.ty,
        &"a tail has no precision of its own\n\nhelp: remove `#[remat(tail)]`, or annotate the other fields by themselves",
    );
}

fn tails<'a>(
    fields: &'a Fields,
    said: Vec<attr::Field>,
    constants: &mut BTreeSet<String>,
    errors: &mut Errors,
) -> Vec<Tail<'a>> {
    let mut tails = Vec::new();
    for (index, (original, said)) in fields.iter().zip(said).enumerate() {
        let Some(key) = said.tail else { continue };
        if let Some(skip) = said.skip {
            errors.twice(
                &key,
                &skip,
                &"a skipped field is not run, so it cannot be a tail: remove one of the two",
            );
        } else if let Some(known) = strategy_of(original) {
            errors.at(&key, &annotated_tail(known));
        } else {
            tails.push(Tail {
                original,
                member: member(index, original),
                constant: constant(index, original, &key, constants),
            });
        }
    }
    tails
}

fn strategy_of(field: &Field) -> Option<&'static attr::Known> {
    let mut attrs = field.attrs.iter();
    attrs.find_map(|attr| attr::known(attr.path()))
}

fn annotated_tail(known: &attr::Known) -> String {
    let called = if known.again {
        "a layer with a strategy runs again by itself, in full".to_string()
    } else {
        format!("a layer with `{}` is called in full", known.shown)
    };
    format!(
        "{called}, so it cannot be left out as a tail\n\nhelp: remove `#[remat(tail)]`, or the strategy from this field"
    )
}

fn dropouts(fields: &Fields) -> Vec<Member> {
    let fields = fields.iter().enumerate();
    let dropouts = fields.filter(|(_, field)| matches!(peel_type(&field.ty), Type::Path(ty) if last_name(&ty.path) == "Dropout"));
    dropouts
        .map(|(index, field)| member(index, field))
        .collect()
}

/// The fields of a sequential module that are not skipped.
fn fields_to_run<'a>(
    fields: &'a Fields,
    said: &[attr::Field],
    sequential: bool,
    errors: &mut Errors,
) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    for (index, (original, said)) in fields.iter().zip(said).enumerate() {
        match &said.skip {
            Some(skip) if sequential => skipped_annotation(original, skip, errors),
            Some(skip) => errors.at(
                skip,
                &"`#[remat(skip)]` leaves a field out of the `forward` that `sequential` writes, and this struct has \
                  none\n\nhelp: remove it, or add `#[remat(sequential(Tensor<2> -> Tensor<2>))]` to the struct",
            ),
            None if sequential => steps.push(Step {
                original,
                member: member(index, original),
                shape: Shape::of(&original.ty),
            }),
            None => {}
        }
    }
    steps
}

/// A strategy for a layer that is not run.
fn skipped_annotation(field: &Field, skip: &Path, errors: &mut Errors) {
    let attrs = field.attrs.iter();
    let mut strategies = attrs.filter(|attr| attr::is_strategy(attr)).peekable();
    if strategies.peek().is_some() {
        errors.at(
            skip,
            &"a skipped field is not run, so its strategy would do nothing\
              \n\nhelp: remove one of the two attributes",
        );
    }
    for attr in strategies {
        errors.at(&attr.meta, &"the annotation");
    }
}

/// A strategy above something that is not a field of a struct.
fn misplaced<'a>(attrs: impl IntoIterator<Item = &'a Attribute>, errors: &mut Errors) {
    for attr in attrs {
        let Some(attr::Known { name, layer, .. }) = attr::known(attr.path()) else {
            continue;
        };
        errors.at(
            attr,
            &format_args!("`#[{name}]` belongs on a field of a struct: on {layer}"),
        );
    }
}

fn misplaced_in(fields: &Fields, errors: &mut Errors) {
    for field in fields {
        misplaced(&field.attrs, errors);
    }
}

fn member(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(index)),
    }
}

impl Layer<'_> {
    /// Whether this is the field, and its layers are put into groups.
    fn is_grouped(&self, member: &Member) -> bool {
        self.member == *member && self.annotation.strategy == Strategy::CheckpointSequence
    }

    /// `Block.attention`: how messages and reports call the layer.
    pub fn label(&self, container: &Ident) -> String {
        let field = match &self.member {
            Member::Named(ident) => ident.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        format!("{}.{field}", container.unraw())
    }

    /// The attribute without its `#[..]`, for errors about it.
    pub fn attribute(&self) -> &dyn ToTokens {
        &self.annotation.original.meta
    }
}
