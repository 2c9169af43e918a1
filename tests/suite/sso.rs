//! Single sign-on, at a real OpenID provider.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindrift_tests::provider::Provider;
use spindrift_tests::{Account, Answer, Driver, PASSWORD, World, on_hosts};

use crate::audit::newest;

on_hosts! {
    every: [
        an_invited_person_signs_in,
        only_the_account_at_the_provider_counts_later,
        nobody_comes_in_uninvited,
        answers_of_other_sign_ins_are_refused,
        a_sign_in_ends_once,
        an_admin_links_the_own_account,
        a_link_belongs_to_who_began_it,
        passwords_of_the_team_can_be_turned_off,
        a_person_without_a_password_has_none_to_guess,
        a_provider_that_does_not_answer_is_said,
        without_a_provider_it_is_off,
        an_address_invites_one_person,
    ],
    in_process: [
        a_store_that_fails_does_not_end_a_sign_in,
    ],
}

const ORIGIN: &str = "http://localhost:3000";
const EMAIL: &str = "ada@example.com";

struct Scene {
    provider: Provider,
    world: World,
    boss: Account,
}

impl Scene {
    /// `None`: Node is not installed.
    fn new(host: Driver) -> Option<Self> {
        let provider = Provider::start(&format!("{ORIGIN}/console/sso"))?;
        let world = World::builder(host)
            .with_variable("api_url", ORIGIN)
            .with_variable("sso_issuer", provider.url())
            .with_variable("sso_client_id", provider.client_id())
            .with_variable("sso_client_secret", provider.client_secret())
            .with_variable("sso_name", "Acme")
            .start();
        let boss = world.admin("boss");
        Some(Self { provider, world, boss })
    }

    fn invite(&self, name: &str, email: &str) {
        self.boss.post_json("/user/create", json!({ "username": name, "email": email })).ok();
    }

    fn account(&self, sub: &str, email: &str) {
        self.provider.set_account(json!({ "sub": sub, "email": email, "email_verified": true }));
    }

    fn begin(&self) -> Value {
        self.world.client().post_json("/sso/begin", json!({ "then": "/console/device?code=X" })).ok()
    }

    /// Signs in at the provider, and returns the body for the end.
    fn signed_in(&self, question: &Value) -> Value {
        let answer = self.provider.sign_in(question["address"].as_str().unwrap());
        body(question, &answer)
    }

    fn finish(&self, body: &Value) -> Answer {
        self.world.client().post_json("/sso/finish", body).send()
    }

    fn try_sign_in(&self) -> Answer {
        self.finish(&self.signed_in(&self.begin()))
    }

    /// A login of the person who signs in.
    fn sign_in(&self) -> Account {
        let answer = self.try_sign_in().expect(200).json();
        self.boss.with_credential(answer["token"].as_str().unwrap())
    }
}

fn body(question: &Value, answer: &BTreeMap<String, String>) -> Value {
    let mut body = json!({ "challenge": question["challenge"] });
    for name in ["code", "state", "iss"] {
        body[name] = answer.get(name).cloned().into();
    }
    body
}

/// Status and code of a refusal.
fn refusal(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

fn an_invited_person_signs_in(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    assert_eq!(scene.world.get("/sso").ok(), json!({ "enabled": true, "name": "Acme" }));
    scene.invite("ada", "Ada@Example.com");
    let listed = || scene.boss.get("/users/list").ok()["users"][0].clone();
    assert_eq!((&listed()["email"], &listed()["has_sso"]), (&json!(EMAIL), &Value::Null));
    scene.account("1", EMAIL);

    let answer = scene.try_sign_in().expect(200).json();

    assert_eq!(answer["then"], "/console/device?code=X");
    let ada = scene.boss.with_credential(answer["token"].as_str().unwrap());
    let me = ada.get("/whoami").ok();
    assert_eq!(
        (&me["username"], &me["owner"], &me["has_sso"]),
        (&json!("ada"), &json!("boss"), &json!(true))
    );
    assert_eq!(listed()["has_sso"], true);
    let entry = newest(&scene.boss);
    assert_eq!((&entry["kind"], &entry["actor"]["name"]), (&json!("sso.bind"), &json!("ada")));
}

fn only_the_account_at_the_provider_counts_later(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    scene.account("1", EMAIL);
    let first = scene.sign_in().get("/whoami").ok()["id"].clone();
    // The person's address changes, and somebody else gets it.
    scene.account("1", "ada@married.example");
    assert_eq!(scene.sign_in().get("/whoami").ok()["id"], first);
    scene.account("2", EMAIL);
    assert_eq!(refusal(&scene.try_sign_in()), (403, "not_invited".to_owned()));
}

fn nobody_comes_in_uninvited(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    for (account, text) in [
        (
            json!({ "sub": "3", "email": "eve@example.com", "email_verified": true }),
            "nobody with the address eve@example.com is invited",
        ),
        (
            json!({ "sub": "1", "email": EMAIL, "email_verified": false }),
            "the provider has not verified an e-mail address of this account",
        ),
        (json!({ "sub": "1" }), "the provider has not verified an e-mail address of this account"),
    ] {
        scene.provider.set_account(account);
        let answer = scene.try_sign_in();
        assert_eq!(refusal(&answer), (403, "not_invited".to_owned()));
        assert_eq!(answer.error(), text);
    }
    scene.provider.refuse();
    let refused = scene.provider.sign_in(scene.begin()["address"].as_str().unwrap());
    assert_eq!(
        (refused.get("error").map(String::as_str), refused.get("code")),
        (Some("access_denied"), None)
    );
    assert_eq!(scene.boss.get("/users/list").ok()["users"][0]["has_sso"], Value::Null);
}

fn answers_of_other_sign_ins_are_refused(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    scene.account("1", EMAIL);
    let (question, other) = (scene.begin(), scene.begin());
    let good = scene.signed_in(&question);
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body
    };
    for bad in [
        with("state", json!("x")),
        with("iss", json!("https://evil.example")),
        with("challenge", other["challenge"].clone()),
        with("challenge", json!("x.y")),
    ] {
        assert_eq!(refusal(&scene.finish(&bad)), (401, "sso_failed".to_owned()), "{bad}");
    }
    for name in ["challenge", "code", "state"] {
        assert_eq!(scene.finish(&with(name, Value::Null)).refusal(), (400, format!("missing {name}")));
    }
    let _ = scene.finish(&good).expect(200);
    // A code of somebody else's sign-in is bound to that sign-in's verifier.
    let stolen = scene.signed_in(&scene.begin());
    let own = scene.begin();
    let state = scene.signed_in(&own)["state"].clone();
    let mixed = json!({ "challenge": own["challenge"], "code": stolen["code"], "state": state });
    assert_eq!(refusal(&scene.finish(&mixed)), (401, "sso_failed".to_owned()));
}

fn a_sign_in_ends_once(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    scene.account("1", EMAIL);
    let body = scene.signed_in(&scene.begin());
    let _ = scene.finish(&body).expect(200);
    assert_eq!(refusal(&scene.finish(&body)), (401, "sso_failed".to_owned()));
}

fn an_admin_links_the_own_account(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.account("9", "boss@example.com");
    assert_eq!(refusal(&scene.try_sign_in()), (403, "not_invited".to_owned()));
    let question = scene.boss.post_json("/sso/bind", json!({})).ok();
    let body = scene.signed_in(&question);

    assert_eq!(scene.boss.post_json("/sso/bind/finish", &body).ok(), json!({ "message": "Linked" }));

    assert_eq!(newest(&scene.boss)["kind"], "sso.bind");
    assert_eq!(scene.sign_in().get("/whoami").ok()["username"], "boss");
    let _ = scene.world.login("boss", PASSWORD);
    // The same account cannot be linked twice.
    let eve = scene.world.admin("eve");
    let question = eve.post_json("/sso/bind", json!({})).ok();
    let body = scene.signed_in(&question);
    assert_eq!(refusal(&eve.post_json("/sso/bind/finish", &body).send()), (409, "already_exists".to_owned()));
}

fn a_link_belongs_to_who_began_it(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.account("9", "boss@example.com");
    let eve = scene.world.admin("eve");
    let body = scene.signed_in(&eve.post_json("/sso/bind", json!({})).ok());
    let refused = scene.boss.post_json("/sso/bind/finish", &body).send();
    assert_eq!(refusal(&refused), (403, "sso_failed".to_owned()));
    assert_eq!(refusal(&scene.finish(&body)), (401, "sso_failed".to_owned()), "a link is not a login");
}

fn passwords_of_the_team_can_be_turned_off(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    let ann = json!({ "username": "ann", "password": PASSWORD, "email": EMAIL });
    scene.boss.post_json("/user/create", ann).ok();
    let ann = scene.world.login("ann", PASSWORD);
    let set = |on: bool| scene.boss.post_json("/sso/requirement", json!({ "password_login": on })).ok();
    set(false);
    let entry = newest(&scene.boss);
    assert_eq!(
        (&entry["kind"], &entry["after"]),
        (&json!("sso.requirement"), &json!({ "password_login": false }))
    );
    assert_eq!(scene.boss.get("/users/list").ok()["password_login_off"], true);
    let login = |name: &str, password: &str| {
        let body = json!({ "username": name, "password": password });
        refusal(&scene.world.client().post_json("/login", body).send())
    };
    assert_eq!(login("ann", PASSWORD), (401, "password_login_off".to_owned()));
    assert_eq!(login("ann", "not this one"), (401, "wrong_credentials".to_owned()));
    assert_eq!(login("boss", PASSWORD).0, 200, "the admin keeps a way in");
    ann.get("/whoami").ok();
    scene.account("1", EMAIL);
    assert_eq!(scene.sign_in().get("/whoami").ok()["username"], "ann");
    set(true);
    let _ = scene.world.login("ann", PASSWORD);
    assert_eq!(refusal(&ann.post_json("/sso/requirement", json!({ "password_login": true })).send()).0, 403);
}

fn a_person_without_a_password_has_none_to_guess(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    for password in ["", "x", PASSWORD] {
        let body = json!({ "username": "ada", "password": password });
        let answer = scene.world.client().post_json("/login", body).send();
        assert!(matches!(answer.status, 400 | 401), "{password}: {}", answer.text());
    }
    scene.account("1", EMAIL);
    let ada = scene.sign_in();
    // The first passkey asks for a recent sign-in in place of the password.
    ada.post_json("/passkeys/new", json!({})).ok();
    scene.world.database().execute("UPDATE logins SET proved_at = proved_at - 3600000", []).unwrap();
    let refused = ada.post_json("/passkeys/new", json!({})).send();
    assert_eq!(refusal(&refused), (403, "fresh_login_required".to_owned()));
}

fn a_provider_that_does_not_answer_is_said(host: Driver) {
    let world = World::builder(host)
        .with_variable("api_url", ORIGIN)
        .with_variable("sso_issuer", "http://127.0.0.1:1")
        .with_variable("sso_client_id", "spindrift")
        .start();
    for _ in 0..2 {
        let answer = world.client().post_json("/sso/begin", json!({})).send();
        assert_eq!(refusal(&answer), (503, "identity_provider_unavailable".to_owned()));
    }
}

fn without_a_provider_it_is_off(host: Driver) {
    let world = World::new(host);
    let boss = world.admin("boss");
    assert_eq!(world.get("/sso").ok(), json!({ "enabled": false }));
    let text = "the service has no provider for single sign-on".to_owned();
    for (call, body) in [
        (world.client().post_json("/sso/begin", json!({})), "begin"),
        (boss.post_json("/sso/bind", json!({})), "bind"),
        (boss.post_json("/sso/requirement", json!({ "password_login": false })), "requirement"),
    ] {
        assert_eq!(call.send().refusal(), (409, text.clone()), "{body}");
    }
}

fn an_address_invites_one_person(host: Driver) {
    let world = World::new(host);
    let boss = world.admin("boss");
    boss.post_json("/user/create", json!({ "username": "ada", "email": EMAIL })).ok();
    let again =
        boss.post_json("/user/create", json!({ "username": "bob", "email": "ADA@example.com" })).send();
    assert_eq!(again.refusal(), (409, "a user with this e-mail address already exists".to_owned()));
    for wrong in ["ada", "a@b@c", "@", "a b@c"] {
        let refused = boss.post_json("/user/create", json!({ "username": "bob", "email": wrong })).send();
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text());
    }
    let neither = boss.post_json("/user/create", json!({ "username": "bob" })).send();
    assert_eq!(neither.refusal(), (400, "missing password".to_owned()));
}

fn a_store_that_fails_does_not_end_a_sign_in(host: Driver) {
    let Some(scene) = Scene::new(host) else { return };
    scene.invite("ada", EMAIL);
    scene.account("1", EMAIL);
    let question = scene.begin();
    let body = scene.signed_in(&question);
    scene.world.platform().fail_sql(true);
    assert_eq!(refusal(&scene.finish(&body)), (503, "database_unavailable".to_owned()));
    scene.world.platform().fail_sql(false);
    // The provider's code was used, and the sign-in was not.
    let again = scene.signed_in(&question);
    let _ = scene.finish(&again).expect(200);
}
