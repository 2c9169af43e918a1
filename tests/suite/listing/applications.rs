//! Applications with a repository.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Multipart, World, on_hosts};

use super::begin;

on_hosts! {
    every: [a_repository_is_ended_before_what_it_needs],
}

fn update(acme: &Account, change: Value) -> Answer {
    let mut data = change;
    data["id"] = json!(acme.app_id("notes"));
    acme.post_multipart("/app/update", Multipart::new().field("data", data.to_string())).send()
}

fn a_repository_is_ended_before_what_it_needs(host: Driver) {
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
        "tuf cannot be turned off while the application has a repository",
    );
    refused(
        update(&acme, json!({ "private": true })),
        "private cannot change while the application has a repository",
    );
    let delete = format!("/app/delete?id={}", acme.app_id("notes"));
    refused(acme.delete(&delete).send(), "the application is used by its repository of signed metadata");
    let _ = update(&acme, json!({ "tuf": true, "private": false, "description": "Notes." })).expect(200);
}
