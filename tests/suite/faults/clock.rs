//! A clock that is set back, and set right again: in between, all dates are in the future.

use serde_json::json;
use spindrift_core::Timestamp;
use spindrift_tests::trust::client::{Client, Installation};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts, tauri};
use spindrift_web::Clock as _;

use crate::feeds;
use crate::listing::begin_service;
use crate::reports::{failure, send};
use crate::trust::gets;
use crate::trust::service::upload;

on_hosts! {
    every: [],
    in_process: [the_clock_is_set_back_by_an_hour, the_clock_is_set_back_by_a_day, the_clock_is_set_back_by_a_week],
}

/// Seconds.
const HOUR: i64 = 60 * 60;

fn the_clock_is_set_back_by_an_hour(host: Driver) {
    set_back(host, HOUR);
}

fn the_clock_is_set_back_by_a_day(host: Driver) {
    set_back(host, 24 * HOUR);
}

fn the_clock_is_set_back_by_a_week(host: Driver) {
    set_back(host, 7 * 24 * HOUR);
}

fn set_back(host: Driver, seconds: i64) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = world.admin("acme").with_notes();
    let publisher = begin_service(&acme);
    let listed = upload(&acme, "1.0.0");
    let other = Other::new(&world);
    let numbers = publisher.version("targets").unwrap();

    let right = world.platform().now();
    world.platform().set_time(right.plus_seconds(-seconds));
    other.works_on_the_database(&world, &acme);
    // A storage refuses requests that are dated long ago.
    assert_eq!(acme.post("/maintenance/run").send().status, 502);
    let staged = acme.init(&Release::new("2.0.0").with_digests()).expect(200).json();
    assert_eq!(acme.check("0.1")["version"], "1.0.0");

    world.platform().set_time(Timestamp::from_millis(right.as_millis() + 1000));
    let complete = json!({ "upload_id": staged["upload_id"] });
    assert_eq!(acme.post_json("/upload/complete", complete).send().status, 410, "its URLs had expired");
    let second = upload(&acme, "2.0.0");
    assert_eq!(acme.check("0.1")["version"], "2.0.0", "at once");
    assert!(publisher.version("targets").unwrap() > numbers);
    let _ = acme.post("/maintenance/run").send().expect(200);
    for place in [publisher.service(&world), publisher.bucket(&world)] {
        let app = Installation::new(Client::Tough, &Publisher::pinned_root(&publisher));
        gets(&app, &place, &listed);
        gets(&app, &place, &second);
    }
    other.has_changed(&world);
}

/// An owner whose calls need no storage while the clock is wrong.
struct Other {
    globex: Account,
    key: String,
    release: String,
}

impl Other {
    fn new(world: &World) -> Self {
        let globex = world.admin("globex");
        globex.create_app_with(json!({ "app": "notes", "reports": true }));
        globex.create_channel("stable");
        globex.create_platform_with("linux", &["tauri"]);
        globex.create_arch("amd64");
        globex.publish(tauri("1.0.0", "notes.AppImage"));
        let release = globex.publish(tauri("2.0.0", "notes.AppImage"));
        let other = Self { key: crate::reports::key(&globex, "notes").unwrap(), globex, release };
        other.offers(world, "2.0.0");
        let _ = send(world.client(), &other.key, "device", &failure()).expect(202);
        other
    }

    fn offers(&self, world: &World, version: &str) {
        let path = feeds::path("linux", "0.1", "tauri.json").replace("acme", "globex");
        assert_eq!(world.get(&path).ok()["version"], version);
        let newest = self.globex.get("/apps/latest?app_name=notes&owner=globex").send().expect(302);
        assert!(newest.header("location").contains(version), "{newest:?}");
    }

    /// Every change shows at once, although kept records and revisions are of the future.
    fn works_on_the_database(&self, world: &World, acme: &Account) {
        let again = world.login("globex", PASSWORD);
        for (publish, version) in [(false, "1.0.0"), (true, "2.0.0"), (false, "1.0.0")] {
            let _ = again.edit(&self.release, json!({ "publish": publish })).expect(200);
            self.offers(world, version);
            world.advance(61);
            self.offers(world, version);
        }
        let _ = send(world.client(), &self.key, "another", &failure()).expect(202);
        again.create_channel("beta");
        assert_eq!(acme.get("/whoami").send().status, 200, "a login of before");
    }

    fn has_changed(&self, world: &World) {
        self.offers(world, "1.0.0");
        let _ = self.globex.edit(&self.release, json!({ "publish": true })).expect(200);
        self.offers(world, "2.0.0");
        assert_eq!(self.globex.get("/reports/groups").ok()["items"][0]["stats"]["count"], 2);
    }
}
