//! Releases that let groups in.

use serde_json::{Value, json};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{Scene, add_devices, answer, codes, explained, group, version};

on_hosts! {
    every: [
        testers_get_a_release_that_nobody_else_sees,
        a_halt_holds_for_testers_and_for_users_who_ask,
        a_user_who_asks_does_not_wait_for_the_rollout,
        a_new_key_ends_the_one_before,
        a_list_of_devices_can_be_changed,
        an_answer_for_a_group_is_not_shared,
        links_look_at_no_group,
    ],
}

fn testers_get_a_release_that_nobody_else_sees(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, key) = group(&scene.acme, "qa");
    add_devices(&scene.acme, &qa, &["device-2"]);
    scene.let_in(&["qa"]);
    for (said, expected) in [
        (&[("device", "device-2")][..], "2.0.0"),
        (&[("group", &key)], "2.0.0"),
        (&[("device", "device-1"), ("group", &key)], "2.0.0"),
        (&[("device", "device-1")], "1.0.0"),
        (&[], "1.0.0"),
    ] {
        let answered = scene.answer(said);
        assert_eq!(version(&answered), expected, "{said:?}");
        assert_eq!(answered["rollout"], Value::Null, "{said:?}");
        let explained = explained(&scene.acme, "1.0.0", said);
        assert_eq!(explained["answer"]["update_available"], answered["update_available"]);
        let code = if expected == "2.0.0" { "2.0.0 offered" } else { "2.0.0 group_only" };
        assert_eq!(codes(&explained)[0], code, "{said:?}");
    }
    let anybody = scene.answer(&[]);
    assert_eq!(anybody["varies_with"], json!(["group"]));
    assert!(!anybody.to_string().contains("2.0.0"), "{anybody}");
    assert_eq!(scene.answer(&[("device", "device-1")])["varies_with"], Value::Null);
    // Beside a rollout, others see that.
    scene.set_rollout(10);
    assert_eq!(scene.version(&[]), "2.0.0");
    assert_eq!(scene.answer(&[])["rollout"]["percent"], 10);
    assert_eq!(scene.answer(&[("group", &key)])["rollout"], Value::Null);
    scene.set_rollout(100);
    assert_eq!(scene.answer(&[])["varies_with"], Value::Null, "everybody gets it");
    scene.set_rollout(0);
    scene.let_in(&[]);
    assert_eq!(scene.answer(&[("group", &key)])["rollout"]["percent"], 0, "as without groups");
}

fn a_halt_holds_for_testers_and_for_users_who_ask(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, key) = group(&scene.acme, "qa");
    add_devices(&scene.acme, &qa, &["device-2"]);
    scene.let_in(&["qa"]);
    scene.set_rollout(50);
    let asked = [
        [("device", "device-2"), ("interactive", "0")],
        [("device", "device-1"), ("interactive", "1")],
        [("device", "device-1"), ("group", &key)],
    ];
    let versions = || asked.each_ref().map(|said| scene.version(said));
    assert_eq!(versions(), ["2.0.0"; 3]);
    let _ = scene.post("rollout", json!({ "action": "halt" })).expect(200);
    assert_eq!(versions(), ["1.0.0"; 3]);
    for said in &asked {
        assert_eq!(codes(&explained(&scene.acme, "1.0.0", said))[0], "2.0.0 halted");
    }
    let kept = answer(&scene.acme, "2.0.0", &asked[1]);
    assert_eq!((kept["possible_rollback"].clone(), version(&kept)), (Value::Null, "2.0.0".to_owned()));
    let _ = scene.post("rollout", json!({ "action": "resume" })).expect(200);
    assert_eq!(versions(), ["2.0.0"; 3]);
}

fn a_user_who_asks_does_not_wait_for_the_rollout(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (asked, waits) = ([("device", "device-1"), ("interactive", "1")], [("device", "device-1")]);
    scene.set_rollout(10);
    assert_eq!((scene.version(&asked), scene.version(&waits)), ("2.0.0".to_owned(), "1.0.0".to_owned()));
    assert_eq!(scene.answer(&[("interactive", "1")])["rollout"], Value::Null);
    assert_eq!(scene.answer(&[])["rollout"]["percent"], 10);
    scene.set_rollout(0);
    assert_eq!(scene.version(&asked), "1.0.0", "a rollout of 0 has not begun");
    assert_eq!(codes(&explained(&scene.acme, "1.0.0", &asked))[0], "2.0.0 outside_rollout");
}

fn a_new_key_ends_the_one_before(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, old) = group(&scene.acme, "qa");
    let (_, others) = group(&scene.acme, "others");
    scene.let_in(&["qa"]);
    let made = scene.acme.post(&format!("/device-groups/{qa}/key")).send().expect(201).json();
    let new = made["key"].as_str().unwrap();
    assert_ne!(new, old);
    let both = format!("{old},{new}");
    for (keys, expected) in [(&*old, "1.0.0"), (new, "2.0.0"), (&both, "2.0.0"), (&others, "1.0.0")] {
        assert_eq!(scene.version(&[("group", keys)]), expected, "{keys}");
    }
}

fn a_list_of_devices_can_be_changed(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (qa, _) = group(&scene.acme, "qa");
    let change = |body: Value| {
        let answer = scene.acme.post_json(&format!("/device-groups/{qa}/devices"), body).send();
        answer.expect(200).json()["devices"].clone()
    };
    assert_eq!(change(json!({ "add": ["device-1", "device-2", "device-1"] })), 2);
    scene.let_in(&["qa"]);
    assert_eq!(scene.version(&[("device", "device-1")]), "2.0.0");
    assert_eq!(change(json!({ "add": ["device-3"], "remove": ["device-1", "unknown"] })), 2);
    for (device, expected) in [("device-1", "1.0.0"), ("device-2", "2.0.0"), ("device-3", "2.0.0")] {
        assert_eq!(scene.version(&[("device", device)]), expected, "{device}");
    }
    // The same device of another application is another entry.
    scene.acme.create_app("tasks");
    scene.acme.publish(Release::new("1.0.0").with("app_name", "tasks"));
    let tasks = scene.acme.upload(&Release::new("2.0.0").with("app_name", "tasks"));
    let unknown = super::post(&scene.acme, &tasks, "offer", json!({ "publish": true, "groups": ["qa"] }));
    assert_eq!(unknown.refusal(), (400, "unknown group: qa".to_owned()));
}

fn an_answer_for_a_group_is_not_shared(host: Driver) {
    let scene = Scene::new(World::new(host));
    let (_, key) = group(&scene.acme, "qa");
    scene.let_in(&["qa"]);
    let cached = |said: &str| {
        let answer = scene.acme.get(&format!("{}{said}", scene.acme.check_path("1.0.0"))).send().expect(200);
        answer.header("cache-control").to_owned()
    };
    assert_eq!(cached(&format!("&group={key}")), "private, no-store");
    assert!(cached("").starts_with("public"), "{}", cached(""));
    assert!(cached("&os_version=12").starts_with("public"));
}

fn links_look_at_no_group(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ = group(&scene.acme, "qa");
    scene.let_in(&["qa"]);
    scene.set_rollout(100);
    let latest = || {
        let answer = scene.acme.get("/apps/latest?app_name=notes&owner=acme&package=deb").send().expect(302);
        answer.header("location").to_owned()
    };
    assert!(latest().contains("2.0.0"), "{}", latest());
    let requires = json!({ "requires": { "os_version": { "min": "12" } } });
    let _ = scene.post("requires", requires).expect(200);
    assert!(latest().contains("2.0.0"), "{}", latest());
}
