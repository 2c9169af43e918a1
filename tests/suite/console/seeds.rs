//! A deployment that looks like one of people: applications with months of releases, devices and failures.

use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Release, WEBHOOKS_TO_NOBODY, World, gzip};

use super::{groups, health};
use crate::freezes::in_an_hour;
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
    /// Days since the newest release.
    age: u32,
    /// Its rollout, in percent.
    rollout: u8,
}

const APPS: [App; 5] = [
    App {
        name: "atlas",
        description: "Maps for field work, with and without a network.",
        versions: &["3.8.0", "3.9.0", "3.9.1", "3.10.0", "4.0.0"],
        devices: 180,
        age: 12,
        rollout: 100,
    },
    App {
        name: "backup-agent",
        description: "Runs at night.",
        versions: &["0.9.4", "0.9.5"],
        devices: 35,
        age: 20,
        rollout: 100,
    },
    App {
        name: "notes",
        description: "Notes that stay on your own machines. Linux, Windows and macOS.",
        versions: &["1.0.0", "1.1.0", "1.2.0", "1.2.1", "1.3.0", "1.4.0", "2.0.0"],
        devices: 260,
        age: 6,
        rollout: 40,
    },
    App {
        name: "studio",
        description: "",
        versions: &["2026.9.0", "2026.10.0", "2026.11.0"],
        devices: 90,
        age: 9,
        rollout: 100,
    },
    App {
        name: "terminal",
        description: "A terminal that is quick.",
        versions: &[],
        devices: 0,
        age: 0,
        rollout: 100,
    },
];

/// A failure of `notes`.
struct Failure {
    version: &'static str,
    event: &'static str,
    reason: &'static str,
    /// Days since the first and since the last report, and most reports of a day.
    days: (u32, u32),
    most: u32,
    /// Status, tags as JSON, and note.
    triage: (&'static str, &'static str, &'static str),
}

const OPEN: (&str, &str, &str) = ("open", "[]", "");
const FAILURES: [Failure; 5] = [
    Failure {
        version: "2.0.0",
        event: "crash",
        reason: "segfault-in-merge",
        days: (6, 0),
        most: 14,
        triage: ("open", r#"["sync"]"#, "Only with notes from before 1.2.0."),
    },
    Failure {
        version: "2.0.0",
        event: "update_failure",
        reason: "bad-signature",
        days: (5, 1),
        most: 3,
        triage: OPEN,
    },
    Failure {
        version: "1.4.0",
        event: "crash",
        reason: "out-of-memory",
        days: (19, 2),
        most: 6,
        triage: OPEN,
    },
    Failure {
        version: "1.4.0",
        event: "startup_failure",
        reason: "no-answer-for-30-s",
        days: (18, 4),
        most: 2,
        triage: ("muted", "[]", ""),
    },
    Failure {
        version: "1.3.0",
        event: "crash",
        reason: "segfault-in-merge",
        days: (29, 11),
        most: 5,
        triage: ("resolved", r#"["sync"]"#, "Fixed in 1.4.0."),
    },
];
/// Versions of `vault`, whose metadata is signed. The last is not in its list yet.
const SIGNED: [&str; 3] = ["1.0.0", "1.1.0", "1.2.0"];

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
        data["get_page"] = (app.name == "notes").into();
        data["private"] = (app.name == "studio").into();
        data["download_mode"] = "token".into();
        acme.create_app_with(data);
        publish(&acme, app);
    }
    signed(&acme);
    groups::seed(&acme);
    // Before there is anything old, which it would remove.
    let _ = acme.post("/maintenance/run").send().expect(200);
    devices(world);
    failures(world, &acme);
    team(&acme);
    let freeze = json!({ "app": "atlas", "to": in_an_hour(), "reason": "holidays" });
    let _ = acme.post_json("/freezes", freeze).send().expect(201);
    let webhook =
        json!({ "url": format!("{WEBHOOKS_TO_NOBODY}/chat"), "kinds": ["health.*", "rollout.halt"] });
    let _ = acme.post_json("/webhooks", webhook).send().expect(201);
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
            let release = if i == last { release.rollout(app.rollout) } else { release };
            acme.publish(release);
        }
    }
    if app.name == "notes" {
        let draft = Release::empty("2.1.0").with("channel", "beta");
        acme.upload(&draft.file("notes-2.1.0-linux.zip", vec![7; 104_000]));
    }
}

/// An application with signed metadata, a file that waits for its signature, and a root that does.
fn signed(acme: &Account) {
    acme.create_app_with(json!({ "app": "vault", "description": "Passwords and keys.", "tuf": true }));
    let publisher = Publisher::new(acme, "vault");
    let files: Vec<TestTarget> = SIGNED.iter().map(|version| signed_file(acme, version)).collect();
    let _ = publisher.start(None).expect(202);
    let _ = publisher.publish(&files[..SIGNED.len() - 1]).expect(200);
    let mut named = publisher.named();
    named.root.threshold = 2;
    let root = publisher.root_file(2, &named, &publisher.root.keys[..1]);
    let _ = publisher.send("metadata", json!({ "metadata": { "root": root } })).expect(200);
}

fn signed_file(acme: &Account, version: &str) -> TestTarget {
    let content = vec![7; 61_000];
    let release = Release::empty(version).with("app_name", "vault").file("vault.deb", content.clone());
    acme.publish(release.with_digests());
    let custom = json!({
        "arch": "amd64", "channel": "stable", "package": "deb", "platform": "linux",
        "repository": "acme/vault", "version": version,
    });
    TestTarget::new(&format!("acme/vault/stable/linux/amd64/vault-{version}.deb"), &content, custom)
}

/// Dates go back one release a fortnight; devices take up a version over some days.
fn devices(world: &World) {
    let database = world.database();
    // Maintenance has folded days on which nothing had been seen.
    database.execute("UPDATE telemetry_fold SET day = -1", []).unwrap();
    for app in &APPS {
        let dates = format!(
            "UPDATE releases SET created_at = created_at - 86400000 * ({age} + 14 * (
               SELECT COUNT(*) FROM releases newer
               WHERE newer.app_id = releases.app_id AND newer.published AND newer.version_key > releases.version_key))
             WHERE published AND app_id = (SELECT id FROM apps WHERE name = ?1)",
            age = app.age,
        );
        database.execute(&dates, [app.name]).unwrap();
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
                age = 14 * i + app.age,
            );
            database.execute(&rows, [app.name, version]).unwrap();
        }
    }
}

fn failures(world: &World, acme: &Account) {
    let key = reports::key(acme, "notes").unwrap();
    for (i, failure) in FAILURES.iter().enumerate() {
        let mut report = reports::failure_because(failure.reason);
        report["application"]["version"] = failure.version.into();
        report["event"]["type"] = failure.event.into();
        for device in 0..2 {
            let details =
                json!({ "thread": "main", "stack": ["sync::merge", "sync::run", "main"], "device": device });
            let report = reports::with_details(report.clone(), &gzip(details.to_string().as_bytes()));
            let _ = reports::send(world.client(), &key, &format!("device-{i}-{device}"), &report).expect(202);
        }
        failure.spread(world);
    }
    // More devices than this.
    let guard = json!({ "on_unhealthy": "pause", "max_failing": 1 });
    health::set_guard(acme, acme.release("2.0.0").id.as_str(), guard);
    let _ = acme.post("/guard/run").send().expect(200);
}

impl Failure {
    /// Its group, as if reports had come on many days.
    fn spread(&self, world: &World) {
        let database = world.database();
        let (first, last) = self.days;
        let ours = format!("version = '{}' AND reason = '{}'", self.version, self.reason);
        let by_day = format!(
            "UPDATE report_groups SET days = (
               WITH RECURSIVE past (d) AS (SELECT {last} UNION ALL SELECT d + 1 FROM past WHERE d < {first})
               SELECT json_group_object(unixepoch() / 86400 - d, 1 + (d * d * 7 + d * 3 + 4) % {most}) FROM past)
             WHERE {ours}",
            most = self.most,
        );
        assert_eq!(database.execute(&by_day, []).unwrap(), 1);
        let sums = format!(
            "UPDATE report_groups SET event_count = (SELECT SUM(value) FROM json_each(days)),
               first_seen = first_seen - {first} * 86400000 - 17000000,
               last_seen = last_seen - {last} * 86400000 - {most} * 540000,
               status = ?1, tags = ?2, note = ?3
             WHERE {ours}",
            most = self.most,
        );
        let (status, tags, note) = self.triage;
        assert_eq!(database.execute(&sums, [status, tags, note]).unwrap(), 1);
    }
}

fn team(acme: &Account) {
    let permissions = json!({ "apps": { "create": false, "edit": true, "upload": true, "allowed": [acme.app_id("notes")] } });
    let body = json!({ "username": "ann", "password": "password of a user", "permissions": permissions });
    let _ = acme.post_json("/user/create", body).ok();
    let _ = acme.ci_token(&[&acme.app_id("notes")]);
}
