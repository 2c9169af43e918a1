//! Trusted publishing: jobs prove who they are, get a token, and are named wherever a person looks.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jwt_simple::algorithms::{HS256Key, MACLike as _};
use jwt_simple::claims::JWTClaims;
use serde_json::{Value, json};
use spindrift_tests::issuer::{Issuer, IssuerMood, github_claims, gitlab_claims, seconds};
use spindrift_tests::provider::Provider;
use spindrift_tests::{Account, Answer, Driver, PASSWORD, Release, World, on_hosts};

use crate::audit::newest;

on_hosts! {
    every: [
        a_job_on_github_publishes_and_is_named,
        a_job_on_gitlab_publishes,
        a_job_of_another_issuer_publishes,
        a_token_of_a_real_provider_is_exchanged,
        each_condition_must_hold,
        tokens_that_prove_nothing_are_refused,
        an_identity_token_is_good_once,
        a_name_that_changed_hands_gets_nothing,
        an_issuer_that_does_not_answer_costs_seconds,
        new_keys_are_asked_for,
        a_channel_limits_a_job,
        several_publishers_do_not_mix_their_rights,
        removing_a_publisher_ends_its_tokens,
        only_publishers_may_upload_where_it_is_demanded,
        nobody_grants_more_than_they_may,
        publishers_that_mean_nothing_are_refused,
        refusals_are_limited_like_failed_logins,
    ],
    in_process: [
        an_issuer_is_asked_again_after_a_moment,
        a_token_ends_and_goes,
    ],
}

/// The address of the service, as in the tests' settings.
const US: &str = "http://127.0.0.1:3000";

struct Scene {
    issuer: Issuer,
    world: World,
    acme: Account,
}

impl Scene {
    fn new(host: Driver) -> Self {
        Self::with(host, |_| Vec::new())
    }

    fn with(host: Driver, more: impl Fn(&Issuer) -> Vec<(&'static str, String)>) -> Self {
        let issuer = Issuer::start();
        let mut world = World::builder(host).with_variable("api_url", US);
        for name in ["github_issuer", "gitlab_issuer", "oidc_issuer"] {
            world = world.with_variable(name, issuer.url());
        }
        for (name, value) in more(&issuer) {
            world = world.with_variable(name, &value);
        }
        let world = world.start();
        let acme = world.admin("acme").with_notes();
        Self { issuer, world, acme }
    }

    fn register(&self, body: &Value) -> Value {
        self.acme.post_json("/publishers", body).send().expect(201).json()
    }

    /// Registers the workflow of [`github_claims`].
    fn register_github(&self, more: &Value) -> Value {
        let mut body = github();
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.register(&body)
    }

    fn github(&self, change: Value) -> String {
        self.issuer.sign(&self.issuer.claims(github_claims(US), change))
    }

    fn try_exchange(&self, token: &str) -> Answer {
        let body = json!({ "token": token, "owner": "acme", "app": "notes" });
        self.world.client().post_json("/tokens/exchange", body).send()
    }

    /// An account with the token of a job.
    fn job(&self, token: &str) -> Account {
        let answer = self.try_exchange(token).expect(200).json();
        self.acme.with_credential(answer["token"].as_str().unwrap())
    }

    fn refusal(&self, token: &str) -> (u16, String, String) {
        let answer = self.try_exchange(token);
        (answer.refusal().0, answer.code(), answer.error())
    }
}

fn github() -> Value {
    json!({ "app": "notes", "provider": "github", "repository": "Acme/Notes", "workflow": "release.yml" })
}

fn a_job_on_github_publishes_and_is_named(host: Driver) {
    let scene = Scene::new(host);
    let made = scene.register_github(&json!({ "environment": "production", "ref": "refs/tags/v*" }));
    assert_eq!((&made["name"], &made["may"]), (&json!("Acme/Notes release.yml"), &json!(["upload"])));
    let text = newest(&scene.acme)["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("acme registered the publisher Acme/Notes release.yml of notes: "), "{text}");
    let claims = scene.issuer.claims(github_claims(US), json!({}));

    let answer = scene.try_exchange(&scene.issuer.sign_with_rsa(&claims)).expect(200).json();

    assert_eq!(answer["job"], "acme/notes release.yml v2.0 run 812");
    assert_eq!((&answer["may"], &answer["channels"]), (&json!(["upload"]), &Value::Null));
    let job = scene.acme.with_credential(answer["token"].as_str().unwrap());
    let id = job.upload(&Release::new("2.0.0"));
    let entry = newest(&scene.acme);
    assert_eq!(entry["kind"], "release.create");
    assert_eq!(entry["actor"]["type"], "publisher");
    assert_eq!((&entry["actor"]["id"], &entry["actor"]["name"]), (&made["id"], &answer["job"]));
    let built = scene.acme.get(&format!("/releases/{id}")).ok()["built_by"].clone();
    assert_eq!(
        built,
        json!([{
            "provider": "github", "repository": "acme/notes", "ref": "refs/tags/v2.0", "workflow": "release.yml",
            "commit": "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b", "run": "812", "files": 1,
            "url": "https://github.com/acme/notes/actions/runs/1234567",
        }])
    );
    let listed = scene.acme.get("/publishers?app=notes").ok()["publishers"][0].clone();
    assert!(listed["pinned"] == true && listed["last_used_at"].is_string(), "{listed}");
    assert_eq!(
        scene.acme.get("/token/list").ok()["tokens"],
        json!([]),
        "tokens of jobs are not kept by people"
    );
    // It may upload, and nothing else.
    assert_eq!(
        job.post_json(&format!("/releases/{id}/offer"), json!({ "publish": true })).send().refusal().0,
        403
    );
    assert_eq!(job.get("/publishers?app=notes").send().code(), "not_for_ci_tokens");
}

fn a_job_on_gitlab_publishes(host: Driver) {
    let scene = Scene::new(host);
    scene.register(&json!({
        "app": "notes", "provider": "gitlab", "project": "acme/apps/notes", "ref": "v*", "may": ["upload", "publish"],
    }));
    let job = scene.job(&scene.issuer.sign(&scene.issuer.claims(gitlab_claims(US), json!({}))));
    let id = job.publish(Release::new("2.0.0"));
    let built = scene.acme.get(&format!("/releases/{id}")).ok()["built_by"][0].clone();
    assert_eq!(built["url"], format!("{}/acme/apps/notes/-/pipelines/574", scene.issuer.url()));
    assert_eq!(newest(&scene.acme)["actor"]["name"], "acme/apps/notes v2.0 run 574");
}

fn a_job_of_another_issuer_publishes(host: Driver) {
    let scene = Scene::new(host);
    let issuer = scene.issuer.url();
    scene.register(&json!({ "app": "notes", "provider": "oidc", "issuer": issuer, "subject": "org:acme" }));
    let claims = |subject: &str| scene.issuer.claims(json!({ "aud": US, "sub": subject }), json!({}));
    let (status, code, text) = scene.refusal(&scene.issuer.sign(&claims("org:Acme")));
    assert_eq!((status, code.as_str()), (403, "publisher_mismatch"));
    assert_eq!(text, r#"sub must be "org:acme", and the token says "org:Acme""#);
    scene.job(&scene.issuer.sign(&claims("org:acme"))).upload(&Release::new("2.0.0"));
}

/// With keys, discovery document and tokens that are not ours.
fn a_token_of_a_real_provider_is_exchanged(host: Driver) {
    let Some(provider) = Provider::start_as("http://127.0.0.1:1/back", US) else { return };
    let world =
        World::builder(host).with_variable("api_url", US).with_variable("oidc_issuer", provider.url());
    let world = world.start();
    let acme = world.admin("acme").with_notes();
    let publisher =
        json!({ "app": "notes", "provider": "oidc", "issuer": provider.url(), "subject": "robot" });
    let _ = acme.post_json("/publishers", publisher).send().expect(201);
    provider.set_account(json!({ "sub": "robot" }));
    let body = json!({ "token": provider.id_token(), "owner": "acme", "app": "notes" });

    let answer = world.client().post_json("/tokens/exchange", &body).send().expect(200).json();

    acme.with_credential(answer["token"].as_str().unwrap()).upload(&Release::new("2.0.0"));
    assert_eq!(world.client().post_json("/tokens/exchange", &body).send().status, 401, "it is good once");
    provider.set_account(json!({ "sub": "other" }));
    let body = json!({ "token": provider.id_token(), "owner": "acme", "app": "notes" });
    assert_eq!(world.client().post_json("/tokens/exchange", &body).send().code(), "publisher_mismatch");
}

fn each_condition_must_hold(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({
        "environment": "production", "ref": "refs/tags/v*",
        "reusable": "acme/notes/.github/workflows/release.yml",
    }));
    for (change, condition) in [
        (json!({ "repository": "evil/notes" }), "repository must"),
        (
            json!({ "workflow_ref": "acme/notes/.github/workflows/ci.yml@refs/tags/v2.0" }),
            "workflow_ref must",
        ),
        (json!({ "event_name": "pull_request" }), "event_name must"),
        (json!({ "event_name": "pull_request_target" }), "event_name must"),
        (json!({ "job_workflow_ref": "evil/x/.github/workflows/release.yml@v1" }), "job_workflow_ref must"),
        (json!({ "environment": "staging" }), "environment must"),
        (json!({ "environment": null }), "environment must"),
        (json!({ "ref": "refs/heads/main" }), "ref must"),
        (json!({ "repository_id": null }), "the token has no repository_id"),
    ] {
        let (status, code, text) = scene.refusal(&scene.github(change));
        assert_eq!((status, code.as_str()), (403, "publisher_mismatch"), "{text}");
        assert!(text.starts_with(condition), "{text}");
    }
    scene.register(&json!({ "app": "notes", "provider": "gitlab", "project": "acme/apps/notes" }));
    let gitlab = |change| scene.issuer.sign(&scene.issuer.claims(gitlab_claims(US), change));
    let refused = scene.refusal(&gitlab(json!({ "ref_protected": "false" })));
    assert_eq!((refused.0, refused.1.as_str()), (403, "publisher_mismatch"));
    // Nothing was pinned, minted or used up.
    assert_eq!(scene.acme.get("/publishers?app=notes").ok()["publishers"][0]["pinned"], false);
    scene.job(&scene.github(json!({})));
}

fn tokens_that_prove_nothing_are_refused(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({}));
    let claims = |change| scene.issuer.claims(github_claims(US), change);
    let forger = Issuer::start();
    let public = HS256Key::from_bytes(scene.issuer.public_rsa_key().as_bytes()).with_key_id("rsa");
    let good: JWTClaims<Value> = serde_json::from_value(claims(json!({}))).unwrap();
    let none = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none","kid":"rsa"}"#);
    let body = BASE64_URL_SAFE_NO_PAD.encode(claims(json!({})).to_string());
    for (token, text) in [
        (scene.github(json!({ "exp": seconds() - 120 })), "the token has expired"),
        (scene.github(json!({ "nbf": seconds() + 120 })), "the token is not valid yet"),
        (scene.github(json!({ "exp": seconds() + 7200 })), "the token must say when it was issued"),
        (scene.github(json!({ "aud": "https://other.example" })), "the token's audience must be"),
        (scene.github(json!({ "aud": [US, "https://other.example"] })), "the token's audience must be"),
        (forger.sign(&claims(json!({}))), "the issuer has not signed this token"),
        (public.authenticate(good).unwrap(), "the token is not signed with RS256 or ES256"),
        (format!("{none}.{body}."), "the token is not signed with RS256 or ES256"),
        ("a.b.c".to_owned(), "the token is not a JSON Web Token"),
        ("a".repeat(16 * 1024 + 1), "the token is longer than 16384 bytes"),
    ] {
        let (status, code, found) = scene.refusal(&token);
        assert_eq!((status, code.as_str()), (401, "invalid_identity"), "{found}");
        assert!(found.starts_with(text), "{found}");
    }
    // An issuer that no publisher names is never asked.
    let (status, code, text) = scene.refusal(&forger.sign(&forger.claims(github_claims(US), json!({}))));
    assert_eq!((status, code.as_str()), (403, "publisher_mismatch"));
    assert_eq!((text.as_str(), forger.asked()), ("the application has no publisher of this issuer", 0));
    // The answer does not reveal which owners and applications exist.
    for (owner, app) in [("nobody", "notes"), ("acme", "nothing")] {
        let body = json!({ "token": scene.github(json!({})), "owner": owner, "app": app });
        let answer = scene.world.client().post_json("/tokens/exchange", body).send();
        assert_eq!((answer.refusal().0, answer.error()), (403, text.clone()));
    }
}

fn an_identity_token_is_good_once(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({}));
    let token = scene.github(json!({}));
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20).map(|_| scope.spawn(|| scene.try_exchange(&token).status)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let exchanged = answers.iter().filter(|status| **status == 200).count();
    assert_eq!(exchanged, 1, "{answers:?}");
    let (status, code, text) = scene.refusal(&token);
    assert_eq!((status, code.as_str()), (401, "invalid_identity"));
    assert!(text.starts_with("this token was exchanged before"), "{text}");
}

fn a_name_that_changed_hands_gets_nothing(host: Driver) {
    let scene = Scene::new(host);
    let made = scene.register_github(&json!({}));
    scene.job(&scene.github(json!({})));
    for change in [json!({ "repository_id": "99" }), json!({ "repository_owner_id": "99" })] {
        let (status, code, text) = scene.refusal(&scene.github(change));
        assert_eq!((status, code.as_str()), (403, "publisher_changed"));
        assert!(text.contains("is 99, and was"), "{text}");
    }
    let entry = newest(&scene.acme);
    assert_eq!((&entry["kind"], &entry["actor"]["id"]), (&json!("publisher.changed"), &made["id"]));
    assert_eq!(
        entry["text"],
        "the job acme/notes release.yml v2.0 run 812 was refused a token for notes because the name Acme/Notes release.yml changed \
         hands"
    );
    scene.job(&scene.github(json!({})));
}

fn an_issuer_that_does_not_answer_costs_seconds(host: Driver) {
    let [gitlab, oidc] = [Issuer::start(), Issuer::start()];
    let urls = [("gitlab_issuer", gitlab.url().to_owned()), ("oidc_issuer", oidc.url().to_owned())];
    let scene = Scene::with(host, |_| urls.to_vec());
    scene.register_github(&json!({}));
    scene.register(&json!({ "app": "notes", "provider": "gitlab", "project": "acme/apps/notes" }));
    scene.register(&json!({ "app": "notes", "provider": "oidc", "issuer": oidc.url(), "subject": "s" }));
    for (issuer, mood) in
        [(&scene.issuer, IssuerMood::Redirecting), (&gitlab, IssuerMood::Endless), (&oidc, IssuerMood::Slow)]
    {
        issuer.set_mood(mood);
        let token = issuer.sign(&issuer.claims(github_claims(US), json!({})));
        let begun = Instant::now();
        let (status, code, text) = scene.refusal(&token);
        assert_eq!((status, code.as_str()), (503, "identity_provider_unavailable"), "{mood:?}: {text}");
        assert!(begun.elapsed() < Duration::from_secs(6), "{mood:?}: {:?}", begun.elapsed());
        // For a moment, the service does not ask again.
        assert!(scene.refusal(&token).2.contains("a moment ago"), "{mood:?}");
    }
}

fn an_issuer_is_asked_again_after_a_moment(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({}));
    for mood in [IssuerMood::Failing, IssuerMood::Impostor] {
        scene.issuer.set_mood(mood);
        assert_eq!(scene.refusal(&scene.github(json!({}))).0, 503, "{mood:?}");
        scene.world.advance(6);
    }
    scene.issuer.set_mood(IssuerMood::Well);
    scene.job(&scene.github(json!({})));
    // Another key is asked for, at most once a minute.
    let known = scene.github(json!({}));
    scene.issuer.rotate("ec-2");
    assert_eq!(scene.refusal(&scene.github(json!({}))).0, 401);
    scene.world.advance(61);
    // An issuer that fails then does not take the known keys away.
    scene.issuer.set_mood(IssuerMood::Failing);
    assert_eq!(scene.refusal(&scene.github(json!({}))).0, 503);
    scene.job(&known);
    scene.issuer.set_mood(IssuerMood::Well);
    scene.world.advance(6);
    scene.job(&scene.github(json!({})));
    assert_eq!(scene.issuer.asked(), 2);
    // After ten minutes, the issuer is asked in any case. It may have withdrawn a key.
    scene.world.advance(601);
    scene.issuer.set_mood(IssuerMood::Failing);
    let token = scene.github(json!({ "iat": seconds() + 600, "nbf": null, "exp": seconds() + 1200 }));
    assert_eq!(scene.refusal(&token).0, 503);
}

fn new_keys_are_asked_for(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({}));
    scene.job(&scene.github(json!({})));
    scene.job(&scene.github(json!({})));
    assert_eq!(scene.issuer.asked(), 1, "keys are kept");
    scene.issuer.rotate("ec-2");
    let (status, code, text) = scene.refusal(&scene.github(json!({})));
    assert_eq!((status, code.as_str()), (401, "invalid_identity"));
    assert_eq!(text, r#"the issuer has no key "ec-2""#);
    assert_eq!(scene.issuer.asked(), 1, "an unknown key is asked for once a minute");
}

fn a_channel_limits_a_job(host: Driver) {
    let scene = Scene::new(host);
    scene.acme.create_channel("beta");
    scene.register_github(&json!({ "channels": ["beta"] }));
    let answer = scene.try_exchange(&scene.github(json!({}))).expect(200).json();
    assert_eq!(answer["channels"], json!(["beta"]));
    let job = scene.acme.with_credential(answer["token"].as_str().unwrap());
    assert_eq!(job.upload_in_one(&Release::new("2.0.0")).refusal().0, 403);
    job.upload(&Release::new("2.0.0").with("channel", "beta"));
}

fn several_publishers_do_not_mix_their_rights(host: Driver) {
    let scene = Scene::new(host);
    scene.acme.create_channel("beta");
    scene.register_github(&json!({ "channels": ["beta"], "may": ["upload", "publish"] }));
    scene.register_github(&json!({ "channels": ["stable"] }));
    let answer = scene.try_exchange(&scene.github(json!({}))).expect(200).json();
    assert_eq!(
        (&answer["may"], &answer["channels"]),
        (&json!(["upload", "publish"]), &json!(["beta", "stable"]))
    );
    let job = scene.acme.with_credential(answer["token"].as_str().unwrap());
    let (beta, stable) =
        (job.upload(&Release::new("2.1.0").with("channel", "beta")), job.upload(&Release::new("2.0.0")));
    let publish =
        |id: &str| job.post_json(&format!("/releases/{id}/offer"), json!({ "publish": true })).send();
    let _ = publish(&beta).expect(200);
    assert_eq!(publish(&stable).refusal().0, 403, "the right to publish is for beta");
}

fn removing_a_publisher_ends_its_tokens(host: Driver) {
    let scene = Scene::new(host);
    let made = scene.register_github(&json!({}));
    let job = scene.job(&scene.github(json!({})));
    let _ = job.get("/releases?app=notes&version=1").send();
    let removed = format!("/publishers?id={}", made["id"].as_str().unwrap());
    let _ = scene.acme.delete(&removed).send().expect(200);
    assert_eq!(job.upload_in_one(&Release::new("2.0.0")).refusal().0, 401);
    assert_eq!(scene.acme.delete(&removed).send().refusal().0, 404);
    assert_eq!(newest(&scene.acme)["kind"], "publisher.delete");
    assert_eq!(scene.refusal(&scene.github(json!({}))).1, "publisher_mismatch");
}

fn only_publishers_may_upload_where_it_is_demanded(host: Driver) {
    let scene = Scene::new(host);
    scene.register_github(&json!({}));
    let by_hand = scene.acme.upload(&Release::new("1.0.0"));
    let app = json!({ "id": scene.acme.app_id("notes"), "require_publisher": true });
    let _ = scene.acme.post_form("/app/update", &[("data", &app.to_string())]).send().expect(200);
    let token = scene.acme.ci_token(&[&scene.acme.app_id("notes")]);
    for account in [&scene.acme, &token] {
        let refused = account.upload_in_one(&Release::new("2.0.0"));
        assert_eq!(refused.refusal().0, 403);
        assert!(refused.error().contains("only publishers may upload"), "{}", refused.error());
        assert_eq!(account.init(&Release::new("2.0.0")).refusal().0, 403);
    }
    let job = scene.job(&scene.github(json!({})));
    job.upload(&Release::new("2.0.0"));
    // People keep everything else.
    let _ = scene
        .acme
        .post_json(&format!("/releases/{by_hand}/offer"), json!({ "publish": true }))
        .send()
        .expect(200);
    let _ = scene.acme.edit(&by_hand, json!({ "changelog": "by hand" })).expect(200);
    // Files that a job adds to a release of a person make its origin partly unknown.
    job.upload(&Release::empty("1.0.0").file("notes-1.0.0.rpm", "rpm"));
    let shown = scene.acme.get(&format!("/releases/{by_hand}")).ok();
    assert_eq!((&shown["files_without_build"], &shown["built_by"][0]["files"]), (&json!(1), &json!(1)));
}

fn nobody_grants_more_than_they_may(host: Driver) {
    let scene = Scene::new(host);
    let app = scene.acme.app_id("notes");
    let permissions = json!({ "apps": { "edit": true, "allowed": [app] } });
    let body = json!({ "username": "ann", "password": PASSWORD, "permissions": permissions });
    let _ = scene.acme.post_json("/user/create", body).ok();
    let editor = scene.world.login("ann", PASSWORD);
    let refused = editor.post_json("/publishers", github()).send();
    assert_eq!(refused.refusal().0, 403, "without the right to upload");
    let _ = scene.register_github(&json!({}));
    assert_eq!(editor.get("/publishers?app=notes").ok()["publishers"].as_array().unwrap().len(), 1);
    assert_eq!(editor.get("/publishers").ok()["publishers"].as_array().unwrap().len(), 1);
    let other = scene.world.admin("other");
    assert_eq!(other.get("/publishers?app=notes").send().refusal().0, 404);
    assert_eq!(other.get("/publishers").ok()["publishers"], json!([]));
}

fn publishers_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(host);
    let mut unknown_app = github();
    unknown_app["app"] = json!("nothing");
    let mut unknown_channel = github();
    unknown_channel["channels"] = json!(["nightly"]);
    let mut no_workflow = github();
    no_workflow["workflow"] = json!("");
    for (body, status) in [(unknown_app, 404), (unknown_channel, 404), (no_workflow, 400), (json!({}), 400)] {
        assert_eq!(scene.acme.post_json("/publishers", body).send().refusal().0, status);
    }
    scene.register_github(&json!({}));
    let again = scene.acme.post_json("/publishers", github()).send();
    assert_eq!((again.refusal().0, again.code()), (409, "already_exists".to_owned()));
    assert_eq!(
        scene.acme.ci_token(&[&scene.acme.app_id("notes")]).post_json("/publishers", github()).send().code(),
        "not_for_ci_tokens"
    );
}

fn refusals_are_limited_like_failed_logins(host: Driver) {
    let scene = Scene::with(host, |_| vec![("login_failures_per_address", "3".to_owned())]);
    scene.register_github(&json!({}));
    for _ in 0..3 {
        assert_eq!(scene.refusal("a.b.c").0, 401);
    }
    let (status, code, _) = scene.refusal(&scene.github(json!({})));
    assert_eq!((status, code.as_str()), (429, "rate_limited"));
}

fn a_token_ends_and_goes(host: Driver) {
    let scene = Scene::with(host, |_| vec![("exchanged_token_ttl", "5m".to_owned())]);
    scene.register_github(&json!({}));
    let job = scene.job(&scene.github(json!({})));
    let count = "SELECT count(*) FROM tokens";
    scene.world.advance(299);
    let upload = job.begin(&Release::new("2.0.0"));
    scene.world.advance(2);
    assert_eq!(job.complete(&upload).code(), "token_expired");
    assert_eq!(scene.world.number(count), Ok(1));
    // Two days later, without moving the clock so far, because the storage has its own.
    let days = 2 * 24 * 60 * 60 * 1000;
    let later = format!(
        "UPDATE tokens SET expires_at = expires_at - {days}; UPDATE used_proofs SET expires_at = expires_at - {days};"
    );
    scene.world.database().execute_batch(&later).unwrap();
    let _ = scene.acme.post("/maintenance/run").send().expect(200);
    assert_eq!(scene.world.number(count), Ok(0));
    assert_eq!(scene.world.number("SELECT count(*) FROM used_proofs"), Ok(0));
}
