//! Kits: code that applications include beside their updater, so that devices have identifiers and report failures.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use spindrift_tests::kits::{End, KitDevices, KitRun, javascript};
use spindrift_tests::{Account, Driver, Release, World, electron, on_hosts, tauri, until};

use crate::feeds::path;
use crate::reports::{create_notes, group, key};

on_hosts! {
    every: [
        a_release_that_crashes_is_halted_for_further_devices,
        a_release_that_crashes_in_rust_is_halted_for_further_devices,
        a_release_that_crashes_in_tauri_is_halted_for_further_devices,
    ],
}

/// Devices that may fail before the guard halts the release.
const MAX_FAILING: usize = 3;

fn release(version: &str) -> Release {
    electron(version, "latest-linux.yml", &[&format!("Notes-{version}.AppImage")])
}

/// An owner with `notes`, which accepts reports, and an updater on Linux.
fn acme(world: &World, updater: &str) -> Account {
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "reports": true }));
    acme.create_channel("stable");
    acme.create_platform_with("linux", &[updater]);
    acme.create_arch("amd64");
    acme
}

/// The feed for copies of 1.0.0 that do not identify themselves.
fn feed(world: &World) -> String {
    world.get(&path("linux", "1.0.0", "latest-linux.yml")).send().expect(200).text()
}

/// The versions that the runs of a device were offered.
fn offered(runs: &[KitRun]) -> Vec<Option<&str>> {
    runs.iter().map(|run| run.offered.as_deref()).collect()
}

fn a_release_that_crashes_is_halted_for_further_devices(host: Driver) {
    let Some(kit) = javascript() else { return };
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = acme(&world, "electron-builder");
    let report_key = key(&acme, "notes").unwrap();
    acme.publish(release("1.0.0"));
    let next = acme.upload(&release("2.0.0"));
    let guard = json!({ "on_unhealthy": "halt", "max_failing": MAX_FAILING });
    let order = json!({ "publish": true, "guard": guard });
    let _ = acme.post_json(&format!("/releases/{next}/offer"), order).send().expect(200);

    assert!(feed(&world).contains("2.0.0"));
    let devices = KitDevices::new(&world.url(), &report_key);
    let runs = [("1.0.0", End::Exit), ("2.0.0", End::Crash), ("2.0.0", End::Exit)];
    let failing = devices.run(kit, MAX_FAILING + 1, &runs);

    for runs in &failing {
        assert_eq!(offered(runs), [Some("2.0.0"), None, None], "{runs:?}");
        // Each run of a device has its id, and electron-updater sends that and no other.
        let own = &runs[0].device_id;
        assert!(
            runs.iter().all(|run| run.device_id == *own && run.staging == [Some(own.clone())]),
            "{runs:?}"
        );
    }
    let ids: BTreeSet<_> = failing.iter().map(|runs| &runs[0].device_id).collect();
    assert_eq!(ids.len(), MAX_FAILING + 1);
    let group = group(&acme);
    assert_eq!(group["application"]["version"], "2.0.0");
    assert_eq!(group["event"], json!({ "type": "crash", "reason": "exit.unclean" }));
    assert_eq!(group["stats"]["count"], MAX_FAILING + 1);

    let run = acme.post("/guard/run").send().expect(200).json();

    assert_eq!((&run["acted"][0]["version"], &run["acted"][0]["action"]), (&json!("2.0.0"), &json!("halt")));
    assert!(!feed(&world).contains("2.0.0"));
    let further = KitDevices::new(&world.url(), &report_key).run(kit, 1, &[("1.0.0", End::Exit)]);
    assert_eq!(offered(&further[0]), [None]);
}

/// An application with the kit of the client library.
const APP_WITH_KIT: &str = env!("CARGO_BIN_EXE_app-with-kit");
/// Environment variable: the application with the kit for Tauri, `app_with_kit` among the examples of the kit.
const TAURI_APP: &str = "SPINDRIFT_TAURI_APP";

/// Runs the application of a device once. Returns the version that it was offered.
fn run_in_rust(
    app: &OsStr,
    world: &World,
    key: &str,
    folder: &Path,
    version: &str,
    end: &str,
) -> Option<String> {
    let url = world.url();
    let mut app = Command::new(app);
    app.args([&url, "acme", key]).arg(folder).args([version, end]);
    let run = app.output().unwrap();
    let failed = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.success(), end == "exit", "{version} {end}: {failed}");
    let offered = String::from_utf8(run.stdout).unwrap();
    Some(offered.trim().to_owned()).filter(|version| !version.is_empty())
}

fn a_release_that_crashes_in_rust_is_halted_for_further_devices(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    is_halted_for_further_devices(&world, &acme, APP_WITH_KIT.as_ref(), &key, Release::new);
}

fn a_release_that_crashes_in_tauri_is_halted_for_further_devices(host: Driver) {
    let Some(app) = std::env::var_os(TAURI_APP) else {
        println!("skipped: {TAURI_APP} is not set; `.ci/run` sets it with SPINDRIFT_TEST_TAURI=1");
        return;
    };
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = acme(&world, "tauri");
    let key = key(&acme, "notes").unwrap();
    is_halted_for_further_devices(&world, &acme, &app, &key, |version| tauri(version, "notes.AppImage"));
}

/// Publishes two releases, the second of which crashes on devices until the guard halts it.
fn is_halted_for_further_devices(
    world: &World,
    acme: &Account,
    app: &OsStr,
    key: &str,
    release: fn(&str) -> Release,
) {
    acme.publish(release("1.0.0"));
    let next = acme.upload(&release("2.0.0"));
    let guard = json!({ "on_unhealthy": "halt", "max_failing": MAX_FAILING });
    let order = json!({ "publish": true, "guard": guard });
    let _ = acme.post_json(&format!("/releases/{next}/offer"), order).send().expect(200);

    for device in 0..=MAX_FAILING {
        let folder = world.dir().join(format!("device-{device}"));
        let run = |version: &str, end: &str| run_in_rust(app, world, key, &folder, version, end);
        assert_eq!(run("1.0.0", "exit").as_deref(), Some("2.0.0"));
        assert_eq!(run("2.0.0", "crash"), None);
        // A run that ends before its reports are sent leaves them to the next one.
        until("the report of the crash", Duration::from_mins(1), || {
            assert_eq!(run("2.0.0", "exit"), None);
            let groups = acme.get("/reports/groups").ok();
            (groups["items"][0]["stats"]["count"] == device + 1).then_some(())
        });
    }
    let group = group(acme);
    assert_eq!(group["application"]["version"], "2.0.0");
    assert_eq!(group["event"], json!({ "type": "crash", "reason": "exit.unclean" }));

    let run = acme.post("/guard/run").send().expect(200).json();

    assert_eq!((&run["acted"][0]["version"], &run["acted"][0]["action"]), (&json!("2.0.0"), &json!("halt")));
    let folder = world.dir().join("further");
    assert_eq!(run_in_rust(app, world, key, &folder, "1.0.0", "exit"), None);
}
