//! A feed changes in one step and never names a file that is not there.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use spindrift_tests::{
    Account, Driver, Release, World, electron, full_package, on_hosts, sparkle, squirrel, squirrel_line,
    until, velopack,
};

use super::{acme, ask, path, text};
use crate::audit::newest;

on_hosts! {
    every: [
        a_release_is_in_the_feed_once_it_is_complete,
        a_deleted_file_takes_its_lines_along,
        every_file_of_a_feed_is_there_at_any_moment,
        a_later_upload_adds_to_a_release,
        a_token_leaves_the_feeds_that_clients_see,
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
    acme.publish(with_delta());

    let feed = text(&world, "windows", "1.0.0", "RELEASES");
    assert!(feed.contains("Notes-1.1.0-delta.nupkg") && feed.contains(&full_package("1.1.0")), "{feed}");
}

/// A new `RELEASES` for 1.1.0, with a delta package beside it.
fn with_delta() -> Release {
    let delta = "Notes-1.1.0-delta.nupkg";
    let names = [full_package("1.0.0"), full_package("1.1.0"), delta.to_owned()];
    let lines = names.iter().map(|name| squirrel_line(name)).collect::<String>();
    let more = Release::empty("1.1.0").with("platform", "windows").with("updater", "squirrel_windows");
    more.file(delta, delta).feed("RELEASES", lines)
}

/// With another feed, a job that may only upload could change what clients of a published release install.
fn a_token_leaves_the_feeds_that_clients_see(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    acme.publish(squirrel("1.0.0", &[]));
    let id = ci.upload(&squirrel("1.1.0", &[]));
    let of =
        |platform: &str, feed: &str, file: &str| electron("1.1.0", feed, &[file]).with("platform", platform);
    let draft = ci.upload(&of("linux", "latest-linux.yml", "notes-1.1.0.AppImage"));
    assert_eq!(id, draft, "jobs fill one draft");
    let publish = |publish: bool| drop(acme.edit(&id, json!({ "publish": publish })).expect(200));

    publish(true);
    let before = text(&world, "windows", "1.0.0", "RELEASES");
    let refused = ci.init(&with_delta());
    assert_eq!((refused.status, refused.code().as_str()), (409, "wrong_state"), "{}", refused.text());
    assert!(refused.error().contains("RELEASES"), "{}", refused.error());
    let refused = ci.upload_in_one(&with_delta());
    assert_eq!((refused.status, refused.code().as_str()), (409, "wrong_state"), "{}", refused.text());
    assert_eq!(text(&world, "windows", "1.0.0", "RELEASES"), before);
    // The first feed of another system replaces nothing.
    let _ = ci.upload(&of("darwin", "latest-mac.yml", "notes-1.1.0-mac.zip"));

    // It was begun while the release was a draft.
    publish(false);
    let begun = ci.stage(&with_delta());
    publish(true);
    assert_eq!(ci.complete(&begun).status, 409);
    assert_eq!(text(&world, "windows", "1.0.0", "RELEASES"), before);

    let _ = acme.upload(&with_delta());
    assert!(text(&world, "windows", "1.0.0", "RELEASES").contains("delta"));
    let entry = newest(&acme);
    assert_eq!(
        (&entry["kind"], &entry["after"]["replaced_feeds"]),
        (&json!("release.add"), &json!(["RELEASES"]))
    );
    assert!(entry["text"].as_str().unwrap().contains("RELEASES"), "{}", entry["text"]);
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

/// The addresses in a feed of any form, which is at `base`.
fn addresses(feed: &str, base: &str) -> Vec<String> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<');
    let base: url::Url = base.parse().unwrap();
    ["http://", "\"FileName\":\"", "- url: \""]
        .iter()
        .flat_map(|start| feed.match_indices(start))
        .map(|(at, start)| {
            let reference = &feed[if start == "http://" { at } else { at + start.len() }..];
            base.join(reference.split(is_end).next().unwrap()).unwrap().to_string()
        })
        .filter(|address| address.contains("/acme/notes/"))
        .collect()
}

/// The status of a file, after a redirect.
fn status(address: &str) -> u16 {
    let answer = spindrift_tests::Client::new("").head(address).send();
    match answer.header("location") {
        "" => answer.status,
        location => spindrift_tests::Client::new("").head(location).send().status,
    }
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

/// Longest time from the commit of a change until the feed is derived again, in a call that has not returned yet.
const RENEWAL: Duration = Duration::from_secs(5);

/// A file that a feed names is there, unless the feed is about to name it no longer. The row of a file goes
/// first, and the call that removes it then renews the feed before it returns.
fn watch(world: &World, platform: &str, file: &str) {
    let feed = text(world, platform, "0.1", file);
    let base = format!("{}{}", world.url(), path(platform, "0.1", file));
    let named = addresses(&feed, &base);
    assert!(!named.is_empty(), "no feed is ever empty: {feed}");
    for address in named {
        let status = status(&address);
        if status != 200 {
            until(&format!("the feed without {address}, which is {status}"), RENEWAL, || {
                let now = ask(world, platform, "0.1", file).expect(200).text();
                (!addresses(&now, &base).contains(&address)).then_some(())
            });
        }
    }
}
