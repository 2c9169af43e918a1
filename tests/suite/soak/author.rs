//! The publisher that edits and deletes the releases of one application.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use semver::Version;
use serde_json::{Value, json};
use spindrift_api::UploadedBody;
use spindrift_tests::{Answer, Noise, Upload};

use super::line::Access;
use super::scene::{App, Place, Scene};
use super::state::{Release, State};

/// Time between two changes of an application.
pub(super) const EVERY: Duration = Duration::from_millis(1_500);
/// Releases of an application beside the first, which stays as it is so that there is always something to offer.
pub(super) const MOST_RELEASES: usize = 6;
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
}

impl<'a> Author<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, app: &'a App, random: Noise) -> Self {
        let state = State::clone(&app.history().last());
        Self { scene, app, random, state, ids: BTreeMap::new(), next: 1, lost: false }
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
            _ if self.lost => {}
            0..4 if may_publish && releases < MOST_RELEASES => self.publish(),
            _ if releases == 0 => {}
            0..4 if may_publish => self.delete(),
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
        let heard = self.scene.call(kind, &[200], || Ok::<_, String>(call(place)));
        self.lost = heard.is_none();
        let heard = heard?;
        self.app.history().end(heard.window.until);
        self.state = next;
        Some(heard.answer)
    }

    /// Uploads a release, published or not. Only one that everybody may have is published at once: the seed of its rollout
    /// is not known before.
    fn publish(&mut self) {
        let version = Version::new(1, self.next, self.random.below(3));
        self.next += 1;
        let release = Release {
            published: !self.one_in(3),
            critical: self.one_in(4),
            intermediate: self.one_in(6),
            ..Release::new(version.clone())
        };
        let files = self.app.line.release(&version);
        let files = files
            .with("publish", release.published)
            .with("critical", release.critical)
            .with("intermediate", release.intermediate)
            .with("changelog", release.changelog.as_str());
        let place = self.place();
        let begun = self.scene.call("upload: init", &[200], || Ok::<_, String>(place.acme.init(&files)));
        let Some(begun) = begun else { return };
        let upload = Upload::new(&files, begun.answer.read());
        upload.send_all();
        let mut next = self.state.clone();
        next.put(release.clone());
        let done = self.change("upload: complete", next, |place| place.acme.complete(&upload));
        let Some(done) = done else { return };
        let id = done.read::<UploadedBody>().release.to_string();
        let seed = self.scene.world.database().query_row(
            "SELECT rollout_seed FROM releases WHERE id = ?1",
            [&id],
            |row| row.get(0),
        );
        self.state.put(Release { seed: seed.unwrap(), ..release });
        self.ids.insert(version, id);
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
        let path = format!("/apps/delete?id={id}");
        if self.change("delete", next, |place| place.acme.delete(&path).send()).is_some() {
            self.ids.remove(&version);
        }
    }

    fn edit(&mut self) {
        let (version, id) = self.any();
        let release = self.state.get(&version).unwrap().clone();
        let (release, change) = self.edited(release);
        let mut next = self.state.clone();
        next.put(release);
        self.change("edit", next, |place| place.acme.edit(&id, change));
    }

    fn edited(&mut self, release: Release) -> (Release, Value) {
        let what = self.random.below(5);
        match what {
            0 => {
                let rollout = [0, 10, 50, 100][usize::try_from(self.random.below(4)).unwrap()];
                (Release { rollout, ..release }, json!({ "rollout": rollout }))
            }
            1 => {
                let changelog = format!("edit {}", self.random.below(1_000_000));
                (Release { changelog: changelog.clone(), ..release }, json!({ "changelog": changelog }))
            }
            2 => {
                let published = !release.published;
                (Release { published, ..release }, json!({ "publish": published }))
            }
            3 => {
                let critical = !release.critical;
                (Release { critical, ..release }, json!({ "critical": critical }))
            }
            _ => {
                let intermediate = !release.intermediate;
                let change = json!({ "intermediate": intermediate, "rollout": 100 });
                (Release { rollout: 100, intermediate, ..release }, change)
            }
        }
    }
}
