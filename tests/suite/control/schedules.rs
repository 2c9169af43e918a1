//! Releases that are published at a time set before.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{CDN_BUCKET, Driver, Edge, Release, World, on_hosts, until};

use super::{RECORD, Scene, in_seconds};
use crate::audit::{kinds_after, last, newest};
use crate::listing;
use crate::static_answers::with_cdn;

on_hosts! {
    every: [
        a_release_is_published_on_time,
        everything_sees_it_from_then_on,
        a_schedule_is_changed_and_taken_back,
        times_that_mean_nothing_are_refused,
        an_upload_may_name_the_time,
        a_plan_begins_with_the_publication,
        the_clock_is_settled_once,
        a_schedule_is_explained_ahead,
        a_signed_release_is_listed_ahead,
        a_release_that_the_publisher_signs_waits_for_its_list,
    ],
    in_process: [a_record_keeps_the_time_secret, an_edge_publishes_on_time],
}

fn at(time: Timestamp) -> Value {
    json!({ "publish_at": time.to_rfc3339() })
}

fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

fn a_release_is_published_on_time(host: Driver) {
    let scene = Scene::new(World::new(host));
    assert_eq!(scene.version(), "1.0.0");
    if host == Driver::InProcess {
        let offer = scene.offered(at(in_seconds(40)));
        assert_eq!(offer["state"], "scheduled");
        scene.world.advance(30);
        assert_eq!(scene.version(), "1.0.0");
        scene.world.advance(11);
        assert_eq!(scene.version(), "2.0.0");
        return;
    }
    let time = in_seconds(4);
    let _ = scene.offered(at(time));
    let first = until("it is published", Duration::from_secs(30), || {
        let asked = now();
        (scene.version() == "2.0.0").then_some(asked)
    });
    // The answer was made after the request began. A busy machine may be slow, but a record is kept for a minute.
    let late = first.as_millis() - time.as_millis();
    assert!((-1_000..10_000).contains(&late), "{late} ms late");
}

/// Nothing runs at that time, and nothing is changed.
fn everything_sees_it_from_then_on(host: Driver) {
    let scene = Scene::new(World::new(host));
    let latest = || {
        let builds = scene.acme.get("/apps/latest?app_name=notes&owner=acme&package=deb").send();
        builds.expect(302).header("location").contains("2.0.0")
    };
    assert!(!latest());
    let last_change = last(&scene.acme);
    let _ = scene.offered(at(in_seconds(30)));
    scheduled_time_comes(&scene);
    assert!(latest());
    let of_search = scene.acme.get("/search?app_name=notes&published=true").ok();
    let found = &of_search["items"][0];
    assert_eq!(
        (&found["Version"], &found["State"], &found["Published"], &found["PublishAt"]),
        (&json!("2.0.0"), &json!("published"), &json!(true), &Value::Null)
    );
    assert_eq!(scene.acme.get("/search?state=draft").ok()["total"], 0);
    assert_eq!(scene.offer()["state"], "published");
    let overview = scene.acme.get("/telemetry/overview").ok();
    assert_eq!(overview["apps"][0]["newest"][0]["version"], "2.0.0");
    assert_eq!(kinds_after(&scene.acme, last_change), ["release.schedule"]);
}

/// Makes the time of 2.0.0 the present, without a call.
fn scheduled_time_comes(scene: &Scene) {
    scene
        .world
        .database()
        .execute_batch(
            "UPDATE releases SET publish_at = publish_at - 700000, next_at = next_at - 700000 WHERE publish_at IS NOT NULL; \
             UPDATE users SET revision = revision + 1;",
        )
        .unwrap();
    scene.world.age_rollouts(0);
    until("2.0.0 is seen", Duration::from_secs(20), || (scene.version() == "2.0.0").then_some(()));
}

fn a_schedule_is_changed_and_taken_back(host: Driver) {
    let scene = Scene::new(World::new(host));
    let before = last(&scene.acme);
    let (one, two) = (in_seconds(3600), in_seconds(7200));
    assert_eq!(scene.offered(at(one))["publish_at"], one.to_rfc3339());
    let entry = newest(&scene.acme);
    assert_eq!((&entry["before"], &entry["after"]), (&json!({ "publish_at": null }), &at(one)));
    assert_eq!(scene.offered(at(two))["publish_at"], two.to_rfc3339());
    let search = scene.acme.release("2.0.0");
    assert_eq!((search.state.as_str(), search.publish_at), ("scheduled", Some(two.to_rfc3339())));
    let taken_back = scene.offered(json!({ "publish_at": null, "reason": "not yet" }));
    assert_eq!((&taken_back["state"], &taken_back["publish_at"]), (&json!("draft"), &Value::Null));
    let _ = scene.offered(at(one));
    assert_eq!(scene.offered(json!({ "publish": false }))["state"], "draft");
    let _ = scene.offered(at(one));
    let published = scene.offered(json!({ "publish": true }));
    assert_eq!((&published["state"], &published["publish_at"]), (&json!("published"), &Value::Null));
    assert_eq!(scene.version(), "2.0.0");
    assert_eq!(scene.offered(json!({ "publish": false }))["state"], "draft");
    assert_eq!(scene.version(), "1.0.0");
    let _ = scene.acme.edit(&scene.draft, at(one)).expect(200);
    assert_eq!(scene.offer()["state"], "scheduled");
    let _ = scene.acme.edit(&scene.draft, json!({ "critical": true })).expect(200);
    assert_eq!(scene.offer()["publish_at"], one.to_rfc3339(), "other changes keep the schedule");
    let _ = scene.acme.edit(&scene.draft, json!({ "publish": false })).expect(200);
    assert_eq!(scene.offer()["state"], "draft");
    let kinds = ["schedule", "schedule", "unpublish", "schedule", "unpublish", "schedule", "publish"];
    let kinds = kinds.into_iter().chain(["unpublish", "update", "update", "update"]);
    let kinds: Vec<String> = kinds.map(|kind| format!("release.{kind}")).collect();
    assert_eq!(kinds_after(&scene.acme, before), kinds);
}

fn times_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    let far = in_seconds(367 * 24 * 3600).to_rfc3339();
    let soon = in_seconds(3600).to_rfc3339();
    let with_offset = |offset: &str| in_seconds(48 * 3600).to_rfc3339().replace("+00:00", offset);
    for (change, status, error) in [
        (json!({}), 400, "nothing to change: publish, publish_at, plan, rollout, groups or guard"),
        (json!({ "publish_at": "tomorrow" }), 400, "invalid publish_at"),
        (json!({ "publish_at": with_offset("+25:00") }), 400, "invalid publish_at"),
        (json!({ "publish_at": with_offset("+01:60") }), 400, "invalid publish_at"),
        (json!({ "publish_at": far }), 400, "invalid publish_at: at most 366 days ahead"),
        (json!({ "publish_at": soon, "publish": true }), 400, "publish and publish_at exclude each other"),
        (json!({ "publish": true, "channel": "beta" }), 404, "offer not found"),
        (json!({ "publish": true, "if_revision": 99 }), 409, "somebody has changed the release meanwhile"),
    ] {
        assert_eq!(scene.post("offer", change.clone()).refusal(), (status, error.to_owned()), "{change}");
    }
    let far =
        scene.acme.edit(&scene.draft, json!({ "publish_at": in_seconds(367 * 24 * 3600).to_rfc3339() }));
    assert_eq!(far.refusal(), (400, "invalid publish_at: at most 366 days ahead".to_owned()));
    assert_eq!(scene.offer()["revision"], 1, "nothing was changed");

    let past = scene.offered(json!({ "publish_at": "2020-01-01T00:00:00Z" }));
    assert_eq!(past["state"], "published", "a past time means now");
    for change in
        [json!({ "publish_at": soon }), json!({ "rollout": 5 }), json!({ "plan": [{ "percent": 100 }] })]
    {
        let answer = scene.post("offer", change.clone());
        let refused = (answer.code(), answer.refusal());
        let expected = ("wrong_state".to_owned(), (409, "the release is published".to_owned()));
        assert_eq!(refused, expected, "{change}");
    }
    let stopped = scene.offered(json!({ "publish": false, "if_revision": 1 }));
    assert_eq!(stopped["state"], "draft", "nothing holds a stop up");
}

fn an_upload_may_name_the_time(host: Driver) {
    let scene = Scene::new(World::new(host));
    let time = in_seconds(3600).to_rfc3339();
    let _ = scene.acme.upload(&Release::new("3.0.0").with("publish_at", time.as_str()));
    let found = scene.acme.release("3.0.0");
    assert_eq!(
        (found.state.as_str(), found.publish_at, found.revision),
        ("scheduled", Some(time.clone()), 1)
    );
    let past = scene.acme.upload_in_one(&Release::new("2.5.0").with("publish_at", "2020-01-01T00:00:00Z"));
    let _ = past.expect(200);
    assert_eq!(scene.version(), "2.5.0");
    let twice = Release::new("4.0.0").published().with("publish_at", time.as_str());
    let refused = (400, "publish and publish_at exclude each other".to_owned());
    assert_eq!(scene.acme.init(&twice).refusal(), refused);
    let far = Release::new("4.0.0").with("publish_at", in_seconds(367 * 24 * 3600).to_rfc3339());
    assert_eq!(
        scene.acme.init(&far).refusal(),
        (400, "invalid publish_at: at most 366 days ahead".to_owned())
    );
    let odd = Release::new("4.0.0").with("publish_at", "soon");
    assert_eq!(scene.acme.init(&odd).refusal(), (400, "invalid publish_at".to_owned()));
}

fn a_plan_begins_with_the_publication(host: Driver) {
    let scene = Scene::new(World::new(host));
    let mut change = at(in_seconds(30));
    change["plan"] = json!([{ "percent": 0, "for": "1h" }, { "percent": 100 }]);
    let offer = scene.offered(change);
    assert_eq!((&offer["rollout"]["state"], &offer["rollout"]["next"]), (&json!("running"), &Value::Null));
    scene
        .world
        .database()
        .execute_batch(
            "UPDATE releases SET publish_at = publish_at - 1830000, next_at = next_at - 1830000 WHERE publish_at IS NOT NULL; \
             UPDATE users SET revision = revision + 1;",
        )
        .unwrap();
    scene.world.age_rollouts(0);
    let next = until("the plan has begun", Duration::from_secs(20), || {
        scene.offer()["rollout"]["next"].as_object().cloned()
    });
    let begins: Timestamp = next["at"].as_str().unwrap().parse().unwrap();
    let left = begins.as_seconds() - now().as_seconds();
    assert!((1700..=1860).contains(&left), "half of the first hour is over: {left}");
    assert_eq!(scene.version(), "1.0.0");
}

fn the_clock_is_settled_once(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    let scene = Scene::of(world, acme);
    let in_bucket = || {
        let object =
            scene.world.store().object(CDN_BUCKET, "responses/acme/notes/stable/linux/amd64/1.0.0.json");
        serde_json::from_slice::<Value>(&object.unwrap()).unwrap()["version"].clone()
    };
    let _ = scene.offered(at(in_seconds(30)));
    assert_eq!(in_bucket(), "1.0.0");
    scheduled_time_comes(&scene);
    let before = last(&scene.acme);
    scene.maintain();
    scene.maintain();
    assert_eq!(in_bucket(), "2.0.0");
    assert_eq!(kinds_after(&scene.acme, before), ["release.publish"]);
    let entry = newest(&scene.acme);
    assert_eq!(entry["actor"], json!({ "type": "clock" }));
    assert_eq!(entry["after"], json!({ "published": true, "publish_at": null }));
    assert_eq!(scene.version(), "2.0.0");
    let (published, next_at): (bool, Option<i64>) = scene
        .world
        .database()
        .query_row("SELECT published, next_at FROM releases WHERE version = '2.0.0'", [], |row| {
            row.try_into()
        })
        .unwrap();
    assert_eq!((published, next_at), (true, None));
}

fn a_schedule_is_explained_ahead(host: Driver) {
    let scene = Scene::new(World::new(host));
    let time = in_seconds(3600);
    let _ = scene.offered(at(time));
    let explain = |at: Option<Timestamp>| {
        let question = json!({
            "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0",
            "at": at.map(Timestamp::to_rfc3339),
        });
        scene.acme.post_json("/explain", question).ok()
    };
    let now = explain(None);
    let reason = &now["releases"][0]["because"][0];
    assert_eq!((&reason["code"], &reason["at"]), (&json!("scheduled"), &json!(time.to_rfc3339())));
    assert_eq!(now["answer"]["update_available"], false);
    for (seconds, version) in [(-1, "1.0.0"), (0, "2.0.0")] {
        assert_eq!(explain(Some(time.plus_seconds(seconds)))["answer"]["version"], version, "{seconds}");
    }
}

/// Until two minutes before.
fn a_record_keeps_the_time_secret(host: Driver) {
    let scene = Scene::new(World::new(host));
    let max_age = || {
        let answer = scene.acme.get(&scene.acme.check_path("1.0.0")).send().expect(200);
        answer.header("cache-control").to_owned()
    };
    let record = || scene.world.get(RECORD).ok();
    let _ = scene.offered(at(in_seconds(200)));
    assert_eq!(record()["valid_until"], Value::Null);
    assert!(max_age().contains("max-age=60"));
    scene.world.advance(90);
    assert!(record()["valid_until"].is_number());
    assert_eq!(record()["releases"].as_array().unwrap().len(), 1);
    scene.world.advance(108);
    let age = max_age();
    assert!(age.contains("max-age=1,") || age.contains("max-age=2,"), "{age}");
    let of_record = scene.world.get(RECORD).send().expect(200).header("cache-control").to_owned();
    assert_eq!(of_record, age, "no cache keeps a record beyond its time");
    scene.world.advance(3);
    assert_eq!(scene.version(), "2.0.0");
    assert!(max_age().contains("max-age=60"));
}

fn an_edge_publishes_on_time(host: Driver) {
    let scene = Scene::new(World::new(host));
    let edge = Edge::of(&scene.world, host);
    let version = || edge.get(&scene.acme.check_path("1.0.0")).ok()["version"].clone();
    let _ = scene.offered(at(in_seconds(100)));
    let both = |seconds: u64| {
        scene.world.advance(seconds);
        edge.platform().advance(Duration::from_secs(seconds));
    };
    assert_eq!(version(), "1.0.0");
    both(61);
    assert_eq!(version(), "1.0.0", "the edge has the record again, and knows the time now");
    both(35);
    assert_eq!(version(), "1.0.0");
    both(6);
    assert_eq!(version(), "2.0.0", "although its record is not a minute old");
}

/// Maintenance lists it shortly before, so that it appears on time.
fn a_signed_release_is_listed_ahead(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = listing::begin_service(&acme);
    acme.publish(listing::one_file("1.0.0"));
    let draft = acme.upload(&listing::one_file("2.0.0"));
    let scene = Scene { world, acme, draft };
    let _ = scene.offered(at(in_seconds(3600)));
    scene.maintain();
    assert_eq!(listing::listed_versions(&scene.acme), ["1.0.0"]);
    let _ = scene.offered(at(in_seconds(600)));
    scene.maintain();
    assert_eq!(listing::listed_versions(&scene.acme), ["1.0.0", "2.0.0"]);
    assert_eq!(scene.version(), "1.0.0");
    scheduled_time_comes(&scene);
    let withdrawn = scene.post("withdraw", json!({ "reason": "bad" })).expect(200);
    assert_eq!(withdrawn.json()["offers"][0]["state"], "withdrawn");
    assert_eq!(listing::listed_versions(&scene.acme), ["1.0.0"], "in the same call");
    let _ = scene.post("restore", json!({})).expect(200);
    let _ = scene.offered(json!({ "publish": true }));
    assert_eq!(listing::listed_versions(&scene.acme), ["1.0.0", "2.0.0"], "in the same call");
    assert_eq!(scene.version(), "2.0.0");
}

/// Where the publisher signs, nothing is offered before it is listed.
fn a_release_that_the_publisher_signs_waits_for_its_list(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = listing::begin(&acme);
    let draft = acme.upload(&listing::one_file("2.0.0"));
    let scene = Scene { world, acme, draft };
    let _ = scene.offered(json!({ "publish_at": "2020-01-01T00:00:00Z" }));
    assert_eq!(scene.version(), "");
    listing::sign(&scene.world, &scene.acme, |_| true);
    assert_eq!(scene.version(), "2.0.0");
}
