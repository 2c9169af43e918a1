//! The notice about signals that the copies of an application do not send.

use std::time::Duration;

use spindrift_tests::{Driver, Release, on_hosts, until};

use super::session::Session;
use crate::reports;
use crate::telemetry::counting;

on_hosts! {
    every: [],
    hosted: [
        a_notice_says_what_copies_do_not_send,
        copies_that_check_after_a_release_are_noticed,
    ],
}

/// Longest time until a device is counted.
const SOON: Duration = Duration::from_secs(20);
/// The link of the notice.
const KIT: &str = "<a href=\"/console/setup/snippets?app=notes#kit\">Add a kit</a>";

fn a_notice_says_what_copies_do_not_send(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app("todo");
    let session = Session::of(&world, &acme);
    let shows = |text: &str| {
        let page = session.page("apps/notes");
        assert!(page.contains(text) && page.matches(KIT).count() == 1, "{text}: {page}");
    };
    assert!(!session.page("apps/notes").contains("Add a kit"), "nobody checks yet");

    // Nothing is published, so there is no record that answers without being renewed.
    acme.check("1.0.0");
    shows("none sends a device id, and failure reports are off");
    assert!(!session.page("apps/todo").contains("Add a kit"));
    assert!(!session.page("").contains("Add a kit"), "not on the list");
    assert!(session.page("setup/snippets?app=notes").contains("<section id=\"kit\">"));

    reports::set_reports(&acme, "notes", true);
    shows("none has sent a device id or a failure report");
    let key = reports::key(&acme, "notes").unwrap();
    let _ = reports::send(world.client(), &key, "device", &reports::failure()).expect(202);
    shows("none sends a device id, which rollouts in parts and the guard need");

    acme.check_as("device", "1.0.0");
    until("the device is counted", SOON, || {
        (!session.page("apps/notes").contains("Add a kit")).then_some(())
    });
}

fn copies_that_check_after_a_release_are_noticed(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    let _ = reports::send(world.client(), &key, "device", &reports::failure()).expect(202);
    acme.publish(Release::new("1.0.0"));
    let session = Session::of(&world, &acme);
    assert!(!session.page("apps/notes").contains("Add a kit"), "nobody checks yet");

    world.age_records(61);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");

    let page = session.page("apps/notes");
    assert!(page.contains("none sends a device id") && page.contains(KIT), "{page}");
}
