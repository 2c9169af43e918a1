//! The common behaviour of all feeds.

use std::time::Duration;

use spindrift_tests::{Driver, Edge, World, end, on_hosts, sparkle, squirrel, tauri, until, velopack};

use super::{acme, ask, path, text};

/// How long a host may take to notice writes of others.
const AFTER: Duration = Duration::from_secs(20);

on_hosts! {
    every: [
        nothing_published_is_not_found,
        the_platform_must_have_the_updater,
        unknown_names_are_not_found,
        unused_dimensions_are_called_default,
        feeds_can_be_cached,
        head_has_the_headers_of_get,
        devices_are_counted,
        owners_do_not_meet,
        an_edge_answers_as_its_origin,
        an_edge_outlives_its_origin,
    ],
    in_process: [
        a_failing_store_is_no_empty_feed,
        a_failing_key_value_store_costs_no_answer,
    ],
}

/// A feed of each updater on its platform.
const FEEDS: [(&str, &str); 6] = [
    ("windows", "RELEASES"),
    ("windows", "latest.yml"),
    ("windows", "releases.win.json"),
    ("darwin", "squirrel.json"),
    ("darwin", "appcast.xml"),
    ("linux", "tauri.json"),
];

fn nothing_published_is_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.upload(&squirrel("1.0.0", &[]));

    for (platform, file) in FEEDS {
        let refusal = ask(&world, platform, "0.1", file).refusal();
        assert_eq!(refusal, (404, "release not found".into()), "{file}");
    }
}

fn the_platform_must_have_the_updater(host: Driver) {
    let world = World::new(host);
    let _ = acme(&world);

    for (platform, file) in
        [("linux", "RELEASES"), ("windows", "appcast.xml"), ("linux", "squirrel.json"), ("linux", "")]
    {
        let refusal = ask(&world, platform, "0.1", file).refusal();
        assert_eq!(refusal, (400, "updater not supported".into()), "{platform} {file}");
    }
}

fn unknown_names_are_not_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    for (path, text) in [
        ("nobody/notes/stable/windows/amd64", "owner not found"),
        ("acme/other/stable/windows/amd64", "application not found"),
        ("acme/notes/nightly/windows/amd64", "channel not found"),
        ("acme/notes/stable/plan9/amd64", "platform not found"),
        ("acme/notes/stable/windows/mips", "arch not found"),
        ("acme/a%2Fb/stable/windows/amd64", "application not found"),
    ] {
        let refusal = world.get(&format!("/update/{path}/1.0.0/RELEASES")).send().refusal();
        assert_eq!(refusal, (404, text.into()), "{path}");
    }
    assert_eq!(
        ask(&world, "windows", "latest", "RELEASES").refusal(),
        (400, "invalid version parameter".into())
    );
    assert_eq!(world.get("/update/acme/notes/stable/windows/amd64/1.0.0").send().status, 404);
    assert_eq!(world.client().post(&path("windows", "1.0.0", "RELEASES")).send().status, 405);
}

fn unused_dimensions_are_called_default(host: Driver) {
    let world = World::new(host);
    let bare = world.admin("bare");
    bare.create_app("notes");
    bare.create_platform_with("windows", &["squirrel_windows"]);
    bare.publish(squirrel("1.0.0", &[]).without("channel").without("arch"));

    let feed = world.get("/update/bare/notes/default/windows/default/0.1/RELEASES").send().expect(200).text();
    assert!(feed.contains("/default/windows/default/Notes-1.0.0-full.nupkg"), "{feed}");
}

fn feeds_can_be_cached(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    let first = ask(&world, "windows", "0.1", "RELEASES").expect(200);
    assert_eq!(first.header("cache-control"), "public, max-age=60, must-revalidate");
    let tag = first.header("etag").to_owned();
    let again = world.get(&path("windows", "0.1", "RELEASES")).header("if-none-match", &tag).send();
    assert_eq!((again.status, again.text().as_str()), (304, ""));
    let device = world.get(&path("windows", "0.1", "RELEASES")).header("x-device-id", "d").send();
    assert_eq!(device.header("etag"), tag, "an answer that is the same for all");
    acme.publish(squirrel("1.1.0", &[]));
    let changed = world.get(&path("windows", "0.1", "RELEASES")).header("if-none-match", &tag).send();
    assert_eq!(changed.status, 200);
}

fn head_has_the_headers_of_get(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    for file in ["RELEASES", "Notes-1.0.0-full.nupkg"] {
        let get = ask(&world, "windows", "0.1", file);
        let head = world.client().head(&path("windows", "0.1", file)).send();
        assert_eq!((head.status, head.text().as_str()), (get.status, ""));
        for name in ["content-type", "etag", "cache-control", "location"] {
            assert_eq!(head.headers.get(name), get.headers.get(name), "{file} {name}");
        }
    }
}

fn devices_are_counted(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = acme(&world);
    acme.publish(velopack("1.0.0", &[]));

    let _ = ask(&world, "windows", "0.9.0", "releases.win.json?stagingId=a-device").expect(200);

    let seen = until("the device is counted", std::time::Duration::from_secs(20), || {
        let telemetry = acme.get("/telemetry").ok();
        (telemetry["summary"]["unique_clients"] == 1).then_some(telemetry)
    });
    assert_eq!(seen["versions"]["usage"][0]["version"], "0.9.0");
    assert_eq!(seen["summary"]["clients_outdated"], 1);
}

fn owners_do_not_meet(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let other = world.admin("other");
    other.create_app("notes");
    other.create_channel("stable");
    other.create_platform_with("windows", &["squirrel_windows"]);
    other.create_arch("amd64");
    let theirs = |file: &str| world.get(&path("windows", "0.1", file).replace("/acme/", "/other/")).send();

    assert_eq!(theirs("RELEASES").refusal(), (404, "release not found".into()));
    assert_eq!(theirs("Notes-1.0.0-full.nupkg").refusal(), (404, "file not found".into()));
    other.publish(squirrel("1.2.0", &[]));
    assert!(theirs("RELEASES").expect(200).text().contains("other/notes/1.2.0"));
    assert!(text(&world, "windows", "0.1", "RELEASES").contains("acme/notes/1.0.0"));
}

fn an_edge_answers_as_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(sparkle("1.0.0"));
    acme.publish(tauri("1.0.0", "notes.AppImage"));
    let edge = Edge::of(&world, host);

    for (platform, file) in [("windows", "RELEASES"), ("darwin", "appcast.xml"), ("linux", "tauri.json")] {
        let near = edge.get(&path(platform, "0.1", file)).send().expect(200);
        assert_eq!(near.text(), text(&world, platform, "0.1", file), "{file}");
    }
    let near = edge.get(&path("windows", "0.1", "Notes-1.0.0-full.nupkg")).send();
    assert_eq!(near.status, 302);
    let missing = edge.get(&path("windows", "0.1", "releases.win.json")).send().refusal();
    assert_eq!(missing, (404, "release not found".into()));
}

fn an_edge_outlives_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let edge = Edge::of(&world, host);
    let files = ["RELEASES", "Notes-1.0.0-full.nupkg"].map(|file| path("windows", "0.1", file));
    let before = files.each_ref().map(|file| edge.get(file).send());
    end(world);

    edge.age(61);
    for (file, before) in files.iter().zip(before) {
        // A host may notice a little later that its store was written from outside.
        let stale = until("the record's age shows", AFTER, || {
            let answer = edge.get(file).send();
            answer.headers.contains_key("x-spindrift-stale").then_some(answer)
        });
        assert_eq!((stale.status, &stale.body), (before.status, &before.body), "{file}");
        assert_eq!(stale.headers.get("location"), before.headers.get("location"), "{file}");
        assert_eq!(stale.header("cache-control"), "private, no-store", "{file}: nobody else keeps it");
    }
}

fn a_failing_store_is_no_empty_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    world.platform().fail_sql(true);

    for (platform, file) in FEEDS {
        assert_eq!(ask(&world, platform, "0.1", file).status, 503, "{file}");
    }
}

fn a_failing_key_value_store_costs_no_answer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let feed = text(&world, "windows", "0.1", "RELEASES");

    world.platform().fail_key_value(true);

    assert_eq!(text(&world, "windows", "0.1", "RELEASES"), feed);
}
