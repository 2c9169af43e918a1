//! Updates that are listed and not offered.

use std::time::{Duration, SystemTime};

use spindrift_tests::trust::app::App;

use super::{days_ago, is, offering, package};

/// As if the state were this much older.
fn age(app: &App, days: u64) {
    app.edit_state(|state| {
        for since in state["sights"].as_object_mut().unwrap().values_mut() {
            *since = (since.as_u64().unwrap() - days * 24 * 60 * 60).into();
        }
    });
}

#[test]
fn an_update_that_is_not_offered_for_two_weeks_is_a_warning() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    web.offer(None);
    assert_eq!(app.withheld(), None);
    age(&app, 13);
    assert_eq!(app.withheld(), None);
    age(&app, 1);
    let withheld = app.withheld().unwrap();
    assert_eq!(withheld.version, "1.1.0");
    let days = SystemTime::now().duration_since(withheld.since).unwrap().as_secs() / (24 * 60 * 60);
    assert_eq!(days, 14);

    // Now it is offered, and the time begins again.
    web.offer(Some("1.1.0"));
    assert_eq!(app.withheld(), None);
    is(app.update(), &target);
    web.offer(None);
    age(&app, 13);
    assert_eq!(app.withheld(), None);
    age(&app, 1);
    assert_eq!(app.withheld().unwrap().version, "1.1.0");
}

#[test]
fn an_offer_of_an_older_version_does_not_count_for_a_newer_one() {
    let (web, mut repository, _) = offering(2);
    repository.publish([package("stable", "1.2.0")], days_ago(1));
    web.serve(&repository);
    let app = App::new(&web, repository.root());
    assert_eq!(app.withheld(), None);
    age(&app, 14);
    app.update().unwrap();
    assert_eq!(app.withheld().unwrap().version, "1.2.0");
}

#[test]
fn only_what_this_installation_could_install_is_withheld() {
    let (web, mut repository, _) = offering(2);
    repository.publish([package("beta", "1.2.0")], days_ago(1));
    web.serve(&repository);
    web.offer(None);
    let at_once = |app: App| {
        app.with(|mut config| {
            config.settings.withheld_after = Duration::ZERO;
            config
        })
    };
    let version = |app: App| at_once(app).withheld().map(|withheld| withheld.version);
    let installed = |version: &str| {
        let version = version.to_owned();
        App::new(&web, repository.root()).installed(|mut options| {
            options.version = version;
            options
        })
    };
    assert_eq!(version(installed("1.0.0")).as_deref(), Some("1.1.0"));
    assert_eq!(version(installed("1.1.0")), None);
    let beta = installed("1.0.0").with(|config| config.with_accepted_channels(["beta"]));
    assert_eq!(version(beta).as_deref(), Some("1.2.0"));
}
