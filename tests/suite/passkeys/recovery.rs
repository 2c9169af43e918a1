//! Recovery codes, and the way in for people who have lost these too.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, PASSWORD, World, on_hosts};

use super::{add, authenticator, by_password, refusal, try_login, with_passkey, world};
use crate::audit::newest;

on_hosts! {
    every: [
        a_code_logs_in_once,
        new_codes_end_the_old_ones,
        without_passkeys_there_are_no_codes,
    ],
    in_process: [
        guesses_at_codes_are_limited,
        the_server_removes_what_was_lost,
    ],
}

fn codes(made: &Value) -> Vec<String> {
    made["recovery_codes"].as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

fn recover(world: &World, password: &str, code: &str) -> Answer {
    let body = json!({ "username": "ada", "password": password, "code": code });
    world.client().post_json("/passkeys/recover", body).send()
}

/// Ada with a passkey, and the codes.
fn ada(world: &World) -> (Account, Vec<String>) {
    let ada = world.admin("ada");
    let codes = codes(&add(&ada, &mut authenticator(), "Laptop"));
    (ada, codes)
}

fn a_code_logs_in_once(host: Driver) {
    let world = world(host);
    let (ada, codes) = ada(&world);
    let typed = codes[0].replace('-', " ").to_uppercase();

    let token = recover(&world, PASSWORD, &typed).expect(200).json();

    let login = ada.with_credential(token["token"].as_str().unwrap());
    assert_eq!(login.get("/passkeys").ok()["recovery_codes"], 9);
    let entry = newest(&ada);
    assert_eq!(entry["text"], "ada logged in with a recovery code", "{entry}");
    let text = "invalid username, password or recovery code";
    for (password, code) in [
        (PASSWORD, codes[0].as_str()),
        ("not this one", &codes[1]),
        (PASSWORD, "k3vm-91ta-0h7r-xq5d"),
        (PASSWORD, "x"),
    ] {
        let refused = recover(&world, password, code);
        assert_eq!(refusal(&refused), (401, "wrong_credentials".to_owned(), text.to_owned()), "{code}");
    }
    let _ = recover(&world, PASSWORD, &codes[1]).expect(200);
    // A login with a code is fresh: it adds another passkey and removes the lost one.
    let mut new = authenticator();
    add(&login, &mut new, "New laptop");
    let lost = login.get("/passkeys").ok()["passkeys"][0]["id"].as_str().unwrap().to_owned();
    login.delete(&format!("/passkeys?id={lost}")).ok();
    let _ = try_login(&world, &mut new).expect(200);
}

fn new_codes_end_the_old_ones(host: Driver) {
    let world = world(host);
    let (ada, old) = ada(&world);
    let new = codes(&ada.post_json("/passkeys/recovery-codes", json!({})).ok());
    assert_eq!(new.len(), 10);
    assert_eq!(newest(&ada)["kind"], "passkey.codes");
    assert_eq!(recover(&world, PASSWORD, &old[0]).status, 401);
    let _ = recover(&world, PASSWORD, &new[9]).expect(200);
}

fn without_passkeys_there_are_no_codes(host: Driver) {
    let world = world(host);
    let eve = world.admin("eve");
    let refused = eve.post_json("/passkeys/recovery-codes", json!({})).send();
    assert_eq!(
        refused.refusal(),
        (409, "recovery codes stand in for passkeys: add a passkey first".to_owned())
    );
    let (ada, codes) = ada(&world);
    let id = ada.get("/passkeys").ok()["passkeys"][0]["id"].as_str().unwrap().to_owned();
    ada.delete(&format!("/passkeys?id={id}")).ok();
    assert_eq!(ada.get("/passkeys").ok()["recovery_codes"], 0);
    assert_eq!(recover(&world, PASSWORD, &codes[0]).status, 401);
    let _ = by_password(&world, "ada").expect(200);
}

fn guesses_at_codes_are_limited(host: Driver) {
    let world = world(host);
    let _ = with_passkey(&world, "ada");
    world.platform().set_variable("login_failures_per_user", "3");
    let guesses: Vec<u16> =
        (0..4).map(|n| recover(&world, PASSWORD, &format!("k3vm-91ta-0h7r-xq5{n}")).status).collect();
    assert_eq!(guesses, [401, 401, 401, 429]);
}

fn the_server_removes_what_was_lost(host: Driver) {
    let world = world(host);
    let (ada, codes) = ada(&world);

    spindrift_server::reset_passkeys(world.platform(), "ada").unwrap();

    assert_eq!(ada.get("/whoami").send().status, 401, "all logins end");
    assert_eq!(recover(&world, PASSWORD, &codes[0]).status, 401);
    let ada = world.login("ada", PASSWORD);
    assert_eq!(ada.get("/passkeys").ok()["passkeys"], json!([]));
    let entry = newest(&ada);
    assert_eq!((&entry["kind"], &entry["object"]["name"]), (&json!("passkey.reset"), &json!("ada")));
    let unknown = spindrift_server::reset_passkeys(world.platform(), "bob").unwrap_err();
    assert_eq!(unknown.to_string(), "there is nobody with the name bob");
}
