//! The limits of freezes, and the rights to make them.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts};

use super::{HOUR, Scene, in_an_hour};

on_hosts! {
    every: [
        times_and_reasons_that_mean_nothing_are_refused,
        an_owner_has_so_many_freezes,
        all_applications_are_frozen_by_admins,
        a_token_freezes_what_it_may_roll_out,
    ],
}

fn times_and_reasons_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(host);
    let days = |days: i64| scene.at(days * 24 * 60);
    let freeze = json!({ "app": "notes", "to": scene.at(60), "reason": "holidays" });
    let with = |key: &str, value: Value| {
        let mut freeze = freeze.clone();
        freeze[key] = value;
        freeze
    };
    let late = json!({ "app": "notes", "from": days(10), "to": days(101), "reason": "holidays" });
    for (body, error) in [
        (with("to", json!(null)), "missing to"),
        (with("to", json!("tomorrow")), "invalid to: a time like 2026-11-27T20:00:00Z, not \"tomorrow\""),
        (with("from", json!("now")), "invalid from: a time like 2026-11-27T20:00:00Z, not \"now\""),
        (with("to", json!(scene.at(-60))), "invalid to: it is later than from and the present"),
        (with("from", json!(scene.at(60))), "invalid to: it is later than from and the present"),
        (with("to", json!(days(91))), "invalid to: at most 90 days after the beginning"),
        (late, "invalid to: at most 90 days after the beginning"),
        (with("from", json!(days(367))), "invalid from: at most 366 days ahead"),
        (with("reason", json!(" ")), "missing reason"),
        (with("reason", json!("x".repeat(201))), "invalid reason: at most 200 characters"),
    ] {
        let refused = scene.acme.post_json("/freezes", body.clone()).send();
        assert_eq!((refused.status, refused.error().as_str()), (400, error), "{body}");
    }
    let unknown = scene.acme.post_json("/freezes", with("app", json!("other"))).send();
    assert_eq!(unknown.status, 404);
}

fn an_owner_has_so_many_freezes(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let freeze = |app: Option<&str>| {
        let body = json!({ "app": app, "to": in_an_hour(), "reason": "holidays" });
        acme.post_json("/freezes", body).send()
    };
    let first = freeze(Some("notes")).expect(201).json();
    for _ in 1..20 {
        let _ = freeze(None).expect(201);
    }
    let full = freeze(Some("notes"));
    assert_eq!(full.refusal(), (409, "an owner has at most 20 freezes that are not over".to_owned()));
    let _ = acme.delete(&format!("/freezes/{}", first["id"].as_str().unwrap())).send().expect(200);
    let _ = freeze(Some("notes")).expect(201);
    if host == Driver::InProcess {
        world.advance(2 * u64::try_from(HOUR).unwrap());
        let acme = world.login("acme", PASSWORD);
        assert_eq!(acme.get("/freezes").ok()["freezes"], json!([]), "they are over");
    }
}

/// The status of making a freeze and of ending one.
fn tried(owner: &Account, caller: &Account, app: Option<&str>) -> [u16; 2] {
    let body = json!({ "app": app, "to": in_an_hour(), "reason": "tried" });
    let id = owner.post_json("/freezes", body.clone()).send().expect(201).json()["id"].clone();
    let made = caller.post_json("/freezes", body).send().status;
    [made, caller.delete(&format!("/freezes/{}", id.as_str().unwrap())).send().status]
}

fn all_applications_are_frozen_by_admins(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let other = world.admin("other");
    let app = acme.app_id("notes");
    let permissions = json!({ "apps": { "edit": true, "allowed": [app] } });
    let user = json!({ "username": "ada", "password": PASSWORD, "permissions": permissions });
    acme.post_json("/user/create", user).ok();
    let user = world.login("ada", PASSWORD);
    assert_eq!(tried(&acme, &user, Some("notes")), [201, 200]);
    assert_eq!(tried(&acme, &user, None), [403, 403]);
    let seen = user.get("/freezes").ok()["freezes"].as_array().unwrap().len();
    assert!(seen > 0, "a freeze of all applications concerns everybody");
    assert_eq!(tried(&acme, &other, None), [201, 404]);
}

fn a_token_freezes_what_it_may_roll_out(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme.create_app("secret");
    let token = |may: &[&str]| crate::control::rights::token(&acme, may);
    let roll = token(&["roll"]);
    assert_eq!(tried(&acme, &roll, Some("notes")), [201, 200]);
    for may in [&["upload"][..], &["publish"], &["stop"], &["guard"]] {
        assert_eq!(tried(&acme, &token(may), Some("notes")), [403, 403], "{may:?}");
    }
    assert_eq!(tried(&acme, &roll, None), [403, 403]);
    assert_eq!(tried(&acme, &roll, Some("secret")), [404, 404]);
}
