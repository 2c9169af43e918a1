//! Parameters of checks, and static answers.

use serde_json::{Value, json};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{Scene, group, post};
use crate::static_answers::{FOLDER, published, with_cdn};

on_hosts! {
    every: [
        nonsense_changes_no_byte_where_nothing_is_configured,
        nonsense_is_refused_where_it_matters,
        static_answers_say_what_could_change_them,
        the_fallback_is_one_that_runs,
    ],
}

const NONSENSE: &str = "&group=x&os_version=seven&interactive=perhaps";

fn nonsense_changes_no_byte_where_nothing_is_configured(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ask = |version: &str, device: bool, more: &str| {
        let path = format!("{}{more}", acme.check_path(version));
        let call = acme.get(&path);
        let answer = if device { call.header("x-device-id", "device-1").send() } else { call.send() };
        let headers = ["cache-control", "content-type", "vary"].map(|name| answer.header(name).to_owned());
        (answer.status, headers, answer.text())
    };
    for release in [Release::new("1.0.0"), Release::new("1.1.0").critical(), Release::new("1.2.0")] {
        acme.publish(release);
        for version in ["0.9.0", "1.0.0", "1.1.0", "3.0.0"] {
            for device in [true, false] {
                assert_eq!(ask(version, device, NONSENSE), ask(version, device, ""), "{version} {device}");
            }
        }
    }
}

fn nonsense_is_refused_where_it_matters(host: Driver) {
    let scene = Scene::new(World::new(host));
    let refusal = |said: &str| {
        let answer = scene.acme.get(&format!("{}&{said}", scene.acme.check_path("1.0.0"))).send();
        if answer.status == 200 { String::new() } else { answer.refusal().1 }
    };
    let all = || ["group=x", "os_version=seven", "interactive=perhaps"].map(refusal);
    let [group_text, os, asks] =
        ["group", "os_version", "interactive"].map(|name| format!("invalid {name} parameter"));
    assert_eq!(all(), ["", "", &*asks], "2.0.0 is at 0 %");
    let (_, key) = group(&scene.acme, "qa");
    scene.let_in(&["qa"]);
    assert_eq!(all(), [&*group_text, "", &*asks]);
    let _ = scene.post("requires", json!({ "requires": { "os_version": { "min": "12" } } })).expect(200);
    assert_eq!(all(), [&*group_text, &*os, &*asks]);
    scene.set_rollout(100);
    assert_eq!(all(), [&*group_text, &*os, ""]);
    let five = [&*key; 5].join(",");
    assert_eq!(refusal(&format!("group={five}")), group_text);
    assert_eq!(refusal("os_version=1.2.3.4.5"), os);
    assert_eq!(refusal(&format!("group={key}&os_version=10.0.19045.1&interactive=1")), "");
}

fn static_answers_say_what_could_change_them(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    acme.publish(Release::new("1.0.0"));
    let _ = group(&acme, "qa");
    let requires = json!({ "os_version": { "min": "12" } });
    let newest = acme
        .publish(Release::new("2.0.0").rollout(0).with("groups", json!(["qa"])).with("requires", requires));
    let stored = |version: &str| published(world.store(), &format!("{FOLDER}/{version}.json")).json();
    let answer = stored("1.0.0");
    assert_eq!(answer["varies_with"], json!(["group", "os_version"]));
    assert_eq!((&answer["update_available"], &answer["version"]), (&json!(false), &json!("1.0.0")));
    assert_eq!(stored("2.0.0")["varies_with"], Value::Null);
    let _ = post(&acme, &newest, "offer", json!({ "groups": [] })).expect(200);
    assert_eq!(stored("1.0.0")["varies_with"], json!(["os_version"]));
    let _ = post(&acme, &newest, "requires", json!({ "requires": {} })).expect(200);
    let _ = post(&acme, &newest, "rollout", json!({ "action": "complete" })).expect(200);
    let answer = stored("1.0.0");
    assert_eq!((&answer["varies_with"], &answer["version"]), (&Value::Null, &json!("2.0.0")));
}

fn the_fallback_is_one_that_runs(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    for (version, min) in [("1.0.0", None), ("1.1.0", None), ("1.2.0", Some("12"))] {
        let release = Release::new(version);
        let requires = min.map(|min| json!({ "os_version": { "min": min } }));
        acme.publish(release.with("requires", json!(requires)));
    }
    acme.publish(Release::new("2.0.0").rollout(20));
    let fallback = |os: &str| {
        let answer = super::answer(&acme, "1.0.0", &[("os_version", os)]);
        assert_eq!((&answer["version"], &answer["rollout"]["percent"]), (&json!("2.0.0"), &json!(20)));
        answer["fallback"]["version"].clone()
    };
    assert_eq!((fallback("12"), fallback("11")), (json!("1.2.0"), json!("1.1.0")));
}
