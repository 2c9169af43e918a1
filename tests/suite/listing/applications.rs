//! Applications with a repository.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Multipart, PUBLIC_BUCKET, World, on_hosts};

use super::begin;

on_hosts! {
    every: [a_repository_ends_with_its_application],
}

fn update(acme: &Account, change: Value) -> Answer {
    let mut data = change;
    data["id"] = json!(acme.app_id("notes"));
    acme.post_multipart("/app/update", Multipart::new().field("data", data.to_string())).send()
}

fn a_repository_ends_with_its_application(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _ = update(&acme, json!({ "tuf": true })).expect(200);
    let _ = update(&acme, json!({ "tuf": false })).expect(200);
    let _ = update(&acme, json!({ "tuf": true })).expect(200);
    let _publisher = begin(&acme);

    let refused = |answer: Answer, text: &str| {
        assert_eq!((answer.refusal(), answer.code()), ((409, text.to_owned()), "in_use".to_owned()));
    };
    refused(
        update(&acme, json!({ "tuf": false })),
        "tuf cannot change while the application has a repository",
    );
    refused(
        update(&acme, json!({ "private": true })),
        "private cannot change while the application has a repository",
    );
    let _ = update(&acme, json!({ "tuf": true, "private": false, "description": "Notes." })).expect(200);

    let metadata = || world.store().keys(PUBLIC_BUCKET, "tuf_metadata/acme/notes/");
    assert!(!metadata().is_empty());
    let _ = acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send().expect(200);
    assert_eq!(metadata(), Vec::<String>::new());
    let _ = world.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(404);
}
