//! Verdicts: what the figures say of a release.

use serde_json::{Value, json};
use spindrift_tests::{Driver, PASSWORD, on_hosts};

use super::{CRASH, Scene, UPDATE_FAILURE, guard_run};
use crate::audit::{kinds_after, last};

on_hosts! {
    every: [
        the_figures_decide,
        nothing_is_known_before_a_run,
        failed_updates_count_for_the_new_version,
        a_maximum_replaces_the_version_before,
        causes_stand_beside_those_before,
        a_release_that_is_not_published_has_no_round,
    ],
    in_process: [
        a_device_fails_once_in_a_round_and_once_a_day,
        a_release_is_not_healthy_for_longer_than_an_hour,
        a_release_is_not_healthy_while_failures_have_no_group,
    ],
}

const DAY: u64 = 24 * 60 * 60;

fn the_figures_decide(host: Driver) {
    for (devices, failing, verdict, ln_e, why) in [
        (50, 5, "unknown", Some(3.7128), "Too few devices: 50 of 200 were seen with this version."),
        (400, 8, "unknown", Some(-1.1074), "It fails more often than is allowed, but that may be chance."),
        (1000, 4, "healthy", None, "It does not fail more often than is allowed."),
        (300, 30, "unhealthy", None, "30 devices failed in 300 device-days; 10 in 1000 before."),
    ] {
        let scene = Scene::with_a_week_before(host);
        scene.publish(&json!({}));
        scene.see("2.0.0", true, devices, 0);
        scene.fail("2.0.0", CRASH, failing);
        let before = last(&scene.acme);

        let run = scene.run();

        let health = scene.health();
        let running = &health["running"];
        assert_eq!((&running["k"], &running["n"]), (&json!(failing), &json!(devices)));
        let baseline = json!({ "version": "1.0.0", "k": 10, "n": 1000, "per_1000": 10.0 });
        assert_eq!((&running["baseline"], &health["devices"]), (&baseline, &json!(devices)));
        assert_eq!((&health["verdict"], &health["why"]), (&json!(verdict), &json!(why)), "{health}");
        let found = running["ln_e"].as_f64().unwrap();
        assert!(
            ln_e.is_none_or(|ln_e: f64| (found - ln_e).abs() < 0.0001),
            "{failing} of {devices}: {found}"
        );
        assert_eq!(scene.offered()["verdict"], verdict);
        assert_eq!((&run["looked_at"], &run["acted"]), (&json!(2), &json!([])));

        assert_eq!(scene.run(), run);
        let again = scene.health();
        assert_eq!((&again["running"], &again["verdict"]), (running, &health["verdict"]));
        let kinds: &[&str] = if verdict == "unhealthy" { &["health.unhealthy"] } else { &[] };
        assert_eq!(kinds_after(&scene.acme, before), kinds, "{failing} of {devices}");
    }
}

fn nothing_is_known_before_a_run(host: Driver) {
    let scene = Scene::new(host);
    scene.publish(&json!({}));

    let health = scene.health();

    assert_eq!((&health["verdict"], health.get("at")), (&json!("unknown"), None));
    assert_eq!(health["why"], "No guard run has looked at it since its rollout began.");
    assert_eq!(scene.offered().get("verdict"), None);
    scene.run();
    assert!(scene.health()["at"].is_string());
    assert_eq!(scene.health()["why"], "No device was counted since yesterday.");
}

fn failed_updates_count_for_the_new_version(host: Driver) {
    let scene = Scene::with_a_week_before(host);
    scene.publish(&json!({}));
    scene.see("1.0.0", false, 300, 0);
    scene.fail("1.0.0", UPDATE_FAILURE, 30);

    scene.run();

    let health = scene.health();
    let of = |series: &Value| (series["k"].clone(), series["n"].clone());
    assert_eq!(of(&health["running"]), (json!(0), json!(0)));
    assert_eq!(of(&health["updating"]), (json!(30), json!(300)));
    assert_eq!(health["updating"]["baseline"], json!({ "k": 10, "n": 1000, "per_1000": 10.0 }));
    assert_eq!(health["verdict"], "unhealthy");
    assert_eq!(health["why"], "30 devices failed to update in 300 device-days; 10 in 1000 before.");
}

fn a_maximum_replaces_the_version_before(host: Driver) {
    let scene = Scene::new(host);
    scene.publish(&json!({ "guard": { "on_unhealthy": "halt", "max_per_1000": 10 } }));
    scene.see("2.0.0", true, 300, 0);
    scene.fail("2.0.0", CRASH, 12);

    assert_eq!(scene.run()["acted"][0]["action"], "halt");

    let health = scene.health();
    assert_eq!(health["why"], "12 devices failed in 300 device-days. The guard allows 10 in 1000.");
    let ln_e = health["running"]["ln_e"].as_f64().unwrap();
    assert!((ln_e - 5.8120).abs() < 0.0001, "{ln_e}");
}

fn causes_stand_beside_those_before(host: Driver) {
    let scene = Scene::with_a_week_before(host);
    scene.publish(&json!({}));
    scene.see("2.0.0", true, 300, 0);
    for (reason, devices) in [("reason-0", 3), ("new", 5)] {
        for n in 0..devices {
            let _ = scene.report("2.0.0", CRASH, reason, &format!("device-{n}")).expect(202);
        }
    }

    scene.run();

    let causes = scene.health()["causes"].as_array().unwrap().clone();
    let cause = |cause: &Value| {
        json!([cause["type"], cause["reason"], cause["new"], cause["before"], cause["versions"]])
    };
    let causes: Vec<Value> = causes.iter().map(cause).collect();
    assert_eq!(
        causes,
        [json!(["crash", "new", 5, 0, ["2.0.0"]]), json!(["crash", "reason-0", 3, 10, ["2.0.0"]])]
    );
    // Five devices, some with two reasons. Two of them may be the same bit.
    let failing = scene.health()["running"]["k"].as_u64().unwrap();
    assert!((4..=5).contains(&failing), "{failing}");
}

fn a_release_that_is_not_published_has_no_round(host: Driver) {
    let scene = Scene::new(host);
    let health = scene.health();
    assert_eq!((health.get("since"), &health["why"]), (None, &json!("The release is not published.")));
    assert_eq!(scene.run()["looked_at"], 1);
    let _ = scene.acme.get(&format!("/releases/{}/health?channel=beta", scene.next)).send().expect(404);
}

fn a_device_fails_once_in_a_round_and_once_a_day(host: Driver) {
    let scene = Scene::new(host);
    scene.publish(&json!({}));
    for _ in 0..7 {
        for reason in ["one", "two", "three"] {
            let _ = scene.report("2.0.0", CRASH, reason, "device-1").expect(202);
        }
        scene.world.advance(DAY);
    }

    let acme = scene.world.login("acme", PASSWORD);
    let _ = guard_run(&acme).expect(200);

    let health = acme.get(&format!("/releases/{}/health", scene.next)).ok();
    assert_eq!(health["running"]["k"], 1);
    let days = "SELECT sum(value) FROM report_groups, json_each(failing_days)";
    assert_eq!(scene.world.number(days), Ok(7));
}

fn a_release_is_not_healthy_for_longer_than_an_hour(host: Driver) {
    let scene = Scene::with_a_week_before(host);
    scene.publish(&json!({}));
    scene.see("2.0.0", true, 1000, 0);
    scene.run();
    scene.world.advance(3500);
    assert_eq!(scene.health()["verdict"], "healthy");
    scene.world.advance(101);
    let health = scene.health();
    assert_eq!((&health["verdict"], &scene.offered()["verdict"]), (&json!("unknown"), &json!("unknown")));
    assert_eq!(health["why"], "It was healthy, but no guard run has looked at it for more than an hour.");
}

fn a_release_is_not_healthy_while_failures_have_no_group(host: Driver) {
    // The two groups of the week before are all that there may be.
    let world = super::reporting(host).with_variable("reports_max_groups_per_app", "2").start();
    let scene = Scene::of_a_week_before(world);
    scene.publish(&json!({}));
    scene.see("2.0.0", true, 1000, 0);
    let _ = scene.report("2.0.0", CRASH, "new", "device-1").expect(202);
    scene.run();
    let health = scene.health();
    assert_eq!((&health["verdict"], &health["running"]["k"]), (&json!("unknown"), &json!(1)));
    assert!(health["why"].as_str().unwrap().contains("maximum of failure groups"), "{health}");

    // Made-up failures that fill the groups hide no device.
    for n in 0..60 {
        let _ = scene.report("2.0.0", CRASH, &format!("new-{n}"), &format!("other-{n}")).expect(202);
    }
    scene.run();
    assert_eq!(scene.health()["verdict"], "unhealthy");
}
