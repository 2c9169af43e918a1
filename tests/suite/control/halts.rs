//! A halt ends with `resume`, and with nothing else.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Noise, Release, World, on_hosts};

use super::rights::token;
use super::{Scene, in_seconds};

on_hosts! {
    every: [
        publishing_again_keeps_a_halt,
        a_restored_release_is_still_halted,
        a_promotion_that_ended_halted_begins_halted,
        a_resumed_release_begins_a_new_round,
    ],
    in_process: [
        a_paused_release_is_halted_while_the_key_value_store_fails,
        no_sequence_of_calls_ends_a_halt,
    ],
}

/// The states of an offer and of its rollout.
fn states(offer: &Value) -> (&str, &str) {
    (offer["state"].as_str().unwrap(), offer["rollout"]["state"].as_str().unwrap())
}

fn everybody() -> Value {
    json!([{ "percent": 100 }])
}

/// A CI job that is late publishes a release that somebody has halted and made a draft meanwhile.
fn publishing_again_keeps_a_halt(host: Driver) {
    let scene = Scene::new(World::new(host));
    let publisher = token(&scene.acme, &["publish"]);
    let _ = scene.offered(json!({ "publish": true }));
    let _ = scene.post("rollout", json!({ "action": "halt" })).expect(200);
    for order in [
        json!({ "publish": true }),
        json!({ "publish": true, "plan": everybody() }),
        json!({ "publish": true, "rollout": 100 }),
        json!({ "publish_at": in_seconds(-60).to_rfc3339(), "plan": everybody() }),
    ] {
        assert_eq!(states(&scene.offered(json!({ "publish": false }))), ("draft", "halted"));
        let published = publisher.post_json(&format!("/releases/{}/offer", scene.draft), &order).ok();
        assert_eq!(states(&published["offers"][0]), ("published", "halted"), "{order}");
        assert_eq!(scene.version(), "1.0.0", "{order}");
    }
    let _ = scene.offered(json!({ "publish": false }));
    for change in [
        json!({ "publish": true, "rollout": 100 }),
        json!({ "publish": false }),
        json!({ "publish": true, "plan": everybody() }),
    ] {
        let _ = scene.acme.edit(&scene.draft, change.clone()).expect(200);
        assert_eq!(scene.offer()["rollout"]["state"], "halted", "{change}");
        assert_eq!(scene.version(), "1.0.0", "{change}");
    }
    let _ = scene.post("rollout", json!({ "action": "resume" })).expect(200);
    assert_eq!(scene.version(), "2.0.0");
}

/// The present failures, which include those that only the key-value store has, are for orders that let a release
/// go on.
fn a_paused_release_is_halted_while_the_key_value_store_fails(host: Driver) {
    let scene = Scene::new(World::new(host));
    let plan = json!([{ "percent": 5, "for": "1d" }, { "percent": 100 }]);
    let _ = scene.offered(json!({ "publish": true, "plan": plan }));
    let _ = scene.post("rollout", json!({ "action": "pause" })).expect(200);
    scene.world.platform().fail_key_value(true);

    assert_eq!(scene.post("rollout", json!({ "action": "resume" })).status, 503);
    let halted = scene.post("rollout", json!({ "action": "halt" })).expect(200).json();
    assert_eq!(states(&halted["offers"][0]), ("published", "halted"));
}

fn a_restored_release_is_still_halted(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = scene.offered(json!({ "publish": true }));
    let _ = scene.post("rollout", json!({ "action": "halt" })).expect(200);
    let _ = scene.post("withdraw", json!({ "reason": "it deletes files" })).expect(200);
    let _ = scene.post("restore", json!({})).expect(200);
    let published = scene.offered(json!({ "publish": true, "plan": everybody() }));
    assert_eq!(states(&published), ("published", "halted"));
    assert_eq!(scene.version(), "1.0.0");
    // A draft can be resumed, too. Then publishing it offers it.
    let _ = scene.offered(json!({ "publish": false }));
    assert_eq!(states(&scene.post("rollout", json!({ "action": "resume" })).json()["offers"][0]).0, "draft");
    assert_eq!(states(&scene.offered(json!({ "publish": true }))), ("published", "complete"));
    assert_eq!(scene.version(), "2.0.0");
}

/// 2.0.0 in `beta`, and its promotions.
struct Promoted {
    acme: Account,
    id: String,
}

impl Promoted {
    fn new(world: &World) -> Self {
        let acme = world.admin("acme").with_notes();
        for channel in ["beta", "nightly"] {
            acme.create_channel(channel);
        }
        acme.publish(Release::new("1.0.0"));
        let id = acme.publish(Release::new("2.0.0").with("channel", "beta"));
        Self { acme, id }
    }

    fn post(&self, call: &str, body: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/{call}", self.id), body).send()
    }

    fn promote(&self, channel: &str) -> Answer {
        self.post("promote", json!({ "channel": channel, "publish": true, "plan": everybody() }))
    }

    fn order(&self, channel: &str, action: &str) {
        let _ = self.post("rollout", json!({ "channel": channel, "action": action })).expect(200);
    }

    fn end(&self, channel: &str) {
        let path = format!("/releases/{}/offer?channel={channel}", self.id);
        let _ = self.acme.delete(&path).send().expect(200);
    }

    fn version(&self) -> String {
        self.acme.check_as("device-1", "1.0.0")["version"].as_str().unwrap_or_default().to_owned()
    }
}

fn a_promotion_that_ended_halted_begins_halted(host: Driver) {
    let world = World::new(host);
    let scene = Promoted::new(&world);
    let _ = scene.promote("stable").expect(201);
    assert_eq!(scene.version(), "2.0.0");
    scene.order("stable", "halt");
    let refused = scene.promote("nightly");
    assert_eq!((refused.status, refused.code().as_str()), (409, "wrong_state"));
    assert_eq!(refused.error(), "the release is halted in stable: resume it there first");
    scene.end("stable");
    let refused = scene.promote("nightly");
    assert_eq!((refused.status, refused.code().as_str()), (409, "wrong_state"), "{}", refused.text());
    let again = scene.promote("stable").expect(201).json();
    assert_eq!(states(&again["offers"][1]), ("published", "halted"));
    assert_eq!(scene.version(), "1.0.0");
    scene.order("stable", "resume");
    assert_eq!(scene.version(), "2.0.0");
    scene.end("stable");
    let fresh = scene.promote("stable").expect(201).json();
    assert_eq!(states(&fresh["offers"][1]), ("published", "complete"), "it was resumed before it ended");
    let _ = scene.promote("nightly").expect(201);
    scene.order("beta", "halt");
    scene.end("stable");
    assert_eq!(scene.promote("stable").code(), "wrong_state", "it is halted in its own channel");
}

fn a_resumed_release_begins_a_new_round(host: Driver) {
    let scene = Scene::new(World::new(host));
    let since = || scene.acme.get(&format!("/releases/{}/health", scene.draft)).ok()["since"].clone();
    let _ = scene.offered(json!({ "publish": true }));
    let _ = scene.post("rollout", json!({ "action": "halt" })).expect(200);
    let _ = scene.offered(json!({ "publish": false }));
    assert_eq!(since(), Value::Null);
    let _ = scene.offered(json!({ "publish": true, "plan": everybody() }));
    let earlier = "UPDATE releases SET round_at = round_at - 3600000 WHERE round_at IS NOT NULL";
    scene.world.database().execute(earlier, []).unwrap();
    let before = since();
    let _ = scene.post("rollout", json!({ "action": "resume" })).expect(200);
    assert!(since().as_str() > before.as_str(), "{before} {}", since());
}

const SEQUENCES: u64 = 12;
const ORDERS: u64 = 40;

/// Gives some order to the release. Returns the channel in which it was resumed.
fn some_order(by: &Account, id: &str, random: &mut Noise) -> Option<String> {
    let channel = ["beta", "stable"][usize::try_from(random.below(2)).unwrap()];
    let publication = match random.below(4) {
        0 => json!({ "publish": false }),
        1 => json!({ "publish_at": in_seconds(3600).to_rfc3339() }),
        _ => json!({ "publish": true }),
    };
    let mut offer = publication;
    match random.below(3) {
        0 => offer["plan"] = json!([{ "percent": 10, "for": "1h" }, { "percent": 100 }]),
        1 => offer["rollout"] = json!(random.below(101)),
        _ => {}
    }
    let post = |call: &str, mut body: Value| {
        body["channel"] = json!(channel);
        by.post_json(&format!("/releases/{id}/{call}"), body).send()
    };
    match random.below(16) {
        0..3 => drop(post("offer", offer)),
        3 => drop(post("promote", offer)),
        4 => drop(by.delete(&format!("/releases/{id}/offer?channel={channel}&force=true")).send()),
        5 => drop(post("withdraw", json!({ "reason": "tried" }))),
        6 | 7 => drop(by.post_json(&format!("/releases/{id}/restore"), json!({})).send()),
        8 => drop(by.edit(id, offer)),
        _ => {
            let actions = ["start", "set", "pause", "resume", "advance", "complete", "halt", "halt", "halt"];
            let action = actions[usize::try_from(random.below(9)).unwrap()];
            let body = json!({ "action": action, "percent": 100, "plan": everybody() });
            let is_resumed = post("rollout", body).status == 200 && action == "resume";
            return is_resumed.then(|| channel.to_owned());
        }
    }
    None
}

/// Orders in random sequences, by tokens of every right, a team user, and the owner.
fn no_sequence_of_calls_ends_a_halt(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let beta = acme.create_channel("beta");
    acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
    acme.publish(Release::new("1.0.0"));
    let mut callers: Vec<Account> =
        ["upload", "publish", "stop", "roll", "guard"].map(|right| token(&acme, &[right])).into();
    callers.push(token(&acme, &["publish", "stop", "roll"]));
    callers.extend(std::iter::repeat_n(acme.clone(), 4));
    let mut halts = 0;
    for sequence in 1..=SEQUENCES {
        let version = format!("2.{sequence}.0");
        let id = acme.publish(Release::new(&version).with("channel", "beta"));
        let mut random = Noise::new(sequence.wrapping_mul(0x9E37_79B9_7F4A_7C15), 0);
        let mut halted: BTreeMap<String, bool> = BTreeMap::new();
        for order in 0..ORDERS {
            let by = &callers[usize::try_from(random.below(callers.len() as u64)).unwrap()];
            let resumed = some_order(by, &id, &mut random);
            let release = acme.get(&format!("/releases/{id}")).ok();
            for offer in release["offers"].as_array().unwrap() {
                let channel = offer["channel"].as_str().unwrap();
                let is_halted = states(offer).1 == "halted";
                let was_halted = halted.insert(channel.to_owned(), is_halted).unwrap_or_default();
                halts += u32::from(!was_halted && is_halted);
                assert!(
                    !was_halted || is_halted || resumed.as_deref() == Some(channel),
                    "sequence {sequence}, order {order}: {channel} is no longer halted: {release}"
                );
            }
        }
    }
    assert!(halts > 5, "only {halts} halts were tried");
}
