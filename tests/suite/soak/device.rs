//! Installed copies.

use std::time::Duration;

use semver::Version;
use spindrift_tests::{Client, Noise};

use super::author::FIRST;
use super::line::{Access, Staged};
use super::oracle::must_exist;
use super::question::{Kind, Question};
use super::scene::{App, Heard, Place, Scene};
use super::state::Said;

/// Devices that ask at the same time.
pub(super) const AT_ONCE: u64 = 6;
/// Time between two questions of each of these.
pub(super) const EVERY: Duration = Duration::from_millis(40);
/// The number of devices.
pub(super) const DEVICES: u64 = 5_000;
/// Of so many answers with links, one is followed.
const FOLLOWED: u64 = 10;

/// Asks in the name of all devices.
pub(super) struct Devices<'a> {
    scene: &'a Scene<'a>,
    random: Noise,
    storage: Client,
}

impl<'a> Devices<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, random: Noise) -> Self {
        Self { scene, random, storage: Client::new("").keeping_connections() }
    }

    /// Lets some device ask something.
    pub(super) fn act(&mut self) {
        let scene = self.scene;
        let app = &scene.apps[self.below(scene.apps.len())];
        // The first host gets more.
        let place = self.below(2 * scene.places.len()).checked_sub(scene.places.len() + 1);
        let place = &scene.places[place.unwrap_or_default()];
        if self.below(5) == 0 {
            self.beacon(app, place);
        } else {
            let question = self.question(app);
            self.ask(app, place, &question);
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.random.below(limit as u64)).unwrap()
    }

    fn device(&mut self) -> String {
        format!("device-{}", self.random.below(DEVICES))
    }

    /// A version that some copy runs: an old one, an existing one, or one that never existed.
    fn version(&mut self, app: &App) -> Version {
        let state = app.history().last();
        let versions: Vec<&Version> = state.releases().map(|release| &release.version).collect();
        match self.below(versions.len() + 2) {
            0 => Version::new(0, 1, 0),
            1 => Version::new(1, 9_999, 0),
            n => versions[n - 2].clone(),
        }
    }

    fn question(&mut self, app: &App) -> Question {
        let line = app.line;
        let only_devices = line.feed.is_some_and(|feed| feed.staged == Some(Staged::Two));
        let kind = match (line.feed, self.below(10)) {
            (Some(_), _) => Kind::Feed,
            (None, 0) => Kind::File,
            (None, 1) => Kind::Latest,
            (None, 2) if line.access == Access::Cdn => Kind::Object,
            _ => Kind::Check,
        };
        let has_device = kind.counts() && (only_devices || self.below(3) > 0);
        let device = has_device.then(|| self.device());
        // Others than the first may have been on offer, or not.
        let client = if kind == Kind::Object { FIRST } else { self.version(app) };
        let said = if kind.counts() { self.said(app) } else { Said::default() };
        Question { line, kind, client, device, said }
    }

    fn said(&mut self, app: &App) -> Said {
        Said {
            group: (self.below(4) == 0).then(|| app.group_key.clone()),
            os: (self.below(2) == 0).then(|| 9 + self.random.below(5)),
            asks: self.below(5) == 0,
        }
    }

    fn ask(&mut self, app: &App, place: &Place, question: &Question) {
        let path = question.path();
        let object = format!("{}{path}", self.scene.world.store().url());
        let call = match question.kind {
            Kind::Object => self.storage.get(&object),
            _ => place.nobody.get(&path),
        };
        let call = match &question.device {
            Some(device) => call.header("x-device-id", device),
            None => call,
        };
        let call = match question.line.access {
            Access::Token => call.header("x-download-token", &self.scene.download_token),
            _ => call,
        };
        let heard = self.scene.call(question.kind.name(), question.kind.statuses(), || call.try_send());
        let Some(heard) = heard else { return };
        if let Some(device) = &question.device {
            self.scene.tally().see(question.line.app, device);
        }
        self.scene.validate(app, question, &heard, place.staleness);
        if self.random.below(FOLLOWED) == 0 {
            self.follow(app, question, &heard);
        }
    }

    fn beacon(&mut self, app: &App, place: &Place) {
        let (version, device) = (self.version(app), self.device());
        let path = format!("/telemetry/beacon?{}", app.line.query(&version));
        let call = place.nobody.get(&path).header("x-device-id", &device);
        if self.scene.call("beacon", &[204], || call.try_send()).is_some() {
            self.scene.tally().see(app.line.app, &device);
        }
    }

    /// Downloads a file that an answer links to. It is there, unless its release is deleted meanwhile, or, where the
    /// service lets nobody else in, is not published any more.
    fn follow(&mut self, app: &App, question: &Question, heard: &Heard) {
        let Some((version, link)) = question.links(&heard.answer).pop() else { return };
        // A login may get files that are not published.
        let is_private = app.line.access == Access::Token;
        let allowed: &[u16] = if is_private { &[302, 401, 404, 410] } else { &[200, 404] };
        let Some(first) = self.scene.call("download", allowed, || self.storage.get(&link).try_send()) else {
            return;
        };
        let (mut window, mut answer) = (first.window, first.answer);
        if answer.status == 302 {
            let presigned = answer.header("location").to_owned();
            let call = || self.storage.get(&presigned).try_send();
            let Some(second) = self.scene.call("download: file", &[200, 404], call) else { return };
            (window.until, answer) = (second.window.until, second.answer);
        }
        let right = match answer.status {
            200 => answer.text().contains(&version.to_string()),
            _ => !must_exist(&app.history(), window, &version, is_private),
        };
        let problem =
            || format!("{link}, a link of {}, leads to {} {}", app.line.app, answer.status, answer.text());
        self.scene.tally().compare("download", if right { Ok(()) } else { Err(problem()) });
    }
}
