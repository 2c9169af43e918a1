//! Squirrel.Windows.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, World, full_package, on_hosts, sha1_hex, squirrel, squirrel_line};

use super::{acme, ask, fetch, link, manual, text};

on_hosts! {
    every: [
        the_newest_release_is_listed_with_its_deltas,
        no_update_is_the_newest_release,
        the_final_slash_alone_is_releases_too,
        a_rollout_is_a_staging_beside_a_full_release,
        a_device_is_decided_about,
        an_intermediate_is_the_end_of_the_feed,
        deltas_across_a_hole_are_left_out,
        packages_are_reachable_by_name,
        a_check_answers_with_the_same_text,
        releases_of_other_updaters_are_not_offered,
        bom_crlf_comments_and_spaces_are_read,
        a_staging_is_the_rollout_of_the_release,
    ],
}

/// A line of the served feed.
fn line(world: &World, version: &str, name: &str, suffix: &str) -> String {
    let url = link(world, "squirrel_windows", "windows", version, name);
    format!("{} {url} {}{suffix}\n", sha1_hex(name.as_bytes()), name.len())
}

fn full(world: &World, version: &str, suffix: &str) -> String {
    line(world, version, &full_package(version), suffix)
}

fn delta(world: &World, version: &str, suffix: &str) -> String {
    line(world, version, &format!("Notes-{version}-delta.nupkg"), suffix)
}

fn the_newest_release_is_listed_with_its_deltas(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &["1.0.0"]));
    acme.publish(squirrel("1.2.0", &["1.0.0", "1.1.0"]));

    let answer = ask(&world, "windows", "1.0.0", "RELEASES?id=Notes&localVersion=1.0.0&arch=amd64");

    assert_eq!((answer.status, answer.header("content-type")), (200, "text/plain; charset=utf-8"));
    let expected = delta(&world, "1.1.0", "") + &delta(&world, "1.2.0", "") + &full(&world, "1.2.0", "");
    assert_eq!(answer.text(), expected);
    assert_eq!(text(&world, "windows", "0.9.0", "RELEASES"), full(&world, "1.2.0", ""));
    let package = fetch(&link(&world, "squirrel_windows", "windows", "1.2.0", "Notes-1.2.0-full.nupkg"));
    assert_eq!(package.expect(200).text(), "Notes-1.2.0-full.nupkg");
}

fn no_update_is_the_newest_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    for version in ["1.0.0", "2.0.0"] {
        assert_eq!(text(&world, "windows", version, "RELEASES"), full(&world, "1.0.0", ""), "{version}");
    }
}

fn the_final_slash_alone_is_releases_too(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    assert_eq!(text(&world, "windows", "0.1", ""), text(&world, "windows", "0.1", "RELEASES"));
}

fn a_rollout_is_a_staging_beside_a_full_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &["1.0.0"]).rollout(25));

    let feed = text(&world, "windows", "1.0.0", "RELEASES");

    let expected =
        full(&world, "1.0.0", "") + &delta(&world, "1.1.0", "# 25%") + &full(&world, "1.1.0", "# 25%");
    assert_eq!(feed, expected);
    assert!(!feed.contains('\r') && !feed.contains(" #"));
}

fn a_device_is_decided_about(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &[]).rollout(50));

    let (mut with, mut without) = (0, 0);
    for n in 0..30 {
        let device = format!("device-{n}");
        let path = super::path("windows", "0.9.0", "RELEASES");
        let answer = world.get(&path).header("x-device-id", &device).send().expect(200);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        let feed = answer.text();
        if feed == full(&world, "1.1.0", "") {
            with += 1;
        } else {
            assert_eq!(feed, full(&world, "1.0.0", ""), "{device}");
            without += 1;
        }
    }
    assert!(with > 0 && without > 0, "{with} in, {without} out");
}

fn an_intermediate_is_the_end_of_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(squirrel("1.1.0", &["1.0.0"]).intermediate());
    acme.publish(squirrel("1.2.0", &["1.0.0", "1.1.0"]));

    let feed = text(&world, "windows", "1.0.0", "RELEASES");
    assert_eq!(feed, delta(&world, "1.1.0", "") + &full(&world, "1.1.0", ""));
    assert!(text(&world, "windows", "1.1.0", "RELEASES").contains("1.2.0-full"));
}

fn deltas_across_a_hole_are_left_out(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let middle = acme.publish(squirrel("1.1.0", &["1.0.0"]));
    acme.publish(squirrel("1.2.0", &["1.0.0", "1.1.0"]));
    assert!(text(&world, "windows", "1.0.0", "RELEASES").contains("delta"));

    let _ = acme.edit(&middle, json!({ "publish": false })).expect(200);

    assert_eq!(text(&world, "windows", "1.0.0", "RELEASES"), full(&world, "1.2.0", ""));
}

fn packages_are_reachable_by_name(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    let hidden = squirrel("1.1.0", &[]);
    acme.upload(&hidden);

    let answer = ask(&world, "windows", "1.0.0", "Notes-1.0.0-full.nupkg").expect(302);
    let expected = link(&world, "squirrel_windows", "windows", "1.0.0", "Notes-1.0.0-full.nupkg");
    assert_eq!(answer.header("location"), expected);
    let refusal = ask(&world, "windows", "1.0.0", "Notes-1.1.0-full.nupkg").refusal();
    assert_eq!(refusal, (404, "file not found".into()), "not published");
    let lower_case = ask(&world, "windows", "1.0.0", "releases").refusal();
    assert_eq!(lower_case, (404, "file not found".into()), "Squirrel tries this after a failure");
}

fn a_check_answers_with_the_same_text(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));

    let check = |updater: &str| {
        let path = acme.check_path("0.1").replace("linux", "windows");
        world.get(&format!("{path}&updater={updater}")).send()
    };
    for updater in ["squirrel_windows", "squirrel"] {
        assert_eq!(check(updater).expect(200).text(), full(&world, "1.0.0", ""), "{updater}");
    }
    assert_eq!(check("sparkle").refusal(), (400, "updater not supported".into()));
}

fn releases_of_other_updaters_are_not_offered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(manual("2.0.0", "windows").intermediate());
    acme.publish(squirrel("2.1.0", &["1.0.0"]));

    assert_eq!(
        text(&world, "windows", "1.0.0", "RELEASES"),
        delta(&world, "2.1.0", "") + &full(&world, "2.1.0", "")
    );
}

fn bom_crlf_comments_and_spaces_are_read(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = "My Notes-1.0.0-full.nupkg";
    let feed = format!("\u{feff}# a comment\r\n\r\n{}# 10%\r\n", squirrel_line(name).trim_end());
    let release = spindrift_tests::Release::empty("1.0.0").with("platform", "windows");
    let release = release.with("updater", "squirrel_windows").file(name, name).feed("RELEASES", feed);

    acme.publish(release.rollout(10));
    let id = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "rollout": 100 })).expect(200);

    let expected = line(&world, "1.0.0", name, "").replace("/My Notes", "/My%20Notes");
    assert_eq!(text(&world, "windows", "0.1", "RELEASES"), expected);
}

fn a_staging_is_the_rollout_of_the_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = "Notes-1.0.0-full.nupkg";
    let staged = |rollout: u8, staging: &str| {
        let feed = format!("{}{staging}", squirrel_line(name).trim_end());
        let release = spindrift_tests::Release::empty("1.0.0").with("platform", "windows").rollout(rollout);
        release.with("updater", "squirrel_windows").file(name, name).feed("RELEASES", feed)
    };
    let refused = (400, format!("RELEASES: {name}: staging differs from the rollout of the release"));

    for upload in [Account::init, Account::upload_in_one] {
        assert_eq!(upload(&acme, &staged(100, "# 10%")).refusal(), refused);
        assert_eq!(upload(&acme, &staged(20, "# 10%")).refusal(), refused);
    }
    acme.publish(staged(10, "# 10%"));

    // The rollout counts that the release has, or gets in the same call.
    let id = acme.release("1.0.0").id.to_string();
    let again = |change: Value| acme.edit_with_files(&id, &staged(10, "# 10%"), &change);
    assert_eq!(again(json!({ "rollout": 50, "artifacts_to_delete": [0] })).refusal(), refused);
    let _ = again(json!({ "rollout": 10, "artifacts_to_delete": [0] })).expect(200);
    assert_eq!(acme.release("1.0.0").rollout_percent, 10);
}
