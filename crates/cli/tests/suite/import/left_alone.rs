//! Items that exist already and differ, and items that this service cannot have.

use serde_json::json;
use spindrift_api::ReleaseEntry;
use spindrift_tests::{Driver, World, on_hosts};

use super::old::{self, DownloadMode, OldContent, OldServer};
use super::wire_server::WireAnswer;
use super::{ada, import, imported, item_lines, items, reason_of, releases};

on_hosts! {
    every: [
        items_that_differ_are_left_alone,
        refusals_by_our_rules_have_reasons,
        an_unknown_download_mode_stops_the_import,
        a_key_that_nothing_was_published_with_is_replaced,
        users_come_with_all_applications,
    ],
}

fn items_that_differ_are_left_alone(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    shell.ok(&["app", "create", "notes", "--description", "Another", "--reports"]);
    shell.ok(&["channel", "create", "stable"]);
    shell.ok(&["platform", "create", "linux", "--updater", "manual", "--updater", "tauri"]);
    shell.ok(&["arch", "create", "amd64"]);
    shell.write("notes.deb", "notes-1.0.0.deb").write("notes.rpm", "of another length");
    let notes =
        ["--channel", "stable", "--platform", "linux", "--arch", "amd64", "--publish", "--app", "notes"];
    let first = ["publish", "--version", "1.0.0", "--changelog", "Another", "notes.deb"];
    shell.ok(&[&first[..], &notes].concat());
    let second = [
        "publish",
        "--version",
        "1.1.0",
        "--critical",
        "--intermediate",
        "--changelog=- Faster",
        "notes.rpm",
    ];
    shell.ok(&[&second[..], &notes].concat());
    let before = releases(&world);

    let done = import(&shell, &old, &["--json"]);

    assert_eq!(done.code, Some(6), "{done:?}");
    assert!(done.stderr.lines().last().unwrap().starts_with("{\"error\":"), "{done:?}");
    let items = items(&done);
    for (name, reason) in [
        ("linux", "its updaters differ"),
        ("notes", "it differs in description"),
        ("notes 1.0.0", "it differs in changelog"),
        ("notes 1.1.0 linux/amd64 (manual)", "notes-1.1.0.rpm has 17 bytes here, and 15 there"),
        ("notes 1.1.0 linux/arm64 (electron-builder)", "updater not supported"),
    ] {
        assert_eq!(reason_of(&items, name), reason, "{items:?}");
    }
    let waiting = shell.config().join("imports").read_dir().unwrap().count();
    assert_eq!(waiting, 0, "refused files are not kept");
    let keys = item_lines(&items).into_iter().find(|(kind, ..)| *kind == "report-key").unwrap();
    assert_eq!(keys.2, "conflict", "copies that were published here have this service's key");
    let after = releases(&world);
    let old_ones = |all: &[ReleaseEntry]| -> Vec<ReleaseEntry> {
        all.iter().filter(|release| release.version == "1.0.0").cloned().collect()
    };
    assert_eq!(old_ones(&after), old_ones(&before));
    assert!(after.iter().any(|release| release.version == "1.2.0"), "the others are here");
    assert_eq!(shell.ok(&["app", "list", "--json"]).json()["apps"][1]["Description"], "Another");
}

fn refusals_by_our_rules_have_reasons(driver: Driver) {
    let world = World::new(driver);
    let link = |name: &str| format!("http://storage/releases/notes-ada/stable/linux/amd64/{name}");
    let mut without_channel = old::release(5, "3.0.0", &link("notes-3.0.0.deb"));
    without_channel["Channel"] = json!("");
    let content = OldContent::of_notes(json!([
        old::release(1, "..", &link("notes-...deb")),
        old::release(2, "1.0", &link("notes-1.0.deb")),
        old::release(3, "1.0.0", &link("notes-1.0.0.deb")),
        old::release(4, "2.0.0", ""),
        without_channel,
        old::release(6, "4.0.0", "file:///etc/passwd"),
    ]));
    let old = OldServer::start(content, DownloadMode::Open);
    let shell = ada(&world);
    for dry in [&["--dry-run", "--json"][..], &["--json"]] {
        let done = import(&shell, &old, dry);
        assert_eq!(done.code, Some(6), "{done:?}");
        let items = items(&done);
        for (name, reason) in [
            ("notes ..", "its version is not valid here"),
            ("notes 1.0.0", "1.0 is the same version here"),
            ("notes 2.0.0", "it has no files"),
            ("notes 3.0.0", "it has no channel, which is needed as soon as there are channels"),
            ("notes 4.0.0 file:///etc/passwd", "its link is not an address"),
        ] {
            assert_eq!(reason_of(&items, name), reason, "{items:?}");
        }
    }
    let versions: Vec<String> = releases(&world).into_iter().map(|release| release.version).collect();
    assert_eq!(versions, ["1.0"]);
}

fn an_unknown_download_mode_stops_the_import(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let of_desk = ["--app", "My Desk"];
    for status in [429, 500, 503] {
        let said = || Some(WireAnswer::Whole(status, String::new(), b"{\"error\":\"too busy\"}".to_vec()));
        old.set_answer("/download", said());
        assert!(import(&shell, &old, &of_desk).error(7).contains("too busy"));
        assert_eq!(shell.ok(&["app", "list", "--json"]).json()["apps"], json!([]));
        old.say_in_turn("/download", [said()]);
        let done = import(&shell, &old, &[&of_desk[..], &["--retries", "1", "--dry-run"]].concat());
        assert!(done.stdout.contains("private, download_mode unlisted"), "{done:?}");
    }
    old.set_answer("/download", None);
    assert_eq!(import(&shell, &old, &of_desk).code, Some(0));

    let closed = OldServer::start(OldContent::documented(), DownloadMode::WithLogin);
    let done = import(&shell, &closed, &[&of_desk[..], &["--json"]].concat());
    assert_eq!(done.code, Some(6), "{done:?}");
    assert_eq!(reason_of(&items(&done), "My Desk"), "it differs in download_mode");
}

fn a_key_that_nothing_was_published_with_is_replaced(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    shell.ok(&["app", "create", "notes", "--description", "A small editor", "--reports"]);
    let items = imported(&shell, &old, &[]);
    let key = items.iter().find(|item| item["kind"] == "report-key").unwrap();
    assert_eq!(key["outcome"], "created");
    assert_eq!(key["why"], "it replaces the key of this service, with which nothing was published");
}

fn users_come_with_all_applications(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let some = imported(&shell, &old, &["--app", "My Desk", "--users-file", "users.json"]);
    assert!(item_lines(&some).contains(&("user", "bob", "note")), "{some:?}");
    assert!(reason_of(&some, "bob").starts_with("run this without --app"), "{some:?}");
    let all = imported(&shell, &old, &["--users-file", "users.json"]);
    assert!(item_lines(&all).contains(&("user", "bob", "created")), "{all:?}");
    let again = imported(&shell, &old, &["--users-file", "users.json"]);
    assert!(item_lines(&again).contains(&("user", "bob", "same")), "{again:?}");
}
