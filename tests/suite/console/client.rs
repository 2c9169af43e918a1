//! The page "What would a client get?": its explanation and the real answer agree.

use spindrift_tests::{Account, Driver, Release, World, bucket, on_hosts, squirrel, tauri};

use super::reader::Reader;

on_hosts! {
    every: [],
    hosted: [
        a_device_is_told_where_it_is_in_the_rollout,
        every_reason_agrees_with_the_answer,
        native_updaters_are_asked_for_their_feeds,
        a_question_that_is_refused_says_so,
        names_are_chosen_from_those_that_there_are,
        a_time_ahead_is_explained_and_not_asked,
    ],
}

/// The page's answer for a client of 1.0.0. A disagreement or a refusal would be an alert.
fn ask(reader: &Reader, query: &str) -> String {
    let page = reader.read(&format!("apps/notes/client?version=1.0.0&channel=stable&{query}"));
    assert!(page.contains("id=\"result\""), "{page}");
    assert!(!page.contains("role=\"alert\""), "{page}");
    page
}

fn scene(host: Driver) -> (World, Account) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    (world, acme)
}

const LINUX: &str = "platform=linux&arch=amd64";

fn a_device_is_told_where_it_is_in_the_rollout(host: Driver) {
    let (world, acme) = scene(host);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").rollout(50));
    let seed = acme.release("1.1.0").rollout_seed;
    let reader = Reader::of(&world, &acme);
    let device = |is_inside: bool| {
        let mut devices = (0..).map(|n| format!("device-{n}"));
        devices.find(|device| (bucket(device, &seed) < 50) == is_inside).unwrap()
    };
    let inside = ask(&reader, &format!("{LINUX}&device={}", device(true)));
    assert!(inside.contains("is offered <strong>1.1.0</strong>"), "{inside}");
    let outside = device(false);
    let page = ask(&reader, &format!("{LINUX}&device={outside}"));
    let position = format!("this device is at position {}", bucket(&outside, &seed));
    assert!(page.contains(&position) && page.contains("is offered <strong>nothing</strong>"), "{page}");
    let anonymous = ask(&reader, LINUX);
    assert!(anonymous.contains("with its rollout of 50 %"), "{anonymous}");
}

fn every_reason_agrees_with_the_answer(host: Driver) {
    let (world, acme) = scene(host);
    acme.create_channel("beta");
    acme.create_platform("windows");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));
    acme.publish(Release::new("1.2.0").intermediate());
    acme.publish(Release::new("1.3.0"));
    acme.publish(Release::new("1.4.0").with("channel", "beta"));
    acme.publish(Release::new("1.5.0").with("platform", "windows"));
    acme.upload(&Release::new("1.6.0"));
    let page = ask(&Reader::of(&world, &acme), &format!("{LINUX}&device=d"));
    for part in [
        "is offered <strong>1.2.0</strong>",
        "<strong>1.6.0</strong>: It is a draft",
        "<strong>1.5.0</strong>: It has no file for this platform",
        "<strong>1.4.0</strong>: It is in the channel beta",
        "<strong>1.3.0</strong>: 1.2.0 has to be installed first",
        "<strong>1.1.0</strong>: 1.2.0 is newer",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("&quot;update_available&quot;: true"), "{page}");
}

fn native_updaters_are_asked_for_their_feeds(host: Driver) {
    let (world, acme) = scene(host);
    acme.create_platform_with("windows", &["squirrel_windows", "tauri"]);
    acme.publish(squirrel("1.1.0", &[]));
    acme.publish(tauri("1.2.0", "notes.zip").with("platform", "windows"));
    let reader = Reader::of(&world, &acme);
    let page = ask(&reader, "platform=windows&arch=amd64");
    assert!(page.contains("GET /update/acme/notes/stable/windows/amd64/1.0.0/RELEASES"), "{page}");
    assert!(page.contains("is offered <strong>1.1.0</strong>"), "{page}");
    assert!(page.contains("that squirrel_windows can install"), "{page}");
    let page = ask(&reader, "platform=windows&arch=amd64&updater=tauri");
    assert!(page.contains("is offered <strong>1.2.0</strong>"), "{page}");
}

fn a_time_ahead_is_explained_and_not_asked(host: Driver) {
    let (world, acme) = scene(host);
    acme.publish(Release::new("1.1.0"));
    let reader = Reader::of(&world, &acme);
    let at = (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1)).to_string();
    let page = ask(&reader, &format!("{LINUX}&device=d&at={}", &at[..16]));
    assert!(page.contains("is offered <strong>1.1.0</strong>"), "{page}");
    assert!(!page.contains("<h2>The answer</h2>"), "{page}");
}

fn names_are_chosen_from_those_that_there_are(host: Driver) {
    let (world, acme) = scene(host);
    acme.create_channel("beta");
    let id = acme.publish(Release::new("1.0.0"));
    let reader = Reader::of(&world, &acme);
    for path in ["apps/notes/client?channel=beta&arch=mips", &format!("apps/notes/releases/{id}?tab=who")] {
        let page = reader.read(path);
        for field in ["channel", "platform", "arch"] {
            assert!(
                page.contains(&format!("<select name=\"{field}\"><option value=\"\"")),
                "{field}: {page}"
            );
        }
        assert!(page.contains("<option value=\"1.0.0\">"), "{page}");
    }
    let page = reader.read("apps/notes/client?channel=beta&arch=mips");
    assert!(page.contains("<option value=\"beta\" selected>beta</option>"), "{page}");
    assert!(page.contains("<option value=\"mips\" selected>mips</option>"), "a deleted name stays: {page}");
}

fn a_question_that_is_refused_says_so(host: Driver) {
    let (world, acme) = scene(host);
    acme.publish(Release::new("1.0.0"));
    let reader = Reader::of(&world, &acme);
    for (query, problem) in [
        ("version=1.0.0&channel=stable&platform=linux&arch=mips", "was not answered with an offer"),
        ("version=new", "invalid version parameter"),
        ("version=1.0.0&platform=linux&updater=tauri", "does not have the updater tauri"),
        ("version=1.0.0&device=%C3%BC", "A device id has"),
    ] {
        let page = reader.read(&format!("apps/notes/client?{query}"));
        assert!(page.contains("role=\"alert\"") && page.contains(problem), "{query}: {page}");
    }
    assert!(!reader.read("apps/notes/client").contains("role=\"alert\""));
}
