//! Long histories.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use spindrift_core::Version;
use spindrift_tests::{
    Account, Driver, Edge, Release, World, electron, full_package, on_hosts, squirrel, velopack,
};
use spindrift_web::KeyValue as _;

use super::{acme, ask, link, path, text};

on_hosts! {
    every: [files_of_releases_that_nobody_is_offered_are_found],
    in_process: [a_nightly_channel_is_one_small_record],
}

/// Releases of the channel.
const NIGHTLIES: usize = 2000;
/// Largest record of such a channel, in bytes.
const MAX_BYTES: usize = 64 * 1024;

fn version(number: usize) -> String {
    format!("1.0.{number}")
}

/// Publishes the newest nightly, made after the one before it, and copies its records for all earlier ones.
fn publish_nightlies(world: &World, acme: &Account, newest: Release) {
    acme.publish(newest);
    let mut database = world.database().into_file().unwrap();
    let transaction = database.transaction().unwrap();
    for number in 1..NIGHTLIES {
        for table in ["releases", "artifacts", "release_feeds"] {
            copy(&transaction, table, number);
        }
    }
    transaction.execute("UPDATE users SET revision = revision + 1", []).unwrap();
    transaction.commit().unwrap();
    world.age_records(61);
}

/// Copies the rows of the newest release under another number.
fn copy(database: &Connection, table: &str, number: usize) {
    let newest = "(SELECT id FROM releases WHERE version = ?1)";
    let column = if table == "releases" { "id" } else { "release_id" };
    let mut query =
        database.prepare_cached(&format!("SELECT * FROM {table} WHERE {column} = {newest}")).unwrap();
    let columns: Vec<String> = query.column_names().into_iter().map(str::to_owned).collect();
    let rows = query
        .query_map([version(NIGHTLIES)], |row| {
            (0..columns.len()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>()
        })
        .unwrap();
    let rows: Vec<_> = rows.collect::<Result<_, _>>().unwrap();
    for row in rows {
        let values = row.into_iter().zip(&columns).map(|(value, column)| renumbered(value, column, number));
        let places = vec!["?"; columns.len()].join(", ");
        database
            .prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))
            .unwrap()
            .execute(params_from_iter(values))
            .unwrap();
    }
}

fn renumbered(value: Value, column: &str, number: usize) -> Value {
    let Value::Text(text) = value else { return value };
    Value::Text(match column {
        "id" | "release_id" => format!("{text}-{number}"),
        "version_key" => version(number).parse::<Version>().unwrap().sort_key(),
        _ => {
            let text = text
                .replace(&version(NIGHTLIES - 1), "{before}")
                .replace(&version(NIGHTLIES), &version(number));
            text.replace("{before}", &version(number - 1))
        }
    })
}

fn a_nightly_channel_is_one_small_record(host: Driver) {
    let (newest, before) = (version(NIGHTLIES), version(NIGHTLIES - 1));
    let installer = format!("Notes-{newest}.exe");
    for (updater, file, release) in [
        ("squirrel_windows", "RELEASES", squirrel(&newest, &[&before])),
        ("velopack", "releases.win.json", velopack(&newest, &[&before])),
        (
            "electron-builder",
            "latest.yml",
            electron(&newest, "latest.yml", &[&installer]).with("platform", "windows"),
        ),
    ] {
        let world = World::new(host);
        if world.database().into_file().is_none() {
            return;
        }
        let acme = acme(&world);
        publish_nightlies(&world, &acme, release);
        let feed = |number: usize| text(&world, "windows", &version(number), file);

        let near = feed(NIGHTLIES - 5);

        assert!(near.contains(&newest));
        let deltas = |feed: &str| feed.matches("-delta.nupkg").count();
        assert_eq!(deltas(&near), if updater == "electron-builder" { 0 } else { 5 }, "{updater}");
        let keys = world.platform().stored_keys();
        let key = keys.iter().find(|key| key.starts_with(&format!("feed.{updater}."))).unwrap();
        let size = world.platform().get(key).unwrap().unwrap().len();
        println!("{updater}: {size} bytes");
        assert!(size < MAX_BYTES, "{updater}: {size} bytes");
        // One read of the key-value store answers everybody.
        world.without_owners(|| {
            assert_eq!(feed(NIGHTLIES - 5), near);
            let far = feed(3);
            assert!(far.contains(&newest) && deltas(&far) == 0, "{updater}: {far}");
        });
        if updater == "squirrel_windows" {
            let old = full_package(&version(7));
            let answer = ask(&world, "windows", &newest, &old).expect(302);
            assert_eq!(answer.header("location"), link(&world, updater, "windows", &version(7), &old));
        }
    }
}

fn files_of_releases_that_nobody_is_offered_are_found(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &["1.0.0"]));
    let edge = Edge::of(&world, host);
    let old = full_package("1.0.0");
    let expected = link(&world, "squirrel_windows", "windows", "1.0.0", &old);

    let answer = ask(&world, "windows", "1.1.0", &old).expect(302);

    assert_eq!(answer.header("location"), expected);
    let near = edge.get(&path("windows", "1.1.0", &old)).send().expect(302);
    assert_eq!(near.header("location"), expected);
    let unknown = path("windows", "1.1.0", &full_package("0.9.0"));
    assert_eq!(world.get(&unknown).send().refusal(), (404, "file not found".into()));
    assert_eq!(edge.get(&unknown).send().refusal(), (404, "file not found".into()));
    // A release that was taken back is not found.
    let release = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&release, serde_json::json!({ "publish": false })).expect(200);
    assert_eq!(ask(&world, "windows", "1.1.0", &old).status, 404);
}
