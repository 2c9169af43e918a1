//! `POST /explain`: it says what the check says, and why.

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{Account, Driver, Release, World, on_hosts, squirrel, tauri};

use crate::listing;

on_hosts! {
    every: [
        every_reason_agrees_with_the_check,
        a_plan_is_told_ahead,
        a_halt_is_a_reason,
        an_updater_sees_what_it_installs,
        a_question_is_refused_as_a_check_is,
        nothing_is_counted_or_recorded,
    ],
}

/// Fixed, so that it is not chance that decides about the tests. `device-1` has the position 7888, `device-2` 2782.
const SEED: &str = "seed";
const HOUR: i64 = 60 * 60;

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

/// The explanation for a client of 1.0.0 in stable on linux, unless the change says otherwise.
fn explain(acme: &Account, change: Value) -> Value {
    acme.post_json("/explain", question(change)).ok()
}

fn question(change: Value) -> Value {
    let mut question = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
    });
    let Value::Object(change) = change else { panic!("no object") };
    question.as_object_mut().unwrap().extend(change);
    question
}

/// Version and codes of each release, as `1.1.0 draft no_file`.
fn codes(explained: &Value) -> Vec<String> {
    let words = |release: &Value| {
        let codes = release["because"].as_array().unwrap().iter().map(|reason| &reason["code"]);
        let words: Vec<&str> =
            std::iter::once(&release["version"]).chain(codes).map(|word| word.as_str().unwrap()).collect();
        words.join(" ")
    };
    explained["releases"].as_array().unwrap().iter().map(words).collect()
}

fn every_reason_agrees_with_the_check(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("beta");
    acme.create_platform("windows");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));
    acme.publish(Release::new("1.2.0").intermediate().critical());
    acme.publish(Release::new("1.3.0"));
    acme.publish(Release::new("1.4.0").with("channel", "beta"));
    acme.publish(Release::new("1.5.0").with("platform", "windows"));
    acme.upload(&Release::new("1.6.0"));
    let _publisher = listing::begin(&acme);
    acme.publish(Release::new("1.7.0").with_digests());

    let explained = explain(&acme, json!({}));
    assert_eq!(
        codes(&explained),
        [
            "1.7.0 not_listed",
            "1.6.0 draft",
            "1.5.0 no_file",
            "1.4.0 other_channel",
            "1.3.0 held_below",
            "1.2.0 offered",
            "1.1.0 surpassed",
            "1.0.0 not_newer",
        ]
    );
    assert_eq!(explained["releases"][4]["because"][0]["by"], "1.2.0");
    for version in ["0.9.0", "1.0.0", "1.1.5", "1.2.0", "1.3.0", "2.0.0"] {
        let check = acme.check(version);
        let answer = &explain(&acme, json!({ "version": version }))["answer"];
        for field in ["update_available", "version", "critical"] {
            assert_eq!(answer[field], check[field], "{version}: {field}");
        }
    }
    assert_eq!(codes(&explain(&acme, json!({ "channel": "beta" })))[3], "1.4.0 offered");
}

/// A published 1.0.0, and 2.0.0 by this plan from now on.
fn by_plan(world: &World, plan: &Value) -> (Account, String) {
    let acme = acme(world);
    acme.publish(Release::new("1.0.0"));
    let staged = acme.upload(&Release::new("2.0.0"));
    world.database().execute("UPDATE releases SET rollout_seed = ?1", [SEED]).unwrap();
    let _ = acme.edit(&staged, json!({ "publish": true, "rollout": 0 })).expect(200);
    order(&acme, &staged, json!({ "action": "start", "plan": plan }));
    (acme, staged)
}

fn order(acme: &Account, release: &str, order: Value) {
    let _ = acme.post_json(&format!("/releases/{release}/rollout"), order).send().expect(200);
}

fn a_plan_is_told_ahead(host: Driver) {
    let world = World::new(host);
    let plan = json!([{ "percent": 5, "for": "1h" }, { "percent": 28, "for": "1h" }, { "percent": 100 }]);
    let (acme, _) = by_plan(&world, &plan);
    let now = explain(&acme, json!({ "device": "device-2" }));
    assert_eq!(codes(&now), ["2.0.0 outside_rollout", "1.0.0 not_newer"]);
    let because = &now["releases"][0]["because"][0];
    assert_eq!((&because["position"], &because["basis_points"]), (&json!(2782), &json!(500)));
    assert_eq!(because["next"]["percent"], 28);
    let text = because["text"].as_str().unwrap();
    assert!(text.starts_with("The rollout is at 5 %; this device is at position 27.82 %."), "{text}");

    let at = because["next"]["at"].as_str().unwrap();
    let moment = |text: &str| Timestamp::from_rfc3339(text).unwrap();
    assert!(moment(at) <= moment(now["at"].as_str().unwrap()).plus_seconds(HOUR));
    // Times are told in whole seconds.
    let at = moment(at).plus_seconds(1).to_rfc3339();
    let later = |device: &str| explain(&acme, json!({ "device": device, "at": at }));
    let then = later("device-2");
    assert_eq!((&then["at"], &then["answer"]["version"]), (&json!(at), &json!("2.0.0")));
    assert_eq!(later("device-1")["answer"]["update_available"], false);

    world.pass_time(HOUR);
    for device in ["device-1", "device-2"] {
        let answer = &explain(&acme, json!({ "device": device }))["answer"];
        assert_eq!(answer["version"], acme.check_as(device, "1.0.0")["version"], "{device}");
    }
    let anybody = explain(&acme, json!({}));
    assert_eq!(codes(&anybody)[0], "2.0.0 offered", "a client without a device id decides for itself");
    assert_eq!(anybody["releases"][0]["because"][0]["basis_points"], 2800);
}

fn a_halt_is_a_reason(host: Driver) {
    let world = World::new(host);
    let (acme, staged) = by_plan(&world, &json!([{ "percent": 100 }]));
    assert_eq!(codes(&explain(&acme, json!({ "device": "device-1" })))[0], "2.0.0 offered");
    order(&acme, &staged, json!({ "action": "halt" }));
    for change in [json!({}), json!({ "device": "device-1" })] {
        assert_eq!(codes(&explain(&acme, change)), ["2.0.0 halted", "1.0.0 not_newer"]);
    }
    assert_eq!(acme.check("1.0.0")["update_available"], false);
}

fn an_updater_sees_what_it_installs(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("windows", &["squirrel_windows", "tauri"]);
    acme.publish(squirrel("1.1.0", &[]));
    acme.publish(tauri("1.2.0", "notes.zip").with("platform", "windows"));
    let on_windows = |mut change: Value| {
        change["platform"] = json!("windows");
        codes(&explain(&acme, change))
    };
    assert_eq!(on_windows(json!({})), ["1.2.0 not_installable", "1.1.0 offered"]);
    assert_eq!(on_windows(json!({ "updater": "tauri" }))[0], "1.2.0 offered");
}

fn a_question_is_refused_as_a_check_is(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let far = Timestamp::from_rfc3339(explain(&acme, json!({}))["at"].as_str().unwrap()).unwrap();
    let far = far.plus_seconds(91 * 24 * HOUR).to_rfc3339();
    for (change, status, error) in [
        (json!({ "app": "sheets" }), 404, "application not found"),
        (json!({ "channel": "alpha" }), 404, "channel not found"),
        (json!({ "platform": null }), 400, "platform is required"),
        (json!({ "updater": "tauri" }), 400, "updater not supported"),
        (json!({ "version": "new" }), 400, "invalid version parameter"),
        (json!({ "version": null }), 400, "missing version"),
        (json!({ "device": "ü" }), 400, "invalid device parameter"),
        (json!({ "at": far }), 400, "invalid at parameter"),
    ] {
        let refusal = acme.post_json("/explain", question(change.clone())).send().refusal();
        assert_eq!(refusal, (status, error.to_owned()), "{change}");
    }
    let other = world.admin("other");
    assert_eq!(other.post_json("/explain", question(json!({}))).send().refusal().0, 404);
}

fn nothing_is_counted_or_recorded(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.1.0"));
    let before = acme.get("/audit/head").ok();
    explain(&acme, json!({ "device": "device-1" }));
    assert_eq!(acme.get("/audit/head").ok(), before);
    assert_eq!(acme.get("/telemetry").ok()["summary"]["total_requests"], 0);
}
