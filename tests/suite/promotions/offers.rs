//! The answers that clients get about a promoted release.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{CDN_BUCKET, Driver, Edge, Release, World, on_hosts, until};

use super::Scene;
use crate::audit::{kinds_after, last, newest};
use crate::static_answers;

on_hosts! {
    every: [
        a_promotion_is_rolled_out_by_itself,
        a_halt_in_one_channel_leaves_the_others,
        the_widest_offer_counts_where_channels_meet,
        a_withdrawal_holds_in_all_channels,
        a_promotion_ends,
        a_scheduled_promotion_is_published_on_time,
        files_that_are_added_later_join_all_offers,
        the_newest_builds_have_promotions,
        static_answers_follow,
    ],
    in_process: [
        no_call_reads_the_releases_of_everybody,
        a_version_that_was_promoted_cannot_be_uploaded_again, an_edge_offers_promotions],
}

fn a_promotion_is_rolled_out_by_itself(host: Driver) {
    let scene = Scene::new(World::new(host));
    assert_eq!(scene.version("stable", ""), "1.0.0");
    assert_eq!(scene.version("beta", "device-1"), "2.0.0");
    let before = last(&scene.acme);
    let release = scene.promote(10);
    let offers = release["offers"].as_array().unwrap();
    let facts = |offer: &Value| ["channel", "own", "state"].map(|field| offer[field].to_string()).join(" ");
    assert_eq!(
        offers.iter().map(facts).collect::<Vec<_>>(),
        ["\"beta\" true \"published\"", "\"stable\" false \"published\""]
    );
    let rollouts = offers.iter().map(|offer| &offer["rollout"]["percent"]).collect::<Vec<_>>();
    assert_eq!(rollouts, [&json!(100), &json!(10)]);
    let versions = |channel| ["device-1", "device-2"].map(|device| scene.version(channel, device));
    assert_eq!(
        (versions("stable"), versions("beta")),
        (["1.0.0"; 2].map(str::to_owned), ["2.0.0"; 2].map(str::to_owned))
    );
    let set = json!({ "action": "set", "percent": 28, "channel": "stable" });
    let _ = scene.post("rollout", set).expect(200);
    assert_eq!(versions("stable"), ["1.0.0", "2.0.0"]);
    let explained = scene.acme.post_json(
        "/explain",
        json!({
            "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
            "device": "device-1",
        }),
    );
    let explained = explained.ok();
    let newest_release = &explained["releases"][0];
    assert_eq!((&newest_release["version"], &newest_release["channel"]), (&json!("2.0.0"), &json!("stable")));
    let because = &newest_release["because"][0];
    assert_eq!((&because["code"], &because["basis_points"]), (&json!("outside_rollout"), &json!(2_800)));
    assert_eq!(kinds_after(&scene.acme, before), ["promotion.create", "rollout.set"]);
    let entry = newest(&scene.acme);
    assert_eq!((&entry["channel"], &entry["release"]["version"]), (&json!("stable"), &json!("2.0.0")));
    let _ = scene.post("rollout", json!({ "action": "complete", "channel": "stable" })).expect(200);
    assert_eq!(versions("stable"), ["2.0.0"; 2]);
    let found = scene.acme.release("2.0.0");
    assert_eq!(
        (found.channel.as_str(), found.channels),
        ("beta", vec!["beta".to_owned(), "stable".to_owned()])
    );
    assert_eq!(scene.acme.get("/search?channel=stable").ok()["total"], 2);
}

fn a_halt_in_one_channel_leaves_the_others(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(100);
    assert_eq!(scene.version("stable", "device-1"), "2.0.0");
    let _ = scene.post("rollout", json!({ "action": "halt", "channel": "stable" })).expect(200);
    assert_eq!(scene.version("stable", "device-1"), "1.0.0");
    assert_eq!(scene.version("beta", "device-1"), "2.0.0", "its own channel still offers it");
    let states = |field: &str| -> Vec<Value> {
        let release = scene.release();
        release["offers"].as_array().unwrap().iter().map(|offer| offer["rollout"][field].clone()).collect()
    };
    assert_eq!(states("state"), ["complete", "halted"]);
    let _ = scene.post("rollout", json!({ "action": "resume", "channel": "stable" })).expect(200);
    assert_eq!(scene.version("stable", "device-1"), "2.0.0");
}

/// Clients of `beta`, which includes `stable`, have both offers.
fn the_widest_offer_counts_where_channels_meet(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(28);
    let order = |order: Value| drop(scene.post("rollout", order).expect(200));
    let versions = || ["device-1", "device-2"].map(|device| scene.version("beta", device));
    order(json!({ "action": "set", "percent": 5, "channel": "beta" }));
    assert_eq!(versions(), ["1.0.0", "2.0.0"], "28 % of stable");
    order(json!({ "action": "set", "percent": 79, "channel": "beta" }));
    assert_eq!(versions(), ["2.0.0"; 2], "79 % of beta");
    order(json!({ "action": "halt", "channel": "beta" }));
    assert_eq!(versions(), ["1.0.0", "2.0.0"], "stable alone");
    order(json!({ "action": "halt", "channel": "stable" }));
    assert_eq!(versions(), ["1.0.0"; 2]);
    let _ = scene.post("offer", json!({ "publish": false, "channel": "beta" })).expect(200);
    order(json!({ "action": "resume", "channel": "stable" }));
    assert_eq!(versions(), ["1.0.0", "2.0.0"]);
}

fn a_withdrawal_holds_in_all_channels(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(100);
    let _ = scene.post("withdraw", json!({ "reason": "it deletes files" })).expect(200);
    for channel in ["stable", "beta"] {
        assert_eq!(scene.version(channel, "device-1"), "1.0.0", "{channel}");
        let path = scene.acme.check_path("2.0.0").replace("channel=stable", &format!("channel={channel}"));
        assert_eq!(scene.acme.get(&path).ok()["withdrawn"]["reason"], "it deletes files", "{channel}");
    }
    let publish = json!({ "publish": true, "channel": "stable" });
    assert_eq!(scene.post("offer", publish.clone()).refusal().0, 409);
    let restored = scene.post("restore", json!({})).expect(200).json();
    let offers = restored["offers"].as_array().unwrap();
    assert!(offers.iter().all(|offer| offer["state"] == "draft"), "{restored}");
    let _ = scene.post("offer", publish).expect(200);
    assert_eq!(scene.version("stable", ""), "2.0.0");
}

fn a_promotion_ends(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(100);
    let before = last(&scene.acme);
    let release = scene.end("stable").expect(200).json();
    assert_eq!(release["offers"].as_array().unwrap().len(), 1);
    assert_eq!(scene.version("stable", ""), "1.0.0");
    assert_eq!(scene.version("beta", ""), "2.0.0");
    assert_eq!(kinds_after(&scene.acme, before), ["promotion.delete"]);
    assert_eq!(scene.end("stable").refusal(), (404, "offer not found".to_owned()));
    scene.promote(100);
    assert_eq!(scene.version("stable", ""), "2.0.0", "it can be promoted again");
    // Nothing is left of a release that is deleted.
    let _ = scene.acme.delete(&format!("/apps/delete?id={}", scene.tested)).send().expect(200);
    assert_eq!(scene.version("stable", ""), "1.0.0");
    let left = scene.world.database().query_row("SELECT count(*) FROM promotions", [], |row| row.get(0));
    assert_eq!(left.ok(), Some(0_i64));
}

fn a_scheduled_promotion_is_published_on_time(host: Driver) {
    let scene = Scene::new(World::new(host));
    let at = spindrift_core::Timestamp::from_millis(jiff::Timestamp::now().as_millisecond() + 600_000);
    let order = json!({ "channel": "stable", "publish_at": at.to_rfc3339(), "plan": [
        { "percent": 28, "for": "1h" }, { "percent": 100 },
    ] });
    let _ = scene.post("promote", order).expect(201);
    assert_eq!(scene.version("stable", "device-2"), "1.0.0");
    scene
        .world
        .database()
        .execute_batch(
            "UPDATE promotions SET publish_at = publish_at - 700000, next_at = next_at - 700000; \
             UPDATE users SET revision = revision + 1;",
        )
        .unwrap();
    scene.world.age_records(61);
    until("device-2 gets it, without a call", Duration::from_secs(20), || {
        (scene.version("stable", "device-2") == "2.0.0").then_some(())
    });
    assert_eq!(scene.version("stable", "device-1"), "1.0.0");
    let before = last(&scene.acme);
    for _ in 0..2 {
        let _ = scene.acme.post("/maintenance/run").send().expect(200);
    }
    assert_eq!(kinds_after(&scene.acme, before), ["release.publish"], "once");
    let entry = newest(&scene.acme);
    assert_eq!((&entry["actor"]["type"], &entry["channel"]), (&json!("clock"), &json!("stable")));
    assert_eq!(scene.release()["offers"][1]["state"], "published");
}

fn files_that_are_added_later_join_all_offers(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.acme.create_platform("windows");
    let on_windows = || {
        let path = scene.acme.check_path("1.0.0").replace("platform=linux", "platform=windows");
        scene.acme.get(&path).ok()
    };
    scene.promote(100);
    assert_eq!(on_windows()["update_available"], false, "no file");
    let added = Release::empty("2.0.0").file("notes.exe", "for windows").with_digests();
    scene.acme.publish(added.with("channel", "beta").with("platform", "windows"));
    assert_eq!(on_windows()["version"], "2.0.0");
}

fn the_newest_builds_have_promotions(host: Driver) {
    let scene = Scene::new(World::new(host));
    let newest = |channel: &str| {
        let path = format!("/apps/latest?app_name=notes&owner=acme&package=deb&channel={channel}");
        scene.acme.get(&path).send().expect(302).header("location").to_owned()
    };
    assert!(newest("stable").contains("notes-1.0.0"), "{}", newest("stable"));
    scene.promote(10);
    assert!(newest("stable").contains("notes-1.0.0"), "it is not for everybody yet");
    let _ = scene.post("rollout", json!({ "action": "complete", "channel": "stable" })).expect(200);
    assert_eq!(newest("stable"), newest("beta"), "the same object");
    assert!(newest("stable").contains("notes-2.0.0"), "{}", newest("stable"));
}

fn static_answers_follow(host: Driver) {
    let world = World::new(host);
    let acme = static_answers::acme(&world);
    let scene = Scene::of(world, acme);
    let answer = |version: &str| {
        let key = format!("responses/acme/notes/stable/linux/amd64/manual/{version}.json");
        let found = scene.world.store().object(CDN_BUCKET, &key);
        found.map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap()["version"].clone())
    };
    assert_eq!(answer("1.0.0"), Some(json!("1.0.0")));
    assert_eq!(answer("2.0.0"), None);
    scene.promote(100);
    assert_eq!(answer("1.0.0"), Some(json!("2.0.0")));
    assert_eq!(answer("2.0.0"), Some(json!("2.0.0")), "installed copies of it ask too");
    let _ = scene.end("stable").expect(200);
    assert_eq!(answer("1.0.0"), Some(json!("1.0.0")));
}

fn a_version_that_was_promoted_cannot_be_uploaded_again(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(10);
    let again = scene.acme.init(&Release::new("2.0.0").with_digests()).refusal();
    assert_eq!(again, (409, "version 2.0.0 exists in another channel".to_owned()));
}

fn an_edge_offers_promotions(host: Driver) {
    let scene = Scene::new(World::new(host));
    let edge = Edge::of(&scene.world, host);
    let version = |device: &str| {
        let answer = edge.get(&scene.acme.check_path("1.0.0")).header("x-device-id", device).ok();
        answer["version"].as_str().unwrap().to_owned()
    };
    assert_eq!(version("device-2"), "1.0.0");
    scene.promote(28);
    edge.age(61);
    assert_eq!(["device-1", "device-2"].map(version), ["1.0.0", "2.0.0"]);
}

/// Releases of somebody else.
const OTHERS: u32 = 1_000;
/// More rows than any of these calls reads without an index.
const MAX_SCANNED: u64 = 200;

/// Offers are read from a view over two tables, which SQLite reads as a whole if a statement does not let it look up rows.
fn no_call_reads_the_releases_of_everybody(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(50);
    let other = scene.world.admin("other").with_notes();
    other.publish(Release::new("1.0.0"));
    let copies = format!(
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {OTHERS}) \
         INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, rollout_bp, rollout_seed, created_at, \
          updated_at, round_at, offered_at) \
         SELECT 'r' || x, r.owner_id, r.app_id, '0.' || x, '0.' || x, r.channel_id, 1, 10000, 's', r.created_at, r.updated_at, \
          r.round_at, r.offered_at FROM n JOIN releases r ON r.owner_id = (SELECT id FROM users WHERE username = 'other')"
    );
    scene.world.database().execute_batch(&copies).unwrap();
    let acme = &scene.acme;
    let get = |path: &str| drop(acme.get(path).ok());
    let calls: [(&str, &dyn Fn()); 9] = [
        ("a check that derives its record", &|| {
            scene.world.age_records(61);
            drop(scene.version("beta", "device-1"));
        }),
        ("/apps/latest", &|| get("/apps/latest?app_name=notes&owner=acme")),
        ("/telemetry/overview", &|| get("/telemetry/overview")),
        ("/search", &|| get("/search?app_name=notes")),
        ("/releases/{id}", &|| drop(scene.release())),
        ("/explain", &|| {
            let body = json!({
                "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
            });
            drop(acme.post_json("/explain", body).ok());
        }),
        ("an order to a rollout", &|| {
            drop(
                scene
                    .post("rollout", json!({ "action": "set", "percent": 60, "channel": "stable" }))
                    .expect(200),
            );
        }),
        ("an upload", &|| drop(acme.publish(Release::new("3.0.0").with_digests()))),
        ("the end of a promotion", &|| drop(scene.end("stable").expect(200))),
    ];
    for (name, call) in calls {
        // Changes renew records, which must be fresh for the next one.
        let before = scene.world.platform().scanned_rows();
        call();
        let scanned = scene.world.platform().scanned_rows() - before;
        println!("{name}: {scanned} rows");
        assert!(scanned < MAX_SCANNED, "{name} reads {scanned} rows");
    }
}
