//! The cost of questions that nobody asked for a minute, about the applications of many owners.

use spindrift_tests::{Account, Driver, Release, World, on_hosts, tauri};
use spindrift_web::{Clock as _, KeyValue as _};

on_hosts! {
    every: [],
    in_process: [
        one_query_confirms_all_records,
        a_confirmed_record_is_fresh_by_itself,
        only_the_records_of_a_changed_owner_are_read_again,
        records_are_read_again_after_a_quarter_of_an_hour,
        too_many_owners_are_confirmed_one_by_one,
    ],
}

/// Statements that opening the database takes.
const OPENED: u64 = 1;
const OWNERS: u64 = 5;

/// A world whose clock stands, and owners whose answers are kept.
fn owners(host: Driver) -> (World, Vec<Account>) {
    let world = World::new(host);
    world.platform().set_time(world.platform().now());
    let owners: Vec<_> = (0..OWNERS).map(|n| world.admin(&format!("owner-{n}")).with_notes()).collect();
    for owner in &owners {
        owner.publish(Release::new("1.0.0"));
        owner.create_platform_with("darwin", &["tauri"]);
        owner.publish(tauri("1.0.0", "notes.app.tar.gz").with("platform", "darwin"));
    }
    ask(&world, &owners);
    (world, owners)
}

/// Asks each owner's three kinds of records. Returns how many statements that took.
fn ask(world: &World, owners: &[Account]) -> u64 {
    let before = world.platform().statements();
    for owner in owners {
        let name = owner.name();
        assert_eq!(owner.check("0.1")["version"], "1.0.0");
        let newest = world.get(&format!("/apps/latest?app_name=notes&owner={name}&package=deb")).send();
        assert!(newest.expect(302).header("location").ends_with("notes-1.0.0.deb"));
        let feed = world.get(&format!("/update/{name}/notes/stable/darwin/amd64/0.1/tauri.json")).ok();
        assert_eq!(feed["version"], "1.0.0");
    }
    world.platform().statements() - before
}

fn one_query_confirms_all_records(host: Driver) {
    let (world, owners) = owners(host);
    assert_eq!(ask(&world, &owners), 0);

    world.advance(61);

    // The first time, the revisions are read once more after a placeholder was stored.
    assert_eq!(ask(&world, &owners), OPENED + 2);
    world.advance(59);
    assert_eq!(ask(&world, &owners), 0, "for another minute");
    world.advance(2);
    assert_eq!(ask(&world, &owners), OPENED + 1);
}

/// A check reads one value, also after its record was confirmed.
fn a_confirmed_record_is_fresh_by_itself(host: Driver) {
    let (world, owners) = owners(host);
    world.advance(61);
    ask(&world, &owners);

    let values = world.platform().values();
    let revisions: Vec<_> = values.keys().filter(|key| key.starts_with("revisions.")).collect();
    assert_eq!(revisions.len(), 1, "{:?}", values.keys());
    world.platform().delete(revisions[0]).unwrap();

    assert_eq!(ask(&world, &owners), 0);
}

fn only_the_records_of_a_changed_owner_are_read_again(host: Driver) {
    let (world, owners) = owners(host);
    // As another deployment that shares the database and not the key-value store.
    world.database().execute("UPDATE releases SET changelog = 'from elsewhere'", []).unwrap();
    let sql = "UPDATE users SET revision = revision + 1 WHERE username = 'owner-3'";
    world.database().execute(sql, []).unwrap();

    world.advance(61);

    for owner in &owners {
        let is_changed = owner.name() == "owner-3";
        let expected = is_changed.then_some("from elsewhere");
        let answer = owner.check("0.1");
        assert_eq!(answer.get("changelog").and_then(|text| text.as_str()), expected, "{}", owner.name());
    }
}

/// Manual changes of the tables have no revision.
fn records_are_read_again_after_a_quarter_of_an_hour(host: Driver) {
    let (world, owners) = owners(host);
    world.database().execute("UPDATE releases SET changelog = 'by hand'", []).unwrap();
    for _ in 0..14 {
        world.advance(60);
        assert_eq!(owners[0].check("0.1").get("changelog"), None);
    }

    world.advance(61);

    assert_eq!(owners[0].check("0.1")["changelog"], "by hand");
}

fn too_many_owners_are_confirmed_one_by_one(host: Driver) {
    let (world, owners) = owners(host);
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) \
               INSERT INTO users (id, username, password_hash, created_at, updated_at) \
               SELECT 'id-' || i, 'more-' || i, '', 0, 0 FROM n";
    world.database().execute(sql, []).unwrap();

    world.advance(61);

    let first = ask(&world, &owners);
    assert!(first > OWNERS, "{first} statements");
    assert_eq!(ask(&world, &owners), 0, "each record is fresh again");
}
