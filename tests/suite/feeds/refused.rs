//! Feeds that are refused: 400 with the reason, nothing stored.

use spindrift_tests::{
    Account, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, appcast, electron, electron_yml,
    full_package, on_hosts, sparkle, sparkle_item, squirrel, squirrel_line, velopack, velopack_asset,
};

use super::acme;

on_hosts! {
    every: [
        packages_that_their_feeds_do_not_fit,
        files_that_ymls_and_appcasts_do_not_fit,
        feeds_that_are_no_feeds,
        entities_anchors_and_other_encodings,
        feeds_over_their_limit,
        digests_are_those_of_the_bytes,
        sizes_are_those_of_the_storage,
        private_apps_have_no_feeds,
    ],
}

/// Both ways to upload refuse it with this text, and nothing is kept.
fn refused(world: &World, acme: &Account, release: &Release, text: &str) {
    assert_eq!(acme.init(release).refusal(), (400, text.into()));
    assert_eq!(acme.upload_in_one(release).refusal(), (400, text.into()));
    nothing_is_kept(world, acme);
}

fn nothing_is_kept(world: &World, acme: &Account) {
    assert_eq!(acme.releases(), []);
    for bucket in [PUBLIC_BUCKET, PRIVATE_BUCKET] {
        assert_eq!(world.store().keys(bucket, ""), [] as [String; 0], "{bucket}");
    }
}

/// A full package of Squirrel with another `RELEASES`.
fn squirrel_with(feed: impl Into<Vec<u8>>) -> Release {
    let name = full_package("1.0.0");
    let release = Release::empty("1.0.0").with("platform", "windows").with("updater", "squirrel_windows");
    release.file(&name, name.as_str()).feed("RELEASES", feed)
}

fn velopack_with(feed: impl Into<Vec<u8>>) -> Release {
    let name = full_package("1.0.0");
    let release = Release::empty("1.0.0").with("platform", "windows").with("updater", "velopack");
    release.file(&name, name.as_str()).feed("releases.win.json", feed)
}

fn electron_with(feed: impl Into<Vec<u8>>) -> Release {
    let release = Release::empty("1.0.0").with("platform", "windows").with("updater", "electron-builder");
    release.file("Notes.exe", "Notes.exe").feed("latest.yml", feed)
}

fn sparkle_with(feed: impl Into<Vec<u8>>) -> Release {
    let release = Release::empty("1.0.0").with("platform", "darwin").with("updater", "sparkle");
    release.file("Notes.zip", "Notes.zip").feed("appcast.xml", feed)
}

fn packages_that_their_feeds_do_not_fit(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = full_package("1.0.0");
    let wrong_size = squirrel_line(&name).replace(&format!(" {}\n", name.len()), " 7\n");
    let mut asset = velopack_asset("1.0.0", "Full", &name);
    asset["Size"] = 7.into();
    let assets = |list: &[serde_json::Value]| serde_json::json!({ "Assets": list }).to_string();
    let full = velopack_asset("1.0.0", "Full", &name);

    for (release, text) in [
        (
            squirrel_with(squirrel_line("Notes-0.9.0-full.nupkg")),
            "RELEASES: Notes-1.0.0-full.nupkg: uploaded and not listed",
        ),
        (
            squirrel_with(wrong_size),
            "RELEASES: Notes-1.0.0-full.nupkg: size differs from the uploaded file: it has 22 bytes, not 7",
        ),
        (squirrel_with(squirrel_line(&name).repeat(2)), "RELEASES: Notes-1.0.0-full.nupkg: listed twice"),
        (
            squirrel("1.0.0", &[]).with("version", "1.0.1"),
            "RELEASES: Notes-1.0.0-full.nupkg: the version in the name is not the release's",
        ),
        (velopack_with(assets(&[])), "releases.win.json: Notes-1.0.0-full.nupkg: uploaded and not listed"),
        (
            velopack_with(assets(&[asset])),
            "releases.win.json: Notes-1.0.0-full.nupkg: size differs from the uploaded file: it has 22 bytes, not 7",
        ),
        (
            velopack_with(assets(&[full.clone(), full])),
            "releases.win.json: Notes-1.0.0-full.nupkg: listed twice",
        ),
        (
            velopack("1.0.0", &[]).with("version", "1.0.1"),
            "releases.win.json: Notes-1.0.0-full.nupkg: Version is not the release's",
        ),
    ] {
        refused(&world, &acme, &release, text);
    }
}

fn files_that_ymls_and_appcasts_do_not_fit(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    for (release, text) in [
        (
            electron_with(electron_yml("1.0.0", &["Notes.exe", "Missing.msi"])),
            "latest.yml: Missing.msi: listed and not uploaded",
        ),
        (
            electron_with(electron_yml("1.0.0", &["Notes.exe"]).replace("size: 9", "size: 10")),
            "latest.yml: Notes.exe: size differs from the uploaded file: it has 9 bytes, not 10",
        ),
        (
            electron("1.0.0", "latest.yml", &["Notes.exe"])
                .with("platform", "windows")
                .with("version", "1.0.1"),
            "latest.yml says 1.0.0, the release is 1.0.1",
        ),
        (
            sparkle_with(appcast(&[sparkle_item("1.0.0", "Other.zip")])),
            "appcast.xml: Notes.zip: uploaded and without an enclosure in an item of the release",
        ),
        (
            sparkle_with(appcast(&[
                sparkle_item("1.0.0", "Notes.zip").replace("length=\"9\"", "length=\"8\"")
            ])),
            "appcast.xml: Notes.zip: size differs from the uploaded file: it has 9 bytes, not 8",
        ),
        (
            sparkle("1.0.0").with("version", "1.0.1"),
            "appcast.xml: Notes-1.0.0.zip: uploaded and without an enclosure in an item of the release",
        ),
    ] {
        refused(&world, &acme, &release, text);
    }
}

fn feeds_that_are_no_feeds(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);

    for (release, text) in [
        (squirrel_with("nonsense"), "RELEASES: line 1: not a package"),
        (squirrel_with(""), "RELEASES: Notes-1.0.0-full.nupkg: uploaded and not listed"),
        (velopack_with("[]"), "releases.win.json: not JSON of the right form"),
        (electron_with("- a\n- b\n"), "latest.yml: not a map"),
        (electron_with("version: 1.0.0\n"), "latest.yml: files: missing"),
        (sparkle_with("<rss version='2.0'><channel></channel>"), "appcast.xml: not XML"),
    ] {
        let (status, refusal) = acme.init(&release).refusal();
        assert_eq!(status, 400, "{text}: {refusal}");
        assert_eq!(refusal.split(':').next(), text.split(':').next(), "{refusal}");
        assert_eq!(acme.upload_in_one(&release).refusal(), (400, refusal));
        nothing_is_kept(&world, &acme);
    }
}

fn entities_anchors_and_other_encodings(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let xml = appcast(&[sparkle_item("1.0.0", "Notes.zip")]);
    let with_doctype = |doctype: &str| xml.replace("<rss", &format!("{doctype}<rss"));
    let external = with_doctype("<!DOCTYPE rss [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>");
    let laughs = with_doctype("<!DOCTYPE rss [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>");
    let yml = electron_yml("1.0.0", &["Notes.exe"]);
    let bomb = format!("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n{yml}");
    let utf16 = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };

    for release in [
        sparkle_with(external),
        sparkle_with(laughs),
        electron_with(bomb),
        sparkle_with(utf16(&xml)),
        electron_with(utf16(&yml)),
        squirrel_with(utf16(&squirrel_line(&full_package("1.0.0")))),
        velopack_with(utf16("{\"Assets\":[]}")),
    ] {
        let (status, text) = acme.init(&release).refusal();
        assert_eq!(status, 400, "{text}");
        assert_eq!(acme.upload_in_one(&release).refusal(), (400, text));
        nothing_is_kept(&world, &acme);
    }
}

fn feeds_over_their_limit(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let padded = |bytes: usize| {
        let line = squirrel_line(&full_package("1.0.0"));
        let comment = format!("#{}\n", "x".repeat(1022));
        let lines = (bytes - line.len()) / comment.len();
        let rest = bytes - line.len() - lines * comment.len();
        format!("{line}{}{}", comment.repeat(lines), "\n".repeat(rest)).into_bytes()
    };
    let limit = 10 * 1024 * 1024;

    let (status, reason) = acme.init(&squirrel_with(padded(limit + 1))).refusal();
    assert_eq!((status, reason.contains("RELEASES")), (400, true), "{reason}");
    let refusal = acme.upload_in_one(&squirrel_with(padded(limit + 1))).refusal();
    assert_eq!(refusal, (413, "a file is larger than 10485760 bytes".into()));
    nothing_is_kept(&world, &acme);
    acme.publish(squirrel_with(padded(limit)));
}

fn digests_are_those_of_the_bytes(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = full_package("1.0.0");
    let other_sha1 = format!("{} {name} {}\n", "0".repeat(40), name.len());
    let mut asset = velopack_asset("1.0.0", "Full", &name);
    asset["SHA256"] = "0".repeat(64).into();
    let yml = electron_yml("1.0.0", &["Notes.ex_"]).replace("Notes.ex_", "Notes.exe");

    for (release, text) in [
        (
            squirrel_with(other_sha1),
            "RELEASES: Notes-1.0.0-full.nupkg: digest differs from the uploaded file",
        ),
        (
            velopack_with(serde_json::json!({ "Assets": [asset] }).to_string()),
            "releases.win.json: Notes-1.0.0-full.nupkg: digest differs from the uploaded file",
        ),
        (electron_with(yml), "latest.yml: Notes.exe: digest differs from the uploaded file"),
    ] {
        let upload = acme.stage(&release);
        assert_eq!(acme.complete(&upload).refusal(), (400, text.into()));
        assert_eq!(acme.releases(), []);
        let (status, reason) = acme.upload_in_one(&release).refusal();
        assert_eq!((status, reason.split(": ").nth(1)), (400, text.split(": ").nth(1)), "{reason}");
    }
}

fn sizes_are_those_of_the_storage(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let name = full_package("1.0.0");
    let wrong = squirrel_line(&name).replace(&format!(" {}\n", name.len()), " 7\n");

    let upload = acme.stage(&squirrel_with(wrong).without_lengths());

    let text =
        "RELEASES: Notes-1.0.0-full.nupkg: size differs from the uploaded file: it has 22 bytes, not 7";
    assert_eq!(acme.complete(&upload).refusal(), (400, text.into()));
    assert_eq!(acme.releases(), []);
}

fn private_apps_have_no_feeds(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(serde_json::json!({ "app": "secret", "private": true }));

    for release in [squirrel("1.0.0", &[]), velopack("1.0.0", &[]), sparkle("1.0.0")] {
        refused(&world, &acme, &release.with("app_name", "secret"), "updater not supported for private apps");
    }
}
