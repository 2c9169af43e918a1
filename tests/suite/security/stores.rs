//! Attackers that read or write the database and the key-value store.

use std::time::Duration;

use spindrift_tests::{
    API_KEY, DATABASE_FILE, Driver, JWT_SECRET, KEY_VALUE_FILE, PASSWORD, Release, TUF_SECRET, World,
    on_hosts, until,
};

use crate::download_modes::regenerate;
use crate::listing::begin_service;
use crate::reports;

on_hosts! {
    every: [],
    hosted: [
        stores_hold_no_secret_that_logs_in,
        forged_records_answer_checks_until_they_are_compared,
    ],
}

const MAINTENANCE_TOKEN: &str = "a-token-of-the-tests-for-maintenance";
const DEVICE_HASH_KEY: &str = "a key for the hashes of devices";
const DEVICE: &str = "a-device-with-a-long-name";
/// Longest time that counting, or noticing what others wrote, may take.
const SOON: Duration = Duration::from_secs(20);

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn stores_hold_no_secret_that_logs_in(host: Driver) {
    let world = World::builder(host)
        .with_variable("maintenance_token", MAINTENANCE_TOKEN)
        .with_variable("device_hash_key", DEVICE_HASH_KEY)
        .start();
    if world.key_values().is_none() {
        return;
    }
    let acme = world.admin("acme");
    let report_key = reports::create_notes(&acme);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    let download_token = regenerate(&acme, "notes", None);
    begin_service(&acme);
    acme.publish(Release::new("1.0.0").with_digests());
    acme.check_as(DEVICE, "0.9.0");
    let _ = ci.init(&Release::new("1.1.0").with_digests()).expect(200);
    let _ = reports::send(world.client(), &report_key, DEVICE, &reports::failure()).expect(202);
    until("a counted device", SOON, || {
        (world.number("SELECT count(*) FROM telemetry") == Ok(1)).then_some(())
    });
    let secrets = [acme.authorization(), ci.authorization()].map(|header| header.replace("Bearer ", ""));
    let (access_key, secret_key) = world.store().credentials();

    let state = world.into_state();
    let read = |file: &str| std::fs::read(state.folder().join(file)).unwrap();
    let (database, key_values) = (read(DATABASE_FILE), read(KEY_VALUE_FILE));

    assert!(holds(&database, &report_key), "report keys can be shown again, so they are kept");
    assert!(!holds(&key_values, &report_key));
    let settings =
        [JWT_SECRET, TUF_SECRET, API_KEY, MAINTENANCE_TOKEN, DEVICE_HASH_KEY, access_key, secret_key];
    let given = secrets.iter().map(String::as_str).chain([download_token.as_str(), PASSWORD, DEVICE]);
    for secret in settings.into_iter().chain(given) {
        assert!(!holds(&database, secret), "{secret} in the database");
        assert!(!holds(&key_values, secret), "{secret} in the key-value store");
    }
}

fn forged_records_answer_checks_until_they_are_compared(host: Driver) {
    let world = World::new(host);
    let Some(store) = world.key_values() else { return };
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    // A host that keeps values in memory looks now and then whether others have written.
    let offers = |version: &str| {
        until(version, SOON, || (acme.check("0.9.0")["version"] == version).then_some(()));
    };
    offers("1.0.0");
    let record = "SELECT key, value FROM spin_key_value WHERE key LIKE 'scope.%'";
    let (key, old): (String, Vec<u8>) =
        store.query_row(record, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    acme.publish(Release::new("1.1.0"));
    offers("1.1.0");

    let changed = store.execute("UPDATE spin_key_value SET value = ?1 WHERE key = ?2", (&old, &key)).unwrap();
    assert_eq!(changed, 1);
    world.freshen_records();
    offers("1.0.0");
    assert_eq!(acme.release("1.1.0").artifacts.len(), 1, "the database has what is published");

    world.age_records(61);
    offers("1.1.0");
}
