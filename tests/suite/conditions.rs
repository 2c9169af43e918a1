//! Conditions: groups of devices, requirements on systems, and users who ask for an update.

mod answers;
mod calls;
mod edges;
mod feeds;
mod groups;
mod requirements;

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Release, World};

/// Fixed, so that it is not chance that decides about the tests. `device-1` has the position 7888, `device-2` 2782.
const SEED: &str = "seed";

/// A published 1.0.0 for everybody, and 2.0.0, published for nobody yet.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    staged: String,
}

impl Scene {
    fn new(world: World) -> Self {
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let staged = acme.upload(&Release::new("2.0.0"));
        world.database().execute("UPDATE releases SET rollout_seed = ?1", [SEED]).unwrap();
        let _ = acme.edit(&staged, json!({ "publish": true, "rollout": 0 })).expect(200);
        Self { world, acme, staged }
    }

    /// A call about 2.0.0.
    fn post(&self, call: &str, body: Value) -> Answer {
        post(&self.acme, &self.staged, call, body)
    }

    fn set_rollout(&self, percent: u8) {
        let _ = self.post("rollout", json!({ "action": "set", "percent": percent })).expect(200);
    }

    /// Lets these groups in on 2.0.0.
    fn let_in(&self, groups: &[&str]) {
        let _ = self.post("offer", json!({ "groups": groups })).expect(200);
    }

    /// The answer to a client of 1.0.0 that says this.
    fn answer(&self, said: &[(&str, &str)]) -> Value {
        answer(&self.acme, "1.0.0", said)
    }

    /// The version in that answer.
    fn version(&self, said: &[(&str, &str)]) -> String {
        version(&self.answer(said))
    }
}

fn post(acme: &Account, release: &str, call: &str, body: Value) -> Answer {
    acme.post_json(&format!("/releases/{release}/{call}"), body).send()
}

/// The answer to a client that says this. `device`: its device.
fn answer(acme: &Account, version: &str, said: &[(&str, &str)]) -> Value {
    let mut path = acme.check_path(version);
    for (name, value) in said.iter().filter(|(name, _)| *name != "device") {
        path.extend(["&", name, "=", value]);
    }
    let call = acme.get(&path);
    match said.iter().find(|(name, _)| *name == "device") {
        Some((_, device)) => call.header("x-device-id", device).ok(),
        None => call.ok(),
    }
}

fn version(answer: &Value) -> String {
    answer["version"].as_str().unwrap_or_default().to_owned()
}

/// The answer of `POST /explain` about a client that says this.
pub(crate) fn explained(acme: &Account, version: &str, said: &[(&str, &str)]) -> Value {
    let mut body = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": version,
    });
    for (name, value) in said {
        body[*name] = if *name == "interactive" { json!(*value == "1") } else { json!(value) };
    }
    acme.post_json("/explain", body).ok()
}

/// The explanation of every release, as `2.0.0 requires`.
pub(crate) fn codes(explained: &Value) -> Vec<String> {
    let codes = |release: &Value| {
        let codes = release["because"].as_array().unwrap().iter().map(|reason| &reason["code"]);
        let words = std::iter::once(&release["version"]).chain(codes);
        words.map(|word| word.as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    explained["releases"].as_array().unwrap().iter().map(codes).collect()
}

/// A new group of `notes`: its id and its key.
fn group(acme: &Account, name: &str) -> (String, String) {
    let made = acme.post_json("/device-groups", json!({ "app": "notes", "name": name })).send();
    let made = made.expect(201).json();
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    (text("id"), text("key"))
}

fn add_devices(acme: &Account, group: &str, devices: &[&str]) {
    let body = json!({ "add": devices });
    let _ = acme.post_json(&format!("/device-groups/{group}/devices"), body).send().expect(200);
}
