//! Feeds of other updaters than that of the upload: they are kept and served, or refused.

use serde_json::json;
use spindrift_tests::{
    Driver, Release, World, electron_yml, full_package, on_hosts, sparkle, squirrel_line, velopack,
};

use super::{acme, ask, fetch, text};

on_hosts! {
    every: [
        velopack_also_serves_copies_of_squirrel,
        manual_also_serves_copies_of_electron_builder,
        sparkle_also_serves_copies_of_electron_builder,
        a_feed_without_its_updater_is_refused,
        a_feed_of_another_updater_fits_its_files,
    ],
}

fn velopack_also_serves_copies_of_squirrel(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for version in ["1.0.0", "1.1.0"] {
        acme.publish(velopack(version, &[]).feed("RELEASES", squirrel_line(&full_package(version))));
    }

    let releases = text(&world, "windows", "1.0.0", "RELEASES");
    assert!(releases.contains(&full_package("1.1.0")), "{releases}");
    assert!(text(&world, "windows", "1.0.0", "releases.win.json").contains("1.1.0"));
}

/// A build of electron-builder that is published for the updater `manual`.
fn build(version: &str) -> Release {
    let name = format!("Notes Setup {version}.exe");
    let release = Release::empty(version).with("platform", "windows").with("updater", "manual");
    let release = release.file(&name, name.as_str()).file(&format!("{name}.blockmap"), "map");
    release.feed("latest.yml", electron_yml(version, &[&name]))
}

fn manual_also_serves_copies_of_electron_builder(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(build("1.0.0"));
    let _ = acme.upload_in_one(&build("1.1.0").published()).expect(200);

    let yml = text(&world, "windows", "1.0.0", "latest.yml");
    assert!(yml.contains("Notes%20Setup%201.1.0.exe"), "{yml}");
    let path = acme.check_path("1.0.0").replace("linux", "windows");
    let check = world.get(&format!("{path}&updater=manual")).send().expect(200).json();
    let url = check["update_url_exe"].as_str().unwrap();
    assert!(url.ends_with("/Notes%20Setup%201.1.0.exe"), "the file keeps the name that its feed has: {url}");
    assert_eq!(fetch(url).expect(200).text(), "Notes Setup 1.1.0.exe");
    assert_eq!(fetch(&format!("{url}.blockmap")).expect(200).text(), "map", "it is beside the file");
}

fn sparkle_also_serves_copies_of_electron_builder(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(sparkle("1.0.0").feed("latest-mac.yml", electron_yml("1.0.0", &["Notes-1.0.0.zip"])));

    for feed in ["latest-mac.yml", "appcast.xml"] {
        assert!(text(&world, "darwin", "0.1", feed).contains("Notes-1.0.0.zip"), "{feed}");
    }
}

fn a_feed_without_its_updater_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("plain", &["manual"]);
    let release = Release::new("1.0.0").with("platform", "plain");
    for (feed, updater) in [
        ("latest.yml", "electron-builder"),
        ("RELEASES", "squirrel_windows"),
        ("releases.win.json", "velopack"),
        ("appcast.xml", "sparkle"),
    ] {
        let release = release.clone().feed(feed, "x");
        let (status, told) = acme.init(&release).refusal();
        assert!(
            status == 400 && told.starts_with(&format!("{feed} is a feed for {updater}, which")),
            "{told}"
        );
        assert!(told.contains(&format!("--add-updater {updater}")), "{told}");
        assert_eq!(acme.upload_in_one(&release).refusal(), (400, told));
    }
    assert_eq!(acme.releases(), []);
    acme.create_app_with(json!({ "app": "secret", "private": true }));
    let refusal = acme.init(&build("1.0.0").with("app_name", "secret")).refusal();
    assert_eq!(refusal, (400, "updater not supported for private apps".into()));
}

fn a_feed_of_another_updater_fits_its_files(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let wrong = velopack("1.0.0", &[]).feed("RELEASES", squirrel_line("Notes-0.9.0-full.nupkg"));
    let refusal = acme.init(&wrong).refusal();
    assert_eq!(refusal, (400, "RELEASES: Notes-1.0.0-full.nupkg: uploaded and not listed".into()));
    assert_eq!(ask(&world, "windows", "0.1", "RELEASES").status, 404);
}
