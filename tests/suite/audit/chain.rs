//! The chain of hashes.

use serde_json::Value;
use spindrift_core::audit::{AuditChain, AuditHash, BrokenChain};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::last;
use crate::concurrency::in_parallel;

on_hosts! {
    every: [
        the_export_is_a_chain_that_ends_at_the_head,
        an_entry_that_was_changed_is_named,
        no_change_of_a_column_hides_an_entry,
        a_log_that_was_cut_off_does_not_reach_the_head,
        calls_at_once_have_places_of_their_own,
    ],
}

/// The lines of the export, as text and hash.
fn lines(admin: &Account) -> Vec<(String, AuditHash)> {
    let text = admin.get("/audit?format=jsonl&limit=1000").send().expect(200).text();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["entry"].as_str().unwrap().to_owned(), line["hash"].as_str().unwrap().parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn head(admin: &Account) -> (u64, AuditHash) {
    let head = admin.get("/audit/head").ok();
    (head["seq"].as_u64().unwrap(), head["hash"].as_str().unwrap().parse().unwrap())
}

/// Verifies the service's log against a head that was kept.
fn verify(admin: &Account, kept: (u64, AuditHash)) -> Result<u64, BrokenChain> {
    let mut chain = AuditChain::new(Some(kept));
    lines(admin).iter().try_for_each(|(text, hash)| chain.add(text, *hash))?;
    chain.end().map(|()| chain.seq())
}

fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    acme
}

fn the_export_is_a_chain_that_ends_at_the_head(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let _other = world.admin("other").with_notes();
    let kept = head(&acme);
    assert_eq!(kept.0, last(&acme));
    assert_eq!(verify(&acme, kept), Ok(kept.0));
    assert_eq!(lines(&acme).last().unwrap().1, kept.1);
    acme.create_channel("beta");
    assert_eq!(verify(&acme, kept), Ok(kept.0 + 1), "the log has grown since");
    let after = format!("/audit?format=jsonl&after={}", kept.0);
    assert_eq!(acme.get(&after).send().expect(200).text().lines().count(), 1);
}

fn an_entry_that_was_changed_is_named(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let kept = head(&acme);
    let change =
        "UPDATE audit_log SET entry = replace(entry, 'linux', 'lynux') WHERE kind = 'platform.create'";
    assert_eq!(world.database().execute(change, []), Ok(1));
    assert_eq!(verify(&acme, kept), Err(BrokenChain::Changed { seq: 4 }));
}

/// Filters look at columns that follow from the text of the entry, and the text is in the chain.
fn no_change_of_a_column_hides_an_entry(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let kept = head(&acme);
    let Some(database) = world.database().into_file() else { return };
    let columns = "SELECT name FROM pragma_table_xinfo('audit_log') \
                   WHERE name NOT IN ('owner_id', 'seq', 'entry', 'hash')";
    let columns: Vec<String> = {
        let mut statement = database.prepare(columns).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert!(columns.contains(&"kind".to_owned()), "{columns:?}");
    for column in columns {
        let hide = format!("UPDATE audit_log SET {column} = 'x' WHERE kind = 'release.create'");
        let refused = database.execute(&hide, []).unwrap_err().to_string();
        assert!(refused.contains("generated column"), "{column}: {refused}");
    }
    for query in
        ["app=notes", "kind=release.create", "actor=acme", "version=1.0.0", "from=2026-01-01T00:00:00Z"]
    {
        let found = acme.get(&format!("/audit?{query}")).ok().to_string();
        assert!(found.contains("uploaded notes 1.0.0"), "{query}: {found}");
    }
    for (hide, broken) in [
        ("seq = seq + 1000", BrokenChain::Gap { expected: 4, found: 5 }),
        ("entry = replace(entry, 'platform.create', 'app.paint')", BrokenChain::Changed { seq: 4 }),
    ] {
        let hide = format!("UPDATE audit_log SET {hide} WHERE kind = 'platform.create'");
        assert_eq!(database.execute(&hide, []), Ok(1));
        assert_eq!(verify(&acme, kept), Err(broken), "{hide}");
        let restore = "UPDATE audit_log SET seq = 4 WHERE seq = 1004";
        assert!(database.execute(restore, []).is_ok());
    }
}

fn a_log_that_was_cut_off_does_not_reach_the_head(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let kept = head(&acme);
    let cut = format!("DELETE FROM audit_log WHERE seq = {}", kept.0);
    assert_eq!(world.database().execute(&cut, []), Ok(1));
    let missing = BrokenChain::Truncated { expected: kept.0, found: kept.0 - 1 };
    assert_eq!(verify(&acme, kept), Err(missing));
    acme.create_channel("beta");
    assert_eq!(
        verify(&acme, kept),
        Err(BrokenChain::Changed { seq: kept.0 }),
        "another entry is in its place"
    );
}

fn calls_at_once_have_places_of_their_own(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let before = last(&acme);
    in_parallel(20, |number| drop(acme.create_channel(&format!("channel-{number}"))));
    let kept = head(&acme);
    assert_eq!(kept.0, before + 20);
    assert_eq!(verify(&acme, kept), Ok(before + 20));
}
