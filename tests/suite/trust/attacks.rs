//! Attacks by a hostile mirror or a thief of keys. A module is an attack; each test shows first that the same thing without
//! the attack is accepted. `crates/trust/attacks.md` has the outcome in a table.

mod arbitrary_software;
mod endless_data;
mod fast_forward;
mod freeze;
mod hosted;
mod malformed_metadata;
mod mix_and_match;
mod parsers;
mod rollback;
mod root_threshold;
mod slow_data;
mod stolen_keys;
mod taken_bucket;
mod taken_service;
mod wrong_target;

use spindrift_tests::trust::client::{NOT_LISTED, clients_and_library};
use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::place::{Place, Places};
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::{Channel, TestTarget};

use super::{APP, Installation, OWNER, days_ago, gets, installations_of, package, refuses};

/// Errors of clients about metadata that too few of its signers have signed.
const UNSIGNED: [&str; 3] = ["Signature threshold", "UnsignedMetadataError", "signed by"];

/// A mirror with installations that have seen what it showed first.
struct Scene {
    places: Places,
    /// The root that applications are built with.
    root: Vec<u8>,
    known: Vec<(Place, Installation)>,
}

impl Scene {
    /// A good repository. Installations with its root see it, and get these targets.
    fn of(good: &TestRepository, targets: &[&TestTarget]) -> Self {
        let scene = Self::built_with(good, good.root());
        scene.known_get(targets);
        scene
    }

    /// Nobody has looked yet.
    fn built_with(shown: &TestRepository, root: &[u8]) -> Self {
        let places = Places::of(shown);
        let known = installations(&places, root);
        Self { places, root: root.to_vec(), known }
    }

    /// From now on the mirror is this.
    fn show(&self, repository: &TestRepository) {
        self.places.show(repository);
    }

    /// Installations that have never looked.
    fn fresh(&self) -> Vec<(Place, Installation)> {
        installations(&self.places, &self.root)
    }

    /// Installations with state get all of these.
    fn known_get(&self, targets: &[&TestTarget]) {
        get(&self.known, targets);
    }

    /// New installations get all of these.
    fn fresh_get(&self, targets: &[&TestTarget]) {
        get(&self.fresh(), targets);
    }

    /// Everybody gets all of these.
    fn all_get(&self, targets: &[&TestTarget]) {
        self.known_get(targets);
        self.fresh_get(targets);
    }

    /// Installations with state refuse, for the reasons of tough, python-tuf and tuf-js.
    fn known_refuse(&self, target: &TestTarget, reasons: [&str; 3]) {
        refuse(&self.known, target, reasons);
    }

    /// New installations refuse.
    fn fresh_refuse(&self, target: &TestTarget, reasons: [&str; 3]) {
        refuse(&self.fresh(), target, reasons);
    }

    /// Everybody refuses.
    fn all_refuse(&self, target: &TestTarget, reasons: [&str; 3]) {
        self.known_refuse(target, reasons);
        self.fresh_refuse(target, reasons);
    }
}

/// An application with every client, for each of the places.
fn installations(places: &Places, root: &[u8]) -> Vec<(Place, Installation)> {
    installations_of(&clients_and_library(), places, root)
}

fn get(apps: &[(Place, Installation)], targets: &[&TestTarget]) {
    for (place, app) in apps {
        for target in targets {
            gets(app, place, target);
        }
    }
}

fn refuse(apps: &[(Place, Installation)], target: &TestTarget, reasons: [&str; 3]) {
    for (place, app) in apps {
        refuses(app, place, target, reasons);
    }
}

/// A repository of some days ago with a package in the list of all and one in the list of a channel.
fn with_channel(ago: i64) -> (TestRepository, TestTarget, TestTarget) {
    let (nightly, stable) = (package("nightly", "1.0.0"), package("stable", "1.0.0"));
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(ago));
    repository
        .delegate(Channel { name: "stable".to_owned(), signers: Signers::one_of([200]) }, days_ago(ago));
    repository.publish([nightly.clone(), stable.clone()], days_ago(ago));
    (repository, nightly, stable)
}
