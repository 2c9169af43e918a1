//! Checks, the newest builds, static answers, and records at edges.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Edge, Release, World, on_hosts};

use super::{acme, begin, listings, mark, two_files};
use crate::static_answers;

on_hosts! {
    every: [
        what_comes_after_the_start_is_unlisted,
        a_check_knows_nothing_of_what_is_unlisted,
        a_release_is_offered_with_the_files_that_are_listed,
        a_release_exists_only_where_something_is_listed,
        an_intermediate_that_is_unlisted_holds_nobody_back,
        the_newest_builds_are_listed,
        static_answers_know_nothing_of_what_is_unlisted,
        an_edge_knows_nothing_of_what_is_unlisted,
        an_unlisted_file_is_still_its_publishers,
    ],
}

fn what_comes_after_the_start_is_unlisted(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("other");
    acme.publish(Release::new("2.0.0").with("app_name", "other"));
    let _ = acme.upload_in_one(&Release::empty("1.1.0").file("notes.zip", "zip").published()).expect(200);

    let all = |names: &[&str], listing: &str| {
        names.iter().map(|name| ((*name).to_owned(), listing.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(listings(&world, "1.0.0"), all(&["notes.deb", "notes.rpm"], "legacy"));
    assert_eq!(listings(&world, "1.1.0"), all(&["notes.deb", "notes.rpm", "notes.zip"], "unlisted"));
    assert_eq!(listings(&world, "2.0.0"), all(&["notes.deb"], "legacy"), "another application");
}

fn a_check_knows_nothing_of_what_is_unlisted(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    let answer = acme.check("0.9.0");
    assert_eq!(answer["version"], "1.0.0");
    assert_eq!(answer["critical"], false);
    assert_eq!(answer["changelog"], Value::Null);
    assert!(answer["update_url_deb"].as_str().unwrap().ends_with("notes-1.0.0.deb"));
    assert_eq!(acme.check("1.0.0")["update_available"], false);
    assert_eq!(acme.check("1.1.0")["possible_rollback"], true, "as if it had never been");

    mark(&world, &acme, "1.1.0", ("", "listed"));
    let answer = acme.check("0.9.0");
    assert_eq!((&answer["version"], &answer["critical"]), (&json!("1.1.0"), &json!(true)));
    assert_eq!(answer["changelog"], "Safer");
    assert_eq!(acme.check("1.1.0")["possible_rollback"], Value::Null);

    for version in ["1.0.0", "1.1.0"] {
        mark(&world, &acme, version, ("", "unlisted"));
    }
    assert_eq!(acme.check("0.9.0")["error"], "Not found");
}

fn a_release_is_offered_with_the_files_that_are_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    mark(&world, &acme, "1.1.0", (".rpm", "listed"));

    let answer = acme.check("1.0.0");
    assert_eq!((&answer["version"], &answer["critical"]), (&json!("1.1.0"), &json!(true)));
    assert!(answer["update_url_rpm"].as_str().unwrap().ends_with("notes-1.1.0.rpm"));
    assert_eq!(answer["update_url_deb"], Value::Null);
}

fn a_release_exists_only_where_something_is_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_arch("arm64");
    acme.publish(Release::empty("1.1.0").file("arm.deb", "arm").with("arch", "arm64"));
    let on_arm = || acme.get(&acme.check_path("0.9.0").replace("amd64", "arm64")).ok();
    assert_eq!(on_arm()["error"], "Not found");

    mark(&world, &acme, "1.1.0", ("arm.deb", "listed"));
    assert_eq!(on_arm()["version"], "1.1.0");
    let answer = acme.check("0.9.0");
    assert_eq!((&answer["version"], &answer["critical"]), (&json!("1.0.0"), &json!(false)));
}

fn an_intermediate_that_is_unlisted_holds_nobody_back(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(two_files("1.2.0").intermediate());
    acme.publish(two_files("1.3.0"));
    mark(&world, &acme, "1.3.0", ("", "listed"));
    assert_eq!(acme.check("1.0.0")["version"], "1.3.0");

    mark(&world, &acme, "1.2.0", ("", "listed"));
    let answer = acme.check("1.0.0");
    assert_eq!((&answer["version"], &answer["is_intermediate_required"]), (&json!("1.2.0"), &json!(true)));
}

const LATEST: &str = "/apps/latest?app_name=notes&owner=acme";

fn the_newest_builds_are_listed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let newest = |package: &str| {
        let path = format!("{LATEST}&channel=stable&platform=linux&arch=amd64&package={package}");
        let answer = world.get(&path).send();
        (answer.status == 302)
            .then(|| answer.header("location").rsplit('/').next().unwrap_or_default().to_owned())
    };
    assert_eq!(newest("deb").as_deref(), Some("notes-1.0.0.deb"));

    mark(&world, &acme, "1.1.0", (".rpm", "listed"));
    assert_eq!(newest("rpm").as_deref(), Some("notes-1.1.0.rpm"));
    assert_eq!(newest("deb"), None, "the newest release is not mixed with an older one");

    for version in ["1.0.0", "1.1.0"] {
        mark(&world, &acme, version, ("", "unlisted"));
    }
    assert_eq!(world.get(LATEST).send().status, 404);
}

fn static_answers_know_nothing_of_what_is_unlisted(host: Driver) {
    let world = World::new(host);
    let acme = static_answers::acme(&world);
    acme.publish(two_files("1.0.0"));
    begin(&world, &acme);
    acme.publish(two_files("1.1.0").critical());
    static_answers::assert_written(&world, &["1.0.0"]);
    let answer = |version: &str| {
        let key = format!("{}/{version}.json", static_answers::FOLDER);
        static_answers::published(world.store(), &key).expect(200).json()
    };
    assert_eq!(answer("1.0.0")["update_available"], false);
    assert_eq!(world.get(&own_path("0.9.0")).ok()["version"], "1.0.0");

    mark(&world, &acme, "1.1.0", ("", "listed"));
    static_answers::assert_written(&world, &["1.0.0", "1.1.0"]);
    assert_eq!(answer("1.0.0")["version"], "1.1.0");
}

/// The static path at the service.
fn own_path(version: &str) -> String {
    format!("/{}/{version}.json", static_answers::FOLDER)
}

fn an_edge_knows_nothing_of_what_is_unlisted(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let edge = Edge::of(&world, host);
    let record = format!("/{}/scope.json", static_answers::FOLDER);
    assert!(!world.get(&record).send().expect(200).text().contains("1.1.0"));
    assert_eq!(edge.get(&own_path("0.9.0")).ok()["version"], "1.0.0");

    mark(&world, &acme, "1.1.0", ("", "listed"));
    assert!(world.get(&record).send().expect(200).text().contains("1.1.0"));
    edge.age(61);
    assert_eq!(edge.get(&own_path("0.9.0")).ok()["version"], "1.1.0");
}

fn an_unlisted_file_is_still_its_publishers(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let private = json!({ "app": "hidden", "private": true });
    acme.create_app_with(private);
    let release = |version: &str| Release::new(version).with("app_name", "hidden");
    acme.publish(release("1.0.0"));
    make_unlisted(&world);

    assert_eq!(artifacts(&acme, "1.0.0"), 1, "searches list it");
    let link = acme.release("1.0.0").artifacts[0].link.clone();
    let path = link.strip_prefix(&world.url()).unwrap().to_owned();
    let answer = acme.get(&format!("{path}&format=json")).send().expect(200);
    assert!(answer.json()["download_url"].is_string(), "whoever signs has to read it");
}

fn make_unlisted(world: &World) {
    let changed = world.database().execute("UPDATE artifacts SET listing = 'unlisted'", []).unwrap();
    assert_eq!(changed, 1);
}

fn artifacts(acme: &Account, version: &str) -> usize {
    acme.release(version).artifacts.len()
}
