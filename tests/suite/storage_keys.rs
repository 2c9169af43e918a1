//! The keys of published files: no file takes the place of another owner's.

use serde_json::json;
use spindrift_tests::{
    Account, Client, Driver, Multipart, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, appcast,
    electron_yml_of, on_hosts, sparkle_item,
};

on_hosts! {
    every: [
        no_two_owners_share_a_key,
        an_application_with_a_former_name_of_another_has_its_own_files,
        a_platform_called_default_is_not_none,
        an_owner_may_be_called_as_a_folder_of_the_service,
        a_feed_that_comes_again_replaces_the_first,
        the_service_decides_content_types,
    ],
}

/// A release of `app`, for owners without channels, platforms and architectures.
fn bare(app: &str, version: &str) -> Release {
    let release = Release::empty(version).without("channel").without("platform").without("arch");
    release.with("app_name", app)
}

fn update_url(owner: &Account, app: &str, package: &str) -> String {
    let found = owner.releases().into_iter().find(|release| release.app_name == app).unwrap();
    found.artifacts.into_iter().find(|artifact| artifact.package == package).unwrap().link
}

fn content(url: &str) -> String {
    Client::new("").get(url).send().expect(200).text()
}

fn no_two_owners_share_a_key(host: Driver) {
    let world = World::new(host);
    let (one, other) = (world.admin("corp"), world.admin("acme-corp"));
    for (owner, app) in [(&one, "notes-acme"), (&other, "notes")] {
        owner.create_app(app);
        owner.create_platform_with("darwin", &["manual", "sparkle"]);
        let feed = appcast(&[sparkle_item("1.0.0", "n.zip")]);
        let release = bare(app, "1.0.0").with("platform", "darwin").with("updater", "sparkle");
        owner.publish(release.file("n.zip", "n.zip").feed("appcast.xml", feed));
        owner.publish(bare(app, "2.0.0").with("platform", "darwin").file("n.zip", owner.name()));
    }

    let keys = world.store().keys(PUBLIC_BUCKET, "");
    assert_eq!(keys.len(), 6, "{keys:?}");
    for key in [
        "corp/notes-acme/default/darwin/default/notes-acme-2.0.0.zip",
        "acme-corp/notes/default/darwin/default/notes-2.0.0.zip",
        "sparkle/corp/notes-acme/1.0.0/default/darwin/default/appcast.xml",
        "sparkle/acme-corp/notes/1.0.0/default/darwin/default/n.zip",
    ] {
        assert!(keys.iter().any(|found| found == key), "{key} in {keys:?}");
    }
    for release in one.releases() {
        let id = release.id;
        let _ = one.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    }
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 3, "the other's stay");
    assert_eq!(content(&update_url(&other, "notes", "zip")), "acme-corp");
}

fn an_application_with_a_former_name_of_another_has_its_own_files(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let old = acme.create_app("notes");
    let first = acme.publish(bare("notes", "1.0.0").file("n.zip", "of the first"));
    let data = json!({ "id": old, "app": "papers" }).to_string();
    acme.post_multipart("/app/update", Multipart::new().field("data", data)).ok();
    acme.create_app("notes");

    acme.publish(bare("notes", "1.0.0").file("n.zip", "of the second"));

    assert_eq!(content(&update_url(&acme, "papers", "zip")), "of the first");
    assert_eq!(content(&update_url(&acme, "notes", "zip")), "of the second");
    let _ = acme.delete(&format!("/apps/delete?id={first}")).send().expect(200);
    assert_eq!(content(&update_url(&acme, "notes", "zip")), "of the second");
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 1);
}

fn a_platform_called_default_is_not_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.publish(bare("notes", "1.0.0").file("n.zip", "of no platform"));
    acme.create_platform("default");

    acme.publish(bare("notes", "1.0.0").with("platform", "default").file("n.zip", "of the platform"));

    let links = acme.release("1.0.0").artifacts;
    let contents: Vec<String> = links.iter().map(|one| content(&one.link)).collect();
    assert_eq!(contents, ["of no platform", "of the platform"]);
}

fn an_owner_may_be_called_as_a_folder_of_the_service(host: Driver) {
    let world = World::new(host);
    for name in ["pending", "reports", "logos", "sparkle"] {
        let owner = world.admin(name);
        owner.create_app_with(json!({ "app": "notes", "private": true }));
        owner.publish(bare("notes", "1.0.0").file("n.zip", name));
        owner.post("/maintenance/run").ok();

        let path = update_url(&owner, "notes", "zip").replace(&world.url(), "");
        let link = owner.get(&path).send().expect(302);
        assert_eq!(content(link.header("location")), name);
        let key = format!("~{name}/notes/default/default/default/notes-1.0.0.zip");
        assert!(world.store().size(PRIVATE_BUCKET, &key).is_some(), "{key}");
    }
}

fn a_feed_that_comes_again_replaces_the_first(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.add_updater("linux", "electron-builder");
    let feed = |file: &str| electron_yml_of("1.0.0", file, b"x");
    let release = |file: &str| Release::empty("1.0.0").file(file, "x").feed("latest.yml", feed(file));

    acme.publish(release("notes.deb"));
    acme.publish(release("notes.rpm"));
    let _ = acme.upload_in_one(&release("notes.msi")).expect(200);

    let keys = world.store().keys(PUBLIC_BUCKET, "");
    let feeds: Vec<&String> = keys.iter().filter(|key| key.ends_with("/latest.yml")).collect();
    assert_eq!((feeds.len(), keys.len()), (1, 4), "{keys:?}");
    assert_eq!(world.store().object(PUBLIC_BUCKET, feeds[0]).as_deref(), Some(feed("notes.msi").as_bytes()));
}

fn the_service_decides_content_types(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let any = "application/octet-stream";
    let files = [
        ("x.html", any),
        ("x.svg", any),
        ("x.xml", any),
        ("x.zip", "application/zip"),
        ("x.deb", "application/vnd.debian.binary-package"),
    ];
    acme.add_updater("linux", "electron-builder");
    let script = "<script>alert(1)</script>";
    let release = |version: &str| {
        let feed = electron_yml_of(version, "x.zip", script.as_bytes());
        let release = Release::empty(version).feed("latest.yml", feed);
        files.iter().fold(release, |release, (name, _)| release.file(name, script))
    };

    let upload = acme.begin(&release("1.0.0"));
    for file in &upload.files {
        let uploader = Client::new("");
        let put = uploader.put(&file.url, &file.bytes).header("content-type", "text/html");
        let put = put.header("content-disposition", "inline").header("cache-control", "no-store");
        let headers = file.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
        let _ = headers.fold(put, |put, (name, value)| put.header(name, value)).send().expect(200);
    }
    let _ = acme.complete(&upload).expect(200);
    let _ = acme.upload_in_one(&release("2.0.0")).expect(200);
    let id = acme.publish(Release::empty("3.0.0").file("x.rpm", "x"));
    let _ = acme.edit_with_files(&id, &release("3.0.0"), &json!({})).expect(200);

    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        let folder = format!("electron-builder/acme/notes/{version}/stable/linux/amd64");
        let feed = (format!("{folder}/latest.yml"), "application/yaml");
        let keys = files.iter().map(|(name, kind)| (format!("{folder}/{name}"), *kind));
        for (key, kind) in keys.chain([feed]) {
            let url = format!("{}/{PUBLIC_BUCKET}/{key}", world.store().url());
            let answer = Client::new("").get(&url).send().expect(200);
            let headers =
                ["content-type", "content-disposition", "cache-control"].map(|name| answer.header(name));
            assert_eq!(headers, [kind, "attachment", ""], "{key}");
        }
    }
}
