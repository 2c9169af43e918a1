//! Roots that the rules forbid.

use serde_json::{Value, json};
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::publisher::{entry, file};
use spindrift_tests::trust::signed::signed_as;
use spindrift_tests::{Driver, TUF_SECRET, on_hosts};

use super::super::super::days_ago;
use super::super::hosted::{Hosted, json};
use super::{next_root, refused, state};

on_hosts! {
    every: [roots_against_the_rules],
}

fn roots_against_the_rules(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    for (case, root) in wrong_keys(&hosted).iter().chain(&wrong_roles(&hosted)) {
        let list = hosted.publisher.get("metadata/targets").json()["data"]["trusted_targets"].take();
        for metadata in [json!({ "root": root }), json!({ "root": root, "targets": list })] {
            let answer = hosted.publisher.send("metadata", json!({ "metadata": metadata }));
            refused(&answer, &[400], case);
        }
    }
    assert_eq!(state(&hosted), before);
    let root = file(&next_root(&hosted), &hosted.repository.keys.root.keys);
    let _taken = hosted.publisher.send("metadata", json!({ "metadata": { "root": root } })).expect(200);
}

/// The next root, to be changed and signed by those who should.
struct Draft {
    valid: Value,
    keys: Vec<TestKey>,
}

impl Draft {
    fn of(hosted: &Hosted) -> Self {
        Self { valid: next_root(hosted), keys: hosted.repository.keys.root.keys.clone() }
    }

    fn changed(&self, change: impl FnOnce(&mut Value)) -> Value {
        let mut root = self.valid.clone();
        change(&mut root);
        file(&root, &self.keys)
    }

    fn with(&self, pointer: &str, value: Value) -> Value {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        self.changed(|root| root.pointer_mut(parent).unwrap()[field] = value)
    }

    /// One more key for a role.
    fn naming(&self, role: &str, key: &TestKey) -> Value {
        self.changed(|root| {
            root["keys"][key.id()] = key.public();
            root["roles"][role]["keyids"].as_array_mut().unwrap().push(json!(key.id()));
        })
    }

    /// A threshold of two, reached by one key under two ids.
    fn one_key_twice(&self) -> Value {
        let (key, id, other) = (&self.keys[0], self.keys[0].id(), "0".repeat(64));
        let mut root = self.valid.clone();
        root["keys"][&other] = key.public();
        root["roles"]["root"] = json!({ "keyids": [id, other], "threshold": 2 });
        json(&signed_as(&root, [(id, key), (other, key)]))
    }
}

fn wrong_keys(hosted: &Hosted) -> Vec<(&'static str, Value)> {
    let draft = Draft::of(hosted);
    let (first, second) = (draft.keys[0].id(), draft.keys[1].id());
    let other = "0".repeat(64);
    let mut long_key = entry(&draft.keys[0]);
    let _id = long_key.as_object_mut().unwrap().remove("keyid");
    long_key["zzz"] = json!(1);
    let rsa = json!({ "keytype": "rsa", "scheme": "rsassa-pss-sha256", "keyval": { "public": "zzz" } });
    let service = |purpose| TestKey::of_service(TUF_SECRET, &hosted.app_id, purpose, 1);
    vec![
        ("one key under two ids", draft.one_key_twice()),
        ("a key id twice", draft.with("/roles/root/keyids", json!([first, first, second]))),
        ("a key that is not there", draft.with("/roles/root/keyids", json!([first, other]))),
        ("a key with a field more", draft.with(&format!("/keys/{first}"), long_key)),
        ("an RSA key", draft.with(&format!("/keys/{first}"), rsa)),
        ("no keys", draft.with("/keys", json!({}))),
        ("the online key in root", draft.naming("root", &service("online"))),
        ("the service's key in root", draft.naming("root", &service("targets"))),
        ("the online key in targets", draft.naming("targets", &service("online"))),
        ("partly the service's targets", draft.naming("targets", &service("targets"))),
        ("two online keys", draft.naming("timestamp", &draft.keys[0])),
        ("another online key", draft.with("/roles/snapshot/keyids", json!([first]))),
    ]
}

fn wrong_roles(hosted: &Hosted) -> Vec<(&'static str, Value)> {
    let draft = Draft::of(hosted);
    let role = json!({ "keyids": [draft.keys[0].id()], "threshold": 1 });
    // The same one again would change nothing, and be right.
    let another = draft.changed(|root| {
        root["version"] = json!(1);
        root["expires"] = json!(days_ago(-700).strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    });
    vec![
        ("threshold 0", draft.with("/roles/root/threshold", json!(0))),
        ("threshold 0 of targets", draft.with("/roles/targets/threshold", json!(0))),
        ("more than there are keys", draft.with("/roles/root/threshold", json!(3))),
        ("a role more", draft.with("/roles/mirrors", role.clone())),
        ("a role that leads elsewhere", draft.with("/roles/..%2fzzz", role)),
        ("a role less", draft.with("/roles", json!({ "root": draft.valid["roles"]["root"] }))),
        ("no consistent snapshots", draft.with("/consistent_snapshot", json!(false))),
        ("the version of now", another),
        ("the one after the next", draft.with("/version", json!(3))),
        ("over", draft.with("/expires", json!("2020-01-01T00:00:00Z"))),
        ("for ever", draft.with("/expires", json!("2999-01-01T00:00:00Z"))),
    ]
}
