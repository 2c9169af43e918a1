//! Parameters of native updaters' clients, in the query and in the path.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, appcast, electron_yml, on_hosts, sparkle_item};

use super::{group, post};
use crate::natives::{self, NATIVES};

on_hosts! {
    every: [
        nonsense_changes_no_byte_of_a_feed,
        each_updater_follows_what_its_clients_say,
        a_feed_with_a_minimum_of_its_own_is_left_to_its_clients,
        a_check_sends_on_what_was_said,
    ],
}

fn nonsense_changes_no_byte_of_a_feed(host: Driver) {
    let world = World::new(host);
    let (acme, _) = natives::publish(&world);
    for (place, native) in NATIVES.iter().enumerate() {
        let (folder, file) = (native.folder(&format!("1.{place}.0")), native.file);
        let ask = |pairs: &str, query: &str| {
            let answer = acme.get(&format!("{folder}{pairs}/{file}{query}")).send().expect(200);
            (answer.header("cache-control").to_owned(), answer.text())
        };
        let plain = ask("", "");
        assert!(plain.1.contains(&format!("2.{place}.0")), "{plain:?}");
        assert_eq!(ask("", "?group=x&os_version=seven&interactive=perhaps"), plain, "{file}");
        assert_eq!(ask(";group=x;os_version=seven;interactive=perhaps;more", ""), plain, "{file}");
    }
}

fn each_updater_follows_what_its_clients_say(host: Driver) {
    let world = World::new(host);
    let (acme, newest) = natives::publish(&world);
    let (_, key) = group(&acme, "qa");
    for (place, native) in NATIVES.iter().enumerate() {
        let (id, newer) = (&newest[place], format!("2.{place}.0"));
        let (folder, file) = (native.folder(&format!("1.{place}.0")), native.file);
        let is_told = |path: &str| {
            let answer = acme.get(path).send();
            assert!([200, 204].contains(&answer.status), "{path}: {}", answer.status);
            answer.status == 200 && answer.text().contains(&newer)
        };
        let both = |said: &str| {
            let pairs = said.replace('&', ";");
            let paths = [format!("{folder}/{file}?{said}"), format!("{folder};{pairs}/{file}")];
            let [query, path] = paths.map(|path| is_told(&path));
            assert_eq!(query, path, "{file} {said}");
            query
        };
        let requires = json!({ "requires": { "os_version": { "min": "12" } } });
        let _ = post(&acme, id, "requires", requires).expect(200);
        for (said, expected) in
            [("os_version=12.1", true), ("os_version=11", false), ("os_version=x", false), ("group=x", false)]
        {
            assert_eq!(both(said), expected, "{file} {said}");
        }
        assert!(!is_told(&format!("{folder}/{file}")), "{file}");
        // Sparkle sends the version of the system under a name of its own.
        assert!(is_told(&format!("{folder}/{file}?osVersion=13.0.1")), "{file}");
        let _ = post(&acme, id, "requires", json!({ "requires": {} })).expect(200);
        let _ = post(&acme, id, "rollout", json!({ "action": "set", "percent": 0 })).expect(200);
        let _ = post(&acme, id, "offer", json!({ "groups": ["qa"] })).expect(200);
        assert!(both(&format!("group={key}")), "{file}");
        assert!(!is_told(&format!("{folder}/{file}")), "{file}");
    }
    let said = |pairs: &str| {
        let folder = format!("/velopack/acme/notes/velopack/amd64{pairs}");
        let answer = acme.get(&format!("{folder}/releases.stable.json?localVersion=1.1.0")).send();
        answer.expect(200).text().contains("2.1.0")
    };
    assert!(said(&format!(";group={key}")) && !said("") && !said(";group=x"));
}

/// It is the minimum of electron-builder and Sparkle, whose clients compare it with their system.
fn a_feed_with_a_minimum_of_its_own_is_left_to_its_clients(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    acme.create_arch("amd64");
    acme.create_platform_with("windows", &["electron-builder"]);
    acme.create_platform_with("macos", &["sparkle"]);
    let requires = || json!({ "os_version": { "min": "12" } });
    let electron = |version: &str, minimum: &str| {
        let file = format!("notes-{version}.exe");
        let yml = format!("{}{minimum}", electron_yml(version, &[&file]));
        let release = Release::empty(version).with("platform", "windows").with("updater", "electron-builder");
        release.file(&file, file.as_str()).feed("latest.yml", yml)
    };
    let sparkle = |version: &str, minimum: &str| {
        let file = format!("Notes-{version}.zip");
        let item = sparkle_item(version, &file).replace("</item>", &format!("{minimum}</item>"));
        let release = Release::empty(version).with("platform", "macos").with("updater", "sparkle");
        release.file(&file, file.as_str()).feed("appcast.xml", appcast(&[item]))
    };
    acme.publish(electron("1.0.0", ""));
    acme.publish(electron("1.1.0", "minimumSystemVersion: 10.0.0\n").with("requires", requires()));
    acme.publish(electron("1.2.0", "").with("requires", requires()));
    acme.publish(sparkle("1.0.1", ""));
    let own = "<sparkle:minimumSystemVersion>12.0</sparkle:minimumSystemVersion>";
    acme.publish(sparkle("1.1.1", own).with("requires", requires()));
    acme.publish(sparkle("1.2.1", "").with("requires", requires()));
    for (platform, client, file, versions) in [
        ("windows", "1.0.0", "latest.yml", ["1.1.0", "1.2.0"]),
        ("macos", "1.0.1", "appcast.xml", ["1.1.1", "1.2.1"]),
    ] {
        let told = |query: &str| {
            let path = format!("/update/acme/notes/stable/{platform}/amd64/{client}/{file}{query}");
            let answer = acme.get(&path).send().expect(200).text();
            versions.map(|version| answer.contains(version))
        };
        assert!(told("")[0], "{file}: the client compares it");
        assert!(!told("")[1], "{file}: it cannot");
        assert!(told("?os_version=12")[1], "{file}");
        assert_eq!(told("?os_version=11"), [false, false], "{file}");
    }
}

fn a_check_sends_on_what_was_said(host: Driver) {
    let world = World::new(host);
    let (acme, newest) = natives::publish(&world);
    let (_, key) = group(&acme, "qa");
    let check = |said: &str| {
        let scope = "app_name=notes&owner=acme&channel=stable&arch=amd64&platform=velopack";
        let answer = acme.get(&format!("/checkVersion?{scope}&version=1.1.0{said}")).send().expect(302);
        let location = answer.header("location").to_owned();
        location.split_once("/update/").unwrap().1.to_owned()
    };
    let folder = "acme/notes/stable/velopack/amd64/1.1.0";
    assert!(check("&os_version=12&group=x").starts_with(&format!("{folder}/")));
    let requires = json!({ "requires": { "os_version": { "min": "12" } } });
    let _ = post(&acme, &newest[1], "requires", requires).expect(200);
    let _ = post(&acme, &newest[1], "offer", json!({ "groups": ["qa"] })).expect(200);
    let onward = check(&format!("&os_version=12&group={key}&interactive=1"));
    assert!(onward.starts_with(&format!("{folder};group={key};os_version=12/")), "{onward}");
}
