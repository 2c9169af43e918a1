//! Releases that cure versions: copies of these versions do not wait for the rollout.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Edge, Release, World, on_hosts};

use crate::audit::newest;
use crate::conditions::{codes, explained};
use crate::natives::{self, NATIVES};
use crate::static_answers::{FOLDER, id_of, published, with_cdn};

on_hosts! {
    every: [
        a_cured_version_is_offered_the_release_at_0_percent,
        a_paused_plan_does_not_hold_a_cure_back,
        a_withdrawn_version_gets_its_cure_as_critical,
        stops_and_requirements_hold_a_cure_back,
        a_required_intermediate_comes_before_the_cure,
        every_channel_that_offers_a_cure_offers_it_at_once,
        feeds_follow_the_version_of_the_client,
        velopack_says_its_version_in_the_query,
        static_answers_of_cured_versions_have_the_cure,
        an_edge_knows_cures,
        cures_are_changed_later,
        the_receipt_names_the_cured_versions,
        only_a_few_lower_versions_can_be_cured,
    ],
}

const BEFORE: [&str; 3] = ["1.0.0", "2.0.0", "2.0.1"];

/// Three releases for everybody, and 2.0.2, which is published at 0 % and cures the last two.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.2.
    cure: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        for version in BEFORE {
            acme.publish(Release::new(version));
        }
        let cure = acme.publish(cure());
        Self { world, acme, cure }
    }

    fn post(&self, call: &str, body: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/{call}", self.cure), body).send()
    }

    /// The version in the answer to a device with each earlier version.
    fn versions(&self) -> [String; 3] {
        BEFORE.map(|version| version_in(&self.acme.check_as("device-1", version)))
    }
}

/// 2.0.2, which cures 2.0.0 and 2.0.1.
fn cure() -> Release {
    Release::new("2.0.2").rollout(0).with("cures", json!(["2.0", "2.0.1"]))
}

fn version_in(answer: &Value) -> String {
    answer["version"].as_str().unwrap_or_default().to_owned()
}

const CURED: [&str; 3] = ["2.0.1", "2.0.2", "2.0.2"];
const HELD: [&str; 3] = ["2.0.1", "2.0.1", "2.0.1"];

fn a_cured_version_is_offered_the_release_at_0_percent(host: Driver) {
    let scene = Scene::new(host);
    assert_eq!(scene.versions(), CURED);
    // Without a device, the client is not shown a rollout that it would have to apply itself.
    let [old, cured, _] = BEFORE.map(|version| scene.acme.check(version));
    assert_eq!(
        (version_in(&cured), &cured["rollout"], &cured["fallback"]),
        ("2.0.2".into(), &Value::Null, &Value::Null)
    );
    assert_eq!((&cured["update_available"], &cured["critical"]), (&json!(true), &json!(false)));
    assert_eq!((&old["rollout"]["percent"], &old["fallback"]["version"]), (&json!(0), &json!("2.0.1")));
    for (version, expected) in [("2.0.0", "2.0.2 cures"), ("1.0.0", "2.0.2 outside_rollout")] {
        let explained = explained(&scene.acme, version, &[("device", "device-1")]);
        assert_eq!(codes(&explained)[0], expected, "{version}");
        assert_eq!(explained["releases"][0]["offered"], version == "2.0.0");
    }
    let _ = scene.post("rollout", json!({ "action": "complete" })).expect(200);
    assert_eq!(codes(&explained(&scene.acme, "2.0.0", &[]))[0], "2.0.2 offered");
}

fn a_paused_plan_does_not_hold_a_cure_back(host: Driver) {
    let scene = Scene::new(host);
    let plan = json!([{ "percent": 0, "for": "1h" }, { "percent": 100 }]);
    let _ = scene.post("rollout", json!({ "action": "start", "plan": plan })).expect(200);
    let _ = scene.post("rollout", json!({ "action": "pause" })).expect(200);
    assert_eq!(scene.versions(), CURED);
}

fn a_withdrawn_version_gets_its_cure_as_critical(host: Driver) {
    let scene = Scene::new(host);
    let bad = id_of(&scene.acme, "2.0.1");
    let reason = json!({ "reason": "it deletes files" });
    let _ = scene.acme.post_json(&format!("/releases/{bad}/withdraw"), reason).send().expect(200);
    for (version, critical) in [("2.0.1", true), ("2.0.0", false)] {
        let answer = scene.acme.check_as("device-1", version);
        assert_eq!(
            (version_in(&answer), &answer["critical"]),
            ("2.0.2".into(), &json!(critical)),
            "{version}"
        );
    }
    assert_eq!(scene.acme.check("2.0.1")["withdrawn"]["reason"], "it deletes files");
}

fn stops_and_requirements_hold_a_cure_back(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.post("rollout", json!({ "action": "halt" })).expect(200);
    assert_eq!(scene.versions(), HELD);
    assert_eq!(version_in(&scene.acme.check("2.0.0")), "2.0.1");
    let halted = explained(&scene.acme, "2.0.1", &[]);
    assert_eq!(codes(&halted)[0], "2.0.2 halted");
    let _ = scene.post("rollout", json!({ "action": "resume" })).expect(200);
    assert_eq!(scene.versions(), CURED);
    let _ = scene.post("offer", json!({ "publish": false })).expect(200);
    assert_eq!(scene.versions(), HELD);
    let _ = scene.post("offer", json!({ "publish": true })).expect(200);
    let requires = json!({ "requires": { "os_version": { "min": "12" } } });
    let _ = scene.post("requires", requires).expect(200);
    assert_eq!(scene.versions(), HELD);
    let on = |os: &str| {
        let path = format!("{}&os_version={os}", scene.acme.check_path("2.0.0"));
        version_in(&scene.acme.get(&path).header("x-device-id", "device-1").ok())
    };
    assert_eq!([on("11"), on("12")], ["2.0.1", "2.0.2"]);
    let _ = scene.post("requires", json!({ "requires": {} })).expect(200);
    let shutoff = json!({ "app": "notes", "reason": "looking into crashes" });
    let _ = scene.acme.post_json("/shutoffs", shutoff).send().expect(201);
    assert_eq!(scene.acme.check_as("device-1", "2.0.0")["update_available"], false);
}

fn a_required_intermediate_comes_before_the_cure(host: Driver) {
    let scene = Scene::new(host);
    let _ = scene.acme.edit(&id_of(&scene.acme, "2.0.1"), json!({ "intermediate": true })).expect(200);
    assert_eq!(scene.versions(), ["2.0.1", "2.0.1", "2.0.2"]);
}

fn every_channel_that_offers_a_cure_offers_it_at_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.publish(Release::new("2.0.0"));
    let id = acme.publish(cure().with("channel", "beta"));
    let promote = json!({ "channel": "stable", "publish": true, "rollout": 0 });
    let _ = acme.post_json(&format!("/releases/{id}/promote"), promote).send().expect(201);
    assert_eq!(version_in(&acme.check_as("device-1", "2.0.0")), "2.0.2");
    assert_eq!(acme.check_as("device-1", "1.0.0")["version"], "2.0.0");
    let _ = acme.edit(&id, json!({ "cures": [] })).expect(200);
    assert_eq!(acme.check_as("device-1", "2.0.0")["update_available"], false);
}

/// The newer release of each updater is at 0 %, and cures the older one.
fn feeds_follow_the_version_of_the_client(host: Driver) {
    let world = World::new(host);
    let (acme, newest) = natives::publish(&world);
    for (place, native) in NATIVES.iter().enumerate() {
        let cured = format!("1.{place}.0");
        let change = json!({ "rollout": 0, "cures": [cured] });
        let _ = acme.edit(&newest[place], change).expect(200);
        let feed = |version: &str| {
            let answer = acme.get(&format!("{}/{}", native.folder(version), native.file)).send();
            assert!([200, 204, 404].contains(&answer.status), "{}: {}", native.file, answer.status);
            if answer.status == 200 { answer.text() } else { String::new() }
        };
        let newer = format!("2.{place}.0");
        assert!(feed(&cured).contains(&newer), "{}", native.file);
        // electron-builder's clients decide for themselves, unless the rollout does not apply to them.
        assert!(!feed(&cured).contains("stagingPercentage"), "{}", native.file);
        let other = feed(&format!("1.{place}.0-rc.1"));
        assert!(
            !other.contains(&newer) || other.contains("stagingPercentage: 0"),
            "{}: {other}",
            native.file
        );
        let with_device = format!("{}/{}", native.folder(&cured), native.file);
        let answer = acme.get(&with_device).header("x-device-id", "device-1").send().expect(200);
        assert!(answer.text().contains(&newer), "{}", native.file);
        let _ = acme
            .post_json(&format!("/releases/{}/rollout", newest[place]), json!({ "action": "halt" }))
            .send()
            .expect(200);
        assert!(!feed(&cured).contains(&newer), "{}", native.file);
    }
}

fn velopack_says_its_version_in_the_query(host: Driver) {
    let world = World::new(host);
    let (acme, newest) = natives::publish(&world);
    let place = NATIVES.iter().position(|native| native.platform == "velopack").unwrap();
    let _ = acme.edit(&newest[place], json!({ "rollout": 0, "cures": ["1.1.0"] })).expect(200);
    let has_cure = |version: &str| {
        let feed = "/velopack/acme/notes/velopack/amd64/releases.stable.json";
        let answer = acme.get(&format!("{feed}?localVersion={version}")).send().expect(200);
        answer.text().contains("2.1.0")
    };
    assert_eq!([has_cure("1.1.0"), has_cure("1.0.9")], [true, false]);
}

fn static_answers_of_cured_versions_have_the_cure(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    for version in BEFORE {
        acme.publish(Release::new(version));
    }
    let id = acme.publish(cure());
    let stored = |version: &str| {
        let object = published(world.store(), &format!("{FOLDER}/{version}.json")).expect(200);
        let served = acme.get(&format!("/{FOLDER}/{version}.json")).send().expect(200);
        assert_eq!(object.text(), served.text(), "{version}");
        object.json()
    };
    let cured = stored("2.0.0");
    assert_eq!((version_in(&cured), &cured["rollout"]), ("2.0.2".into(), &Value::Null));
    let other = stored("1.0.0");
    assert_eq!((&other["rollout"]["percent"], &other["fallback"]["version"]), (&json!(0), &json!("2.0.1")));
    let _ = acme.edit(&id, json!({ "cures": ["2.0.1"] })).expect(200);
    assert_eq!(stored("2.0.0")["rollout"]["percent"], 0);
    assert_eq!(stored("2.0.1")["rollout"], Value::Null);
}

fn an_edge_knows_cures(host: Driver) {
    let scene = Scene::new(host);
    let edge = Edge::of(&scene.world, host);
    // The second time, the edge reads the record that it has stored.
    for _ in 0..2 {
        for (version, expected) in BEFORE.iter().zip(CURED) {
            let check = edge.get(&scene.acme.check_path(version)).header("x-device-id", "device-1").ok();
            assert_eq!(version_in(&check), expected, "{version}");
            let is_cured = expected == "2.0.2";
            let file = edge.get(&format!("/{FOLDER}/{version}.json")).ok();
            assert_eq!(
                (version_in(&file), file["rollout"].is_null()),
                ("2.0.2".into(), is_cured),
                "{version}"
            );
        }
    }
}

fn cures_are_changed_later(host: Driver) {
    let scene = Scene::new(host);
    let shown = || scene.acme.get(&format!("/releases/{}", scene.cure)).ok()["cures"].clone();
    assert_eq!(shown(), json!(["2.0", "2.0.1"]));
    let created = newest(&scene.acme);
    let _ = scene.acme.edit(&scene.cure, json!({ "cures": ["1.0.0"] })).expect(200);
    assert_eq!(shown(), json!(["1.0.0"]));
    assert_eq!(scene.versions(), ["2.0.2", "2.0.1", "2.0.1"]);
    let changed = newest(&scene.acme);
    assert_eq!(created["after"]["cures"], json!(["2.0", "2.0.1"]));
    assert_eq!(
        (&changed["before"]["cures"], &changed["after"]["cures"]),
        (&created["after"]["cures"], &json!(["1.0.0"]))
    );
    let _ = scene.acme.edit(&scene.cure, json!({ "critical": true })).expect(200);
    assert_eq!(shown(), json!(["1.0.0"]), "they stay");
    let _ = scene.acme.edit(&scene.cure, json!({ "cures": [] })).expect(200);
    assert_eq!((shown(), scene.versions()), (Value::Null, HELD.map(str::to_owned)));
    let entries = newest(&scene.acme)["seq"].clone();
    let _ = scene.acme.edit(&scene.cure, json!({ "cures": [] })).expect(200);
    assert_eq!(newest(&scene.acme)["seq"], entries, "nothing is changed");
    // A later upload to the release does not change them.
    let more = Release::empty("2.0.2").file("notes.rpm", "rpm").with("cures", json!(["2.0"]));
    let _ = scene.acme.upload(&more);
    assert_eq!(shown(), Value::Null);
}

fn the_receipt_names_the_cured_versions(host: Driver) {
    let scene = Scene::new(host);
    let sentence = "Copies of 2.0 and 2.0.1 get it at once.";
    let receipt = scene.acme.get(&format!("/releases/{}/receipt", scene.cure)).ok();
    let line = &receipt["lines"][0];
    assert_eq!((&line["outcome"], &receipt["nobody"]), (&json!("some"), &json!(false)));
    assert!(line["text"].as_str().unwrap().ends_with(sentence), "{line}");
    let data = Release::new("2.0.3").rollout(5).with("cures", json!(["2.0", "2.0.1"])).data().clone();
    let upload = json!({ "data": data, "files": ["notes.deb"] });
    let receipt = scene.acme.post_json("/releases/receipt", upload).ok();
    assert!(receipt["lines"][0]["text"].as_str().unwrap().ends_with(sentence), "{receipt}");
}

fn only_a_few_lower_versions_can_be_cured(host: Driver) {
    let scene = Scene::new(host);
    let versions = |count: u32| (0..count).map(|n| format!("1.{n}.0")).collect::<Value>();
    let list = "invalid cures: a list of up to 8 versions, not ";
    let lower =
        |cured: &str| format!("invalid cures: {cured} is not lower than 2.0.2, the version of the release");
    for (cures, why) in [
        (versions(9), list.to_owned()),
        (json!("2.0"), format!("{list}\"2.0\"")),
        (json!([2.0]), format!("{list}[2.0]")),
        (json!(["2 0"]), format!("{list}[\"2 0\"]")),
        (json!(["2.0", "2.0.2"]), lower("2.0.2")),
        (json!(["2.1"]), lower("2.1")),
    ] {
        let release = Release::new("2.0.2").with("cures", cures.clone());
        for refused in [
            scene.acme.edit(&scene.cure, json!({ "cures": cures })),
            scene.acme.init(&release),
            scene.acme.upload_in_one(&release),
        ] {
            let text = refused.error();
            assert_eq!((refused.status, text.starts_with(&why)), (400, true), "{cures}: {text}");
        }
    }
    assert_eq!(scene.versions(), CURED, "nothing is changed");
    let _ = scene.acme.edit(&scene.cure, json!({ "cures": versions(8) })).expect(200);
}
