//! Metadata, as the service answers it.

use serde_json::{Value, json};
use spindrift_tests::trust::client::{Client, clients, clients_and_library};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Answer, CachingProxy, Driver, Gate, Multipart, Release, World, on_hosts};

use super::{APP, Installation, OWNER, acme, days_ago, gets, uploaded, with_scope};
use crate::download_modes::regenerate;

on_hosts! {
    every: [
        a_file_is_answered_as_it_was_accepted,
        who_has_a_file_does_not_get_it_again,
        a_version_stays_after_the_next_one,
        only_names_of_files_are_answered,
        a_repository_keeps_its_name,
        a_private_repository_is_for_logins_with_permission,
        a_private_repository_is_for_holders_of_a_token,
        an_open_private_repository_is_not_kept_by_caches,
        clients_load_it_from_the_service,
        the_largest_list_is_answered,
        a_refresh_takes_few_requests_and_bytes,
        a_cache_keeps_what_it_may,
    ],
    in_process: [a_failing_database_is_no_missing_file],
}

const KEY: &str = "acme/notes/stable/linux/amd64/notes-1.0.0.deb";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const A_MINUTE: &str = "public, max-age=60, must-revalidate";

fn listing(targets: impl IntoIterator<Item = TestTarget>) -> TestRepository {
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(2));
    repository.publish(targets, days_ago(1));
    repository
}

/// Serves the repository of `notes` with one package.
fn served(world: &World, acme: &Account) -> (TestRepository, Place) {
    let repository = listing([uploaded(KEY, "notes 1.0.0", "1.0.0")]);
    let place = serve(world, &acme.app_id(APP), &repository);
    (repository, place)
}

fn path(file: &str) -> String {
    format!("/tuf/repository/{OWNER}/{APP}/metadata/{file}")
}

fn a_file_is_answered_as_it_was_accepted(host: Driver) {
    let world = World::new(host);
    let (repository, _) = served(&world, &acme(&world));

    for (file, bytes) in &repository.metadata {
        let get = world.get(&path(file)).send().expect(200);
        let head = world.client().head(&path(file)).send().expect(200);
        assert_eq!(get.text(), String::from_utf8_lossy(bytes), "{file}");
        assert!(head.body.is_empty());
        let kept = if file == "timestamp.json" { A_MINUTE } else { FOR_EVER };
        for answer in [&get, &head] {
            assert_eq!(answer.header("content-type"), "application/json");
            assert_eq!(answer.header("content-length"), bytes.len().to_string());
            assert_eq!(answer.header("cache-control"), kept, "{file}");
        }
        assert_eq!(head.header("etag"), get.header("etag"));
    }
    assert_eq!(repository.metadata.len(), 6, "root, two of targets, two of snapshot, timestamp");
}

fn who_has_a_file_does_not_get_it_again(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (mut repository, _) = served(&world, &acme);
    let root = path("1.root.json");
    for (path, kept) in [(path("timestamp.json"), A_MINUTE), (root, FOR_EVER)] {
        let tag = world.get(&path).send().expect(200).header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.len() > 10, "a strong tag: {tag}");
        for call in [world.get(&path), world.client().head(&path)] {
            let answer = call.header("if-none-match", &tag).send().expect(304);
            assert_eq!((answer.header("cache-control"), answer.body.len()), (kept, 0));
            assert_eq!(answer.header("etag"), tag);
        }
        let other = world.get(&path).header("if-none-match", "\"another\"").send();
        assert_eq!(other.status, 200);
    }

    let timestamp = path("timestamp.json");
    let before = world.get(&timestamp).send().expect(200);
    repository.write_timestamp(days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);
    let after = world.get(&timestamp).header("if-none-match", before.header("etag")).send().expect(200);
    assert_eq!(after.body, repository.metadata["timestamp.json"]);
    assert_ne!(after.body, before.body);
}

fn a_version_stays_after_the_next_one(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (mut repository, _) = served(&world, &acme);
    let before = repository.metadata.clone();
    repository.publish([uploaded(&KEY.replace("1.0.0", "2.0.0"), "notes 2.0.0", "2.0.0")], days_ago(0));
    repository.write_root(RootKeys::generation(2), days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);

    for file in before.keys().chain(repository.metadata.keys()) {
        let answer = world.get(&path(file)).send().expect(200);
        assert_eq!(answer.body, repository.metadata[file], "{file}");
    }
    assert_ne!(before["timestamp.json"], repository.metadata["timestamp.json"]);
}

fn only_names_of_files_are_answered(host: Driver) {
    let world = World::new(host);
    let (repository, _) = served(&world, &acme(&world));
    let snapshot = repository.version("snapshot");

    for file in [
        "root.json",
        "2.root.json",
        "01.root.json",
        "1.root",
        "1.ROOT.json",
        "targets.json",
        "snapshot.json",
        "1.snapshot.json",
        "1.timestamp.json",
        "timestamp",
        "timestamp.json.gz",
        "1.channel-stable.json",
        "1.mirrors.json",
        "9007199254740992.root.json",
        "1.channel-%2e%2e%2f1.root.json",
        "%2e%2e%2f1.root.json",
        "1%2eroot.json",
        &format!("{snapshot}.root.json"),
        "x",
    ] {
        for call in [world.get(&path(file)), world.client().head(&path(file))] {
            let answer = call.send().expect(404);
            assert_eq!(answer.header("cache-control"), A_MINUTE, "{file}");
        }
        assert_eq!(world.get(&path(file)).send().error(), "metadata not found", "{file}");
    }
    for repository in
        ["acme/other", "other/notes", "acme/Notes", "acme/..%2fnotes", "%ff/notes", "acme%2Fnotes/x"]
    {
        let path = format!("/tuf/repository/{repository}/metadata/1.root.json");
        assert_eq!(world.get(&path).send().refusal(), (404, "repository not found".into()), "{repository}");
    }
    for path in ["/tuf/repository/acme/notes/metadata/", "/tuf/repository/acme/notes/metadata/a/b", "/tuf/x"]
    {
        assert_eq!(world.get(path).send().status, 404, "{path}");
    }
    assert_eq!(world.client().post(&path("timestamp.json")).send().status, 405);
}

fn a_repository_keeps_its_name(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme@x.example");
    let id = acme.create_app_with(json!({ "app": "My Notes", "tuf": true }));
    let mut repository =
        TestRepository::new("acme@x.example", "My Notes", RootKeys::generation(1), days_ago(2));
    repository.publish([], days_ago(1));
    serve(&world, &id, &repository);
    let timestamp = |app: &str| {
        let path = format!("/tuf/repository/acme%40x.example/{app}/metadata/timestamp.json");
        world.get(&path).send().status
    };

    assert_eq!(timestamp("My%20Notes"), 200);
    assert_eq!(timestamp("%4dy%20%4eotes"), 200, "however it is encoded");
    let data = json!({ "id": id, "app": "Diary" }).to_string();
    acme.post_multipart("/app/update", Multipart::new().field("data", data)).ok();
    assert_eq!((timestamp("My%20Notes"), timestamp("Diary")), (200, 404));
}

/// An owner whose application `notes` is private.
fn private(world: &World, mode: &Value) -> Account {
    let acme = world.admin(OWNER);
    let mut data = json!({ "app": APP, "tuf": true, "private": true });
    if !mode.is_null() {
        data["download_mode"] = mode.clone();
    }
    acme.create_app_with(data);
    with_scope(&acme);
    acme
}

fn is_not_kept(answer: &Answer) {
    assert_eq!(answer.header("cache-control"), "private, no-store");
}

fn a_private_repository_is_for_logins_with_permission(host: Driver) {
    let world = World::new(host);
    let acme = private(&world, &Value::Null);
    let (repository, _) = served(&world, &acme);
    let app = acme.app_id(APP);
    let user = |name: &str, download: bool| {
        let permissions = json!({ "apps": { "download": download, "upload": true, "allowed": [app] } });
        let body = json!({ "username": name, "password": "password of a user", "permissions": permissions });
        acme.post_json("/user/create", body).ok();
        world.login(name, "password of a user")
    };

    for file in repository.metadata.keys().map(String::as_str).chain(["2.root.json"]) {
        let missing = (401, "missing authorization header".to_owned());
        assert_eq!(world.get(&path(file)).send().refusal(), missing, "{file}");
    }
    let timestamp = path("timestamp.json");
    let (ann, ben) = (user("ann", true), user("ben", false));
    for account in [&acme, &ann] {
        let answer = account.get(&timestamp).send().expect(200);
        assert_eq!(answer.body, repository.metadata["timestamp.json"]);
        is_not_kept(&answer);
        is_not_kept(&account.get(&path("1.root.json")).send().expect(200));
        let answer =
            account.get(&timestamp).header("if-none-match", answer.header("etag")).send().expect(304);
        is_not_kept(&answer);
        is_not_kept(&account.get(&path("2.root.json")).send().expect(404));
    }
    assert_eq!(ben.get(&timestamp).send().refusal(), (403, "not allowed".into()));
    // A CI token may sign, so it may verify what it signs over; it still may not download.
    let other = acme.create_app("other");
    is_not_kept(&acme.ci_token(&[&app]).get(&timestamp).send().expect(200));
    let _ = acme.ci_token(&[&app]).get(&path("2.root.json")).send().expect(404);
    assert_eq!(acme.ci_token(&[&other]).get(&timestamp).send().status, 403);
    assert_eq!(world.admin("other").get(&timestamp).send().refusal(), (404, "metadata not found".into()));
    assert_eq!(world.client().with_token("x").head(&timestamp).send().status, 401);
}

fn a_private_repository_is_for_holders_of_a_token(host: Driver) {
    let world = World::new(host);
    let acme = private(&world, &json!("token"));
    let (repository, _) = served(&world, &acme);
    acme.create_app("other");
    let other = regenerate(&acme, "other", None);
    let timestamp = path("timestamp.json");

    for token in [regenerate(&acme, APP, None), regenerate(&acme, APP, Some("stable"))] {
        let get = |file: &str| world.get(&path(file)).header("x-download-token", &token).send();
        assert_eq!(get("timestamp.json").expect(200).body, repository.metadata["timestamp.json"]);
        is_not_kept(&get("1.root.json").expect(200));
        is_not_kept(&get("2.root.json").expect(404));
        assert_eq!(world.get(&format!("{timestamp}?download_token={token}")).send().status, 200);
    }
    assert_eq!(acme.get(&timestamp).send().status, 200, "a login is enough as well");
    let refused = (401, "invalid download token".to_owned());
    assert_eq!(world.get(&timestamp).send().refusal(), refused);
    assert_eq!(world.get(&path("2.root.json")).send().refusal(), refused);
    assert_eq!(world.get(&timestamp).header("x-download-token", &other).send().refusal(), refused);
}

fn an_open_private_repository_is_not_kept_by_caches(host: Driver) {
    let world = World::builder(host).with_variable("enable_private_app_downloading", "true").start();
    let (repository, place) = served(&world, &private(&world, &Value::Null));

    for (file, status) in [("timestamp.json", 200), ("1.root.json", 200), ("2.root.json", 404)] {
        is_not_kept(&world.get(&path(file)).send().expect(status));
    }
    let target = uploaded(KEY, "notes 1.0.0", "1.0.0");
    for client in clients() {
        let said = Installation::new(client, repository.root()).update(&place, &target).unwrap_err();
        assert!(!said.contains("Expired"), "the list is verified, and the file was never uploaded: {said}");
    }
}

fn clients_load_it_from_the_service(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = |version: &str| {
        acme.publish(Release::new(version).with_digests());
        let key = KEY.replace("1.0.0", version);
        uploaded(&key, &format!("notes {version}"), version)
    };
    let old = release("1.0.0");
    let mut repository = listing([old.clone()]);
    let place = serve(&world, &acme.app_id(APP), &repository);
    let apps = clients_and_library().into_iter().map(|client| Installation::new(client, repository.root()));
    let apps: Vec<_> = apps.collect();
    for app in &apps {
        gets(app, &place, &old);
    }

    let new = release("2.0.0");
    repository.publish([new.clone()], days_ago(0));
    let next = RootKeys::generation(2);
    repository.prepare(&next, days_ago(0));
    repository.write_root(next, days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);
    for app in &apps {
        gets(app, &place, &new);
        gets(app, &place, &old);
    }
}

/// Nearly 4 MiB, the most that a list may have.
fn the_largest_list_is_answered(host: Driver) {
    let world = World::new(host);
    let target = |number: u32| {
        let version = format!("1.0.{number}-{}", "x".repeat(40));
        uploaded(&KEY.replace("1.0.0", &version), "notes", &version)
    };
    let repository = listing((0..8000).map(target));
    serve(&world, &acme(&world).app_id(APP), &repository);

    let file = repository.newest("targets");
    let bytes = &repository.metadata[&file];
    assert!((3_900_000..4 * 1024 * 1024).contains(&bytes.len()), "{}", bytes.len());
    assert!(world.get(&path(&file)).send().expect(200).body == *bytes);
}

/// 18 scopes of 3 releases with 2 packages each.
fn shipped() -> Vec<TestTarget> {
    let target = |number: u32| {
        let version = format!("{}.0.0", 1 + number % 3);
        let key = format!(
            "acme/notes/stable/linux/arch-{:02}/notes-{version}.{}",
            number / 6,
            ["deb", "rpm"][(number / 3 % 2) as usize]
        );
        uploaded(&key, &key, &version)
    };
    (0..108).map(target).collect()
}

fn a_refresh_takes_few_requests_and_bytes(host: Driver) {
    let world = World::new(host);
    let id = acme(&world).app_id(APP);
    let mut repository = listing([]);
    serve(&world, &id, &repository);
    let gate = Gate::before(&world.url());
    let place = Place::of_service(gate.url(), &repository.path);
    gate.watch("/tuf/");
    let keeping = |client: &Client| matches!(client, Client::PythonTuf(_) | Client::TufJs(_));
    let apps =
        clients().into_iter().filter(keeping).map(|client| Installation::new(client, repository.root()));
    let apps: Vec<_> = apps.collect();
    // The target is not listed, so that only metadata is loaded.
    let refresh = |app: &Installation| {
        let _not_listed =
            app.update(&place, &uploaded(&KEY.replace("1.0.0", "9.0.0"), "", "9.0.0")).unwrap_err();
        let passed = gate.take_passed();
        (passed.len(), passed.iter().map(|passed| passed.bytes).sum::<u64>())
    };
    for app in &apps {
        refresh(app);
        let (requests, bytes) = refresh(app);
        assert!((requests, bytes) <= (2, 3 * 1024), "nothing new: {requests} requests, {bytes} bytes");
    }
    repository.publish(shipped(), days_ago(0));
    serve(&world, &id, &repository);
    for app in &apps {
        let (requests, bytes) = refresh(app);
        assert!(requests == 4 && bytes <= 60 * 1024, "a publish: {requests} requests, {bytes} bytes");
    }
}

fn a_cache_keeps_what_it_may(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (repository, _) = served(&world, &acme);
    let Some(proxy) = CachingProxy::before(&world.url()) else {
        println!("skipped: there is no nginx");
        return;
    };
    let get = |file: &str| {
        let answer = proxy.client().get(&path(file)).send();
        (answer.status, answer.header("x-cache").to_owned(), answer.body)
    };
    let snapshot = repository.newest("snapshot");
    for file in ["1.root.json", snapshot.as_str(), "timestamp.json"] {
        let bytes = repository.metadata[file].clone();
        assert_eq!(get(file), (200, "MISS".into(), bytes.clone()), "{file}");
        assert_eq!(get(file), (200, "HIT".into(), bytes), "{file}");
    }
    // That a root is missing is kept for a minute, not for as long as the cache likes.
    let (status, cache, _) = get("2.root.json");
    assert_eq!((status, cache.as_str()), (404, "MISS"));
    let kept = proxy.client().get(&path("2.root.json")).send().expect(404);
    assert_eq!((kept.header("x-cache"), kept.header("cache-control")), ("HIT", A_MINUTE));
}

fn a_failing_database_is_no_missing_file(host: Driver) {
    let world = World::new(host);
    let _ = served(&world, &acme(&world));
    world.platform().fail_sql(true);
    let failed = (503, "the database is unavailable".to_owned());
    for path in [path("timestamp.json"), path("2.root.json"), path("1.root.json").replace("notes", "other")] {
        let answer = world.get(&path).send();
        assert_eq!(answer.refusal(), failed);
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    world.platform().fail_sql(false);
    assert_eq!(world.get(&path("timestamp.json")).send().status, 200);
}
