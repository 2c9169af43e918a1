//! Logins, tokens and releases that were ended after a backup do not come back with it.

use std::path::Path;

use rusqlite::Connection;
use serde_json::json;
use spindrift_tests::{Driver, PASSWORD, Release, World, on_hosts};

use super::{RECORD_SECONDS, program, tables};

on_hosts! {
    every: [a_restored_database_has_no_login_no_token_and_no_update],
    in_process: [the_program_says_and_does_the_same],
}

const PREPARE: &str = include_str!("../../../deploy/restore.sql");
const END_TOKENS: &str = include_str!("../../../deploy/restore-tokens.sql");
const SHUT_OFF: &str = include_str!("../../../deploy/restore-shutoffs.sql");

fn a_restored_database_has_no_login_no_token_and_no_update(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    acme.publish(Release::new("1.0.0"));
    let bad = acme.publish(Release::new("2.0.0"));
    let invitation = acme.post_json("/invitations", json!({})).send().expect(201).json();
    let backup = world.dir().join("backup.db");
    tables::copy_to(&world, &backup);
    let token = acme.get("/token/list").ok()["tokens"][0]["id"].as_str().unwrap().to_owned();
    let _ = acme.delete(&format!("/token/delete?id={token}")).send().expect(200);
    let reason = json!({ "reason": "it deletes files" });
    let _ = acme.post_json(&format!("/releases/{bad}/withdraw"), reason).send().expect(200);
    // Each of these logins was ended, and has a number that is larger than the one in the backup.
    let ended: Vec<_> = (0..3)
        .map(|_| {
            let ended = world.login("acme", PASSWORD);
            let _ = ended.post_json("/logout/all", json!({})).ok();
            ended
        })
        .collect();

    tables::put_back(&world, &backup);
    world.database().execute_batch(&[PREPARE, END_TOKENS, SHUT_OFF].concat()).unwrap();
    // As if the minute had passed after which kept records are compared with the database.
    world.age_records(RECORD_SECONDS);

    for login in ended.iter().chain([&acme, &ci]) {
        assert_eq!(login.get("/shutoffs").send().status, 401);
    }
    let invited = world.client().with_token(invitation["secret"].as_str().unwrap());
    assert_eq!(invited.get("/invitations/mine").send().status, 410, "it may have been used");
    let answer = acme.check("1.0.0");
    let told = (&answer["update_available"], &answer["shut_off"]);
    assert_eq!(told, (&json!(false), &json!(true)), "the withdrawn release is not offered");
    let acme = world.login("acme", PASSWORD);
    let shutoffs = acme.get("/shutoffs").ok()["shutoffs"].clone();
    assert_eq!(shutoffs.as_array().unwrap().len(), 1);
    assert_eq!(shutoffs[0]["created_by"], "spindrift restore");
    let lift = format!("/shutoffs?id={}", shutoffs[0]["id"].as_str().unwrap());
    let _ = acme.delete(&lift).send().expect(200);
    assert_eq!(acme.check("1.0.0")["version"], "2.0.0", "as when the backup was made");
}

/// One number that a query returns.
fn number(database: &Path, sql: &str) -> i64 {
    Connection::open(database).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn the_program_says_and_does_the_same(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _ci = acme.ci_token(&[&acme.create_app("other")]);
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("2026-11-25T16-30-00Z");
    std::fs::create_dir(&backup).unwrap();
    tables::copy_to(&world, &backup.join("sqlite_db.db"));

    let state = folder.path().join("state");
    let said = program::restore(&backup, &state, &[]);
    assert!(said.contains("All logins have ended") && said.contains("shutoff lift --restored"), "{said}");
    let restored = state.join("sqlite_db.db");
    let reason = "The service was restored from the backup 2026-11-25T16-30-00Z";
    let shut_off = format!("SELECT count(*) FROM shutoffs WHERE reason = '{reason}'");
    assert_eq!(number(&restored, &shut_off), 2);
    assert_eq!(number(&restored, "SELECT count(*) FROM tokens WHERE expires_at IS NULL"), 0);
    assert_eq!(number(&restored, "SELECT count(*) FROM users WHERE epoch < 1000000"), 0);

    let serving = folder.path().join("serving");
    let said = program::restore(&backup, &serving, &["--serve", "--keep-tokens"]);
    assert!(said.contains("Stop again") && said.contains("Revoke again"), "{said}");
    let restored = serving.join("sqlite_db.db");
    assert_eq!(number(&restored, "SELECT count(*) FROM shutoffs"), 0);
    assert_eq!(number(&restored, "SELECT count(*) FROM tokens WHERE expires_at IS NULL"), 1);
    assert_eq!(number(&restored, "SELECT count(*) FROM users WHERE epoch < 1000000"), 0);
}
