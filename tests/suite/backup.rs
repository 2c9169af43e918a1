//! Everything is lost, and comes back from a backup that was made while publishers worked: as it was at one moment of the
//! backup. `docs/operations.md` has the steps, and the commands that
//! do all of them.

mod copy;
mod libsql;
mod program;
mod publishers;
mod revoked;
pub(crate) mod tables;
mod told;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use spindrift_tests::trust::client::{Client, Installation};
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{HostProcess, PUBLIC_BUCKET, Upload, until};

use crate::listing::listed;
use crate::static_answers::assert_true;
use crate::trust::gets;
use crate::trust::service::target;
use copy::{Backup, Way};
use publishers::{Publishers, Shop, work};
use told::told;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How long to wait for publishers, or for the clock.
const PATIENCE: Duration = Duration::from_mins(1);
/// Seconds after which a kept record is compared with the database, and one more.
const RECORD_SECONDS: i64 = 61;

#[test]
fn all_is_restored_with_an_empty_key_value_store() {
    all_is_restored(Way::ByHand);
}

#[test]
fn all_is_restored_by_the_program() {
    all_is_restored(Way::Program);
}

fn all_is_restored(way: Way) {
    let state = tempfile::tempdir().unwrap();
    let host = HostProcess::start(PROGRAM, state.path());
    let mut shops = Publishers::open(&host);
    let begun = shops.acme.begin("3.0.0");
    shops.acme.upkeep();
    let old = Installations::new(&host, &shops.acme);
    old.get(&host, shops.acme.newest());

    let backup = backup_while_publishing(way, &host, state.path(), &shops);
    let lost = told(&host, &shops);
    assert_eq!(lost, shops.all().map(|shop| shop.published().len() - 1));
    old.get(&host, shops.acme.newest());
    let seen = shops.acme.repository.as_ref().unwrap().version("targets").unwrap();
    until("the clock has passed the numbers that are lost", PATIENCE, || {
        (Timestamp::now().as_second() > i64::try_from(seen).unwrap() + 1).then_some(())
    });

    let host = backup.restore(host.killed(), PROGRAM);
    shops.log_in(&host);
    let restored = told(&host, &shops);
    println!("published {lost:?}, restored {restored:?}");
    assert_one_moment(&backup, &shops, restored);
    shops.acme.upkeep();
    let listed = told(&host, &shops);
    assert_eq!(listed, shops.all().map(|shop| told::visible(shop) - 1), "everything that is recorded");
    assert_eq!(listed[1..], restored[1..], "maintenance changes no other answer");
    assert_everything_listed_is_there(&host, &shops.acme);
    assert_true(&host.objects, &host.client());
    old.get(&host, listed[0]);
    Installations::new(&host, &shops.acme).get(&host, listed[0]);

    go_on(&host, &shops, &begun, &old);
}

/// A backup during which every publisher has published something, and so before and after it.
fn backup_while_publishing(way: Way, host: &HostProcess, state: &Path, shops: &Publishers) -> Backup {
    thread::scope(|scope| {
        let work = work(shops.all(), scope);
        work.wait_for_one_more_each();
        let backup = Backup::take(way, host, state, || {
            work.wait_for_one_more_each();
            shops.initech.delete("1.1.0");
        });
        work.wait_for_one_more_each();
        backup
    })
}

/// The restored data was current at a moment between the beginning and the end of the backup of the database.
fn assert_one_moment(backup: &Backup, shops: &Publishers, newest: [usize; 3]) {
    let mut not_before: Vec<Instant> = vec![backup.began];
    let mut not_after: Vec<Instant> = vec![backup.ended];
    for (shop, newest) in shops.all().into_iter().zip(newest) {
        let published = shop.published();
        not_before.push(published[newest].began);
        not_after.extend(published.get(newest + 1).map(|next| next.ended));
    }
    let (from, to) = (not_before.into_iter().max().unwrap(), not_after.into_iter().min().unwrap());
    assert!(from <= to, "no moment had these releases: {newest:?}");
}

/// The files in signed metadata can be downloaded.
fn assert_everything_listed_is_there(host: &HostProcess, acme: &Shop) {
    let names = listed(&acme.account);
    assert!(!names.is_empty());
    for name in names {
        let key = percent_encoding::percent_decode_str(&name).decode_utf8().unwrap();
        assert!(host.objects.size(PUBLIC_BUCKET, &key).is_some(), "{name}");
    }
}

/// Lost releases can be published again, begun uploads can be completed, and everybody updates.
fn go_on(host: &HostProcess, shops: &Publishers, begun: &Upload, old: &Installations) {
    for shop in shops.all() {
        let visible = told::visible(shop);
        for n in visible..shop.published().len() {
            let _again = shop.account.publish(shop.release(n));
        }
        assert_eq!(told::visible(shop), shop.published().len());
        shop.publish_next();
    }
    let newest = told(host, shops);
    assert_eq!(newest, shops.all().map(|shop| shop.published().len() - 1));
    old.get(host, newest[0]);
    Installations::new(host, &shops.acme).get(host, newest[0]);

    let _ = shops.acme.account.complete(begun).expect(200);
    assert_eq!(shops.acme.account.check("0.1")["version"], "3.0.0");
    assert_eq!(shops.initech.visible_again("1.1.0"), 1, "was deleted after the backup of the database");
    shops.acme.upkeep();
    assert_true(&host.objects, &host.client());
    let again = shops.acme.account.post("/maintenance/run").ok();
    assert_eq!(again["objects_deleted"], json!(0));
}

/// Copies of acme's application that look for signed updates at the service and in the bucket.
struct Installations(Vec<Installation>);

impl Installations {
    fn new(host: &HostProcess, acme: &Shop) -> Self {
        let root = acme.repository.as_ref().map(Publisher::pinned_root).unwrap();
        let each = places(host).len();
        let of = |client: Client| (0..each).map(move |_| client);
        let clients = of(Client::Tough).chain(of(Client::Library));
        Self(clients.map(|client| Installation::new(client, &root)).collect())
    }

    /// Each gets the file of this version.
    fn get(&self, host: &HostProcess, newest: usize) {
        for (app, place) in self.0.iter().zip(places(host).iter().cycle()) {
            gets(app, place, &target(&publishers::version(newest)));
        }
    }
}

fn places(host: &HostProcess) -> [Place; 2] {
    let targets = format!("{}/{PUBLIC_BUCKET}/", host.objects.url());
    let metadata = format!("{targets}tuf_metadata/acme/notes/");
    let bucket = Place { name: "bucket", metadata, targets, prefixed: false };
    [Place::of_service(&host.url, "acme/notes"), bucket]
}
