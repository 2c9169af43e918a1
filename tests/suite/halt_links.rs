//! Links in messages of webhooks that halt a release: once, within 72 hours, and without a login.

use serde_json::{Value, json};
use spindrift_tests::{
    Account, Answer, Driver, PASSWORD, Receiver, Release, WEBHOOKS_TO_NOBODY, World, on_hosts, until,
};

use crate::audit::{last, newest};
use crate::reports::team_user;
use crate::webhooks::SOON;

on_hosts! {
    every: [
        a_link_halts_once,
        only_webhooks_with_halt_links_send_them,
        looking_at_a_link_changes_nothing,
        a_halt_by_anybody_uses_a_link_up,
        a_link_is_for_one_release,
        a_link_is_for_one_channel,
        a_token_that_was_changed_is_no_link,
        links_end_with_their_webhook,
        what_cannot_be_halted_has_no_link,
        a_release_that_is_gone_is_told,
        only_admins_decide_about_halt_links,
    ],
    in_process: [
        a_link_is_valid_for_72_hours,
        a_link_halts_while_the_key_value_store_fails,
        links_are_revoked_while_the_webhook_may_send_nothing,
    ],
}

const CALL: &str = "/releases/halt-link";
const HOUR: u64 = 60 * 60;

struct Scene {
    world: World,
    acme: Account,
    receiver: Receiver,
    /// The published 2.0.
    release: String,
    /// The webhook, which has halt links.
    webhook: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let receiver = Receiver::start();
        let world = World::builder(host).with_variable("webhook_origin", receiver.url()).start();
        let acme = world.admin("acme").with_notes();
        let release = acme.publish(Release::new("2.0"));
        let webhook = create(&acme, &receiver, "on call", true);
        Self { world, acme, receiver, release, webhook }
    }

    fn order(&self, release: &str, order: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{release}/rollout"), order).send()
    }

    /// Gives an order to 2.0, and returns the message about it.
    fn message_after(&self, order: Value) -> Value {
        self.message_of(|| self.order(&self.release, order).expect(200))
    }

    /// The message about the last change that `work` makes.
    fn message_of<T>(&self, work: impl FnOnce() -> T) -> Value {
        let _ = work();
        let seq = last(&self.acme);
        until("the message", SOON, || {
            let messages = self.receiver.messages().into_iter();
            let mut bodies = messages.map(|message| serde_json::from_slice::<Value>(&message.body).unwrap());
            bodies.find(|body| body["audit"]["seq"] == seq)
        })
    }

    /// The token of a link to halt 2.0.
    fn token(&self) -> String {
        token(&self.message_after(json!({ "action": "set", "percent": 50 })))
    }

    fn show(&self, token: &str) -> Answer {
        self.world.client().with_token(token).get(CALL).send()
    }

    fn halt(&self, token: &str) -> Answer {
        self.world.client().with_token(token).post(CALL).send()
    }

    /// The state of the rollout in the channel at this place in the release.
    fn state(&self, release: &str, offer: usize) -> String {
        let release = self.acme.get(&format!("/releases/{release}")).ok();
        release["offers"][offer]["rollout"]["state"].as_str().unwrap().to_owned()
    }

    fn change(&self, body: Value) {
        let _ = self.acme.post_json(&format!("/webhooks/{}", self.webhook), body).send().expect(200);
    }
}

fn create(acme: &Account, receiver: &Receiver, name: &str, halt_links: bool) -> String {
    let url = format!("{}/{}", receiver.url(), name.replace(' ', "-"));
    let body = json!({ "url": url, "name": name, "kinds": ["*"], "halt_links": halt_links });
    let made = acme.post_json("/webhooks", body).send().expect(201).json();
    assert_eq!(made["halt_links"], halt_links);
    made["id"].as_str().unwrap().to_owned()
}

/// The token in the link of a message.
pub(crate) fn token(message: &Value) -> String {
    let link = message["links"]["halt"].as_str().unwrap_or_else(|| panic!("no link: {message}"));
    let (page, token) = link.split_once("?token=").unwrap();
    assert!(page.ends_with("/console/halt"), "{link}");
    assert!(message["text"].as_str().unwrap().ends_with(&format!("\nHalt it: {link}")), "{message}");
    token.to_owned()
}

/// The status, the code and the text of a refusal.
fn refusal(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.code(), answer.error())
}

const USED: &str =
    "this link has been used, or the release was halted in another way: newer messages have new links";
const REVOKED: &str = "this link was revoked: its webhook was deleted, or no longer has halt links";
const FORGED: &str = "this link is not valid: a part of it is missing, or it is not from this service";

fn ended(text: &str) -> (u16, String, String) {
    (410, "halt_link_ended".to_owned(), text.to_owned())
}

fn a_link_halts_once(host: Driver) {
    let scene = Scene::new(host);
    let first = scene.token();

    let halted = scene.halt(&first).expect(200).json();

    assert_eq!(
        (&halted["app"], &halted["version"], &halted["channel"], &halted["state"]),
        (&json!("notes"), &json!("2.0"), &json!("stable"), &json!("halted"))
    );
    assert_eq!(scene.state(&scene.release, 0), "halted");
    let entry = newest(&scene.acme);
    assert_eq!(entry["kind"], "rollout.halt");
    assert_eq!(entry["actor"], json!({ "type": "webhook", "id": scene.webhook, "name": "on call" }));
    let reason = entry["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("with a link of this webhook, from ") && !reason.contains("unknown"),
        "{reason}"
    );
    let text = entry["text"].as_str().unwrap();
    assert!(text.starts_with("the webhook on call halted the rollout of notes 2.0 in stable"), "{text}");
    assert!(!entry.to_string().contains(&first), "{entry}");

    let before = last(&scene.acme);
    assert_eq!(refusal(&scene.halt(&first)), ended(USED));
    let resumed = scene.message_after(json!({ "action": "resume" }));
    assert_eq!(refusal(&scene.show(&first)), ended(USED), "also once it is resumed");
    assert_eq!(refusal(&scene.halt(&first)), ended(USED));
    assert_eq!((scene.state(&scene.release, 0).as_str(), last(&scene.acme)), ("fixed", before + 1));

    let _ = scene.halt(&token(&resumed)).expect(200);
    assert_eq!(scene.state(&scene.release, 0), "halted");
}

fn only_webhooks_with_halt_links_send_them(host: Driver) {
    let scene = Scene::new(host);
    create(&scene.acme, &scene.receiver, "plain", false);
    let _ = scene.order(&scene.release, json!({ "action": "set", "percent": 50 })).expect(200);
    let seq = last(&scene.acme);
    let of = |path: &str| {
        until("the message", SOON, || {
            let mut messages = scene.receiver.messages().into_iter().filter(|message| message.path == path);
            messages.find_map(|message| {
                let body: Value = serde_json::from_slice(&message.body).unwrap();
                (body["audit"]["seq"] == seq).then_some(body)
            })
        })
    };
    let page = format!("{}/console/apps/notes/releases/{}", scene.world.url(), scene.release);
    let (plain, with) = (of("/plain"), of("/on-call"));
    assert_eq!(plain["links"], json!({ "release": page }));
    assert!(plain["text"].as_str().unwrap().ends_with(&format!("\n{page}")), "{plain}");
    assert_eq!(with["links"]["release"], page);
    token(&with);
}

/// Chats fetch the links in messages.
fn looking_at_a_link_changes_nothing(host: Driver) {
    let scene = Scene::new(host);
    let (token, before) = (scene.token(), last(&scene.acme));
    for _ in 0..2 {
        let shown = scene.show(&token).expect(200).json();
        assert_eq!((&shown["version"], &shown["state"]), (&json!("2.0"), &json!("fixed")));
        let _ = scene.world.client().with_token(&token).head(CALL).send().expect(200);
    }
    assert_eq!((scene.state(&scene.release, 0).as_str(), last(&scene.acme)), ("fixed", before));
    let _ = scene.halt(&token).expect(200);
}

fn a_halt_by_anybody_uses_a_link_up(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    let _ = scene.order(&scene.release, json!({ "action": "halt" })).expect(200);
    assert_eq!(refusal(&scene.halt(&token)), ended(USED));
    let message = scene.message_after(json!({ "action": "set", "percent": 20 }));
    assert!(message["links"].get("halt").is_none(), "it is halted: {message}");
}

fn a_link_is_for_one_release(host: Driver) {
    let scene = Scene::new(host);
    let other = scene.acme.publish(Release::new("3.0"));
    let first = scene.token();
    let second =
        scene.message_of(|| scene.order(&other, json!({ "action": "set", "percent": 50 })).expect(200));
    let _ = scene.halt(&token(&second)).expect(200);
    let states = [&scene.release, &other].map(|release| scene.state(release, 0));
    assert_eq!(states, ["fixed", "halted"]);
    let _ = scene.halt(&first).expect(200);
    assert_eq!(scene.state(&scene.release, 0), "halted");
}

fn a_link_is_for_one_channel(host: Driver) {
    let scene = Scene::new(host);
    scene.acme.create_channel("beta");
    let of_stable = scene.token();
    let path = format!("/releases/{}/promote", scene.release);
    let promote = json!({ "channel": "beta", "publish": true });
    let promoted = scene.message_of(|| scene.acme.post_json(&path, promote).send().expect(201));

    let halted = scene.halt(&token(&promoted)).expect(200).json();

    assert_eq!(halted["channel"], "beta");
    assert_eq!([0, 1].map(|offer| scene.state(&scene.release, offer)), ["fixed", "halted"]);
    let _ = scene.halt(&of_stable).expect(200);
    assert_eq!(scene.state(&scene.release, 0), "halted");
}

fn a_token_that_was_changed_is_no_link(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    let parts: Vec<&str> = token.split('.').collect();
    let [webhook, seq, seconds, mac] = parts[..] else { panic!("{token}") };
    let next = |number: &str| (number.parse::<u64>().unwrap() + 1).to_string();
    let forged = (404, "not_found".to_owned(), FORGED.to_owned());
    for wrong in [
        format!("{webhook}.{}.{seconds}.{mac}", next(seq)),
        format!("{webhook}.{seq}.{}.{mac}", next(seconds)),
        format!("{}.{seq}.{seconds}.{mac}", scene.release),
        format!("{webhook}.{seq}.{seconds}"),
        format!("{webhook}.{seq}.{seconds}."),
        token[..token.len() - 1].to_owned(),
        scene.acme.authorization().trim_start_matches("Bearer ").to_owned(),
    ] {
        assert_eq!(refusal(&scene.show(&wrong)), forged, "{wrong}");
        assert_eq!(refusal(&scene.halt(&wrong)), forged, "{wrong}");
    }
    assert_eq!(scene.world.client().post(CALL).send().status, 401);
    let path = format!("/releases/{}/rollout", scene.release);
    let holder = scene.world.client().with_token(&token);
    let as_login = holder.post_json(&path, json!({ "action": "halt" })).send();
    assert_eq!(as_login.status, 401, "it is not a login");
    assert_eq!(scene.state(&scene.release, 0), "fixed");
}

fn links_end_with_their_webhook(host: Driver) {
    let scene = Scene::new(host);
    let first = scene.token();
    scene.change(json!({ "name": "chat" }));
    let _ = scene.show(&first).expect(200);
    scene.change(json!({ "halt_links": false }));
    let entry = newest(&scene.acme);
    assert_eq!(
        (&entry["kind"], &entry["after"]),
        (&json!("webhook.update"), &json!({ "halt_links": false }))
    );
    assert_eq!(refusal(&scene.halt(&first)), ended(REVOKED));
    let plain = scene.message_after(json!({ "action": "set", "percent": 30 }));
    assert!(plain["links"].get("halt").is_none(), "{plain}");

    scene.change(json!({ "halt_links": true }));
    assert_eq!(refusal(&scene.halt(&first)), ended(REVOKED), "it stays revoked");
    let second = token(&scene.message_after(json!({ "action": "set", "percent": 40 })));
    let _ = scene.show(&second).expect(200);
    let _ = scene.acme.delete(&format!("/webhooks?id={}", scene.webhook)).send().expect(200);
    for (answer, what) in [(scene.show(&second), "show"), (scene.halt(&second), "halt")] {
        assert_eq!(refusal(&answer), ended(REVOKED), "{what}");
    }
    assert_eq!(scene.state(&scene.release, 0), "fixed");
}

fn what_cannot_be_halted_has_no_link(host: Driver) {
    let scene = Scene::new(host);
    let offer = |release: &str, change: Value| {
        let path = format!("/releases/{release}/offer");
        scene.message_of(|| scene.acme.post_json(&path, change).send().expect(200))
    };
    let draft = scene.acme.upload(&Release::new("3.0"));
    let change = offer(&draft, json!({ "guard": { "on_unhealthy": "halt" } }));
    assert!(change["links"]["release"].is_string() && change["links"].get("halt").is_none(), "{change}");
    let published = offer(&draft, json!({ "publish": true }));
    let token = token(&published);
    let hidden = offer(&draft, json!({ "publish": false }));
    assert!(hidden["links"].get("halt").is_none(), "{hidden}");
    let refused = (
        409,
        "wrong_state".to_owned(),
        "notes 3.0 in stable is not published, so there is nothing to halt".to_owned(),
    );
    assert_eq!(refusal(&scene.show(&token)), refused);
    assert_eq!(refusal(&scene.halt(&token)), refused);
}

fn a_release_that_is_gone_is_told(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    let _ = scene.acme.delete(&format!("/apps/delete?id={}", scene.release)).send().expect(200);
    let gone = (404, "not_found".to_owned(), "there is no notes 2.0 in stable any more".to_owned());
    assert_eq!(refusal(&scene.show(&token)), gone);
    assert_eq!(refusal(&scene.halt(&token)), gone);
}

fn only_admins_decide_about_halt_links(host: Driver) {
    let scene = Scene::new(host);
    let rights = json!({ "Edit": true, "Allowed": [scene.acme.app_id("notes")] });
    let member = team_user(&scene.world, &scene.acme, "ann", rights);
    let path = format!("/webhooks/{}", scene.webhook);
    assert_eq!(member.post_json(&path, json!({ "halt_links": false })).send().status, 403);
}

fn a_link_is_valid_for_72_hours(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    scene.world.advance(72 * HOUR - 2);
    let _ = scene.show(&token).expect(200);
    scene.world.advance(2);
    let expired = ended("this link has expired: it was valid for 72 hours");
    assert_eq!(refusal(&scene.show(&token)), expired);
    assert_eq!(refusal(&scene.halt(&token)), expired);
    let acme = scene.world.login("acme", PASSWORD);
    let release = acme.get(&format!("/releases/{}", scene.release)).ok();
    assert_eq!(release["offers"][0]["rollout"]["state"], "fixed");
}

fn a_link_halts_while_the_key_value_store_fails(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    scene.world.platform().fail_key_value(true);
    let _ = scene.show(&token).expect(200);
    let _ = scene.halt(&token).expect(200);
    scene.world.platform().fail_key_value(false);
    assert_eq!(scene.state(&scene.release, 0), "halted");
}

/// Then nobody could revoke them.
fn links_are_revoked_while_the_webhook_may_send_nothing(host: Driver) {
    let scene = Scene::new(host);
    let token = scene.token();
    for origin in ["https://webhooks.invalid", WEBHOOKS_TO_NOBODY] {
        scene.world.platform().set_variable("webhook_origin", origin);
        assert_eq!(refusal(&scene.halt(&token)), ended(REVOKED), "{origin}");
    }
    scene.world.platform().set_variable("webhook_origin", scene.receiver.url());
    let _ = scene.halt(&token).expect(200);
}
