//! Signed metadata on pages: the signers, the waiting files, and the command to run.

use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Driver, World, on_hosts};

use super::session::Session;
use crate::reports::team_user;
use crate::trust::service::{acme, upload};

on_hosts! {
    every: [],
    hosted: [a_repository_is_shown_from_its_beginning],
}

fn a_repository_is_shown_from_its_beginning(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("unsigned");
    let session = Session::of(&world, &acme);
    let page = session.page("trust");
    assert!(page.contains("not begun") && page.contains("spindrift trust init --app notes"), "{page}");
    assert!(!page.contains("unsigned"), "{page}");

    let publisher = Publisher::new(&acme, "notes");
    let first = upload(&acme, "1.0.0");
    let _ = publisher.start(None).expect(202);
    let page = session.page("trust/notes");
    assert!(
        page.contains("no list yet") && page.contains("spindrift trust sign --app notes --stored"),
        "{page}"
    );

    let _ = publisher.publish(std::slice::from_ref(&first)).expect(200);
    let page = session.page("trust/notes");
    assert!(page.contains(">signed</span>") && !page.contains("Next steps"), "{page}");
    for key in publisher.root.keys.iter().chain(&publisher.targets.keys) {
        assert!(page.contains(&format!("title=\"{}\"", key.id())), "{page}");
    }
    let named = publisher.service_key("online_key")["keyid"].as_str().unwrap().to_owned();
    assert!(page.contains(&named) && page.contains("this service"), "{page}");
    for role in ["root", "targets", "snapshot", "timestamp"] {
        assert!(page.contains(&format!("<th scope=\"row\">{role}</th>")), "{role}: {page}");
    }
    assert!(page.contains("1 of 2"), "one of two root keys: {page}");
    assert_eq!(page.matches("<time ").count() - page.matches("again</dt>").count(), 4, "four ends: {page}");

    let _ = upload(&acme, "1.1.0");
    let page = session.page("trust");
    assert!(page.contains("1 file published without being signed"), "{page}");
    assert!(page.contains("spindrift trust sign --app notes --stored"), "{page}");

    // A root for two signers that only one has signed.
    let mut named = publisher.named();
    named.root.threshold = 2;
    let root = publisher.root_file(2, &named, &publisher.root.keys[..1]);
    let _ = publisher.send("metadata", json!({ "metadata": { "root": root } })).expect(200);
    let page = session.page("trust/notes");
    assert!(
        page.contains("Signatures are missing from root.")
            && page.contains("waits for signatures")
            && page.contains("1 of 1, and 1 of 2 by its own rule"),
        "{page}"
    );

    let viewer = team_user(&world, &acme, "viewer", json!({ "allowed": [acme.app_id("notes")] }));
    let session = Session::of(&world, &viewer);
    assert!(session.page("trust").contains("is shown to those who may edit the application"));
    assert_eq!(session.get("trust/notes").status, 404);
    assert_eq!(session.get("trust/unsigned").status, 404);
}
