//! Headers for caches between the service and its clients, and their effect in a real cache.

use std::collections::BTreeSet;

use spindrift_tests::{
    Account, Answer, CachingProxy, Call, Driver, Release, World, electron, on_hosts, tauri, velopack,
};

on_hosts! {
    every: [
        every_answer_to_a_check_varies_by_the_device,
        every_answer_of_a_feed_varies_by_what_names_the_device,
        answers_vary_by_origin_where_origins_are_allowed,
        a_rollout_holds_behind_a_caching_proxy,
    ],
}

/// An owner with a release for clients of the library, of Tauri, and of Velopack, each on a platform of its own.
fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("darwin", &["tauri"]);
    acme.create_platform_with("windows", &["velopack"]);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").rollout(50));
    acme.publish(tauri("1.0.0", "notes.app.tar.gz").with("platform", "darwin"));
    acme.publish(velopack("1.0.0", &[]));
    acme
}

/// The request headers that an answer depends on, in lower case. It names them in one line.
fn vary(answer: &Answer) -> BTreeSet<String> {
    assert!(answer.headers.get_all("vary").iter().count() <= 1, "{:?}", answer.headers);
    let names = answer.header("vary").split(',').map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Asks with and without a device, again with the tag of the answer, and for the head alone. All of it varies by the same.
fn assert_varies(world: &World, path: &str, status: u16, names: &[&str]) {
    let ask = |call: Call<'_>, expected: u16| {
        let answer = call.send().expect(expected);
        assert_eq!(vary(&answer), set(names), "{path}: {expected}");
        answer
    };
    let answer = ask(world.get(path), status);
    ask(world.get(path).header("x-device-id", "a-device"), status);
    ask(world.client().head(path), status);
    if answer.headers.contains_key("etag") && status == 200 {
        ask(world.get(path).header("if-none-match", answer.header("etag")), 304);
    }
}

fn every_answer_to_a_check_varies_by_the_device(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let check = acme.check_path("0.1");

    for (path, status) in [
        (check.clone(), 200),
        (check.replace("linux", "darwin"), 200),
        (acme.check_path("1.0.0").replace("linux", "darwin"), 204),
        (check.replace("linux", "windows"), 302),
        (check.replace("version=0.1", "version=one"), 400),
        (check.replace("version=0.1&", ""), 400),
        (check.replace("&channel=stable", ""), 400),
        (format!("{check}&updater=sparkle"), 400),
        (check.replace("stable", "beta"), 404),
    ] {
        assert_varies(&world, &path, status, &["x-device-id"]);
    }
}

fn every_answer_of_a_feed_varies_by_what_names_the_device(host: Driver) {
    let world = World::new(host);
    acme(&world);
    let base = "/update/acme/notes/stable";

    for (path, status) in [
        (format!("{base}/windows/amd64/0.1/releases.win.json"), 200),
        ("/velopack/acme/notes/windows/amd64/releases.stable.json?localVersion=0.1".to_owned(), 200),
        (format!("{base}/windows/amd64/0.1/Notes-win-Setup.exe"), 302),
        (format!("{base}/windows/amd64/1.0.0/files/Notes-win-Setup.exe"), 302),
        ("/velopack/acme/notes/stable/windows/amd64/releases.win.json".to_owned(), 200),
        (format!("{base}/darwin/amd64/0.1/tauri.json"), 200),
        (format!("{base}/darwin/amd64/1.0.0/tauri.json"), 204),
        (format!("{base}/darwin/amd64/one/tauri.json"), 400),
        (format!("{base}/linux/amd64/0.1/tauri.json"), 400),
        (format!("{base}/windows/amd64/0.1/missing.exe"), 404),
    ] {
        assert_varies(&world, &path, status, &["x-device-id", "x-user-staging-id"]);
    }
}

fn answers_vary_by_origin_where_origins_are_allowed(host: Driver) {
    let world = World::builder(host).with_variable("allowed_cors", "https://admin.example").start();
    let acme = acme(&world);
    let check = acme.check_path("0.1");

    for (path, names) in [
        ("/health", &["origin"][..]),
        ("/app/list", &["origin"]),
        ("/nothing", &["origin"]),
        (&check, &["origin", "x-device-id"]),
        (
            "/update/acme/notes/stable/darwin/amd64/0.1/tauri.json",
            &["origin", "x-device-id", "x-user-staging-id"],
        ),
    ] {
        for origin in [None, Some("https://admin.example"), Some("https://other.example")] {
            let call = world.get(path);
            let call = origin.into_iter().fold(call, |call, origin| call.header("origin", origin));
            assert_eq!(vary(&call.send()), set(names), "{path} {origin:?}");
        }
    }
    let closed = World::new(host);
    assert_eq!(vary(&closed.get("/health").header("origin", "https://admin.example").send()), set(&[]));
}

/// Devices that ask through the proxy; about one in twenty is inside.
const DEVICES: usize = 200;

fn a_rollout_holds_behind_a_caching_proxy(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("windows", &["electron-builder"]);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0").rollout(5));
    for (version, percent) in [("1.0.0", 100), ("2.0.0", 5)] {
        let release = electron(version, "latest.yml", &[&format!("notes-{version}.exe")]);
        acme.publish(release.with("platform", "windows").rollout(percent));
    }
    let Some(proxy) = CachingProxy::before(&world.url()) else {
        println!("skipped: nginx is not installed");
        return;
    };

    let feed = "/update/acme/notes/stable/windows/amd64/0.1/latest.yml".to_owned();
    for (path, header) in [(acme.check_path("0.1"), "x-device-id"), (feed, "x-user-staging-id")] {
        // Somebody without an identifier comes first: that is the answer that a proxy may keep.
        let anonymous = world.get(&path).send().expect(200);
        let mut answers = BTreeSet::new();
        for n in 0..DEVICES {
            let kept = proxy.client().get(&path).send().expect(200);
            assert_eq!(kept.body, anonymous.body);
            assert_eq!(
                kept.header("x-cache"),
                if n == 0 { "MISS" } else { "HIT" },
                "the proxy keeps answers"
            );
            let device = format!("device-{n}");
            let direct = world.get(&path).header(header, &device).send().expect(200);
            let through = proxy.client().get(&path).header(header, &device).send().expect(200);
            assert_eq!(through.text(), direct.text(), "{device} {path}");
            answers.insert(direct.body);
        }
        assert_eq!(answers.len(), 2, "some are inside, and some are not");
    }
}
