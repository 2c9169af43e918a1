//! Passkeys: they log in alone, or after the password, and prove again who somebody is.

mod fresh;
mod recovery;
mod team;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use spindrift_tests::authenticator::{Authenticator, PasskeyAlgorithm};
use spindrift_tests::{Account, Answer, Client, Driver, PASSWORD, World, on_hosts};

use crate::audit::newest;

on_hosts! {
    every: [
        a_passkey_logs_in_alone,
        the_password_alone_opens_nothing_any_more,
        a_second_factor_is_the_users_own,
        the_first_passkey_needs_the_password,
        a_challenge_is_good_once,
        a_challenge_is_good_for_one_purpose,
        answers_that_prove_nothing_are_refused,
        new_passkeys_that_prove_nothing_are_refused,
        a_counter_that_goes_back_is_refused_and_noted,
        an_address_without_a_name_has_no_passkeys,
        a_deleted_user_leaves_no_passkey,
    ],
    in_process: [
        a_challenge_is_good_for_five_minutes,
        an_answered_challenge_is_forgotten_when_it_is_over,
        failed_logins_count_against_the_address,
        a_database_that_fails_counts_against_nobody,
        a_user_has_at_most_twenty,
    ],
}

/// Where the tests' browsers see the console.
const ORIGIN: &str = "http://localhost:3000";

fn world(host: Driver) -> World {
    World::builder(host).with_variable("api_url", ORIGIN).start()
}

fn authenticator() -> Authenticator {
    Authenticator::new(PasskeyAlgorithm::Es256, ORIGIN)
}

/// Adds a passkey to an account, the first one with its password. Returns the answer.
fn add(account: &Account, passkey: &mut Authenticator, name: &str) -> Value {
    let question = account.post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    let credential = passkey.create(&question["options"]);
    let body = json!({ "name": name, "challenge": question["challenge"], "credential": credential });
    account.post_json("/passkeys", body).send().expect(201).json()
}

/// An account with a passkey.
fn with_passkey(world: &World, name: &str) -> (Account, Authenticator) {
    let account = world.admin(name);
    let mut passkey = authenticator();
    add(&account, &mut passkey, "Laptop");
    (account, passkey)
}

/// Answers a question with a passkey.
fn answer(client: &Client, path: &str, question: &Value, passkey: &mut Authenticator) -> Answer {
    let credential = passkey.get(&question["options"]);
    client.post_json(path, json!({ "challenge": question["challenge"], "credential": credential })).send()
}

fn try_login(world: &World, passkey: &mut Authenticator) -> Answer {
    let question = world.client().post_json("/passkeys/login/new", json!({})).ok();
    answer(world.client(), "/passkeys/login", &question, passkey)
}

/// The refusal of a login, as status, code and text.
fn refusal(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.code(), answer.error())
}

fn by_password(world: &World, name: &str) -> Answer {
    world.client().post_json("/login", json!({ "username": name, "password": PASSWORD })).send()
}

/// Proves with a passkey who the account is.
fn prove(account: &Account, passkey: &mut Authenticator) -> Answer {
    let question = account.post_json("/passkeys/proof/new", json!({})).ok();
    answer(account, "/passkeys/proof", &question, passkey)
}

/// Lets the last proof of all logins be `minutes` older.
fn age_proofs(world: &World, minutes: i64) {
    let sql = format!("UPDATE logins SET proved_at = proved_at - {}", minutes * 60_000);
    world.database().execute(&sql, []).unwrap();
}

fn a_passkey_logs_in_alone(host: Driver) {
    let world = world(host);
    for algorithm in PasskeyAlgorithm::ALL {
        let name = format!("{algorithm:?}").to_lowercase();
        let account = world.admin(&name);
        let mut passkey = Authenticator::new(algorithm, ORIGIN);
        let made = add(&account, &mut passkey, " Laptop ");
        assert_eq!(made["passkey"]["name"], "Laptop");
        assert_eq!(made["recovery_codes"].as_array().unwrap().len(), 10);
        let entry = newest(&account);
        assert_eq!((&entry["kind"], &entry["object"]["name"]), (&json!("passkey.create"), &json!("Laptop")));

        let token = try_login(&world, &mut passkey).expect(200).json();

        let login = account.with_credential(token["token"].as_str().unwrap());
        let me = login.get("/whoami").ok();
        assert_eq!((&me["username"], &me["has_passkey"]), (&json!(name), &json!(true)));
        let listed = login.get("/passkeys").ok();
        assert_eq!((&listed["recovery_codes"], &listed["required"]), (&json!(10), &json!(false)));
        assert!(listed["passkeys"][0]["last_used_at"].is_string(), "{listed}");
    }
}

fn the_password_alone_opens_nothing_any_more(host: Driver) {
    let world = world(host);
    let (_, mut passkey) = with_passkey(&world, "ada");

    let refused = by_password(&world, "ada");

    let text = "this account has a passkey: use it, or a recovery code";
    assert_eq!(refusal(&refused), (401, "second_factor_required".to_owned(), text.to_owned()));
    let question = refused.json()["passkey"].clone();
    let _ = answer(world.client(), "/passkeys/login", &question, &mut passkey).expect(200);
    let wrong = json!({ "username": "ada", "password": "not this one" });
    assert_eq!(world.client().post_json("/login", wrong).send().code(), "wrong_credentials");
}

fn a_second_factor_is_the_users_own(host: Driver) {
    let world = world(host);
    let (_, _) = with_passkey(&world, "ada");
    let (eve, mut other) = with_passkey(&world, "eve");
    let question = by_password(&world, "ada").json()["passkey"].clone();

    let refused = answer(world.client(), "/passkeys/login", &question, &mut other);

    let text = "the passkey was not accepted: it belongs to another account";
    assert_eq!(refusal(&refused), (401, "invalid_passkey".to_owned(), text.to_owned()));
    let (ada, mut own) = (world.admin("ann"), authenticator());
    add(&ada, &mut own, "Phone");
    let refused = prove(&eve, &mut own);
    assert_eq!(refusal(&refused), (403, "invalid_passkey".to_owned(), text.to_owned()));
}

fn the_first_passkey_needs_the_password(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    for (body, expected) in [
        (json!({}), (400, "missing password".to_owned())),
        (json!({ "password": "not this one" }), (403, "the password is wrong".to_owned())),
    ] {
        assert_eq!(ada.post_json("/passkeys/new", body).send().refusal(), expected);
    }
    let question = ada.post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    let credential = authenticator().create(&question["options"]);
    let long = "x".repeat(65);
    for name in ["", "   ", "a\u{7}b", &long] {
        let body = json!({ "name": name, "challenge": question["challenge"], "credential": credential });
        assert_eq!(ada.post_json("/passkeys", body).send().status, 400, "{name}");
    }
    assert_eq!(ada.get("/passkeys").ok()["passkeys"], json!([]));
    let (bob, mut first) = with_passkey(&world, "bob");
    let (mut second, before) = (authenticator(), bob.get("/passkeys").ok());
    let made = add(&bob, &mut second, "Key");
    assert_eq!(made["recovery_codes"], Value::Null, "they come with the first");
    assert_eq!(bob.get("/passkeys").ok()["recovery_codes"], before["recovery_codes"]);
    for passkey in [&mut first, &mut second] {
        let _ = try_login(&world, passkey).expect(200);
    }
}

fn a_challenge_is_good_once(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let question = world.client().post_json("/passkeys/login/new", json!({})).ok();
    let credential = passkey.get(&question["options"]);
    let body = json!({ "challenge": question["challenge"], "credential": credential });
    let accepted = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let answer = world.client().post_json("/passkeys/login", &body).send();
                if answer.status == 200 {
                    accepted.fetch_add(1, Ordering::Relaxed);
                } else {
                    assert_eq!(answer.code(), "invalid_passkey", "{}", answer.text());
                }
            });
        }
    });
    assert_eq!(accepted.into_inner(), 1);
    let question = ada.post_json("/passkeys/new", json!({})).ok();
    let credential = authenticator().create(&question["options"]);
    let body = json!({ "name": "Key", "challenge": question["challenge"], "credential": credential });
    let _ = ada.post_json("/passkeys", &body).send().expect(201);
    assert_eq!(ada.post_json("/passkeys", &body).send().code(), "invalid_passkey");
}

fn a_challenge_is_good_for_one_purpose(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let login = world.client().post_json("/passkeys/login/new", json!({})).ok();
    let proof = ada.post_json("/passkeys/proof/new", json!({})).ok();
    let over = "the challenge is over: load the page again";
    let refused = answer(&ada, "/passkeys/proof", &login, &mut passkey);
    assert_eq!(refusal(&refused), (403, "invalid_passkey".to_owned(), over.to_owned()));
    let refused = answer(world.client(), "/passkeys/login", &proof, &mut passkey);
    assert_eq!(refusal(&refused), (401, "invalid_passkey".to_owned(), over.to_owned()));
    let eve = world.admin("eve");
    let question = eve.post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    let credential = authenticator().create(&question["options"]);
    let body = json!({ "name": "Key", "challenge": question["challenge"], "credential": credential });
    assert_eq!(refusal(&ada.post_json("/passkeys", body).send()).2, over, "it was asked of eve");
}

fn answers_that_prove_nothing_are_refused(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let ask = || world.client().post_json("/passkeys/login/new", json!({})).ok();
    let send = |challenge: &Value, credential: &Value| {
        let body = json!({ "challenge": challenge, "credential": credential });
        let answer = world.client().post_json("/passkeys/login", body).send();
        assert_eq!((answer.status, answer.code().as_str()), (401, "invalid_passkey"), "{}", answer.text());
    };
    let question = ask();
    // Another page, another service, nobody at the device.
    let mut changed = |change: &dyn Fn(&mut Authenticator), back: &dyn Fn(&mut Authenticator)| {
        change(&mut passkey);
        let credential = passkey.get(&question["options"]);
        back(&mut passkey);
        send(&question["challenge"], &credential);
    };
    changed(&|it| it.origin = String::from("https://evil.example"), &|it| it.origin = String::from(ORIGIN));
    changed(&|it| it.rp_id = String::from("evil.example"), &|it| it.rp_id = String::from("localhost"));
    changed(&|it| it.verifies_user = false, &|it| it.verifies_user = true);
    // The answer to another question, a changed answer, and no answer.
    let good = passkey.get(&question["options"]);
    send(&ask()["challenge"], &good);
    for part in ["clientDataJSON", "authenticatorData", "signature", "userHandle"] {
        let mut bad = good.clone();
        let text = bad["response"][part].as_str().unwrap().to_owned();
        let middle = text.len() / 2;
        let other = if &text[middle..=middle] == "A" { "B" } else { "A" };
        bad["response"][part] = format!("{}{other}{}", &text[..middle], &text[middle + 1..]).into();
        send(&question["challenge"], &bad);
    }
    for bad in [json!({}), json!([]), json!("x"), json!({ "id": "AAAA", "type": "public-key" })] {
        send(&question["challenge"], &bad);
    }
    // A passkey that was never registered, and one that was removed.
    let mut stranger = authenticator();
    let asked = world.admin("eve").post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    stranger.create(&asked["options"]);
    send(&question["challenge"], &stranger.get(&question["options"]));
    // The question is still open for the right answer.
    let body = json!({ "challenge": question["challenge"], "credential": good });
    let _ = world.client().post_json("/passkeys/login", body).send().expect(200);
    let id = ada.get("/passkeys").ok()["passkeys"][0]["id"].as_str().unwrap().to_owned();
    ada.delete(&format!("/passkeys?id={id}")).ok();
    let question = ask();
    send(&question["challenge"], &passkey.get(&question["options"]));
    let _ = by_password(&world, "ada").expect(200);
}

fn new_passkeys_that_prove_nothing_are_refused(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    let question = ada.post_json("/passkeys/new", json!({ "password": PASSWORD })).ok();
    let refused = |passkey: &mut Authenticator| {
        let credential = passkey.create(&question["options"]);
        let body = json!({ "name": "Key", "challenge": question["challenge"], "credential": credential });
        let answer = ada.post_json("/passkeys", body).send();
        assert_eq!((answer.status, answer.code().as_str()), (403, "invalid_passkey"), "{}", answer.text());
    };
    let mut elsewhere = authenticator();
    elsewhere.origin = String::from("https://evil.example");
    refused(&mut elsewhere);
    let mut other = authenticator();
    other.rp_id = String::from("evil.example");
    refused(&mut other);
    let mut unverified = authenticator();
    unverified.verifies_user = false;
    refused(&mut unverified);
    for bad in [json!({}), json!([]), json!(1)] {
        let body = json!({ "name": "Key", "challenge": question["challenge"], "credential": bad });
        assert_eq!(ada.post_json("/passkeys", body).send().code(), "invalid_passkey");
    }
    let mut passkey = authenticator();
    let credential = passkey.create(&question["options"]);
    let body = json!({ "name": "Key", "challenge": question["challenge"], "credential": credential });
    let _ = ada.post_json("/passkeys", body).send().expect(201);
    // The same authenticator is asked to refuse, and one that answers all the same is refused.
    let question = ada.post_json("/passkeys/new", json!({})).ok();
    assert_eq!(question["options"]["excludeCredentials"][0]["id"], credential["id"]);
    let body = json!({
        "name": "Key", "challenge": question["challenge"], "credential": passkey.create(&question["options"]),
    });
    assert_eq!(ada.post_json("/passkeys", body).send().code(), "already_exists");
}

fn a_counter_that_goes_back_is_refused_and_noted(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    let mut passkey = authenticator();
    passkey.count = 10;
    add(&ada, &mut passkey, "Key");
    let _ = try_login(&world, &mut passkey).expect(200);
    passkey.count = 5;

    let refused = try_login(&world, &mut passkey);

    let text = "the passkey was not accepted: its counter went back, so there may be a copy of it";
    assert_eq!(refusal(&refused), (401, "invalid_passkey".to_owned(), text.to_owned()));
    let entry = newest(&ada);
    assert_eq!((&entry["kind"], &entry["object"]["name"]), (&json!("passkey.copied"), &json!("Key")));
    passkey.count = 20;
    let _ = try_login(&world, &mut passkey).expect(200);
}

fn an_address_without_a_name_has_no_passkeys(host: Driver) {
    for api_url in ["http://127.0.0.1:3000", "http://updates.example.com"] {
        let world = World::builder(host).with_variable("api_url", api_url).start();
        let ada = world.admin("ada");
        let refused = ada.post_json("/passkeys/new", json!({ "password": PASSWORD })).send();
        let text = format!(
            "passkeys need an api_url with a host name, and https unless it is localhost, unlike {api_url}"
        );
        assert_eq!(refused.refusal(), (409, text.clone()));
        let refused = world.client().post_json("/passkeys/login/new", json!({})).send();
        assert_eq!(refused.refusal(), (409, text));
    }
}

fn a_deleted_user_leaves_no_passkey(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    ada.post_json("/user/create", json!({ "username": "ann", "password": PASSWORD })).ok();
    let ann = world.login("ann", PASSWORD);
    let mut passkey = authenticator();
    add(&ann, &mut passkey, "Key");
    let id = ann.get("/whoami").ok()["id"].as_str().unwrap().to_owned();
    ada.delete(&format!("/user/delete?id={id}")).ok();
    assert_eq!(try_login(&world, &mut passkey).status, 401);
    for table in ["passkeys", "recovery_codes"] {
        assert_eq!(world.number(&format!("SELECT count(*) FROM {table}")), Ok(0));
    }
}

fn a_challenge_is_good_for_five_minutes(host: Driver) {
    let world = world(host);
    let (_, mut passkey) = with_passkey(&world, "ada");
    let ask = || world.client().post_json("/passkeys/login/new", json!({})).ok();
    let (first, second) = (ask(), ask());
    world.advance(298);
    let _ = answer(world.client(), "/passkeys/login", &first, &mut passkey).expect(200);
    world.advance(3);
    let refused = answer(world.client(), "/passkeys/login", &second, &mut passkey);
    assert_eq!(refusal(&refused).2, "the challenge is over: load the page again");
}

fn an_answered_challenge_is_forgotten_when_it_is_over(host: Driver) {
    let world = world(host);
    let (ada, mut passkey) = with_passkey(&world, "ada");
    let _ = try_login(&world, &mut passkey).expect(200);
    world.database().execute("UPDATE used_proofs SET expires_at = expires_at - 90000000", []).unwrap();
    assert!(world.number("SELECT count(*) FROM used_proofs").is_ok_and(|used| used > 0));
    ada.post_json("/maintenance/run", json!({})).ok();
    assert_eq!(world.number("SELECT count(*) FROM used_proofs"), Ok(0));
}

fn failed_logins_count_against_the_address(host: Driver) {
    let world = world(host);
    let (_, mut passkey) = with_passkey(&world, "ada");
    world.platform().set_variable("login_failures_per_address", "3");
    passkey.verifies_user = false;
    let tries: Vec<u16> = (0..4).map(|_| try_login(&world, &mut passkey).status).collect();
    assert_eq!(tries, [401, 401, 401, 429]);
    assert_eq!(by_password(&world, "ada").status, 429, "passwords have the same limit");
}

fn a_user_has_at_most_twenty(host: Driver) {
    let world = world(host);
    let ada = world.admin("ada");
    for n in 1..=20 {
        add(&ada, &mut authenticator(), &format!("Key {n}"));
    }
    let refused = ada.post_json("/passkeys/new", json!({})).send();
    assert_eq!(refused.refusal(), (409, "a user has at most 20 passkeys".to_owned()));
}

fn a_database_that_fails_counts_against_nobody(host: Driver) {
    let world = world(host);
    let (_, mut passkey) = with_passkey(&world, "ada");
    world.platform().set_variable("login_failures_per_address", "3");
    world.platform().set_variable("login_failures_per_user", "3");
    let recovery = json!({ "username": "ada", "password": PASSWORD, "code": "k3vm-91ta-0h7r-xq5d" });
    world.platform().fail_sql(true);
    for _ in 0..4 {
        assert_eq!(try_login(&world, &mut passkey).status, 503);
        assert_eq!(world.client().post_json("/passkeys/recover", &recovery).send().status, 503);
    }
    world.platform().fail_sql(false);
    let _ = try_login(&world, &mut passkey).expect(200);
}
