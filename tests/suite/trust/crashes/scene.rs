//! A repository in which calls are killed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;
use spindrift_tests::trust::client::{Client, Installation, clients_and_library};
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{
    Account, Answer, Client as HttpClient, Driver, PUBLIC_BUCKET, Release, World, tauri_signature, until,
};
use spindrift_web::KeyValue as _;

use super::super::gets;
use super::Call;
use crate::feeds;
use crate::listing::{items, target};

/// How long a call is repeated that others keep from working.
const PATIENCE: Duration = Duration::from_secs(20);

/// The numbers that a place shows, by role.
type Numbers = BTreeMap<String, u64>;

/// A repository of `notes`, and everybody who looks at it.
pub(super) struct Scene {
    pub(super) world: World,
    pub(super) acme: Account,
    pub(super) publisher: Publisher,
    /// Is listed at all times.
    pub(super) anchor: TestTarget,
    pinned: Vec<u8>,
    /// The highest numbers that each place has shown.
    numbers: [Numbers; 2],
    /// Installations with state, for each of the places.
    apps: Vec<(usize, Installation)>,
    looks: usize,
    /// Whether the repository may be absent, or of another root than before.
    pub(super) may_end: bool,
}

/// `notes` with one release.
pub(super) fn notes(host: Driver) -> (World, Account) {
    let world = World::builder(host).in_memory().start();
    let acme = feeds::acme(&world);
    (world, acme)
}

/// A release that stays.
pub(super) fn upload_anchor(acme: &Account) {
    acme.publish(Release::new("1.0.0").with("arch", "arm64").with_digests());
}

/// Two files of one version: one of them for a feed.
pub(super) fn upload(acme: &Account, version: &str) {
    acme.publish(Release::new(version).with_digests());
    let of_feed = Release::empty(version).file("notes.AppImage", version).with("updater", "tauri");
    acme.publish(of_feed.with("signature", tauri_signature(Some(version))).with_digests());
}

/// All artifacts of a version as targets.
pub(super) fn targets(world: &World, acme: &Account, version: &str) -> Vec<TestTarget> {
    let items = items(acme);
    items.iter().filter(|item| item["version"] == version).map(|item| target(world, item)).collect()
}

impl Scene {
    /// The anchor is listed.
    pub(super) fn new(world: World, acme: Account, publisher: Publisher) -> Self {
        let anchor = targets(&world, &acme, "1.0.0").remove(0);
        let pinned = publisher.pinned_root();
        let at = |place: usize| {
            clients_and_library().into_iter().map(move |client| (place, client)).collect::<Vec<_>>()
        };
        let apps = at(0).into_iter().chain(at(1));
        let apps = apps.map(|(place, client)| (place, Installation::new(client, &pinned))).collect();
        let numbers = [Numbers::new(), Numbers::new()];
        let mut scene =
            Self { world, acme, publisher, anchor, pinned, numbers, apps, looks: 0, may_end: false };
        scene.look(true);
        scene
    }

    pub(super) fn places(&self) -> [Place; 2] {
        [self.publisher.service(&self.world), self.publisher.bucket(&self.world)]
    }

    /// Makes a call that is killed at a write. `false`: it has ended before.
    pub(super) fn dies(&self, at: u64, call: &Call, done: &[u16]) -> bool {
        let platform = self.world.platform();
        until("the call ends or is killed", PATIENCE, || {
            platform.die_after(at);
            let answer = call();
            let is_dead = platform.revive();
            let is_busy = is_busy(&answer);
            assert!(is_dead || is_busy || done.contains(&answer.status), "{}", answer.text());
            (is_dead || !is_busy).then_some(is_dead)
        })
    }

    /// As if so much time had passed that whoever was killed counts as dead.
    fn end_leases(&self) {
        let sql = "DELETE FROM leases; UPDATE upload_sessions SET busy_until = 0; \
             UPDATE incoming_uploads SET expires_at = 1; UPDATE object_claims SET expires_at = 1";
        self.world.database().execute_batch(sql).unwrap();
    }

    /// After somebody was killed. `is_late`: the lease is over, so that reads finish the work.
    pub(super) fn look_after_death(&mut self, is_late: bool, is_new: bool) {
        if is_late {
            self.end_leases();
        }
        if self.may_end {
            self.is_whole_or_absent();
        } else {
            self.look(is_new);
        }
        if !is_late {
            self.end_leases();
        }
    }

    /// Looks at both places as clients do, and at what is offered. `is_new`: with all clients.
    fn look(&mut self, is_new: bool) {
        self.numbers_do_not_fall();
        self.offers_what_is_listed();
        self.looks += 1;
        let places = self.places();
        for (index, (place, app)) in self.apps.iter().enumerate() {
            let is_fast = matches!(app.client(), Client::Tough | Client::Library);
            // One place each, and at the next look the other one.
            let has_turn = (index + place + self.looks).is_multiple_of(2);
            if has_turn && (is_fast || is_new) {
                gets(app, &places[*place], &self.anchor);
            }
            if is_fast && is_new {
                gets(&Installation::new(app.client(), &self.pinned), &places[*place], &self.anchor);
            }
        }
    }

    /// The round is over, and everything has succeeded.
    pub(super) fn look_after_round(&mut self) {
        if !self.may_end {
            self.numbers_do_not_fall();
            self.offers_what_is_listed();
        }
    }

    /// The service has everything or nothing, and no client is shown anything else than the anchor.
    fn is_whole_or_absent(&self) {
        let places = self.places();
        let answer = get(&places[0], "timestamp.json");
        if answer.status == 200 {
            let meta = &answer.json()["signed"]["meta"]["snapshot.json"]["version"];
            let snapshot = get(&places[0], &format!("{meta}.snapshot.json"));
            // A read may have ended what was killed.
            assert!(snapshot.status == 200 || get(&places[0], "timestamp.json").status == 404);
        } else {
            assert_eq!(answer.status, 404, "{}", answer.text());
        }
        let root = get(&places[0], "1.root.json");
        for (place, app) in self.apps.iter().filter(|_| root.status == 200) {
            if matches!(app.client(), Client::Tough | Client::Library) {
                let app = Installation::new(app.client(), &root.body);
                if let Ok(verified) = app.update(&places[*place], &self.anchor) {
                    assert_eq!(verified.bytes, self.anchor.bytes);
                }
            }
        }
    }

    pub(super) fn numbers_do_not_fall(&mut self) {
        let places = self.places();
        for (place, numbers) in places.iter().zip(&mut self.numbers) {
            let now = shown(place, numbers.get("root").copied().unwrap_or(1));
            for (role, before) in &*numbers {
                let falls = now.get(role).is_none_or(|now| now < before);
                assert!(!falls, "{role} at {} fell: {numbers:?} {now:?}", place.name);
            }
            *numbers = now;
        }
    }

    /// Nothing is offered that the service does not list, as soon as answers that were kept are over.
    pub(super) fn offers_what_is_listed(&self) {
        self.forget_kept_answers();
        let before = self.listed();
        let check = self.world.get(&self.acme.check_path("0.0.1")).send();
        let feed = self.world.get(&feeds::path("linux", "0.0.1", "tauri.json")).send();
        let after = self.listed();
        let base = format!("{}/{PUBLIC_BUCKET}/", self.world.store().url());
        for answer in [check, feed] {
            assert!(matches!(answer.status, 200 | 204 | 404), "{} {}", answer.status, answer.text());
            let text = answer.text();
            for link in text.split(&base).skip(1) {
                let name = link.split(['"', '?']).next().unwrap();
                assert!(before.contains(name) || after.contains(name), "{name} is offered: {before:?}");
            }
        }
    }

    /// As if a minute had passed, in which no check was answered from what is kept.
    fn forget_kept_answers(&self) {
        let platform = self.world.platform();
        for key in platform.stored_keys() {
            platform.delete(&key).unwrap();
        }
    }

    /// The files in the service's current list.
    fn listed(&self) -> BTreeSet<String> {
        let place = &self.places()[0];
        let snapshot = snapshot(place);
        let version = &snapshot["meta"]["targets.json"]["version"];
        let list = signed(get(place, &format!("{version}.targets.json")));
        list["targets"].as_object().unwrap().keys().cloned().collect()
    }
}

/// Repeats the call, which has to succeed now. While another one works it is repeated, as the command does.
pub(super) fn finish(call: &Call, done: &[u16]) {
    until("the repeated call ends", PATIENCE, || {
        let answer = call();
        let is_over = !is_busy(&answer);
        assert!(!is_over || done.contains(&answer.status), "{} {}", answer.status, answer.text());
        is_over.then_some(())
    });
}

/// Whether another call works.
fn is_busy(answer: &Answer) -> bool {
    answer.status == 503 || answer.code() == "busy"
}

fn get(place: &Place, file: &str) -> Answer {
    static CLIENT: LazyLock<HttpClient> = LazyLock::new(|| HttpClient::new(""));
    CLIENT.get(&format!("{}{file}", place.metadata)).send()
}

fn signed(answer: Answer) -> Value {
    answer.expect(200).json()["signed"].take()
}

fn snapshot(place: &Place) -> Value {
    let timestamp = signed(get(place, "timestamp.json"));
    let version = &timestamp["meta"]["snapshot.json"]["version"];
    signed(get(place, &format!("{version}.snapshot.json")))
}

/// The numbers at a place. `root`: a root that is there.
fn shown(place: &Place, root: u64) -> Numbers {
    let timestamp = signed(get(place, "timestamp.json"));
    let snapshot = snapshot(place);
    let roots = (root..).take_while(|root| get(place, &format!("{root}.root.json")).status == 200);
    let root = roots.last().unwrap();
    let mut numbers = Numbers::from([("root".to_owned(), root)]);
    let _ = numbers.insert("timestamp".to_owned(), timestamp["version"].as_u64().unwrap());
    let _ = numbers.insert("snapshot".to_owned(), snapshot["version"].as_u64().unwrap());
    for (file, meta) in snapshot["meta"].as_object().unwrap() {
        let _ = numbers.insert(file.clone(), meta["version"].as_u64().unwrap());
    }
    numbers
}
