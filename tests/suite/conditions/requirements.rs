//! Releases that run on some systems only.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::{Scene, answer, codes, explained, post, version};

on_hosts! {
    every: [
        a_system_gets_the_newest_release_that_runs_on_it,
        an_intermediate_that_does_not_run_holds_back,
        versions_can_be_left_out,
        requirements_belong_to_a_place,
        an_upload_sets_those_of_its_place,
        an_upload_cannot_hide_files_that_clients_see,
        requirements_belong_to_files,
        requirements_are_shown_and_taken_back,
    ],
}

fn min(version: &str) -> Value {
    json!({ "os_version": { "min": version } })
}

/// 1.0.0, 1.5.0 from 11 on, and 2.0.0 from 12 on. The ids of the last two.
fn three(acme: &Account) -> (String, String) {
    acme.publish(Release::new("1.0.0"));
    let middle = acme.publish(Release::new("1.5.0").with("requires", min("11")));
    let newest = acme.publish(Release::new("2.0.0").with("requires", min("12")));
    (middle, newest)
}

fn a_system_gets_the_newest_release_that_runs_on_it(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (_, newest) = three(&acme);
    for (os, expected, unmet, codes_of) in [
        (Some("12.1"), "2.0.0", None, ["2.0.0 offered", "1.5.0 surpassed", "1.0.0 not_newer"]),
        (Some("11.7"), "1.5.0", Some("12"), ["2.0.0 requires", "1.5.0 offered", "1.0.0 not_newer"]),
        (Some("10.15"), "1.0.0", Some("12"), ["2.0.0 requires", "1.5.0 requires", "1.0.0 not_newer"]),
        (None, "1.0.0", Some("12"), ["2.0.0 requires", "1.5.0 requires", "1.0.0 not_newer"]),
    ] {
        let said: Vec<_> = os.into_iter().map(|os| ("os_version", os)).collect();
        let answered = answer(&acme, "1.0.0", &said);
        assert_eq!(version(&answered), expected, "{os:?}");
        let told =
            unmet.map(|min| json!({ "version": "2.0.0", "requires": { "os_version": { "min": min } } }));
        assert_eq!(answered["unmet"], json!(told), "{os:?}");
        assert_eq!(answered["varies_with"], json!(["os_version"]), "{os:?}");
        assert_eq!(codes(&explained(&acme, "1.0.0", &said)), codes_of, "{os:?}");
    }
    let device = answer(&acme, "1.0.0", &[("device", "device-1"), ("os_version", "11.7")]);
    assert_eq!((version(&device), &device["varies_with"]), ("1.5.0".to_owned(), &Value::Null));
    let of_newest = answer(&acme, "2.0.0", &[("os_version", "10")]);
    assert_eq!((&of_newest["unmet"], &of_newest["varies_with"]), (&Value::Null, &Value::Null));
    let offer = json!({ "requires": { "os_version": { "min": "12" }, "unknown": "offer" } });
    let _ = post(&acme, &newest, "requires", offer).expect(200);
    assert_eq!(version(&answer(&acme, "1.0.0", &[])), "2.0.0");
    assert_eq!(version(&answer(&acme, "1.0.0", &[("os_version", "11")])), "1.5.0");
}

fn an_intermediate_that_does_not_run_holds_back(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let (middle, newest) = three(&acme);
    let _ = post(&acme, &newest, "requires", json!({ "requires": {} })).expect(200);
    let _ = acme.edit(&middle, json!({ "intermediate": true })).expect(200);
    let old = [("os_version", "10")];
    let held = answer(&acme, "1.0.0", &old);
    assert_eq!((version(&held), &held["update_available"]), ("1.0.0".to_owned(), &json!(false)));
    assert_eq!(held["unmet"], Value::Null, "2.0.0 runs there");
    assert_eq!(
        codes(&explained(&acme, "1.0.0", &old)),
        ["2.0.0 held_below", "1.5.0 requires", "1.0.0 not_newer"]
    );
    assert_eq!(version(&answer(&acme, "1.0.0", &[("os_version", "11")])), "1.5.0");
    assert_eq!(version(&answer(&acme, "1.5.0", &old)), "2.0.0");
}

fn versions_can_be_left_out(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.set_rollout(100);
    let versions = || ["13.1", "13.2.1", "13.3", "15"].map(|os| scene.version(&[("os_version", os)]));
    assert_eq!(versions(), ["2.0.0"; 4]);
    let requires = json!({ "requires": { "os_version": { "max": "14", "not": ["13.2"] } } });
    let _ = scene.post("requires", requires).expect(200);
    assert_eq!(versions(), ["2.0.0", "1.0.0", "2.0.0", "1.0.0"]);
}

fn requirements_belong_to_a_place(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform("windows");
    acme.create_arch("arm64");
    let places = [("linux", "amd64"), ("windows", "amd64"), ("windows", "arm64")];
    let mut newest = String::new();
    for version in ["1.0.0", "2.0.0"] {
        for (platform, arch) in places {
            newest = acme.publish(Release::new(version).with("platform", platform).with("arch", arch));
        }
    }
    let versions = || {
        places.map(|(platform, arch)| {
            let place = format!("channel=stable&platform={platform}&arch={arch}&owner=acme");
            let path = format!("/checkVersion?app_name=notes&version=1.0.0&{place}&os_version=10");
            version(&acme.get(&path).ok())
        })
    };
    let windows = "2.0.0";
    for (place, expected) in [
        (json!({ "platform": "windows", "arch": "arm64" }), ["2.0.0", windows, "1.0.0"]),
        (json!({ "platform": "windows" }), ["2.0.0", "1.0.0", "1.0.0"]),
        (json!({ "arch": "amd64" }), ["1.0.0", "1.0.0", windows]),
        (json!({}), ["1.0.0", "1.0.0", "1.0.0"]),
    ] {
        let mut body = place.clone();
        body["requires"] = min("11");
        let _ = post(&acme, &newest, "requires", body).expect(200);
        assert_eq!(versions(), expected, "{place}");
        let _ = post(&acme, &newest, "requires", json!({ "requires": {} })).expect(200);
        assert_eq!(versions(), ["2.0.0"; 3]);
    }
    acme.create_platform("macos");
    let nowhere = post(&acme, &newest, "requires", json!({ "platform": "macos", "requires": min("11") }));
    let text = "file of the release for this platform and architecture not found";
    assert_eq!(nowhere.refusal(), (404, text.to_owned()));
}

fn an_upload_sets_those_of_its_place(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform("windows");
    let windows = |release: Release| release.with("platform", "windows");
    let id = acme.upload(&Release::new("2.0.0").with("requires", min("12")));
    let shown = || {
        let shown = acme.get(&format!("/releases/{id}")).ok()["requires"].clone();
        let place =
            |entry: &Value| (entry["platform"].clone(), entry["requires"]["os_version"]["min"].clone());
        shown.as_array().cloned().unwrap_or_default().iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(shown(), [(json!("linux"), json!("12"))]);
    let more = Release::new("2.0.0").with("requires", min("10")).with("changelog", "other").critical();
    let _ = acme.upload(&windows(more));
    assert_eq!(shown(), [(json!("linux"), json!("12")), (json!("windows"), json!("10"))]);
    assert!(!acme.release("2.0.0").critical, "the second upload sets nothing else");
    let more = windows(Release::empty("2.0.0").file("notes.rpm", "2.0.0"));
    let _ = acme.upload(&more);
    assert_eq!(shown()[1], (json!("windows"), json!("10")), "they stay");
    let _ = acme.edit(&id, json!({ "requires": min("13") })).expect(200);
    assert_eq!(shown(), [(json!("linux"), json!("13")), (json!("windows"), json!("13"))]);
}

fn an_upload_cannot_hide_files_that_clients_see(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform("windows");
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    acme.publish(Release::new("1.0.0"));
    let id = acme.publish(Release::new("2.0.0").with("requires", min("12")));
    let more = |package: &str| Release::empty("2.0.0").file(&format!("notes.{package}"), package);
    let refused = ci.upload_in_one(&more("rpm").with("requires", min("99")));
    assert_eq!(refused.refusal(), (403, "not allowed".to_owned()));
    assert_eq!(acme.release("2.0.0").artifacts.len(), 1, "nothing is recorded");
    assert_eq!(version(&answer(&acme, "1.0.0", &[("os_version", "13")])), "2.0.0");
    let _ = ci.upload_in_one(&more("rpm").with("requires", min("12"))).expect(200);
    let _ = ci.upload_in_one(&more("zip")).expect(200);
    let elsewhere = more("exe").with("platform", "windows").with("requires", min("10"));
    let _ = ci.upload_in_one(&elsewhere).expect(200);
    let _ = acme.upload_in_one(&more("tgz").with("requires", min("13"))).expect(200);
    assert_eq!(version(&answer(&acme, "1.0.0", &[("os_version", "12")])), "1.0.0", "people may change them");
    // While nobody sees the release, jobs may.
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);
    let _ = ci.upload_in_one(&more("tar").with("requires", min("11"))).expect(200);
}

fn requirements_belong_to_files(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = scene.acme.edit(&scene.staged, json!({ "artifacts_to_delete": [0] })).expect(200);
    let text = "file of the release for this platform and architecture not found";
    let refused = scene.acme.edit(&scene.staged, json!({ "requires": min("12"), "critical": true }));
    assert_eq!(refused.refusal(), (404, text.to_owned()));
    assert!(!scene.acme.release("2.0.0").critical, "nothing is changed");
    assert_eq!(scene.post("requires", json!({ "requires": min("12") })).refusal(), (404, text.to_owned()));
}

fn requirements_are_shown_and_taken_back(host: Driver) {
    let scene = Scene::new(World::new(host));
    let requires = json!({
        "os_version": { "min": "10.0.19045", "max": "11", "not": ["10.0.22000"] }, "unknown": "offer",
    });
    let shown = scene.post("requires", json!({ "requires": requires })).expect(200).json();
    let expected = json!([{ "platform": "linux", "arch": "amd64", "requires": requires }]);
    assert_eq!(shown["requires"], expected);
    assert_eq!(scene.acme.get(&format!("/releases/{}", scene.staged)).ok(), shown);
    let shown = scene.post("requires", json!({ "requires": {} })).expect(200).json();
    assert_eq!(shown["requires"], Value::Null);
    let _ = scene.post("requires", json!({ "requires": requires })).expect(200);
    let _ = scene.acme.delete(&format!("/apps/delete?id={}", scene.staged)).send().expect(200);
    let left: (i64,) = scene
        .world
        .database()
        .query_row("SELECT count(*) FROM release_requirements", [], |row| row.try_into())
        .unwrap();
    assert_eq!(left, (0,));
}
