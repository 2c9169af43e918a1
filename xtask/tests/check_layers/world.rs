//! A small workspace.

use std::path::Path;
use std::process::Command;

const ROOT: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\", \"components/*\"]\n\
    [workspace.lints.rust]\nunsafe_code = \"deny\"\n";

pub(crate) const LAYERS: &str = r#"
[[layer]]
packages = ["inner"]
uses = []

[[layer]]
packages = ["adapter"]
uses = ["inner"]

[[layer]]
packages = ["component-*"]
uses = ["inner"]
uses_wasm = ["adapter"]
uses_dev = ["testing"]

[[layer]]
packages = ["testing"]
uses = []

[[outside]]
crates = ["spin-sdk"]
used_by = ["adapter", "component-*"]
wasm_only = true
named_in = ["crates/adapter/src/**", "components/*/src/entry.rs"]

[[outside]]
crates = ["wasmtime*"]
used_by = ["testing"]
used_dev = ["inner"]
"#;

pub(crate) const WASM: &str = "[target.'cfg(target_family = \"wasm\")'.dependencies]\n";
const INNER: &str = "inner = { path = \"../../crates/inner\" }\n";
pub(crate) const ADAPTER: &str = "adapter = { path = \"../../crates/adapter\" }\n";
pub(crate) const TESTING: &str = "testing = { path = \"../../crates/testing\" }\n";
const ENTRY: &str = "#![expect(unsafe_code, reason = \"glue\")]\nuse spin_sdk::http;\n";

/// A workspace that follows all rules. Tests change it to break one.
pub(crate) struct World(tempfile::TempDir);

impl World {
    pub(crate) fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        world.write("Cargo.toml", ROOT);
        world.write("layers.toml", LAYERS);
        world.package("crates/inner", "inner", "[dev-dependencies]\nwasmtime-wasi = \"1\"\n");
        world.package("crates/testing", "testing", "[dependencies]\nwasmtime = \"1\"\n");
        world.package(
            "crates/adapter",
            "adapter",
            &format!("[dependencies]\n{INNER}{WASM}spin-sdk = \"5\"\n"),
        );
        world.write("crates/adapter/src/deep/sdk.rs", "pub use spin_sdk::http;\n");
        let uses =
            format!("[dependencies]\n{INNER}[dev-dependencies]\n{TESTING}{WASM}{ADAPTER}spin-sdk = \"5\"\n");
        world.package("components/one", "component-one", &uses);
        world.write("components/one/src/entry.rs", ENTRY);
        world.write(
            "components/one/src/lib.rs",
            "//! Does not name `spin_sdk`.\nconst TEXT: &str = \"spin_sdk\";\n",
        );
        world.package("components/two", "component-two", &format!("[dependencies]\n{INNER}"));
        world
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn package(&self, folder: &str, name: &str, rest: &str) {
        let head = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n[lints]\nworkspace = true\n");
        self.write(&format!("{folder}/Cargo.toml"), &(head + rest));
        self.write(&format!("{folder}/src/lib.rs"), "");
    }

    /// The output of the check. Asserts that the exit status matches the output.
    pub(crate) fn check(&self) -> Vec<String> {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("check-layers")
            .current_dir(self.0.path().join("crates"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let lines: Vec<String> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(output.status.code(), Some(i32::from(!lines.is_empty())), "{lines:?}");
        lines
    }
}
