//! The service against its own description, with calls that schemathesis makes up.

use serde_json::{Value, json};
use spindrift_tests::contract::DOCUMENT;
use spindrift_tests::schemathesis::{Asked, ask};
use spindrift_tests::{Driver, World, inhabit};

/// Examples of each call: as many as fit in a minute.
const EXAMPLES: u32 = 8;
/// The calls that these are at least.
const CALLS: u64 = 2000;

#[test]
fn generated_calls_are_answered_as_described() {
    // Generated logins soon fail too often for one address.
    let world =
        World::builder(Driver::Embedded).with_variable("login_failures_per_address", "1000000").start();
    let known = inhabit(&world);
    let acme = world.login("acme", spindrift_tests::PASSWORD);
    let (app, url) = (acme.app_id("notes"), world.url());

    let asked = Asked {
        url: &url,
        document: &format!("{url}/openapi.json"),
        token: acme.authorization().trim_start_matches("Bearer "),
        examples: EXAMPLES,
        words: &[
            ("query.owner", &["acme", "globex"]),
            ("query.app_name", &["notes", "secret"]),
            ("query.appName", &["notes", "secret"]),
            ("query.version", &["0.1", "1.1.0", "9.0"]),
            ("query.channel", &["stable", "beta"]),
            ("query.platform", &["linux", "windows", "darwin"]),
            ("query.arch", &["amd64", "arm64"]),
            ("query.updater", &["manual", "tauri", "velopack", "squirrel_windows"]),
            ("query.app_id", &[&app]),
            ("query.download_token", &[known["download_token"].as_str().unwrap()]),
            ("path.owner", &["acme"]),
            ("path.app", &["notes"]),
            ("path.channel", &["stable", "beta"]),
            ("path.platform", &["linux", "windows", "darwin"]),
            ("path.arch", &["amd64", "arm64"]),
            ("path.version", &["0.1", "1.0.0"]),
            (
                "path.file",
                &["1.0.0.json", "scope.json", "RELEASES", "latest.yml", "tauri.json", "timestamp.json"],
            ),
            ("body.app_id", &[&app]),
            ("body.appName", &["notes"]),
            ("body.upload_id", &[known["upload_id"].as_str().unwrap()]),
        ],
        // The first two end the login of all the others. The last is also a path of `/releases/{id}`, so `Allow` names
        // GET.
        without: &["/logout/all", "/logout", "/releases/receipt"],
    };
    let Some(answered) = ask(&asked) else { return };

    assert!(answered.fits, "{}", answered.said);
    assert!(answered.calls > CALLS, "{}", answered.said);
}

#[test]
fn an_answer_that_is_not_described_is_noticed() {
    let world = World::new(Driver::InProcess);
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut health = document["paths"]["/health"].take();
    let _ = health["get"]["responses"].as_object_mut().unwrap().remove("200").unwrap();
    document["paths"] = json!({ "/health": health });
    let file = world.dir().join("wrong.json");
    std::fs::write(&file, document.to_string()).unwrap();

    let document = file.to_str().unwrap();
    let asked = Asked { url: &world.url(), document, token: "", examples: 1, words: &[], without: &[] };
    let Some(answered) = ask(&asked) else { return };

    assert!(!answered.fits);
    assert!(answered.said.contains("Undocumented status code"), "{}", answered.said);
}
