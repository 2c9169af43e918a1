//! `GET /telemetry/beacon`, `GET /telemetry`, and the counting that `GET /checkVersion` does.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Release, World, on_hosts, until};

use crate::concurrency::in_parallel;
use crate::reports;

on_hosts! {
    every: [
        a_beacon_is_counted,
        a_beacon_needs_everything,
        downloads_are_counted_as_clients_report_them,
        a_beacon_with_an_unknown_name_leaves_nothing,
        a_scope_with_nothing_published_is_known,
        a_plus_in_a_version_is_one_however_it_was_sent,
        no_device_is_counted_when_telemetry_is_off,
        without_a_key_the_service_makes_one,
        instances_end_with_one_key,
        a_busy_database_is_waited_for,
        gathered_devices_are_counted_once,
        a_check_of_a_device_is_counted,
        a_check_without_a_device_is_not_counted,
        a_device_identifier_is_not_kept,
        a_week_is_counted_exactly,
        filters_pick_reports,
        days_that_are_over_are_folded,
        team_users_see_their_applications,
        figures_are_for_users,
        the_query_of_figures_is_checked,
    ],
    in_process: [
        a_device_is_counted_once_on_each_day,
        a_database_that_fails_costs_no_answer,
    ],
}

pub(crate) const BEACON: &str =
    "/telemetry/beacon?app_name=notes&version=1.0.0&channel=stable&platform=linux&arch=amd64&owner=acme";
/// Longest time that counting may lag behind the answer.
const SOON: Duration = Duration::from_secs(20);

/// A service that counts devices.
pub(crate) fn counting(host: Driver) -> World {
    World::builder(host).with_variable("device_hash_key", "a key of the tests").start()
}

/// Somebody with a published release.
fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme
}

fn beacon(world: &World, path: &str, device: &str) -> Answer {
    world.get(path).header("x-device-id", device).send()
}

/// Requests that were counted, whenever and for whomever. Waiting requests are counted when `account` reads figures.
fn counted(world: &World, account: &Account) -> i64 {
    account.get("/telemetry").ok();
    world.number("SELECT coalesce(sum(requests), 0) FROM telemetry").unwrap()
}

/// The figures of a month, as soon as they hold so many requests.
pub(crate) fn figures(account: &Account, requests: u64) -> Value {
    until("counting", SOON, || {
        let figures = account.get("/telemetry?range=month").ok();
        (figures["summary"]["total_requests"] == requests).then_some(figures)
    })
}

fn a_beacon_is_counted(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);

    let answer = beacon(&world, BEACON, "device-1").expect(204);

    assert_eq!((answer.body.len(), answer.header("cache-control")), (0, "private, no-store"));
    let answer = figures(&acme, 1);
    assert_eq!(answer["admin"], "acme");
    assert_eq!(
        answer["summary"],
        json!({
            "total_requests": 1, "unique_clients": 1, "clients_using_latest_version": 1, "clients_outdated": 0,
            "total_active_apps": 1,
        })
    );
    let version = json!({ "version": "1.0.0", "client_count": 1 });
    assert_eq!(
        answer["versions"],
        json!({ "used_versions_count": 1, "known_versions": ["1.0.0"], "usage": [version] })
    );
    // The version need not be a release, and the device may know better than the service.
    let _ = beacon(&world, &BEACON.replace("=1.0.0", "=7.7"), "device-2").expect(204);
    let _ = beacon(&world, &format!("{BEACON}&is_latest=false"), "device-3").expect(204);
    let _ = beacon(&world, &BEACON.replace("=1.0.0", "=0.1"), "device-4").expect(204);
    let summary = figures(&acme, 4)["summary"].clone();
    assert_eq!(
        (&summary["clients_using_latest_version"], &summary["clients_outdated"]),
        (&json!(2), &json!(2))
    );
}

fn downloads_are_counted_as_clients_report_them(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    let report = |device: &str, downloaded: &str, way: &str| {
        beacon(&world, &format!("{BEACON}&downloaded={downloaded}&way={way}"), device)
    };
    for (device, version, way) in [
        ("a", "2.0.0", "patch"),
        ("b", "2.0.0", "patch"),
        ("c", "2.0.0", "fallback"),
        ("d", "2.1.0", "whole"),
    ] {
        let _ = report(device, version, way).expect(204);
    }
    let figures = figures(&acme, 4);
    let count =
        |version: &str, way: &str, count: u64| json!({ "version": version, "way": way, "count": count });
    let expected = [count("2.0.0", "patch", 2), count("2.0.0", "fallback", 1), count("2.1.0", "whole", 1)];
    assert_eq!(figures["downloads"], json!(expected));
    assert_eq!(figures["versions"]["used_versions_count"], 1, "they still run 1.0.0");

    assert_eq!(report("e", "2.0.0", "mail").refusal(), (400, "invalid way parameter".to_owned()));
    assert_eq!(report("e", "two", "patch").refusal(), (400, "invalid downloaded parameter".to_owned()));
    let unsaid = beacon(&world, &format!("{BEACON}&downloaded=2.0.0"), "e");
    assert_eq!(unsaid.refusal(), (400, "missing way".to_owned()));
    let another = world.admin("bare");
    assert_eq!(another.get("/telemetry?range=month").ok().get("downloads"), None);
}

fn a_beacon_needs_everything(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    let refused = |text: &str| (400, text.to_owned());

    assert_eq!(world.get(BEACON).send().refusal(), refused("missing X-Device-ID"));
    assert_eq!(world.get("/telemetry/beacon").send().refusal(), refused("missing X-Device-ID"));
    for device in ["", &"x".repeat(129)] {
        assert_eq!(beacon(&world, BEACON, device).refusal(), refused("invalid X-Device-ID parameter"));
    }
    let (path, query) = BEACON.split_once('?').unwrap();
    for name in ["app_name", "version", "channel", "platform", "arch", "owner"] {
        let rest: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with(name)).collect();
        let rest = format!("{path}?{}", rest.join("&"));
        assert_eq!(beacon(&world, &rest, "device").refusal(), refused(&format!("missing {name}")));
        let empty = format!("{rest}&{name}=");
        assert_eq!(beacon(&world, &empty, "device").refusal(), refused(&format!("missing {name}")));
        let invalid = format!("{rest}&{name}=a%2Fb");
        assert_eq!(
            beacon(&world, &invalid, "device").refusal(),
            refused(&format!("invalid {name} parameter"))
        );
    }
    let unsure = format!("{BEACON}&is_latest=maybe");
    assert_eq!(beacon(&world, &unsure, "device").refusal(), refused("invalid is_latest parameter"));
    assert_eq!(counted(&world, &acme), 0);
}

fn a_beacon_with_an_unknown_name_leaves_nothing(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);

    for (from, to) in [
        ("owner=acme", "owner=nobody"),
        ("owner=acme", "owner=Acme"),
        ("app_name=notes", "app_name=other"),
        ("channel=stable", "channel=beta"),
        ("platform=linux", "platform=windows"),
        ("arch=amd64", "arch=arm64"),
    ] {
        let answer = beacon(&world, &BEACON.replace(from, to), "device");
        assert_eq!(answer.refusal(), (404, "unknown scope".to_owned()), "{to}");
    }
    let _ = beacon(&world, BEACON, "device").expect(204);
    figures(&acme, 1);
    assert_eq!(counted(&world, &acme), 1);
}

fn no_device_is_counted_when_telemetry_is_off(host: Driver) {
    let world = World::builder(host)
        .with_variable("device_hash_key", "a key of the tests")
        .with_variable("telemetry_enabled", "false")
        .start();
    let acme = acme(&world);

    let disabled = (403, "telemetry is disabled".to_owned());
    assert_eq!(beacon(&world, BEACON, "device").refusal(), disabled);
    assert_eq!(world.get("/telemetry/beacon").send().refusal(), disabled, "before anything else");
    assert_eq!(acme.check_as("device", "0.1")["version"], "1.0.0");
    assert_eq!(acme.get("/telemetry").ok()["summary"]["total_requests"], 0);
    assert_eq!(counted(&world, &acme), 0);
}

fn a_scope_with_nothing_published_is_known(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    acme.create_channel("empty");
    acme.create_app("gone");
    let id = acme.publish(Release::new("1.0.0").with("app_name", "gone"));
    let gone = BEACON.replace("=notes", "=gone");
    let _ = beacon(&world, &gone, "device-1").expect(204);
    let _ = acme.edit(&id, json!({ "publish": false })).expect(200);

    let _ = beacon(&world, &gone, "device-2").expect(204);
    let _ = beacon(&world, &BEACON.replace("stable", "empty"), "device-3").expect(204);
    let nothing = acme.check_path("0.1").replace("=notes", "=gone");
    let answer = acme.get(&nothing).header("x-device-id", "device-4").ok();
    assert_eq!((&answer["update_available"], &answer["error"]), (&json!(false), &json!("Not found")));

    assert_eq!(figures(&acme, 4)["summary"]["unique_clients"], 4);
}

fn a_plus_in_a_version_is_one_however_it_was_sent(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    acme.publish(Release::new("2.0.0+5"));

    for (n, version) in ["1.0.0+5", "1.0.0%2B5", "1.0.0%205"].into_iter().enumerate() {
        assert_eq!(acme.check(version)["version"], "2.0.0+5", "{version}");
        let _ = beacon(&world, &BEACON.replace("1.0.0", version), &format!("device-{n}")).expect(204);
    }
    assert_eq!(acme.check("2.0.0+5")["update_available"], false);

    let usage = figures(&acme, 3)["versions"]["usage"].clone();
    assert_eq!(usage, json!([{ "version": "1.0.0+5", "client_count": 3 }]));
}

/// The settings of a user who has just started with the readme.
fn without_a_key_the_service_makes_one(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    assert_eq!(acme.check_as("device-1", "0.1")["version"], "1.0.0");
    let _ = beacon(&world, BEACON, "device-1").expect(204);
    let _ = beacon(&world, BEACON, "device-2").expect(204);

    assert_eq!(figures(&acme, 3)["summary"]["unique_clients"], 2);
    assert!(!holds(world.dir(), b"device-1"), "the identifier is not kept");
}

fn instances_end_with_one_key(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    in_parallel(32, |_| drop(beacon(&world, BEACON, "device").expect(204)));

    assert_eq!(figures(&acme, 32)["summary"]["unique_clients"], 1, "another key would make it another one");
}

/// More requests than an instance answers before it counts at the latest.
const EACH: u64 = 36;
/// Less than one attempt to get the lock that no caller waits for, for each of them.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

fn a_busy_database_is_waited_for(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    acme.check("0.1");
    let database = world.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();

    let started = Instant::now();
    let download = format!("{BEACON}&downloaded=2.0.0&way=patch");
    for n in 0..EACH {
        let _ = beacon(&world, &download, &format!("device-{n}")).expect(204);
        assert_eq!(acme.check_as(&format!("other-{n}"), "0.1")["version"], "1.0.0");
    }
    assert!(started.elapsed() < ANSWERED_WITHIN, "{:?}", started.elapsed());
    database.execute_batch("COMMIT").unwrap();

    let figures = figures(&acme, 2 * EACH);
    assert_eq!(figures["summary"]["unique_clients"], 2 * EACH);
    assert_eq!(figures["downloads"][0]["count"], EACH);
}

/// More devices than wait for each other, sent while others read.
fn gathered_devices_are_counted_once(host: Driver) {
    let world = World::builder(host)
        .with_local_stores()
        .with_variable("device_hash_key", "a key of the tests")
        .with_variable("telemetry_gathered", "true")
        .start();
    let acme = acme(&world);
    acme.check("0.1");

    let download = format!("{BEACON}&downloaded=2.0.0&way=patch");
    in_parallel(300, |n| {
        let _ = beacon(&world, &download, &format!("device-{}", n % 290)).expect(204);
        if n % 50 == 0 {
            acme.get("/telemetry").ok();
        }
    });

    let figures = figures(&acme, 300);
    let summary = &figures["summary"];
    assert_eq!((&summary["total_requests"], &summary["unique_clients"]), (&json!(300), &json!(290)));
    assert_eq!(figures["downloads"], json!([{ "version": "2.0.0", "way": "patch", "count": 300 }]));
}

fn a_check_of_a_device_is_counted(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);

    assert_eq!(acme.check_as("device-1", "0.1")["version"], "1.0.0");
    assert_eq!(acme.check_as("device-1", "1.0.0")["update_available"], false);
    assert_eq!(acme.check_as("device-2", "0.1")["version"], "1.0.0");

    let summary = figures(&acme, 3)["summary"].clone();
    assert_eq!(summary["unique_clients"], 2);
    assert_eq!(
        summary["clients_outdated"].as_u64().unwrap()
            + summary["clients_using_latest_version"].as_u64().unwrap(),
        2
    );
}

fn a_check_without_a_device_is_not_counted(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);

    acme.check("0.1");
    for none in ["", &"x".repeat(129)] {
        let _ = acme.get(&acme.check_path("0.1")).header("x-device-id", none).send().expect(200);
    }
    acme.check_as("device", "0.1");

    figures(&acme, 1);
    assert_eq!(counted(&world, &acme), 1);
}

/// Whether a file in a folder, or below it, holds these bytes.
fn holds(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return holds(&path, bytes);
        }
        let content = std::fs::read(&path).unwrap();
        content.windows(bytes.len()).any(|part| part == bytes)
    })
}

fn a_device_identifier_is_not_kept(host: Driver) {
    const DEVICE: &str = "the-device-of-somebody";
    let world = counting(host);
    if world.database().into_file().is_none() {
        return;
    }
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.publish(Release::new("1.0.0").with("changelog", "something that is kept"));

    let _ = beacon(&world, BEACON, DEVICE).expect(204);
    acme.check_as(DEVICE, "0.1");
    let _ = reports::send(world.client(), &key, DEVICE, &reports::failure()).expect(202);
    figures(&acme, 2);

    assert!(holds(world.dir(), b"something that is kept"), "the search finds stored data");
    assert!(!holds(world.dir(), DEVICE.as_bytes()));
}

/// 2026-01-10, the last day of the week, in days since 1970-01-01.
pub(crate) const LAST_DAY: i64 = 20_463;
const WEEK: &str = "/telemetry?date=2026-01-10&range=week";

/// A device of an application in a scope, and how often it asked on a day.
struct Sent(i64, &'static str, &'static str, &'static str, &'static str, &'static str, u32);

/// Days before the last one, device, application, version, channel, architecture, requests.
const SENT: [Sent; 9] = [
    Sent(7, "before-the-week", "notes", "1.0.0", "stable", "amd64", 1),
    Sent(6, "moved-on", "notes", "1.0.0", "stable", "amd64", 2),
    Sent(6, "left-beta", "notes", "1.2.0", "beta", "amd64", 1),
    Sent(3, "moved-on", "notes", "1.1.0", "stable", "amd64", 1),
    Sent(3, "papers-only", "papers", "1.0.0", "stable", "amd64", 3),
    // Another client: devices are counted by application.
    Sent(3, "moved-on", "papers", "1.0.0", "stable", "amd64", 1),
    Sent(0, "left-beta", "notes", "1.0.0", "stable", "amd64", 1),
    Sent(0, "on-arm", "notes", "0.9.0", "stable", "arm64", 1),
    Sent(0, "on-arm", "notes", "0.9.1", "stable", "arm64", 1),
];

/// Two applications with releases, and the beacons of a week: sent today, then put back to their days.
pub(crate) fn a_week(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.create_app("papers");
    acme.create_channel("beta");
    acme.create_arch("arm64");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0"));
    acme.publish(Release::new("1.1.0").with("arch", "arm64"));
    acme.publish(Release::new("1.2.0").with("channel", "beta"));
    acme.publish(Release::new("1.0.0").with("app_name", "papers"));
    for day in [7, 6, 3, 0] {
        for Sent(_, device, app, version, channel, arch, times) in SENT.iter().filter(|sent| sent.0 == day) {
            let path = format!(
                "/telemetry/beacon?app_name={app}&version={version}&channel={channel}&platform=linux&arch={arch}&owner=acme"
            );
            for _ in 0..*times {
                let before = counted(world, &acme);
                let _ = beacon(world, &path, device).expect(204);
                until("counting", SOON, || (counted(world, &acme) > before).then_some(()));
            }
        }
        let sql = "UPDATE telemetry SET day = ?1 WHERE day > ?2";
        world.database().execute(sql, [LAST_DAY - day, LAST_DAY]).unwrap();
    }
    acme
}

fn a_week_is_counted_exactly(host: Driver) {
    let world = counting(host);
    let acme = a_week(&world);
    let count = |name: &str, value: &str, count: u64| json!({ name: value, "client_count": count });
    let day = |day: u8, [requests, clients, latest]: [u64; 3]| {
        json!({
            "date": format!("2026-01-{day:02}"), "total_requests": requests, "unique_clients": clients,
            "clients_using_latest_version": latest, "clients_outdated": clients - latest,
        })
    };

    let answer = acme.get(WEEK).send().expect(200);

    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert_eq!(
        answer.json(),
        json!({
            "date": "2026-01-10",
            "date_range": (4..=10).map(|day| format!("2026-01-{day:02}")).collect::<Vec<_>>(),
            "admin": "acme",
            "summary": {
                "total_requests": 11, "unique_clients": 5, "clients_using_latest_version": 3,
                "clients_outdated": 2, "total_active_apps": 2,
            },
            "versions": {
                "used_versions_count": 3,
                "known_versions": ["1.2.0", "1.1.0", "1.0.0"],
                "usage": [count("version", "1.0.0", 3), count("version", "0.9.1", 1), count("version", "1.1.0", 1)],
            },
            "platforms": [count("platform", "linux", 5)],
            "architectures": [count("arch", "amd64", 4), count("arch", "arm64", 1)],
            "channels": [count("channel", "stable", 5)],
            "daily_stats": [
                day(4, [3, 2, 1]), day(5, [0, 0, 0]), day(6, [0, 0, 0]), day(7, [5, 3, 3]), day(8, [0, 0, 0]),
                day(9, [0, 0, 0]), day(10, [3, 2, 0]),
            ],
        })
    );
}

fn filters_pick_reports(host: Driver) {
    let world = counting(host);
    let acme = a_week(&world);

    for (filter, requests, clients, latest, apps) in [
        ("&channels=beta", 1, 1, 1, 1),
        ("&channels=stable,beta", 11, 5, 3, 2),
        ("&channels=stable", 10, 5, 3, 2),
        ("&channels=nightly", 0, 0, 0, 0),
        ("&apps=papers", 4, 2, 2, 1),
        ("&apps=notes", 7, 3, 1, 1),
        ("&apps=notes,papers", 11, 5, 3, 2),
        ("&apps=other", 0, 0, 0, 0),
        ("&architectures=arm64", 2, 1, 0, 1),
        ("&platforms=linux&architectures=amd64&apps=notes", 5, 2, 1, 1),
        ("&platforms=windows", 0, 0, 0, 0),
    ] {
        let summary = acme.get(&format!("{WEEK}{filter}")).ok()["summary"].clone();
        let expected = json!({
            "total_requests": requests, "unique_clients": clients, "clients_using_latest_version": latest,
            "clients_outdated": clients - latest, "total_active_apps": apps,
        });
        assert_eq!(summary, expected, "{filter}");
    }
    let of = |query: &str| {
        let summary = acme.get(&format!("/telemetry?{query}")).ok()["summary"].clone();
        (summary["total_requests"].clone(), summary["unique_clients"].clone())
    };
    assert_eq!(of("date=2026-01-04"), (json!(3), json!(2)));
    assert_eq!(of("date=2026-01-05"), (json!(0), json!(0)));
    assert_eq!(of("date=2026-01-10&range=month"), (json!(12), json!(6)));
    let beta = acme.get(&format!("{WEEK}&channels=beta")).ok();
    assert_eq!(beta["versions"]["usage"], json!([{ "version": "1.2.0", "client_count": 1 }]));
}

fn days_that_are_over_are_folded(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    let database = world.database();
    let today: i64 = database.query_row("SELECT unixepoch() / 86400", [], |row| row.get(0)).unwrap();
    let seen = "WITH RECURSIVE days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 13)
        INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
        SELECT ?1 - d, apps.id, n.value, iif(d < n.value, '1.1.0', '1.0.0'), iif(n.value % 3, 'stable', 'beta'), 'linux',
         'amd64', d % 2, n.value FROM days, apps, json_each('[1,2,3,4,5,6,7,8,9,10,11]') n WHERE (d + n.value) % 4 < 2";
    assert!(database.execute(seen, [today]).unwrap() > 50);
    let date = acme.get("/telemetry").ok()["date"].as_str().unwrap().to_owned();
    let answers = || {
        ["", "&range=week", "&range=month", "&range=week&channels=beta", "&range=month&apps=notes"]
            .map(|query| format!("/telemetry?date={date}{query}"))
            .into_iter()
            .chain([format!("/telemetry/adoption?app=notes&range=month&date={date}")])
            .map(|path| acme.get(&path).ok())
            .collect::<Vec<_>>()
    };
    let before = answers();
    assert_eq!(before[2]["summary"]["unique_clients"], 11);

    let _ = acme.post("/maintenance/run").send().expect(200);

    let folded: i64 =
        database.query_row("SELECT sum(devices) FROM telemetry_days", [], |row| row.get(0)).unwrap();
    assert!(folded > 50, "{folded}");
    assert_eq!(answers(), before);
    // Nothing is folded twice.
    let _ = acme.post("/maintenance/run").send().expect(200);
    assert_eq!(answers(), before);
}

fn team_users_see_their_applications(host: Driver) {
    let world = counting(host);
    let acme = a_week(&world);
    let umbrella = world.admin("umbrella");
    let ann = reports::team_user(&world, &acme, "ann", json!({ "allowed": [acme.app_id("papers")] }));
    let bob = reports::team_user(&world, &acme, "bob", json!({}));

    let figures = ann.get(WEEK).ok();
    assert_eq!(figures["admin"], "acme");
    assert_eq!(
        (&figures["summary"]["total_requests"], &figures["summary"]["unique_clients"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(figures["versions"]["known_versions"], json!(["1.0.0"]));
    assert_eq!(ann.get(&format!("{WEEK}&apps=notes")).ok()["summary"]["total_requests"], 0);
    assert_eq!(bob.get(WEEK).ok()["summary"]["total_requests"], 0, "an empty list allows none");
    assert_eq!(umbrella.get(WEEK).ok()["summary"]["total_requests"], 0, "another owner sees nothing");
}

fn figures_are_for_users(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);

    assert_eq!(world.get("/telemetry").send().refusal(), (401, "missing authorization header".to_owned()));
    assert_eq!(ci.get("/telemetry").send().refusal(), (403, "not allowed with a CI token".to_owned()));
}

fn the_query_of_figures_is_checked(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);

    let many = format!("apps={}", vec!["a"; 101].join(","));
    for (query, name) in [
        ("date=2026-02-30", "date"),
        ("date=today", "date"),
        ("range=year", "range"),
        ("channels=a,,b", "channels"),
        ("platforms=a%2Fb", "platforms"),
        ("architectures=a%20b", "architectures"),
        (&many, "apps"),
    ] {
        let answer = acme.get(&format!("/telemetry?{query}")).send();
        assert_eq!(answer.refusal(), (400, format!("invalid {name} parameter")), "{query}");
    }
}

fn a_device_is_counted_once_on_each_day(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    world.platform().set_time(crate::tokens::time("2026-11-20T23:59:58Z"));
    let acme = world.login(acme.name(), spindrift_tests::PASSWORD);

    for requests in 1..=3 {
        let _ = beacon(&world, BEACON, "device").expect(204);
        figures(&acme, requests);
        world.advance(1);
    }

    let figures = acme.get("/telemetry?range=week").ok();
    let of = |day: usize| {
        let stats = &figures["daily_stats"][day];
        (stats["date"].clone(), stats["total_requests"].clone(), stats["unique_clients"].clone())
    };
    assert_eq!(of(5), (json!("2026-11-20"), json!(2), json!(1)));
    assert_eq!(of(6), (json!("2026-11-21"), json!(1), json!(1)));
    assert_eq!(figures["summary"]["unique_clients"], 1);
}

fn a_database_that_fails_costs_no_answer(host: Driver) {
    let world = counting(host);
    let acme = acme(&world);
    acme.check("0.1");
    world.platform().fail_sql(true);

    assert_eq!(acme.check_as("device", "0.1")["version"], "1.0.0");
    let _ = beacon(&world, BEACON, "device").expect(204);

    world.platform().fail_sql(false);
    acme.check_as("device", "0.1");
    // The work after an answer may come late enough to find the database back.
    until("the device is counted", SOON, || {
        let figures = acme.get("/telemetry?range=month").ok();
        (figures["summary"]["unique_clients"] == 1).then_some(())
    });
}
