//! The public and the closed parts of a private application.

use serde_json::json;
use spindrift_tests::{Account, Answer, Client, Driver, Release, World, on_hosts};

on_hosts! {
    every: [
        answers_of_checks_are_public,
        files_need_what_the_mode_says,
        drafts_are_in_no_answer_and_closed,
    ],
}

const NOTES: &str = "Fixes the hole that ann found";
const KEY: &str = "acme%2Fsecret%2Fstable%2Flinux%2Famd64%2Fsecret-1.0.0.deb";
const SCOPE: &str = "app_name=secret&owner=acme&channel=stable&platform=linux&arch=amd64";

fn acme(world: &World, mode: &str) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": mode }));
    acme
}

fn release() -> Release {
    Release::new("1.0.0").with("app_name", "secret").with("changelog", NOTES)
}

/// A check by somebody who knows the names and has no login.
fn strangers_check(world: &World) -> Answer {
    world.get(&format!("/checkVersion?{SCOPE}&version=0.1")).send().expect(200)
}

fn strangers_download(world: &World) -> u16 {
    // The storage's answer does not matter: a redirect means that access is granted.
    world.get(&format!("/download?key={KEY}")).send().status
}

fn answers_of_checks_are_public(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world, "login");
    acme.publish(release());

    let check = strangers_check(&world).json();

    assert_eq!((&check["version"], &check["changelog"]), (&json!("1.0.0"), &json!(NOTES)));
    assert!(check["update_url_deb"].as_str().unwrap().ends_with(KEY), "{check}");
    let latest = world.get("/apps/latest?app_name=secret&owner=acme").send().expect(302);
    assert!(latest.header("location").ends_with(KEY), "{:?}", latest.headers);
    let edge = world.get("/responses/acme/secret/stable/linux/amd64/0.1.json").send().expect(200);
    assert!(edge.text().contains(NOTES), "{}", edge.text());
}

fn files_need_what_the_mode_says(host: Driver) {
    for (mode, expected) in [("login", 401), ("token", 401), ("unlisted", 302)] {
        let world = World::new(host);
        acme(&world, mode).publish(release());
        assert_eq!(strangers_download(&world), expected, "{mode}");
    }
}

fn drafts_are_in_no_answer_and_closed(host: Driver) {
    for mode in ["login", "token", "unlisted"] {
        let world = World::new(host);
        let acme = acme(&world, mode);
        acme.upload(&release());

        let check = strangers_check(&world).text();
        assert!(!check.contains(NOTES) && !check.contains("1.0.0"), "{check}");
        let latest = world.get("/apps/latest?app_name=secret&owner=acme").send();
        assert_eq!(latest.status, 404, "{}", latest.text());
        assert!(matches!(strangers_download(&world), 401 | 404), "{mode}");
        let key = KEY.replace("%2F", "/");
        let guessed = format!("{}/{}/{key}", world.store().url(), spindrift_tests::PRIVATE_BUCKET);
        assert_eq!(Client::new("").get(&guessed).send().status, 403, "{mode}");
    }
}
