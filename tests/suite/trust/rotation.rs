//! New keys.

use spindrift_tests::trust::client::{Client, clients};
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Places;

use super::{Installation, OLDER, days_ago, gets, installations, package, refuses, repository};

#[test]
fn every_key_is_replaced_twice_between_two_looks() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut repository = repository(3, &old);
    let first = repository.root().to_vec();
    let places = Places::of(&repository);
    let mut apps = installations(&places, &first);
    for (place, app) in &apps {
        gets(app, place, &old);
    }
    for (generation, ago) in [(2, 2), (3, 1)] {
        let next = RootKeys::generation(generation);
        repository.prepare(&next, days_ago(ago));
        repository.write_root(next, days_ago(ago));
        repository.write_list("targets", days_ago(ago));
        repository.settle(days_ago(ago));
    }
    repository.publish([new.clone()], days_ago(0));
    places.show(&repository);
    apps.extend(installations(&places, &first));
    for (place, app) in &apps {
        gets(app, place, &new);
        gets(app, place, &new);
    }
}

#[test]
fn both_roots_verify_while_keys_are_replaced() {
    let target = package("stable", "1.0.0");
    let mut repository = repository(2, &target);
    let root = repository.root().to_vec();
    let places = Places::of(&repository);
    let apps = installations(&places, &root);
    let next = RootKeys::generation(2);
    repository.prepare(&next, days_ago(1));
    places.show(&repository);
    for (place, app) in &apps {
        gets(app, place, &target);
    }
    repository.write_root(next, days_ago(0));
    places.show(&repository);
    for (place, app) in apps.iter().chain(&installations(&places, &root)) {
        gets(app, place, &target);
    }
}

#[test]
fn a_root_that_the_old_keys_did_not_sign_is_refused() {
    let target = package("stable", "1.0.0");
    let mut repository = repository(2, &target);
    let root = repository.root().to_vec();
    let stranger = RootKeys::generation(9);
    repository.keys = stranger.clone();
    repository.write_root(stranger, days_ago(1));
    repository.write_list("targets", days_ago(1));
    repository.settle(days_ago(1));
    let places = Places::of(&repository);
    for (place, app) in installations(&places, &root) {
        let reasons = ["Signature threshold", "UnsignedMetadataError", "signed by 0/1 keys"];
        refuses(&app, &place, &target, reasons);
    }
}

#[test]
fn what_was_known_before_a_rotation_is_known_after_it() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut repository = repository(3, &old);
    let first = repository.root().to_vec();
    let next = RootKeys::generation(2);
    repository.prepare(&next, days_ago(2));
    repository.write_root(next, days_ago(2));
    repository.write_list("targets", days_ago(2));
    repository.settle(days_ago(2));
    let yesterday = repository.clone();
    repository.publish([new.clone()], days_ago(0));

    for client in clients() {
        let places = Places::of(&repository);
        let app = Installation::new(client, &first);
        gets(&app, &places.bucket(), &new);
        places.show(&yesterday);
        refuses(&app, &places.bucket(), &old, OLDER);
    }

    // Begun with the pinned root it meets the rotation again each time, and forgets.
    let places = Places::of(&repository);
    let app = Installation::new(Client::ToughFromPinnedRoot, &first);
    gets(&app, &places.bucket(), &new);
    places.show(&yesterday);
    gets(&app, &places.bucket(), &old);
}
