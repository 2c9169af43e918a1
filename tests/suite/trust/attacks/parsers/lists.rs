//! Lists that the rules forbid.

use serde_json::{Value, json};
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::publisher::file;
use spindrift_tests::trust::repository::TARGETS;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Driver, on_hosts};

use super::super::hosted::Hosted;
use super::{next_list, refused, state};

on_hosts! {
    every: [lists_against_the_rules],
}

fn lists_against_the_rules(host: Driver) {
    let (hosted, target) = Hosted::new(host);
    let before = state(&hosted);
    let draft =
        Draft { valid: next_list(&hosted), keys: hosted.repository.keys.targets.keys.clone(), target };
    let current = hosted.repository.version(TARGETS);
    let cases =
        [wrong_names(&draft), wrong_files(&draft), wrong_heads(&draft, current), wrong_delegations(&draft)];
    for (case, list) in cases.iter().flatten() {
        let answer = hosted.publisher.send("metadata", json!({ "metadata": { "targets": list } }));
        refused(&answer, &[400], case);
    }
    assert_eq!(state(&hosted), before);
    let list = draft.changed(|_| ());
    let _taken = hosted.publisher.send("metadata", json!({ "metadata": { "targets": list } })).expect(200);
}

/// The next list, to be changed and signed by those who should.
struct Draft {
    valid: Value,
    keys: Vec<TestKey>,
    /// The only file in it.
    target: TestTarget,
}

impl Draft {
    fn changed(&self, change: impl FnOnce(&mut Value)) -> Value {
        let mut list = self.valid.clone();
        change(&mut list);
        file(&list, &self.keys)
    }

    fn named(&self, name: &str) -> Value {
        self.changed(|list| {
            let entry = list["targets"][&self.target.name].take();
            list["targets"] = json!({ name: entry });
        })
    }

    fn of_target(&self, field: &str, value: Value) -> Value {
        self.changed(|list| list["targets"][&self.target.name][field] = value)
    }

    fn of_custom(&self, field: &str, value: Value) -> Value {
        self.changed(|list| list["targets"][&self.target.name]["custom"][field] = value)
    }

    fn delegated(&self, name: &str, paths: &[&str], threshold: u64) -> Value {
        let key = TestKey::from_seed(99);
        let role = json!({
            "keyids": [key.id()], "name": name, "paths": paths, "terminating": true, "threshold": threshold,
        });
        self.changed(|list| {
            list["delegations"] = json!({ "keys": { key.id(): key.public() }, "roles": [role] });
        })
    }
}

fn wrong_names(draft: &Draft) -> Vec<(&'static str, Value)> {
    let name = &draft.target.name;
    vec![
        ("a file that is not recorded", draft.named("acme/notes/stable/linux/amd64/other-1.0.0.deb")),
        ("a name that leads elsewhere", draft.named(&format!("../{name}"))),
        ("an encoded one", draft.named(&name.replacen("notes", "%2e%2e", 1))),
        ("dots inside", draft.named(&name.replacen("notes", "x/../notes", 1))),
        ("another encoding", draft.named(&name.replacen("notes", "%6eotes", 1))),
        ("a slash before it", draft.named(&format!("/{name}"))),
    ]
}

fn wrong_files(draft: &Draft) -> Vec<(&'static str, Value)> {
    let wrong = "0".repeat(64);
    vec![
        ("another length", draft.of_target("length", json!(1))),
        ("other digests", draft.of_target("hashes", json!({ "sha256": wrong, "sha512": wrong.repeat(2) }))),
        (
            "one digest",
            draft.of_target("hashes", json!({ "sha256": spindrift_tests::sha256_hex(&draft.target.bytes) })),
        ),
        ("another repository", draft.of_custom("repository", json!("acme/zzz"))),
        ("another version", draft.of_custom("version", json!("9.9.9"))),
        ("another channel", draft.of_custom("channel", json!("nightly"))),
        ("another platform", draft.of_custom("platform", json!("windows"))),
        ("another architecture", draft.of_custom("arch", json!("arm64"))),
        ("another package", draft.of_custom("package", json!("rpm"))),
    ]
}

fn wrong_heads(draft: &Draft, current: u64) -> Vec<(&'static str, Value)> {
    vec![
        (
            "the version of now",
            draft.changed(|list| {
                list["version"] = json!(current);
                list["targets"] = json!({});
            }),
        ),
        ("far ahead", draft.changed(|list| list["version"] = json!((1_u64 << 53) - 1))),
        (
            "two days ahead",
            draft.changed(|list| {
                list["version"] = json!(list["version"].as_u64().unwrap() + 2 * 24 * 60 * 60);
            }),
        ),
        ("over", draft.changed(|list| list["expires"] = json!("2020-01-01T00:00:00Z"))),
        ("for ever", draft.changed(|list| list["expires"] = json!("2999-01-01T00:00:00Z"))),
    ]
}

fn wrong_delegations(draft: &Draft) -> Vec<(&'static str, Value)> {
    vec![
        ("a role that leads elsewhere", draft.delegated("channel-../zzz", &["*/*/zzz/*/*/*"], 1)),
        ("a role that is not a channel", draft.delegated("zzz", &["*/*/zzz/*/*/*"], 1)),
        ("patterns of everything", draft.delegated("channel-beta", &["*"], 1)),
        ("patterns of another channel", draft.delegated("channel-beta", &["*/*/stable/*/*/*"], 1)),
        ("no patterns", draft.delegated("channel-beta", &[], 1)),
        ("threshold 0", draft.delegated("channel-beta", &["*/*/beta/*/*/*"], 0)),
    ]
}
