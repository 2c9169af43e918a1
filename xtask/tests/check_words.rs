//! `check-words` on a small workspace.
#![expect(clippy::unwrap_used, reason = "a test that cannot set up its world fails")]

use std::path::Path;
use std::process::Command;

/// The words of the workspace: `oldish` is refused everywhere but in `docs/past`, the phrase only in the
/// package.
const WORDS: &str = "\
not_read = [\"CHANGELOG.md\"]
sentence_starts = [\"What\", \"Whoever\"]

[[word]]
refused = [\"oldish\", \"oldishly\"]
use_instead = \"new\"
except = [\"docs/past\"]

[[word]]
refused = [\"two words\"]
use_instead = \"one\"
in = [\"crates/inner\"]
";

/// The output for these files in a workspace with one package, `inner`, and these words.
fn said_with(words: &str, files: &[(&str, &[u8])]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, content: &[u8]| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, content).unwrap();
    };
    write("Cargo.toml", b"[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n");
    write("crates/inner/Cargo.toml", b"[package]\nname = \"inner\"\nedition = \"2024\"\n");
    write("crates/inner/src/lib.rs", b"");
    write("CHANGELOG.md", b"What was oldish.\n");
    write("docs/past.md", b"It was oldish.\n");
    write("words.toml", words.as_bytes());
    for (path, content) in files {
        write(path, content);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("check-words")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(output.status.code(), Some(i32::from(!lines.is_empty())), "{lines:?}");
    lines
}

/// The problems of one file, without its name.
fn said_about(path: &str, content: &str) -> Vec<String> {
    let lines = said_with(WORDS, &[(path, content.as_bytes())]);
    lines.iter().map(|line| line.strip_prefix(path).unwrap().to_owned()).collect()
}

#[test]
fn refused_words_are_found_in_any_text() {
    let expected = [":2: says oldish; say new"];
    for path in ["a.md", "docs/a.html", "crates/inner/src/a.rs", ".ci/run", ".github/a.yml"] {
        for text in
            ["It is oldish.", "OLDISH", "fn key_is_oldish()", "<b>Oldish</b>", "an oldish_key", "\"oldish\""]
        {
            assert_eq!(said_about(path, &format!("\n{text}\n")), expected, "{path}: {text}");
        }
    }
    assert_eq!(said_about("a.md", "Made oldishly.\n"), [":1: says oldishly; say new"]);
    assert_eq!(said_about("a.md", "Oldisher, oldish2, Moldish.\n"), Vec::<String>::new());
}

#[test]
fn a_phrase_may_be_a_name_or_continue_on_the_next_line() {
    let path = "crates/inner/src/a.rs";
    for text in ["// Two words.", "fn of_two_words() {}", "/// Two\n/// words.", "// two-words"] {
        assert_eq!(said_about(path, text), [":1: says two words; say one"], "{text}");
    }
    for text in ["// Two. Words.", "// two, words", "// two other words", "// two"] {
        assert_eq!(said_about(path, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn words_are_refused_where_the_list_says() {
    assert_eq!(said_about("docs/a.md", "Two words.\n"), Vec::<String>::new());
    assert_eq!(said_about("docs/past/a.md", "Oldish.\n"), Vec::<String>::new());
    assert_eq!(said_about("target/a.md", "Oldish.\n"), Vec::<String>::new());
    assert_eq!(said_with(WORDS, &[("a.bin", b"oldish\0"), ("b.bin", b"oldish\xff")]), Vec::<String>::new());
}

#[test]
fn a_prefix_of_no_file_is_a_mistake_of_the_list() {
    let words = format!("{WORDS}except = [\"crates/gone\"]\n");
    assert_eq!(said_with(&words, &[]), ["words.toml: no file begins with crates/gone"]);
}

#[test]
fn sentences_begin_with_their_subject() {
    let expected = [":1: begins a sentence with What; begin with what it is about"];
    for (path, text) in [
        ("a.rs", "/// What it takes."),
        ("a.rs", "//! Settings. What it takes."),
        ("a.rs", "let a = \"b\"; // What it takes."),
        ("a.toml", "# What it takes."),
        ("a.toml", "a = 1 # What it takes."),
        ("a.yml", "# What it takes."),
        ("a.sql", "-- What it takes."),
        ("a.md", "What it takes."),
        ("a.md", "Settings: *What* it takes. Why?"),
        ("a.md", "- What it `takes`"),
    ] {
        assert_eq!(said_about(path, &format!("{text}\n")), expected, "{path}: {text}");
    }
    assert_eq!(
        said_about("a.rs", "// This is\n// it. Whoever reads\n// this? What.\n// What a.b? No. What d."),
        [":4: begins a sentence with What; begin with what it is about"]
    );
}

#[test]
fn questions_headings_and_code_may_begin_so() {
    for (path, text) in [
        ("a.rs", "// What does 1.5 take?"),
        ("a.rs", "// What does it\n// take?"),
        ("a.rs", "let a = [What::It, What ::It];"),
        ("a.rs", "let a = \" // What it takes\";"),
        ("a.rs", "// See What it takes, and [`What`]."),
        ("a.md", "## What it takes"),
        ("a.md", "```\nWhat it takes.\n```"),
        ("a.md", "| What | Takes |\n|---|---|\n"),
        ("a.json", "\"What it takes.\""),
    ] {
        assert_eq!(said_about(path, &format!("{text}\n")), Vec::<String>::new(), "{path}: {text}");
    }
}
