//! Release control beyond rollouts: times set ahead, withdrawals, shut-offs, and the rights of CI tokens.

mod barriers;
mod everywhere;
mod halts;
pub(crate) mod rights;
mod schedules;
mod shut_edges;
mod shutoffs;
mod unchanged;
mod withdrawals;

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{Account, Answer, Release, World};

/// Where the records of the default scope are.
const RECORD: &str = "/responses/acme/notes/stable/linux/amd64/scope.json?dimensions=channel,platform,arch";

/// A published 1.0.0 for everybody, and a draft 2.0.0.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    draft: String,
}

impl Scene {
    fn new(world: World) -> Self {
        let acme = world.admin("acme").with_notes();
        Self::of(world, acme)
    }

    fn of(world: World, acme: Account) -> Self {
        acme.publish(Release::new("1.0.0"));
        let draft = acme.upload(&Release::new("2.0.0"));
        Self { world, acme, draft }
    }

    fn post(&self, call: &str, body: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/{call}", self.draft), body).send()
    }

    /// The offer of 2.0.0 after a change.
    fn offered(&self, change: Value) -> Value {
        self.post("offer", change).expect(200).json()["offers"][0].clone()
    }

    /// The offer of 2.0.0 now.
    fn offer(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.draft)).ok()["offers"][0].clone()
    }

    /// The version that a device with 1.0.0 is offered or keeps.
    fn version(&self) -> String {
        self.acme.check_as("device-1", "1.0.0")["version"].as_str().unwrap_or_default().to_owned()
    }

    fn maintain(&self) {
        let _ = self.acme.post("/maintenance/run").send().expect(200);
    }
}

/// So many seconds from now, in whole seconds.
fn in_seconds(seconds: i64) -> Timestamp {
    let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
    Timestamp::from_millis(now.as_seconds() * 1000).plus_seconds(seconds)
}

fn shut_off(acme: &Account, change: Value) -> Answer {
    let mut body = json!({ "app": "notes", "reason": "updates do not start" });
    let Value::Object(change) = change else { panic!("no object") };
    body.as_object_mut().unwrap().extend(change);
    acme.post_json("/shutoffs", body).send()
}
