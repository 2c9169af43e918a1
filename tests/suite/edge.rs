//! `GET /responses/...`: the answers of checks as static files, of the service, in the CDN bucket, and near the users.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, CDN_BUCKET, Client, Driver, Edge, Multipart, PUBLIC_BUCKET, Release, World, bucket, end,
    on_hosts, tauri_signature, until,
};

on_hosts! {
    every: [
        a_static_path_answers_as_the_check_does,
        static_answers_can_be_cached,
        what_a_check_does_not_answer_is_not_there,
        no_update_for_tauri_is_not_there,
        unused_dimensions_are_called_default,
        names_may_hold_spaces,
        a_check_publishes_its_answer,
        every_change_removes_published_answers,
        nothing_is_published_for_devices_or_without_cdn,
        an_unchanged_answer_is_not_written_again,
        an_edge_answers_as_its_origin,
        an_edge_decides_about_rollouts,
        an_edge_outlives_its_origin,
        an_edge_sees_changes_within_a_minute,
        an_edge_knows_what_is_not_there_from_its_origin,
        an_edge_publishes_nothing,
    ],
}

/// How long what happens after an answer may take.
const AFTER: Duration = Duration::from_secs(20);
const CACHED: &str = "public, max-age=60, must-revalidate";
const FOLDER: &str = "responses/acme/notes/stable/linux/amd64";

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

/// An owner whose application `notes` publishes its answers.
fn with_cdn(world: &World) -> Account {
    let acme = acme(world);
    let data = json!({ "id": acme.app_id("notes"), "cdn": true }).to_string();
    let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
    acme
}

fn file(version: &str) -> String {
    format!("/{FOLDER}/{version}.json")
}

fn manual(version: &str) -> String {
    format!("/{FOLDER}/manual/{version}.json")
}

fn a_static_path_answers_as_the_check_does(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0").critical());
    acme.publish(Release::new("1.1.0").rollout(30).with("changelog", "Faster.\n\"Better\" ☃"));

    for version in ["0.1", "1.0.0", "v1.0", "1.1.0", "1.1.0%2Bbuild.7", "2.0.0-rc.1"] {
        let check = acme.get(&acme.check_path(version)).send().expect(200);
        for path in [file(version), manual(version)] {
            let answer = world.get(&path).send().expect(200);
            assert_eq!(answer.body, check.body, "{path}");
            for header in ["etag", "cache-control", "content-type"] {
                assert_eq!(answer.header(header), check.header(header), "{path}: {header}");
            }
        }
    }
}

fn static_answers_can_be_cached(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    for path in [file("0.1"), manual("0.1")] {
        let answer = world.get(&path).send().expect(200);
        let again = world.get(&path).header("if-none-match", answer.header("etag")).send().expect(304);
        let head = world.client().head(&path).send().expect(200);

        assert_eq!(answer.header("cache-control"), CACHED);
        assert_eq!((again.body.len(), again.header("etag")), (0, answer.header("etag")));
        assert_eq!(head.body.len(), 0);
        assert_eq!(head.header("content-length"), answer.body.len().to_string());
        assert_eq!(head.header("etag"), answer.header("etag"));
    }
    let tag = world.get(&file("0.1")).send().header("etag").to_owned();
    acme.publish(Release::new("1.0.1"));
    let _ = world.get(&file("0.1")).header("if-none-match", &tag).send().expect(200);
}

fn what_a_check_does_not_answer_is_not_there(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let known = file("0.1");
    let _ = world.get(&known).send().expect(200);

    let changed = [
        ("acme", "nobody"),
        ("notes", "unknown"),
        ("notes", "..%2Fnotes"),
        ("stable", "beta"),
        ("stable", "default"),
        ("linux", "Linux"),
        ("amd64", "arm64"),
        ("amd64", "a%00"),
        ("amd64", "%ff"),
        ("0.1.json", "latest.json"),
        ("0.1.json", "1..2.json"),
        ("0.1.json", "0.1.JSON"),
        ("0.1.json", "0.1"),
        ("0.1.json", ".json"),
        ("0.1.json", "tauri/0.1.json"),
        ("0.1.json", "nonsense/0.1.json"),
        ("/0.1.json", ""),
        ("/0.1.json", "/manual/x/0.1.json"),
    ];
    for (from, to) in changed {
        let path = known.replace(from, to);
        assert_eq!(world.get(&path).send().status, 404, "{path}");
    }
    assert_eq!(world.get(&known.replace("acme", "nobody")).send().error(), "not found");
}

fn no_update_for_tauri_is_not_there(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("windows", &["tauri"]);
    let release = Release::empty("1.0.0").file("notes.msi.zip", "x").with("signature", tauri_signature(None));
    acme.publish(release.with("platform", "windows").with("updater", "tauri"));
    let path = |version: &str| file(version).replace("linux", "windows");
    let check = |version: &str| acme.get(&acme.check_path(version).replace("linux", "windows")).send();

    let answer = world.get(&path("0.1")).send().expect(200);
    assert_eq!(answer.body, check("0.1").expect(200).body);
    assert_eq!(answer.json()["signature"], tauri_signature(None));
    let with_updater = world.get(&path("tauri/0.1")).send().expect(200);
    assert_eq!(with_updater.body, answer.body);
    let _ = check("1.0.0").expect(204);
    assert_eq!(world.get(&path("1.0.0")).send().refusal(), (404, "not found".to_owned()));
}

fn unused_dimensions_are_called_default(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.publish(Release::new("1.0.0").without("channel").without("platform").without("arch"));
    let check =
        |rest: &str| acme.get(&format!("/checkVersion?app_name=notes&version=0.1&owner=acme{rest}")).send();

    let answer = world.get("/responses/acme/notes/default/default/default/0.1.json").send().expect(200);
    assert_eq!(answer.body, check("").expect(200).body);

    acme.create_channel("default");
    acme.publish(Release::new("2.0.0").with("channel", "default").without("platform").without("arch"));
    let answer = world.get("/responses/acme/notes/default/default/default/0.1.json").send().expect(200);
    assert_eq!(answer.json()["version"], "2.0.0", "a name that is in use is meant");
    assert_eq!(answer.body, check("&channel=default").expect(200).body);
}

fn names_may_hold_spaces(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "My Notes", "cdn": true }));
    acme.publish(Release::new("1.0.0").with("app_name", "My Notes"));

    let check = acme.get(&acme.check_path("0.1").replace("=notes", "=My%20Notes")).send().expect(200);

    let path = "responses/acme/My%20Notes/stable/linux/amd64/0.1.json";
    assert_eq!(world.get(&format!("/{path}")).send().expect(200).body, check.body);
    let url = format!("{}/{CDN_BUCKET}/{path}", world.store().url());
    let published = until("a published answer", AFTER, || found(&url));
    assert_eq!(published.body, check.body);
}

/// What anybody gets from an address, if it is there.
fn found(url: &str) -> Option<Answer> {
    let answer = Client::new("").get(url).send();
    if answer.status == 404 { None } else { Some(answer.expect(200)) }
}

/// The keys of the published answers.
fn published(world: &World) -> Vec<String> {
    world.store().keys(CDN_BUCKET, "")
}

/// Checks, and waits until both objects are there.
fn checked(world: &World, acme: &Account, version: &str) -> Answer {
    let answer = acme.get(&acme.check_path(version)).send().expect(200);
    let keys = [file(version), manual(version)].map(|path| path[1..].to_owned());
    until("two published answers", AFTER, || {
        let there = published(world);
        keys.iter().all(|key| there.contains(key)).then_some(())
    });
    answer
}

fn a_check_publishes_its_answer(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(&world);
    acme.publish(Release::new("1.0.0").rollout(30));
    assert_eq!(published(&world), [""; 0]);

    let check = checked(&world, &acme, "0.1");

    for path in [file("0.1"), manual("0.1")] {
        let object = found(&format!("{}/{CDN_BUCKET}{path}", world.store().url())).unwrap();
        assert_eq!(object.body, check.body);
        assert_eq!(object.header("content-type"), "application/json");
        assert_eq!(object.header("cache-control"), CACHED);
    }
    assert_eq!(published(&world).len(), 2);
}

fn every_change_removes_published_answers(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(&world);
    acme.publish(Release::new("1.0.0"));
    let staged =
        acme.stage(&Release::empty("2.0.0").file("notes.deb", "a").file("notes.rpm", "b").published());
    let change = |what: &str, change: &dyn Fn()| {
        let _ = checked(&world, &acme, "0.1");
        change();
        assert_eq!(published(&world), [""; 0], "{what}");
    };

    change("a completed upload", &|| drop(acme.complete(&staged).expect(200)));
    change("an upload in one call", &|| {
        let _ = acme.upload_in_one(&Release::new("3.0.0").published()).expect(200);
    });
    let id = acme.release("2.0.0")["ID"].as_str().unwrap().to_owned();
    let edit = |value: Value| drop(acme.edit(&id, value).expect(200));
    change("unpublish", &|| edit(json!({ "publish": false })));
    change("publish", &|| edit(json!({ "publish": true })));
    change("changelog", &|| edit(json!({ "changelog": "new" })));
    change("critical", &|| edit(json!({ "critical": true })));
    change("rollout", &|| edit(json!({ "rollout": 40 })));
    change("an artifact less", &|| {
        let data = json!({ "id": id, "app_name": "notes", "version": "2.0.0", "artifacts_to_delete": [0] });
        let _ = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send().expect(200);
    });
    change("an artifact less by an edit", &|| edit(json!({ "artifacts_to_delete": [0] })));
    let newest = acme.release("3.0.0")["ID"].as_str().unwrap().to_owned();
    change("delete", &|| drop(acme.delete(&format!("/apps/delete?id={newest}")).send().expect(200)));
    change("an application that no longer publishes", &|| {
        let data = json!({ "id": acme.app_id("notes"), "cdn": false }).to_string();
        let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
    });
}

fn nothing_is_published_for_devices_or_without_cdn(host: Driver) {
    let world =
        World::builder(host).with_variable("device_hash_key", "a key for the hashes of devices").start();
    let acme = with_cdn(&world);
    acme.create_app("quiet");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.0.0").with("app_name", "quiet"));

    acme.check_as("a-device", "0.2");
    acme.get(&acme.check_path("0.3").replace("=notes", "=quiet")).ok();
    let _ = world.get(&file("0.4")).send().expect(200);
    let _ = acme.get(&acme.check_path("0.5").replace("stable", "beta")).send().expect(404);
    let _ = checked(&world, &acme, "0.1");

    assert_eq!(published(&world), [file("0.1")[1..].to_owned(), manual("0.1")[1..].to_owned()]);
}

fn an_unchanged_answer_is_not_written_again(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(&world);
    acme.publish(Release::new("1.0.0"));
    let check = checked(&world, &acme, "0.1");
    let (same, other) = (file("0.1"), manual("0.1"));
    // Without headers, to be told apart from what the service writes.
    world.store().write(CDN_BUCKET, &same[1..], &check.body);
    world.store().write(CDN_BUCKET, &other[1..], b"something else");
    let object = |path: &str| found(&format!("{}/{CDN_BUCKET}{path}", world.store().url())).unwrap();

    acme.check("0.1");

    until("the other one is written", AFTER, || (object(&other).body == check.body).then_some(()));
    let _ = checked(&world, &acme, "0.2");
    assert_eq!(object(&same).header("cache-control"), "", "the same bytes are not written");
    assert_eq!(object(&other).header("cache-control"), CACHED);
}

fn an_edge_answers_as_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("My Notes");
    acme.publish(Release::new("1.0.0").with("changelog", "☃"));
    acme.publish(Release::new("1.1.0").rollout(30));
    acme.publish(Release::new("3.0.0").with("app_name", "My Notes"));
    let edge = Edge::of(&world, host);

    let check = acme.check_path("0.1");
    for path in [
        check.clone(),
        acme.check_path("1.1.0"),
        format!("{check}&updater=manual"),
        check.replace("=notes", "=My%20Notes"),
        file("0.1"),
        manual("9.0"),
        file("0.1").replace("notes", "My%20Notes"),
    ] {
        let (near, far) = (edge.get(&path).send().expect(200), world.get(&path).send().expect(200));
        assert_eq!(near.body, far.body, "{path}");
        for header in ["etag", "cache-control", "content-type"] {
            assert_eq!(near.header(header), far.header(header), "{path}: {header}");
        }
        assert!(!near.headers.contains_key("x-spindrift-stale"), "{path}");
        let again = edge.get(&path).header("if-none-match", far.header("etag")).send();
        assert_eq!(again.status, 304, "{path}");
        assert_eq!(edge.head(&path).send().expect(200).header("etag"), far.header("etag"), "{path}");
    }
    let offered = edge.get(&check).ok();
    let url =
        format!("{}/{PUBLIC_BUCKET}/acme/notes/stable/linux/amd64/notes-1.1.0.deb", world.store().url());
    assert_eq!(offered["update_url_deb"], url, "files come from where they always do");
    assert_eq!(edge.get("/checkVersion").send().refusal(), (400, "missing app_name".to_owned()));
}

fn an_edge_decides_about_rollouts(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").rollout(40));
    let seed = acme.check("0.1")["rollout"]["seed"].as_str().unwrap().to_owned();
    let edge = Edge::of(&world, host);
    edge.get(&acme.check_path("0.1")).ok();
    end(world);

    for n in 0..20 {
        let device = format!("device-{n}");
        let answer = edge.get(&acme.check_path("0.1")).header("x-device-id", &device).send().expect(200);
        let expected = if bucket(&device, &seed) < 40 { "2.0.0" } else { "1.0.0" };
        assert_eq!(answer.json()["version"], expected, "{device}");
        assert_eq!(answer.header("cache-control"), "private, no-store");
    }
}

fn an_edge_outlives_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let edge = Edge::of(&world, host);
    let paths = [acme.check_path("0.1"), file("0.1")];
    let before = edge.get(&paths[0]).send().expect(200);
    end(world);

    for path in &paths {
        let fresh = edge.get(path).send().expect(200);
        assert_eq!(fresh.body, before.body, "{path}");
        assert!(!fresh.headers.contains_key("x-spindrift-stale"), "{path}: it is as fresh as it should be");
    }
    edge.age(61);
    for path in &paths {
        // A host may notice a little later that its store was written from outside.
        let stale = until("the record's age shows", AFTER, || {
            let answer = edge.get(path).send().expect(200);
            answer.headers.contains_key("x-spindrift-stale").then_some(answer)
        });
        assert_eq!(stale.body, before.body, "{path}");
        let seconds: u64 = stale.header("x-spindrift-stale").parse().unwrap();
        assert!((61..200).contains(&seconds), "{path}: {seconds}");
        assert_eq!(stale.header("cache-control"), "private, no-store", "{path}: nobody else keeps it");
    }
    let unknown = edge.get(&paths[0].replace("=notes", "=papers")).send();
    assert_eq!(unknown.refusal(), (503, "the origin is unavailable".to_owned()), "nothing is known about it");
    assert_eq!(edge.get(&paths[1].replace("notes", "papers")).send().status, 503);
}

fn an_edge_sees_changes_within_a_minute(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let edge = Edge::of(&world, host);
    let version = || edge.get(&acme.check_path("0.1")).ok()["version"].clone();
    assert_eq!(version(), "1.0.0");

    acme.publish(Release::new("2.0.0"));
    edge.age(61);

    until("the edge asks its origin again", AFTER, || (version() == "2.0.0").then_some(()));
}

fn an_edge_knows_what_is_not_there_from_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let edge = Edge::of(&world, host);
    let check = acme.check_path("0.1");

    for (from, to) in
        [("=notes", "=papers"), ("=acme", "=nobody"), ("=stable", "=beta"), ("=linux", "=darwin")]
    {
        assert_eq!(edge.get(&check.replace(from, to)).send().status, 404, "{to}");
    }
    assert_eq!(edge.get(&file("0.1").replace("notes", "papers")).send().status, 404);
    assert_eq!(edge.get(&file("0.1").replace("0.1", "latest")).send().status, 404);

    edge.get(&check).ok();
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    let _ = acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send().expect(200);
    edge.age(61);
    until("what is gone is not answered from memory", AFTER, || {
        (edge.get(&check).send().status == 404).then_some(())
    });
    end(world);
    assert_eq!(edge.get(&check).send().status, 503, "nor later");
}

fn an_edge_publishes_nothing(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(&world);
    acme.publish(Release::new("1.0.0"));
    let edge = Edge::of(&world, host);

    edge.get(&acme.check_path("0.2")).ok();
    let _ = checked(&world, &acme, "0.1");

    assert_eq!(published(&world).len(), 2, "only what the service was asked");
}
