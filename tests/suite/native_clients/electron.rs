//! electron-updater. Without Node these end at once.

use std::path::Path;

use serde_json::{Value, json};
use spindrift_tests::native_clients::electron::{
    Checked, Digest, ElectronApp, ElectronRelease, Platform, Request, Updater, client, release_tools,
};
use spindrift_tests::{ClientPackage, Driver, Release, World, on_hosts, sha512_base64};

use super::{acme, base, installation, path, program, roll_out};

on_hosts! {
    every: [
        an_installer_is_downloaded_and_then_only_what_differs,
        after_a_promotion_only_what_differs_is_downloaded,
        several_differences_come_in_one_answer,
        names_of_folders_do_not_choose_a_processor,
        an_app_image_downloads_what_differs,
        a_mac_takes_the_zip_file_of_its_processor,
        a_rollout_is_decided_by_the_service,
        a_required_version_comes_first,
        a_channel_includes_another_and_others_are_unknown,
    ],
}

/// Client and tools, where they run.
fn node() -> Option<(&'static ClientPackage, &'static ClientPackage)> {
    Some((client()?, release_tools()?))
}

fn installer(version: &str) -> String {
    format!("Notes Setup {version}.exe")
}

fn windows(tools: &ClientPackage, version: &str) -> ElectronRelease {
    windows_of(tools, version, &program(version))
}

fn windows_of(tools: &ClientPackage, version: &str, bytes: &[u8]) -> ElectronRelease {
    let release = ElectronRelease::new(Platform::Nsis, version);
    release.with_package(&installer(version), Some("x64"), bytes).build(tools)
}

/// Everything in the release's folder, on this platform.
fn upload(built: &ElectronRelease, version: &str, platform: &str) -> Release {
    upload_of(built.files(), version, platform)
}

/// These files of it.
fn upload_of(files: Vec<(String, Vec<u8>)>, version: &str, platform: &str) -> Release {
    let release = Release::empty(version).with("platform", platform).with("updater", "electron-builder");
    files.into_iter().fold(release, |release, (name, bytes)| {
        if Path::new(&name).extension().is_some_and(|end| end == "yml") {
            release.feed(&name, bytes)
        } else {
            release.file(&name, bytes)
        }
    })
}

fn app(world: &World, version: &str) -> ElectronApp {
    ElectronApp::new(&base(world, "windows", version), Platform::Nsis, "x64", version)
}

/// An app that does not download.
fn looking(world: &World, version: &str) -> ElectronApp {
    ElectronApp { download: false, ..app(world, version) }
}

/// SHA-512 of the downloaded file.
fn downloaded(checked: &Checked) -> &str {
    &checked.downloaded.as_ref().unwrap().sha512
}

/// The version that is offered, if one is.
fn offered(checked: &Checked) -> Option<&str> {
    checked.available.then_some(checked.version.as_str())
}

fn an_installer_is_downloaded_and_then_only_what_differs(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    let (old, new) = (windows(tools, "1.0.0"), windows(tools, "1.1.0"));
    acme.publish(upload(&old, "1.0.0", "windows"));
    acme.publish(upload(&new, "1.1.0", "windows"));

    for updater in Updater::ALL {
        let whole = ElectronApp { updater, ..app(&world, "1.0.0") }.check(client).unwrap();
        let expected = sha512_base64(&program("1.1.0"));
        assert_eq!((offered(&whole), downloaded(&whole)), (Some("1.1.0"), &*expected), "{updater:?}");
        assert_eq!(whole.requests.last().unwrap().received, 300_000);
        assert_only_differences(&world, client, updater, &old);
    }

    let current = app(&world, "1.1.0").check(client).unwrap();
    assert_eq!((offered(&current), current.version.as_str()), (None, "1.1.0"));
}

/// Lets an app that has the installer of 1.0.0 update to 1.1.0, and counts what it downloads.
fn assert_only_differences(world: &World, client: &ClientPackage, updater: Updater, old: &ElectronRelease) {
    let installed = Some(old.path(&installer("1.0.0")));
    let checked = ElectronApp { updater, installed, ..app(world, "1.0.0") }.check(client).unwrap();
    assert_eq!(downloaded(&checked), sha512_base64(&program("1.1.0")), "{updater:?}");
    let ranges: Vec<_> =
        checked.requests.iter().filter(|request| request.range.is_some() && request.status != 302).collect();
    assert!(!ranges.is_empty() && ranges.iter().all(|request| request.status == 206), "{:?}", checked.log);
    let received: u64 = checked.requests.iter().map(|request| request.received).sum();
    println!("{updater:?}: {received} of 300000 bytes");
    assert!(received < 100_000, "{updater:?}: {received} bytes: {:?}", checked.log);
}

fn after_a_promotion_only_what_differs_is_downloaded(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    let old = windows(tools, "1.0.0");
    acme.publish(upload(&old, "1.0.0", "windows"));
    let tested = upload(&windows(tools, "1.1.0"), "1.1.0", "windows").with("channel", "beta");
    let tested = acme.publish(tested);
    let promote = json!({ "channel": "stable", "publish": true });
    let _ = acme.post_json(&format!("/releases/{tested}/promote"), promote).send().expect(201);

    for updater in Updater::ALL {
        assert_only_differences(&world, client, updater, &old);
    }
}

/// electron-updater asks for all ranges at once by default. The answers of S3 to that make it download the whole file.
fn several_differences_come_in_one_answer(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    let mut changed = program("1.1.0");
    for place in [20_000, 250_000] {
        changed[place] ^= 1;
    }
    let (old, new) = (windows(tools, "1.0.0"), windows_of(tools, "1.1.0", &changed));
    acme.publish(upload(&old, "1.0.0", "windows"));
    acme.publish(upload(&new, "1.1.0", "windows"));

    for updater in Updater::ALL {
        let installed = Some(old.path(&installer("1.0.0")));
        let app = ElectronApp { updater, installed, multiple_ranges: true, ..app(&world, "1.0.0") };
        let checked = app.check(client).unwrap();
        assert_eq!(downloaded(&checked), sha512_base64(&changed), "{updater:?}");
        let ranges =
            checked.requests.iter().filter(|request| request.range.is_some() && request.status != 302);
        let [request] = ranges.collect::<Vec<_>>()[..] else { panic!("{updater:?}: {:?}", checked.requests) };
        let ranges = request.range.as_ref().unwrap().split(',').count();
        assert_eq!((request.status, ranges), (206, 3), "{updater:?}: {request:?}");
        let received: u64 = checked.requests.iter().map(|request| request.received).sum();
        println!("{updater:?}: {received} of 300000 bytes");
        assert!(received < 200_000, "{updater:?}: {received} bytes: {:?}", checked.log);
    }
}

/// A universal build has one architecture, and every Mac takes it.
fn names_of_folders_do_not_choose_a_processor(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_platform_with("mac-arm64", &["electron-builder"]);
    let built = ElectronRelease::new(Platform::Mac, "1.1.0");
    let built = built.with_package("Notes-1.1.0-mac.zip", Some("universal"), b"PK universal").build(tools);
    acme.publish(upload(&built, "1.1.0", "mac-arm64").with("arch", "arm64"));

    let base = base(&world, "mac-arm64", "1.0.0").replace("/amd64/", "/arm64/");
    for (updater, arch) in Updater::ALL.into_iter().flat_map(|updater| [(updater, "x64"), (updater, "arm64")])
    {
        let app = ElectronApp { updater, ..ElectronApp::new(&base, Platform::Mac, arch, "1.0.0") };
        let checked = app.check(client).unwrap();
        assert_eq!(downloaded(&checked), sha512_base64(b"PK universal"), "{updater:?} {arch}");
    }
}

fn an_app_image_downloads_what_differs(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    let name = |version: &str| format!("Notes-{version}.AppImage");
    let image = |version: &str| {
        let release = ElectronRelease::new(Platform::AppImage, version);
        release.with_package(&name(version), Some("x64"), &program(version)).build(tools)
    };
    let (old, new) = (image("1.0.0"), image("1.1.0"));
    acme.publish(upload(&new, "1.1.0", "linux"));
    let mut app = ElectronApp::new(&base(&world, "linux", "1.0.0"), Platform::AppImage, "x64", "1.0.0");
    app.installed = Some(old.path(&name("1.0.0")));

    let checked = app.check(client).unwrap();

    let whole = std::fs::read(new.path(&name("1.1.0"))).unwrap();
    assert_eq!((offered(&checked), downloaded(&checked)), (Some("1.1.0"), &*sha512_base64(&whole)));
    assert!(checked.requests[0].url.contains("/latest-linux.yml?"), "{:?}", checked.requests);
    let is_part = |request: &Request| matches!(request.status, 206 | 302);
    assert!(checked.requests[1..].iter().all(is_part), "{:?}", checked.log);
}

fn a_mac_takes_the_zip_file_of_its_processor(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    // One build for both processors: its `latest-mac.yml` lists all files, and each is uploaded for its own architecture.
    let archs = [("x64", "amd64", "Notes-1.1.0-mac.zip"), ("arm64", "arm64", "Notes-1.1.0-arm64-mac.zip")];
    let build = archs.iter().fold(ElectronRelease::new(Platform::Mac, "1.1.0"), |build, (arch, _, name)| {
        build.with_package(name, Some(arch), format!("PK {arch}").as_bytes())
    });
    let build = build.build(tools);
    for (_, published_as, own) in archs {
        let is_of_other = |name: &str| archs.iter().any(|(.., zip)| *zip != own && name.starts_with(zip));
        let files = build.files().into_iter().filter(|(name, _)| !is_of_other(name)).collect();
        acme.publish(upload_of(files, "1.1.0", "darwin").with("arch", published_as));
    }

    // An app that was built for both processors has one base address.
    let places = [("x64", "amd64"), ("arm64", "arm64"), ("arm64", "amd64"), ("x64", "arm64")];
    for (updater, (arch, address)) in
        Updater::ALL.into_iter().flat_map(|updater| places.map(|place| (updater, place)))
    {
        let base = base(&world, "darwin", "1.0.0").replace("/amd64/", &format!("/{address}/"));
        let app = ElectronApp { updater, ..ElectronApp::new(&base, Platform::Mac, arch, "1.0.0") };
        let checked = app.check(client).unwrap();
        let own = format!("PK {arch}");
        assert_eq!(downloaded(&checked), sha512_base64(own.as_bytes()), "{updater:?}: {arch} at {address}");
        // The oldest one hands the file to Squirrel.Mac later.
        if updater == Updater::Newest {
            let handed_over = Digest { sha512: sha512_base64(own.as_bytes()), size: own.len() as u64 };
            assert_eq!(checked.native, Some(handed_over));
        }
    }
}

fn a_rollout_is_decided_by_the_service(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(upload(&windows(tools, "1.0.0"), "1.0.0", "windows"));
    let newest = acme.publish(upload(&windows(tools, "1.1.0"), "1.1.0", "windows").rollout(0));
    let check = |id: Option<&String>| {
        let app = ElectronApp { staging_user_id: id.cloned(), ..looking(&world, "1.0.0") };
        app.check(client).unwrap()
    };
    let is_in = |id: &String| {
        let feed = world.get(&path("windows", "1.0.0", "latest.yml")).header("x-user-staging-id", id).send();
        feed.expect(200).text().contains("1.1.0")
    };

    let held_back = check(None);
    assert_eq!((offered(&held_back), held_back.version.as_str()), (None, "1.0.0"));
    roll_out(&acme, &newest, 50);
    let (inside, outside): (Vec<_>, Vec<_>) = (0..40).map(|n| installation(n, 40)).partition(is_in);
    let taken = check(inside.first());
    assert_eq!((offered(&taken), taken.requests[0].staging_id.as_ref()), (Some("1.1.0"), inside.first()));
    assert_eq!(offered(&check(outside.first())), None);
    roll_out(&acme, &newest, 100);
    assert_eq!(offered(&check(outside.first())), Some("1.1.0"));
}

fn a_required_version_comes_first(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(upload(&windows(tools, "1.1.0"), "1.1.0", "windows").intermediate());
    acme.publish(upload(&windows(tools, "1.2.0"), "1.2.0", "windows"));

    for (installed, next) in [("1.0.0", "1.1.0"), ("1.1.0", "1.2.0")] {
        assert_eq!(offered(&looking(&world, installed).check(client).unwrap()), Some(next));
    }
}

fn a_channel_includes_another_and_others_are_unknown(host: Driver) {
    let Some((client, tools)) = node() else { return };
    let world = World::new(host);
    let acme = acme(&world);
    include_stable_in_beta(&acme);
    acme.publish(upload(&windows(tools, "1.1.0"), "1.1.0", "windows"));
    let on = |channel: &str, asked: Option<&str>| {
        let stable = looking(&world, "1.0.0");
        let base = stable.base.replace("/stable/", &format!("/{channel}/"));
        ElectronApp { base, channel: asked.map(str::to_owned), ..stable }.check(client)
    };

    assert_eq!(offered(&on("beta", Some("beta")).unwrap()), Some("1.1.0"));
    let name = installer("1.2.0-beta.1");
    let built = ElectronRelease::new(Platform::Nsis, "1.2.0-beta.1").with_channel("beta");
    let built = built.with_package(&name, Some("x64"), b"beta").build(tools);
    acme.publish(upload(&built, "1.2.0-beta.1", "windows").with("channel", "beta"));
    assert_eq!(offered(&on("beta", Some("beta")).unwrap()), Some("1.2.0-beta.1"));
    assert_eq!(offered(&on("stable", None).unwrap()), Some("1.1.0"));
    for (channel, asked) in [("stable", Some("nightly")), ("nightly", None)] {
        let failed = on(channel, asked).unwrap_err();
        let code = failed.code.as_deref();
        assert_eq!(code, Some("ERR_UPDATER_CHANNEL_FILE_NOT_FOUND"), "{channel}: {}", failed.error);
    }
}

fn include_stable_in_beta(acme: &spindrift_tests::Account) {
    let list = acme.get("/channel/list").ok();
    let is_beta = |channel: &&Value| channel["ChannelName"] == "beta";
    let beta = list["channels"].as_array().unwrap().iter().find(is_beta).unwrap()["ID"].clone();
    let body = json!({ "id": beta, "includes": ["stable"] });
    let _ = acme.post_json("/channel/update", body).send().expect(200);
}
