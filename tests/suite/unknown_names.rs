//! Names that do not exist, in checks, beacons, feeds and `/apps/latest`.

use serde_json::json;
use spindrift_tests::{Account, Driver, Multipart, Release, World, on_hosts};
use spindrift_web::Clock as _;

use crate::telemetry::BEACON;

on_hosts! {
    every: [
        a_name_is_known_as_soon_as_it_is_created,
        a_name_is_unknown_as_soon_as_it_is_gone,
    ],
    in_process: [
        unknown_names_cost_no_query_each,
        a_published_scope_costs_what_it_did,
        a_name_from_elsewhere_is_known_within_seconds,
        a_failing_key_value_store_costs_no_more_queries,
    ],
}

const CHECK: &str =
    "/checkVersion?app_name=notes&version=0.1&channel=stable&platform=linux&arch=amd64&owner=acme";
/// More statements than one unknown name may cost.
const MANY: u64 = 100;
/// Statements that opening the database takes.
const OPENED: u64 = 1;
/// Statements that reading the existing names takes.
const FEW: u64 = 12;

fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme
}

/// Prevents anything from expiring while the test runs.
fn stop_clock(world: &World) {
    world.platform().set_time(world.platform().now());
}

/// Status and text of an answer with one name of a path replaced.
fn refused(world: &World, path: &str, from: &str, to: &str) -> (u16, String) {
    world.get(&path.replace(from, to)).header("x-device-id", "device").send().refusal()
}

fn unknown_names_cost_no_query_each(host: Driver) {
    let world = World::new(host);
    acme(&world);
    stop_clock(&world);
    let latest = "/apps/latest?app_name=notes&owner=acme";
    let nothing = "No matching data found for the provided parameters";
    let feed = "/update/acme/notes/stable/linux/amd64/0.1/latest-linux.yml";

    for (path, from, to, text) in [
        (CHECK, "owner=acme", "owner=x", "owner not found"),
        (CHECK, "=notes", "=x", "application not found"),
        (CHECK, "=stable", "=x", "channel not found"),
        (CHECK, "=linux", "=x", "platform not found"),
        (CHECK, "=amd64", "=x", "arch not found"),
        (BEACON, "owner=acme", "owner=x", "unknown scope"),
        (BEACON, "=stable", "=x", "unknown scope"),
        (feed, "/acme", "/x", "owner not found"),
        (feed, "/stable", "/x", "channel not found"),
        (latest, "owner=acme", "owner=x", nothing),
        (latest, "=notes", "=x", nothing),
    ] {
        // The kept names have expired.
        world.advance(60);
        let before = world.platform().statements();
        for n in 0..MANY {
            let answer = refused(&world, path, from, &format!("{to}{n}"));
            assert_eq!(answer, (404, text.to_owned()), "{path}: {to}{n}");
        }
        let cost = world.platform().statements() - before;
        assert!(cost <= FEW, "{path}: {cost} statements for {MANY} names in the place of {from}");
    }
}

fn a_published_scope_costs_what_it_did(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    stop_clock(&world);
    assert_eq!(refused(&world, CHECK, "stable", "beta").0, 404);
    let before = world.platform().statements();

    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    assert_eq!(world.platform().statements(), before, "it has a record");
    world.advance(61);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    // The first time, they are read once more after a placeholder was stored.
    assert_eq!(world.platform().statements() - before, OPENED + 2, "the revisions of all owners confirm it");
}

fn a_name_from_elsewhere_is_known_within_seconds(host: Driver) {
    let world = World::new(host);
    acme(&world);
    stop_clock(&world);
    let ask = || refused(&world, CHECK, "stable", "beta");
    assert_eq!(ask(), (404, "channel not found".to_owned()));
    // As another deployment that shares the database and not the key-value store.
    let sql = "INSERT INTO channels (id, owner_id, name, created_at, updated_at) \
               SELECT 'elsewhere', owner_id, 'beta', 0, 0 FROM channels WHERE name = 'stable'";
    world.database().execute(sql, []).unwrap();
    assert_eq!(ask(), (404, "channel not found".to_owned()));

    world.advance(6);

    assert_eq!(world.get(&CHECK.replace("stable", "beta")).ok()["error"], "Not found");
}

fn a_failing_key_value_store_costs_no_more_queries(host: Driver) {
    let world = World::new(host);
    acme(&world);
    world.platform().fail_key_value(true);
    let before = world.platform().statements();

    for _ in 0..MANY {
        assert_eq!(refused(&world, CHECK, "stable", "beta"), (404, "channel not found".to_owned()));
    }

    assert_eq!(
        world.platform().statements() - before,
        MANY * (OPENED + 1),
        "one for each, as there is nothing to remember with"
    );
}

fn a_name_is_known_as_soon_as_it_is_created(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let status = |path: &str| world.get(path).send().status;
    let [channel, platform, arch] = [("stable", "beta"), ("linux", "darwin"), ("amd64", "arm64")]
        .map(|(from, to)| CHECK.replace(from, to));
    let app = CHECK.replace("notes", "papers");
    let owner = CHECK.replace("owner=acme", "owner=umbrella");
    for path in [&channel, &platform, &arch, &app, &owner] {
        assert_eq!((status(path), status(path)), (404, 404), "{path}");
    }

    acme.create_channel("beta");
    assert_eq!(status(&channel), 200);
    acme.create_platform("darwin");
    assert_eq!(status(&platform), 200);
    acme.create_arch("arm64");
    assert_eq!(status(&arch), 200);
    acme.create_app("papers");
    assert_eq!(status(&app), 200);
    let _umbrella = world.admin("umbrella").with_notes();
    assert_eq!(status(&owner), 200);
}

fn a_name_is_unknown_as_soon_as_it_is_gone(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let ask = |from: &str, to: &str| world.get(&CHECK.replace(from, to)).send().status;
    let umbrella = world.admin("umbrella").with_notes();
    let id = acme.create_channel("beta");
    assert_eq!((ask("stable", "beta"), ask("stable", "gamma")), (200, 404));

    acme.post_json("/channel/update", json!({ "id": id, "channel": "gamma", "force": true })).ok();
    assert_eq!((ask("stable", "beta"), ask("stable", "gamma")), (404, 200));
    let _ = acme.delete(&format!("/channel/delete?id={id}&force=true")).send().expect(200);
    assert_eq!((ask("stable", "beta"), ask("stable", "gamma")), (404, 404));
    let data = json!({ "id": umbrella.app_id("notes"), "app": "papers" });
    let form = Multipart::new().field("data", data.to_string());
    let _ = umbrella.post_multipart("/app/update", form).send().expect(200);
    let of_umbrella =
        |app: &str| world.get(&CHECK.replace("acme", "umbrella").replace("notes", app)).send().status;
    assert_eq!((of_umbrella("notes"), of_umbrella("papers")), (404, 200));
    let own = umbrella.get("/whoami").ok()["id"].clone();
    umbrella.post_json("/admin/update", json!({ "id": own, "username": "rain", "force": true })).ok();
    let papers = CHECK.replace("notes", "papers");
    let of = |owner: &str| world.get(&papers.replace("acme", owner)).send().status;
    assert_eq!((of("umbrella"), of("rain")), (404, 200));
}
