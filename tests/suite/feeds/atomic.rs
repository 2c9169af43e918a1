//! A feed changes in one step and never names a file that is not there.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use spindrift_tests::{Account, Driver, World, electron, on_hosts, sparkle, squirrel, velopack};

use super::{acme, ask, text};

on_hosts! {
    every: [
        a_release_is_in_the_feed_once_it_is_complete,
        a_deleted_file_takes_its_lines_along,
        every_file_of_a_feed_is_there_at_any_moment,
        a_later_upload_adds_to_a_release,
    ],
}

fn a_release_is_in_the_feed_once_it_is_complete(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let before = text(&world, "windows", "0.1", "RELEASES");

    let upload = acme.stage(&squirrel("1.1.0", &["1.0.0"]).published());
    assert_eq!(text(&world, "windows", "0.1", "RELEASES"), before, "the files alone change nothing");
    let _ = acme.complete(&upload).expect(200);
    assert!(text(&world, "windows", "0.1", "RELEASES").contains("1.1.0-full"));
}

fn a_deleted_file_takes_its_lines_along(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let newest = acme.publish(squirrel("1.1.0", &["1.0.0"]));
    let delete = |package: &str| {
        let release = acme.release("1.1.0");
        let link = release.artifacts.iter().map(|a| &a.link).find(|link| link.contains(package));
        acme.edit(&newest, json!({ "artifacts_to_delete": [link.unwrap()] })).expect(200)
    };

    let _ = delete("delta");
    let feed = text(&world, "windows", "1.0.0", "RELEASES");
    assert!(feed.contains("1.1.0-full") && !feed.contains("delta"), "{feed}");
    let _ = delete("full");
    let feed = text(&world, "windows", "0.9.0", "RELEASES");
    assert!(feed.contains("1.0.0-full") && !feed.contains("1.1.0"), "{feed}");
}

fn a_later_upload_adds_to_a_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &[]));
    let full = spindrift_tests::full_package("1.1.0");
    let delta = "Notes-1.1.0-delta.nupkg";
    let lines = [spindrift_tests::full_package("1.0.0").as_str(), &full, delta]
        .map(spindrift_tests::squirrel_line)
        .concat();

    let more = spindrift_tests::Release::empty("1.1.0").with("platform", "windows");
    acme.publish(more.with("updater", "squirrel_windows").file(delta, delta).feed("RELEASES", lines));

    let feed = text(&world, "windows", "1.0.0", "RELEASES");
    assert!(feed.contains(delta) && feed.contains(&full), "{feed}");
}

/// Most rounds until each feed has been read twice.
const MAX_ROUNDS: usize = 60;

/// Publishes, unpublishes and deletes releases of every updater: 6 times, and more often while `is_enough` is not true.
fn churn(acme: &Account, is_enough: impl Fn() -> bool) {
    for n in 1..=MAX_ROUNDS {
        if n > 6 && is_enough() {
            return;
        }
        let version = format!("1.{n}.0");
        let releases = [
            acme.publish(squirrel(&version, &[])),
            acme.publish(velopack(&format!("2.{n}.0"), &[])),
            acme.publish(
                electron(&format!("3.{n}.0"), "latest.yml", &["Notes.exe"]).with("platform", "windows"),
            ),
            acme.publish(sparkle(&format!("4.{n}.0"))),
        ];
        for (i, release) in releases.iter().enumerate() {
            if (n + i) % 3 == 0 {
                let _ = acme.edit(release, json!({ "publish": false })).expect(200);
            }
            if (n + i) % 2 == 0 {
                let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
            }
        }
    }
}

/// The addresses in a feed of any form.
fn addresses(feed: &str) -> Vec<String> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<');
    feed.match_indices("http://")
        .map(|(at, _)| feed[at..].split(is_end).next().unwrap().to_owned())
        .filter(|address| address.contains("/acme/notes/"))
        .collect()
}

fn every_file_of_a_feed_is_there_at_any_moment(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for release in [
        squirrel("1.0.0", &[]),
        velopack("2.0.0", &[]),
        electron("3.0.0", "latest.yml", &["Notes.exe"]).with("platform", "windows"),
        sparkle("4.0.0"),
    ] {
        acme.publish(release);
    }
    let (is_over, read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let feeds = [
        ("windows", "RELEASES"),
        ("windows", "releases.win.json"),
        ("windows", "latest.yml"),
        ("darwin", "appcast.xml"),
    ];

    std::thread::scope(|scope| {
        for (platform, file) in feeds {
            let (world, is_over, read) = (&world, &is_over, &read);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    watch(world, platform, file);
                    read.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        churn(&acme, || read.load(Ordering::SeqCst) > 2 * feeds.len());
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(read.load(Ordering::SeqCst) > 2 * feeds.len(), "feeds were read all the time");
}

/// A file that a feed names is there, unless by now the feed does not name it any more.
fn watch(world: &World, platform: &str, file: &str) {
    let feed = text(world, platform, "0.1", file);
    let named = addresses(&feed);
    assert!(!named.is_empty(), "no feed is ever empty: {feed}");
    for address in named {
        let status = spindrift_tests::Client::new("").head(&address).send().status;
        if status != 200 {
            let now = ask(world, platform, "0.1", file).expect(200).text();
            assert!(!now.contains(&address), "{status} for {address}, still in {now}");
        }
    }
}
