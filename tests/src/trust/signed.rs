//! Roles with their signatures.

use serde_json::{Value, json};

use super::canonical::canonical;
use super::key::TestKey;

/// The file of a role, signed with these keys: ordinary JSON with sorted names and no white space.
pub fn signed<'a>(role: &Value, keys: impl IntoIterator<Item = &'a TestKey>) -> Vec<u8> {
    signed_as(role, keys.into_iter().map(|key| (key.id(), key)))
}

/// Like [`signed`], with keys under other names than theirs.
pub fn signed_as<'a>(role: &Value, keys: impl IntoIterator<Item = (String, &'a TestKey)>) -> Vec<u8> {
    let text = canonical(role);
    let sign = |(id, key): (String, &TestKey)| json!({ "keyid": id, "sig": key.sign(text.as_bytes()) });
    let signatures: Vec<_> = keys.into_iter().map(sign).collect();
    json!({ "signatures": signatures, "signed": role }).to_string().into_bytes()
}
