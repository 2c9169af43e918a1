//! What pages cost where there is a lot to show.

use std::time::{Duration, Instant};

use spindrift_tests::{Account, Driver, PASSWORD, Release, World, on_hosts};

on_hosts! {
    every: [],
    hosted: [pages_of_200_applications_and_10_000_releases],
}

/// Copies of the application that is there, each with its releases.
const COPIES: u32 = 199;
/// Releases of an application.
const RELEASES: u32 = 50;
/// Devices of an application on each of 30 days.
const DEVICES: u32 = 16;
/// Requests whose fastest counts: other tests run beside this one.
const TURNS: u32 = 20;
/// Most time for a page on a debug build with other tests beside it. Alone, and as users build it, it is 30 ms at most.
const LIMIT: Duration = Duration::from_millis(150);
/// Most bytes of a page with what it loads, compressed.
const MAX_FIRST_BYTES: usize = 60 * 1024;
/// Most bytes of a page.
const MAX_BYTES: usize = 200 * 1024;

fn pages_of_200_applications_and_10_000_releases(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    fill(&world, &acme);
    let login = serde_json::json!({ "username": "acme", "password": PASSWORD });
    let token = world.client().post_json("/login", login).ok()["token"].as_str().unwrap().to_owned();
    let release = &acme.get("/search?app_name=notes&limit=1").ok()["items"][0]["ID"];

    for path in ["", "apps/notes", &format!("apps/notes/releases/{}", release.as_str().unwrap())] {
        let (time, bytes) = cost(&world, &token, path, "identity");
        let (_, compressed) = cost(&world, &token, path, "deflate");
        let loaded = compressed + loaded(&world, &token, path);
        println!("/console/{path}: {time:?}, {bytes} bytes, compressed with all that it loads {loaded}");
        assert!(time <= LIMIT, "{path}: {time:?}");
        assert!(bytes <= MAX_BYTES, "{path}: {bytes} bytes");
        assert!(loaded <= MAX_FIRST_BYTES, "{path}: {loaded} bytes");
    }
}

/// Time of the fastest answer, and its size.
fn cost(world: &World, token: &str, path: &str, coding: &str) -> (Duration, usize) {
    let client = world.client().keeping_connections();
    let ask = || {
        let start = Instant::now();
        let cookie = format!("spindrift_session={token}");
        let call = client.get(&format!("/console/{path}")).header("cookie", &cookie);
        let answer = call.header("accept-encoding", coding).send().expect(200);
        (start.elapsed(), answer.body.len())
    };
    (0..TURNS).map(|_| ask()).min().unwrap()
}

/// Bytes of styles, scripts and pictures of a page, compressed.
fn loaded(world: &World, token: &str, path: &str) -> usize {
    let cookie = format!("spindrift_session={token}");
    let page = world.get(&format!("/console/{path}")).header("cookie", &cookie).send().expect(200).text();
    let mut assets: Vec<&str> = page.split('"').filter(|part| part.starts_with("/console/assets/")).collect();
    assets.sort_unstable();
    assets.dedup();
    let size = |asset: &&str| {
        let asset = asset.replace("&amp;", "&");
        let answer = world.get(&asset).header("accept-encoding", "deflate").send().expect(200);
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable", "{asset}");
        answer.body.len()
    };
    assets.iter().map(size).sum()
}

/// One application by the service's calls, and copies of its rows.
fn fill(world: &World, acme: &Account) {
    let acme = acme.clone().with_notes();
    for n in 0..RELEASES {
        acme.publish(Release::new(&format!("1.{n}.0")));
    }
    let database = world.database();
    let copies = format!(
        "WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {COPIES})"
    );
    for (table, changed) in [
        ("apps", &[("id", "id || '-' || n"), ("name", "name || '-' || n")][..]),
        ("releases", &[("id", "id || '-' || n"), ("app_id", "app_id || '-' || n")]),
        (
            "artifacts",
            &[
                ("id", "id || '-' || n"),
                ("release_id", "release_id || '-' || n"),
                ("app_id", "app_id || '-' || n"),
                ("storage_key", "storage_key || '-' || n"),
            ],
        ),
    ] {
        let columns = database
            .query_rows("SELECT name FROM pragma_table_info(?1)", [table], |row| row.get::<_, String>(0))
            .unwrap();
        let change = |column: &String| {
            changed
                .iter()
                .find(|(name, _)| name == column)
                .map_or_else(|| column.clone(), |(_, sql)| (*sql).to_owned())
        };
        let (names, values) = (columns.join(", "), columns.iter().map(change).collect::<Vec<_>>().join(", "));
        let copied = format!("{copies} INSERT INTO {table} ({names}) SELECT {values} FROM {table}, copies");
        assert!(database.execute(&copied, []).unwrap() > 0, "{table}");
    }
    let devices = format!(
        "WITH RECURSIVE devices (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM devices WHERE n < {DEVICES} - 1),
         days (d) AS (SELECT 0 UNION ALL SELECT d + 1 FROM days WHERE d < 29)
         INSERT INTO telemetry (day, app_id, device, version, is_latest, requests)
         SELECT unixepoch() / 86400 - d, apps.id, n + d, '1.' || ((n + d) % {RELEASES}) || '.0', n % 2, 3
         FROM apps, devices, days"
    );
    assert!(database.execute(&devices, []).unwrap() > 0);
    world.freshen_records();
}
