//! Files that use each other in circles.

use crate::world::{LAYERS, World};

/// The output for these files of the crate `inner`; `more` is added to `layers.toml`.
fn said_about(files: &[(&str, &str)], more: &str) -> Vec<String> {
    let world = World::new();
    for (name, text) in files {
        world.write(&format!("crates/inner/src/{name}"), text);
    }
    world.write("layers.toml", &format!("{LAYERS}{more}"));
    world.check()
}

#[test]
fn files_that_use_each_other() {
    let circle = ["crates/inner/src/a.rs, crates/inner/src/b.rs: these files use each other in a circle"];
    for (lib, a, b) in [
        ("mod a; mod b;", "use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;"),
        ("mod a; mod b;", "fn f(x: super::b::B) {} pub struct A;", "pub struct B(Vec<crate::a::A>);"),
        (
            "mod a; mod b;",
            "use super::b;\npub fn f() { b::g() }",
            "pub fn g() { println!(\"{}\", crate::a::f()) }",
        ),
        // Through the root, which only re-exports.
        (
            "mod a; mod b; pub use a::A; pub use b::B;",
            "use crate::B; pub struct A;",
            "use crate::{A as X}; pub struct B;",
        ),
        (
            "mod a; mod b; pub use a::*;",
            "pub mod inner { fn f() { super::super::b::g() } }",
            "pub fn g() { crate::a::inner::f() }",
        ),
    ] {
        assert_eq!(said_about(&[("lib.rs", lib), ("a.rs", a), ("b.rs", b)], ""), circle, "{lib} {a} {b}");
    }
}

#[test]
fn a_module_and_its_child_that_use_each_other() {
    let circle = ["crates/inner/src/a.rs, crates/inner/src/a/b.rs: these files use each other in a circle"];
    let child = "use super::A; pub fn f(a: A) {}";
    for parent in
        ["mod b; pub struct A; fn f() { b::f(A) }", "mod b; pub use b::f; pub struct A; fn g() { f(A) }"]
    {
        assert_eq!(
            said_about(&[("lib.rs", "mod a;"), ("a.rs", parent), ("a/b.rs", child)], ""),
            circle,
            "{parent}"
        );
    }
}

#[test]
fn files_that_use_each_other_one_way_only() {
    for (lib, a, b) in [
        // A parent does not use a child by declaring or re-exporting it.
        ("mod a; mod b; pub use a::A; pub struct Root;", "pub struct A;", "use crate::{A, Root};"),
        (
            "mod a;\n#[cfg(test)]\nmod b;\npub struct Root;",
            "use crate::Root; pub(crate) struct A;",
            "use crate::a::A;",
        ),
        (
            "mod a; mod b;",
            "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }",
            "use crate::a::A; pub struct B;",
        ),
        (
            "mod a; mod b;",
            "//! See `crate::b::B`.\npub(in crate::a) struct A;",
            "use crate::a::A; pub struct B;",
        ),
        (
            "mod a; mod b;",
            "pub struct A { b: u8 } fn f(x: A) -> u8 { x.b }",
            "use crate::a::A; pub struct B;",
        ),
    ] {
        assert_eq!(
            said_about(&[("lib.rs", lib), ("a.rs", a), ("b.rs", b)], ""),
            Vec::<String>::new(),
            "{a} {b}"
        );
    }
}

#[test]
fn a_circle_that_is_allowed() {
    let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")];
    let allow =
        |files: &str, reason: &str| format!("[[circle]]\nfiles = [\"{files}\"]\nreason = \"{reason}\"\n");

    assert_eq!(said_about(&files, &allow("crates/inner/src/**", "one thing")), Vec::<String>::new());

    let without_reason = said_about(&files, &allow("crates/inner/src/**", " "));
    assert_eq!(without_reason, ["layers.toml: crates/inner/src/**: a circle without a reason"]);

    let [circle, unused] =
        said_about(&files, &allow("crates/inner/src/a.rs", "one thing")).try_into().unwrap();
    assert!(circle.ends_with("use each other in a circle"), "{circle}");
    assert_eq!(unused, "layers.toml: crates/inner/src/a.rs: there is no such circle");
}
