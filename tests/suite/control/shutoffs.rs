//! Shutting updates off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::{Scene, shut_off};
use crate::audit::{kinds_after, last, newest};
use crate::natives::{self, NATIVES, Native};
use crate::static_answers::{FOLDER, with_cdn};

on_hosts! {
    every: [
        nothing_newer_is_offered,
        only_the_named_clients_are_shut_off,
        every_updater_stays_where_it_is,
        shutting_off_is_repeated_and_lifted,
        shut_offs_that_mean_nothing_are_refused,
        static_answers_follow,
        nothing_is_offered_after_the_answer,
    ],
    in_process: [static_answers_that_remain_are_told],
}

fn published(world: World) -> Scene {
    let scene = Scene::new(world);
    let _ = scene.offered(json!({ "publish": true }));
    scene
}

fn nothing_newer_is_offered(host: Driver) {
    let scene = published(World::new(host));
    assert_eq!(scene.version(), "2.0.0");
    let before = last(&scene.acme);
    let entry = shut_off(&scene.acme, json!({})).expect(201).json();
    assert_eq!(
        (&entry["app"], &entry["channel"], &entry["platform"], &entry["created_by"]),
        (&json!("notes"), &json!(""), &json!(""), &json!("acme"))
    );
    let answer = scene.acme.check("1.0.0");
    assert_eq!(
        (&answer["update_available"], &answer["shut_off"], &answer["version"]),
        (&json!(false), &json!(true), &json!("1.0.0"))
    );
    for absent in ["rollout", "fallback", "possible_rollback", "error"] {
        assert_eq!(answer[absent], Value::Null, "{absent}");
    }
    assert_eq!(answer["update_url_deb"], Value::Null, "no client is updated to 1.0.0 any more");
    let newer = scene.acme.check("3.0.0");
    assert_eq!((&newer["version"], newer["update_url_deb"].is_string()), (&json!("2.0.0"), true));
    assert_eq!(scene.acme.check("2.0.0")["version"], "2.0.0");
    assert_eq!(scene.version(), "1.0.0");
    let latest = scene.acme.get("/apps/latest?app_name=notes&owner=acme&package=deb").send().expect(302);
    assert!(latest.header("location").contains("2.0.0"), "links go on");
    scene.acme.publish(Release::new("2.1.0"));
    assert_eq!(scene.version(), "1.0.0");
    let release = scene.acme.get(&format!("/releases/{}", scene.draft)).ok();
    assert_eq!(release["shut_off"], true);

    let kinds = kinds_after(&scene.acme, before);
    assert_eq!(kinds, ["shutoff.create", "release.create"]);
    let id = entry["id"].as_str().unwrap();
    let _ = scene.acme.delete(&format!("/shutoffs?id={id}")).send().expect(200);
    assert_eq!(scene.version(), "2.1.0");
    let entry = newest(&scene.acme);
    assert_eq!(entry["kind"], "shutoff.delete");
    assert_eq!(entry["before"], json!({ "reason": "updates do not start" }));
}

fn only_the_named_clients_are_shut_off(host: Driver) {
    let scene = published(World::new(host));
    let acme = &scene.acme;
    acme.create_channel("beta");
    acme.create_platform("windows");
    for (version, channel, platform) in [
        ("1.0.1", "beta", "linux"),
        ("2.0.1", "beta", "linux"),
        ("1.0.2", "stable", "windows"),
        ("2.0.2", "stable", "windows"),
    ] {
        acme.publish(Release::new(version).with("channel", channel).with("platform", platform));
    }
    let version = |channel: &str, platform: &str| {
        let path = format!(
            "/checkVersion?app_name=notes&version=1.0.0&channel={channel}&platform={platform}&arch=amd64&owner=acme"
        );
        acme.get(&path).ok()["update_available"].as_bool().unwrap()
    };
    let all = || [version("stable", "linux"), version("beta", "linux"), version("stable", "windows")];
    assert_eq!(all(), [true, true, true]);
    for (change, expected) in [
        (json!({ "channel": "stable" }), [false, true, false]),
        (json!({ "platform": "linux" }), [false, false, true]),
        (json!({ "channel": "stable", "platform": "windows" }), [true, true, false]),
        (json!({}), [false, false, false]),
    ] {
        let entry = shut_off(acme, change.clone()).expect(201).json();
        assert_eq!(all(), expected, "{change}");
        let id = entry["id"].as_str().unwrap();
        let _ = acme.delete(&format!("/shutoffs?id={id}")).send().expect(200);
        assert_eq!(all(), [true, true, true]);
    }
    acme.create_app("tasks");
    let _ = shut_off(acme, json!({ "app": "tasks" })).expect(201);
    assert_eq!(all(), [true, true, true], "another application");
}

fn every_updater_stays_where_it_is(host: Driver) {
    let world = World::new(host);
    let (acme, _) = natives::publish(&world);
    let answers = |major: u8| -> Vec<(u16, String)> {
        let ask = |(place, native): (usize, &Native)| {
            let folder = native.folder(&format!("{major}.{place}.0"));
            let answer = acme.get(&format!("{folder}/{}", native.file)).send();
            (answer.status, answer.text())
        };
        NATIVES.iter().enumerate().map(ask).collect()
    };
    for (status, body) in answers(1) {
        assert!(status == 200 && body.contains("2."), "{body}");
    }
    let _ = shut_off(&acme, json!({})).expect(201);
    // 1.x is not kept, because no client is updated to it any more.
    for (place, (status, body)) in answers(1).into_iter().enumerate() {
        assert_eq!(status, [404, 200, 404, 200, 204][place], "{place}: {body}");
        assert!(!body.contains(&format!("2.{place}.0")), "{body}");
    }
    for (place, (status, body)) in answers(3).into_iter().enumerate() {
        let (expected, names) = if place == 4 { (204, false) } else { (200, true) };
        assert_eq!((status, body.contains(&format!("2.{place}.0"))), (expected, names), "{body}");
    }
}

fn shutting_off_is_repeated_and_lifted(host: Driver) {
    let scene = published(World::new(host));
    let first = shut_off(&scene.acme, json!({})).expect(201).json();
    let before = last(&scene.acme);
    let again = shut_off(&scene.acme, json!({ "reason": "another" })).expect(200).json();
    assert_eq!(again, first);
    assert_eq!(last(&scene.acme), before, "nothing was changed");
    let of_linux = shut_off(&scene.acme, json!({ "platform": "linux" })).expect(201).json();
    let listed = scene.acme.get("/shutoffs?app=notes").ok();
    assert_eq!(listed["shutoffs"], json!([first, of_linux]));
    let lift =
        |entry: &Value| scene.acme.delete(&format!("/shutoffs?id={}", entry["id"].as_str().unwrap())).send();
    assert_eq!(lift(&first).expect(200).json()["message"], "Shut-off lifted");
    assert_eq!(scene.version(), "1.0.0", "the other one holds");
    let _ = lift(&of_linux).expect(200);
    assert_eq!(scene.version(), "2.0.0");
    assert_eq!(lift(&first).refusal(), (404, "shut-off not found".to_owned()));
    assert_eq!(scene.acme.get("/shutoffs").ok()["shutoffs"], json!([]));
}

fn shut_offs_that_mean_nothing_are_refused(host: Driver) {
    let scene = published(World::new(host));
    for (change, status, error) in [
        (json!({ "app": null }), 400, "missing app"),
        (json!({ "reason": "" }), 400, "missing reason"),
        (json!({ "reason": "x".repeat(201) }), 400, "invalid reason: at most 200 characters"),
        (json!({ "app": "other" }), 404, "application not found"),
        (json!({ "channel": "beta" }), 404, "channel not found"),
        (json!({ "platform": "amiga" }), 404, "platform not found"),
        (json!({ "channel": "a/b" }), 400, "invalid channel parameter"),
    ] {
        assert_eq!(shut_off(&scene.acme, change.clone()).refusal(), (status, error.to_owned()), "{change}");
    }
    assert_eq!(scene.version(), "2.0.0");
    let stranger = scene.world.admin("stranger");
    assert_eq!(shut_off(&stranger, json!({})).refusal(), (404, "application not found".to_owned()));
}

fn static_answers_follow(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    let scene = Scene::of(world, acme);
    let _ = scene.offered(json!({ "publish": true }));
    let in_bucket = |version: &str| {
        let object =
            scene.world.store().object(spindrift_tests::CDN_BUCKET, &format!("{FOLDER}/{version}.json"));
        serde_json::from_slice::<Value>(&object.unwrap()).unwrap()
    };
    assert_eq!(in_bucket("1.0.0")["version"], "2.0.0");
    let entry = shut_off(&scene.acme, json!({})).expect(201).json();
    let answer = in_bucket("1.0.0");
    assert_eq!((&answer["version"], &answer["shut_off"]), (&json!("1.0.0"), &json!(true)));
    let id = entry["id"].as_str().unwrap();
    let _ = scene.acme.delete(&format!("/shutoffs?id={id}")).send().expect(200);
    assert_eq!(in_bucket("1.0.0")["version"], "2.0.0");
}

fn static_answers_that_remain_are_told(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    let scene = Scene::of(world, acme);
    let _ = scene.offered(json!({ "publish": true }));
    scene.world.platform().fail_http(true);
    let told = shut_off(&scene.acme, json!({}));
    assert_eq!(told.refusal(), (502, "shut off, but static answers remain; call again".to_owned()));
    assert_eq!(scene.version(), "1.0.0", "it holds");
    scene.world.platform().fail_http(false);
    let _ = shut_off(&scene.acme, json!({})).expect(200);
}

/// Many clients ask while the call is made: none that asks after its answer is offered anything. A host that remembers records
/// may do so for a second.
fn nothing_is_offered_after_the_answer(host: Driver) {
    let scene = published(World::new(host));
    let is_over = AtomicBool::new(false);
    let path = scene.acme.check_path("1.0.0");
    let ask = |acme: &Account| {
        let asked = Instant::now();
        (asked, acme.get(&path).ok()["update_available"] == true)
    };
    let (answered, offers) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut offers = Vec::new();
                    while !is_over.load(Ordering::Relaxed) {
                        let (asked, is_offered) = ask(&scene.acme);
                        offers.extend(is_offered.then_some(asked));
                    }
                    offers
                })
            })
            .collect();
        let _ = shut_off(&scene.acme, json!({})).expect(201);
        let answered = Instant::now();
        let end = answered + Duration::from_secs(2);
        while Instant::now() < end {
            let _ = ask(&scene.acme);
        }
        is_over.store(true, Ordering::Relaxed);
        let offers = clients.into_iter().flat_map(|client| client.join().unwrap());
        (answered, offers.collect::<Vec<_>>())
    });
    let limit = answered + scene.world.staleness();
    let late: Vec<_> = offers.iter().filter(|asked| **asked > limit).collect();
    assert_eq!(late.len(), 0, "{} of {} offers came too late", late.len(), offers.len());
}
