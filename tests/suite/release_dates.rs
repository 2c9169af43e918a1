//! `created_at` of an upload: the date of a release that was first published elsewhere.

use serde_json::json;
use spindrift_tests::{Account, Driver, Release, World, on_hosts, tauri};

on_hosts! {
    every: [
        a_release_keeps_its_date,
        feeds_show_the_date,
        a_date_in_the_future_is_now,
        invalid_times_are_refused,
        only_the_admin_dates_releases,
    ],
}

const DATE: &str = "2021-03-04T05:06:07+02:00";
const IN_UTC: &str = "2021-03-04T03:06:07+00:00";

fn dated(version: &str, date: &str) -> Release {
    Release::new(version).with("changelog", "new").with("created_at", date)
}

fn date_of(account: &Account, version: &str) -> String {
    account.release(version).changelog[0].date.clone()
}

fn a_release_keeps_its_date(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada").with_notes();
    let _ = ada.publish(dated("1.0.0", DATE));
    assert_eq!(date_of(&ada, "1.0.0"), IN_UTC);

    // Files that are added later, through the service, do not change it.
    let later =
        Release::empty("1.0.0").with("created_at", "2022-01-01T00:00:00Z").file("notes.rpm", "an rpm");
    let _ = ada.upload_in_one(&later).expect(200);
    assert_eq!(date_of(&ada, "1.0.0"), IN_UTC);
}

fn a_date_in_the_future_is_now(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada").with_notes();
    let _ = ada.publish(dated("1.0.0", "9999-01-01T00:00:00Z"));
    let _ = ada.publish(Release::new("1.1.0").with("changelog", "new"));
    assert!(date_of(&ada, "1.0.0") <= date_of(&ada, "1.1.0"), "{}", date_of(&ada, "1.0.0"));
}

fn invalid_times_are_refused(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada").with_notes();
    for bad in [json!("2021-03-04"), json!("yesterday"), json!(1_614_827_167)] {
        let answer = ada.init(&Release::new("1.0.0").with("created_at", bad.clone()));
        assert_eq!(answer.refusal(), (400, "invalid created_at".to_owned()), "{bad}");
    }
}

fn only_the_admin_dates_releases(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada").with_notes();
    let ci = ada.ci_token(&[&ada.app_id("notes")]);
    assert_eq!(ci.init(&dated("1.0.0", DATE)).refusal(), (403, "not allowed".to_owned()));
    let _ = ci.init(&Release::new("1.0.0")).expect(200);
}

fn feeds_show_the_date(host: Driver) {
    let world = World::new(host);
    let ada = world.admin("ada");
    ada.create_app("notes");
    ada.create_channel("stable");
    ada.create_platform_with("linux", &["manual", "tauri"]);
    ada.create_arch("amd64");
    let _ = ada.publish(tauri("1.1.0", "notes.AppImage").with("created_at", DATE));
    let update = ada.get(&format!("{}&updater=tauri", ada.check_path("1.0.0"))).ok();
    assert_eq!(update["pub_date"], IN_UTC);
}
