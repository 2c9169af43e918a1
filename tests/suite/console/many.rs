//! The cost of pages with a lot to show.

use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Account, Client, Driver, Release, World, on_hosts};

use super::session::Session;
use crate::reports;

on_hosts! {
    every: [],
    hosted: [pages_of_200_applications_and_10_000_releases],
}

/// Copies of the application that is there, each with its releases and failures.
const COPIES: u32 = 199;
/// Releases of an application.
const RELEASES: u32 = 50;
/// Groups of failures of an application.
const FAILURES: u32 = 10;
/// Applications with signed metadata.
const SIGNED: u32 = 10;
/// Devices of an application on each of 30 days. One is replaced every day, and four versions are in use.
const DEVICES: u32 = 16;
/// Requests of a page, whose median counts.
const TURNS: usize = 7;
/// Most that a page may cost, as a multiple of the cost with one application and 50 releases. Both are measured in
/// turns, so that other work on the machine slows both.
const MOST_TIMES: u32 = 15;
/// Time that does not count in that comparison: an answer takes a few milliseconds anyway.
const UNCOUNTED: Duration = Duration::from_millis(10);
/// Most bytes of a page with everything that it loads, compressed.
const MAX_FIRST_BYTES: usize = 60 * 1024;
/// Most bytes of a page.
const MAX_BYTES: usize = 200 * 1024;

/// A page, measured.
struct Cost {
    time: Duration,
    bytes: usize,
}

fn pages_of_200_applications_and_10_000_releases(host: Driver) {
    let small = World::new(host);
    let ada = fill(&small);
    let large = World::new(host);
    let acme = fill(&large);
    copy(&large);
    for account in [&ada, &acme] {
        let _ = account.post("/maintenance/run").send().expect(200);
    }
    let release = |account: &Account| {
        let found = account.get("/search?app_name=notes&limit=1").ok();
        format!("apps/notes/releases/{}", found["items"][0]["ID"].as_str().unwrap())
    };
    let (of_small, of_large) = (pages(&release(&ada)), pages(&release(&acme)));
    let mut slow = Vec::new();
    for (small_path, path) in of_small.iter().zip(&of_large) {
        let mut times = [Vec::new(), Vec::new()];
        let mut bytes = 0;
        for _ in 0..TURNS {
            times[0].push(cost(&small, &ada, small_path).time);
            let cost = cost(&large, &acme, path);
            times[1].push(cost.time);
            bytes = cost.bytes;
        }
        let fastest = times[1].iter().min().copied().unwrap_or_default();
        let [before, time] = times.map(median);
        let loaded = loaded(&large, &acme, path);
        println!(
            "/console/{path}: {time:.1?}, the fastest {fastest:.1?}, with one application {before:.1?}; {bytes} bytes, compressed with all that it loads {loaded}"
        );
        assert!(bytes <= MAX_BYTES, "{path}: {bytes} bytes");
        assert!(loaded <= MAX_FIRST_BYTES, "{path}: {loaded} bytes");
        if time > before * MOST_TIMES + UNCOUNTED {
            slow.push(format!("{path}: {time:?} instead of {before:?}"));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

fn pages(release: &str) -> Vec<String> {
    let place = "channel=stable&platform=linux&arch=amd64";
    let client = format!("apps/notes/client?version=1.3.0&{place}");
    [
        "",
        "apps/notes",
        release,
        &client,
        "apps/notes/publish",
        "telemetry?range=month",
        "failures",
        "history",
        "setup",
        "setup/snippets?app=notes",
        "people",
        "trust",
    ]
    .map(ToOwned::to_owned)
    .to_vec()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn cookie(account: &Account) -> String {
    format!("spindrift_session={}", account.authorization().trim_start_matches("Bearer "))
}

fn cost(world: &World, account: &Account, path: &str) -> Cost {
    let client: Client = world.client().keeping_connections();
    let call = client.get(&format!("/console/{path}")).header("cookie", &cookie(account));
    let start = Instant::now();
    let answer = call.send().expect(200);
    Cost { time: start.elapsed(), bytes: answer.body.len() }
}

/// Bytes of a page with its styles, scripts and pictures, compressed.
fn loaded(world: &World, account: &Account, path: &str) -> usize {
    let page = Session::of(world, account).page(path);
    let mut assets: Vec<&str> = page.split('"').filter(|part| part.starts_with("/console/assets/")).collect();
    // The modules are loaded when files are sent.
    assets.retain(|asset| !asset.contains(".wasm?"));
    assets.sort_unstable();
    assets.dedup();
    let size = |asset: &str| {
        let call = world.get(asset).header("cookie", &cookie(account));
        call.header("accept-encoding", "deflate").send().expect(200)
    };
    let of_assets = assets.iter().map(|asset| {
        let asset = size(&asset.replace("&amp;", "&"));
        assert_eq!(asset.header("cache-control"), "public, max-age=31536000, immutable");
        asset.body.len()
    });
    size(&format!("/console/{path}")).body.len() + of_assets.sum::<usize>()
}

/// One application with its releases, devices and failures.
fn fill(world: &World) -> Account {
    let acme = world.admin("acme");
    let key = reports::create_notes(&acme);
    let description = json!({ "id": acme.app_id("notes"), "description": "What it is for. ".repeat(300) });
    let _ = acme.post_form("/app/update", &[("data", &description.to_string())]).send().expect(200);
    for n in 0..RELEASES {
        let notes =
            format!("## 1.{n}.0\n\n{}", "- Something is better, and something else too.\n".repeat(60));
        acme.publish(Release::new(&format!("1.{n}.0")).with("changelog", notes));
    }
    for n in 0..FAILURES {
        let report = reports::failure_because(&format!("reason-{n}"));
        let _ = reports::send(world.client(), &key, "device", &report).expect(202);
    }
    devices(world);
    acme
}

fn devices(world: &World) {
    let rows = format!(
        "WITH RECURSIVE devices (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM devices WHERE n < {DEVICES} - 1),
         days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 29)
         INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests)
         SELECT unixepoch() / 86400 - d, apps.id, n + d, '1.' || ({RELEASES} - 1 - d / 7 - n % 4) || '.0', 'stable',
           'linux', 'amd64', n % 4 = 0, 3
         FROM apps, devices, days WHERE NOT EXISTS (SELECT 1 FROM telemetry WHERE app_id = apps.id)"
    );
    assert!(world.database().execute(&rows, []).unwrap() > 0);
}

/// Copies of the rows of that application. Releases and files of copies have no objects in the storage.
fn copy(world: &World) {
    let database = world.database();
    let copies = format!(
        "WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {COPIES})"
    );
    for (table, changed) in [
        ("apps", &["id", "name"][..]),
        ("releases", &["id", "app_id"]),
        ("artifacts", &["id", "release_id", "app_id", "storage_key"]),
        ("report_groups", &["id", "app_id", "app_name"]),
    ] {
        let columns = database
            .query_rows("SELECT name FROM pragma_table_info(?1)", [table], |row| row.get::<_, String>(0))
            .unwrap();
        let value = |column: &String| {
            let is_changed = changed.contains(&column.as_str());
            if is_changed { format!("{column} || '-' || n") } else { column.clone() }
        };
        let (names, values) = (columns.join(", "), columns.iter().map(value).collect::<Vec<_>>().join(", "));
        let copied = format!("{copies} INSERT INTO {table} ({names}) SELECT {values} FROM {table}, copies");
        assert!(database.execute(&copied, []).unwrap() > 0, "{table}");
    }
    let signed = format!(
        "UPDATE apps SET tuf = 1 WHERE id IN (SELECT id FROM apps WHERE name <> 'notes' LIMIT {SIGNED})"
    );
    database.execute(&signed, []).unwrap();
    devices(world);
    world.freshen_records();
}
