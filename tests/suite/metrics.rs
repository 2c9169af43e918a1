//! `GET /metrics`, and its users: a dashboard and alerts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Driver, Release, World, on_hosts};

use crate::reports;

on_hosts! {
    every: [
        without_a_token_there_is_no_such_path,
        only_the_token_reads,
        everything_is_counted,
        offers_are_counted,
        with_many_applications_there_are_only_sums,
    ],
    in_process: [
        a_store_that_fails_is_a_value,
        the_dashboard_and_the_alerts_name_metrics_that_there_are,
        prometheus_accepts_the_alerts_and_the_metrics,
        every_alert_is_seen_firing,
    ],
}

const TOKEN: &str = "a-token-that-reads-metrics";
const DAY_SECONDS: f64 = 24.0 * 60.0 * 60.0;

fn watched(host: Driver) -> World {
    World::builder(host)
        .with_variable("metrics_token", TOKEN)
        .with_variable("device_hash_key", "a key of the tests")
        .start()
}

fn text(world: &World) -> String {
    let answer = world.client().with_token(TOKEN).get("/metrics").send().expect(200);
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    answer.text()
}

/// The values by name and labels.
fn values(text: &str) -> BTreeMap<String, f64> {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    samples.map(value).collect()
}

fn without_a_token_there_is_no_such_path(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");

    let refusal = (404, "not found".to_owned());
    assert_eq!(world.get("/metrics").send().refusal(), refusal);
    assert_eq!(acme.get("/metrics").send().refusal(), refusal);
    assert_eq!(world.get("/metrics").header("authorization", "Bearer ").send().refusal(), refusal);
}

fn only_the_token_reads(host: Driver) {
    let world = watched(host);
    let acme = world.admin("acme");

    let refusal = (401, "the metrics token is needed".to_owned());
    assert_eq!(world.get("/metrics").send().refusal(), refusal);
    assert_eq!(acme.get("/metrics").send().refusal(), refusal, "an admin of one owner");
    for token in [&TOKEN[1..], "", &format!("{TOKEN}x"), "Bearer"] {
        let answer = world.client().with_token(token).get("/metrics").send();
        assert_eq!(answer.refusal(), refusal, "{token}");
        assert!(answer.headers.contains_key("www-authenticate"));
    }
    assert!(text(&world).contains("spindrift_build_info{version=\""));
}

fn everything_is_counted(host: Driver) {
    let world = watched(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.create_app_with(json!({ "app": "vault", "tuf": true }));
    let publisher = Publisher::new(&acme, "vault");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));
    acme.upload(&Release::new("1.2.0"));
    acme.begin(&Release::new("1.3.0"));
    let _ = reports::send(world.client(), &key, "a", &reports::failure()).expect(202);
    let today = "(SELECT unixepoch() / 86400)";
    let insert = format!(
        "INSERT INTO telemetry (day, app_id, device, version, is_latest, requests) \
         VALUES ({today}, ?1, 1, '1.1.0', 1, 4), ({today}, ?1, 2, '1.0.0', 0, 1), ({today} - 1, ?1, 3, '1.0.0', 0, 1)"
    );
    world.database().execute(&insert, [acme.app_id("notes")]).unwrap();
    let _ = acme.post("/maintenance/run").send().expect(200);

    let values = values(&text(&world));

    for (name, expected) in [
        ("spindrift_store_up{store=\"database\"}", 1.0),
        ("spindrift_store_up{store=\"key_value\"}", 1.0),
        ("spindrift_apps", 2.0),
        ("spindrift_releases{state=\"published\"}", 2.0),
        ("spindrift_releases{state=\"draft\"}", 1.0),
        ("spindrift_devices_today{group=\"latest\"}", 1.0),
        ("spindrift_devices_today{group=\"outdated\"}", 1.0),
        ("spindrift_uploads{state=\"incoming\"}", 0.0),
        ("spindrift_uploads{state=\"staged\"}", 1.0),
        ("spindrift_uploads{state=\"recorded\"}", 0.0),
        ("spindrift_projections_behind", 0.0),
        ("spindrift_bucket_of_another_database", 0.0),
        ("spindrift_report_groups{status=\"open\"}", 1.0),
        ("spindrift_report_groups{status=\"resolved\"}", 0.0),
        ("spindrift_report_groups{status=\"muted\"}", 0.0),
        ("spindrift_app_releases{app=\"notes\",owner=\"acme\",state=\"published\"}", 2.0),
        ("spindrift_app_releases{app=\"vault\",owner=\"acme\",state=\"draft\"}", 0.0),
        ("spindrift_app_devices_today{app=\"notes\",group=\"outdated\",owner=\"acme\"}", 1.0),
        ("spindrift_app_report_groups{app=\"notes\",owner=\"acme\",status=\"open\"}", 1.0),
    ] {
        assert_eq!(values.get(name), Some(&expected), "{name} of {values:#?}");
    }
    let age = values["spindrift_maintenance_age_seconds"];
    assert!((0.0..600.0).contains(&age), "{age}");
    for (role, days) in [("timestamp", 7.0), ("snapshot", 30.0)] {
        let first = values[&format!("spindrift_repository_first_expiry_seconds{{role=\"{role}\"}}")];
        assert!((first / DAY_SECONDS - days).abs() < 0.1, "{role} {first}");
        let of_app = format!(
            "spindrift_app_repository_expiry_seconds{{app=\"vault\",owner=\"acme\",role=\"{role}\"}}"
        );
        assert!((values[&of_app] - first).abs() < 60.0, "{role}");
    }
    for role in ["root", "targets"] {
        assert!(values[&format!("spindrift_repository_first_expiry_seconds{{role=\"{role}\"}}")] > 0.0);
    }
}

fn offers_are_counted(host: Driver) {
    let world = watched(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    acme.upload(&Release::new("1.2.0"));
    let guard = json!({ "on_unhealthy": "halt", "max_failing": 1 });
    acme.publish(Release::new("1.1.0").with("rollout", 25).with("guard", guard));
    let of_notes =
        |name: &str| format!("spindrift_app_{name}{{app=\"notes\",channel=\"stable\",owner=\"acme\"}}");
    let before = values(&text(&world));
    for (name, expected) in [
        (of_notes("rollout_percent"), 25.0),
        (of_notes("health"), 0.0),
        ("spindrift_offers{state=\"fixed\"}".to_owned(), 1.0),
    ] {
        assert_eq!(before.get(&name), Some(&expected), "{name} of {before:#?}");
    }
    let mut failure = reports::failure();
    failure["application"]["version"] = json!("1.1.0");
    for device in ["a", "b"] {
        let _ = reports::send(world.client(), &key, device, &failure).expect(202);
    }
    let _ = acme.post("/guard/run").send().expect(200);
    let _ = acme.post_json("/shutoffs", json!({ "app": "notes", "reason": "broken" })).send().expect(201);

    let values = values(&text(&world));

    for (name, expected) in [
        ("spindrift_offers{state=\"draft\"}", 1.0),
        ("spindrift_offers{state=\"scheduled\"}", 0.0),
        ("spindrift_offers{state=\"complete\"}", 1.0),
        ("spindrift_offers{state=\"fixed\"}", 0.0),
        ("spindrift_offers{state=\"halted\"}", 1.0),
        ("spindrift_shutoffs", 1.0),
        ("spindrift_times_behind", 0.0),
        ("spindrift_webhook_behind_seconds", 0.0),
        (&of_notes("health"), -1.0),
    ] {
        assert_eq!(values.get(name), Some(&expected), "{name} of {values:#?}");
    }
    assert!((0.0..600.0).contains(&values["spindrift_guard_age_seconds"]), "{values:#?}");
}

fn with_many_applications_there_are_only_sums(host: Driver) {
    let world = watched(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let owner = acme.get("/whoami").ok()["id"].as_str().unwrap().to_owned();
    let add = |from: u32, to: u32| {
        let sql = "INSERT INTO apps (id, owner_id, name, created_at, updated_at) WITH RECURSIVE n (n) AS \
                   (VALUES (?1) UNION ALL SELECT n + 1 FROM n WHERE n < ?2) SELECT 'app-' || n, ?3, 'app ' || n, 0, 0 FROM n";
        world.database().execute(sql, rusqlite::params![from, to, owner]).unwrap();
    };
    let of_apps = |values: &BTreeMap<String, f64>| {
        values.keys().filter(|name| name.starts_with("spindrift_app_releases")).count()
    };

    add(2, 200);
    let all = values(&text(&world));
    assert_eq!((all["spindrift_apps"], of_apps(&all)), (200.0, 400));
    add(201, 201);
    let sums = values(&text(&world));
    assert_eq!((sums["spindrift_apps"], of_apps(&sums)), (201.0, 0));
    assert!((sums["spindrift_releases{state=\"published\"}"] - 1.0).abs() < f64::EPSILON);
    assert!(sums.keys().all(|name| !name.contains("owner=")), "{sums:?}");
}

fn a_store_that_fails_is_a_value(host: Driver) {
    let world = watched(host);
    world.admin("acme");
    let is_up = |store: &str| {
        let values = values(&text(&world));
        (values[&format!("spindrift_store_up{{store=\"{store}\"}}")], values.contains_key("spindrift_apps"))
    };

    world.platform().fail_sql(true);
    assert_eq!((is_up("database"), is_up("key_value")), ((0.0, false), (1.0, false)));
    world.platform().fail_sql(false);
    world.platform().fail_key_value(true);
    assert_eq!((is_up("database"), is_up("key_value")), ((1.0, true), (0.0, true)));
    world.platform().fail_key_value(false);
    assert_eq!(is_up("key_value"), (1.0, true));
}

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A service of which every metric has a value.
fn with_all_metrics(host: Driver) -> World {
    let world = watched(host);
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "vault", "tuf": true }));
    let publisher = Publisher::new(&acme, "vault");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    let acme = acme.with_notes();
    let guard = json!({ "on_unhealthy": "halt", "max_failing": 3 });
    acme.publish(Release::new("1.0.0").with("guard", guard));
    world
}

/// The metrics that `spindrift up` adds. The unit tests of that command have their values.
const OF_UP: [&str; 5] = [
    "spindrift_backup_age_seconds",
    "spindrift_disk_free_bytes",
    "spindrift_disk_size_bytes",
    "spindrift_request_duration_seconds",
    "spindrift_requests_total",
];

/// The names that begin with `spindrift_`. A histogram counts once.
fn named_in(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter))
        .filter(|word| word.starts_with("spindrift_"))
        .map(|word| word.trim_end_matches("_bucket").to_owned())
        .collect()
}

fn the_dashboard_and_the_alerts_name_metrics_that_there_are(host: Driver) {
    let world = with_all_metrics(host);
    let of_stores = values(&text(&world)).into_keys().map(|name| name.split('{').next().unwrap().to_owned());
    let there_are: BTreeSet<String> = of_stores.chain(OF_UP.map(str::to_owned)).collect();

    let documented = named_in(&std::fs::read_to_string(file("docs/metrics.md")).unwrap());
    assert_eq!(documented, there_are, "the documentation lists all of them");
    for path in ["deploy/grafana/spindrift.json", "deploy/prometheus/alerts.yml"] {
        let named = named_in(&std::fs::read_to_string(file(path)).unwrap());
        assert!(named.len() > 5, "{path}");
        let missing: Vec<_> = named.difference(&there_are).collect();
        assert!(missing.is_empty(), "{path} names {missing:?}");
    }
    let dashboard = std::fs::read(file("deploy/grafana/spindrift.json")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_slice(&dashboard).unwrap();
    for panel in dashboard["panels"].as_array().unwrap() {
        let is_row = panel["type"] == "row";
        assert!(is_row || panel["targets"][0]["expr"].is_string(), "{panel}");
        assert!(panel["title"].is_string() && panel["gridPos"]["w"].is_number(), "{panel}");
    }
}

fn prometheus_accepts_the_alerts_and_the_metrics(host: Driver) {
    let promtool = std::env::var_os("PROMTOOL").unwrap_or_else(|| "promtool".into());
    if Command::new(&promtool).arg("--version").output().is_err() {
        println!("skipped: there is no promtool (Debian's package `prometheus` has it), nor PROMTOOL");
        return;
    }
    let world = with_all_metrics(host);
    let exposition = world.dir().join("metrics.txt");
    std::fs::write(&exposition, text(&world)).unwrap();

    for (arguments, input) in [
        (vec!["check".into(), "rules".into(), file("deploy/prometheus/alerts.yml").into_os_string()], None),
        (vec!["check".into(), "metrics".into()], Some(&exposition)),
        (
            vec!["test".into(), "rules".into(), file("deploy/prometheus/alerts.test.yml").into_os_string()],
            None,
        ),
    ] {
        let mut command = Command::new(&promtool);
        command.args(&arguments);
        if let Some(path) = input {
            command.stdin(std::fs::File::open(path).unwrap());
        }
        let done = command.output().unwrap();
        let said = [String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)].concat();
        assert!(done.status.success(), "{arguments:?}: {said}");
    }
}

fn every_alert_is_seen_firing(_: Driver) {
    let [rules, tries] = ["deploy/prometheus/alerts.yml", "deploy/prometheus/alerts.test.yml"]
        .map(|path| std::fs::read_to_string(file(path)).unwrap());
    let names: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert_eq!(names.len(), 16);
    for name in names {
        let fires = format!("alertname: {name}\n        exp_alerts:\n          - exp_labels:");
        assert!(tries.contains(&fires), "{name}");
    }
}
