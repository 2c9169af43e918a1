//! A good body with one byte changed.

use serde_json::json;
use spindrift_tests::trust::publisher::file;
use spindrift_tests::{Driver, on_hosts};

use super::super::hosted::Hosted;
use super::{next_list, post, state};

on_hosts! {
    every: [],
    in_process: [one_changed_byte],
}

/// Each byte of a good body is changed in its turn; a few hundred of them, at the same places every time.
fn one_changed_byte(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    let list = file(&next_list(&hosted), &hosted.repository.keys.targets.keys);
    let body = json!({ "metadata": { "targets": list } }).to_string();
    let mut random = 1_u32;
    let mut statuses = std::collections::BTreeMap::new();
    for at in (0..body.len()).step_by(7) {
        let mut bytes = body.clone().into_bytes();
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes[at] ^= u8::try_from(random >> 24).unwrap() | 1;
        let call =
            hosted.acme.post("/tuf/v1/metadata?appName=notes").header("content-type", "application/json");
        let answer = call.body(&bytes).send();
        assert!(matches!(answer.status, 400 | 409), "byte {at}: {} {}", answer.status, answer.text());
        *statuses.entry((answer.status, answer.text())).or_insert(0_u32) += 1;
    }
    println!("{statuses:?}");
    assert_eq!(state(&hosted), before);
    let _taken = post(&hosted, "metadata", &body).expect(200);
}
