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
