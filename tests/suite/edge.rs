//! `GET /responses/...`: the answers of checks as static files, of the service and near the users.

use std::time::Duration;

use spindrift_tests::{
    Account, Driver, Edge, PUBLIC_BUCKET, Release, World, bucket, end, on_hosts, squirrel, tauri_signature,
    until,
};

on_hosts! {
    every: [
        a_static_path_answers_as_the_check_does,
        static_answers_can_be_cached,
        paths_that_a_check_refuses_are_not_found,
        no_update_for_tauri_is_not_there,
        unused_dimensions_are_called_default,
        names_may_hold_spaces,
        a_path_never_leads_to_a_feed,
        an_edge_answers_as_its_origin,
        an_edge_decides_about_rollouts,
        an_edge_outlives_its_origin,
        an_edge_sees_changes_within_a_minute,
        an_edge_learns_missing_names_from_its_origin,
        an_edge_refuses_as_its_origin,
    ],
}

/// Time limit for work after an answer.
const AFTER: Duration = Duration::from_secs(20);
const CACHED: &str = "public, max-age=60, must-revalidate";
const FOLDER: &str = "responses/acme/notes/stable/linux/amd64";

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
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

fn paths_that_a_check_refuses_are_not_found(host: Driver) {
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
        assert_eq!(world.direct_client().get(&path).send().status, 404, "{path}");
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
    acme.create_app("My Notes");
    acme.publish(Release::new("1.0.0").with("app_name", "My Notes"));

    let check = acme.get(&acme.check_path("0.1").replace("=notes", "=My%20Notes")).send().expect(200);

    let path = "/responses/acme/My%20Notes/stable/linux/amd64/0.1.json";
    assert_eq!(world.get(path).send().expect(200).body, check.body);
}

fn a_path_never_leads_to_a_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for (platform, updaters) in [
        ("windows", &["squirrel_windows", "manual"][..]),
        ("squirrels", &["squirrel_windows"]),
        ("mac", &["velopack", "tauri"]),
        ("bsd", &["manual", "electron-builder"]),
    ] {
        acme.create_platform_with(platform, updaters);
    }
    acme.publish(Release::new("1.0.0").with("platform", "windows"));
    acme.publish(Release::new("1.0.0").with("platform", "bsd"));
    acme.publish(squirrel("1.1.0", &[]).with("platform", "windows"));
    acme.publish(squirrel("1.1.0", &[]).with("platform", "squirrels"));
    let path = |platform: &str, rest: &str| {
        format!("{}{rest}.json", file("").replace("linux", platform).replace(".json", ""))
    };
    let check = acme
        .get(&(acme.check_path("0.1").replace("linux", "windows") + "&updater=manual"))
        .send()
        .expect(200);

    for rest in ["0.1", "manual/0.1"] {
        assert_eq!(world.get(&path("windows", rest)).send().expect(200).body, check.body, "{rest}");
    }
    for (platform, rest) in [
        ("windows", "squirrel_windows/0.1"),
        ("windows", "squirrel/0.1"),
        ("squirrels", "0.1"),
        ("squirrels", "squirrel_windows/0.1"),
        ("mac", "0.1"),
        ("mac", "velopack/0.1"),
        ("bsd", "electron-builder/0.1"),
    ] {
        let answer = world.get(&path(platform, rest)).send();
        assert_eq!(answer.refusal(), (404, "not found".to_owned()), "{platform} {rest}");
    }
    let _ = world.get(&path("bsd", "0.1")).send().expect(200);
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

fn an_edge_learns_missing_names_from_its_origin(host: Driver) {
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
    until("deleted names are not answered from memory", AFTER, || {
        (edge.get(&check).send().status == 404).then_some(())
    });
    end(world);
    assert_eq!(edge.get(&check).send().status, 503, "nor later");
}

fn an_edge_refuses_as_its_origin(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.create_channel("default");
    let bare = world.admin("bare");
    bare.create_app("notes");
    let edge = Edge::of(&world, host);
    let (check, feed) = (acme.check_path("0.1"), "/update/acme/notes/stable/linux/amd64/0.1/tauri.json");

    for (path, status) in [
        ("/checkVersion".to_owned(), 400),
        (check.replace("=0.1", "=one"), 400),
        (check.replace("=notes", "=a%2Fb"), 400),
        (check.replace("&channel=stable", ""), 400),
        (check.replace("&platform=linux", ""), 400),
        (check.replace("&arch=amd64", ""), 400),
        (format!("{check}&updater=tauri"), 400),
        (format!("{check}&updater=nonsense"), 400),
        (feed.to_owned(), 400),
        (check.replace("=acme", "=nobody"), 404),
        (check.replace("=notes", "=papers"), 404),
        (check.replace("=stable", "=beta"), 404),
        (check.replace("=linux", "=darwin"), 404),
        (check.replace("=amd64", "=arm64"), 404),
        (check.replace("=amd64", "=default"), 404),
        ("/checkVersion?owner=bare&app_name=notes&version=1&channel=beta".to_owned(), 404),
        (feed.replace("stable", "beta"), 404),
        (file("0.1").replace("stable", "beta"), 404),
        ("/nothing".to_owned(), 404),
    ] {
        let (near, far) = (edge.get(&path).send(), world.get(&path).send());
        assert_eq!((near.refusal(), near.status), (far.refusal(), status), "{path}");
        assert!(!near.error().is_empty(), "{path}");
        assert_eq!(near.header("vary"), far.header("vary"), "{path}");
    }
    let unknown = edge.get(&check.replace("=linux", "=darwin")).send();
    assert_eq!(unknown.refusal(), (404, "platform not found".to_owned()));
}
