//! A publisher whose repository the service keeps.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::key::{Signers, TestKey};
use super::place::Place;
use super::role::{self, Channel, TestTarget};
use super::signed::signed;
use crate::account::Account;
use crate::answer::Answer;
use crate::storage::PUBLIC_BUCKET;
use crate::world::World;

const ROOT_DAYS: i64 = 730;
const LIST_DAYS: i64 = 365;

/// Offline keys, and the application that they sign for.
#[derive(Debug, Clone)]
pub struct Publisher {
    account: Account,
    app: String,
    pub root: Signers,
    pub targets: Signers,
}

/// The content of a root besides its version: the keys that it names.
#[derive(Debug, Clone)]
pub struct Named {
    pub root: Signers,
    /// For targets; of the publisher, or the service's key.
    pub targets: Vec<Value>,
    /// How many of them have to sign.
    pub threshold: u64,
    /// For snapshot and timestamp.
    pub online: Value,
}

impl Publisher {
    /// Goes on with another login of the account.
    pub fn log_in_as(&mut self, account: &Account) {
        self.account = account.clone();
    }

    /// A publisher of an application of this account.
    pub fn new(account: &Account, app: &str) -> Self {
        let (root, targets) = (Signers::one_of([8, 9]), Signers::one_of([10]));
        Self { account: account.clone(), app: app.to_owned(), root, targets }
    }

    /// Sends a request about the application.
    pub fn get(&self, path: &str) -> Answer {
        self.account.get(&self.path(path)).send()
    }

    /// Sends a body about the application.
    pub fn send(&self, path: &str, body: Value) -> Answer {
        self.account.post_json(&self.path(path), body).send()
    }

    pub fn send_text(&self, path: &str, body: &str) -> Answer {
        let call = self.account.post(&self.path(path)).header("content-type", "application/json");
        call.body(body.as_bytes()).send()
    }

    fn path(&self, path: &str) -> String {
        let separator = if path.contains('?') { '&' } else { '?' };
        format!("/tuf/v1/{path}{separator}appName={}", self.app.replace(' ', "%20"))
    }

    /// A key of the service: `online_key`, `next_online_key`, `targets_key` or `next_targets_key`.
    pub fn service_key(&self, which: &str) -> Value {
        self.get("bootstrap").expect(200).json()["data"][which].clone()
    }

    /// The keys of the first root.
    pub fn named(&self) -> Named {
        Named {
            root: self.root.clone(),
            targets: self.targets.keys.iter().map(entry).collect(),
            threshold: self.targets.threshold,
            online: self.service_key("online_key"),
        }
    }

    /// A root, signed by these keys.
    pub fn root_file(&self, version: u64, named: &Named, signers: &[TestKey]) -> Value {
        file(&root(version, after(ROOT_DAYS), named), signers)
    }

    /// Targets of the next version, signed by the publisher's keys.
    pub fn list(&self, files: &[TestTarget]) -> Value {
        file(&self.unsigned_list(files, &[]), &self.targets.keys)
    }

    /// Targets of the next version, which nobody has signed.
    pub fn unsigned_list(&self, files: &[TestTarget], channels: &[Channel]) -> Value {
        role::targets(self.next_version("targets"), after(LIST_DAYS), files, channels)
    }

    /// The version of the next list: it follows the current one, or is the Unix time in seconds if
    /// that is greater.
    pub fn next_version(&self, role: &str) -> u64 {
        let second = u64::try_from(Timestamp::now().as_second()).expect("a time after 1970");
        self.version(role).map_or(1, |version| version + 1).max(second)
    }

    /// The version of the current list of a role: `targets`, or a channel's.
    pub fn version(&self, role: &str) -> Option<u64> {
        let (path, name) = match role {
            "targets" => ("metadata/targets".to_owned(), "trusted_targets"),
            channel => (format!("metadata/delegated?roleName={channel}"), "trusted_delegated"),
        };
        let answer = self.get(&path);
        let known = (answer.status == 200).then(|| answer.json());
        known.and_then(|body| body["data"][name]["signed"]["version"].as_u64())
    }

    /// Starts the repository with root 1.
    pub fn start(&self, targets: Option<&Value>) -> Answer {
        let root = self.root_file(1, &self.named(), &self.root.keys[..1]);
        self.start_with(json!({ "metadata": { "root": root, "targets": targets } }))
    }

    /// Starts the repository with a body that lacks only the application's name.
    pub fn start_with(&self, mut body: Value) -> Answer {
        body["appName"] = json!(self.app);
        self.account.post_json("/tuf/v1/bootstrap", body).send()
    }

    /// Sends targets with these files, made from the current ones.
    pub fn publish(&self, files: &[TestTarget]) -> Answer {
        let base = self.version("targets").unwrap_or(0);
        self.send("metadata", json!({ "metadata": { "targets": self.list(files) }, "base": base }))
    }

    /// The bytes of the current root.
    pub fn pinned_root(&self) -> Vec<u8> {
        self.get("metadata/root").expect(200).json()["data"]["trusted_root"].to_string().into_bytes()
    }

    pub fn bucket(&self, world: &World) -> Place {
        let base = format!("{}/{PUBLIC_BUCKET}", world.store().url());
        let path = role::target_name(&format!("{}/{}", self.account.name(), self.app));
        Place {
            name: "bucket",
            metadata: format!("{base}/tuf_metadata/{path}/"),
            targets: format!("{base}/"),
            prefixed: false,
        }
    }

    pub fn service(&self, world: &World) -> Place {
        Place::of_service(&world.url(), &role::target_name(&format!("{}/{}", self.account.name(), self.app)))
    }
}

pub fn file(role: &Value, signers: &[TestKey]) -> Value {
    serde_json::from_slice(&signed(role, signers)).expect("a file")
}

/// A key as `GET /tuf/v1/bootstrap` shows it.
pub fn entry(key: &TestKey) -> Value {
    let mut entry = key.public();
    entry["keyid"] = json!(key.id());
    entry
}

/// Days from now.
pub fn after(days: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(24 * days)
}

/// A root that nobody has signed.
pub fn root(version: u64, expires: Timestamp, named: &Named) -> Value {
    let people = named.root.keys.iter().map(entry);
    let all = people.chain(named.targets.iter().cloned()).chain([named.online.clone()]);
    let keys: Map<String, Value> = all.map(without_id).collect();
    let ids = |keys: &[Value]| keys.iter().map(|key| key["keyid"].clone()).collect::<Vec<_>>();
    let online = json!({ "keyids": [named.online["keyid"]], "threshold": 1 });
    json!({
        "_type": "root",
        "consistent_snapshot": true,
        "expires": role::written(expires),
        "keys": keys,
        "roles": {
            "root": { "keyids": named.root.ids(), "threshold": named.root.threshold },
            "snapshot": online,
            "targets": { "keyids": ids(&named.targets), "threshold": named.threshold },
            "timestamp": online,
        },
        "spec_version": role::SPEC_VERSION,
        "version": version,
    })
}

fn without_id(mut entry: Value) -> (String, Value) {
    let fields = entry.as_object_mut().expect("a key");
    let id = fields.remove("keyid").expect("an id");
    (id.as_str().expect("a text").to_owned(), entry)
}
