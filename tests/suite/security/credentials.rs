//! Leaked logins, and keys that are not logins.

use serde_json::{Value, json};
use spindrift_tests::{API_KEY, Account, Driver, PASSWORD, Release, World, on_hosts, routes};

use crate::download_modes::regenerate;
use crate::reports;

on_hosts! {
    every: [
        keys_that_are_no_logins_open_nothing_else,
        a_ci_token_publishes_and_replaces_nothing,
        a_login_changes_its_password_without_the_old_one,
        creations_of_a_stolen_login_outlive_it,
    ],
}

const MAINTENANCE_TOKEN: &str = "a-token-of-the-tests-for-maintenance";
const METRICS_TOKEN: &str = "a-token-of-the-tests-for-metrics";

/// A key works in its own place only. Everywhere else it counts as no credential.
fn keys_that_are_no_logins_open_nothing_else(host: Driver) {
    let world = World::builder(host)
        .with_variable("maintenance_token", MAINTENANCE_TOKEN)
        .with_variable("metrics_token", METRICS_TOKEN)
        .start();
    let acme = world.admin("acme");
    let report_key = reports::create_notes(&acme);
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let download_token = regenerate(&acme, "secret", None);

    for (credential, opens) in [
        (report_key.as_str(), &["/reports/ingest"][..]),
        (MAINTENANCE_TOKEN, &["/maintenance/run", "/guard/run"]),
        (METRICS_TOKEN, &["/metrics"]),
        (&download_token, &[]),
        (API_KEY, &[]),
    ] {
        let holder = world.client().with_token(credential);
        for route in routes() {
            let by_nobody = world.client().call(route.method.clone(), &route.path).send().status;
            let by_holder = holder.call(route.method.clone(), &route.path).send().status;
            if opens.contains(&route.path.as_str()) {
                assert_ne!(by_holder, by_nobody, "{credential} at {route:?}");
            } else {
                // A well-formed token that is in no link is answered as one whose release is gone.
                let is_of_no_link = route.path == "/releases/halt-link" && by_holder == 404;
                assert!(is_of_no_link || by_holder == by_nobody, "{credential} at {route:?}: {by_holder}");
            }
        }
    }
}

fn a_ci_token_publishes_and_replaces_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let ci = acme.ci_token(&[&acme.app_id("notes")]);

    let replaced = ci.init(&Release::empty("1.0.0").file("notes.deb", "other bytes"));
    assert_eq!((replaced.status, replaced.code().as_str()), (409, "artifact_exists"));
    assert_eq!(acme.check("0.9.0")["version"], "1.0.0");

    ci.publish(Release::new("1.1.0"));
    assert_eq!(acme.check("1.0.0")["version"], "1.1.0", "nobody has to agree");
    ci.publish(Release::empty("1.0.0").file("notes.rpm", "beside the other file"));
    assert_eq!(acme.release("1.0.0").artifacts.len(), 2);
}

/// Tries to log in.
fn log_in(world: &World, password: &str) -> u16 {
    world.client().post_json("/login", json!({ "username": "acme", "password": password })).send().status
}

fn a_login_changes_its_password_without_the_old_one(host: Driver) {
    let world = World::new(host);
    let stolen = world.admin("acme");
    let id = stolen.get("/whoami").ok()["id"].clone();

    stolen.post_json("/admin/update", json!({ "id": id, "password": "of the thief" })).ok();

    assert_eq!((log_in(&world, PASSWORD), log_in(&world, "of the thief")), (401, 200));
}

fn listed(account: &Account, path: &str, list: &str) -> Vec<Value> {
    account.get(path).ok()[list].as_array().unwrap().clone()
}

/// After ending logins, owners have to look for CI tokens and users that they do not know.
fn creations_of_a_stolen_login_outlive_it(host: Driver) {
    let world = World::new(host);
    let stolen = world.admin("acme").with_notes();
    let ci = stolen.ci_token(&[&stolen.app_id("notes")]);
    stolen.post_json("/user/create", json!({ "username": "mole", "password": PASSWORD })).ok();
    let mole = world.login("mole", PASSWORD);

    stolen.post("/logout/all").ok();
    assert_eq!(stolen.get("/whoami").send().status, 401);
    mole.get("/whoami").ok();
    let _ = ci.init(&Release::new("1.0.0")).expect(200);

    let acme = world.login("acme", PASSWORD);
    let (tokens, users) = (listed(&acme, "/token/list", "tokens"), listed(&acme, "/users/list", "users"));
    assert_eq!((tokens.len(), users.len()), (1, 1));
    let id = |entry: &Value| entry["id"].as_str().unwrap().to_owned();
    acme.delete(&format!("/token/delete?id={}", id(&tokens[0]))).ok();
    acme.delete(&format!("/user/delete?id={}", id(&users[0]))).ok();
    assert_eq!(ci.init(&Release::new("1.0.0")).status, 401);
    assert_eq!(mole.get("/whoami").send().status, 401);
}
