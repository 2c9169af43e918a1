//! The receipt: who gets a release, who does not and why, and who falls behind.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, electron, on_hosts};

use crate::listing;

on_hosts! {
    every: [
        an_updater_without_its_feed_falls_behind,
        a_fix_without_a_file_for_one_system_is_a_gap,
        the_receipt_of_a_draft_is_what_publishing_it_does,
        orders_and_rollouts_are_told,
        channels_that_include_a_release_have_lines,
        an_upload_is_told_before_it_is_sent,
        files_of_another_system_are_a_warning,
        unsigned_releases_are_held,
        devices_of_a_place_are_counted,
        explanations_name_the_updaters_that_differ,
        a_job_that_publishes_may_run_twice,
    ],
}

fn acme(world: &World) -> Account {
    world.admin("acme").with_notes()
}

fn receipt(acme: &Account, release: &str) -> Value {
    acme.get(&format!("/releases/{release}/receipt")).ok()
}

/// Lines as `stable linux amd64 manual gets`.
fn lines(receipt: &Value) -> Vec<String> {
    let line = |line: &Value| {
        let words =
            ["channel", "platform", "arch", "updater", "outcome"].map(|key| line[key].as_str().unwrap());
        words.join(" ")
    };
    receipt["lines"].as_array().unwrap().iter().map(line).collect()
}

fn summary(receipt: &Value) -> (bool, bool) {
    (receipt["behind"].as_bool().unwrap(), receipt["nobody"].as_bool().unwrap())
}

/// An application whose platform `desktop` has electron-builder and `manual`.
fn desktop(world: &World) -> Account {
    let acme = acme(world);
    acme.create_platform_with("desktop", &["electron-builder", "manual"]);
    acme
}

fn electron_release(version: &str) -> Release {
    electron(version, "latest.yml", &[&format!("Notes-{version}.exe")]).with("platform", "desktop")
}

fn an_updater_without_its_feed_falls_behind(host: Driver) {
    let world = World::new(host);
    let acme = desktop(&world);
    let first = acme.publish(electron_release("1.0.0"));
    let told = receipt(&acme, &first);
    assert_eq!(
        lines(&told),
        ["stable desktop amd64 electron-builder gets", "stable desktop amd64 manual gets"]
    );
    assert_eq!(summary(&told), (false, false));

    // The mistake: an Electron build without its feed.
    let second = acme.publish(
        Release::empty("1.1.0").file("Notes.exe", "x").with("platform", "desktop").with("updater", "manual"),
    );
    let told = receipt(&acme, &second);
    assert_eq!(
        lines(&told),
        ["stable desktop amd64 electron-builder behind", "stable desktop amd64 manual gets"]
    );
    assert_eq!(
        told["lines"][0]["text"],
        "It has no file for this platform that electron-builder can install. Its clients stay at 1.0.0."
    );
    assert_eq!((told["lines"][0]["before"].as_str(), summary(&told)), (Some("1.0.0"), (true, false)));
    let feed = world.get("/update/acme/notes/stable/desktop/amd64/1.0.0/latest.yml").send().expect(200);
    assert!(feed.text().contains("1.0.0"), "the client's own answer agrees");
}

fn a_fix_without_a_file_for_one_system_is_a_gap(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform("windows");
    let bad = acme.publish(Release::new("2.0.0"));
    let windows = Release::empty("2.0.0").file("notes.msi", "msi").with("platform", "windows");
    acme.publish(windows);
    let reason = json!({ "reason": "it deletes files" });
    let _ = acme.post_json(&format!("/releases/{bad}/withdraw"), reason).send().expect(200);
    assert_eq!(
        lines(&receipt(&acme, &bad)),
        ["stable linux amd64 manual held", "stable windows amd64 manual held"]
    );

    let fix = acme.upload(&Release::new("2.0.1"));
    let told = receipt(&acme, &fix);
    assert_eq!(lines(&told), ["stable linux amd64 manual gets", "stable windows amd64 manual behind"]);
    let text = told["lines"][1]["text"].as_str().unwrap();
    assert!(text.ends_with("Its clients stay at 2.0.0, which was withdrawn."), "{text}");
    assert_eq!(summary(&told), (true, false));
}

fn the_receipt_of_a_draft_is_what_publishing_it_does(host: Driver) {
    let world = World::new(host);
    let acme = desktop(&world);
    acme.publish(electron_release("1.0.0"));
    let draft = acme.upload(&electron_release("1.1.0"));
    let before = receipt(&acme, &draft);
    assert_eq!(before["lines"][0]["state"], "draft");
    let _ = acme.edit(&draft, json!({ "publish": true })).expect(200);
    let after = receipt(&acme, &draft);
    assert_eq!((lines(&before), after["lines"][0]["state"].as_str()), (lines(&after), Some("published")));
    assert_eq!(summary(&before), (false, false));
}

fn orders_and_rollouts_are_told(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let release = acme.publish(Release::new("1.1.0").rollout(20));
    let told = receipt(&acme, &release);
    assert_eq!(lines(&told), ["stable linux amd64 manual some"]);
    assert!(told["lines"][0]["text"].as_str().unwrap().contains("20 %"), "{told}");

    let halt = json!({ "action": "halt" });
    let _ = acme.post_json(&format!("/releases/{release}/rollout"), halt).send().expect(200);
    let told = receipt(&acme, &release);
    assert_eq!((lines(&told)[0].as_str(), summary(&told)), ("stable linux amd64 manual held", (false, true)));

    let older = acme.upload(&Release::new("1.0.5"));
    acme.publish(Release::new("1.2.0"));
    assert_eq!(lines(&receipt(&acme, &older)), ["stable linux amd64 manual newer"]);
}

fn channels_that_include_a_release_have_lines(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let beta = acme.create_channel("beta");
    acme.post_json("/channel/update", json!({ "id": beta, "includes": ["stable"] })).ok();
    acme.publish(Release::new("2.0.0-beta.1").with("channel", "beta"));
    let release = acme.publish(Release::new("1.0.0"));
    assert_eq!(
        lines(&receipt(&acme, &release)),
        ["beta linux amd64 manual newer", "stable linux amd64 manual gets"]
    );
    let one: Value = acme.get(&format!("/releases/{release}/receipt?channel=stable")).ok();
    assert_eq!(lines(&one), ["stable linux amd64 manual gets"]);
}

fn an_upload_is_told_before_it_is_sent(host: Driver) {
    let world = World::new(host);
    let acme = desktop(&world);
    acme.publish(electron_release("1.0.0"));
    let ask = |updater: &str, files: Value| -> Value {
        let data = json!({
            "app_name": "notes", "version": "1.1.0", "channel": "stable", "platform": "desktop", "arch": "amd64",
            "updater": updater,
        });
        acme.ci_token(&[&acme.app_id("notes")])
            .post_json("/releases/receipt", json!({ "data": data, "files": files }))
            .ok()
    };
    let whole = ask("electron-builder", json!(["Notes-1.1.0.exe", "latest.yml"]));
    assert_eq!(
        lines(&whole),
        ["stable desktop amd64 electron-builder gets", "stable desktop amd64 manual gets"]
    );
    let without = ask("manual", json!(["Notes-1.1.0.exe"]));
    assert_eq!(lines(&without)[0], "stable desktop amd64 electron-builder behind");
    assert_eq!(acme.releases().len(), 1, "nothing was recorded");

    // It agrees with the release that the same upload makes.
    let release = acme.publish(electron_release("1.1.0"));
    assert_eq!(lines(&receipt(&acme, &release)), lines(&whole));

    for (data, error) in [
        (json!({ "app_name": "notes", "version": "1.2.0" }), "channel is required"),
        (
            json!({ "app_name": "notes", "version": "1.2.0", "channel": "x", "platform": "desktop", "arch": "amd64" }),
            "unknown channel",
        ),
        (json!({ "app_name": "notes", "version": "new" }), "invalid version"),
    ] {
        let body = json!({ "data": data, "files": [] });
        let refused = acme.post_json("/releases/receipt", body).send().expect(400).json();
        assert!(refused["error"].as_str().unwrap().starts_with(error), "{refused}");
    }
}

fn files_of_another_system_are_a_warning(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(Release::new("1.0.0").file("Notes.exe", "exe"));
    assert_eq!(
        receipt(&acme, &release)["warnings"],
        json!(["Notes.exe is a file for Windows, and it was uploaded to the platform linux"])
    );
}

fn unsigned_releases_are_held(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let _publisher = listing::begin(&acme);
    let release = acme.publish(Release::new("1.1.0").with_digests());
    let told = receipt(&acme, &release);
    assert_eq!((lines(&told)[0].as_str(), summary(&told)), ("stable linux amd64 manual held", (false, true)));
}

fn devices_of_a_place_are_counted(host: Driver) {
    let world = World::builder(host).with_variable("telemetry_enabled", "true").start();
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    for device in ["a", "b"] {
        let _ = acme.check_as(device, "1.0.0");
    }
    let release = acme.upload(&Release::new("1.1.0"));
    assert_eq!(receipt(&acme, &release)["lines"][0]["devices"], 2);
}

fn explanations_name_the_updaters_that_differ(host: Driver) {
    let world = World::new(host);
    let acme = desktop(&world);
    acme.publish(electron_release("1.0.0"));
    acme.publish(
        Release::empty("1.1.0").file("Notes.exe", "x").with("platform", "desktop").with("updater", "manual"),
    );
    let explain = |updater: &str| -> Value {
        let question = json!({
            "app": "notes", "channel": "stable", "platform": "desktop", "arch": "amd64", "version": "0.9.0",
            "updater": updater,
        });
        acme.post_json("/explain", question).ok()
    };
    assert_eq!(explain("manual")["others"], json!([{ "updater": "electron-builder", "version": "1.0.0" }]));
    assert_eq!(explain("electron-builder")["others"], json!([{ "updater": "manual", "version": "1.1.0" }]));
    acme.publish(electron_release("1.2.0"));
    assert_eq!(explain("manual").get("others"), None);
}

fn a_job_that_publishes_may_run_twice(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let body = json!({ "name": "release", "allowed_apps": [acme.app_id("notes")], "may": ["publish"] });
    let created = acme.post_json("/token/create", body).send().expect(201).json();
    let job = acme.with_credential(created["token"].as_str().unwrap());
    let release = acme.upload(&Release::new("1.0.0"));
    let offer = |change: Value| job.post_json(&format!("/releases/{release}/offer"), change).send();
    let first = json!({ "publish": true, "guard": { "on_unhealthy": "pause" } });
    for _ in 0..2 {
        let done = offer(first.clone()).expect(200).json();
        assert_eq!(done["offers"][0]["state"], "published");
    }
    let plan = json!({ "publish": true, "plan": [{ "percent": 5, "for": "1d" }, { "percent": 100 }] });
    let refused = offer(plan).expect(409).json();
    assert_eq!(
        (&refused["code"], &refused["error"]),
        (&json!("wrong_state"), &json!("the release is published"))
    );
    // A change to a release that clients see needs more than the right to publish.
    for change in [
        json!({ "publish": false }),
        json!({ "guard": { "on_unhealthy": "halt" } }),
        json!({ "publish": true, "guard": null }),
    ] {
        let _ = offer(change).expect(403);
    }
}
