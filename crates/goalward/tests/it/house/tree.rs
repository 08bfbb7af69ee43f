//! A crate as its modules' syntax trees, without tests.

use super::names::{Names, is_test};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path within a crate: the names of modules and items from its root.
pub(super) type Place = Vec<String>;

/// A module's names, its unit tests left out.
#[derive(Debug)]
pub(super) struct Module {
    /// The file, as seen from the workspace.
    pub(super) file: String,
    pub(super) names: Names,
    /// The modules that it declares, tests left out.
    pub(super) children: BTreeSet<String>,
}

/// All modules of a crate but its tests.
#[derive(Debug, Default)]
pub(super) struct Crate {
    pub(super) modules: BTreeMap<Place, Module>,
    /// All files of it, tests too.
    pub(super) files: BTreeSet<PathBuf>,
}

impl Crate {
    /// Reads a crate from its first file, whose path is as seen from the workspace.
    pub(super) fn read(workspace: &Path, root: &str) -> Crate {
        let mut found = Crate::default();
        found.file(workspace, Path::new(root), Vec::new(), false);
        found
    }

    /// A crate from the texts of its modules, for tests of the rules; the root's place is empty.
    pub(super) fn of(texts: &[(&str, &str)]) -> Crate {
        let mut found = Crate::default();
        for (place, text) in texts {
            let place: Place = place.split("::").filter(|name| !name.is_empty()).map(String::from).collect();
            let items = syn::parse_file(text).unwrap().items;
            found.items(None, &format!("{}.rs", place.join("/")), place, &items);
        }
        found
    }

    fn file(&mut self, workspace: &Path, file: &Path, place: Place, test: bool) {
        let path = workspace.join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let tree = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.files.insert(path);
        match test || is_test(&tree.attrs) {
            true => self.test_files(workspace, file, &tree.items),
            false => self.items(Some(workspace), &file.to_string_lossy(), place, &tree.items),
        }
    }

    /// A module, and those that it declares; without a workspace no file is looked for.
    fn items(&mut self, workspace: Option<&Path>, file: &str, place: Place, items: &[syn::Item]) {
        let mut module = Module { file: file.into(), names: Names::default(), children: BTreeSet::new() };
        for item in items {
            let syn::Item::Mod(inner) = item else {
                module.names.add(item);
                continue;
            };
            let (name, test) = (inner.ident.to_string(), is_test(&inner.attrs));
            let place: Place = place.iter().cloned().chain([name.clone()]).collect();
            if !test {
                module.children.insert(name.clone());
            }
            match &inner.content {
                Some((_, items)) if !test => self.items(workspace, file, place, items),
                Some(_) => {}
                None => {
                    if let Some((workspace, found)) =
                        workspace.and_then(|w| Some((w, declared(w, file, inner)?)))
                    {
                        self.file(workspace, &found, place, test);
                    }
                }
            }
        }
        self.modules.insert(place, module);
    }

    /// The files that a file of tests declares.
    fn test_files(&mut self, workspace: &Path, file: &Path, items: &[syn::Item]) {
        for item in items {
            if let syn::Item::Mod(inner) = item
                && inner.content.is_none()
                && let Some(found) = declared(workspace, &file.to_string_lossy(), inner)
            {
                self.file(workspace, &found, Vec::new(), true);
            }
        }
    }

    /// The place that a path stands for, seen from a module; none for what lies outside the crate
    /// or is the module's own.
    pub(super) fn resolve(&self, from: &[String], path: &[String]) -> Option<Place> {
        // an alias of an alias of ... ends
        self.resolve_within(from, path, 16)
    }

    fn resolve_within(&self, from: &[String], path: &[String], depth: usize) -> Option<Place> {
        let (first, rest) = path.split_first()?;
        let depth = depth.checked_sub(1)?;
        let joined = |place: &[String], rest: &[String]| Some([place, rest].concat());
        match first.as_str() {
            "crate" => return Some(rest.to_vec()),
            "self" => return joined(from, rest),
            "super" => {
                let supers = path.iter().take_while(|name| *name == "super").count();
                return joined(&from[..from.len().checked_sub(supers)?], &path[supers..]);
            }
            _ => {}
        }
        let module = self.modules.get(from)?;
        if module.children.contains(first) {
            return joined(from, path);
        }
        // an import of the same name as what it imports from is not its own source
        let alias = module.names.imports.iter().find(|import| import.name.as_ref() == Some(first));
        if let Some(import) = alias.filter(|import| import.path.first() != Some(first)) {
            return joined(&self.resolve_within(from, &import.path, depth)?, rest);
        }
        // each of several globs may come from another of them: few turns, or the tries multiply
        let (turns, globs) = (depth / 4, module.names.imports.iter().filter(|import| import.name.is_none()));
        globs.filter_map(|import| self.resolve_within(from, &import.path, turns)).find_map(|place| {
            let module = self.modules.get(&place)?;
            let imported = module.names.imports.iter().any(|import| import.name.as_ref() == Some(first));
            (imported || module.children.contains(first)).then(|| [place, path.to_vec()].concat())
        })
    }

    /// The module directly within a folder that holds a place; what the folder's own module hands
    /// on counts for where it comes from.
    pub(super) fn sibling(&self, folder: &[String], place: &[String]) -> Option<String> {
        let (mut place, module) = (place.to_vec(), self.modules.get(folder)?);
        for _ in 0..16 {
            let name = place.strip_prefix(folder)?.first()?.clone();
            if module.children.contains(&name) {
                return Some(name);
            }
            let import = module.names.imports.iter().find(|import| import.name.as_ref() == Some(&name))?;
            let rest = &place[folder.len() + 1..];
            place = [self.resolve(folder, &import.path)?, rest.to_vec()].concat();
        }
        None
    }

    /// Everything that a module names within the crate: where it stands, and in which line it is
    /// named.
    pub(super) fn named<'a>(&'a self, from: &'a [String]) -> impl Iterator<Item = (Place, usize)> + 'a {
        let names = &self.modules[from].names;
        let imports = names.imports.iter().map(|import| (&import.path, import.line));
        let paths = names.paths.iter().map(|(path, line)| (path, *line));
        imports.chain(paths).filter_map(|(path, line)| Some((self.resolve(from, path)?, line)))
    }
}

/// The file of a module, as seen from the workspace; none for one outside the folder of its crate's
/// sources.
fn declared(workspace: &Path, file: &str, module: &syn::ItemMod) -> Option<PathBuf> {
    let file = Path::new(file);
    if module.attrs.iter().any(|attribute| attribute.path().is_ident("path")) {
        return None;
    }
    let stem = file.file_stem()?.to_str()?;
    let folder = match stem {
        "mod" | "lib" | "main" => file.parent()?.to_path_buf(),
        _ => file.with_extension(""),
    };
    let beside = folder.join(format!("{}.rs", module.ident));
    let within = folder.join(module.ident.to_string()).join("mod.rs");
    Some(if workspace.join(&beside).is_file() { beside } else { within })
}
