//! Failures of any part at any time: nothing is lost, nothing is half visible, callers are told, and it works again by
//! itself.
//! `docs/reliability.md` has the table.

mod calls;
mod clock;
mod deaths;
mod disk;
mod killed_host;
mod storage;

use serde_json::Value;
use spindrift_tests::Account;

/// Everything that an owner can see, without the times of changes: the answer to a repeated call is the same, its time is
/// not.
fn visible(owner: &Account) -> Vec<Value> {
    let paths = [
        "/app/list",
        "/channel/list",
        "/platform/list",
        "/arch/list",
        "/users/list",
        "/token/list",
        "/report-keys/list",
        "/download-tokens/list",
        "/search?limit=100",
        "/releases?app=notes&version=1.0.0",
        "/reports/groups",
        "/shutoffs",
        "/freezes",
        "/webhooks",
        "/device-groups?app=notes",
    ];
    paths.iter().map(|path| without_times(owner.get(path).ok())).collect()
}

fn without_times(value: Value) -> Value {
    let is_time = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.ends_with("_at") || name.ends_with("_seen") || matches!(&*name, "trend" | "revision")
    };
    match value {
        Value::Array(values) => values.into_iter().map(without_times).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(name, _)| !is_time(name))
            .map(|(name, value)| (name, without_times(value)))
            .collect(),
        other => other,
    }
}
