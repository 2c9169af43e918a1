//! A deployment that looks like one of people: applications with months of releases, devices and failures.

use serde_json::json;
use spindrift_tests::{Account, Release, World, gzip};

use crate::reports;

/// Days for which there are devices.
const DAYS: u32 = 90;

struct App {
    name: &'static str,
    description: &'static str,
    /// Releases on `stable`, oldest first.
    versions: &'static [&'static str],
    /// Devices that ask on a day.
    devices: u32,
}

const APPS: [App; 5] = [
    App {
        name: "atlas",
        description: "Maps for field work, with and without a network.",
        versions: &["3.8.0", "3.9.0", "3.9.1", "3.10.0", "4.0.0"],
        devices: 180,
    },
    App { name: "backup-agent", description: "Runs at night.", versions: &["0.9.4", "0.9.5"], devices: 35 },
    App {
        name: "notes",
        description: "Notes that stay on your own machines. Linux, Windows and macOS.",
        versions: &["1.0.0", "1.1.0", "1.2.0", "1.2.1", "1.3.0", "1.4.0", "2.0.0"],
        devices: 260,
    },
    App { name: "studio", description: "", versions: &["2026.9.0", "2026.10.0", "2026.11.0"], devices: 90 },
    App { name: "terminal", description: "A terminal that is quick.", versions: &[], devices: 0 },
];

/// What is in each failure report.
const FAILURES: [(&str, &str, &str, u32); 5] = [
    ("2.0.0", "crash", "segfault-in-merge", 14),
    ("2.0.0", "update_failure", "bad-signature", 3),
    ("1.4.0", "crash", "out-of-memory", 6),
    ("1.4.0", "startup_failure", "no-answer-for-30-s", 2),
    ("1.3.0", "crash", "segfault-in-merge", 5),
];

/// Fills a world. Returns its admin.
pub(super) fn fill(world: &World) -> Account {
    let acme = world.admin("acme");
    acme.create_channel("stable");
    let beta = json!({ "channel": "beta", "includes": ["stable"] });
    let _ = acme.post_json("/channel/create", beta).ok();
    acme.create_platform_with("linux", &["manual", "electron-builder", "tauri"]);
    acme.create_platform_with("windows", &["manual", "squirrel_windows", "velopack"]);
    acme.create_platform_with("darwin", &["manual", "sparkle"]);
    for arch in ["amd64", "arm64"] {
        acme.create_arch(arch);
    }
    for app in &APPS {
        let mut data = json!({ "app": app.name, "description": app.description });
        data["reports"] = (app.name == "notes").into();
        data["private"] = (app.name == "studio").into();
        acme.create_app_with(data);
        publish(&acme, app);
    }
    devices(world);
    failures(world, &acme);
    team(&acme);
    acme
}

fn publish(acme: &Account, app: &App) {
    let last = app.versions.len().saturating_sub(1);
    for (i, version) in app.versions.iter().enumerate() {
        let notes = format!(
            "## {version}\n\n- Faster start: **{}0 ms** less\n- Fixed a crash while synchronising\n- [All changes](https://example.com/{})\n",
            i + 2,
            app.name
        );
        for (platform, arch) in [("linux", "amd64"), ("windows", "amd64"), ("darwin", "arm64")] {
            let file = format!(
                "{}-{version}-{platform}.{}",
                app.name,
                if platform == "darwin" { "dmg" } else { "zip" }
            );
            let release = Release::empty(version)
                .with("app_name", app.name)
                .with("platform", platform)
                .with("arch", arch)
                .with("changelog", notes.as_str())
                .with("critical", *version == "1.2.1")
                .with("intermediate", *version == "1.3.0")
                .file(&file, vec![7; 40_000 + 9_000 * i]);
            let release = if i == last { release.rollout(25) } else { release };
            acme.publish(release);
        }
    }
    if app.name == "notes" {
        acme.upload(&Release::new("2.1.0").with("channel", "beta"));
    }
}

/// Dates go back one release a fortnight; devices take up a version over some days.
fn devices(world: &World) {
    let database = world.database();
    let dates = "UPDATE releases SET created_at = created_at - 14 * 86400000 * (
        SELECT COUNT(*) FROM releases newer WHERE newer.app_id = releases.app_id AND newer.version_key > releases.version_key)";
    database.execute(dates, []).unwrap();
    for app in &APPS {
        for (i, version) in app.versions.iter().rev().enumerate() {
            let i = u32::try_from(i).unwrap();
            let is_latest = i == 0;
            let rows = format!(
                "WITH RECURSIVE devices (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM devices WHERE n < {devices}),
                 days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < {DAYS} - 1)
                 INSERT OR IGNORE INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
                 SELECT unixepoch() / 86400 - d, apps.id, n, ?2, 'stable',
                   CASE n % 5 WHEN 0 THEN 'darwin' WHEN 1 THEN 'linux' ELSE 'windows' END,
                   CASE n % 5 WHEN 0 THEN 'arm64' ELSE 'amd64' END, {is_latest}, 6
                 FROM apps, devices, days
                 WHERE apps.name = ?1 AND (n * 7 + d * 3) % 11 < 8 AND n < {devices} - d
                   AND {age} - d > (n * 13) % 17",
                devices = app.devices,
                age = 14 * i + 6,
            );
            database.execute(&rows, [app.name, version]).unwrap();
        }
    }
}

fn failures(world: &World, acme: &Account) {
    let key = reports::key(acme, "notes").unwrap();
    for (version, event, reason, number) in FAILURES {
        for device in 0..number {
            let mut report = reports::failure_because(reason);
            report["application"]["version"] = version.into();
            report["event"]["type"] = event.into();
            let details =
                json!({ "thread": "main", "stack": ["sync::merge", "sync::run", "main"], "device": device });
            let report = reports::with_details(report, &gzip(details.to_string().as_bytes()));
            let _ = reports::send(world.client(), &key, &format!("{version}-{reason}-{device}"), &report)
                .expect(202);
        }
    }
}

fn team(acme: &Account) {
    let permissions = json!({ "apps": { "create": false, "edit": true, "upload": true, "allowed": [acme.app_id("notes")] } });
    let body = json!({ "username": "ann", "password": "password of a user", "permissions": permissions });
    let _ = acme.post_json("/user/create", body).ok();
    let _ = acme.ci_token(&[&acme.app_id("notes")]);
}
