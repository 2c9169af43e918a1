//! Packages, their dependencies, and the crates that their files name.

use crate::world::{ADAPTER, LAYERS, TESTING, WASM, World};

#[test]
fn allowed_imports_pass() {
    assert_eq!(World::new().check(), Vec::<String>::new());
}

#[test]
fn a_dependency_that_is_not_allowed() {
    let world = World::new();
    world.package("crates/inner", "inner", &format!("[dependencies]\n{TESTING}"));
    assert_eq!(world.check(), ["inner -> testing: layers.toml does not allow it"]);
}

#[test]
fn a_build_dependency_counts() {
    let world = World::new();
    world.package("crates/inner", "inner", &format!("[build-dependencies]\n{TESTING}"));
    assert_eq!(world.check(), ["inner -> testing: layers.toml does not allow it"]);
}

#[test]
fn dependencies_of_tests_are_not_for_the_build() {
    let world = World::new();
    world.package("components/two", "component-two", &format!("[dependencies]\n{TESTING}"));
    assert_eq!(world.check(), ["component-two -> testing: layers.toml does not allow it"]);
}

#[test]
fn a_component_that_uses_another() {
    let world = World::new();
    for kind in ["dependencies", "dev-dependencies"] {
        let one = format!("[{kind}]\ncomponent-one = {{ path = \"../one\" }}\n");
        world.package("components/two", "component-two", &one);
        assert_eq!(
            world.check(),
            ["component-two -> component-one: a component never uses another component"]
        );
    }
}

#[test]
fn the_platform_outside_the_webassembly_build() {
    let world = World::new();
    let uses = format!("[dependencies]\n{ADAPTER}spin-sdk = \"5\"\n");
    world.package("components/two", "component-two", &uses);
    assert_eq!(
        world.check(),
        [
            "component-two -> adapter: allowed in the WebAssembly build only",
            "component-two -> spin-sdk: allowed in the WebAssembly build only",
        ]
    );
}

#[test]
fn a_reserved_crate() {
    let world = World::new();
    world.package(
        "components/two",
        "component-two",
        "[dependencies]\nruntime = { package = \"wasmtime-wasi\", version = \"1\" }\n",
    );
    assert_eq!(world.check(), ["component-two -> wasmtime-wasi: reserved to testing"]);
}

#[test]
fn a_package_that_no_layer_has() {
    let world = World::new();
    world.package("crates/stray", "stray", "");
    assert_eq!(world.check(), ["stray: no layer of layers.toml has it"]);
}

#[test]
fn names_in_the_file_that_no_package_has_and_packages_in_two_layers() {
    let world = World::new();
    world
        .write("layers.toml", &format!("{LAYERS}\n[[layer]]\npackages = [\"inner\", \"iner\"]\nuses = []\n"));
    assert_eq!(
        world.check(),
        ["layers.toml: no package is called iner", "inner: more than one layer of layers.toml has it",]
    );
}

#[test]
fn a_layer_with_a_packages_own_name_replaces_patterns() {
    let world = World::new();
    world.package("components/two", "component-two", &format!("[dependencies]\n{TESTING}"));
    let named = "\n[[layer]]\npackages = [\"component-two\"]\nuses = [\"testing\"]\n";
    world.write("layers.toml", &format!("{LAYERS}{named}"));
    assert_eq!(world.check(), Vec::<String>::new());
}

#[test]
fn a_package_with_lints_of_its_own() {
    let world = World::new();
    world.write(
        "crates/inner/Cargo.toml",
        "[package]\nname = \"inner\"\nedition = \"2024\"\n[lints.rust]\nunsafe_code = \"allow\"\n",
    );
    assert_eq!(world.check(), ["inner: its manifest has no `[lints] workspace = true`"]);
}

#[test]
fn the_sdk_named_outside_the_entry() {
    let world = World::new();
    let only = "only crates/adapter/src/**, components/*/src/entry.rs may";
    world.write("components/one/src/lib.rs", "\nfn f() { println!(\"{}\", spin_sdk::x()); }\n");
    assert_eq!(world.check(), [format!("components/one/src/lib.rs:2: names spin_sdk, which {only}")]);

    let world = World::new();
    world.package(
        "components/two",
        "component-two",
        &format!("{WASM}sdk = {{ package = \"spin-sdk\", version = \"5\" }}\n"),
    );
    world.write("components/two/src/lib.rs", "use r#sdk::http;\n");
    assert_eq!(world.check(), [format!("components/two/src/lib.rs:1: names sdk, which {only}")]);
}

#[test]
fn unsafe_code_without_a_reason() {
    for attribute in [
        "#![allow(unsafe_code)]",
        "#[expect(unsafe_code, reason = \"\")] fn f() {}",
        "#[cfg_attr(test, allow(dead_code, unsafe_code))] fn f() {}",
        "#![warn(unsafe_code)]",
    ] {
        let world = World::new();
        world.write("crates/inner/src/lib.rs", attribute);
        assert_eq!(
            world.check(),
            ["crates/inner/src/lib.rs:1: allows unsafe_code without a reason"],
            "{attribute}"
        );
    }
}
