//! Changing a secret of the service, and the effects of that.

use std::time::Duration;

use serde_json::json;
use spindrift_tests::{
    API_KEY, Account, Client, Driver, JWT_SECRET, PASSWORD, Release, World, on_hosts, until,
};

use crate::tokens::{claims, hs256};

on_hosts! {
    every: [],
    in_process: [
        a_new_jwt_secret_ends_logins_and_no_tokens,
        a_new_api_key_ends_sign_ups_with_the_old_one,
        a_new_maintenance_token_ends_the_old_one,
        a_new_metrics_token_ends_the_old_one,
        a_new_device_hash_key_counts_devices_again,
        storage_keys_are_changed_while_files_are_sent,
        a_deleted_storage_key_ends_its_addresses,
    ],
}

/// Longest time that counting may lag behind the answer.
const SOON: Duration = Duration::from_secs(20);

fn a_new_jwt_secret_ends_logins_and_no_tokens(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let forged = acme.with_credential(&hs256(&claims("acme", 60), JWT_SECRET));
    forged.get("/whoami").ok();

    world.platform().set_variable("jwt_secret", "another secret of the tests, long enough");

    for ended in [&acme, &forged] {
        assert_eq!(ended.get("/whoami").send().refusal(), (401, "invalid token".to_owned()));
    }
    world.login("acme", PASSWORD).get("/whoami").ok();
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
}

fn a_new_api_key_ends_sign_ups_with_the_old_one(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let sign_up = |name: &str, key: &str| {
        let body = json!({ "username": name, "password": PASSWORD, "api_key": key });
        world.client().post_json("/signup", body).send().status
    };

    world.platform().set_variable("api_key", "another key");

    assert_eq!((sign_up("bob", API_KEY), sign_up("bob", "another key")), (401, 200));
    acme.get("/whoami").ok();
    world.login("acme", PASSWORD).get("/whoami").ok();
}

fn a_new_maintenance_token_ends_the_old_one(host: Driver) {
    let world = World::builder(host).with_variable("maintenance_token", "the-old-one").start();
    let run = |token: &str| world.client().with_token(token).post("/maintenance/run").send().status;
    assert_eq!((run("the-old-one"), run("the-new-one")), (200, 401));

    world.platform().set_variable("maintenance_token", "the-new-one");

    assert_eq!((run("the-old-one"), run("the-new-one")), (401, 200));
}

fn a_new_metrics_token_ends_the_old_one(host: Driver) {
    let world = World::builder(host).with_variable("metrics_token", "the-old-one").start();
    let read = |token: &str| world.client().with_token(token).get("/metrics").send().status;
    assert_eq!((read("the-old-one"), read("the-new-one")), (200, 401));

    world.platform().set_variable("metrics_token", "the-new-one");

    assert_eq!((read("the-old-one"), read("the-new-one")), (401, 200));
}

fn a_new_device_hash_key_counts_devices_again(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "the old key").start();
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let devices_after = |requests: u64| {
        until("counting", SOON, || {
            let summary = acme.get("/telemetry").ok()["summary"].clone();
            (summary["total_requests"] == requests).then(|| summary["unique_clients"].clone())
        })
    };
    for _ in 0..2 {
        acme.check_as("one-device", "1.0.0");
    }
    assert_eq!(devices_after(2), 1);

    world.platform().set_variable("device_hash_key", "the new key");
    acme.check_as("one-device", "1.0.0");

    assert_eq!(devices_after(3), 2);
}

/// The second access key of the storage, and its secret.
const NEW_KEY: [&str; 2] = ["a-new-access-key", "a-new-secret-key"];

/// Gives the service the second key, which the storage has to know already.
fn set_new_key(world: &World) {
    for (name, value) in ["s3_access_key", "s3_secret_key"].into_iter().zip(NEW_KEY) {
        world.platform().set_variable(name, value);
    }
}

/// The content at the link of a private application's only file.
fn private_file(acme: &Account, version: &str) -> String {
    let release = acme.releases().into_iter().find(|release| release.version == version).unwrap();
    let link = &release.artifacts[0].link;
    let moved = acme.get(&link[link.find("/download").unwrap()..]).send().expect(302);
    Client::new("").get(moved.header("location")).send().expect(200).text()
}

fn storage_keys_are_changed_while_files_are_sent(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "vault", "private": true }));
    let release = |version: &str| {
        Release::empty(version).with("app_name", "vault").published().file("vault.zip", version)
    };
    acme.publish(release("1.0.0"));
    let begun = acme.begin(&release("2.0.0"));

    world.store().make_key(NEW_KEY[0], NEW_KEY[1]);
    set_new_key(&world);
    // Its address is signed with the former key, and the files are copied with the new one.
    let _ = begun.files[0].send().expect(200);
    let _ = acme.complete(&begun).expect(200);
    world.store().keep_key(NEW_KEY[0], NEW_KEY[1]);

    acme.publish(release("3.0.0"));
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        assert_eq!(private_file(&acme, version), version);
    }
}

fn a_deleted_storage_key_ends_its_addresses(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let begun = acme.begin(&Release::new("1.0.0").published());

    world.store().keep_key(NEW_KEY[0], NEW_KEY[1]);
    set_new_key(&world);

    assert_eq!(begun.files[0].send().status, 403);
    acme.publish(Release::new("1.0.0"));
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}
