//! The publisher that edits and deletes the releases of one application.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use semver::Version;
use serde_json::{Value, json};
use spindrift_api::UploadedBody;
use spindrift_core::Timestamp;
use spindrift_tests::{Answer, Noise, Upload};

use super::line::Access;
use super::scene::{App, Place, Scene};
use super::state::{Release, State};

/// Time between two changes of an application.
pub(super) const EVERY: Duration = Duration::from_millis(1_500);
/// Releases of an application beside the first, which stays as it is so that there is always something to offer.
pub(super) const MOST_RELEASES: usize = 6;
/// The difference between what two processes, or two kinds of clocks, may say about a moment.
const CLOCKS: Duration = Duration::from_millis(50);
/// The group of each application.
pub(super) const TESTERS: &str = "testers";
/// The channel of releases that are promoted, which no client asks for.
pub(super) const TRIAL: &str = "trial";
/// The channel of all clients.
const CHANNEL: &str = "stable";
/// The percentage with which plans begin, and how long it lasts: the shortest time that there is.
const FIRST_PERCENT: u64 = 10;
const STEP: Duration = Duration::from_mins(5);
/// The first release.
pub(super) const FIRST: Version = Version::new(1, 0, 0);

/// The author of one application, making one change after the other.
pub(super) struct Author<'a> {
    scene: &'a Scene<'a>,
    app: &'a App,
    random: Noise,
    /// As it is after all changes so far.
    state: State,
    ids: BTreeMap<Version, String>,
    /// Minor number of the next version.
    next: u64,
    /// A change was not answered with success: the current state is unknown.
    lost: bool,
    /// The id of the shut-off.
    shutoff: Option<String>,
    /// Until then, a release may be published by itself.
    waits_until: Option<Instant>,
}

impl<'a> Author<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, app: &'a App, random: Noise) -> Self {
        let state = State::clone(&app.history().last());
        Self {
            scene,
            app,
            random,
            state,
            ids: BTreeMap::new(),
            next: 1,
            lost: false,
            shutoff: None,
            waits_until: None,
        }
    }

    /// Makes a change.
    pub(super) fn act(&mut self) {
        let releases = self.ids.len();
        let chance = self.random.below(10);
        let may_publish = match self.app.line.access {
            Access::Cdn => self.next <= 4,
            _ => true,
        };
        match chance {
            _ if self.lost || self.waits_until.is_some_and(|until| Instant::now() < until) => {}
            0..4 if may_publish && releases < MOST_RELEASES => self.publish(),
            _ if releases == 0 => {}
            0..4 if may_publish => self.delete(),
            7..10 => self.control(),
            _ => self.edit(),
        }
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.random.below(count) == 0
    }

    fn place(&mut self) -> &'a Place {
        let places: Vec<_> = self.scene.places.iter().filter(|place| place.takes_changes).collect();
        let index = self.random.below(places.len() as u64);
        places[usize::try_from(index).unwrap()]
    }

    /// Makes a call that changes the application into `next`.
    fn change(
        &mut self,
        kind: &'static str,
        next: State,
        call: impl FnOnce(&Place) -> Answer,
    ) -> Option<Answer> {
        let place = self.place();
        self.app.history().begin(next.clone(), Instant::now());
        let heard = self.scene.call(kind, &[200, 201], || Ok::<_, String>(call(place)));
        self.lost = heard.is_none();
        let heard = heard?;
        self.app.history().end(heard.window.until);
        self.state = next;
        Some(heard.answer)
    }

    /// Uploads a release, published or not, or promotes one. Only one that everybody may have is published at once: the seed of
    /// its rollout is not known before.
    fn publish(&mut self) {
        let version = Version::new(1, self.next, self.random.below(3));
        self.next += 1;
        let promoted = self.one_in(4);
        let release = Release {
            promoted,
            published: promoted || !self.one_in(3),
            critical: self.one_in(4),
            intermediate: self.one_in(6),
            min_os: self.min_os(),
            ..Release::new(version.clone())
        };
        let files = self.app.line.release(&version);
        let files = files
            .with("channel", if promoted { TRIAL } else { CHANNEL })
            .with("publish", release.published)
            .with("critical", release.critical)
            .with("intermediate", release.intermediate)
            .with("changelog", release.changelog.as_str())
            .with("requires", requires(release.min_os));
        let place = self.place();
        let begun = self.scene.call("upload: init", &[200], || Ok::<_, String>(place.acme.init(&files)));
        let Some(begun) = begun else { return };
        let upload = Upload::new(&files, begun.answer.read());
        upload.send_all();
        let mut next = self.state.clone();
        if !promoted {
            next.put(release.clone());
        }
        let done = self.change("upload: complete", next, |place| place.acme.complete(&upload));
        let Some(done) = done else { return };
        let id = done.read::<UploadedBody>().release.to_string();
        if promoted && !self.promote(release.clone(), &id) {
            return;
        }
        let seed = self.scene.world.database().query_row(
            "SELECT rollout_seed FROM releases WHERE id = ?1",
            [&id],
            |row| row.get(0),
        );
        let seed = seed.unwrap();
        self.state.put(Release { seed, ..release });
        self.ids.insert(version, id);
    }

    /// Offers a release of the other channel. Returns whether that was answered with success.
    fn promote(&mut self, release: Release, id: &str) -> bool {
        let body = json!({ "channel": CHANNEL, "publish": true });
        self.order("promote", release, &format!("/releases/{id}/promote"), body)
    }

    fn any(&mut self) -> (Version, String) {
        let index = self.random.below(self.ids.len() as u64);
        let (version, id) = self.ids.iter().nth(usize::try_from(index).unwrap()).unwrap();
        (version.clone(), id.clone())
    }

    fn delete(&mut self) {
        let (version, id) = self.any();
        let mut next = self.state.clone();
        next.remove(&version);
        // Devices may skip a release, also an intermediate.
        let path = format!("/apps/delete?id={id}&force=true");
        let end = format!("/releases/{id}/offer?channel={CHANNEL}&force=true");
        if self.state.get(&version).unwrap().promoted
            && self.one_in(2)
            && self.change("demote", next.clone(), |place| place.acme.delete(&end).send()).is_none()
        {
            return;
        }
        if self.change("delete", next, |place| place.acme.delete(&path).send()).is_some() {
            self.ids.remove(&version);
        }
    }

    fn edit(&mut self) {
        let (version, id) = self.any();
        let release = self.state.get(&version).unwrap().clone();
        if release.published && release.promoted && self.one_in(2) {
            let rollout = self.rollout(release.rollout);
            let body = json!({ "channel": CHANNEL, "action": "set", "percent": rollout });
            self.order("rollout", Release { rollout, ..release }, &format!("/releases/{id}/rollout"), body);
            return;
        }
        let (release, change) = self.edited(release);
        let mut next = self.state.clone();
        next.put(release);
        self.change("edit", next, |place| place.acme.edit(&id, change));
    }

    fn edited(&mut self, release: Release) -> (Release, Value) {
        match self.random.below(5) {
            0 if !release.promoted => {
                let rollout = self.rollout(release.rollout);
                (Release { rollout, ..release }, json!({ "rollout": rollout }))
            }
            4 if !release.promoted => {
                let intermediate = !release.intermediate;
                let change = json!({ "intermediate": intermediate, "rollout": 100, "force": true });
                (Release { rollout: 100, intermediate, ..release }, change)
            }
            3 => {
                let critical = !release.critical;
                (Release { critical, ..release }, json!({ "critical": critical }))
            }
            2 if release.withdrawn.is_none() && !release.promoted => {
                let published = !release.published;
                (Release { published, ..release }, json!({ "publish": published, "force": true }))
            }
            _ => {
                let changelog = format!("edit {}", self.random.below(1_000_000));
                (Release { changelog: changelog.clone(), ..release }, json!({ "changelog": changelog }))
            }
        }
    }

    /// A part of the devices, in percent, other than the present one: the same one changes nothing.
    fn rollout(&mut self, present: u64) -> u64 {
        let others: Vec<u64> = [0, 10, 50, 100].into_iter().filter(|percent| *percent != present).collect();
        others[usize::try_from(self.random.below(others.len() as u64)).unwrap()]
    }

    /// Stops something, or ends a stop, or sets a time.
    fn control(&mut self) {
        let (version, id) = self.any();
        let release = self.state.get(&version).unwrap().clone();
        let is_draft = !release.published && release.withdrawn.is_none();
        match self.random.below(6) {
            0 => self.shut_off_or_lift(),
            4 => {
                let changed = Release { testers: !release.testers, ..release };
                let groups = if changed.testers { vec![TESTERS] } else { Vec::new() };
                let path = format!("/releases/{id}/offer");
                self.order("let in", changed, &path, json!({ "channel": CHANNEL, "groups": groups }));
            }
            5 => {
                // The same one changes nothing.
                let others = std::iter::repeat_with(|| self.min_os()).find(|other| *other != release.min_os);
                let changed = Release { min_os: others.unwrap(), ..release };
                let body = json!({ "requires": requires(changed.min_os) });
                self.order("requires", changed, &format!("/releases/{id}/requires"), body);
            }
            3 if self.may_grow(&release) => self.let_grow(&release, &id),
            1 if is_draft && self.app.line.access != Access::Cdn => self.schedule(release, &id),
            // Its offers are drafts then, in both channels.
            2 if release.promoted && release.withdrawn.is_some() => self.edit(),
            2 if release.withdrawn.is_some() => {
                let restored = Release { withdrawn: None, ..release };
                self.order("restore", restored, &format!("/releases/{id}/restore"), json!({}));
            }
            2 => {
                let reason = format!("recall {}", self.random.below(1_000));
                let withdrawn = Release { published: false, withdrawn: Some(reason.clone()), ..release };
                let path = format!("/releases/{id}/withdraw");
                self.order("withdraw", withdrawn, &path, json!({ "reason": reason, "force": true }));
            }
            _ if release.halted || release.published => {
                let action = if release.halted { "resume" } else { "halt" };
                let changed = Release { halted: !release.halted, ..release };
                let path = format!("/releases/{id}/rollout");
                self.order(action, changed, &path, json!({ "channel": CHANNEL, "action": action }));
            }
            _ => self.edit(),
        }
    }

    /// The lowest system that a release runs on, if it requires one.
    fn min_os(&mut self) -> Option<u64> {
        self.one_in(3).then(|| 10 + self.random.below(3))
    }

    /// Makes a call that changes a release. Returns whether it was answered with success.
    fn order(&mut self, kind: &'static str, release: Release, path: &str, body: Value) -> bool {
        let mut next = self.state.clone();
        next.put(release);
        self.change(kind, next, |place| place.acme.post_json(path, body).send()).is_some()
    }

    fn shut_off_or_lift(&mut self) {
        let mut next = self.state.clone();
        next.shut_off = !next.shut_off;
        if let Some(id) = self.shutoff.take() {
            let path = format!("/shutoffs?id={id}");
            self.change("lift", next, |place| place.acme.delete(&path).send());
            return;
        }
        let body = json!({ "app": self.app.line.app, "reason": "soak" });
        let done = self.change("shut off", next, |place| place.acme.post_json("/shutoffs", &body).send());
        self.shutoff = done.map(|answer| answer.json()["id"].as_str().unwrap_or_default().to_owned());
    }

    /// Whether a plan fits the release and the time that is left.
    fn may_grow(&self, release: &Release) -> bool {
        let is_small = release.published && !release.halted && release.rollout <= FIRST_PERCENT;
        is_small && self.app.line.access != Access::Cdn && Instant::now() + STEP < self.scene.end
    }

    /// Starts a plan, and leaves the application alone until it is complete.
    fn let_grow(&mut self, release: &Release, id: &str) {
        let plan = json!([{ "percent": FIRST_PERCENT, "for": "5m" }, { "percent": 100 }]);
        let body = json!({ "channel": CHANNEL, "action": "start", "plan": plan });
        let begun = Instant::now();
        let small = Release { rollout: FIRST_PERCENT, ..release.clone() };
        if !self.order("plan", small, &format!("/releases/{id}/rollout"), body) {
            return;
        }
        let until = Instant::now();
        self.state.put(Release { rollout: 100, ..release.clone() });
        let mut history = self.app.history();
        history.begin(self.state.clone(), (begun + STEP).checked_sub(CLOCKS).unwrap());
        history.end(until + STEP + CLOCKS);
        drop(history);
        self.waits_until = Some(until + STEP + 2 * CLOCKS);
    }

    /// Lets a draft be published by itself in one or two seconds.
    fn schedule(&mut self, release: Release, id: &str) {
        let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        let time = Timestamp::from_millis((now.as_seconds() + 2) * 1_000);
        let left = Duration::from_millis((time.as_millis() - now.as_millis()).unsigned_abs());
        // A clock may be a little ahead.
        let begins = Instant::now() + left.saturating_sub(CLOCKS);
        let body = json!({ "publish_at": time.to_rfc3339() });
        let (path, same) = (format!("/releases/{id}/offer"), self.state.clone());
        if self.change("schedule", same, |place| place.acme.post_json(&path, body).send()).is_none() {
            return;
        }
        self.state.put(Release { published: true, ..release });
        let mut history = self.app.history();
        history.begin(self.state.clone(), begins);
        history.end(begins + 2 * CLOCKS);
        drop(history);
        self.waits_until = Some(begins + 2 * CLOCKS);
    }
}

fn requires(min_os: Option<u64>) -> Value {
    min_os.map_or_else(|| json!({}), |min| json!({ "os_version": { "min": min.to_string() } }))
}
