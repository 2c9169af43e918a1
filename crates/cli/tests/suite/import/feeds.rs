//! Feeds of the old server: which files they allow, and what a dry run reports about them.

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts, velopack_asset};

use super::old::{self, DownloadMode, OldContent, OldServer};
use super::wire_server::WireAnswer;
use super::{ada, import, imported, item_lines, items, reason_of, releases, text};

on_hosts! {
    every: [
        overwritten_entries_are_read_from_the_public_feed,
        a_dry_run_tells_which_files_feeds_refuse,
    ],
}

const FOLDER: &str = "/releases/velopack/ada/notes/windows/amd64";
/// The feed that every upload to the old server overwrites.
const UPLOADED: &str = "/releases/velopack/ada/notes/windows/amd64/releases.win.json";
/// The feed that the old server generates for clients.
const PUBLIC: &str = "/velopack/ada/notes/windows/amd64/releases.stable.json";

/// A release for Windows with these packages, and a feed at the path that all releases share.
fn pack(id: usize, version: &str, kinds: &[&str]) -> Value {
    let mut release = old::release(id, version, "");
    let names = kinds.iter().map(|kind| package(version, kind)).chain(["releases.win.json".to_owned()]);
    let artifacts = names.map(|name| {
        json!({ "link": format!("http://storage{FOLDER}/{name}"), "platform": "windows", "arch": "amd64", "package": "" })
    });
    release["Artifacts"] = artifacts.collect();
    release
}

fn package(version: &str, kind: &str) -> String {
    format!("Notes-{version}-{}.nupkg", kind.to_lowercase())
}

fn asset(version: &str, kind: &str) -> Value {
    velopack_asset(version, kind, &package(version, kind))
}

fn feed(assets: &[Value]) -> WireAnswer {
    WireAnswer::Whole(200, String::new(), json!({ "Assets": assets }).to_string().into_bytes())
}

/// Three releases. The uploaded feed contains only the last.
fn overwritten() -> OldServer {
    let mut last = pack(3, "1.2.0", &["Full"]);
    last["RolloutPercent"] = json!(0);
    let content = OldContent::of_notes(json!([
        last,
        pack(2, "1.1.0", &["Full", "Delta"]),
        pack(1, "1.0.0", &["Full"])
    ]));
    let old = OldServer::start(content, DownloadMode::Open);
    old.store(UPLOADED, Some(feed(&[asset("1.2.0", "Full")])));
    old
}

fn overwritten_entries_are_read_from_the_public_feed(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), overwritten());
    let of_app = |version: &str, kind: &str| {
        let mut asset = asset(version, kind);
        asset["PackageId"] = json!("notes");
        asset
    };
    let all = [("1.2.0", "Full"), ("1.1.0", "Full"), ("1.1.0", "Delta"), ("1.0.0", "Full")];
    old.set_answer(PUBLIC, Some(feed(&all.map(|(version, kind)| of_app(version, kind)))));

    let planned = imported(&shell, &old, &["--dry-run"]);
    let done = imported(&shell, &old, &[]);

    let of_files = |items: &[Value]| {
        let files = items.iter().filter(|item| item["kind"] == "files");
        files
            .map(|item| (text(item, "name").to_owned(), text(item, "outcome").to_owned()))
            .collect::<Vec<_>>()
    };
    let expected = |outcome: &str| {
        ["1.0.0", "1.1.0", "1.2.0"]
            .map(|version| (format!("notes {version} windows/amd64 (velopack)"), outcome.to_owned()))
    };
    assert_eq!(of_files(&planned), expected("create"));
    assert_eq!(of_files(&done), expected("created"));
    assert_eq!(releases(&world).len(), 3);
    let answer = world.get("/update/ada/notes/stable/windows/amd64/1.0.0/releases.win.json").ok();
    let listed: Vec<&str> =
        answer["Assets"].as_array().unwrap().iter().map(|asset| asset["Type"].as_str().unwrap()).collect();
    assert_eq!(listed, ["Full", "Delta"], "the delta begins with 1.0.0: {answer}");
    let asked = old.requests().iter().filter(|asked| asked.path == PUBLIC).count();
    assert_eq!(asked, 2, "once in each run");
}

fn a_dry_run_tells_which_files_feeds_refuse(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), overwritten());
    // The old server has lost the entry of one release, and lists no delta.
    old.set_answer(PUBLIC, Some(feed(&[asset("1.2.0", "Full"), asset("1.1.0", "Full")])));

    for (dry, outcome) in [(&["--dry-run", "--json"][..], "create"), (&["--json"], "created")] {
        let done = import(&shell, &old, dry);

        assert_eq!(done.code, Some(6), "{done:?}");
        let items = items(&done);
        let name = |version: &str| format!("notes {version} windows/amd64 (velopack)");
        let lost = "releases.win.json: Notes-1.0.0-full.nupkg: uploaded and not listed";
        assert_eq!(reason_of(&items, &name("1.0.0")), lost, "{dry:?}");
        let without = "without Notes-1.1.0-delta.nupkg, which the old server's feed does not list";
        assert_eq!(reason_of(&items, &name("1.1.0")), without, "{dry:?}");
        let message = item_lines(&items);
        assert!(message.contains(&("files", &name("1.0.0"), "refused")), "{message:?}");
        assert!(message.contains(&("files", &name("1.1.0"), outcome)), "{message:?}");
        assert!(message.contains(&("files", &name("1.2.0"), outcome)), "{message:?}");
    }
    assert_eq!(releases(&world).len(), 2);
}
