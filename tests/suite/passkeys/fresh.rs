//! Fresh proofs: what cannot be taken back, or lets others in, asks again; stops never do.

use serde_json::json;
use spindrift_tests::{Account, Answer, Driver, PASSWORD, Release, World, on_hosts};

use super::{add, age_proofs, authenticator, prove, with_passkey, world};

on_hosts! {
    every: [
        changes_that_let_others_in_or_delete_ask_again,
        stops_never_ask,
        a_passkey_of_another_login_proves_nothing_here,
        accounts_without_passkeys_are_never_asked,
    ],
    in_process: [
        a_setting_says_how_long_a_proof_is_fresh,
    ],
}

const CODE: &str = "fresh_login_required";

/// All calls that ask again, with valid requests.
fn calls(ada: &Account) -> Vec<(&'static str, Answer)> {
    let release = ada.release("1.0.0").id;
    let app = ada.app_id("notes");
    let me = ada.get("/whoami").ok()["id"].clone();
    let users = ada.get("/users/list").ok();
    let user = users["users"][0]["id"].as_str().unwrap().to_owned();
    let tokens = ada.get("/token/list").ok();
    let token = tokens["tokens"][0]["id"].as_str().unwrap().to_owned();
    let passkey = ada.get("/passkeys").ok()["passkeys"][0]["id"].as_str().unwrap().to_owned();
    let publisher = json!({ "app": "notes", "provider": "github", "repository": "a/b", "workflow": "c.yml" });
    let post = |path: &str, body: serde_json::Value| ada.post_json(path, body).send();
    vec![
        ("delete the application", ada.delete(&format!("/app/delete?id={app}")).send()),
        ("delete the release", ada.delete(&format!("/apps/delete?id={release}")).send()),
        ("create a user", post("/user/create", json!({ "username": "eve", "password": PASSWORD }))),
        ("change a user", post("/user/update", json!({ "id": user, "password": "another password" }))),
        ("delete a user", ada.delete(&format!("/user/delete?id={user}")).send()),
        ("invite a user", post("/invitations", json!({ "role": "support" }))),
        ("create a token", post("/token/create", json!({ "name": "more", "allowed_apps": [app] }))),
        ("delete a token", ada.delete(&format!("/token/delete?id={token}")).send()),
        ("create a publisher", post("/publishers", publisher)),
        ("delete a publisher", ada.delete("/publishers?id=x").send()),
        ("end signed metadata", ada.delete("/tuf/v1/bootstrap?appName=notes&confirm=notes").send()),
        ("export the head", ada.get("/audit/head").send()),
        ("change the account", post("/admin/update", json!({ "id": me, "password": "another password" }))),
        (
            "change the password",
            post("/password", json!({ "current_password": PASSWORD, "password": "another password" })),
        ),
        ("add a passkey", post("/passkeys/new", json!({}))),
        ("remove a passkey", ada.delete(&format!("/passkeys?id={passkey}")).send()),
        ("make codes", post("/passkeys/recovery-codes", json!({}))),
        ("demand passkeys", post("/passkeys/requirement", json!({ "required": true }))),
    ]
}

/// Ada with everything that the calls need.
fn ada(world: &World) -> (Account, spindrift_tests::authenticator::Authenticator) {
    let ada = world.admin("ada").with_notes();
    ada.publish(Release::new("1.0.0"));
    ada.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();
    let app = ada.app_id("notes");
    let _ = ada.post_json("/token/create", json!({ "name": "ci", "allowed_apps": [app] })).send().expect(201);
    let mut passkey = authenticator();
    add(&ada, &mut passkey, "Laptop");
    (ada, passkey)
}

fn changes_that_let_others_in_or_delete_ask_again(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = ada(&world);
    age_proofs(&world, 15);
    for (what, answer) in calls(&ada) {
        assert_eq!((answer.status, answer.code().as_str()), (403, CODE), "{what}: {}", answer.text());
    }
    assert_eq!(prove(&ada, &mut passkey).expect(200).json(), json!({ "message": "Proved" }));
    let _ = ada
        .post_json("/token/create", json!({ "name": "more", "allowed_apps": [ada.app_id("notes")] }))
        .send()
        .expect(201);
    // Another login of the same person has proved nothing.
    age_proofs(&world, 14);
    ada.post_json("/passkeys/recovery-codes", json!({})).ok();
}

fn stops_never_ask(host: Driver) {
    let world = world(host);
    let (ada, _) = ada(&world);
    age_proofs(&world, 24 * 60);
    let release = ada.release("1.0.0").id;
    let act = |action: &str| {
        ada.post_json(&format!("/releases/{release}/rollout"), json!({ "action": action })).send()
    };
    let _ = act("halt").expect(200);
    ada.post_json(&format!("/releases/{release}/withdraw"), json!({ "reason": "It crashes" })).ok();
    let _ = ada.post_json("/shutoffs", json!({ "app": "notes", "reason": "Stop" })).send().expect(201);
}

fn a_passkey_of_another_login_proves_nothing_here(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let token = super::try_login(&world, &mut passkey).expect(200).json();
    let other = ada.with_credential(token["token"].as_str().unwrap());
    age_proofs(&world, 15);
    let _ = prove(&other, &mut passkey).expect(200);
    other.post_json("/passkeys/recovery-codes", json!({})).ok();
    let refused = ada.post_json("/passkeys/recovery-codes", json!({})).send();
    assert_eq!(refused.code(), CODE, "its login is as old as before");
}

fn accounts_without_passkeys_are_never_asked(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada").with_notes();
    age_proofs(&world, 23 * 60);
    let _ = ada
        .post_json("/token/create", json!({ "name": "ci", "allowed_apps": [ada.app_id("notes")] }))
        .send()
        .expect(201);
    ada.get("/audit/head").ok();
    ada.delete(&format!("/app/delete?id={}", ada.app_id("notes"))).ok();
}

fn a_setting_says_how_long_a_proof_is_fresh(host: Driver) {
    let world = world(host);
    let (ada, _) = with_passkey(&world, "ada");
    world.platform().set_variable("fresh_login_ttl", "2h");
    world.advance(7199);
    ada.get("/audit/head").ok();
    world.advance(2);
    assert_eq!(ada.get("/audit/head").send().code(), CODE);
}
