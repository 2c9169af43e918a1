//! People change their own passwords, and see and end their own logins.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, PASSWORD, World, on_hosts, until};

use crate::audit::{kinds_after, last, newest};
use crate::tokens::{SECRET, claims, hs256, time};

on_hosts! {
    every: [
        everybody_changes_the_own_password,
        a_new_password_needs_the_present_one,
        people_see_their_logins,
        a_login_is_ended_alone,
        all_other_logins_are_ended,
        logging_out_ends_the_login,
        a_login_of_another_user_does_not_exist,
        a_jwt_without_a_login_is_valid,
    ],
    in_process: [
        guesses_at_a_password_are_limited,
        the_use_of_a_login_is_recorded_by_the_hour,
        logins_that_expired_are_not_listed,
    ],
}

const NEW: &str = "another password";

/// An admin and a team user.
fn people(world: &World) -> [Account; 2] {
    let ada = world.admin("ada");
    ada.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();
    [ada, world.login("ann", PASSWORD)]
}

fn logins(account: &Account) -> Vec<Value> {
    account.get("/logins").ok()["logins"].as_array().unwrap().clone()
}

fn id(login: &Value) -> String {
    login["id"].as_str().unwrap().to_owned()
}

fn has_ended(account: &Account) -> bool {
    let refusal = account.get("/whoami").send().refusal();
    assert!(refusal.0 == 200 || refusal == (401, "invalid token".to_owned()), "{refusal:?}");
    refusal.0 == 401
}

fn everybody_changes_the_own_password(host: Driver) {
    let world = World::new(host);
    for person in people(&world) {
        let name = person.name().to_owned();
        let other = world.login(&name, PASSWORD);
        let body = json!({ "current_password": PASSWORD, "password": NEW });

        assert_eq!(person.post_json("/password", body).ok(), json!({ "message": "Password changed" }));

        assert!(has_ended(&person) && has_ended(&other), "{name}");
        let old = json!({ "username": name, "password": PASSWORD });
        assert_eq!(world.client().post_json("/login", old).send().status, 401);
        let again = world.login(&name, NEW);
        assert_eq!(logins(&again).len(), 1);
    }
    let ada = world.login("ada", NEW);
    let entry = newest(&ada);
    assert_eq!((&entry["kind"], &entry["actor"]["name"]), (&json!("user.password"), &json!("ann")));
    assert_eq!(entry["after"], json!({ "logins": "ended", "password": "changed" }));
}

fn a_new_password_needs_the_present_one(host: Driver) {
    let world = World::new(host);
    let [ada, ann] = people(&world);
    let before = last(&ada);
    let change = |body: Value| ann.post_json("/password", body).send();

    let wrong = change(json!({ "current_password": "not this one", "password": NEW })).expect(403).json();
    assert_eq!(
        (&wrong["code"], &wrong["error"]),
        (&json!("forbidden"), &json!("the current password is wrong"))
    );
    assert_eq!(change(json!({ "password": NEW })).refusal(), (400, "missing current_password".to_owned()));
    assert_eq!(
        change(json!({ "current_password": PASSWORD, "password": "short" })).refusal(),
        (400, "invalid password: 8 to 1024 characters".to_owned())
    );
    assert!(!has_ended(&ann));
    assert_eq!(kinds_after(&ada, before), [] as [&str; 0]);
    let _ = world.login("ann", PASSWORD);
}

fn guesses_at_a_password_are_limited(host: Driver) {
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:00:00Z"));
    let [_, ann] = people(&world);
    world.platform().set_variable("login_failures_per_user", "3");
    let guess = || {
        ann.post_json("/password", json!({ "current_password": "not this one", "password": NEW }))
            .send()
            .status
    };
    assert_eq!([guess(), guess(), guess(), guess()], [403, 403, 403, 429]);
    let right = json!({ "current_password": PASSWORD, "password": NEW });
    assert_eq!(ann.post_json("/password", &right).send().status, 429);
    world.advance(900);
    ann.post_json("/password", &right).ok();
}

fn people_see_their_logins(host: Driver) {
    let world = World::new(host);
    let [ada, ann] = people(&world);
    let second = world.login("ann", PASSWORD);
    let of_second = logins(&second);
    assert_eq!((logins(&ada).len(), of_second.len()), (1, 2));
    let current = |all: &[Value]| -> Vec<String> {
        all.iter().filter(|login| login["is_current"] == true).map(id).collect()
    };
    let of_first = logins(&ann);
    let (first, second) = (current(&of_first), current(&of_second));
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    for login in &of_first {
        assert!(login["created_at"].is_string() && login["expires_at"].is_string(), "{login}");
    }
    // The use is recorded after an answer.
    let used = || logins(&ann).iter().all(|login| login["last_used_at"].is_string()).then_some(());
    until("a recorded use", Duration::from_secs(30), used);
}

fn a_login_is_ended_alone(host: Driver) {
    let world = World::new(host);
    let [ada, ann] = people(&world);
    let lost = world.login("ann", PASSWORD);
    let before = last(&ada);
    let end = |id: &str| ann.delete(&format!("/logins?id={id}")).send();
    let other = logins(&ann).iter().find(|login| login["is_current"] == false).map(id).unwrap();

    assert_eq!(end(&other).expect(200).json(), json!({ "message": "Login ended" }));

    assert!(has_ended(&lost) && !has_ended(&ann));
    assert_eq!(end(&other).refusal(), (404, "login not found".to_owned()));
    assert_eq!(kinds_after(&ada, before), ["login.end"]);
    assert_eq!(newest(&ada)["text"], "ann ended logins of ann");
}

fn all_other_logins_are_ended(host: Driver) {
    let world = World::new(host);
    let [ada, ann] = people(&world);
    let others = [world.login("ann", PASSWORD), world.login("ann", PASSWORD)];

    assert_eq!(ann.post("/logout/others").ok(), json!({ "message": "All other logins ended" }));

    assert!(others.iter().all(has_ended) && !has_ended(&ann) && !has_ended(&ada));
    assert_eq!(logins(&ann).len(), 1);
}

fn logging_out_ends_the_login(host: Driver) {
    let world = World::new(host);
    let [_, ann] = people(&world);
    let other = world.login("ann", PASSWORD);

    assert_eq!(ann.post("/logout").ok(), json!({ "message": "Logged out" }));

    assert!(has_ended(&ann) && !has_ended(&other));
    assert_eq!(logins(&other).len(), 1);
}

fn a_login_of_another_user_does_not_exist(host: Driver) {
    let world = World::new(host);
    let [ada, ann] = people(&world);
    let of_ann = id(&logins(&ann)[0]);
    assert_eq!(ada.delete(&format!("/logins?id={of_ann}")).send().status, 404);
    assert!(!has_ended(&ann));
    let mut forged = claims("ada", 600);
    forged["jti"] = json!(of_ann);
    let forged = ada.with_credential(&hs256(&forged, SECRET));
    assert!(has_ended(&forged), "it names a login of another user");
}

fn a_jwt_without_a_login_is_valid(host: Driver) {
    let world = World::new(host);
    let [_, ann] = people(&world);
    let own = ann.with_credential(&hs256(&claims("ann", 600), SECRET));
    assert!(logins(&own).iter().all(|login| login["is_current"] == false));
    own.post("/logout/others").ok();
    assert!(has_ended(&ann) && !has_ended(&own));
    own.post("/logout/all").ok();
    assert!(has_ended(&own));
}

fn the_use_of_a_login_is_recorded_by_the_hour(host: Driver) {
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:10:00Z"));
    let [ada, ann] = people(&world);
    let last_seen = || ada.get("/users/list").ok()["users"][0]["last_seen_at"].clone();
    assert_eq!(last_seen(), Value::Null, "ann has logged in, and made no call");
    let shows = |hour: &str| {
        until(hour, Duration::from_secs(30), || (logins(&ann)[0]["last_used_at"] == hour).then_some(()));
        assert_eq!(last_seen(), hour);
    };
    shows("2026-11-21T12:00:00+00:00");
    world.advance(3600);
    shows("2026-11-21T13:00:00+00:00");
    assert_eq!(logins(&ann)[0]["created_at"], "2026-11-21T12:10:00+00:00");
    // The admin still sees it after the login has ended.
    ann.post("/logout").ok();
    assert_eq!(last_seen(), "2026-11-21T13:00:00+00:00");
}

fn logins_that_expired_are_not_listed(host: Driver) {
    const DAY: u64 = 24 * 60 * 60;
    let world = World::new(host);
    world.platform().set_time(time("2026-11-21T12:00:00Z"));
    let [_, ann] = people(&world);
    world.advance(DAY - 60);
    assert_eq!(logins(&world.login("ann", PASSWORD)).len(), 2);
    world.advance(60);
    let late = world.login("ann", PASSWORD);
    assert_eq!(logins(&late).len(), 2, "the first one has expired");
    assert_eq!(ann.get("/whoami").send().refusal(), (401, "token expired".to_owned()));
    assert_eq!(world.number("SELECT count(*) FROM logins").unwrap(), 4);
    // The storage, whose clock is not moved, refuses the run's signatures. The run does the rest.
    let _ = world.login("ada", PASSWORD).post("/maintenance/run").send().expect(502);
    assert_eq!(world.number("SELECT count(*) FROM logins").unwrap(), 3);
}
