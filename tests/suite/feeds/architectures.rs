//! Builds for several processors: one feed lists the files of all, and each architecture is served what its copies can run.

use spindrift_tests::{Driver, Release, World, appcast, electron_yml, on_hosts, sha512_base64, sparkle_item};

use super::{acme, path};

on_hosts! {
    every: [
        a_macos_build_for_both_processors_is_one_release,
        windows_copies_get_the_installer_of_their_processor,
        web_installers_get_the_package_of_their_processor,
        an_appcast_has_an_enclosure_for_each_processor,
        a_forgotten_file_is_refused,
    ],
}

/// The feed that copies of an architecture get. `None`: nothing is there for them.
fn feed(world: &World, platform: &str, arch: &str, name: &str) -> Option<String> {
    let path = path(platform, "0.1.0", name).replace("/amd64/", &format!("/{arch}/"));
    let answer = world.get(&path).send();
    (answer.status != 404).then(|| answer.expect(200).text())
}

/// The part of a build that is uploaded for one architecture, with the feed of the whole build.
fn part(platform: &str, updater: &str, (arch, files): (&str, &[&str]), feed: (&str, &str)) -> Release {
    let release =
        Release::empty("1.0.0").with("platform", platform).with("updater", updater).with("arch", arch);
    let release = files.iter().fold(release, |release, name| release.file(name, *name));
    release.feed(feed.0, feed.1)
}

/// The names of files that a feed lists.
fn listed<'a>(feed: &str, names: &[&'a str]) -> Vec<&'a str> {
    names.iter().copied().filter(|name| feed.contains(name)).collect()
}

const MAC: [&str; 4] = ["Notes-mac.zip", "Notes-arm64-mac.zip", "Notes.dmg", "Notes-arm64.dmg"];

fn a_macos_build_for_both_processors_is_one_release(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let yml = electron_yml("1.0.0", &MAC);
    let part = |arch: &str, files: &[&str]| {
        part("darwin", "electron-builder", (arch, files), ("latest-mac.yml", &yml))
    };
    let (intel, arm) = ([MAC[0], MAC[2]], [MAC[1], MAC[3]]);

    acme.publish(part("amd64", &intel));
    assert_eq!(listed(&feed(&world, "darwin", "amd64", "latest-mac.yml").unwrap(), &MAC), intel);
    assert_eq!(feed(&world, "darwin", "arm64", "latest-mac.yml"), None, "its files come later");

    acme.publish(part("arm64", &arm));
    for arch in ["amd64", "arm64"] {
        let yml = feed(&world, "darwin", arch, "latest-mac.yml").unwrap();
        assert_eq!(listed(&yml, &MAC), MAC, "{yml}");
        assert!(yml.find(MAC[0]) < yml.find(MAC[1]), "old clients take the first: {yml}");
    }
    assert_eq!(acme.releases().len(), 1);
}

fn windows_copies_get_the_installer_of_their_processor(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let names = ["Notes-Setup.exe", "Notes-Setup-arm64.exe"];
    let yml = electron_yml("1.0.0", &names);
    for (arch, name) in [("amd64", names[0]), ("arm64", names[1])] {
        acme.publish(part("windows", "electron-builder", (arch, &[name]), ("latest.yml", &yml)));
    }
    for (arch, name) in [("amd64", names[0]), ("arm64", names[1])] {
        assert_eq!(listed(&feed(&world, "windows", arch, "latest.yml").unwrap(), &names), [name]);
    }
}

fn web_installers_get_the_package_of_their_processor(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let names = ["Notes-Web-Setup.exe", "notes-x64.nsis.7z", "notes-arm64.nsis.7z"];
    let package = |arch: &str| {
        let name = format!("notes-{arch}.nsis.7z");
        let (sha512, size) = (sha512_base64(name.as_bytes()), name.len());
        format!("  {arch}:\n    path: {name}\n    sha512: {sha512}\n    size: {size}\n")
    };
    let packages = format!("packages:\n{}{}", package("x64"), package("arm64"));
    let yml = electron_yml("1.0.0", &names[..1]) + &packages;
    for (arch, own) in [("amd64", names[1]), ("arm64", names[2])] {
        acme.publish(part("windows", "electron-builder", (arch, &[names[0], own]), ("latest.yml", &yml)));
        assert_eq!(listed(&feed(&world, "windows", arch, "latest.yml").unwrap(), &names), [names[0], own]);
    }
}

fn an_appcast_has_an_enclosure_for_each_processor(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let names = ["Notes-x64.zip", "Notes-arm64.zip"];
    let enclosure = |name: &str| {
        let size = name.len();
        format!("<enclosure url='{name}' length='{size}' type='x' sparkle:os='{name}'/>")
    };
    let item = sparkle_item("1.0.0", "x");
    let start = item.find("<enclosure").unwrap();
    let item = format!("{}{}{}</item>", &item[..start], enclosure(names[0]), enclosure(names[1]));
    let xml = appcast(&[item]);
    for (arch, name) in [("amd64", names[0]), ("arm64", names[1])] {
        acme.publish(part("darwin", "sparkle", (arch, &[name]), ("appcast.xml", &xml)));
        let served = feed(&world, "darwin", arch, "appcast.xml").unwrap();
        assert_eq!(
            (served.matches("<enclosure").count(), listed(&served, &names)),
            (1, vec![name]),
            "{served}"
        );
        assert!(served.contains(&format!("sparkle:os='{name}'")), "{served}");
    }
}

fn a_forgotten_file_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let yml = electron_yml("1.0.0", &MAC);
    let forgotten = part("darwin", "electron-builder", ("arm64", &[MAC[1]]), ("latest-mac.yml", &yml));
    let refusal = acme.init(&forgotten).refusal();
    assert_eq!(refusal, (400, "latest-mac.yml: Notes-arm64.dmg: listed and not uploaded".into()));
}
