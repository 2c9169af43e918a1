//! A repository that the service keeps. The test is its publisher, and may be who has taken the service or its bucket.

use serde_json::{Value, json};
use spindrift_tests::trust::client::clients_and_library;
use spindrift_tests::trust::key::{RootKeys, TestKey};
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Answer, Driver, PUBLIC_BUCKET, Release, TUF_SECRET, World};

use super::super::service::{acme, target};
use super::super::{APP, Installation, OWNER, days_ago};

/// A service with the repository of `notes`.
pub(super) struct Hosted {
    pub(super) world: World,
    pub(super) acme: Account,
    pub(super) app_id: String,
    /// The publisher's calls.
    pub(super) publisher: Publisher,
    /// The current repository with all of its keys: also the service's, from its secret.
    pub(super) repository: TestRepository,
}

impl Hosted {
    /// The repository lists 1.0.0.
    pub(super) fn new(host: Driver) -> (Self, TestTarget) {
        let world = World::new(host);
        let acme = acme(&world);
        let app_id = acme.app_id(APP);
        let publisher = Publisher::new(&acme, APP);
        let keys = RootKeys {
            root: publisher.root.clone(),
            targets: publisher.targets.clone(),
            online: TestKey::of_service(TUF_SECRET, &app_id, "online", 1),
        };
        let repository = TestRepository::new(OWNER, APP, keys, days_ago(0));
        let metadata = json!({ "root": json(repository.root()), "targets": list(&repository) });
        let _started = publisher.start_with(json!({ "metadata": metadata })).expect(202);
        let mut hosted = Self { world, acme, app_id, publisher, repository };
        hosted.sync();
        let first = hosted.release("1.0.0");
        (hosted, first)
    }

    /// Uploads, publishes and lists a version.
    pub(super) fn release(&mut self, version: &str) -> TestTarget {
        self.acme.publish(Release::new(version).with_digests());
        let target = target(version);
        self.list([target.clone()]);
        target
    }

    /// Lists more files.
    pub(super) fn list(&mut self, targets: impl IntoIterator<Item = TestTarget>) {
        let base = self.repository.version(TARGETS);
        self.repository.publish(targets, days_ago(0));
        let body = json!({ "metadata": { "targets": list(&self.repository) }, "base": base });
        let _done = self.publisher.send("metadata", body).expect(200);
        self.sync();
    }

    /// Signs the list again, which makes the service sign the rest.
    pub(super) fn commit(&mut self) -> Answer {
        let base = self.repository.version(TARGETS);
        self.repository.write_list(TARGETS, days_ago(0));
        let body = json!({ "metadata": { "targets": list(&self.repository) }, "base": base });
        let answer = self.publisher.send("metadata", body).expect(200);
        self.sync();
        answer
    }

    /// Sends the current list again, which changes nothing; the service compares the bucket with its database.
    pub(super) fn again(&self) -> Answer {
        self.publisher.send("metadata", json!({ "metadata": { "targets": list(&self.repository) } }))
    }

    /// Replaces keys, with a list by the new ones.
    pub(super) fn rotate(&mut self, keys: RootKeys) {
        let base = self.repository.version(TARGETS);
        self.repository.write_root(keys, days_ago(0));
        self.repository.write_list(TARGETS, days_ago(0));
        let metadata = json!({ "root": json(self.repository.root()), "targets": list(&self.repository) });
        let _done =
            self.publisher.send("metadata", json!({ "metadata": metadata, "base": base })).expect(200);
        self.sync();
    }

    /// Adopts the metadata that the service has signed.
    fn sync(&mut self) {
        let timestamp = self.served("timestamp.json");
        let said = json(&timestamp);
        let version = |value: &Value| value.as_u64().unwrap();
        let snapshot = version(&said["signed"]["meta"]["snapshot.json"]["version"]);
        self.repository.put("snapshot", snapshot, self.served(&format!("{snapshot}.snapshot.json")));
        self.repository.pretend("timestamp", version(&said["signed"]["version"]));
        let _own = self.repository.metadata.insert("timestamp.json".to_owned(), timestamp);
    }

    fn served(&self, file: &str) -> Vec<u8> {
        self.world.get(&format!("/tuf/repository/{OWNER}/{APP}/metadata/{file}")).send().expect(200).body
    }

    /// The service's addresses and the bucket's.
    pub(super) fn places(&self) -> [Place; 2] {
        [self.publisher.service(&self.world), self.publisher.bucket(&self.world)]
    }

    /// An application with every client, for each of the places.
    pub(super) fn installations(&self) -> Vec<(Place, Installation)> {
        let root = &self.repository.metadata["1.root.json"];
        let clients = clients_and_library();
        let at = |place: Place| {
            clients.iter().map(move |client| (place.clone(), Installation::new(*client, root)))
        };
        self.places().into_iter().flat_map(at).collect()
    }

    /// The object of a file of metadata.
    pub(super) fn key(file: &str) -> String {
        format!("tuf_metadata/{OWNER}/{APP}/{file}")
    }

    /// Writes a file of metadata into the bucket.
    pub(super) fn write(&self, file: &str, bytes: &[u8]) {
        self.world.store().write(PUBLIC_BUCKET, &Self::key(file), bytes);
    }

    /// Deletes a file of metadata from the bucket.
    pub(super) fn remove(&self, file: &str) {
        self.world.store().remove(PUBLIC_BUCKET, &Self::key(file));
    }

    /// Makes the bucket what a thief wants it to be.
    pub(super) fn take_bucket(&self, hostile: &TestRepository) {
        for (file, bytes) in &hostile.metadata {
            self.write(file, bytes);
        }
    }

    /// Makes bucket and database what a thief wants them to be.
    pub(super) fn take(&self, hostile: &TestRepository) {
        let _place = serve(&self.world, &self.app_id, hostile);
        self.take_bucket(hostile);
    }

    /// Makes everything what it was before [`Self::take`].
    pub(super) fn restore(&mut self, hostile: &TestRepository, before: &TestRepository) {
        for file in hostile.metadata.keys().filter(|file| !before.metadata.contains_key(*file)) {
            self.remove(file);
            let database = self.world.database();
            let version = file.split('.').next().unwrap();
            let gone = "DELETE FROM repository_metadata WHERE app_id = ?1 AND version = ?2";
            let _rows = database.execute(gone, [self.app_id.as_str(), version]).unwrap();
        }
        // Numbers go on from those that installations have seen.
        self.repository = before.clone();
        for role in [TARGETS, "snapshot", "timestamp"] {
            self.repository.pretend(role, hostile.version(role));
        }
        self.repository.write_list(TARGETS, days_ago(0));
        self.repository.commit(days_ago(0));
        let repository = self.repository.clone();
        self.take(&repository);
    }

    /// Changes the database behind the service's back, and lets checks notice.
    pub(super) fn forge(&self, statement: &str) {
        let database = self.world.database();
        database.execute_batch(statement).unwrap();
        database.execute_batch("UPDATE users SET revision = revision + 1").unwrap();
        self.world.age_records(61);
    }
}

/// The newest list.
fn list(repository: &TestRepository) -> Value {
    json(&repository.metadata[&repository.newest(TARGETS)])
}

pub(super) fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}
