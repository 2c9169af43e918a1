//! `check-docs` on a small workspace.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world fails")]

use std::path::Path;
use std::process::Command;

/// The output for a page in a workspace with one package, `inner`, and a page `docs/other.md`.
fn said_about(page: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    write("crates/inner/Cargo.toml", "[package]\nname = \"inner\"\nedition = \"2024\"\n");
    write("crates/inner/src/lib.rs", "");
    write("tests/suite/main.rs", "//! The suite.\n\nmod doors;\nmod walls;\n");
    write("tests/suite/doors.rs", "mod locks;\n\nfn a_door_opens(host: Driver) {}\n");
    write("tests/suite/doors/locks.rs", "mod tests {\n    fn a_lock_holds<T>(host: T) {}\n}\n");
    write("docs/other.md", "# Big `things`, small things\n\n## Twice\n\n## Twice\n");
    write("docs/page.md", page);
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("check-docs")
        .current_dir(folder.path().join("crates"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(output.status.code(), Some(i32::from(!lines.is_empty())), "{lines:?}");
    lines
}

#[test]
fn links_lead_to_files_and_headings() {
    let page = "# Here\n\n[a](other.md) [b](other.md#big-things-small-things) [c](other.md#twice-1) [d](#here)\n\
                [e](../crates/inner/src/lib.rs) [f](/docs/other.md) [g](https://elsewhere.example/x#y) ![h](../docs)\n";
    assert_eq!(said_about(page), Vec::<String>::new());

    for (link, problem) in [
        ("gone.md", "the link gone.md leads to no file"),
        ("gone.md#here", "the link gone.md#here leads to no file"),
        ("other.md#big", "the link other.md#big leads to no heading"),
        ("other.md#twice-2", "the link other.md#twice-2 leads to no heading"),
        ("#there", "the link #there leads to no heading"),
    ] {
        assert_eq!(
            said_about(&format!("# Here\n\nSee [this]({link}).\n")),
            [format!("docs/page.md:3: {problem}")]
        );
    }
}

#[test]
fn commands_name_existing_things() {
    let page = "`cargo xtask wasm`, `cargo test -p inner`, `crates/inner/src/lib.rs`, `crates/<name>`, `other/gone.rs`.\n\n\
                ```bash\ncargo xtask check-layers   # who\ncp -p gone elsewhere\nls \"docs/other.md\"\n```\n";
    assert_eq!(said_about(page), Vec::<String>::new());

    for (code, problem) in [
        ("cargo xtask gone", "cargo xtask has no command gone"),
        ("cargo test -p gone", "no package is called gone"),
        ("cargo run --release --bin gone", "cargo builds no gone"),
        ("cat crates/inner/src/gone.rs", "there is no crates/inner/src/gone.rs"),
    ] {
        assert_eq!(said_about(&format!("So: `{code}`\n")), [format!("docs/page.md:1: {problem}")]);
        assert_eq!(said_about(&format!("```bash\n{code}\n```\n")), [format!("docs/page.md:1: {problem}")]);
    }
}

#[test]
fn a_replaced_decision_may_name_missing_things() {
    assert_eq!(said_about("Status: replaced by [2](other.md)\n\n`crates/gone`\n"), Vec::<String>::new());
    assert_eq!(
        said_about("Status: accepted\n\n`crates/gone`\n"),
        ["docs/page.md:3: there is no crates/gone"]
    );
}

#[test]
fn tests_that_are_named_are_there() {
    let page = "`doors::`, `doors::locks`, `doors::locks::`, `doors::a_door_opens`, `doors::locks::a_lock_holds`.\n\n\
                `cargo test -p inner doors::embedded`, `doors::in_process::a_door_opens`, `std::fs::gone`, `walls`.\n";
    assert_eq!(said_about(page), Vec::<String>::new());

    for name in [
        "doors::a_door",
        "doors::a_door_opens_twice",
        "doors::locks::a_door_opens",
        "doors::gone::",
        "walls::",
    ] {
        assert_eq!(
            said_about(&format!("So: `{name}`\n")),
            [format!("docs/page.md:1: the suite has no {name}")]
        );
        assert_eq!(said_about(&format!("So: ({name})\n")), Vec::<String>::new(), "prose is not code");
    }
}
