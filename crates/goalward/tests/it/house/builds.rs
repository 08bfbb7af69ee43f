//! A problem is made in one place, which checks it.

use super::crates;
use super::tree::Crate;

/// The only module that writes a problem out.
const BUILDER: &str = "crates/mdp/src/problem/builder/build.rs";

/// The files that write out a value of this type, `Type { .. }`, once for each time.
fn written_out(library: &Crate, of: &str) -> Vec<String> {
    let modules = library.modules.values();
    let found = modules.flat_map(|module| {
        let literals = module.names.literals.iter().filter(|(name, _)| name == of);
        literals.map(|_| module.file.clone())
    });
    found.collect()
}

#[test]
fn problems_are_built_in_one_place() {
    assert_eq!(written_out(&crates(&["crates/mdp"])[0], "Problem"), [BUILDER]);
}

#[test]
fn a_second_construction_is_found() {
    let found = |text: &str| written_out(&Crate::of(&[("", "mod a;"), ("a", text)]), "Problem").len();
    for (text, expected) in [
        ("fn f() -> Problem { Problem { dim: 1 } }", 1),
        ("fn f() { g(crate::problem::Problem { dim: 1, ..old }) }", 1),
        ("struct Problem { dim: usize } impl Problem { fn f() -> Problem { g() } }", 0),
        ("fn f(p: Problem) { let Problem { dim } = p; ProblemBuilder { dim }; }", 0),
        ("#[cfg(test)] fn f() -> Problem { Problem { dim: 1 } }", 0),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}
