//! A credential or permission that ends while an upload is being completed.

use std::thread;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, Release, World, on_hosts};

on_hosts! {
    every: [
        a_deleted_token_completes_nothing,
        an_ended_login_completes_nothing,
        losing_the_upload_right_prevents_completion,
        a_form_is_refused_like_a_completion,
        an_edit_with_files_is_refused_too,
    ],
}

const PASSWORD: &str = "password of a user";

/// Runs `call` until it copies files to their final keys, then `change`, and then the rest of the call.
fn meanwhile<T: Send>(world: &World, call: impl FnOnce() -> T + Send, change: impl FnOnce()) -> T {
    world.gate().hold_copies();
    thread::scope(|scope| {
        let calling = scope.spawn(call);
        world.gate().hold_no_more();
        change();
        world.gate().release();
        calling.join().unwrap()
    })
}

fn gated(host: Driver) -> (World, Account) {
    let world = World::builder(host).with_gate().start();
    let acme = world.admin("acme").with_notes();
    (world, acme)
}

/// A team user who may do everything with `notes`.
fn team_user(world: &World, acme: &Account) -> (Account, Value) {
    let ids = |kind: &str| {
        let list = acme.get(&format!("/{kind}/list")).ok();
        let entries = list.as_object().unwrap().values().next().unwrap().as_array().unwrap();
        json!({ "allowed": entries.iter().map(|entry| entry["ID"].clone()).collect::<Vec<_>>() })
    };
    let permissions = json!({
        "apps": { "upload": true, "edit": true, "delete": true, "allowed": [acme.app_id("notes")] },
        "channels": ids("channel"), "platforms": ids("platform"), "archs": ids("arch"),
    });
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });
    acme.post_json("/user/create", body).ok();
    let user = acme.get("/users/list").ok()["users"][0]["id"].clone();
    (world.login("ann", PASSWORD), user)
}

fn invalid() -> (u16, String) {
    (401, "invalid token".to_owned())
}

fn assert_nothing_is_recorded(acme: &Account) {
    assert_eq!(acme.releases().len(), 0);
    assert_eq!(acme.check("0.1")["error"], "Not found");
}

fn a_deleted_token_completes_nothing(host: Driver) {
    let (world, acme) = gated(host);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let upload = ci.stage(&Release::new("1.0.0").published());
    let token = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();
    let answer = meanwhile(
        &world,
        || ci.complete(&upload),
        || {
            let _ = acme.delete(&format!("/token/delete?id={token}")).send().expect(200);
        },
    );
    assert_eq!(answer.refusal(), invalid());
    assert_nothing_is_recorded(&acme);
    // The admin may still complete it.
    let _ = acme.complete(&upload).expect(200);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn an_ended_login_completes_nothing(host: Driver) {
    let (world, acme) = gated(host);
    let (ann, _) = team_user(&world, &acme);
    let upload = ann.stage(&Release::new("1.0.0").published());
    let answer = meanwhile(
        &world,
        || ann.complete(&upload),
        || {
            let _ = ann.post("/logout/all").send().expect(200);
        },
    );
    assert_eq!(answer.refusal(), invalid());
    assert_nothing_is_recorded(&acme);
    let _ = world.login("ann", PASSWORD).complete(&upload).expect(200);
}

/// The login is still valid: only the application is removed from the user's list.
fn losing_the_upload_right_prevents_completion(host: Driver) {
    let (world, acme) = gated(host);
    let (ann, _) = team_user(&world, &acme);
    let upload = ann.stage(&Release::new("1.0.0").published());
    let answer = meanwhile(
        &world,
        || ann.complete(&upload),
        || {
            let less = "UPDATE users SET permissions = json_set(permissions, '$.channels.allowed', json('[]')) \
                    WHERE username = 'ann'";
            assert_eq!(world.database().execute(less, []).unwrap(), 1);
        },
    );
    assert_eq!(answer.refusal(), (403, "not allowed".to_owned()));
    assert_nothing_is_recorded(&acme);
}

fn a_form_is_refused_like_a_completion(host: Driver) {
    let (world, acme) = gated(host);
    let (ann, user) = team_user(&world, &acme);
    let answer = meanwhile(
        &world,
        || ann.upload_in_one(&Release::new("1.0.0").published()),
        || {
            let _ = acme.delete(&format!("/user/delete?id={}", user.as_str().unwrap())).send().expect(200);
        },
    );
    assert_eq!(answer.refusal(), invalid());
    assert_nothing_is_recorded(&acme);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, ""), [""; 0], "the copies are deleted");
}

fn an_edit_with_files_is_refused_too(host: Driver) {
    let (world, acme) = gated(host);
    let (ann, _) = team_user(&world, &acme);
    let id = ann.upload(&Release::new("1.0.0").published());
    let more = Release::empty("1.0.0").file("notes.rpm", "x");
    let change = json!({ "critical": true });
    let answer = meanwhile(
        &world,
        || ann.edit_with_files(&id, &more, &change),
        || {
            // She may still upload.
            let less = "UPDATE users SET permissions = json_set(permissions, '$.apps.edit', json('false')) \
                    WHERE username = 'ann'";
            assert_eq!(world.database().execute(less, []).unwrap(), 1);
        },
    );
    assert_eq!(answer.refusal(), (403, "not allowed".to_owned()));
    let release = acme.release("1.0.0");
    assert_eq!((release.critical, release.artifacts.len()), (false, 1));
}
