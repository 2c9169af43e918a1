//! Webhooks: entries of the audit log arrive in order, signed, and after failures too.

use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use spindrift_tests::{Account, Driver, Message, Receiver, Release, World, on_hosts, until, workspace};

use crate::audit::{kinds_after, last, newest};
use crate::reports::{self, team_user};

on_hosts! {
    every: [
        entries_arrive_in_order_and_signed,
        what_comes_while_a_receiver_is_slow_is_sent_too,
        the_documented_receiver_verifies_messages,
        messages_are_as_documented,
        texts_for_chats_are_nothing_but_text,
        maintenance_sends_what_other_components_changed,
        a_guard_run_of_the_operator_is_told_at_once,
        only_the_named_entries_are_sent,
        a_receiver_that_wants_no_more_gets_no_more,
        webhooks_are_listed_and_deleted,
        webhooks_that_mean_nothing_are_refused,
        a_service_without_an_origin_has_no_webhooks,
        webhooks_reach_four_origins,
        a_webhook_gets_another_name,
    ],
    in_process: [
        a_receiver_that_failed_for_hours_gets_everything,
        after_three_days_of_failures_a_webhook_is_off,
        failures_are_forgotten_while_webhooks_are_off,
        an_entry_that_cannot_be_read_is_told,
        a_webhook_that_cannot_be_read_does_not_keep_the_others_waiting,
        the_webhook_whose_turn_was_longest_ago_comes_first,
    ],
}

pub(crate) const SOON: Duration = Duration::from_secs(20);
const MINUTE: u64 = 60;

struct Scene {
    world: World,
    acme: Account,
    receiver: Receiver,
    release: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let receiver = Receiver::start();
        let world = World::builder(host).with_variable("webhook_origin", receiver.url()).start();
        let acme = world.admin("acme").with_notes();
        let release = acme.publish(Release::new("1.0.0"));
        Self { world, acme, receiver, release }
    }

    fn create(&self, kinds: &[&str]) -> Value {
        let body = json!({ "url": format!("{}/hook?a=b", self.receiver.url()), "kinds": kinds });
        self.acme.post_json("/webhooks", body).send().expect(201).json()
    }

    fn roll(&self, action: &str) {
        let path = format!("/releases/{}/rollout", self.release);
        let _ = self.acme.post_json(&path, json!({ "action": action, "percent": 50 })).send().expect(200);
    }

    fn maintain(&self) {
        let _ = self.acme.post("/maintenance/run").send().expect(200);
    }

    /// After the clock has moved. The storage has its own clock and refuses signatures of another time, but messages do not wait for
    /// that.
    fn maintain_later(&self) {
        let acme = self.world.login("acme", spindrift_tests::PASSWORD);
        let answer = acme.post("/maintenance/run").send();
        assert!(answer.status == 200 || answer.code() == "storage_failed", "{answer:?}");
    }

    /// The bodies of the messages that were taken, once there are so many.
    fn taken(&self, count: usize) -> Vec<Value> {
        until("the messages", SOON, || {
            let taken = self.receiver.messages().into_iter().filter(|message| message.status == 200);
            let bodies: Vec<Value> = taken.map(|message| body(&message)).collect();
            (bodies.len() >= count).then_some(bodies)
        })
    }

    fn listed(&self) -> Value {
        self.acme.get("/webhooks").ok()["webhooks"][0].clone()
    }
}

fn body(message: &Message) -> Value {
    serde_json::from_slice(&message.body).unwrap()
}

fn kinds(bodies: &[Value]) -> Vec<&str> {
    bodies.iter().map(|body| body["type"].as_str().unwrap()).collect()
}

/// As a receiver would.
fn verify(message: &Message, secret: &str) {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let (id, seconds) = (&message.headers["webhook-id"], &message.headers["webhook-timestamp"]);
    mac.update(format!("{id}.{seconds}.").as_bytes());
    mac.update(&message.body);
    let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
    assert_eq!(message.headers["webhook-signature"], expected);
}

fn entries_arrive_in_order_and_signed(host: Driver) {
    let scene = Scene::new(host);
    let webhook = scene.create(&["*"]);
    let before = last(&scene.acme);
    for action in ["set", "halt", "resume"] {
        scene.roll(action);
    }

    let bodies = scene.taken(3);

    assert_eq!(kinds(&bodies), ["rollout.set", "rollout.halt", "rollout.resume"]);
    let items = scene.acme.get(&format!("/audit?order=asc&after={before}")).ok()["items"].clone();
    let id = webhook["id"].as_str().unwrap();
    for (n, message) in scene.receiver.messages().iter().enumerate() {
        verify(message, webhook["secret"].as_str().unwrap());
        let (body, item) = (body(message), &items[n]);
        assert_eq!(
            (message.path.as_str(), &message.headers["content-type"]),
            ("/hook?a=b", &"application/json".to_owned())
        );
        assert_eq!(message.headers["webhook-id"], format!("{id}.{}", item["seq"]));
        let page = release_page(&scene);
        assert_eq!(body["text"], format!("{}\n{page}", item["text"].as_str().unwrap()));
        assert_eq!(body["links"], json!({ "release": page }), "a webhook without halt links has none");
        assert_eq!(
            (&body["timestamp"], &body["audit"]),
            (&item["at"], &json!({ "seq": item["seq"], "hash": item["hash"] }))
        );
        assert_eq!((&body["data"]["actor"], &body["data"]["after"]), (&item["actor"], &item["after"]));
    }
    assert_eq!(scene.listed()["delivered_seq"], before + 3);
}

/// The page of the scene's release in the console.
fn release_page(scene: &Scene) -> String {
    format!("{}/console/apps/notes/releases/{}", scene.world.url(), scene.release)
}

/// The program of `docs/webhooks.md`, with a message that arrived.
fn the_documented_receiver_verifies_messages(host: Driver) {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3");
        return;
    }
    let page = std::fs::read_to_string(workspace().join("docs/webhooks.md")).unwrap();
    let program = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let scene = Scene::new(host);
    let webhook = scene.create(&["*"]);
    scene.roll("halt");
    let _ = scene.taken(1);
    let message = scene.receiver.messages().remove(0);
    let [headers, body] = [json!(message.headers), json!(String::from_utf8(message.body).unwrap())];
    for (secret, verdict) in [(&webhook["secret"], "True"), (&json!("whsec_c3BpbmRyaWZ0"), "False")] {
        let call = format!("print(verified({headers}, {body}.encode(), {secret}))");
        let output = Command::new("python3").args(["-c", &format!("{program}\n{call}")]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), verdict, "{output:?}");
    }
}

/// The example of `docs/webhooks.md`, with the same words and the same fields.
fn messages_are_as_documented(host: Driver) {
    let page = std::fs::read_to_string(workspace().join("docs/webhooks.md")).unwrap();
    let example = page.split("## A message\n").nth(1).unwrap().split("```json\n").nth(1).unwrap();
    let example: Value = serde_json::from_str(example.split("```").next().unwrap()).unwrap();
    let receiver = Receiver::start();
    let world = World::builder(host).with_variable("webhook_origin", receiver.url()).start();
    let ada = world.admin("ada").with_notes();
    let release = ada.publish(Release::new("2.0"));
    let webhook = json!({ "url": receiver.url(), "kinds": ["rollout.halt"] });
    let _ = ada.post_json("/webhooks", webhook).send().expect(201);
    let halt = json!({ "action": "halt", "reason": "crashes at start" });
    let _ = ada.post_json(&format!("/releases/{release}/rollout"), halt).send().expect(200);

    let message = until("the message", SOON, || receiver.messages().into_iter().next());

    // Links contain values of a world, in the middle of texts.
    let sent = String::from_utf8(message.body).unwrap().replace(&world.url(), "https://updates.example.com");
    let sent = sent.replace(&release, example["data"]["release"]["id"].as_str().unwrap());
    let sent: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!(without_values_of_a_world(&sent), without_values_of_a_world(&example));
}

/// Ids, times and places in the log differ between worlds.
fn without_values_of_a_world(value: &Value) -> Value {
    const DIFFERENT: [&str; 7] = ["id", "app_id", "request_id", "at", "timestamp", "seq", "hash"];
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let is_different = DIFFERENT.contains(&name.as_str());
                let value =
                    if is_different { json!(value.is_string()) } else { without_values_of_a_world(value) };
                (name.clone(), value)
            })
            .collect(),
        other => other.clone(),
    }
}

fn texts_for_chats_are_nothing_but_text(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["rollout.halt"]);
    let app = scene.acme.app_id("notes");
    let token = json!({ "name": "<!channel> & co", "allowed_apps": [app], "may": ["stop"] });
    let token = scene.acme.post_json("/token/create", token).send().expect(201).json();
    let ci = scene.acme.with_credential(token["token"].as_str().unwrap());
    let reason = "[notes](https://evil.example) <https://evil.example|more> @everyone";
    let halt = json!({ "action": "halt", "reason": reason });
    let _ = ci.post_json(&format!("/releases/{}/rollout", scene.release), halt).send().expect(200);

    let body = scene.taken(1).remove(0);

    let text = body["text"].as_str().unwrap();
    assert!(
        text.starts_with("the token &lt;!channel&gt; &amp; co halted the rollout of notes 1.0.0"),
        "{text}"
    );
    let told = "([notes]\u{200b}(https://evil.example) &lt;https://evil.example|more&gt; @\u{200b}everyone)";
    assert!(text.ends_with(&format!("{told}\n{}", release_page(&scene))), "{text}");
    assert_eq!(
        (&body["unfurl_links"], &body["unfurl_media"], &body["mrkdwn"]),
        (&json!(false), &json!(false), &json!(false))
    );
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    assert_eq!(body["data"]["reason"], reason, "programs get what was written");
}

fn what_comes_while_a_receiver_is_slow_is_sent_too(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["rollout.*"]);
    let held = scene.receiver.hold();
    scene.roll("set");
    until("the first message", SOON, || scene.receiver.messages().into_iter().next());
    scene.roll("halt");
    // The work after that call has ended by now: it has left the entry to the one that waits.
    for _ in 0..5 {
        let _ = scene.listed();
    }
    drop(held);

    assert_eq!(kinds(&scene.taken(2)), ["rollout.set", "rollout.halt"]);
}

fn maintenance_sends_what_other_components_changed(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["release.*", "app.*"]);
    scene.acme.create_app("papers");
    scene.acme.publish(Release::new("1.1.0"));

    scene.maintain();

    assert_eq!(kinds(&scene.taken(2)), ["app.create", "release.create"]);
}

/// The timer calls maintenance before the guard. A halt at night is told at once nevertheless.
fn a_guard_run_of_the_operator_is_told_at_once(host: Driver) {
    const TOKEN: &str = "a-token-that-runs-the-guard";
    let receiver = Receiver::start();
    let world = World::builder(host)
        .with_variable("webhook_origin", receiver.url())
        .with_variable("maintenance_token", TOKEN)
        .start();
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    let guard = json!({ "on_unhealthy": "halt", "max_failing": 1 });
    acme.publish(Release::new("1.0.0").with("guard", guard));
    let webhook = json!({ "url": receiver.url(), "kinds": ["rollout.halt"] });
    let _ = acme.post_json("/webhooks", webhook).send().expect(201);
    let mut failure = reports::failure();
    failure["application"]["version"] = json!("1.0.0");
    for device in ["one", "other"] {
        let _ = reports::send(world.client(), &key, device, &failure).expect(202);
    }

    let _ = world.client().with_token(TOKEN).post("/guard/run").send().expect(200);

    let message = until("the message", SOON, || receiver.messages().into_iter().next());
    assert_eq!(body(&message)["data"]["actor"]["type"], "maintenance");
}

fn only_the_named_entries_are_sent(host: Driver) {
    let scene = Scene::new(host);
    scene.acme.create_app("papers");
    let url = format!("{}/", scene.receiver.url());
    let body = json!({ "url": url, "kinds": ["app.update", "rollout.halt"], "app": "notes" });
    let _ = scene.acme.post_json("/webhooks", body).send().expect(201);
    let _ = scene.acme.post_json("/app/update", json!({ "id": scene.acme.app_id("papers") })).send();
    scene.roll("set");
    scene.roll("halt");

    let bodies = scene.taken(1);

    assert_eq!(kinds(&bodies), ["rollout.halt"]);
    until("the cursor", SOON, || (scene.listed()["delivered_seq"] == last(&scene.acme)).then_some(()));
}

fn a_receiver_that_wants_no_more_gets_no_more(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["*"]);
    scene.receiver.answer(410);
    scene.roll("halt");
    let listed = until("the webhook to be off", SOON, || {
        let listed = scene.listed();
        listed["off_at"].is_string().then_some(listed)
    });
    assert_eq!(listed["last_failure"], "the receiver answered 410");
    let name = listed["name"].as_str().unwrap();
    let warnings = scene.acme.get("/telemetry/overview").ok()["warnings"].clone();
    let text = format!("The webhook {name} is off, because deliveries failed: the receiver answered 410.");
    assert!(warnings.to_string().contains(&text), "{warnings}");
    scene.receiver.answer(200);
    scene.roll("resume");
    scene.maintain();
    assert_eq!(scene.receiver.messages().len(), 1);
}

/// The name of a webhook without one.
fn host_of(url: &str) -> &str {
    url.trim_start_matches("http://")
}

fn webhooks_are_listed_and_deleted(host: Driver) {
    let scene = Scene::new(host);
    let created = scene.create(&["health.*"]);
    let entry = newest(&scene.acme);
    assert_eq!(
        (&entry["kind"], &entry["after"]),
        (
            &json!("webhook.create"),
            &json!({ "name": host_of(scene.receiver.url()), "kinds": ["health.*"], "halt_links": false }),
        )
    );
    assert!(!entry.to_string().contains("/hook"), "an address may hold a secret: {entry}");
    let mut listed = created.clone();
    listed.as_object_mut().unwrap().remove("secret");
    assert_eq!(scene.listed(), listed);

    let id = created["id"].as_str().unwrap();
    let _ = scene.acme.post(&format!("/webhooks/{id}/test")).send().expect(200);
    let message = scene.receiver.messages().remove(0);
    verify(&message, created["secret"].as_str().unwrap());
    assert_eq!(body(&message)["type"], "webhook.test");
    scene.receiver.answer(500);
    let refused = scene.acme.post(&format!("/webhooks/{id}/test")).send().expect(502);
    assert_eq!(
        (refused.code(), refused.error()),
        ("not_delivered".into(), "not delivered: the receiver answered 500".into())
    );
    assert_eq!(scene.listed(), listed, "a test changes nothing");

    let other = scene.world.admin("other");
    let _ = other.delete(&format!("/webhooks?id={id}")).send().expect(404);
    let _ = other.post(&format!("/webhooks/{id}/test")).send().expect(404);
    let before = last(&scene.acme);
    let _ = scene.acme.delete(&format!("/webhooks?id={id}")).send().expect(200);
    assert_eq!(kinds_after(&scene.acme, before), ["webhook.delete"]);
    assert_eq!(scene.acme.get("/webhooks").ok()["webhooks"], json!([]));
}

fn webhooks_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(host);
    let origin = scene.receiver.url();
    let refused = |body: Value| scene.acme.post_json("/webhooks", body).send().refusal();
    let elsewhere = (400, format!("invalid url: it must be an address below {origin}"));
    for url in
        ["https://example.com/", "ftp://a", &format!("{origin}@example.com/"), &format!("{origin}/a b")]
    {
        assert_eq!(refused(json!({ "url": url, "kinds": ["*"] })), elsewhere, "{url}");
    }
    let url = format!("{origin}/");
    for (body, status, error) in [
        (json!({ "kinds": ["*"] }), 400, "missing url"),
        (json!({ "url": "", "kinds": ["*"] }), 400, "missing url"),
        (json!({ "url": url }), 400, "missing kinds"),
        (json!({ "url": url, "kinds": [] }), 400, "invalid kinds"),
        (json!({ "url": url, "kinds": ["nothing.*"] }), 400, "invalid kinds"),
        (json!({ "url": url, "kinds": ["*"], "app": "papers" }), 404, "application not found"),
        (
            json!({ "url": url, "kinds": ["*"], "name": "a\nb" }),
            400,
            "invalid name: 1 to 64 printable characters on one line",
        ),
    ] {
        assert_eq!(refused(body), (status, error.to_owned()));
    }
    let member = team_user(
        &scene.world,
        &scene.acme,
        "ann",
        json!({ "Edit": true, "Allowed": [scene.acme.app_id("notes")] }),
    );
    let _ = member.get("/webhooks").send().expect(403);
    for _ in 0..10 {
        let _ = scene.create(&["*"]);
    }
    assert_eq!(
        refused(json!({ "url": url, "kinds": ["*"] })),
        (409, "there are at most 10 webhooks".to_owned())
    );
}

fn a_service_without_an_origin_has_no_webhooks(host: Driver) {
    let world = World::builder(host).with_variable("webhook_origin", "https://webhooks.invalid").start();
    let acme = world.admin("acme");
    let answer = acme.post_json("/webhooks", json!({ "url": "https://example.com", "kinds": ["*"] })).send();
    assert_eq!((answer.status, answer.code().as_str()), (403, "webhooks_off"));
    let _ = acme.get("/webhooks").send().expect(403);
    let _ = acme.post("/maintenance/run").send().expect(200);
}

fn webhooks_reach_four_origins(host: Driver) {
    let receivers = [(); 4].map(|()| Receiver::start());
    let settings = ["webhook_origin", "webhook_origin2", "webhook_origin3", "webhook_origin4"];
    let builder =
        settings.iter().zip(&receivers).fold(World::builder(host), |builder, (setting, receiver)| {
            builder.with_variable(setting, receiver.url())
        });
    let world = builder.start();
    let acme = world.admin("acme").with_notes();
    let release = acme.publish(Release::new("1.0.0"));
    for receiver in &receivers {
        let body = json!({ "url": receiver.url(), "kinds": ["rollout.halt"] });
        let _ = acme.post_json("/webhooks", body).send().expect(201);
    }
    let origins = acme.get("/webhooks").ok()["origins"].clone();
    assert_eq!(origins, json!(receivers.iter().map(Receiver::url).collect::<Vec<_>>()));

    let _ = acme
        .post_json(&format!("/releases/{release}/rollout"), json!({ "action": "halt" }))
        .send()
        .expect(200);

    for receiver in &receivers {
        until("the message", SOON, || receiver.messages().into_iter().next());
    }
}

fn a_webhook_gets_another_name(host: Driver) {
    let scene = Scene::new(host);
    let webhook = scene.create(&["*"]);
    assert_eq!(webhook["name"], host_of(scene.receiver.url()));
    let path = format!("/webhooks/{}", webhook["id"].as_str().unwrap());
    let change = |body: Value| scene.acme.post_json(&path, body).send();
    let changed = change(json!({ "name": " on call " })).expect(200).json();
    assert_eq!((&changed["name"], &changed["halt_links"]), (&json!("on call"), &json!(false)));
    let entry = newest(&scene.acme);
    assert_eq!((&entry["kind"], &entry["after"]), (&json!("webhook.update"), &json!({ "name": "on call" })));
    assert_eq!(entry["object"]["name"], "on call");
    let before = last(&scene.acme);
    let _ = change(json!({ "name": "on call", "halt_links": false })).expect(200);
    assert_eq!(kinds_after(&scene.acme, before), [""; 0], "a change of nothing has no entry");
    assert_eq!(change(json!({ "name": "" })).status, 400);
    let other = scene.world.admin("other");
    let _ = other.post_json(&path, json!({ "halt_links": true })).send().expect(404);
}

fn a_receiver_that_failed_for_hours_gets_everything(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["rollout.*"]);
    scene.receiver.answer(500);
    scene.roll("halt");
    until("a failure", SOON, || scene.listed()["failing_since"].is_string().then_some(()));
    scene.roll("resume");
    let warnings = scene.acme.get("/telemetry/overview").ok()["warnings"].clone();
    let failing =
        warnings.as_array().unwrap().iter().find(|warning| warning["kind"] == "webhook_failing").unwrap();
    assert!(failing["text"].as_str().unwrap().ends_with(" fail: the receiver answered 500."), "{failing}");
    assert_eq!(failing["since_or_until"], scene.listed()["failing_since"]);
    // Runs of maintenance come every five minutes, and only some of them try.
    for _ in 0..24 {
        scene.world.advance(5 * MINUTE);
        scene.maintain_later();
    }
    assert_eq!(scene.receiver.messages().len(), 5, "at 0, 5, 15, 35 and 75 minutes, and no other");
    scene.receiver.answer(200);
    scene.world.advance(6 * 60 * MINUTE);
    scene.maintain_later();

    assert_eq!(kinds(&scene.taken(2)), ["rollout.halt", "rollout.resume"]);
    let listed = scene.listed();
    assert_eq!((listed.get("failing_since"), listed.get("last_failure")), (None, None));
}

fn failures_are_forgotten_while_webhooks_are_off(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["rollout.*"]);
    scene.receiver.answer(410);
    scene.roll("halt");
    until("the webhook to be off", SOON, || scene.listed()["off_at"].is_string().then_some(()));
    let warnings = || scene.acme.get("/telemetry/overview").ok()["warnings"].to_string();
    assert!(warnings().contains("webhook_failing"), "{}", warnings());

    scene.world.platform().set_variable("webhook_origin", "https://webhooks.invalid");
    scene.maintain();
    assert!(!warnings().contains("webhook_failing"), "nobody could delete it now: {}", warnings());

    scene.world.platform().set_variable("webhook_origin", scene.receiver.url());
    scene.receiver.answer(200);
    scene.maintain();
    assert_eq!(kinds(&scene.taken(1)), ["rollout.halt"]);
}

/// A record that was damaged in the database keeps back what is after it, and says so.
fn an_entry_that_cannot_be_read_is_told(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["rollout.*"]);
    scene.receiver.answer(500);
    scene.roll("halt");
    until("a failure", SOON, || scene.listed()["failing_since"].is_string().then_some(()));
    let damage = "UPDATE audit_log SET entry = '{' WHERE kind = 'rollout.halt'";
    assert_eq!(scene.world.database().execute(damage, []), Ok(1));
    scene.receiver.answer(200);
    scene.world.advance(5 * MINUTE);
    scene.maintain_later();
    let failure = scene.listed()["last_failure"].clone();
    assert!(failure.as_str().unwrap().ends_with("of the audit log cannot be read"), "{failure}");
}

fn after_three_days_of_failures_a_webhook_is_off(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.create(&["*"]);
    scene.receiver.answer(503);
    scene.roll("halt");
    until("a failure", SOON, || scene.listed()["failing_since"].is_string().then_some(()));
    scene.world.advance(3 * 24 * 60 * MINUTE);
    scene.maintain_later();
    let acme = scene.world.login("acme", spindrift_tests::PASSWORD);
    assert!(acme.get("/webhooks").ok()["webhooks"][0]["off_at"].is_string());
}

fn a_webhook_that_cannot_be_read_does_not_keep_the_others_waiting(host: Driver) {
    let scene = Scene::new(host);
    let broken = scene.create(&["rollout.*"])["id"].as_str().unwrap().to_owned();
    scene.create(&["rollout.*"]);
    let sql = "UPDATE webhooks SET kinds = 'no JSON' WHERE id = ?1";
    scene.world.database().execute(sql, [broken]).unwrap();

    scene.roll("set");

    assert_eq!(kinds(&scene.taken(1)), ["rollout.set"]);
}

fn the_webhook_whose_turn_was_longest_ago_comes_first(host: Driver) {
    let scene = Scene::new(host);
    let ids = [0, 1].map(|_| scene.create(&["rollout.*"])["id"].as_str().unwrap().to_owned());
    let mut percent = 10;
    let mut first_after = |turns: [i64; 2]| {
        until("earlier turns", SOON, || {
            let waiting =
                "SELECT count(*) FROM webhooks WHERE delivered_seq < (SELECT max(seq) FROM audit_log)";
            let busy = "SELECT count(*) FROM leases WHERE name LIKE 'webhook.%'";
            ([waiting, busy].map(|sql| scene.world.number(sql)) == [Ok(0), Ok(0)]).then_some(())
        });
        for (id, at) in ids.iter().zip(turns) {
            let sql = "UPDATE webhooks SET turn_at = ?2 WHERE id = ?1";
            scene.world.database().execute(sql, (id, at)).unwrap();
        }
        let before = scene.receiver.messages().len();
        percent += 1;
        let path = format!("/releases/{}/rollout", scene.release);
        let order = json!({ "action": "set", "percent": percent });
        let _ = scene.acme.post_json(&path, order).send().expect(200);
        scene.taken(before + 2);
        scene.receiver.messages()[before].headers["webhook-id"].clone()
    };
    let is_of = |message: &str, id: &str| message.starts_with(id);
    let (first, second) = (first_after([1, 2]), first_after([2, 1]));
    assert!(is_of(&first, &ids[0]) && is_of(&second, &ids[1]), "{first} {second} {ids:?}");
}
