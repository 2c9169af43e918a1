//! Freezes: until one ends, steps of rollouts and scheduled publications wait.

mod limits;

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{Account, Answer, Driver, PASSWORD, Release, World, on_hosts};

use crate::audit::{kinds_after, last, newest};

on_hosts! {
    every: [
        a_freeze_is_made_listed_and_ended,
        a_release_says_until_when_it_waits,
    ],
    in_process: [
        steps_wait_for_the_end_of_a_freeze,
        a_freeze_that_is_ended_holds_nothing_longer,
        a_publication_waits_for_the_end_of_a_freeze,
        orders_do_not_wait_for_a_freeze,
        what_is_ordered_in_a_freeze_waits_too,
        a_freeze_of_all_applications_holds_each,
        maintenance_applies_a_step_when_it_has_begun,
    ],
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A time for freezes that are not about times.
pub(crate) fn in_an_hour() -> String {
    let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
    now.plus_seconds(HOUR).to_rfc3339()
}

/// A published 1.0.0 for everybody, and a draft 2.0.0, at a time that stands still.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    draft: String,
    /// When the test began, in whole seconds.
    begin: Timestamp,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let draft = acme.upload(&Release::new("2.0.0"));
        let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        let begin = Timestamp::from_millis(now.as_seconds() * 1000).plus_seconds(MINUTE);
        if host == Driver::InProcess {
            world.platform().set_time(begin);
        }
        Self { world, acme, draft, begin }
    }

    /// A time of the test.
    fn at(&self, minutes: i64) -> String {
        self.begin.plus_seconds(minutes * MINUTE).to_rfc3339()
    }

    /// Sets the clock.
    fn pass_to(&self, minutes: i64) {
        self.world.platform().set_time(self.begin.plus_seconds(minutes * MINUTE));
    }

    fn freeze(&self, from: i64, to: i64) -> Value {
        let body = json!({ "app": "notes", "from": self.at(from), "to": self.at(to), "reason": "holidays" });
        self.acme.post_json("/freezes", body).send().expect(201).json()
    }

    fn end(&self, freeze: &Value) -> Answer {
        self.acme.delete(&format!("/freezes/{}", freeze["id"].as_str().unwrap())).send()
    }

    /// The offer of 2.0.0 after an order.
    fn order(&self, call: &str, body: Value) -> Value {
        let path = format!("/releases/{}/{call}", self.draft);
        self.acme.post_json(&path, body).send().expect(200).json()["offers"][0].clone()
    }

    /// Publishes 2.0.0 with steps of an hour.
    fn publish(&self) -> Value {
        self.order("offer", json!({ "publish": true, "plan": plan() }))
    }

    fn offer(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.draft)).ok()["offers"][0].clone()
    }

    /// The percentage of 2.0.0, and the minutes at which later steps begin.
    fn course(&self) -> (Value, Vec<i64>) {
        let rollout = self.offer()["rollout"].clone();
        let ahead = [rollout["next"].clone()]
            .into_iter()
            .chain(rollout["later"].as_array().cloned().unwrap_or_default());
        let begins = ahead.filter_map(|step| Timestamp::from_rfc3339(step["at"].as_str()?));
        let minutes = begins.map(|at| (at.as_seconds() - self.begin.as_seconds()) / MINUTE);
        (rollout["percent"].clone(), minutes.collect())
    }

    /// The version that a device with 1.0.0 is offered or keeps.
    fn version(&self) -> String {
        self.acme.check_as("device-1", "1.0.0")["version"].as_str().unwrap_or_default().to_owned()
    }
}

fn plan() -> Value {
    json!([{ "percent": 0, "for": "1h" }, { "percent": 100 }])
}

fn a_freeze_is_made_listed_and_ended(host: Driver) {
    let scene = Scene::new(host);
    let before = last(&scene.acme);
    let (later, sooner) = (scene.freeze(60, 120), scene.freeze(-10, 90));
    assert_eq!(
        (&later["app"], &later["reason"], &later["created_by"]),
        (&json!("notes"), &json!("holidays"), &json!("acme"))
    );
    assert_eq!((&later["from"], &later["to"]), (&json!(scene.at(60)), &json!(scene.at(120))));
    assert!(sooner["from"].as_str() > Some(&scene.at(-10)), "a past time means now: {sooner}");
    let all = json!({ "to": scene.at(240), "reason": "all of it" });
    let all = scene.acme.post_json("/freezes", all).send().expect(201).json();
    assert_eq!(all["app"], "");
    let listed = |path: &str| {
        let freezes = scene.acme.get(path).ok()["freezes"].as_array().unwrap().clone();
        freezes.iter().map(|freeze| freeze["id"].clone()).collect::<Vec<_>>()
    };
    let mut found = listed("/freezes");
    assert_eq!(found.pop(), Some(later["id"].clone()), "the last to begin");
    assert!(found.contains(&sooner["id"]) && found.contains(&all["id"]));
    scene.acme.create_app("other");
    assert_eq!(listed("/freezes?app=other"), [all["id"].clone()]);
    assert_eq!(listed("/freezes?app=notes").len(), 3);

    let _ = scene.end(&sooner).expect(200);
    assert_eq!(scene.end(&sooner).expect(404).error(), "freeze not found");
    assert_eq!(scene.acme.get("/freezes").ok()["freezes"].as_array().unwrap().len(), 2);
    let kinds = kinds_after(&scene.acme, before);
    assert_eq!(kinds.iter().filter(|kind| *kind == "freeze.create").count(), 3);
    assert_eq!(kinds.iter().filter(|kind| *kind == "freeze.end").count(), 1);
    let entry = newest(&scene.acme);
    assert_eq!(
        (&entry["kind"], &entry["app"], &entry["before"]["reason"]),
        (&json!("freeze.end"), &json!("notes"), &json!("holidays"))
    );
}

fn a_release_says_until_when_it_waits(host: Driver) {
    let scene = Scene::new(host);
    assert_eq!(scene.publish().get("held_until"), None);
    let _ = scene.freeze(30, 600);
    let offer = scene.offer();
    assert_eq!(
        (&offer["held_until"], &offer["rollout"]["next"]["at"]),
        (&json!(scene.at(600)), &json!(scene.at(600)))
    );
    let explained = json!({
        "app": "notes", "channel": "stable", "platform": "linux", "arch": "amd64", "version": "1.0.0", "device": "device-1",
    });
    let explained = scene.acme.post_json("/explain", explained).ok();
    let because = &explained["releases"][0]["because"][0];
    assert_eq!(
        (&because["code"], &because["held_until"]),
        (&json!("outside_rollout"), &json!(scene.at(600)))
    );
    let text = because["text"].as_str().unwrap();
    assert!(text.ends_with(&format!(" A freeze holds it until {}.", scene.at(600))), "{text}");
}

fn steps_wait_for_the_end_of_a_freeze(host: Driver) {
    let scene = Scene::new(host);
    scene.publish();
    assert_eq!(scene.course(), (json!(0), vec![60]));
    scene.freeze(30, 90);
    scene.freeze(80, 300);
    assert_eq!(scene.course(), (json!(0), vec![300]));
    for (minutes, version) in [(59, "1.0.0"), (60, "1.0.0"), (90, "1.0.0"), (299, "1.0.0"), (300, "2.0.0")] {
        scene.pass_to(minutes);
        assert_eq!(scene.version(), version, "{minutes}");
    }
    assert_eq!((scene.course(), scene.offer().get("held_until")), ((json!(100), vec![]), None));
    // A later freeze takes nothing back.
    scene.freeze(300, 400);
    assert_eq!(scene.version(), "2.0.0");
}

fn a_freeze_that_is_ended_holds_nothing_longer(host: Driver) {
    let scene = Scene::new(host);
    let steps = json!([{ "percent": 0, "for": "1h" }, { "percent": 1, "for": "1h" }, { "percent": 100 }]);
    scene.order("offer", json!({ "publish": true, "plan": steps }));
    let freeze = scene.freeze(30, 600);
    assert_eq!(scene.course(), (json!(0), vec![600, 660]));
    scene.pass_to(200);
    let _ = scene.end(&freeze).expect(200);
    assert_eq!(scene.course(), (json!(1), vec![260]), "one step, and the next an hour after it");
    // One that has not begun holds nothing.
    let freeze = scene.freeze(250, 600);
    assert_eq!(scene.course(), (json!(1), vec![600]));
    let _ = scene.end(&freeze).expect(200);
    assert_eq!(scene.course(), (json!(1), vec![260]));
    scene.pass_to(260);
    assert_eq!(scene.version(), "2.0.0");
}

fn a_publication_waits_for_the_end_of_a_freeze(host: Driver) {
    let scene = Scene::new(host);
    let third = scene.acme.upload(&Release::new("3.0.0"));
    scene.order("offer", json!({ "publish_at": scene.at(60), "plan": plan() }));
    let freeze = scene.freeze(30, 300);
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("scheduled"), &json!(scene.at(300))));
    assert_eq!(offer["held_until"], json!(scene.at(300)));
    scene.pass_to(299);
    assert_eq!(scene.acme.check("0.9")["version"], "1.0.0");
    scene.pass_to(300);
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["offered_at"]), (&json!("published"), &json!(scene.at(300))));
    assert_eq!(scene.course(), (json!(0), vec![360]));
    assert_eq!(scene.end(&freeze).status, 404, "it is over");

    // Ended early, it gives a release back its own time.
    let scene = Scene { draft: third, ..scene };
    scene.order("offer", json!({ "publish_at": scene.at(400) }));
    let freeze = scene.freeze(350, 900);
    assert_eq!(scene.offer()["publish_at"], scene.at(900));
    let _ = scene.end(&freeze).expect(200);
    assert_eq!(
        (&scene.offer()["publish_at"], scene.offer().get("held_until")),
        (&json!(scene.at(400)), None)
    );
    let freeze = scene.freeze(350, 900);
    scene.pass_to(500);
    assert_eq!(scene.version(), "1.0.0", "the step of 2.0.0 waits too");
    let _ = scene.end(&freeze).expect(200);
    assert_eq!((scene.offer()["state"].clone(), scene.version()), (json!("published"), "3.0.0".to_owned()));
}

fn orders_do_not_wait_for_a_freeze(host: Driver) {
    let scene = Scene::new(host);
    scene.freeze(0, 600);
    scene.pass_to(1);
    assert_eq!(scene.publish()["state"], "published");
    assert_eq!(scene.order("rollout", json!({ "action": "set", "percent": 50 }))["rollout"]["percent"], 50);
    assert_eq!(scene.order("rollout", json!({ "action": "halt" }))["rollout"]["state"], "halted");
    assert_eq!(scene.order("rollout", json!({ "action": "resume" }))["rollout"]["state"], "fixed");
    let started = scene.order(
        "rollout",
        json!({ "action": "start", "plan": [{ "percent": 60, "for": "1h" }, { "percent": 100 }] }),
    );
    assert_eq!((&started["rollout"]["percent"], &started["held_until"]), (&json!(60), &json!(scene.at(600))));
    assert_eq!(scene.order("rollout", json!({ "action": "pause" })).get("held_until"), None);
    assert_eq!(scene.order("rollout", json!({ "action": "advance" }))["rollout"]["percent"], 100);
    assert_eq!(scene.version(), "2.0.0");
}

fn what_is_ordered_in_a_freeze_waits_too(host: Driver) {
    let scene = Scene::new(host);
    scene.freeze(30, 600);
    assert_eq!(scene.publish()["held_until"], scene.at(600));
    // Uploads and promotions are orders too.
    let release = Release::new("3.0.0").with("publish_at", scene.at(60));
    let draft = scene.acme.upload(&release);
    let offer = scene.acme.get(&format!("/releases/{draft}")).ok()["offers"][0].clone();
    assert_eq!((&offer["publish_at"], &offer["held_until"]), (&json!(scene.at(600)), &json!(scene.at(600))));
    scene.acme.create_channel("beta");
    let promotion = json!({ "channel": "beta", "publish_at": scene.at(60) });
    let path = format!("/releases/{}/promote", scene.draft);
    let promoted = scene.acme.post_json(&path, promotion).send().expect(201).json();
    assert_eq!(
        (&promoted["offers"][1]["channel"], &promoted["offers"][1]["publish_at"]),
        (&json!("beta"), &json!(scene.at(600)))
    );
    // A repeated order is the same order.
    let before = last(&scene.acme);
    let again = json!({ "channel": "stable", "publish_at": scene.at(60) });
    let _ = scene.acme.post_json(&format!("/releases/{draft}/offer"), again).send().expect(200);
    assert_eq!(kinds_after(&scene.acme, before), [] as [&str; 0]);
}

fn a_freeze_of_all_applications_holds_each(host: Driver) {
    let scene = Scene::new(host);
    scene.publish();
    let promotion = json!({ "channel": "beta", "publish_at": scene.at(60) });
    scene.acme.create_channel("beta");
    let path = format!("/releases/{}/promote", scene.draft);
    let _ = scene.acme.post_json(&path, promotion).send().expect(201);
    let freeze = json!({ "from": scene.at(30), "to": scene.at(300), "reason": "holidays" });
    let freeze = scene.acme.post_json("/freezes", freeze).send().expect(201).json();
    let release = scene.acme.get(&format!("/releases/{}", scene.draft)).ok();
    assert_eq!(release["offers"][0]["rollout"]["next"]["at"], scene.at(300));
    assert_eq!(release["offers"][1]["publish_at"], scene.at(300));
    scene.pass_to(70);
    assert_eq!(scene.version(), "1.0.0");
    let _ = scene.end(&freeze).expect(200);
    let release = scene.acme.get(&format!("/releases/{}", scene.draft)).ok();
    assert_eq!(
        (&release["offers"][0]["rollout"]["percent"], &release["offers"][1]["state"]),
        (&json!(100), &json!("published"))
    );
    assert_eq!(scene.version(), "2.0.0");
}

fn maintenance_applies_a_step_when_it_has_begun(host: Driver) {
    let scene = Scene::new(host);
    scene.publish();
    scene.freeze(30, 300);
    let before = last(&scene.acme);
    let maintain = |minutes| {
        scene.pass_to(minutes);
        let acme = scene.world.login("acme", PASSWORD);
        // The storage does not share the clock and refuses its part of the run. The others go on.
        let _ = acme.post("/maintenance/run").send().expect(502);
        kinds_after(&acme, before).iter().filter(|kind| *kind == "rollout.step").count()
    };
    assert_eq!([maintain(100), maintain(299), maintain(300), maintain(310)], [0, 0, 1, 1]);
    assert_eq!(scene.course(), (json!(100), vec![]));
}
