//! What a module's code names, read off its syntax tree: imports, paths, identifiers, texts and
//! functions. Items for tests are left out by their attributes, wherever they stand, and so are
//! comments and documentation.

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// One leaf of a `use` tree.
#[derive(Debug)]
pub(super) struct Import {
    /// What is imported; of a glob the path before the star.
    pub(super) path: Vec<String>,
    /// The name that it gets here; none for a glob.
    pub(super) name: Option<String>,
    pub(super) line: usize,
}

/// A function with a body.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// From `fn` to the closing brace, both included.
    pub(super) lines: usize,
}

/// What the code of a module names, each with its line.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) imports: Vec<Import>,
    pub(super) paths: Vec<(Vec<String>, usize)>,
    pub(super) idents: Vec<(String, usize)>,
    pub(super) texts: Vec<(String, usize)>,
    pub(super) functions: Vec<Function>,
    /// The values of fields named `id`, and what entries of learners are made with.
    pub(super) ids: Vec<String>,
    /// The types whose values are written out, `Type { .. }`.
    pub(super) literals: Vec<(String, usize)>,
}

/// Whether an item is for tests alone.
pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Meta>().is_ok_and(|condition| needs_test(&condition)))
    })
}

/// Whether a condition holds in tests alone.
fn needs_test(condition: &syn::Meta) -> bool {
    let syn::Meta::List(list) = condition else {
        return condition.path().is_ident("test") || condition.path().is_ident("doctest");
    };
    let parts = list.parse_args_with(Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
    let mut parts = parts.into_iter().flatten().map(|part| needs_test(&part));
    match () {
        () if list.path.is_ident("all") => parts.any(|needs| needs),
        () if list.path.is_ident("any") => parts.all(|needs| needs),
        () => false,
    }
}

impl Names {
    /// What an item names, if it is not for tests.
    pub(super) fn add(&mut self, item: &syn::Item) {
        self.visit_item(item);
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (first, last) = (signature.fn_token.span.start().line, block.brace_token.span.close().end().line);
        self.functions.push(Function { name: signature.ident.to_string(), lines: last + 1 - first });
    }

    fn import(&mut self, before: &[String], tree: &syn::UseTree) {
        let line = match tree {
            syn::UseTree::Path(part) => part.ident.span(),
            syn::UseTree::Group(group) => group.brace_token.span.open(),
            syn::UseTree::Glob(glob) => glob.star_token.span,
            syn::UseTree::Name(leaf) => leaf.ident.span(),
            syn::UseTree::Rename(leaf) => leaf.ident.span(),
        };
        let line = line.start().line;
        let join = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
        // `use a::b::{self}` names a::b
        let leaf = |name: &syn::Ident| if *name == "self" { before.to_vec() } else { join(name) };
        match tree {
            syn::UseTree::Path(part) => self.import(&join(&part.ident), &part.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
            syn::UseTree::Glob(_) => self.imports.push(Import { path: before.to_vec(), name: None, line }),
            syn::UseTree::Name(leaf_tree) => {
                let path = leaf(&leaf_tree.ident);
                self.imports.push(Import { name: path.last().cloned(), path, line });
            }
            syn::UseTree::Rename(renamed) => {
                let name = Some(renamed.rename.to_string());
                self.imports.push(Import { path: leaf(&renamed.ident), name, line });
            }
        }
    }

    /// Paths, identifiers and texts in what is handed to a macro, whose syntax is its own.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let colons = |at: usize| {
            let is_colon =
                |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
            is_colon(at) && is_colon(at + 1)
        };
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) {
                        self.texts.push((text.value(), literal.span().start().line));
                    }
                }
                TokenTree::Ident(ident) => {
                    let line = ident.span().start().line;
                    let mut path = vec![ident.to_string()];
                    while colons(at + 1)
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    self.idents.extend(path.iter().map(|name| (name.clone(), line)));
                    self.paths.push((path, line));
                }
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Macro(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if !is_test(&item.attrs) {
            if let Some(block) = &item.default {
                self.function(&item.sig, block);
            }
            visit::visit_trait_item_fn(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        if !is_test(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        // `use ::name` is another crate's
        if item.leading_colon.is_none() {
            self.import(&[], &item.tree);
        }
        visit::visit_item_use(self, item);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first()
        {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.paths.push((names, first.ident.span().start().line));
        }
        visit::visit_path(self, path);
    }

    fn visit_expr_struct(&mut self, value: &'a syn::ExprStruct) {
        if let Some(last) = value.path.segments.last() {
            self.literals.push((last.ident.to_string(), last.ident.span().start().line));
        }
        visit::visit_expr_struct(self, value);
    }

    fn visit_field_value(&mut self, field: &'a syn::FieldValue) {
        if let (syn::Member::Named(name), syn::Expr::Lit(value)) = (&field.member, &field.expr)
            && let syn::Lit::Str(text) = &value.lit
            && *name == "id"
        {
            self.ids.push(text.value());
        }
        visit::visit_field_value(self, field);
    }

    /// `LearnerEntry::new("id", ..)`.
    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func
            && function.path.segments.iter().rev().nth(1).is_some_and(|kind| kind.ident == "LearnerEntry")
            && let Some(syn::Expr::Lit(first)) = call.args.first()
            && let syn::Lit::Str(text) = &first.lit
        {
            self.ids.push(text.value());
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, called: &'a syn::Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    fn visit_ident(&mut self, ident: &'a syn::Ident) {
        self.idents.push((ident.to_string(), ident.span().start().line));
    }

    fn visit_lit_str(&mut self, text: &'a syn::LitStr) {
        self.texts.push((text.value(), text.span().start().line));
    }

    // documentation and `pub(in path)` name nothing that the code needs
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}
}

#[test]
fn what_is_for_tests_is_told_by_its_attribute() {
    for (text, expected) in [
        ("#[cfg(test)] fn f() {}", true),
        ("#[test] fn f() {}", true),
        ("#[cfg(doctest)] fn f() {}", true),
        ("#[cfg(all(unix, test))] fn f() {}", true),
        ("#[cfg(any(test, doctest))] fn f() {}", true),
        ("#[cfg(any(test, unix))] fn f() {}", false),
        ("#[cfg(not(test))] fn f() {}", false),
        ("#[cfg(unix)] fn f() {}", false),
        ("/// #[cfg(test)]\nfn f() {}", false),
    ] {
        let item: syn::ItemFn = syn::parse_str(text).unwrap();
        assert_eq!(is_test(&item.attrs), expected, "{text}");
    }
}
