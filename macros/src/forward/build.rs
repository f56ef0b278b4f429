//! The syntax that rewritten calls are made of, each piece at a place in the user's code.

use proc_macro2::Span;
use quote::format_ident;
use syn::{
    Attribute, Block, ClosureModifiers, Expr, ExprAssign, ExprBlock, ExprCall, ExprClosure,
    ExprInfer, ExprPath, ExprReference, ExprTuple, Ident, Local, LocalInit, LocalModifiers, Pat,
    PatIdent, PatTuple, PatType, PatWild, Path, PathSegment, QSelf, ReturnType, Stmt, Token, Type,
    TypePath, punctuated::Punctuated, token::Paren,
};

use super::walk::Walk;

impl Walk<'_> {
    /// `Self::ATTENTION_CHECKPOINT_APPLIED_BY_REMAT_FORWARD`
    pub fn options(&self, row: usize, span: Span) -> Expr {
        let mut path = Path::from(Ident::from(Token![Self](span)));
        let constant = &self.table.rows[row].constant;
        path.segments
            .push(format_ident!("{constant}", span = span).into());
        path_expr(path)
    }

    /// `::remat::name`, at the place of the call.
    pub fn runtime(&self, name: &str, span: Span) -> Expr {
        runtime(&self.table.krate, name, span)
    }
}

/// `::remat::name`, at a place in the user's code.
pub fn runtime(krate: &Path, name: &str, span: Span) -> Expr {
    let mut path = runtime_path(krate, span);
    path.segments.push(Ident::new(name, span).into());
    path_expr(path)
}

/// `::remat`, at a place in the user's code.
pub fn runtime_path(krate: &Path, span: Span) -> Path {
    let mut path = krate.clone();
    path.leading_colon = path.leading_colon.map(|_| Token![::](span));
    for (index, segment) in path.segments.iter_mut().enumerate() {
        // What `$crate` means hangs on its span.
        if index == 0 && segment.ident != "$crate" {
            segment.ident.set_span(span);
        } else if index > 0 {
            // Written by a macro, or rustc would lint the path as longer than it has to be.
            segment.ident.set_span(span.resolved_at(Span::call_site()));
        }
    }
    path
}

/// `::core::clone::Clone::clone`: whatever the user has in scope.
pub fn clone_function(span: Span) -> Expr {
    // Written by a macro, or rustc would lint the path as longer than it has to be.
    let written = span.resolved_at(Span::call_site());
    let names = [
        ("core", span),
        ("clone", written),
        ("Clone", written),
        ("clone", written),
    ];
    let segment = |(name, span)| PathSegment::from(Ident::new(name, span));
    path_expr(Path {
        leading_colon: Some(Token![::](span)),
        segments: names.into_iter().map(segment).collect(),
    })
}

/// `function(arguments)`
pub fn call(function: Expr, arguments: impl IntoIterator<Item = Expr>, span: Span) -> Expr {
    Expr::Call(ExprCall {
        attrs: Vec::new(),
        func: Box::new(function),
        paren_token: Paren(span),
        args: arguments.into_iter().collect(),
    })
}

/// `&place`
pub fn reference(place: Expr, span: Span) -> Expr {
    Expr::Reference(ExprReference {
        attrs: Vec::new(),
        and_token: Token![&](span),
        mutability: None,
        expr: Box::new(place),
    })
}

/// `|inputs| body`
pub fn closure(inputs: impl IntoIterator<Item = Pat>, body: Expr, span: Span) -> ExprClosure {
    ExprClosure {
        attrs: Vec::new(),
        lifetimes: None,
        modifiers: ClosureModifiers::default(),
        constness: None,
        asyncness: None,
        capture: None,
        inputs_begin: Token![|](span),
        inputs: inputs.into_iter().collect(),
        inputs_end: Token![|](span),
        output: ReturnType::Default,
        body: Box::new(body),
    }
}

pub fn tuple(elements: Vec<Expr>, parentheses: Paren) -> Expr {
    Expr::Tuple(ExprTuple {
        attrs: Vec::new(),
        paren_token: parentheses,
        elems: listed(elements.into_iter()),
    })
}

pub fn tuple_pat(elements: Vec<Pat>, span: Span) -> Pat {
    Pat::Tuple(PatTuple {
        attrs: Vec::new(),
        paren_token: Paren(span),
        elems: listed(elements.into_iter()),
    })
}

/// The elements of a tuple: a single one is followed by a comma.
fn listed<T>(elements: impl ExactSizeIterator<Item = T>) -> Punctuated<T, Token![,]> {
    let single = elements.len() == 1;
    let mut list: Punctuated<T, Token![,]> = elements.collect();
    if single {
        list.push_punct(<Token![,]>::default());
    }
    list
}

pub fn name_pat(name: Ident) -> Pat {
    Pat::Ident(PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: None,
        ident: name,
        subpat: None,
    })
}

/// `mut name`
pub fn mutable_pat(name: Ident) -> Pat {
    Pat::Ident(PatIdent {
        attrs: Vec::new(),
        by_ref: None,
        mutability: Some(Token![mut](name.span())),
        ident: name,
        subpat: None,
    })
}

pub fn path_expr(path: Path) -> Expr {
    Expr::Path(ExprPath {
        attrs: Vec::new(),
        qself: None,
        path,
    })
}

pub fn name_expr(name: Ident) -> Expr {
    path_expr(name.into())
}

/// `let name = &name;`
pub fn let_reference(name: &Ident) -> Stmt {
    let span = name.span();
    Stmt::Local(Local {
        attrs: Vec::new(),
        let_token: Token![let](span),
        modifiers: LocalModifiers::default(),
        pat: name_pat(name.clone()),
        init: Some(LocalInit {
            eq_token: Token![=](span),
            expr: Box::new(reference(name_expr(name.clone()), span)),
            diverge: None,
        }),
        semi_token: Token![;](span),
    })
}

/// `let _: <Type as Trait>::Itself;`
pub fn let_of_type(path: Path, of: Path, span: Span) -> Stmt {
    let of_type = Type::Path(TypePath {
        attrs: Vec::new(),
        qself: None,
        path,
    });
    let position = of.segments.len();
    let mut path = of;
    path.segments.push(Ident::new("Itself", span).into());
    let anything = Pat::Wild(PatWild {
        attrs: Vec::new(),
        underscore_token: Token![_](span),
    });
    Stmt::Local(Local {
        attrs: Vec::new(),
        let_token: Token![let](span),
        modifiers: LocalModifiers::default(),
        pat: Pat::Type(PatType {
            attrs: Vec::new(),
            pat: Box::new(anything),
            colon_token: Token![:](span),
            ty: Box::new(Type::Path(TypePath {
                attrs: Vec::new(),
                qself: Some(QSelf {
                    lt_token: Token![<](span),
                    ty: Box::new(of_type),
                    position,
                    as_token: Some(Token![as](span)),
                    gt_token: Token![>](span),
                }),
                path,
            })),
        }),
        init: None,
        semi_token: Token![;](span),
    })
}

/// `_ = &name;`
pub fn discard(name: Ident) -> Stmt {
    let span = name.span();
    let nowhere = Expr::Infer(ExprInfer {
        attrs: Vec::new(),
        underscore_token: Token![_](span),
    });
    let looked_at = reference(name_expr(name), span);
    Stmt::Expr(assign(nowhere, looked_at, span), Some(Token![;](span)))
}

/// `left = right`
pub fn assign(left: Expr, right: Expr, span: Span) -> Expr {
    Expr::Assign(ExprAssign {
        attrs: Vec::new(),
        left: Box::new(left),
        eq_token: Token![=](span),
        right: Box::new(right),
    })
}

/// `{ stmts }`, with attributes before or in it.
pub fn block(attrs: Vec<Attribute>, block: Block) -> Expr {
    Expr::Block(ExprBlock {
        attrs,
        label: None,
        block,
    })
}
