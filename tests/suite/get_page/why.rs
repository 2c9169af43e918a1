//! `GET /get/{owner}/{app}/why`: why a device gets no newer version.

use serde_json::json;
use spindrift_core::Timestamp;
use spindrift_tests::{Answer, Driver, Release, World, on_hosts};

use super::acme;

on_hosts! {
    every: [
        a_device_learns_whether_its_turn_has_come,
        a_release_that_checks_do_not_name_stays_secret,
        a_withdrawal_and_a_shut_off_are_explained,
        a_form_that_is_wrong_says_what_is_wrong,
    ],
    in_process: [an_address_asks_a_few_times_a_minute_only],
}

/// `device-1` has the position 7888 for this seed, `device-2` 2782.
const SEED: &str = "seed";

fn ask(world: &World, query: &str) -> Answer {
    let path = format!("/get/acme/notes/why?platform=linux&arch=amd64&channel=stable&{query}");
    world.get(&path).send()
}

fn answer(world: &World, device: &str, version: &str) -> String {
    ask(world, &format!("device={device}&version={version}")).expect(200).text()
}

fn a_device_learns_whether_its_turn_has_come(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let second = acme.upload(&Release::new("2.0.0"));
    world.database().execute("UPDATE releases SET rollout_seed = ?1", [SEED]).unwrap();
    let _ = acme.edit(&second, json!({ "publish": true, "rollout": 50 })).expect(200);

    let (inside, outside) = (answer(&world, "device-2", "1.0.0"), answer(&world, "device-1", "1.0.0"));
    assert!(inside.contains("Version 2.0.0 is available for this device"), "{inside}");
    assert!(outside.contains("Version 2.0.0 reaches devices one after another"), "{outside}");
    for (device, text) in [("device-1", &outside), ("device-2", &inside)] {
        let check = acme.check_as(device, "1.0.0")["update_available"] == true;
        assert_eq!(check, text.contains("is available"), "{device}");
    }
    assert!(!outside.contains("50") && !outside.contains("7888"), "no figures: {outside}");
    let nonsense = answer(&world, "%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "2.0.0");
    assert!(nonsense.contains("Nothing newer than version 2.0.0"), "{nonsense}");
    assert!(
        nonsense.contains("value=\"&quot;&gt;&lt;script&gt;") && !nonsense.contains("<script"),
        "{nonsense}"
    );
}

fn a_release_that_checks_do_not_name_stays_secret(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.upload(&Release::new("3.0.0"));
    let halted = acme.publish(Release::new("2.0.0").rollout(50));
    let order = json!({ "action": "halt" });
    let _ = acme.post_json(&format!("/releases/{halted}/rollout"), order).send().expect(200);
    let group = json!({ "app": "notes", "name": "testers" });
    let _ = acme.post_json("/device-groups", group).send().expect(201);

    for device in ["device-1", "device-2"] {
        let text = answer(&world, device, "1.0.0");
        assert!(text.contains("Nothing newer than version 1.0.0"), "{text}");
        for secret in ["2.0.0\u{20}", "Version 2", "Version 3", "halt", "testers", "draft"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

fn a_withdrawal_and_a_shut_off_are_explained(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    let second = acme.publish(Release::new("2.0.0"));
    let reason = json!({ "reason": "It loses <notes>" });
    let _ = acme.post_json(&format!("/releases/{second}/withdraw"), reason).send().expect(200);

    let withdrawn = answer(&world, "device-1", "2.0.0");
    assert!(withdrawn.contains("Version 2.0.0 was withdrawn: It loses &lt;notes&gt;"), "{withdrawn}");
    let other = answer(&world, "device-1", "1.0.0");
    assert!(!other.contains("withdrawn"), "{other}");

    let shut_off = json!({ "app": "notes", "channel": "", "platform": "", "reason": "too many failures" });
    let _ = acme.post_json("/shutoffs", shut_off).send().expect(201);
    acme.publish(Release::new("3.0.0"));
    let text = answer(&world, "device-1", "1.0.0");
    assert!(text.contains("switched updates off") && !text.contains("failures"), "{text}");
    assert!(!text.contains("3.0.0"), "{text}");
}

fn a_form_that_is_wrong_says_what_is_wrong(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    let empty = world.get("/get/acme/notes/why").send().expect(200);
    assert!(
        empty.text().contains("<form method=\"get\" action=\"/get/acme/notes/why\">"),
        "{}",
        empty.text()
    );
    for (query, problem) in [
        (format!("device={}&version=1.0.0", "x".repeat(129)), "This is not a device id"),
        ("device=device-1".to_owned(), "Please fill in the device id and the version"),
        ("device=device-1&version=new".to_owned(), "This is not a version"),
    ] {
        let text = ask(&world, &query).expect(400).text();
        assert!(text.contains(problem), "{query}: {text}");
    }
    let path = "/get/acme/notes/why?device=device-1&version=1.0.0&platform=amiga&channel=stable&arch=amd64";
    let unknown = world.get(path).send().expect(400);
    assert!(unknown.text().contains("There is no platform of this name"), "{}", unknown.text());
    assert_eq!(unknown.header("cache-control"), "private, no-store");
}

fn an_address_asks_a_few_times_a_minute_only(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.platform().set_time(Timestamp::from_rfc3339("2027-01-21T12:00:00Z").unwrap());

    for n in 0..30 {
        assert_eq!(ask(&world, "device=device-1&version=1.0.0").status, 200, "{n}");
    }
    let refused = ask(&world, "device=device-1&version=1.0.0").expect(429);
    assert_eq!(refused.header("retry-after"), "60");
    assert_eq!(refused.header("content-type"), "text/html; charset=utf-8");
    assert!(refused.text().contains("try again in 60 seconds"), "{}", refused.text());
    assert_eq!(world.get("/get/acme/notes/why").send().status, 200, "the form alone is not counted");
    assert_eq!(world.get("/get/acme/notes").send().status, 200);

    world.platform().set_time(Timestamp::from_rfc3339("2027-01-21T12:01:00Z").unwrap());
    assert_eq!(ask(&world, "device=device-1&version=1.0.0").status, 200);
}
