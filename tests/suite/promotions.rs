//! Releases that are offered in further channels.

mod calls;
mod feeds;
mod offers;
mod signed;

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Release, World};

/// Fixed, so that it is not chance that decides about the tests. `device-1` has the position 7888, `device-2` 2782.
const SEED: &str = "seed";

/// A published 1.0.0 in `stable`, and a published 2.0.0 in `beta`, which includes `stable`.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    tested: String,
}

impl Scene {
    fn new(world: World) -> Self {
        let acme = world.admin("acme").with_notes();
        Self::of(world, acme)
    }

    /// The same with the application as it is.
    fn of(world: World, acme: Account) -> Self {
        let beta = acme.create_channel("beta");
        acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
        acme.publish(Release::new("1.0.0").with_digests());
        let tested = acme.publish(Release::new("2.0.0").with_digests().with("channel", "beta"));
        world
            .database()
            .execute_batch(&format!(
                "UPDATE releases SET rollout_seed = '{SEED}'; UPDATE users SET revision = revision + 1;"
            ))
            .unwrap();
        world.age_records(61);
        Self { world, acme, tested }
    }

    /// A call about 2.0.0.
    fn post(&self, call: &str, body: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/{call}", self.tested), body).send()
    }

    /// Promotes 2.0.0 to `stable`, and publishes it there.
    fn promote(&self, rollout: u8) -> Value {
        let order = json!({ "channel": "stable", "publish": true, "rollout": rollout });
        self.post("promote", order).expect(201).json()
    }

    fn end(&self, channel: &str) -> Answer {
        self.acme.delete(&format!("/releases/{}/offer?channel={channel}", self.tested)).send()
    }

    fn release(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.tested)).ok()
    }

    /// The version that a client of 1.0.0 is answered. `device`: empty for none.
    fn version(&self, channel: &str, device: &str) -> String {
        version(&self.acme, channel, device)
    }
}

fn version(acme: &Account, channel: &str, device: &str) -> String {
    let path = acme.check_path("1.0.0").replace("channel=stable", &format!("channel={channel}"));
    let call = acme.get(&path);
    let answer = if device.is_empty() { call.ok() } else { call.header("x-device-id", device).ok() };
    answer["version"].as_str().unwrap_or_default().to_owned()
}
