//! Repositories with the clients that applications use: each client loads, refuses and remembers what it should.
//!
//! In `channels`, `names`, `refusals`, `rotation` and `updates` the files are written by hand, and no service runs. In
//! `service_files` and `service_targets` a service serves them.

mod attacks;
mod backups;
mod channels;
mod crashes;
mod keys;
mod library;
mod names;
mod refresh;
mod reports;
mod rotation;
mod rules;
pub(crate) mod service;
mod service_files;
mod service_targets;
mod two_hosts;
mod updates;
mod upkeep;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use spindrift_tests::trust::client::{Client, Installation, NOT_LISTED, Verified, clients};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::{Place, Places};
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, World};

const OWNER: &str = "acme";
const APP: &str = "notes";

/// Errors of clients about metadata that is older than the metadata they know.
const OLDER: [&str; 3] = ["when we had previously fetched", "BadVersionNumberError", "BadVersionError"];

/// Whole days before now. A timestamp of less than seven days ago is still good.
fn days_ago(ago: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * ago)
}

/// The listed properties of a package for Windows.
fn custom(channel: &str, version: &str) -> Value {
    json!({
        "arch": "amd64",
        "channel": channel,
        "package": "zip",
        "platform": "windows",
        "repository": format!("{OWNER}/{APP}"),
        "version": version,
    })
}

/// A package of the app itself, under the first of the two shapes of keys.
fn package(channel: &str, version: &str) -> TestTarget {
    let key = format!("{OWNER}/{APP}/{channel}/windows/amd64/{APP}-{version}.zip");
    TestTarget::new(&key, format!("{channel} {version}").as_bytes(), custom(channel, version))
}

/// The service of a world with the application `notes` of `acme`, whose releases have the digests that targets need.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin(OWNER);
    acme.create_app_with(json!({ "app": APP, "tuf": true }));
    with_scope(&acme);
    acme
}

/// The dimensions of releases.
fn with_scope(acme: &Account) {
    acme.create_channel("stable");
    acme.create_platform("linux");
    acme.create_arch("amd64");
}

/// The target that an uploaded file becomes.
fn uploaded(key: &str, bytes: &str, version: &str) -> TestTarget {
    let package = key.rsplit_once('.').map_or("no-extension", |(_, package)| package);
    let custom = json!({
        "arch": "amd64",
        "channel": "stable",
        "package": package,
        "platform": "linux",
        "repository": format!("{OWNER}/{APP}"),
        "version": version,
    });
    TestTarget::new(key, bytes.as_bytes(), custom)
}

/// A repository of some days ago with one package.
fn repository(ago: i64, target: &TestTarget) -> TestRepository {
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(ago));
    repository.publish([target.clone()], days_ago(ago));
    repository
}

/// The target arrives, with everything that is said of it.
pub(crate) fn gets(app: &Installation, place: &Place, target: &TestTarget) {
    let verified = app.update(place, target);
    let expected = Verified { bytes: target.bytes.clone(), custom: target.custom.clone() };
    assert_eq!(verified, Ok(expected), "{} at {}", target.name, place.name);
}

/// No file arrives, for the reason that this client gives: `reasons` are those of tough, python-tuf and tuf-js.
fn refuses(app: &Installation, place: &Place, target: &TestTarget, reasons: [&str; 3]) {
    let said = app.update(place, target).unwrap_err();
    println!("{} at {}: {said}", app.client().name(), place.name);
    let expected = match app.client() {
        Client::PythonTuf(_) => vec![reasons[1]],
        Client::TufJs(_) => vec![reasons[2]],
        Client::Tough | Client::ToughFromPinnedRoot => vec![reasons[0]],
        Client::Library => words_of_library(reasons[0]),
    };
    let is_expected = expected.iter().any(|reason| said.contains(reason));
    assert!(is_expected, "{} at {} says: {said}", app.client().name(), place.name);
}

/// The library's words where tough says this: the same, if it is about metadata and the library has not noticed first.
fn words_of_library(of_tough: &str) -> Vec<&str> {
    let own: &[_] = match of_tough {
        NOT_LISTED => &["is not listed"],
        "Hash mismatch" => &["sha256 digest", "bytes instead of"],
        "Maximum size" => &["over the limit", "bytes instead of"],
        "Peer disconnected" => &["connection failed", "bytes instead of"],
        "timeout" => &["no answer in time"],
        "not found" => &["404"],
        _ => &[],
    };
    [of_tough].into_iter().chain(own.iter().copied()).collect()
}

/// An application with every client, for each of the places.
fn installations(places: &Places, root: &[u8]) -> Vec<(Place, Installation)> {
    installations_of(&clients(), places, root)
}

/// An application with each of these clients, for each of the places.
fn installations_of(clients: &[Client], places: &Places, root: &[u8]) -> Vec<(Place, Installation)> {
    let at =
        |place: Place| clients.iter().map(move |client| (place.clone(), Installation::new(*client, root)));
    places.both().into_iter().flat_map(at).collect()
}
