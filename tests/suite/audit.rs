//! The audit log: every change is one entry, and nobody changes the log unseen.

mod chain;
mod entries;
mod signed;
mod unchanged;

use serde_json::Value;
use spindrift_tests::Account;

/// The items of `GET /audit`, newest first.
fn items(account: &Account, query: &str) -> Vec<Value> {
    let body = account.get(&format!("/audit{query}")).ok();
    body["items"].as_array().unwrap().clone()
}

/// The kinds of the entries after place `after`, oldest first.
pub(crate) fn kinds_after(account: &Account, after: u64) -> Vec<String> {
    let items = items(account, &format!("?order=asc&limit=1000&after={after}"));
    items.iter().map(|item| item["kind"].as_str().unwrap().to_owned()).collect()
}

/// The place of the owner's last entry.
pub(crate) fn last(admin: &Account) -> u64 {
    admin.get("/audit/head").ok()["seq"].as_u64().unwrap()
}

/// The fields of the newest entry.
pub(crate) fn newest(account: &Account) -> Value {
    items(account, "?limit=1").remove(0)
}
