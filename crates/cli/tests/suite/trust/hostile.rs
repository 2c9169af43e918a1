//! A compromised service, and the files that it cannot get signed.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use super::liar::{self, Answer};
use super::publisher::Publisher;
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [],
    in_process: [
        hostile_proposals_are_not_signed,
        files_get_no_other_name,
        an_old_list_does_not_bring_back_revoked_files,
        lists_that_nobody_signed_are_not_built_upon,
    ],
}

/// A metadata file, as the service returns it.
fn metadata(world: &World, name: &str) -> Value {
    world.get(&format!("/tuf/repository/ada/notes/metadata/{name}")).send().expect(200).json()
}

/// The current list.
fn targets(world: &World) -> Value {
    let snapshot = metadata(world, "timestamp.json")["signed"]["meta"]["snapshot.json"]["version"].clone();
    let snapshot = metadata(world, &format!("{snapshot}.snapshot.json"));
    let version = &snapshot["signed"]["meta"]["targets.json"]["version"];
    metadata(world, &format!("{version}.targets.json"))
}

fn hostile_proposals_are_not_signed(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let first = targets(&world);
    ada.publish_signed("1.1.0", "a bad program");
    let with_bad = targets(&world);
    ada.trust(&["revoke", "--version", "1.1.0"]);
    ada.publish_signed("1.2.0", "a good program");
    let current = targets(&world);

    let next = |change: &dyn Fn(&mut Value)| {
        let mut list = current.clone();
        list["signed"]["version"] = json!(list["signed"]["version"].as_u64().unwrap() + 1);
        change(&mut list["signed"]["targets"]);
        list["signatures"] = json!([]);
        list
    };
    let name = "ada/notes/stable/linux/amd64/notes-1.2.0.deb";
    let bad = "ada/notes/stable/linux/amd64/notes-1.1.0.deb";
    let renamed = |to: &'static str| {
        next(&move |targets| {
            let file = targets.as_object_mut().unwrap().remove(name).unwrap();
            targets[to] = file;
        })
    };
    for (what, proposed, message) in [
        ("an old list", first, "not newer"),
        (
            "a foreign file",
            next(&|targets| targets[name]["custom"]["repository"] = json!("ada/draw")),
            "another application",
        ),
        (
            "a revoked digest",
            next(&|targets| targets[bad] = with_bad["signed"]["targets"][bad].clone()),
            "is revoked",
        ),
        (
            "the same under a good name",
            next(&|targets| targets[name]["hashes"] = with_bad["signed"]["targets"][bad]["hashes"].clone()),
            "is revoked",
        ),
        ("another version's name", renamed("ada/notes/stable/linux/amd64/notes-9.0.0.deb"), "does not match"),
        ("another channel's name", renamed("ada/notes/beta/linux/amd64/notes-1.2.0.deb"), "does not match"),
        ("a name outside", renamed("../notes-1.2.0.deb"), "a target's name"),
    ] {
        let (done, signatures) = sign_proposed(&world, &ada, &proposed);
        assert!(done.error(1).contains(message), "{what}: {done:?}");
        assert_eq!(signatures, 0, "{what}");
    }
}

/// Makes ada sign a liar's proposal. Returns how many signatures she sent.
fn sign_proposed(world: &World, ada: &Publisher, proposed: &Value) -> (Finished, usize) {
    let staged = json!({ "data": { "metadata": { "targets": proposed } }, "message": "" }).to_string();
    let sent = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sent);
    let url = liar::before(&world.url(), move |line, _| {
        if line.starts_with("GET /tuf/v1/metadata/sign") {
            return Answer::Json(staged.clone());
        }
        if line.starts_with("POST /tuf/v1/") {
            *count.lock().unwrap() += 1;
        }
        Answer::Real
    });
    let done = ada.through(&url, &["trust", "sign", "--app", "notes", "--yes"]);
    let sent = *sent.lock().unwrap();
    (done, sent)
}

/// The service renames a file that was just uploaded: a newer version, or another channel.
fn files_get_no_other_name(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    for (version, name) in [
        ("1.1.0", "ada/notes/stable/linux/amd64/notes-9.0.0.deb"),
        ("1.2.0", "ada/notes/beta/linux/amd64/notes-1.2.0.deb"),
    ] {
        let content = format!("program {version}");
        let item = json!({
            "name": name, "version": version, "channel": "stable", "platform": "linux", "arch": "amd64",
            "package": "deb", "length": content.len(), "hashes": {}, "state": "unlisted", "published": true, "needed": true,
        });
        let page = json!({ "items": [item], "total": 1, "page": 1, "limit": 100, "keep": 0 }).to_string();
        let url = liar::before(&world.url(), move |line, _| match line {
            line if line.starts_with("GET /tuf/v1/artifacts") && line.contains("version=") => {
                Answer::Json(page.clone())
            }
            _ => Answer::Real,
        });
        ada.shell.write("notes.deb", &content);
        let done = ada.through(&url, &Shell::publish(version, &["--publish", "notes.deb"]));
        assert!(done.error(1).contains("has no notes.deb"), "{done:?}");
        assert_eq!(ada.offered_version(), "1.0.0");
    }
}

fn an_old_list_does_not_bring_back_revoked_files(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    ada.publish_signed("1.1.0", "a bad program");
    let old = metadata(&world, "timestamp.json").to_string();
    ada.trust(&["revoke", "--version", "1.1.0"]);

    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sent);
    let url = liar::before(&world.url(), move |line, body| {
        if line.contains("/metadata/timestamp.json") {
            return Answer::Json(old.clone());
        }
        if line.starts_with("POST /tuf/v1/metadata") {
            seen.lock().unwrap().push(String::from_utf8(body.to_vec()).unwrap());
            let accepted = json!({ "data": { "task_id": "t", "last_update": "" }, "message": "" });
            return Answer::Json(accepted.to_string());
        }
        Answer::Real
    });
    ada.shell.write("notes.deb", "a good program");
    let keys = ada.key("").display().to_string();
    let publish = ["--publish", "--keys-dir", &keys, "notes.deb"];
    let noticed = ada.through(&url, &Shell::publish("1.2.0", &publish));
    assert!(noticed.error(1).contains("targets is older"), "{noticed:?}");
    assert_eq!(sent.lock().unwrap().len(), 0);

    // A machine without memory takes the list for the current one.
    let fresh = ada.shell.path("fresh").display().to_string();
    let publish = [&publish[..], &["--config-dir", &fresh]].concat();
    let done = ada.through(&url, &Shell::publish("1.3.0", &publish));
    assert_eq!(done.code, Some(0), "{done:?}");
    let sent = sent.lock().unwrap();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("notes-1.3.0.deb") && sent[0].contains("notes-1.0.0.deb"), "{sent:?}");
    assert!(!sent[0].contains("notes-1.1.0.deb"), "{sent:?}");
}

fn lists_that_nobody_signed_are_not_built_upon(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    ada.publish_signed("1.0.0", "a program");
    let forged = targets(&world).to_string().replacen("notes-1.0.0.deb", "notes-1.0.1.deb", 1);
    for (file, text) in [(".targets.json", forged), ("/metadata/timestamp.json", "{}".to_owned())] {
        let url = liar::before(&world.url(), move |line, _| {
            if line.contains(file) { Answer::Json(text.clone()) } else { Answer::Real }
        });
        ada.shell.write("notes.deb", format!("program for {file}"));
        let version = if file.starts_with('.') { "2.0.0" } else { "3.0.0" };
        let done = ada.through(&url, &Shell::publish(version, &["--publish", "notes.deb"]));
        assert!(done.error(1).contains("not to be trusted"), "{done:?}");
        let renewed = ada.through(&url, &["trust", "renew", "targets", "--app", "notes"]);
        assert!(renewed.error(1).contains("not to be trusted"), "{renewed:?}");
    }
}
