//! `--help` of every command, and the examples of `docs/cli.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use spindrift_tests::{Driver, Receiver, World, on_hosts};

use crate::server::nobody;
use crate::shell::Shell;

/// Commands that are tested elsewhere, because they run until the host stops, need its state, need
/// another server, or replace the program.
const OTHERS: [&str; 10] = [
    "up",
    "health",
    "demo",
    "backup",
    "restore",
    "import faynosync",
    "self update",
    // They need another issuer, an id, and a CI job.
    "publisher add oidc",
    "publisher remove",
    "publisher test",
];

on_hosts! {
    every: [the_examples_work],
}

/// Every command, as a list of words.
fn commands() -> Vec<Vec<String>> {
    fn below(command: &clap::Command, path: &[String], all: &mut Vec<Vec<String>>) {
        for inner in command.get_subcommands() {
            let path = [path, &[inner.get_name().to_owned()]].concat();
            if inner.has_subcommands() { below(inner, &path, all) } else { all.push(path) }
        }
    }
    let mut all = Vec::new();
    below(&spindrift_cli::command(), &[], &mut all);
    all
}

/// The folder of the documentation.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// The pages in a folder.
fn pages(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md"))
}

/// The lines in the `bash` blocks of `docs/cli.md`.
fn examples() -> Vec<Vec<String>> {
    examples_of(&docs().join("cli.md"))
}

/// The lines in the `bash` blocks of a page.
fn examples_of(page: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = text.split("```bash\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    // Blocks in lists are indented.
    blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()).map(words).collect()
}

/// Splits a line at spaces outside double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

#[test]
fn every_command_has_help_and_an_example() {
    let shell = Shell::new(&nobody());
    let examples: BTreeSet<String> = examples().into_iter().map(|words| words.join(" ")).collect();
    for path in commands() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        let name = arguments.join(" ");
        let shown = examples.iter().any(|example| example.starts_with(&format!("spindrift {name}")));
        assert!(shown || OTHERS.contains(&name.as_str()), "docs/cli.md has no example of `{name}`");
        arguments.push("--help");
        let help = shell.ok(&arguments).stdout;
        assert!(help.contains("Usage: spindrift") && help.contains("--json"), "{name}: {help}");
        assert!(help.contains("Examples:"), "{name}: {help}");
        let _ = arguments.pop();
        arguments.push("-h");
        let short = shell.ok(&arguments).stdout;
        assert!(short.contains("Examples:") && !short.contains("--json "), "{name}: {short}");
        assert!(!short.contains("--config-dir") && help.contains("--config-dir"), "{name}: {short}");
    }
    assert!(shell.ok(&["--help"]).stdout.contains("Exit codes:"));
}

/// The examples on other pages, which need more than a service.
#[test]
fn all_pages_name_commands_that_exist() {
    let folders = [docs(), docs().join("api"), docs().join("updaters"), docs().join("adr")];
    let mut seen = BTreeSet::new();
    for page in folders.iter().flat_map(|folder| pages(folder)).chain([docs().join("../README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        // With several spaces, it is the name of a crate in a diagram.
        let is_command = |line: &&str| line.starts_with("spindrift ") && !line.starts_with("spindrift  ");
        let lines = text.lines().map(str::trim).filter(is_command);
        // Commands in tables and sentences.
        let inline = text.split('`').skip(1).step_by(2).filter(is_command);
        for line in lines.chain(inline) {
            let mut command = spindrift_cli::command();
            for word in words(line).iter().skip(1).take_while(|word| !word.starts_with(['-', '<'])) {
                let Some(inner) = command.find_subcommand(word) else {
                    assert!(!command.has_subcommands(), "{}: {line}", page.display());
                    break;
                };
                command = inner.clone();
            }
            let _ = seen.insert(line.to_owned());
        }
    }
    let among = |start: &str| seen.iter().any(|line| line.starts_with(start));
    assert!(among("spindrift import faynosync --from"), "indented: {seen:?}");
    assert!(among("spindrift trust rotate targets --compromised"), "in a table: {seen:?}");
}

/// The guides publish files of tools that are not installed here, so only the flags are checked.
#[test]
fn the_commands_of_guides_are_understood() {
    let mut seen = 0;
    for page in pages(&docs().join("updaters")).chain([docs().join("publishing-from-ci.md")]) {
        for words in examples_of(&page) {
            let understood = spindrift_cli::command().try_get_matches_from(&words);
            assert!(understood.is_ok(), "{}: {words:?}: {understood:?}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

fn the_examples_work(driver: Driver) {
    let receiver = Receiver::start();
    let world = World::builder(driver).with_variable("webhook_origin", receiver.url()).start();
    let shell = Shell::new(&world.url());
    shell.write("notes.deb", "a program").write("notes.rpm", "the same").write("CHANGES.md", "- better\n");
    shell.write("dist/notes.deb", "a better program").write("dist/notes.dmg", "for others");
    let mut reported = false;
    for words in examples() {
        assert_eq!(words[0], "spindrift", "{words:?}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        if arguments[0] == "reports" && !reported {
            reported = true;
            report_a_crash(&world);
        }
        // Replaces ids, which the service generates.
        let made_up = |list: &str| {
            let listed = shell.ok(&[arguments[0], "list", "--json"]).json();
            listed[list][0]["id"].as_str().unwrap().to_owned()
        };
        match arguments[..] {
            ["invitation", "revoke", _] => shell.ok(&["invitation", "revoke", &made_up("invitations")]),
            ["shutoff", "lift", id] if !id.starts_with("--") => {
                shell.ok(&["shutoff", "lift", &made_up("shutoffs")])
            }
            // The times of the examples pass.
            ["freeze", "add", ref more @ ..] => {
                let (from, to) = (super::freeze::in_days(1), super::freeze::in_days(2));
                let times = more.iter().zip([""].iter().chain(more)).map(|(word, before)| match *before {
                    "--from" => &from,
                    "--to" => &to,
                    _ => *word,
                });
                shell.ok(&["freeze", "add"].into_iter().chain(times).collect::<Vec<_>>())
            }
            ["freeze", "end", _, ref more @ ..] => {
                shell.ok(&[&["freeze", "end", &made_up("freezes")], more].concat())
            }
            ["webhook", command @ ("test" | "remove"), _] => {
                shell.ok(&["webhook", command, &made_up("webhooks")])
            }
            ["webhook", "edit", _, ref more @ ..] => {
                shell.ok(&[&["webhook", "edit", &made_up("webhooks")], more].concat())
            }
            ["webhook", "add", address, ref more @ ..] => {
                let address = address.replace("https://hooks.example.com", receiver.url());
                shell.ok(&[&["webhook", "add", &address], more].concat())
            }
            _ => shell.ok(&arguments),
        };
    }
    assert_eq!(std::fs::read_to_string(shell.path("latest.rpm")).unwrap(), "the same");
    assert!(reported);
}

/// Reports a crash, as an installed copy does.
fn report_a_crash(world: &World) {
    let ada = world.login("ada", spindrift_tests::PASSWORD);
    let keys = ada.get("/report-keys/list").ok();
    let body = json!({
        "application": { "name": "notes", "version": "1.0.0", "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": "segv" },
    });
    let copy = world.client().with_token(keys["report_keys"][0]["key_value"].as_str().unwrap());
    let _ = copy.post_json("/reports/ingest", body).header("x-device-id", "a-device").send().expect(202);
}
