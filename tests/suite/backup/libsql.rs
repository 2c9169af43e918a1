//! The database is on a server of libSQL, is copied while a publisher works, is lost, and comes back.

use std::thread;
use std::time::Instant;

use spindrift_tests::{Client, Driver, Libsql, PASSWORD, Release, World};

use super::RECORD_SECONDS;
use super::publishers::{Shop, version, work};

const RESTORE: &str = include_str!("../../../deploy/restore.sql");

#[test]
fn a_database_on_a_server_is_restored() {
    spindrift_tests::run(Driver::Spin, |host| {
        let Some(server) = Libsql::start() else { return };
        let mut world = World::builder(host).with_libsql(server).start();
        let mut shop = Shop::new(world.admin("acme").with_notes(), None, Release::new);

        let (began, dump, ended) = copy_while_publishing(&mut world, &shop);
        world.libsql().unwrap().restore(&format!("{dump}{RESTORE}"));
        shop.account = world.login("acme", PASSWORD);
        // As if the minute had passed that the page speaks of.
        world.age_records(RECORD_SECONDS);

        let published = shop.published();
        let restored = shop.account.releases().len() - 1;
        println!("published {}, restored {restored}", published.len() - 1);
        assert!(published[restored].began <= ended, "it was not there yet");
        assert!(published.get(restored + 1).is_none_or(|next| began <= next.ended), "it was there already");
        let answer = shop.account.check("0.1");
        assert_eq!(answer["version"], version(restored));
        let link = answer["update_url_deb"].as_str().unwrap();
        let _ = Client::new("").get(link).send().expect(200);

        shop.upkeep();
        for lost in restored + 1..published.len() {
            let _again = shop.account.publish(shop.release(lost));
        }
        shop.publish_next();
        assert_eq!(shop.account.check("0.1")["version"], version(shop.newest()));
    });
}

/// When the copy was begun and had ended, and between them the copy. Something is published before, during and after it.
fn copy_while_publishing(world: &mut World, shop: &Shop) -> (Instant, String, Instant) {
    thread::scope(|scope| {
        let work = work([shop], scope);
        work.wait_for_one_more_each();
        let began = Instant::now();
        let dump = world.libsql().unwrap().dump();
        let ended = Instant::now();
        work.wait_for_one_more_each();
        (began, dump, ended)
    })
}
