//! Logins of programs without a browser, which a person allows in one (RFC 8628).

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, World, on_hosts};

use crate::audit::newest;

on_hosts! {
    every: [
        a_program_gets_the_login_that_a_person_allows,
        a_login_is_taken_once,
        a_refused_program_gets_nothing,
        a_login_that_nobody_fetched_ends_with_all_others,
        a_code_is_answered_once,
        unknown_codes_mean_nothing,
        programs_that_ask_too_often_are_told_so,
    ],
    in_process: [
        nobody_allows_a_login_after_ten_minutes,
        asking_for_codes_is_limited,
        guesses_at_codes_are_limited,
    ],
}

fn begin(world: &World) -> Value {
    world.client().post_json("/device/code", json!({ "machine": "spindrift on build-3" })).ok()
}

fn poll(world: &World, asked: &Value) -> Answer {
    world.client().post_json("/device/token", json!({ "device_code": asked["device_code"] })).send()
}

fn answer(person: &Account, asked: &Value, allow: bool) -> Answer {
    person.post_json("/device/answer", json!({ "user_code": asked["user_code"], "allow": allow })).send()
}

fn show(person: &Account, code: &str) -> Answer {
    person.get(&format!("/device?user_code={code}")).send()
}

fn a_program_gets_the_login_that_a_person_allows(host: Driver) {
    let world = World::builder(host).with_variable("api_url", "https://updates.example.com").start();
    let ada = world.admin("ada");
    let asked = begin(&world);
    let code = asked["user_code"].as_str().unwrap();
    assert_eq!((&asked["expires_in"], &asked["interval"]), (&json!(600), &json!(5)));
    assert_eq!(asked["verification_uri"], "https://updates.example.com/console/device");
    let complete = format!("https://updates.example.com/console/device?code={code}");
    assert_eq!(asked["verification_uri_complete"], complete);
    let pending = poll(&world, &asked);
    assert_eq!((pending.status, pending.code().as_str()), (400, "authorization_pending"));
    let shown = show(&ada, &code.to_lowercase().replace('-', "")).expect(200).json();
    assert_eq!((&shown["user_code"], &shown["machine"]), (&json!(code), &json!("spindrift on build-3")));
    assert!(shown["created_at"].is_string() && shown["expires_at"].is_string(), "{shown}");

    assert_eq!(answer(&ada, &asked, true).expect(200).json(), json!({ "message": "Allowed" }));

    let entry = newest(&ada);
    assert_eq!(
        entry["text"].as_str().unwrap().split(": ").next(),
        Some("ada let spindrift on build-3 log in")
    );
    let token = poll(&world, &asked).expect(200).json();
    let program = ada.with_credential(token["token"].as_str().unwrap());
    assert_eq!(program.get("/whoami").ok()["username"], "ada");
    assert_eq!(program.get("/logins").ok()["logins"].as_array().unwrap().len(), 2);
}

fn a_login_is_taken_once(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let asked = begin(&world);
    let _ = answer(&ada, &asked, true).expect(200);
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let polled = poll(&world, &asked);
                if polled.status == 200 {
                    taken.fetch_add(1, Ordering::Relaxed);
                } else {
                    assert_eq!(polled.code(), "expired_token", "{}", polled.text());
                }
            });
        }
    });
    assert_eq!(taken.into_inner(), 1);
}

fn a_refused_program_gets_nothing(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let asked = begin(&world);
    assert_eq!(answer(&ada, &asked, false).expect(200).json(), json!({ "message": "Refused" }));
    for _ in 0..2 {
        let refused = poll(&world, &asked);
        assert_eq!((refused.status, refused.code().as_str()), (400, "access_denied"));
    }
    assert_eq!(answer(&ada, &asked, true).status, 404);
}

fn a_login_that_nobody_fetched_ends_with_all_others(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let asked = begin(&world);
    let _ = answer(&ada, &asked, true).expect(200);
    ada.post("/logout/all").ok();
    assert_eq!(poll(&world, &asked).code(), "expired_token");
}

fn a_code_is_answered_once(host: Driver) {
    let world = World::new(host);
    let [ada, eve] = ["ada", "eve"].map(|name| world.admin(name));
    let asked = begin(&world);
    let _ = answer(&ada, &asked, true).expect(200);
    for allow in [true, false] {
        let text = "no program waits with this code: it has expired, or was answered";
        assert_eq!(answer(&eve, &asked, allow).refusal(), (404, text.to_owned()));
    }
    assert_eq!(show(&eve, asked["user_code"].as_str().unwrap()).status, 404);
    let token = poll(&world, &asked).expect(200).json();
    let program = ada.with_credential(token["token"].as_str().unwrap());
    assert_eq!(program.get("/whoami").ok()["username"], "ada");
}

fn unknown_codes_mean_nothing(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let unknown = poll(&world, &json!({ "device_code": "x" }));
    assert_eq!((unknown.status, unknown.code().as_str()), (400, "expired_token"));
    assert_eq!(poll(&world, &json!({})).refusal(), (400, "missing device_code".to_owned()));
    assert_eq!(show(&ada, "BCDF-GHJK").status, 404);
    for wrong in ["x", "AAAA-AAAA", "BCDF-GHJKL"] {
        assert_eq!(show(&ada, wrong).refusal(), (400, "invalid user_code parameter".to_owned()));
    }
    let missing = ada.post_json("/device/answer", json!({ "user_code": "BCDF-GHJK" })).send();
    assert_eq!(missing.refusal(), (400, "missing allow".to_owned()));
    assert_eq!(world.client().get("/device?user_code=BCDF-GHJK").send().status, 401);
}

fn programs_that_ask_too_often_are_told_so(host: Driver) {
    let world = World::new(host);
    let asked = begin(&world);
    assert_eq!(poll(&world, &asked).code(), "authorization_pending");
    assert_eq!(poll(&world, &asked).code(), "slow_down");
    let sql = "UPDATE device_logins SET polled_at = polled_at - 5000";
    world.database().execute(sql, []).unwrap();
    assert_eq!(poll(&world, &asked).code(), "authorization_pending");
}

fn nobody_allows_a_login_after_ten_minutes(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    let asked = begin(&world);
    world.database().execute("UPDATE device_logins SET expires_at = expires_at - 600000", []).unwrap();
    assert_eq!(answer(&ada, &asked, true).status, 404);
    assert_eq!(poll(&world, &asked).code(), "expired_token");
    ada.post_json("/maintenance/run", json!({})).ok();
    assert_eq!(world.number("SELECT count(*) FROM device_logins"), Ok(0));
}

fn asking_for_codes_is_limited(host: Driver) {
    let world = World::builder(host).with_variable("login_failures_per_address", "3").start();
    let ask = || world.client().post_json("/device/code", json!({})).send().status;
    assert_eq!([ask(), ask(), ask(), ask()], [200, 200, 200, 429]);
}

fn guesses_at_codes_are_limited(host: Driver) {
    let world = World::builder(host).with_variable("login_failures_per_address", "3").start();
    let ada = world.admin("ada");
    let guess = || show(&ada, "BCDF-GHJK").status;
    assert_eq!([guess(), guess(), guess(), guess()], [404, 404, 404, 429]);
    let answer = json!({ "user_code": "BCDF-GHJK", "allow": true });
    assert_eq!(ada.post_json("/device/answer", answer).send().status, 429, "both calls have one limit");
}
