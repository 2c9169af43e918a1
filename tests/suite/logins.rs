//! How logins end.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts};

use crate::tokens::{SECRET, claims, hs256};

on_hosts! {
    every: [
        a_new_password_ends_logins,
        fewer_rights_end_logins,
        logging_out_everywhere_ends_logins,
        a_login_from_before_epochs_ends_too,
    ],
}

fn try_login(world: &World, name: &str, password: &str) -> spindrift_tests::Answer {
    world.client().post_json("/login", json!({ "username": name, "password": password })).send()
}

fn id_of(account: &Account) -> Value {
    account.get("/whoami").ok()["id"].clone()
}

fn assert_ended(account: &Account) {
    assert_eq!(account.get("/whoami").send().refusal(), (401, "invalid token".to_owned()));
    assert_eq!(account.get("/app/list").send().status, 401);
}

/// An admin, and a team user with these permissions on applications.
fn team(world: &World, apps: &Value) -> (Account, Account) {
    let ada = world.admin("ada");
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": { "apps": apps } });
    ada.post_json("/user/create", body).ok();
    (ada, world.login("ann", PASSWORD))
}

fn a_new_password_ends_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({}));
    let ada = ada.with_notes();
    let ci = ada.ci_token(&[&ada.app_id("notes")]);
    let (second, id) = (world.login("ada", PASSWORD), id_of(&ada));

    ada.post_json("/user/update", json!({ "id": id_of(&ann), "password": "another password" })).ok();
    assert_ended(&ann);
    world.login("ann", "another password").get("/whoami").ok();

    ada.post_json("/admin/update", json!({ "id": id, "password": "another password" })).ok();
    assert_ended(&ada);
    assert_ended(&second);
    assert_eq!(id_of(&world.login("ada", "another password")), id);
    assert_eq!(try_login(&world, "ada", PASSWORD).status, 401);
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
}

fn fewer_rights_end_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({ "create": true }));
    let id = id_of(&ann);
    let grant = |permissions: Value| {
        ada.post_json("/user/update", json!({ "id": id, "permissions": permissions })).ok();
    };

    for more in [json!({ "create": true }), json!({ "create": true, "edit": true })] {
        grant(json!({ "apps": more, "channels": { "create": true } }));
        ann.get("/whoami").ok();
    }
    grant(json!({ "apps": { "create": true, "edit": true } }));
    assert_ended(&ann);
    let ann = world.login("ann", PASSWORD);
    ann.create_app("mine");
    ann.get("/whoami").ok();
    grant(json!({ "apps": { "create": true, "edit": true, "allowed": [] } }));
    assert_ended(&ann);
    ada.get("/whoami").ok();
}

fn logging_out_everywhere_ends_logins(host: Driver) {
    let world = World::new(host);
    let (ada, ann) = team(&world, &json!({}));
    let (here, there) = (world.login("ann", PASSWORD), world.login("ann", PASSWORD));

    let answer = here.post("/logout/all").ok();

    assert_eq!(answer, json!({ "message": "Logged out everywhere" }));
    for ended in [&ann, &here, &there] {
        assert_ended(ended);
    }
    world.login("ann", PASSWORD).get("/whoami").ok();
    let ci = ada.ci_token(&[]);
    assert_eq!(ci.post("/logout/all").send().status, 403);
    ada.get("/whoami").ok();
    ada.post("/logout/all").ok();
    assert_ended(&ada);
    world.login("ann", PASSWORD).get("/whoami").ok();
}

fn a_login_from_before_epochs_ends_too(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let old = ada.with_credential(&hs256(&claims("ada", 600), SECRET));
    old.get("/whoami").ok();

    old.post("/logout/all").ok();

    assert_ended(&old);
    let mut epoch = claims("ada", 600);
    for (number, status) in [(0, 401), (1, 200), (2, 401)] {
        epoch["epoch"] = json!(number);
        let forward = ada.with_credential(&hs256(&epoch, SECRET));
        assert_eq!(forward.get("/whoami").send().status, status, "{number}");
    }
}
