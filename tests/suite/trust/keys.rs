//! Keys of before: of roots that another service has kept, and of secrets that were replaced or lost.

use serde_json::{Value, json};
use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::publisher::{Named, Publisher, entry};
use spindrift_tests::{Driver, TUF_SECRET, World, on_hosts};

use super::rules::{everybody_gets, post};
use super::service::{acme, started, upload};

on_hosts! {
    every: [roots_of_before_are_carried_on, a_secret_of_before_signs_on],
    in_process: [a_lost_secret_is_healed_by_a_rotation],
}

/// A repository that another service has kept until now.
fn roots_of_before_are_carried_on(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let target = upload(&acme, "1.0.0");
    let publisher = Publisher::new(&acme, "notes");
    let named = publisher.named();
    let earlier = |seed: u8| Named { online: entry(&TestKey::from_seed(seed)), ..named.clone() };
    let keys = &publisher.root.keys[..1];
    let roots = [publisher.root_file(1, &earlier(30), keys), publisher.root_file(2, &earlier(31), keys)];
    let third = publisher.root_file(3, &named, keys);
    let list = publisher.list(std::slice::from_ref(&target));
    let start = |history: &[Value]| {
        publisher
            .start_with(json!({ "metadata": { "root": third, "targets": list }, "root_history": history }))
    };
    let stranger = publisher.root_file(2, &earlier(31), &[TestKey::from_seed(99)]);
    for history in [&roots[..1], &roots[1..], &[][..], &[roots[0].clone(), stranger]] {
        assert_eq!(start(history).status, 400);
        assert_eq!(publisher.get("bootstrap").json()["data"]["bootstrap"], false);
    }
    let _ = start(&roots).expect(202);
    for pinned in [&roots[0], &roots[1], &third] {
        everybody_gets(&world, &publisher, pinned.to_string().as_bytes(), &target);
    }
}

/// The first value is for new keys, the others for roots that name theirs.
fn a_secret_of_before_signs_on(host: Driver) {
    let new = "another-secret-of-the-tests-for-signed-metadata";
    let world = World::builder(host).with_variable("tuf_secret", &format!("{new} {TUF_SECRET}")).start();
    let acme = acme(&world);
    let target = upload(&acme, "1.0.0");
    let publisher = Publisher::new(&acme, "notes");
    let old = entry(&TestKey::of_service(TUF_SECRET, &acme.app_id("notes"), "online", 1));
    assert_ne!(publisher.service_key("online_key"), old, "new keys are of the first value");
    let root = publisher.root_file(1, &Named { online: old, ..publisher.named() }, &publisher.root.keys[..1]);
    let list = publisher.list(std::slice::from_ref(&target));
    let _ = publisher.start_with(json!({ "metadata": { "root": root, "targets": list } })).expect(202);
    everybody_gets(&world, &publisher, &publisher.pinned_root(), &target);
    let _signed = publisher.send("metadata/online", json!({})).expect(202);
    let next = publisher.service_key("next_online_key");
    assert_eq!(next, entry(&TestKey::of_service(new, &acme.app_id("notes"), "online", 2)));
}

fn a_lost_secret_is_healed_by_a_rotation(host: Driver) {
    let world = World::new(host);
    let (acme, publisher, first) = started(&world);
    let root = publisher.pinned_root();
    let second = upload(&acme, "1.1.0");
    world.platform().set_variable("tuf_secret", "another-secret-of-the-tests-for-signed-metadata");
    let answer = publisher.publish(&[first.clone(), second.clone()]);
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.text().contains("tuf_secret"), "{}", answer.text());
    everybody_gets(&world, &publisher, &root, &first);
    let problems = publisher.get("config").expect(200).json()["data"]["problems"].to_string();
    assert!(problems.contains("tuf_secret"), "{problems}");

    let named = Named { online: publisher.service_key("next_online_key"), ..publisher.named() };
    let next = publisher.root_file(2, &named, &publisher.root.keys[..1]);
    let _ = post(&publisher, json!({ "root": next })).expect(200);
    let _ = publisher.publish(&[first, second.clone()]).expect(200);
    everybody_gets(&world, &publisher, &root, &second);
    assert_eq!(publisher.get("config").json()["data"]["problems"], json!([]));
}
