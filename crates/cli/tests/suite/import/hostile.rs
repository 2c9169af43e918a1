//! An old server that lies.

use serde_json::json;
use spindrift_tests::{Driver, World, on_hosts};

use super::old::{self, DownloadMode, OldContent, OldServer};
use super::wire_server::{WireAnswer, WireServer};
use super::{ada, import, items, reason_of, releases};

on_hosts! {
    every: [
        names_are_no_paths,
        the_token_goes_nowhere_else,
        files_come_from_where_they_may,
        answers_end,
        pages_end,
        files_have_a_limit,
    ],
}

fn names_are_no_paths(driver: Driver) {
    let world = World::new(driver);
    let link = |name: &str| format!("http://storage/releases/notes-ada/stable/linux/amd64/{name}");
    let mut content = OldContent::of_notes(json!([
        old::release(1, "1.0.0", &link("..%5C..%5Cevil.deb")),
        old::release(2, "2.0.0", "http://old/download?key=notes-ada%2F.."),
        old::release(3, "3.0.0", &link("..%2F..%2F..%2Fescaped.deb")),
        old::release(4, "../../4.0.0", &link("notes-4.0.0.deb")),
    ]));
    let app = content.lists["/app/list"]["apps"][0].clone();
    let mut evil = app.clone();
    evil["AppName"] = json!("../../evil");
    content.lists.insert("/app/list", json!({ "apps": [app, evil] }));
    content.releases.insert("../../evil", json!([old::release(9, "1.0.0", &link("evil-1.0.0.deb"))]));
    let mut channels = content.lists["/channel/list"].clone();
    channels["channels"][1]["ChannelName"] = json!("../beta");
    content.lists.insert("/channel/list", channels);
    let user = json!({ "username": "../../\u{1b}[31mroot", "permissions": { "Apps": null } });
    content.lists.insert("/users/list", json!({ "users": [user] }));
    let (shell, old) = (ada(&world), OldServer::start(content, DownloadMode::Open));

    let done = import(&shell, &old, &["--json", "--users-file", "users.json"]);

    assert_eq!(done.code, Some(6), "{done:?}");
    let items = items(&done);
    let refused: Vec<&str> = items
        .iter()
        .filter(|item| item["outcome"] == "refused")
        .map(|item| item["name"].as_str().unwrap())
        .collect();
    assert_eq!(refused.len(), 6, "{refused:?}");
    for (name, reason) in [
        ("../beta", "its name is not allowed here"),
        ("../../evil", "its name is not allowed here"),
        ("../../\u{1b}[31mroot", "the name is not allowed here"),
        ("notes ../../4.0.0", "its version is not valid here"),
    ] {
        assert_eq!(reason_of(&items, name), reason);
    }
    let shown = import(&shell, &old, &[]);
    assert!(
        shown.stdout.contains("[31mroot") && !format!("{}{}", shown.stdout, shown.stderr).contains('\u{1b}')
    );
    // Its last segment is a name like any other.
    let all = releases(&world);
    assert_eq!(
        (all.len(), all[0].version.as_str(), all[0].artifacts[0].package.as_str()),
        (1, "3.0.0", "deb")
    );
    let mut here: Vec<_> =
        shell.path("").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    here.sort();
    assert_eq!(here, ["config"], "nothing was written beside the program's folder");
}

fn the_token_goes_nowhere_else(driver: Driver) {
    let world = World::new(driver);
    let other = WireServer::start(Box::new(|_| WireAnswer::Json("{}".to_owned())));
    let shell = ada(&world);

    // Files at other addresses are read there without the token, even through redirects.
    let files = [
        old::release(1, "1.0.0", &format!("{}/download.deb", other.url())),
        old::release(2, "2.0.0", &format!("{}/download?key=a.deb", other.url())),
        old::release(3, "3.0.0", "http://storage/moved.deb"),
    ];
    let old = OldServer::start(OldContent::of_notes(json!(files)), DownloadMode::WithLogin);
    old.store("/moved.deb", Some(WireAnswer::To(format!("{}/moved.deb", other.url()))));
    assert_eq!(import(&shell, &old, &[]).code, Some(0));
    assert_eq!(releases(&world).len(), 3);
    assert!(!other.requests().is_empty());

    // Calls do not follow redirects.
    for path in ["/whoami", "/app/list", "/search", "/download"] {
        let before = other.requests().len();
        let old = OldServer::documented();
        old.set_answer(path, Some(WireAnswer::To(format!("{}{path}", other.url()))));
        let done = import(&shell, &old, &["--app", "My Desk"]);
        assert!(path == "/download" || done.code == Some(7), "{path}: {done:?}");
        assert!(path == "/download" || other.requests().len() == before, "{path}");
    }
    for asked in other.requests().iter().chain(&old.stored_asked()) {
        assert!(!asked.headers.contains_key("authorization"), "{asked:?}");
        assert!(!format!("{asked:?}").contains(old::TOKEN), "{asked:?}");
    }
}

fn files_come_from_where_they_may(driver: Driver) {
    let world = World::new(driver);
    let releases_there = json!([
        old::release(1, "1.0.0", "http://169.254.169.254/latest/notes-1.0.0.deb"),
        old::release(2, "2.0.0", "http://storage/moved.deb"),
        old::release(3, "3.0.0", "http://storage/notes-3.0.0.deb"),
    ]);
    let (shell, old) =
        (ada(&world), OldServer::start(OldContent::of_notes(releases_there), DownloadMode::Open));
    old.store("/moved.deb", Some(WireAnswer::To("http://10.0.0.1/notes-2.0.0.deb".to_owned())));

    let done = import(&shell, &old, &["--json"]);

    assert_eq!(done.code, Some(6), "{done:?}");
    let items = items(&done);
    let host = "169.254.169.254";
    assert!(
        reason_of(&items, host).ends_with(&format!("pass --allow-host {host} if files may come from there"))
    );
    assert!(
        reason_of(&items, "notes 1.0.0 linux/amd64 (manual)").contains("169.254.169.254 is at"),
        "{items:?}"
    );
    assert!(reason_of(&items, "notes 2.0.0 linux/amd64 (manual)").contains("10.0.0.1 is at"), "{items:?}");
    // The storage is as near as the server.
    let here = releases(&world);
    assert_eq!((here.len(), here[0].version.as_str()), (1, "3.0.0"));

    let dry = import(&shell, &old, &["--dry-run", "--json", "--allow-host", host]).json();
    assert_eq!(reason_of(dry["items"].as_array().unwrap(), host), "1 files are read from there");
}

fn answers_end(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    for path in ["/whoami", "/channel/list", "/search"] {
        old.set_answer(path, Some(WireAnswer::Endless));
        let done = import(&shell, &old, &[]);
        assert!(done.error(7).contains("an answer of more than"), "{path}: {done:?}");
        old.set_answer(path, None);
    }
    old.set_answer("/app/list", Some(WireAnswer::Json("[".repeat(1_000_000))));
    assert!(import(&shell, &old, &[]).error(7).contains("does not answer like a faynoSync server"));
}

fn pages_end(driver: Driver) {
    let world = World::new(driver);
    let shell = ada(&world);
    // Returns the same page forever.
    let old = OldServer::start(OldContent::of_notes(json!([])), DownloadMode::Open);
    let same = json!({ "items": [old::release(1, "1.0.0", "http://x/a.deb")], "total": 1_000_000 });
    old.set_answer("/search", Some(WireAnswer::Json(same.to_string())));
    assert!(import(&shell, &old, &[]).error(7).contains("lists 1 of 1000000 releases"));
    assert_eq!(old.requests().iter().filter(|asked| asked.path == "/search").count(), 2);

    // Returns more releases than the import accepts.
    let many: Vec<_> = (0..100_001).map(|id| old::release(id, "1.0.0", "")).collect();
    let old = OldServer::start(OldContent::of_notes(json!([])), DownloadMode::Open);
    let all = json!({ "items": many, "total": 1_000_000 });
    old.set_answer("/search", Some(WireAnswer::Json(all.to_string())));
    assert!(import(&shell, &old, &[]).error(7).contains("lists more than 100000 releases"));
}

fn files_have_a_limit(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let squirrel = "/releases/squirrel_windows/notes-ada/1.0.0/stable/windows/amd64/RELEASES";
    old.store(squirrel, Some(WireAnswer::Endless));
    old.store("/releases/notes-ada/notes-logo.png", Some(WireAnswer::Endless));
    let long = WireAnswer::Announced(6 * 1024 * 1024 * 1024);
    old.store("/releases/notes-ada/stable/linux/amd64/notes-1.0.0.deb", Some(long));

    let done = import(&shell, &old, &["--json"]);

    assert_eq!(done.code, Some(6), "{done:?}");
    let items = items(&done);
    assert!(
        reason_of(&items, "notes 1.0.0 windows/amd64 (squirrel_windows)").contains("over the limit"),
        "{items:?}"
    );
    assert!(reason_of(&items, "notes 1.0.0 linux/amd64 (manual)").contains("over the limit"), "{items:?}");
    let notes = items.iter().find(|item| item["kind"] == "application" && item["name"] == "notes").unwrap();
    assert_eq!(notes["outcome"], "created");
    assert!(notes["why"].as_str().unwrap().starts_with("without its logo"), "{notes}");
}
