//! `import faynosync`: afterwards, this service has everything from the old server exactly once.

mod feeds;
mod hostile;
mod interrupted;
mod left_alone;
mod old;
mod wire_server;

use serde_json::{Value, json};
use spindrift_api::{AppsBody, ReleaseEntry, SearchBody, UsersBody};
use spindrift_tests::{Client, Driver, World, on_hosts, tauri_signature};

use self::old::{DownloadMode, OldContent, OldServer};
use self::wire_server::WireRequest;
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        everything_is_brought_here,
        installed_copies_find_their_updates,
        a_second_run_changes_nothing,
        a_second_run_needs_no_file_of_this_service,
        a_dry_run_changes_nothing,
        private_files_come_with_a_login,
        a_wrong_password_is_one_line,
    ],
}

/// The admin `ada` of an empty service.
fn ada(world: &World) -> Shell {
    let shell = Shell::new(&world.url());
    shell.ok(&["signup", "--username", "ada"]);
    shell
}

/// Runs the import. `rest`: more arguments.
fn import(shell: &Shell, old: &OldServer, rest: &[&str]) -> Finished {
    let arguments = ["import", "faynosync", "--from", old.url(), "--username", "ada"];
    let patience = if rest.contains(&"--retries") { &[][..] } else { &["--retries", "0"] };
    let mut command = shell.command(&[&arguments[..], &["--retry-pause", "0"], patience, rest].concat());
    Finished::from(command.env("SPINDRIFT_IMPORT_PASSWORD", old::PASSWORD).output().unwrap())
}

/// Runs an import that leaves nothing to attend to.
fn imported(shell: &Shell, old: &OldServer, rest: &[&str]) -> Vec<Value> {
    let done = import(shell, old, &[rest, &["--json"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    items(&done)
}

fn items(done: &Finished) -> Vec<Value> {
    done.json()["items"].as_array().unwrap().clone()
}

/// Kind, name and outcome of each item.
fn item_lines(items: &[Value]) -> Vec<(&str, &str, &str)> {
    items.iter().map(|item| (text(item, "kind"), text(item, "name"), text(item, "outcome"))).collect()
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap()
}

fn reason_of<'a>(items: &'a [Value], name: &str) -> &'a str {
    let item = items.iter().find(|item| item["name"] == name);
    assert!(item.is_some(), "{name}: {items:?}");
    item.unwrap()["why"].as_str().unwrap_or_default()
}

/// Ada's client of the service.
fn client(world: &World) -> spindrift_tests::Account {
    world.login("ada", spindrift_tests::PASSWORD)
}

fn releases(world: &World) -> Vec<ReleaseEntry> {
    client(world).get("/search?limit=100").read::<SearchBody>().items
}

fn fetched(url: &str) -> String {
    Client::new("").get(url).send().expect(200).text()
}

fn everything_is_brought_here(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());

    let items = imported(&shell, &old, &["--users-file", "users.json"]);

    let message = item_lines(&items);
    let count = |outcome: &str| message.iter().filter(|(_, _, is)| *is == outcome).count();
    // Created: 2 channels, 3 platforms, 2 architectures, 2 applications, a report key, 9 uploads
    // and a user. Noted: a host and the CI token.
    assert_eq!((count("created"), count("note"), message.len()), (20, 2, 22), "{message:?}");
    assert!(reason_of(&items, "ci - notes").contains("spindrift token create"));
    assert!(reason_of(&items, "notes 1.2.0 windows/amd64 (velopack)").contains("Notes-1.2.0-delta.nupkg"));
    assert!(reason_of(&items, "notes 1.1.0 linux/amd64 (manual)").contains("without signatures for Tauri"));

    let here =
        |version: &str| releases(&world).into_iter().find(|release| release.version == version).unwrap();
    let must = here("1.1.0");
    assert!(must.published && must.critical && must.intermediate);
    assert_eq!((must.changelog[0].changes.as_str(), must.artifacts.len()), ("- Faster", 5));
    // The creation time in the old release's id: not now, and not the time of its last change.
    assert_eq!(must.changelog[0].date, "2023-11-12T09:50:56+00:00");
    let (draft, staged) = (here("1.2.1"), here("1.2.0"));
    assert_eq!((draft.published, draft.channel.as_str(), staged.rollout_percent), (false, "beta", 40));

    let AppsBody { apps } = client(&world).get("/app/list").read();
    let app = |name: &str| apps.iter().find(|app| app.app_name == name).unwrap();
    assert!(!app("notes").private && app("notes").reports && app("notes").description == "A small editor");
    assert_eq!(
        Client::new("").get(&app("notes").logo).send().expect(200).header("content-type"),
        "image/png"
    );
    assert_eq!((app("My Desk").private, app("My Desk").download_mode.as_ref()), (true, "unlisted"));
    let keys = client(&world).get("/report-keys/list").ok();
    let key = "rpk_00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    assert_eq!(keys["report_keys"][0]["key_value"], key, "installed copies go on reporting");

    let UsersBody { users, .. } = client(&world).get("/users/list").read();
    assert!(users[0].permissions.apps.upload && users[0].permissions.channels.create);
    assert_eq!(users[0].permissions.apps.allowed, [app("notes").id.clone()]);
    let file = std::fs::read_to_string(shell.path("users.json")).unwrap();
    let passwords: Value = serde_json::from_str(&file).unwrap();
    world.login("bob", passwords["users"]["bob"].as_str().unwrap()).get("/whoami").ok();
}

fn installed_copies_find_their_updates(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    imported(&shell, &old, &[]);
    let check = |query: &str| world.get(&format!("/checkVersion?owner=ada&{query}"));
    let linux = "app_name=notes&channel=stable&platform=linux&arch=amd64";

    let first = check(&format!("{linux}&version=0.9")).ok();
    assert_eq!((&first["version"], &first["is_intermediate_required"]), (&json!("1.1.0"), &json!(true)));
    assert_eq!(fetched(first["update_url_deb"].as_str().unwrap()), "notes-1.1.0.deb");
    let next = check(&format!("{linux}&version=1.1.0&updater=manual")).ok();
    assert_eq!((&next["version"], &next["rollout"]["percent"]), (&json!("1.2.0"), &json!(40)));
    let draft = check(&format!("{}&version=0.9", linux.replace("stable", "beta"))).ok();
    assert_eq!(draft["update_available"], false);

    let id = releases(&world).into_iter().find(|release| release.version == "1.2.0").unwrap().id;
    let data = json!({ "id": id, "rollout": 100 }).to_string();
    let _ = client(&world).post_form("/apps/update", &[("data", &data)]).send().expect(200);
    let tauri = check(&format!("{linux}&version=1.1.0&updater=tauri")).ok();
    assert_eq!(tauri["signature"], tauri_signature(Some("1.2.0")));
    assert_eq!(tauri["pub_date"], "2023-12-31T01:12:32+00:00");
    let feed = |path: &str| world.get(&format!("/update/ada/notes/stable/{path}")).send().expect(200).text();
    assert!(feed("windows/amd64/0.9.0/RELEASES").contains("Notes-1.0.0-full.nupkg"));
    assert!(feed("windows/amd64/1.0.0/releases.stable.json").contains("Notes-1.2.0-full.nupkg"));
    assert!(feed("linux/arm64/1.0.0/latest-linux-arm64.yml").contains("Notes-1.1.0.AppImage"));
    assert!(feed("darwin/arm64/1.0.0/appcast.xml").contains("Notes-1.1.0.zip"));
    let installer = world.get("/update/ada/notes/stable/windows/amd64/1.0.0/Notes-win-Setup.exe");
    let installer = installer.send().expect(302).header("location").to_owned();
    assert_eq!(fetched(&installer), "Notes-win-Setup-1.2.0-windows-amd64.exe", "under its name of old");

    let desk = check("app_name=My%20Desk&channel=stable&platform=linux&arch=amd64&version=0.0.0.1").ok();
    let link = desk["update_url_deb"].as_str().unwrap().strip_prefix(&world.url()).unwrap().to_owned();
    let file = world.get(&link).send().expect(302).header("location").to_owned();
    assert_eq!(fetched(&file), "My Desk-0.0.0.137.deb", "as open as it was");
}

fn a_second_run_changes_nothing(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    imported(&shell, &old, &["--users-file", "users.json"]);
    let looked = old.stored_asked().len();
    let (before, written) = (releases(&world), std::fs::read(shell.path("users.json")).unwrap());

    let items = imported(&shell, &old, &["--users-file", "users.json"]);

    let message = item_lines(&items);
    let others: Vec<_> =
        message.iter().filter(|(kind, _, outcome)| *kind != "host" && *outcome != "same").collect();
    // The omitted delta, and the CI token.
    let left =
        [&("files", "notes 1.2.0 windows/amd64 (velopack)", "note"), &("ci-token", "ci - notes", "note")];
    assert_eq!(others, left);
    assert!(
        reason_of(&items, "notes 1.1.0 linux/amd64 (manual)").starts_with("without signatures for Tauri")
    );
    // The feed shows again which delta is omitted.
    let is_cheap = |asked: &WireRequest| {
        asked.range() == Some("bytes=0-0") || asked.path.ends_with("/releases.stable.json")
    };
    assert!(old.stored_asked().iter().skip(looked).all(is_cheap));
    assert_eq!(releases(&world), before);
    assert_eq!(std::fs::read(shell.path("users.json")).unwrap(), written);
    assert!(!shell.config().join("imports").read_dir().unwrap().any(|_| true), "nothing waits");
}

fn a_second_run_needs_no_file_of_this_service(driver: Driver) {
    let world = World::builder(driver).with_variable("storage_driver", "s3_internal").start();
    let (shell, old) = (ada(&world), OldServer::documented());
    imported(&shell, &old, &["--app", "My Desk"]);
    let items = imported(&shell, &old, &["--app", "My Desk"]);
    let name = "My Desk 0.0.0.137 linux/amd64 (manual)";
    assert!(item_lines(&items).contains(&("files", name, "same")), "{items:?}");
}

fn a_dry_run_changes_nothing(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());

    let done = import(&shell, &old, &["--dry-run"]);

    assert_eq!(done.code, Some(0), "{done:?}");
    let line = |start: &str| done.stdout.lines().any(|line| line.starts_with(start));
    assert!(line("WHAT") && line("channel       stable"), "{}", done.stdout);
    assert!(line("user          bob"), "{}", done.stdout);
    for (kind, name, becomes) in [
        ("platform", "linux", "for manual, tauri, electron-builder"),
        ("application", "notes", "public"),
        ("application", "My Desk", "private, download_mode unlisted"),
        (
            "files",
            "notes 1.0.0 windows/amd64 (squirrel_windows)",
            "1.0.0 of 2023-10-26, published: Notes-1.0.0-full.nupkg with RELEASES",
        ),
        (
            "files",
            "notes 1.2.0 linux/amd64 (tauri)",
            "1.2.0 of 2023-12-31, published to 40 %: notes-1.2.0.appimage",
        ),
        ("files", "notes 1.2.1 linux/amd64 (manual)", "1.2.1 of 2024-01-24, draft: notes-1.2.1.deb"),
    ] {
        let row = done.stdout.lines().find(|line| line.starts_with(kind) && line.contains(name)).unwrap();
        assert!(row.contains(&format!("  {becomes}  ")) && row.contains("  create"), "{row}");
    }
    let storage = done.stdout.lines().find(|line| line.starts_with("host")).unwrap();
    assert!(storage.contains("127.0.0.1:") && storage.ends_with("files are read from there"), "{storage}");
    assert!(done.stdout.contains("pass --users-file"), "{}", done.stdout);
    let report = import(&shell, &old, &["--dry-run", "--json", "--app", "My Desk"]).json();
    assert_eq!((&report["dry_run"], &report["unfinished"]), (&json!(true), &json!(0)));
    assert!(!report.to_string().contains("notes 1.0.0"));
    assert_eq!(shell.ok(&["app", "list", "--json"]).json()["apps"], json!([]));
    assert_eq!(shell.ok(&["channel", "list", "--json"]).json()["channels"], json!([]));
    let is_feed = |asked: &WireRequest| {
        [".json", ".yml", "RELEASES", ".xml"].iter().any(|end| asked.path.ends_with(end))
    };
    assert!(old.stored_asked().iter().all(is_feed), "no other file was read: {:?}", old.stored_asked());
    assert!(done.stdout.contains("without Notes-1.2.0-delta.nupkg"), "{}", done.stdout);
}

fn private_files_come_with_a_login(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::start(OldContent::documented(), DownloadMode::WithLogin));

    imported(&shell, &old, &["--app", "My Desk"]);

    let apps = shell.ok(&["app", "list", "--json"]).json();
    assert_eq!(apps["apps"][0]["download_mode"], "login", "as closed as it was");
    let entry = &releases(&world)[0];
    let link = entry.artifacts[0].link.strip_prefix(&world.url()).unwrap().to_owned();
    let file = client(&world).get(&format!("{link}&format=json")).ok();
    assert_eq!(fetched(file["download_url"].as_str().unwrap()), "My Desk-0.0.0.137.deb");
    for asked in old.stored_asked() {
        assert!(!asked.headers.contains_key("authorization"), "{asked:?}");
    }
}

fn a_wrong_password_is_one_line(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let arguments = ["import", "faynosync", "--from", old.url(), "--username", "ada"];
    let mut command = shell.command(&arguments);
    let done = Finished::from(command.env("SPINDRIFT_IMPORT_PASSWORD", "a wrong one").output().unwrap());
    let error = done.error(3);
    assert!(error.contains("invalid username or password") && error.contains("--username"), "{error}");
    assert!(!format!("{done:?}").contains("a wrong one"));

    // A team user sees only a part of the data.
    old.set_answer(
        "/whoami",
        Some(wire_server::WireAnswer::Json(json!({ "username": "ada", "is_admin": false }).to_string())),
    );
    assert!(import(&shell, &old, &[]).error(4).contains("team user"));
    let none = Shell::new(&world.url());
    assert!(import(&none, &old, &[]).error(3).contains("spindrift login"));
}
