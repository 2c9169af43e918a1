//! Checks, the newest builds, static answers, and records at edges.

use serde_json::{Value, json};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Driver, Edge, Release, World, on_hosts};

use super::{acme, begin, listed, mark, states, two_files};
use crate::static_answers;

on_hosts! {
    every: [
        releases_after_the_start_are_unlisted,
        a_check_knows_no_unlisted_files,
        a_release_is_offered_with_the_files_that_are_listed,
        a_release_exists_only_where_something_is_listed,
        an_intermediate_that_is_unlisted_holds_nobody_back,
        the_newest_builds_are_listed,
        static_answers_know_no_unlisted_files,
        an_edge_knows_no_unlisted_files,
        an_unlisted_file_is_still_its_publishers,
    ],
}

fn releases_after_the_start_are_unlisted(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("other");
    acme.publish(Release::new("2.0.0").with("app_name", "other"));
    let _ = acme.upload_in_one(&Release::empty("1.1.0").file("notes.zip", "zip").published()).expect(200);

    let expected = [
        "1.1.0 deb unlisted",
        "1.1.0 rpm unlisted",
        "1.1.0 zip unlisted",
        "1.0.0 deb legacy",
        "1.0.0 rpm legacy",
    ];
    assert_eq!(states(&acme), expected);
    assert_eq!(listed(&acme), [""; 0]);
    let other = "/checkVersion?app_name=other&owner=acme&version=1&channel=stable&platform=linux&arch=amd64";
    assert_eq!(world.get(other).ok()["version"], "2.0.0", "another application");
}

fn a_check_knows_no_unlisted_files(host: Driver) {
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
    acme.publish(Release::empty("1.1.0").file("arm.deb", "arm").with("arch", "arm64").with_digests());
    let on_arm = || acme.get(&acme.check_path("0.9.0").replace("amd64", "arm64")).ok();
    assert_eq!(on_arm()["error"], "Not found");

    mark(&world, &acme, "1.1.0", ("arm64/notes-1.1.0.deb", "listed"));
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

fn static_answers_know_no_unlisted_files(host: Driver) {
    let world = World::new(host);
    let acme = static_answers::acme(&world);
    acme.publish(two_files("1.0.0"));
    let _publisher = begin(&acme);
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

fn an_edge_knows_no_unlisted_files(host: Driver) {
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
    acme.create_app_with(json!({ "app": "hidden", "private": true, "tuf": true }));
    let publisher = Publisher::new(&acme, "hidden");
    let _ = publisher.start(None).expect(202);
    acme.publish(Release::new("1.0.0").with("app_name", "hidden").with_digests());
    let check = acme.check_path("0.1").replace("notes", "hidden");
    assert_eq!(acme.get(&check).ok()["error"], "Not found", "targets are waited for");

    let artifact = acme.release("1.0.0").artifacts[0].clone();
    assert_eq!((artifact.tuf_signed, artifact.tuf_task_id), (false, None), "searches list it");
    let path = artifact.link.strip_prefix(&world.url()).unwrap();
    let answer = acme.get(&format!("{path}&format=json")).send().expect(200);
    assert!(answer.json()["download_url"].is_string(), "signers have to read it");
}
