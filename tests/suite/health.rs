//! The health of releases, and the guard that stops unhealthy ones.

mod calls;
mod refused;
mod runs;
mod stops;
mod verdicts;

use http::Method;
use serde_json::{Value, json};
use spindrift_core::Day;
use spindrift_tests::{Account, Answer, Driver, Release, World, WorldBuilder};

use crate::reports::{create_notes, failure_because, send};

/// The kinds of failures.
const CRASH: &str = "crash";
const UPDATE_FAILURE: &str = "update_failure";
/// Devices that report one reason: no more reports of a group are taken in a minute.
const OF_A_REASON: usize = 25;

/// A service that takes many reports.
fn reporting(host: Driver) -> WorldBuilder {
    World::builder(host)
        .with_variable("device_hash_key", "a key of the tests")
        .with_variable("reports_rate_limit_per_key_per_minute", "1000000")
}

/// A published 1.0.0 and a draft of 2.0.0.
struct Scene {
    world: World,
    acme: Account,
    report_key: String,
    app: String,
    /// The id of 2.0.0.
    next: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        Self::of(reporting(host).start())
    }

    fn of(world: World) -> Self {
        let acme = world.admin("acme");
        let report_key = create_notes(&acme);
        acme.publish(Release::new("1.0.0"));
        let next = acme.upload(&Release::new("2.0.0"));
        let app = acme.app_id("notes");
        Self { world, acme, report_key, app, next }
    }

    /// A scene in which 10 of 1,000 device-days of 1.0.0 had a failing device in the week before.
    fn with_a_week_before(host: Driver) -> Self {
        Self::of_a_week_before(reporting(host).start())
    }

    fn of_a_week_before(world: World) -> Self {
        let scene = Self::of(world);
        for event in [CRASH, UPDATE_FAILURE] {
            let _ = scene.report("1.0.0", event, "reason-0", "another device").expect(202);
        }
        let days = format!("{{\"{}\":10}}", today(&scene.world) - 3);
        scene
            .world
            .database()
            .execute("UPDATE report_groups SET failing_days = ?1, days = ?1", [days])
            .unwrap();
        scene.see("1.0.0", false, 1000, 3);
        scene
    }

    /// Publishes 2.0.0, with more fields of the order.
    fn publish(&self, more: &Value) {
        let mut order = json!({ "publish": true });
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let _ = self.offer(order).expect(200);
    }

    /// The answer to an order about the offer of 2.0.0.
    fn offer(&self, order: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/offer", self.next), order).send()
    }

    /// The answer to an order about the rollout of 2.0.0.
    fn roll(&self, action: &str) -> Answer {
        self.acme.post_json(&format!("/releases/{}/rollout", self.next), json!({ "action": action })).send()
    }

    /// The offer of 2.0.0.
    fn offered(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.next)).ok()["offers"][0].clone()
    }

    /// Counts devices with a version, each on one day only.
    fn see(&self, version: &str, is_latest: bool, devices: u32, days_ago: i64) {
        let day = today(&self.world) - days_ago;
        let app = &self.app;
        self.world
            .database()
            .execute_batch(&format!(
                "INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests) \
                 WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {devices}) \
                 SELECT {day}, '{app}', x + coalesce((SELECT max(device) FROM telemetry), 0), '{version}', 'stable', \
                  'linux', 'amd64', {}, 1 FROM n",
                u8::from(is_latest)
            ))
            .unwrap();
    }

    /// Lets devices with a version fail, until so many of them count for a round. They are always the same ones, but two may be the
    /// same bit.
    fn fail(&self, version: &str, event: &str, devices: usize) {
        let counted = || {
            let sql = "SELECT coalesce(sum(value), 0) FROM report_groups, json_each(failing_rounds)";
            self.world
                .number(&format!("{sql} WHERE version = '{version}' AND event_type = '{event}'"))
                .unwrap()
        };
        let enough = counted() + i64::try_from(devices).unwrap();
        let mut sent = 0;
        while sent < devices || counted() < enough {
            let reason = format!("reason-{}", sent / OF_A_REASON);
            let _ = self.report(version, event, &reason, &format!("device-{sent}")).expect(202);
            sent += 1;
        }
    }

    fn report(&self, version: &str, event: &str, reason: &str, device: &str) -> Answer {
        let mut report = failure_because(reason);
        report["application"]["version"] = json!(version);
        report["event"]["type"] = json!(event);
        send(self.world.client(), &self.report_key, device, &report)
    }

    /// The answer of a guard run.
    fn run(&self) -> Value {
        guard_run(&self.acme).expect(200).json()
    }

    /// The health of 2.0.0.
    fn health(&self) -> Value {
        self.acme.get(&format!("/releases/{}/health", self.next)).ok()
    }

    /// Mutes all failures.
    fn mute(&self) {
        for group in self.acme.get("/reports/groups").ok()["items"].as_array().unwrap() {
            let path = format!("/reports/groups/{}", group["group_hash"].as_str().unwrap());
            let call = self.acme.call(Method::PATCH, &path).header("content-type", "application/json");
            let _ = call.body(br#"{"status":"muted"}"#).send().expect(200);
        }
    }
}

fn guard_run(account: &Account) -> Answer {
    account.post("/guard/run").send()
}

/// The service's day.
fn today(world: &World) -> i64 {
    let found = world.number("SELECT max(created_at) FROM apps").unwrap();
    Day::of(spindrift_core::Timestamp::from_millis(found)).number()
}
