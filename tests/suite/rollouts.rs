//! Staged rollouts: by a plan, by hand, and of many devices.

mod actions;
mod answers;
mod edges;
mod hours;
mod plans;
mod shares;

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Release, World, until};

/// Fixed, so that it is not chance that decides about the tests. `device-1` has the position 7888, `device-2` 2782.
const SEED: &str = "seed";
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A published 1.0.0 for everybody, and 2.0.0, published for nobody yet.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    staged: String,
}

impl Scene {
    fn new(world: World) -> Self {
        let acme = world.admin("acme").with_notes();
        Self::of(world, acme)
    }

    fn of(world: World, acme: Account) -> Self {
        acme.publish(Release::new("1.0.0"));
        let staged = acme.upload(&Release::new("2.0.0"));
        fix_seeds(&world);
        let _ = acme.edit(&staged, json!({ "publish": true, "rollout": 0 })).expect(200);
        Self { world, acme, staged }
    }

    /// The answer to an order.
    fn order(&self, order: Value) -> Answer {
        self.acme.post_json(&format!("/releases/{}/rollout", self.staged), order).send()
    }

    /// The rollout after an order.
    fn ordered(&self, order: Value) -> Value {
        rollout(&self.order(order).expect(200).json())
    }

    /// The rollout of 2.0.0 now.
    fn rollout(&self) -> Value {
        rollout(&self.acme.get(&format!("/releases/{}", self.staged)).ok())
    }

    /// Starts a plan, written as the command line reads it.
    fn start(&self, plan: &str) -> Value {
        self.ordered(json!({ "action": "start", "plan": steps(plan) }))
    }

    /// The version that a device with 1.0.0 is offered or keeps.
    fn version_for(&self, device: &str) -> String {
        self.acme.check_as(device, "1.0.0")["version"].as_str().unwrap_or_default().to_owned()
    }

    /// The version of the newest builds.
    fn latest(&self) -> String {
        let builds = self.acme.get("/apps/latest?app_name=notes&owner=acme&package=deb").send();
        let link = builds.expect(302).header("location").to_owned();
        ["1.0.0", "2.0.0"].into_iter().find(|version| link.contains(version)).unwrap_or_default().to_owned()
    }
}

/// Gives all releases [`SEED`]. Answers follow after the next change.
fn fix_seeds(world: &World) {
    world.database().execute("UPDATE releases SET rollout_seed = ?1", [SEED]).unwrap();
}

/// Lets rollouts of `acme` be older. A host may take a moment to see what another process has written to its store.
fn pass_time(world: &World, seconds: i64) {
    world.pass_time(seconds);
    read_again(world);
}

/// Like [`pass_time`], without moving the clock, which the storage does not share.
fn age_rollouts(world: &World, seconds: i64) {
    world.age_rollouts(seconds);
    read_again(world);
}

fn read_again(world: &World) {
    const RECORD: &str =
        "/responses/acme/notes/stable/linux/amd64/scope.json?dimensions=channel,platform,arch";
    let revision = || world.database().query_row("SELECT max(revision) FROM users", [], |row| row.try_into());
    until_read_again(world, || {
        let (revision,): (i64,) = revision().unwrap();
        world.get(RECORD).ok()["revision"] == revision
    });
}

/// Waits until answers follow the database. For a second, an instance may remember the revisions of all
/// owners, and confirm an aged record with them. Then the record has to be aged again.
fn until_read_again(world: &World, is_current: impl Fn() -> bool) {
    until("the record is read again", Duration::from_secs(20), || {
        if is_current() {
            return Some(());
        }
        world.age_records(61);
        None
    });
}

fn rollout(release: &Value) -> Value {
    release["offers"][0]["rollout"].clone()
}

/// `0.1:1h,5,100` as JSON.
fn steps(plan: &str) -> Value {
    let number =
        |text: &str| text.parse::<u8>().map_or_else(|_| json!(text.parse::<f64>().unwrap()), Value::from);
    let step = |step: &str| match step.split_once(':') {
        Some((percent, lasts)) => json!({ "percent": number(percent), "for": lasts }),
        None => json!({ "percent": number(step) }),
    };
    plan.split(',').map(step).collect()
}
