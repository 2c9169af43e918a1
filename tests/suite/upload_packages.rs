//! Packages that an uploader names in place of extensions.

use serde_json::json;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

on_hosts! {
    every: [
        a_named_package_takes_the_place_of_the_extension,
        both_ways_of_uploading_name_packages,
        two_files_of_one_extension_are_refused,
        packages_that_cannot_be_named_are_refused,
        the_name_is_kept_in_a_promotion,
    ],
}

fn acme(world: &World) -> Account {
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    acme.create_channel("beta");
    acme.create_platform("linux");
    acme.create_arch("amd64");
    acme
}

/// An installer and a portable program.
fn both(version: &str) -> Release {
    let release = Release::empty(version).file("Notes-setup.exe", format!("setup {version}"));
    release.packaged("Notes-portable.exe", "portable", format!("portable {version}"))
}

fn fetch(url: &serde_json::Value) -> String {
    spindrift_tests::Client::new("").get(url.as_str().unwrap()).send().expect(200).text()
}

fn a_named_package_takes_the_place_of_the_extension(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(both("1.1.0"));

    let check = acme.check("1.0.0");
    assert_eq!(fetch(&check["update_url_exe"]), "setup 1.1.0");
    assert_eq!(fetch(&check["update_url_portable"]), "portable 1.1.0");
    let url = check["update_url_portable"].as_str().unwrap();
    assert!(url.ends_with("/notes-1.1.0.portable.exe"), "people can open a download: {url}");

    let latest = "/apps/latest?app_name=notes&owner=acme&channel=stable&platform=linux&arch=amd64";
    let latest = |package: &str| world.get(&format!("{latest}&package={package}")).send().expect(302);
    assert_eq!(latest("portable").header("location"), url);
    assert_eq!(latest("exe").header("location"), check["update_url_exe"].as_str().unwrap());

    let mut packages: Vec<String> = acme.get("/search?app_name=notes").ok()["items"][0]["Artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|artifact| artifact["package"].as_str().unwrap().to_owned())
        .collect();
    packages.sort();
    assert_eq!(packages, ["exe", "portable"]);
    let again = Release::empty("1.1.0").packaged("Other.exe", "portable", "x");
    assert_eq!(acme.init(&again).status, 409, "the release has a file of this package");
}

fn both_ways_of_uploading_name_packages(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = |version: &str| {
        let release = Release::empty(version).file("Notes-setup.exe", "setup");
        let release = release.file("Notes-portable.exe", "portable");
        release.with("packages", json!({ "Notes-portable.exe": "portable" })).published()
    };
    let _ = acme.upload_in_one(&release("1.1.0")).expect(200);
    assert_eq!(fetch(&acme.check("1.0.0")["update_url_portable"]), "portable");
    acme.publish(release("1.2.0"));
    assert_eq!(fetch(&acme.check("1.1.0")["update_url_portable"]), "portable");
}

fn two_files_of_one_extension_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = Release::empty("1.0.0").file("Notes-setup.exe", "a").file("Notes-portable.exe", "b");
    let (status, told) = acme.init(&release).refusal();
    assert_eq!(status, 400);
    let start = "two files with the package exe: Notes-setup.exe and Notes-portable.exe.";
    assert!(told.starts_with(start) && told.contains("--package \"Notes-portable.exe=NAME\""), "{told}");
    assert_eq!(acme.upload_in_one(&release).refusal(), (400, told));
}

fn packages_that_cannot_be_named_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    for (file, package) in [
        ("a.exe", "zip"),
        ("a.exe", "Portable"),
        ("a.exe", "nupkg"),
        ("a.exe", "a b"),
        ("a.nupkg", "portable"),
        ("a.exe", "no-extension"),
    ] {
        let (status, told) = acme.init(&Release::empty("1.0.0").packaged(file, package, "x")).refusal();
        let start = format!("{file} cannot have the package \"{package}\": use 1 to 32 lower-case letters");
        assert!(status == 400 && told.starts_with(&start), "{told}");
    }
    let absent = Release::new("1.0.0").with("packages", json!({ "b.exe": "portable" }));
    let text = "no such file for the package portable: b.exe";
    assert_eq!(acme.init(&absent).refusal(), (400, text.into()));
    assert_eq!(acme.upload_in_one(&absent).refusal(), (400, text.into()));
    assert_eq!(acme.releases(), []);
}

fn the_name_is_kept_in_a_promotion(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(both("1.1.0"));
    let body = json!({ "channel": "beta", "publish": true });
    let _ = acme.post_json(&format!("/releases/{release}/promote"), body).send().expect(201);
    let path = acme.check_path("1.0.0").replace("stable", "beta");
    let check = world.get(&path).send().expect(200).json();
    assert_eq!(fetch(&check["update_url_portable"]), "portable 1.1.0");
}
