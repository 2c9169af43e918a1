//! The demand that a team has passkeys.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts};

use super::{add, age_proofs, authenticator, prove, with_passkey, world};
use crate::audit::newest;

on_hosts! {
    every: [
        without_a_passkey_one_only_adds_one,
        without_a_passkey_one_still_stops_a_release,
        the_last_passkey_stays_while_it_is_demanded,
        an_admin_demands_what_the_admin_has,
        the_team_list_says_who_has_one,
    ],
}

fn ann(world: &World, ada: &Account) -> Account {
    let app = ada.create_app("notes");
    let permissions = json!({ "apps": { "edit": true, "allowed": [app] } });
    ada.post_json(
        "/user/create",
        json!({ "username": "ann", "password": PASSWORD, "permissions": permissions }),
    )
    .ok();
    world.login("ann", PASSWORD)
}

fn demand(ada: &Account, required: bool) -> Value {
    ada.post_json("/passkeys/requirement", json!({ "required": required })).ok()
}

fn without_a_passkey_one_only_adds_one(host: Driver) {
    let world = world(host);
    let (ada, _) = with_passkey(&world, "ada");
    let ann = ann(&world, &ada);
    demand(&ada, true);
    let entry = newest(&ada);
    assert_eq!((&entry["kind"], &entry["after"]), (&json!("passkey.demand"), &json!({ "required": true })));

    for path in ["/app/list", "/logins", "/audit", "/publishers"] {
        let refused = ann.get(path).send();
        assert_eq!((refused.status, refused.code().as_str()), (403, "passkey_required"), "{path}");
    }
    let me = ann.get("/whoami").ok();
    assert_eq!((&me["needs_passkey"], &me["has_passkey"]), (&json!(true), &Value::Null));
    assert_eq!(ann.get("/passkeys").ok()["required"], true);
    assert_eq!(ann.post_json("/passkeys/proof/new", json!({})).send().code(), "passkey_required");

    add(&ann, &mut authenticator(), "Phone");

    assert_eq!(ann.get("/whoami").ok()["needs_passkey"], Value::Null);
    ann.get("/app/list").ok();
}

fn without_a_passkey_one_still_stops_a_release(host: Driver) {
    let world = world(host);
    let (ada, _) = with_passkey(&world, "ada");
    let ada = ada.with_notes();
    let release = ada.publish(Release::new("1.0.0"));
    let permissions = json!({ "apps": { "edit": true, "stop": true, "allowed": [ada.app_id("notes")] } });
    let user = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });
    ada.post_json("/user/create", user).ok();
    let ann = world.login("ann", PASSWORD);
    demand(&ada, true);
    let act = |action: &str| {
        let answer =
            ann.post_json(&format!("/releases/{release}/rollout"), json!({ "action": action })).send();
        (answer.status, answer.code())
    };
    // The command finds the release by its version before it halts it.
    assert_eq!(ann.get("/releases?app=notes&version=1.0.0").ok()["id"], release);
    assert_eq!(act("halt").0, 200);
    assert_eq!(ann.get(&format!("/releases/{release}")).ok()["offers"][0]["rollout"]["state"], "halted");
    assert_eq!(act("resume"), (403, "passkey_required".to_owned()));
    let stop = json!({ "app": "notes", "reason": "It crashes" });
    assert_eq!(ann.post_json("/shutoffs", stop).send().status, 201);
    let edit = ann.post_json("/apps/update", json!({})).send();
    assert_eq!((edit.status, edit.code().as_str()), (403, "passkey_required"));
}

fn the_last_passkey_stays_while_it_is_demanded(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let ann = ann(&world, &ada);
    add(&ann, &mut authenticator(), "Phone");
    demand(&ada, true);
    let first =
        |account: &Account| account.get("/passkeys").ok()["passkeys"][0]["id"].as_str().unwrap().to_owned();
    for person in [&ada, &ann] {
        let refused = person.delete(&format!("/passkeys?id={}", first(person))).send();
        let text = "this is your last passkey, and your team needs one: add another first";
        assert_eq!((refused.code().as_str(), refused.refusal()), ("in_use", (409, text.to_owned())));
    }
    add(&ann, &mut authenticator(), "Key");
    ann.delete(&format!("/passkeys?id={}", first(&ann))).ok();
    // Taking the demand back needs a fresh proof.
    age_proofs(&world, 15);
    let back = || ada.post_json("/passkeys/requirement", json!({ "required": false })).send();
    assert_eq!(back().code(), "fresh_login_required");
    let _ = prove(&ada, &mut passkey).expect(200);
    let _ = back().expect(200);
    ada.delete(&format!("/passkeys?id={}", first(&ada))).ok();
}

fn an_admin_demands_what_the_admin_has(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    let refused = ada.post_json("/passkeys/requirement", json!({ "required": true })).send();
    assert_eq!(refused.refusal(), (409, "add a passkey to your own account first".to_owned()));
    let refused = ada.post_json("/passkeys/requirement", json!({})).send();
    assert_eq!(refused.refusal(), (400, "missing required".to_owned()));
    let ann = ann(&world, &ada);
    assert_eq!(ann.post_json("/passkeys/requirement", json!({ "required": true })).send().status, 403);
}

fn the_team_list_says_who_has_one(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    let ann = ann(&world, &ada);
    let listed = || ada.get("/users/list").ok()["users"][0]["has_passkey"].clone();
    assert_eq!(listed(), Value::Null, "while nobody uses passkeys, the answer is as before");
    add(&ann, &mut authenticator(), "Phone");
    assert_eq!(listed(), true);
}
