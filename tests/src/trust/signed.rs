//! Roles with their signatures.

use serde_json::{Value, json};

use super::canonical::canonical;
use super::key::TestKey;

/// The file of a role, signed with these keys: ordinary JSON with sorted names and no white space.
pub fn signed<'a>(role: &Value, keys: impl IntoIterator<Item = &'a TestKey>) -> Vec<u8> {
    let text = canonical(role);
    let sign = |key: &TestKey| json!({ "keyid": key.id(), "sig": key.sign(text.as_bytes()) });
    let signatures: Vec<_> = keys.into_iter().map(sign).collect();
    json!({ "signatures": signatures, "signed": role }).to_string().into_bytes()
}
