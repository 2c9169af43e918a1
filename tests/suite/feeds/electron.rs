//! electron-builder.

use serde_json::json;
use spindrift_tests::{Driver, Release, World, electron, electron_yml, on_hosts, sha512_base64};

use super::{acme, ask, fetch, is_in, link, text};

on_hosts! {
    every: [
        the_feed_is_that_of_the_offered_release,
        architectures_are_merged_on_macos,
        a_rollout_is_a_staging_percentage,
        a_client_with_an_identifier_is_decided_about,
        an_intermediate_is_not_stepped_over,
        a_client_that_is_ahead_gets_the_release_below_it,
        block_maps_are_where_clients_look,
        files_of_a_promoted_release_are_where_clients_look,
        a_file_is_that_of_its_release,
        names_of_feeds,
        a_check_redirects_to_the_feed,
    ],
}

const SETUP: &str = "Notes-Setup-x64.exe";

fn windows(version: &str) -> Release {
    electron(version, "latest.yml", &[SETUP]).with("platform", "windows")
}

fn version(yml: &str) -> &str {
    let line = yml.lines().find_map(|line| line.strip_prefix("version: "));
    line.unwrap_or_else(|| panic!("no version in {yml}")).trim_matches('"')
}

fn the_feed_is_that_of_the_offered_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    acme.publish(windows("1.1.0").with("changelog", "Faster: \"much\""));

    let answer = ask(&world, "windows", "1.0.0", "latest.yml?noCache=1j3k5").expect(200);

    assert_eq!(answer.header("content-type"), "text/yaml; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
    let yml = answer.text();
    assert_eq!(version(&yml), "1.1.0");
    assert!(yml.contains(&format!("- url: \"../1.1.0/files/{SETUP}\"\n")), "{yml}");
    assert!(yml.contains(&sha512_base64(SETUP.as_bytes())), "{yml}");
    assert!(yml.contains("Faster: ") && !yml.contains("stagingPercentage"), "{yml}");
}

fn architectures_are_merged_on_macos(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let mac = |version: &str, arch: &str, file: &str| {
        electron(version, "latest-mac.yml", &[file]).with("platform", "darwin").with("arch", arch)
    };
    acme.publish(mac("1.0.0", "amd64", "Notes-1.0.0-mac.zip"));
    acme.publish(mac("1.0.0", "arm64", "Notes-1.0.0-arm64-mac.zip"));

    let own = text(&world, "darwin", "0.9.0", "latest-mac.yml");
    let path = super::path("darwin", "0.9.0", "latest-mac.yml").replace("amd64", "arm64");
    let other = world.get(&path).send().expect(200).text();

    for yml in [&own, &other] {
        let intel = yml.find("Notes-1.0.0-mac.zip").unwrap();
        let arm = yml.find("Notes-1.0.0-arm64-mac.zip").unwrap();
        assert!(intel < arm, "the file for old clients comes first: {yml}");
        assert_eq!(yml.matches("- url:").count(), 2, "{yml}");
    }
    let windows_like = text(&world, "darwin", "0.9.0", "latest.yml");
    assert!(!windows_like.contains("arm64-mac.zip"), "{windows_like}");
}

fn a_rollout_is_a_staging_percentage(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    acme.publish(windows("1.1.0").rollout(10));

    let yml = text(&world, "windows", "1.0.0", "latest.yml");
    assert_eq!(version(&yml), "1.1.0");
    assert!(yml.contains("stagingPercentage: 10\n"), "{yml}");
}

fn a_client_with_an_identifier_is_decided_about(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    acme.publish(windows("1.1.0").rollout(50));

    let (mut with, mut without) = (0, 0);
    for n in 0..30 {
        let id = format!("4d6d9ac0-0000-4000-8000-0000000000{n:02}");
        let call = world.get(&super::path("windows", "0.1.0", "latest.yml"));
        let answer = call.header("x-user-staging-id", &id).send().expect(200);
        assert_eq!(answer.header("cache-control"), "private, no-store");
        let yml = answer.text();
        assert!(!yml.contains("stagingPercentage"), "it is decided: {yml}");
        match version(&yml) {
            "1.1.0" => with += 1,
            "1.0.0" => without += 1,
            other => panic!("{other}"),
        }
    }
    assert!(with > 0 && without > 0, "{with} in, {without} out");
}

fn an_intermediate_is_not_stepped_over(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.1.0").intermediate());
    acme.publish(windows("1.2.0"));

    assert_eq!(version(&text(&world, "windows", "1.0.0", "latest.yml")), "1.1.0");
    assert_eq!(version(&text(&world, "windows", "1.1.0", "latest.yml")), "1.2.0");
}

fn a_client_that_is_ahead_gets_the_release_below_it(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    let newest = acme.publish(windows("1.1.0"));
    let _ = acme.edit(&newest, json!({ "publish": false })).expect(200);

    assert_eq!(version(&text(&world, "windows", "1.1.0", "latest.yml")), "1.0.0");
    assert!(!is_in(&acme, "1.1.0", "device"));
}

/// The address of a file of a release.
fn file_of(channel: &str, version: &str, file: &str) -> String {
    super::path("windows", version, &format!("files/{file}")).replace("/stable/", &format!("/{channel}/"))
}

/// A client takes the address of the new block map and puts its own version in place of the new one.
fn block_maps_are_where_clients_look(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    acme.publish(windows("1.1.0"));
    acme.publish(windows("1.2.0").rollout(0));

    for (version, name) in ["1.1.0", "1.0.0"]
        .into_iter()
        .flat_map(|version| [SETUP.to_owned(), format!("{SETUP}.blockmap")].map(|name| (version, name)))
    {
        let answer = world.get(&file_of("stable", version, &name)).send().expect(302);
        let expected = link(&world, "electron-builder", "windows", version, &name);
        assert_eq!(answer.header("location"), expected);
        assert_eq!(answer.header("cache-control"), "public, max-age=60, must-revalidate");
        assert_eq!(fetch(&expected).expect(200).text(), name);
    }
}

fn files_of_a_promoted_release_are_where_clients_look(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.0.0"));
    let tested = acme.publish(windows("1.1.0").with("channel", "beta"));
    let promote = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{tested}/promote"), promote).send().expect(201);

    let yml = text(&world, "windows", "1.0.0", "latest.yml");
    assert!(yml.contains(&format!("\"../1.1.0/files/{SETUP}\"")), "{yml}");
    for version in ["1.0.0", "1.1.0"] {
        let map = format!("{SETUP}.blockmap");
        let answer = world.get(&file_of("stable", version, &map)).send().expect(302);
        assert_eq!(fetch(answer.header("location")).expect(200).text(), map, "{version}");
    }
    let only_stable = world.get(&file_of("beta", "1.0.0", SETUP)).send().refusal();
    assert_eq!(only_stable, (404, "file not found".into()));
}

fn a_file_is_that_of_its_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let first = acme.publish(windows("1.0.0"));
    acme.upload(&windows("1.1.0").with("publish", false));
    let ask = |version: &str, file: &str| world.get(&file_of("stable", version, file)).send();

    let _ = ask("1.0.0", SETUP).expect(302);
    let not_found = (404, "file not found".to_owned());
    for (version, file) in [("1.1.0", SETUP), ("0.9.0", SETUP), ("1.0.0", "other.exe")] {
        assert_eq!(ask(version, file).refusal(), not_found, "{version} {file}");
    }
    assert_eq!(ask("new", SETUP).refusal(), (400, "invalid version parameter".into()));
    let withdraw = json!({ "reason": "broken" });
    let _ = acme.post_json(&format!("/releases/{first}/withdraw"), withdraw).send().expect(200);
    assert_eq!(ask("1.0.0", SETUP).status, 410);
}

fn names_of_feeds(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = windows("1.0.0").feed("nightly.yml", electron_yml("1.0.0", &[SETUP]));
    acme.publish(release);

    for name in ["latest.yml", "stable.yml", "latest-linux.yml"] {
        assert_eq!(version(&text(&world, "windows", "0.1", name)), "1.0.0", "{name}");
    }
    assert_eq!(ask(&world, "windows", "0.1", "alpha.yml").refusal(), (404, "release not found".into()));
}

fn a_check_redirects_to_the_feed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(windows("1.1.0"));
    let check = |version: &str| {
        let path = acme.check_path(version).replace("linux", "windows");
        world.get(&format!("{path}&updater=electron-builder")).send()
    };

    let expected = format!("{}{}", world.url(), super::path("windows", "1.0.0", "latest.yml"));
    assert_eq!(check("1.0.0").expect(302).header("location"), expected);
    assert_eq!(check("1.1.0").status, 204);
}
