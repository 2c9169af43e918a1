//! Three owners that publish one version after the other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Account, HostProcess, Release, Upload, until, velopack};

use super::PATIENCE;
use crate::listing::begin_service;

/// Versions that are published before anything else happens.
const FIRST: usize = 3;

/// The text of a version by its number.
pub(super) fn version(n: usize) -> String {
    format!("1.{n}.0")
}

/// The published versions, with their times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Published {
    /// When its upload began.
    pub(super) began: Instant,
    /// When it was answered.
    pub(super) ended: Instant,
}

/// An owner with an application called `notes`.
pub(super) struct Shop {
    pub(super) account: Account,
    /// Has signed metadata.
    pub(super) repository: Option<Publisher>,
    make: fn(&str) -> Release,
    published: Mutex<Vec<Published>>,
    deleted: Mutex<Vec<String>>,
}

impl Shop {
    pub(super) fn new(account: Account, repository: Option<Publisher>, make: fn(&str) -> Release) -> Self {
        let shop = Self { account, repository, make, published: Mutex::default(), deleted: Mutex::default() };
        for _ in 0..FIRST {
            shop.publish_next();
        }
        shop
    }

    /// The release of a version.
    pub(super) fn release(&self, n: usize) -> Release {
        (self.make)(&version(n))
    }

    /// Everything that was published so far.
    pub(super) fn published(&self) -> Vec<Published> {
        self.published.lock().unwrap().clone()
    }

    /// The number of the newest version.
    pub(super) fn newest(&self) -> usize {
        self.published().len() - 1
    }

    /// Publishes the next version.
    pub(super) fn publish_next(&self) {
        let began = Instant::now();
        let _id = self.account.publish(self.release(self.published().len()));
        self.published.lock().unwrap().push(Published { began, ended: Instant::now() });
    }

    /// Sends the files of a release that is completed later.
    pub(super) fn begin(&self, version: &str) -> Upload {
        self.account.stage(&(self.make)(version).published())
    }

    /// Deletes a release.
    pub(super) fn delete(&self, version: &str) {
        let id = self.account.release(version).id.to_string();
        let _ = self.account.delete(&format!("/apps/delete?id={id}")).send().expect(200);
        self.deleted.lock().unwrap().push(version.to_owned());
    }

    /// How many releases of a deleted version there are.
    pub(super) fn visible_again(&self, version: &str) -> usize {
        assert!(self.deleted.lock().unwrap().iter().any(|deleted| deleted == version));
        self.account.releases().iter().filter(|release| release.version == version).count()
    }

    /// How many of these many releases were not deleted, if a deletion counts.
    pub(super) fn deletions(&self) -> usize {
        self.deleted.lock().unwrap().len()
    }

    /// Runs maintenance.
    pub(super) fn upkeep(&self) {
        let _ = self.account.post("/maintenance/run").send().expect(200);
    }
}

/// The owners.
pub(super) struct Publishers {
    /// With static answers, and metadata that the service signs.
    pub(super) acme: Shop,
    /// With the feed of a native updater.
    pub(super) globex: Shop,
    /// With a private application.
    pub(super) initech: Shop,
}

impl Publishers {
    /// Each publishes a few versions.
    pub(super) fn open(host: &HostProcess) -> Self {
        let acme = crate::static_answers::with_cdn(host.admin("acme"));
        let repository = begin_service(&acme);
        let globex = host.admin("globex");
        globex.create_app("notes");
        globex.create_channel("stable");
        globex.create_platform_with("windows", &["velopack"]);
        globex.create_arch("amd64");
        let initech = host.admin("initech");
        initech.create_app_with(json!({ "app": "notes", "private": true }));
        initech.create_channel("stable");
        initech.create_platform("linux");
        initech.create_arch("amd64");
        Self {
            acme: Shop::new(acme, Some(repository), |version| Release::new(version).with_digests()),
            globex: Shop::new(globex, None, |version| velopack(version, &[])),
            initech: Shop::new(initech, None, Release::new),
        }
    }

    /// A restore ends all logins.
    pub(super) fn log_in(&mut self, host: &HostProcess) {
        for shop in [&mut self.acme, &mut self.globex, &mut self.initech] {
            shop.account = host.login(shop.account.name());
            if let Some(repository) = &mut shop.repository {
                repository.log_in_as(&shop.account);
            }
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> [&Shop; 3] {
        [&self.acme, &self.globex, &self.initech]
    }
}

/// Each publishes on a thread until the result is dropped.
pub(super) fn work<'s>(shops: impl IntoIterator<Item = &'s Shop>, scope: &'s Scope<'s, '_>) -> Work<'s> {
    let stop = Arc::new(AtomicBool::new(false));
    let start = |shop: &'s Shop| {
        let stop = stop.clone();
        let done = Arc::new(AtomicUsize::new(0));
        let count = done.clone();
        let thread = scope.spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                shop.publish_next();
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        (thread, done)
    };
    Work { threads: shops.into_iter().map(start).collect(), stop: stop.clone() }
}

/// Publishers at work. Dropping it ends the work; the scope waits for the last calls.
pub(super) struct Work<'s> {
    threads: Vec<(ScopedJoinHandle<'s, ()>, Arc<AtomicUsize>)>,
    stop: Arc<AtomicBool>,
}

impl Work<'_> {
    /// Waits until each has published two more: one of these was begun after this call.
    pub(super) fn wait_for_one_more_each(&self) {
        for (thread, done) in &self.threads {
            let before = done.load(Ordering::SeqCst);
            until("a publisher publishes", PATIENCE, || {
                assert!(!thread.is_finished(), "a publisher has failed");
                (done.load(Ordering::SeqCst) >= before + 2).then_some(())
            });
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}
