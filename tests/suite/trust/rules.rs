//! The rules of the calls that manage a repository: refusals, waiting, and repairs.

use serde_json::{Value, json};
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::key::Signers;
use spindrift_tests::trust::publisher::{Named, Publisher, file};
use spindrift_tests::trust::role::{Channel, TestTarget};
use spindrift_tests::{Account, Answer, Driver, PUBLIC_BUCKET, World, on_hosts, sha256_hex};

use super::gets;
use super::service::{acme, started, upload};

on_hosts! {
    every: [
        what_is_too_large,
        a_storage_that_fails_keeps_what_is_current,
        a_staged_list_whose_base_has_moved,
        another_list_than_the_staged_one,
        a_complete_list_replaces_the_staged_one,
        a_list_does_not_replace_a_staged_root,
        an_end_needs_the_name,
        settings_are_changed,
        a_recovery_puts_back_what_is_lost,
    ],
    in_process: [nothing_begins_that_could_outlast_the_lease],
}

pub(super) fn everybody_gets(world: &World, publisher: &Publisher, root: &[u8], target: &TestTarget) {
    for client in clients_and_library() {
        for place in [publisher.service(world), publisher.bucket(world)] {
            gets(&Installation::new(client, root), &place, target);
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the JSON in the call")]
pub(super) fn post(publisher: &Publisher, metadata: Value) -> Answer {
    publisher.send("metadata", json!({ "metadata": metadata }))
}

fn what_is_too_large(host: Driver) {
    let world = World::new(host);
    let (_acme, publisher, target) = started(&world);
    let before = publisher.version("targets");
    let valid = publisher.unsigned_list(std::slice::from_ref(&target), &[]);
    let signed = |list: &Value| file(list, &publisher.targets.keys);
    let many = |count: usize, name: usize| {
        let mut list = valid.clone();
        let entry = &valid["targets"][&target.name];
        let named = |n: usize| (format!("{}{n:0name$}", target.name), entry.clone());
        list["targets"] = (0..count).map(named).collect();
        signed(&list)
    };
    let channel = |n: usize| Channel { name: format!("c{n}"), signers: Signers::one_of([50]) };
    let channels =
        |count: usize| signed(&publisher.unsigned_list(&[], &(0..count).map(channel).collect::<Vec<_>>()));
    let mut root = publisher.root_file(2, &publisher.named(), &publisher.root.keys[..1]);
    let sign = |n: usize| json!({ "keyid": sha256_hex(&n.to_be_bytes()), "sig": "00".repeat(64) });
    root["signatures"].as_array_mut().unwrap().extend((0..400).map(sign));
    for (case, metadata) in [
        ("8,001 targets", json!({ "targets": many(8001, 5) })),
        ("a list over 4 MiB", json!({ "targets": many(5500, 450) })),
        ("31 channels with signers", json!({ "targets": channels(31) })),
        ("a root over 64 KiB", json!({ "root": root })),
    ] {
        let answer = post(&publisher, metadata);
        assert_eq!(answer.status, 413, "{case}: {}", answer.text());
    }
    let body = format!("{{\"metadata\":{{\"targets\":\"{}\"}}}}", "z".repeat((6 << 20) + 1));
    let answer = publisher.send_text("metadata", &body);
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert_eq!(publisher.version("targets"), before);
    // The limits are these: a list just below them is looked at.
    let below = post(&publisher, json!({ "targets": many(8000, 5) }));
    assert_eq!(below.status, 400, "{}", below.text());
    // A target has no room for a version of 1 KiB: each part has its own limit.
    let mut custom = valid.clone();
    custom["targets"][&target.name]["custom"]["version"] = json!(format!("1.0.0-{}", "a".repeat(1024)));
    let answer = post(&publisher, json!({ "targets": signed(&custom) }));
    assert_eq!(answer.refusal(), (400, "invalid targets: version".to_owned()));
    assert_eq!(publisher.version("targets"), before);
}

fn a_storage_that_fails_keeps_what_is_current(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, first) = started(&world);
    let second = upload(&acme, "1.1.0");
    let before = world.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(200).body;
    let base = publisher.version("targets");
    let list = publisher.list(&[first.clone(), second.clone()]);
    let call = || publisher.send("metadata", json!({ "metadata": { "targets": list }, "base": base }));
    world.store().stop();
    let answer = call();
    assert_eq!((answer.status, answer.code()), (502, "storage_failed".to_owned()), "{}", answer.text());
    assert_eq!(publisher.version("targets"), base);
    let now = world.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(200).body;
    assert_eq!(now, before);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    world.store().start_again();
    let root = publisher.pinned_root();
    everybody_gets(&world, &publisher, &root, &first);
    let _ = call().expect(200);
    everybody_gets(&world, &publisher, &root, &second);
    assert_eq!(acme.check("0.1")["version"], "1.1.0");
}

/// A repository whose lists have two signers, with a second list that one of them has signed.
fn with_staged(world: &World) -> (Account, Publisher, [TestTarget; 2], (Value, Answer)) {
    let acme = acme(world);
    let mut publisher = Publisher::new(&acme, "notes");
    publisher.targets = Signers::all_of(Signers::one_of([10, 11]).keys);
    let _ = publisher.start(None).expect(202);
    let targets = ["1.0.0", "1.1.0"].map(|version| upload(&acme, version));
    let _ = publisher.publish(&targets[..1]).expect(200);
    let list = publisher.unsigned_list(&targets, &[]);
    let answer =
        post(&publisher, json!({ "targets": file(&list, &publisher.targets.keys[..1]) })).expect(200);
    let text = format!("targets v{} is pending signatures", list["version"]);
    assert_eq!(answer.json()["message"], text.as_str());
    (acme, publisher, targets, (list, answer))
}

fn changed() -> (u16, String) {
    (409, "targets have changed".to_owned())
}

fn sign(publisher: &Publisher, list: &Value) -> Answer {
    let signature = file(list, &publisher.targets.keys[1..])["signatures"][0].clone();
    publisher.send("metadata/sign", json!({ "role": "targets", "signature": signature }))
}

fn a_staged_list_whose_base_has_moved(host: Driver) {
    let world = World::new(host);
    let (_acme, mut publisher, targets, (list, staged)) = with_staged(&world);
    let task = staged.json()["data"]["task_id"].as_str().unwrap().to_owned();
    let state =
        |task: &str| publisher.get(&format!("task?task_id={task}")).expect(200).json()["data"].clone();
    assert_eq!(state(&task)["state"], "PENDING");
    // From now on the service signs, and does so at once.
    let old = publisher.clone();
    let named = Named { targets: vec![old.service_key("targets_key")], threshold: 1, ..old.named() };
    let root = old.root_file(2, &named, &old.root.keys[..1]);
    let _ = post(&old, json!({ "root": root })).expect(200);

    assert_eq!(old.get("metadata/sign").json()["message"], "No metadata pending signing available");
    assert_eq!(sign(&old, &list).refusal(), changed());
    let dropped: String = world
        .database()
        .query_row("SELECT message FROM repository_events WHERE kind = 'staged_dropped'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(dropped, format!("targets v{} was dropped: targets have changed", list["version"]));
    // Back at the publisher, a list that was made from an older one is refused.
    publisher.targets = Signers::one_of([12]);
    let root = publisher.root_file(3, &publisher.named(), &old.root.keys[..1]);
    let list = publisher.list(&targets);
    let of_base = json!({ "metadata": { "root": root, "targets": list }, "base": 1 });
    assert_eq!(publisher.send("metadata", of_base).refusal(), changed());
    let _ = post(&publisher, json!({ "root": root, "targets": list })).expect(200);
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &targets[1]);
}

fn another_list_than_the_staged_one(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, targets, (list, _)) = with_staged(&world);
    let mut other = publisher.unsigned_list(&targets[..1], &[]);
    other["version"] = json!(list["version"].as_u64().unwrap() + 1);
    let answer = post(&publisher, json!({ "targets": file(&other, &publisher.targets.keys[..1]) }));
    assert_eq!(answer.refusal(), changed());
    // The same one again changes nothing, and its last signature makes it current.
    let _ = post(&publisher, json!({ "targets": file(&list, &publisher.targets.keys[..1]) })).expect(200);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    let answer = sign(&publisher, &list).expect(200);
    assert_eq!(answer.json()["message"], "Metadata update finished");
    assert_eq!(sign(&publisher, &list).expect(200).json()["data"], answer.json()["data"], "the same answer");
    assert_eq!(acme.check("0.1")["version"], "1.1.0");
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &targets[1]);
}

fn a_complete_list_replaces_the_staged_one(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, targets, (list, staged)) = with_staged(&world);
    let mut other = publisher.unsigned_list(&targets, &[]);
    other["version"] = json!(list["version"].as_u64().unwrap() + 1);
    let answer = post(&publisher, json!({ "targets": file(&other, &publisher.targets.keys) })).expect(200);
    assert_eq!(answer.json()["message"], "Metadata update finished");
    assert_eq!(acme.check("0.1")["version"], "1.1.0");

    assert_eq!(publisher.get("metadata/sign").json()["message"], "No metadata pending signing available");
    assert_eq!(sign(&publisher, &list).refusal(), changed());
    let text = format!("targets v{} was dropped: targets have changed", list["version"]);
    assert_eq!(dropped(&world), text);
    let task = staged.json()["data"]["task_id"].as_str().unwrap().to_owned();
    let state = publisher.get(&format!("task?task_id={task}")).expect(200).json();
    assert_eq!(state["data"]["state"], "SUCCESS", "it waits no longer");
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &targets[1]);
}

/// The text about dropped files.
fn dropped(world: &World) -> String {
    let said = "SELECT group_concat(message) FROM repository_events WHERE kind = 'staged_dropped'";
    world.database().query_row(said, [], |row| row.get(0)).unwrap()
}

/// Otherwise a stolen key could prevent its own removal.
fn a_list_does_not_replace_a_staged_root(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let mut publisher = Publisher::new(&acme, "notes");
    publisher.root = Signers::all_of(Signers::one_of([8, 9]).keys);
    let target = upload(&acme, "1.0.0");
    let first = publisher.root_file(1, &publisher.named(), &publisher.root.keys);
    let _ = publisher.start_with(json!({ "metadata": { "root": first } })).expect(202);
    let _ = publisher.publish(std::slice::from_ref(&target)).expect(200);
    let with_targets = |seed| {
        let mut other = publisher.clone();
        other.targets = Signers::one_of([seed]);
        other
    };
    let next = with_targets(12);
    let (named, list) = (next.named(), next.list(std::slice::from_ref(&target)));
    let by_one = publisher.root_file(2, &named, &publisher.root.keys[..1]);
    let answer = post(&publisher, json!({ "root": by_one, "targets": list })).expect(200);
    assert_eq!(answer.json()["message"], "root v2 is pending signatures");

    let by_the_old_key = publisher.publish(std::slice::from_ref(&target));
    assert_eq!(by_the_old_key.refusal(), changed());
    // A root with all signatures does, and nothing remains of the other one.
    let other = with_targets(13);
    let list = other.list(std::slice::from_ref(&target));
    let root = publisher.root_file(2, &other.named(), &publisher.root.keys);
    let answer = post(&publisher, json!({ "root": root, "targets": list })).expect(200);
    assert_eq!(answer.json()["message"], "Metadata update finished");
    assert_eq!(publisher.get("metadata/sign").json()["message"], "No metadata pending signing available");
    assert!(dropped(&world).contains("root v2 was dropped: root has changed"), "{}", dropped(&world));
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &target);
}

fn an_end_needs_the_name(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    let end = |confirm: &str| acme.delete(&format!("/tuf/v1/bootstrap?appName=notes{confirm}")).send();
    for confirm in ["&confirm=acme/note", "&confirm=acme%2Fnotes%20"] {
        assert_eq!(
            end(confirm).refusal(),
            (400, "confirm does not match: it must be the name of the application".to_owned()),
            "{confirm}"
        );
    }
    for confirm in ["", "&confirm="] {
        assert_eq!(end(confirm).refusal(), (400, "missing confirm".to_owned()), "{confirm}");
    }
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &target);
    let _ = end("&confirm=acme/notes").expect(202);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "tuf_metadata/"), [""; 0]);
    assert_eq!(end("&confirm=acme/notes").refusal(), (404, "repository not found".to_owned()));
    assert_eq!(acme.check("0.1")["version"], "1.0.0", "everything is offered again");
}

fn settings_are_changed(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    let put = |settings: Value| {
        let body = json!({ "settings": settings }).to_string();
        let call = acme.put("/tuf/v1/config?appName=notes", body.as_bytes());
        call.header("content-type", "application/json").send()
    };
    let config = || publisher.get("config").expect(200).json()["data"].clone();
    let before = config();
    for (settings, key) in [
        (json!({ "expiration": { "root": 30 } }), "root_expiration"),
        (json!({ "expiration": { "targets": 30 } }), "targets_expiration"),
        (json!({ "expiration": { "timestamp": 31 } }), "timestamp_expiration"),
        (json!({ "expiration": { "timestamp": 0 } }), "timestamp_expiration"),
        (json!({ "expiration": { "snapshot": 91 } }), "snapshot_expiration"),
        (json!({ "expiration": { "other": 1 } }), "other_expiration"),
        (json!({ "keep": 101 }), "keep"),
        (json!({ "other": 1 }), "other"),
    ] {
        let (status, told) = put(settings).refusal();
        assert!(status == 400 && told.starts_with(&format!("invalid settings: {key}")), "{told}");
    }
    assert_eq!(config(), before);
    let _ = put(json!({ "expiration": { "timestamp": 30, "snapshot": 90 }, "keep": 7 })).expect(202);
    let after = config();
    let changed =
        ["timestamp_expiration", "snapshot_expiration", "keep"].map(|key| after[key].as_u64().unwrap());
    assert_eq!(changed, [30, 90, 7]);
    assert_ne!(after["refresh_after"], before["refresh_after"], "what is due by them was signed");
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &target);
}

fn a_recovery_puts_back_what_is_lost(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, target) = started(&world);
    let root = publisher.pinned_root();
    let keys = || world.store().keys(PUBLIC_BUCKET, "tuf_metadata/");
    let before = keys();
    for key in &before {
        world.store().remove(PUBLIC_BUCKET, key);
    }
    let recover = |app: &str| acme.post_json("/tuf/v1/bootstrap/recovery", json!({ "appName": app })).send();
    let answer = recover("notes").expect(202).json();
    let task = answer["data"]["task_id"].as_str().unwrap();
    assert_eq!(publisher.get(&format!("task?task_id={task}")).expect(200).json()["data"]["state"], "SUCCESS");
    assert!(keys().iter().any(|key| key.ends_with("/1.root.json")));
    everybody_gets(&world, &publisher, &root, &target);
    let _again = recover("notes").expect(202);
    assert_eq!(recover("other").status, 404);
}

/// A call has a repository to itself for 5 minutes, and a write may take 3.
fn nothing_begins_that_could_outlast_the_lease(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let (acme, publisher, first) = started(&world);
    let second = upload(&acme, "1.1.0");
    let base = publisher.version("targets");
    let list = publisher.list(&[first, second.clone()]);
    let call = || publisher.send("metadata", json!({ "metadata": { "targets": list }, "base": base }));
    let timestamp = || world.store().object(PUBLIC_BUCKET, "tuf_metadata/acme/notes/timestamp.json");
    let before = timestamp();
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    world.gate().hold();
    let answer = std::thread::scope(|scope| {
        let calling = scope.spawn(call);
        world.gate().hold_no_more();
        world.advance(2 * 60 + 1);
        world.gate().release();
        calling.join().unwrap()
    });
    let busy = "the signed metadata is being changed by another call";
    assert_eq!(answer.refusal(), (503, busy.to_owned()));
    assert_eq!(timestamp(), before, "the last write was not begun");
    let _ = call().expect(200);
    assert_ne!(timestamp(), before);
    assert_eq!(acme.check("0.1")["version"], "1.1.0");
}
