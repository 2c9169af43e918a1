//! An application's year: it looks, downloads, and looks again.

use spindrift_tests::trust::client::NOT_LISTED;
use spindrift_tests::trust::place::Places;

use super::{days_ago, gets, installations, package, refuses, repository};

#[test]
fn a_package_is_found_and_verified() {
    let target = package("stable", "1.0.0");
    let repository = repository(1, &target);
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        gets(&app, &place, &target);
        gets(&app, &place, &target);
        refuses(&app, &place, &package("stable", "1.1.0"), [NOT_LISTED; 3]);
    }
}

#[test]
fn a_publish_reaches_new_and_old_installations() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut repository = repository(1, &old);
    let places = Places::of(&repository);
    let mut apps = installations(&places, repository.root());
    for (place, app) in &apps {
        gets(app, place, &old);
    }
    repository.publish([new.clone()], days_ago(0));
    places.show(&repository);
    apps.extend(installations(&places, repository.root()));
    for (place, app) in &apps {
        gets(app, place, &new);
        gets(app, place, &old);
    }
}

#[test]
fn a_renewed_timestamp_needs_nothing_else() {
    let target = package("stable", "1.0.0");
    let mut repository = repository(1, &target);
    let places = Places::of(&repository);
    let apps = installations(&places, repository.root());
    for (place, app) in &apps {
        gets(app, place, &target);
    }
    repository.write_timestamp(days_ago(0));
    places.show(&repository);
    for (place, app) in &apps {
        gets(app, place, &target);
    }
}
