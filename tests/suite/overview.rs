//! `GET /telemetry/overview`: the applications with their figures, and the warnings.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::params;
use serde_json::{Value, json};
use spindrift_api::{OverviewApp, OverviewBody};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, Release, World, on_hosts, until};

use crate::reports;

on_hosts! {
    every: [
        applications_come_with_their_figures,
        figures_of_the_newest_version_agree_and_are_per_platform,
        an_application_is_signed_once_its_metadata_lists_what_is_offered,
        applications_are_paged_and_searched,
        a_team_user_sees_the_allowed_applications,
        overdue_maintenance_is_said,
        a_storage_that_does_not_answer_is_said,
        metadata_that_ends_within_a_week_is_said,
        a_release_that_nobody_asks_for_is_said,
        figures_are_for_people,
        two_hundred_applications_are_shown_at_once,
    ],
    in_process: [
        a_store_that_fails_is_not_taken_for_silence,
    ],
}

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Time limit for the quickest of several answers in a build for tests, whose components are compiled without
/// optimisations, on a machine that does other things. An optimised build needs 15 ms.
const AT_MOST: Duration = Duration::from_millis(300);

fn counting(host: Driver) -> World {
    World::builder(host).with_variable("device_hash_key", "a key of the tests").start()
}

fn overview(account: &Account, query: &str) -> OverviewBody {
    account.get(&format!("/telemetry/overview{query}")).read()
}

fn named<'a>(overview: &'a OverviewBody, name: &str) -> &'a OverviewApp {
    overview.apps.iter().find(|app| app.name == name).unwrap()
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// A device of an application, seen this number of days ago. For copies of 1.0.0 there was something newer.
fn seen(world: &World, app: &str, device: i64, ago: i64, (channel, version): (&str, &str)) {
    let sql = "INSERT INTO telemetry (day, app_id, device, version, channel, is_latest, requests) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?4 <> '1.0.0', 1)";
    world.database().execute(sql, params![now() / DAY_MILLIS - ago, app, device, version, channel]).unwrap();
}

fn warnings(overview: &OverviewBody) -> Vec<(&str, Option<&str>)> {
    overview.warnings.iter().map(|warning| (warning.kind.as_str(), warning.app.as_deref())).collect()
}

fn applications_come_with_their_figures(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    acme.create_app_with(json!({ "app": "diary", "description": "for secrets", "private": true }));
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0").rollout(25));
    acme.upload(&Release::new("1.2.0"));
    acme.publish(Release::new("2.0.0").with("channel", "beta"));
    let notes = acme.app_id("notes");
    for (device, ago, version) in
        [(1, 0, "1.1.0"), (1, 1, "1.0.0"), (2, 1, "1.1.0"), (3, 29, "1.0.0"), (4, 30, "1.1.0")]
    {
        seen(&world, &notes, device, ago, ("stable", version));
    }
    let _ = reports::send(world.client(), &key, "a", &reports::failure()).expect(202);
    let group = reports::group(&acme)["group_hash"].clone();
    let _ = reports::send(world.client(), &key, "a", &reports::failure_because("oom")).expect(202);
    let path = format!("/reports/groups/{}", group.as_str().unwrap());
    acme.call(http::Method::PATCH, &path)
        .header("content-type", "application/json")
        .body(br#"{"status":"resolved"}"#)
        .ok();

    let answer = acme.get("/telemetry/overview").send().expect(200);

    assert_eq!(answer.header("cache-control"), "private, no-store");
    let body: OverviewBody = answer.read();
    assert_eq!((body.total, body.page, body.limit, body.maintenance.as_deref()), (2, 1, 24, None));
    assert_eq!((body.devices_today, body.devices), (1, 3));
    assert_eq!((body.apps_total, body.releases_total, body.drafts_total), (2, 4, 1));
    assert_eq!((body.open_groups_total, warnings(&body)), (1, vec![]));
    let diary = &body.apps[0];
    assert_eq!((diary.name.as_str(), diary.description.as_str()), ("diary", "for secrets"));
    assert_eq!((diary.private, diary.releases, diary.newest.len(), &diary.daily), (true, 0, 0, &vec![0; 30]));
    let app = &body.apps[1];
    assert_eq!((app.id.as_str(), app.private, app.tuf, app.reports), (notes.as_str(), false, false, true));
    let newest: Vec<_> = app
        .newest
        .iter()
        .map(|newest| (newest.channel.as_str(), newest.version.as_str(), newest.rollout_percent))
        .collect();
    assert_eq!(newest, [("beta", "2.0.0", 100), ("stable", "1.1.0", 25)]);
    assert_eq!(app.newest[1].created_at, acme.release("1.1.0").created_at);
    assert_eq!((app.releases, app.drafts, app.open_groups, app.open_causes), (4, 1, 1, 1));
    assert_eq!((body.open_causes_total, app.signed), (1, false));
    assert_eq!((app.devices_today, app.devices, app.devices_on_newest), (1, 3, 2));
    assert_eq!((app.daily.len(), app.daily[0], &app.daily[27..]), (30, 1, &[0, 2, 1][..]));
}

/// 1.1.0 exists for Linux only, so copies of 1.0.0 on Windows have their newest version.
fn figures_of_the_newest_version_agree_and_are_per_platform(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform("windows");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.0.0").with("platform", "windows").with("channel", "stable"));
    acme.publish(Release::new("1.1.0"));
    for (device, version, platform) in
        [("a", "1.0.0", "linux"), ("b", "1.1.0", "linux"), ("c", "1.0.0", "windows")]
    {
        let scope = format!("app_name=notes&owner=acme&channel=stable&platform={platform}&arch=amd64");
        let check = world.get(&format!("/checkVersion?{scope}&version={version}"));
        let _ = check.header("x-device-id", device).send().expect(200);
    }

    let app = until("the devices are counted", Duration::from_secs(30), || {
        let app = named(&overview(&acme, ""), "notes").clone();
        (app.devices == 3).then_some(app)
    });

    assert_eq!(app.devices_on_newest, 2);
    for range in ["", "range=week", "range=month"] {
        let figures = acme.get(&format!("/telemetry?{range}")).ok();
        assert_eq!(figures["summary"]["clients_using_latest_version"], 2, "{range}");
        let days = figures["daily_stats"].as_array().unwrap();
        assert_eq!(days.last().unwrap()["clients_using_latest_version"], 2, "{range}");
    }
}

fn an_application_is_signed_once_its_metadata_lists_what_is_offered(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app_with(json!({ "app": "vault", "tuf": true }));
    let signed = || {
        let apps = acme.get("/app/list").ok();
        let of_list: Vec<bool> =
            apps["apps"].as_array().unwrap().iter().map(|app| app["signed"].as_bool().unwrap()).collect();
        let overview: Vec<bool> = overview(&acme, "").apps.iter().map(|app| app.signed).collect();
        assert_eq!(of_list, overview);
        let [notes, vault] = overview[..] else { panic!("two applications: {overview:?}") };
        assert!(!notes);
        vault
    };
    let release = |version: &str| Release::new(version).with("app_name", "vault").with_digests();
    assert!(!signed(), "it only asks for digests");
    acme.publish(release("1.0.0"));
    assert!(!signed(), "a release is offered that nobody has signed");

    let publisher = Publisher::new(&acme, "vault");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    assert!(!signed(), "metadata does not list the offered files");
    let custom = json!({
        "arch": "amd64", "channel": "stable", "package": "deb", "platform": "linux",
        "repository": "acme/vault", "version": "1.0.0",
    });
    let link = "acme/vault/stable/linux/amd64/vault-1.0.0.deb";
    let file = TestTarget::new(link, b"notes 1.0.0", custom);
    let _ = publisher.publish(&[file]).expect(200);
    assert!(signed());
    acme.publish(release("1.1.0"));
    assert!(signed(), "unlisted files are not offered");
}

fn applications_are_paged_and_searched(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme");
    let ids: Vec<String> =
        ["Alpha", "Beta", "Gamma alpha"].into_iter().map(|name| acme.create_app(name)).collect();
    for (app, device) in [(0, 1), (1, 1), (2, 1), (2, 2)] {
        seen(&world, &ids[app], device, 0, ("", "1.0.0"));
    }
    let page = |query: &str| {
        let body = overview(&acme, query);
        let names: Vec<String> = body.apps.iter().map(|app| app.name.clone()).collect();
        (names.join(","), body.total, body.apps_total, body.devices_today, body.devices)
    };

    assert_eq!(page(""), ("Alpha,Beta,Gamma alpha".to_owned(), 3, 3, 4, 4));
    assert_eq!(page("?limit=2"), ("Alpha,Beta".to_owned(), 3, 3, 4, 4));
    assert_eq!(page("?limit=2&page=2"), ("Gamma alpha".to_owned(), 3, 3, 4, 4));
    assert_eq!(page("?limit=2&page=3"), (String::new(), 3, 3, 4, 4));
    assert_eq!(page("?search=ALPHA"), ("Alpha,Gamma alpha".to_owned(), 2, 3, 4, 4));
    assert_eq!(page("?search=alpha&limit=1&page=2"), ("Gamma alpha".to_owned(), 2, 3, 4, 4));
    assert_eq!(page("?search=%25"), (String::new(), 0, 3, 4, 4));
    assert_eq!(page("?app=Gamma+alpha"), ("Gamma alpha".to_owned(), 1, 3, 4, 4));
    assert_eq!(page("?app=alpha"), (String::new(), 0, 3, 4, 4), "the whole name, as it is written");
    for (query, error) in
        [("limit=0", "limit"), ("limit=101", "limit"), ("page=0", "page"), ("page=x", "page")]
    {
        let answer = acme.get(&format!("/telemetry/overview?{query}")).send();
        assert_eq!(answer.refusal(), (400, format!("invalid {error} parameter")), "{query}");
    }
}

fn a_team_user_sees_the_allowed_applications(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    let papers = acme.create_app("papers");
    acme.publish(Release::new("1.0.0"));
    seen(&world, &acme.app_id("notes"), 1, 0, ("stable", "1.0.0"));
    seen(&world, &papers, 1, 0, ("stable", "1.0.0"));
    let ann = reports::team_user(&world, &acme, "ann", json!({ "allowed": [papers] }));
    let bob = reports::team_user(&world, &acme, "bob", json!({}));
    let umbrella = world.admin("umbrella");

    let body = overview(&ann, "");

    assert_eq!((body.total, body.apps[0].name.as_str(), body.apps_total), (1, "papers", 1));
    assert_eq!((body.devices_today, body.devices, body.releases_total), (1, 1, 0));
    assert_eq!(overview(&acme, "").devices, 2);
    for nobody in [bob, umbrella] {
        let body = overview(&nobody, "");
        assert_eq!((body.total, body.apps.len(), body.devices, body.releases_total), (0, 0, 0, 0));
    }
}

fn overdue_maintenance_is_said(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let set_back = |table: &str, column: &str| {
        let sql = format!("UPDATE {table} SET {column} = {column} - 3660000");
        world.database().execute(&sql, []).unwrap();
    };
    let told = || {
        let body = overview(&acme, "");
        let since =
            body.warnings.first().map(|warning| (warning.kind.clone(), warning.since_or_until.clone()));
        (body.maintenance, since)
    };
    let overdue = |since: Option<String>| Some(("maintenance_overdue".to_owned(), since));

    assert_eq!(told(), (None, None), "a new service");
    set_back("schema_migrations", "applied_at");
    assert_eq!(told(), (None, overdue(None)));
    let _ = acme.post("/maintenance/run").send().expect(200);
    let (maintenance, warning) = told();
    assert_eq!((maintenance.is_some(), warning), (true, None));
    set_back("leases", "ended_at");
    let (maintenance, warning) = told();
    assert!(maintenance.is_some());
    assert_eq!(warning, overdue(maintenance.clone()));
    world.store().stop();
    let _ = acme.post("/maintenance/run").send().expect(502);
    let told = overview(&acme, "");
    assert_eq!(told.maintenance, maintenance, "a run that failed does not count");
    assert_eq!(warnings(&told), [("storage_unreachable", None), ("maintenance_overdue", None)]);
}

fn a_storage_that_does_not_answer_is_said(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let since = || {
        let told = overview(&acme, "").warnings;
        told.into_iter()
            .find(|warning| warning.kind == "storage_unreachable")
            .map(|warning| warning.since_or_until)
    };
    let _ = acme.post("/maintenance/run").send().expect(200);
    assert_eq!(since(), None);

    world.store().stop();
    let _ = acme.post("/maintenance/run").send().expect(502);
    let first = since();
    assert!(first.as_ref().is_some_and(Option::is_some));
    let _ = acme.post("/maintenance/run").send().expect(502);
    assert_eq!(since(), first, "since the first run that failed");

    world.store().start_again();
    let _ = acme.post("/maintenance/run").send().expect(200);
    assert_eq!(since(), None);
}

fn metadata_that_ends_within_a_week_is_said(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "vault", "tuf": true }));
    acme.create_app("notes");
    let publisher = Publisher::new(&acme, "vault");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    let end_in = |days: i64| {
        let sql = "UPDATE repositories SET expires_at = ?1";
        world.database().execute(sql, [now() + days * DAY_MILLIS]).unwrap();
    };

    assert_eq!(warnings(&overview(&acme, "")), []);
    end_in(8);
    assert_eq!(warnings(&overview(&acme, "")), []);
    end_in(6);
    let body = overview(&acme, "?search=notes");
    assert_eq!(warnings(&body), [("expiring", Some("vault"))]);
    assert!(body.warnings[0].text.contains("end soon"));
    assert!(body.warnings[0].since_or_until.is_some());
    end_in(-1);
    assert!(overview(&acme, "").warnings[0].text.contains("have ended"));
    let ann = reports::team_user(&world, &acme, "ann", json!({ "allowed": [acme.app_id("notes")] }));
    assert_eq!(warnings(&overview(&ann, "")), []);
}

fn a_release_that_nobody_asks_for_is_said(host: Driver) {
    for is_counting in [true, false] {
        let world = World::builder(host)
            .with_variable("device_hash_key", "a key of the tests")
            .with_variable("telemetry_enabled", &is_counting.to_string())
            .start();
        let acme = world.admin("acme").with_notes();
        acme.upload(&Release::new("1.0.0"));
        let notes = acme.app_id("notes");
        let set_back = || {
            let sql = "UPDATE releases SET updated_at = ?1";
            world.database().execute(sql, [now() - DAY_MILLIS - 60_000]).unwrap();
        };
        set_back();
        assert_eq!(warnings(&overview(&acme, "")), [], "a draft");
        let _ = acme.edit(acme.release("1.0.0").id.as_str(), json!({ "publish": true })).expect(200);
        assert_eq!(warnings(&overview(&acme, "")), [], "published just now");
        set_back();
        assert_eq!(warnings(&overview(&acme, "")), [], "its updater may send no device");
        seen(&world, &notes, 1, 7, ("stable", "1.0.0"));
        let expected: &[_] = if is_counting { &[("nothing_counted", Some("notes"))] } else { &[] };
        assert_eq!(warnings(&overview(&acme, "")), expected, "the last device came a week ago");
        seen(&world, &notes, 1, 6, ("stable", "1.0.0"));
        assert_eq!(warnings(&overview(&acme, "")), []);
    }
}

fn figures_are_for_people(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);

    for path in ["/telemetry/overview", "/telemetry/adoption?app=notes", "/reports/versions?app=notes"] {
        assert_eq!(world.get(path).send().refusal(), (401, "missing authorization header".to_owned()));
        assert_eq!(ci.get(path).send().refusal(), (403, "not allowed with a CI token".to_owned()));
    }
}

/// 200 applications of 50 releases, and 20 devices each, of which 5 in 6 come back every day for 30 days.
fn fill(world: &World, owner: &str) {
    let today = now() / DAY_MILLIS;
    let numbers = |name: &str, count: i64| {
        format!("{name} (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM {name} WHERE n < {})", count - 1)
    };
    let (apps, releases) = (numbers("a", 200), numbers("r", 50));
    let (devices, days) = (numbers("d", 20), numbers("t", 30));
    let batch = format!(
        "INSERT INTO channels (id, owner_id, name, created_at, updated_at) VALUES ('stable', '{owner}', 'stable', 0, 0);
         INSERT INTO apps (id, owner_id, name, created_at, updated_at) WITH RECURSIVE {apps}
          SELECT printf('00000000-0000-7000-8000-%012d', n), '{owner}', printf('app %03d', n), 0, 0 FROM a;
         INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, rollout_bp, rollout_seed, changelog,
          created_at, updated_at) WITH RECURSIVE {releases}
          SELECT a.id || '-' || r.n, '{owner}', a.id, '1.' || r.n || '.0', printf('1.%05d', r.n), 'stable', r.n % 10 <> 9, 10000, 's',
           printf('%.200c', 'x'), 0, 0 FROM apps a CROSS JOIN r;
         INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
          WITH RECURSIVE {devices}, {days}
          SELECT {today} - t.n, a.id, (a.rowid * 20 + d.n) * 9173502913771, '1.' || (48 - t.n) || '.0', 'stable', 'linux', 'amd64',
           t.n = 0, 3 FROM t CROSS JOIN apps a CROSS JOIN d WHERE (t.n + d.n) % 6 <> 5;"
    );
    world.database().execute_batch(&batch).unwrap();
}

fn two_hundred_applications_are_shown_at_once(host: Driver) {
    let world = World::builder(host).in_memory().start();
    let acme = world.admin("acme");
    let owner = acme.get("/whoami").ok()["id"].as_str().unwrap().to_owned();
    fill(&world, &owner);
    let rows = world.number("SELECT count(*) FROM telemetry").unwrap();

    let first = Instant::now();
    let body = overview(&acme, "");
    let first = first.elapsed();
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let start = Instant::now();
            overview(&acme, "");
            start.elapsed()
        })
        .collect();
    times.sort();

    println!(
        "200 applications, 10,000 releases, {rows} rows of devices: first {first:?}, then {:?}, at best {:?}",
        times[7], times[0]
    );
    assert_eq!(rows, 100_000);
    assert_eq!((body.apps.len(), body.total, body.devices, body.releases_total), (24, 200, 4_000, 10_000));
    assert_eq!((body.drafts_total, body.devices_today), (1_000, 200 * 17));
    let app = named(&body, "app 007");
    assert_eq!((app.devices, app.devices_today, app.devices_on_newest), (20, 17, 17));
    assert_eq!((app.newest[0].version.as_str(), app.releases, app.drafts), ("1.48.0", 50, 5));
    assert!(times[0] < AT_MOST, "{times:?}");
}

/// An application that gets no requests looks different from a store that does not answer.
fn a_store_that_fails_is_not_taken_for_silence(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    let missing = || acme.get("/telemetry/overview").ok()["apps"][0]["missing"].clone();
    assert_eq!(missing(), Value::Null);
    world.platform().fail_key_value(true);
    let text =
        "It is not known whether copies check for updates, because the key-value store does not answer.";
    assert_eq!(missing(), text);
}
