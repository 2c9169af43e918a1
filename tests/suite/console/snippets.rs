//! Configuration to paste, which works with the real feeds.

use std::process::Command;

use serde_json::{Value, json};
use spindrift_tests::{
    Client, Driver, Release, World, cache_dir, electron, on_hosts, sparkle, squirrel, tauri, velopack,
    workspace,
};

use super::session::{Session, between, unescaped};
use crate::feeds::acme;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        addresses_lead_to_feeds,
        the_rust_program_compiles_and_finds_the_update,
        without_an_application_there_is_nothing_to_configure,
        users_who_see_no_channels_get_those_of_the_releases,
    ],
}

/// The text of a snippet.
fn snippet(session: &Session<'_>, platform: &str, id: &str) -> String {
    let page =
        session.page(&format!("setup/snippets?app=notes&channel=stable&platform={platform}&arch=amd64"));
    let (_, section) = page.split_once(&format!("<section id=\"{id}\">")).unwrap();
    unescaped(between(section, "<pre tabindex=\"0\"><code>", "</code></pre>"))
}

fn ask(address: &str) -> String {
    Client::new("").get(address).send().expect(200).text()
}

fn addresses_lead_to_feeds(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let session = Session::of(&world, &acme);
    let on = |release: Release, platform: &str| release.with("platform", platform);
    acme.publish(on(electron("1.1.0", "latest.yml", &["Notes-Setup.exe"]), "windows"));
    acme.publish(squirrel("1.1.0", &[]));
    // Its packages are called like those of Squirrel.
    acme.publish(velopack("1.2.0", &[]));
    acme.publish(sparkle("1.1.0"));
    acme.publish(tauri("1.1.0", "notes.AppImage"));
    let zip = Release::empty("1.2.0").with("updater", "squirrel_darwin").file("Notes.zip", "zip");
    acme.publish(on(zip, "darwin"));

    let config = snippet(&session, "windows", "electron-builder");
    let base = between(&config, "url: \"", "\"").replace("${version}", "1.0.0");
    assert!(ask(&format!("{base}latest.yml")).contains("Notes-Setup.exe"), "{base}");

    let config: Value = serde_json::from_str(&snippet(&session, "linux", "tauri")).unwrap();
    let endpoint = config["plugins"]["updater"]["endpoints"][0].as_str().unwrap();
    let endpoint = endpoint
        .replace("{{target}}", "linux")
        .replace("{{arch}}", "x86_64")
        .replace("{{current_version}}", "1.0.0")
        .replace("{{bundle_type}}", "appimage");
    let update: Value = serde_json::from_str(&ask(&endpoint)).unwrap();
    assert_eq!(update["version"], "1.1.0");

    let program = snippet(&session, "windows", "velopack");
    let base = between(&program, "UpdateManager(\"", "\"");
    let feed: Value =
        serde_json::from_str(&ask(&format!("{base}/releases.win.json?localVersion=1.0.0"))).unwrap();
    assert_eq!(feed["Assets"][0]["Version"], "1.2.0");

    let list = snippet(&session, "darwin", "sparkle");
    let appcast = between(&list, "<string>", "</string>").replace("$(MARKETING_VERSION)", "1.0.0");
    assert!(ask(&appcast).contains("<sparkle:version>1.1.0</sparkle:version>"), "{appcast}");

    for (platform, id, text) in
        [("windows", "squirrel-windows", "Notes-1.1.0-full.nupkg"), ("darwin", "squirrel-mac", "\"1.2.0\"")]
    {
        let program = snippet(&session, platform, id);
        let (base, end) = (
            between(&program, "url: \"", "\" + encodeURIComponent(app.getVersion()) + "),
            between(&program, "getVersion()) + \"", "\""),
        );
        let address = format!("{base}1.0.0{end}");
        assert!(ask(&address).contains(text), "{address}");
    }

    let page = session.page("setup/snippets?app=notes&platform=linux");
    assert!(page.contains("does not have the updater <code>sparkle</code> yet"), "{page}");
    assert!(!page.contains("does not have the updater <code>tauri</code> yet"), "{page}");
    for id in ["rust", "github", "gitlab"] {
        assert!(snippet(&session, "linux", id).contains(&world.url()) || id == "rust", "{id}");
    }
    assert_eq!(session.get("setup/snippets?app=unknown").status, 404);
}

/// A new package with exactly the code of the page. Only the folder of the library differs.
fn the_rust_program_compiles_and_finds_the_update(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.1.0"));
    let page = Session::of(&world, &acme).page("setup/snippets?app=notes");
    let (_, section) = page.split_once("<section id=\"rust\">").unwrap();
    let shown: Vec<String> = section
        .split("<pre tabindex=\"0\"><code>")
        .skip(1)
        .take(2)
        .map(|rest| unescaped(rest.split("</code></pre>").next().unwrap()))
        .collect();
    let [dependencies, program] = &shown[..] else { panic!("two files: {section}") };
    let library = workspace().join("crates/client");
    let dependencies = dependencies.replace("spindrift/crates/client", library.to_str().unwrap());

    let package = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(package.path().join(name), text).unwrap();
    std::fs::create_dir(package.path().join("src")).unwrap();
    let head = "[package]\nname = \"snippet\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n";
    write("Cargo.toml", &format!("{head}{dependencies}"));
    write("src/main.rs", program);
    // The versions that the workspace has fetched already.
    std::fs::copy(workspace().join("Cargo.lock"), package.path().join("Cargo.lock")).unwrap();
    let run = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(package.path())
        .env("CARGO_TARGET_DIR", cache_dir().with_file_name("snippet"))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.starts_with("1.1.0 is there") && said.contains("notes-1.1.0.deb"), "{said}");
}

/// The lists of a team user hold the things that it may use, not everything.
fn users_who_see_no_channels_get_those_of_the_releases(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let permissions = json!({ "upload": true, "allowed": [acme.app_id("notes")] });
    let bob = team_user(&world, &acme, "bob", permissions);
    let session = Session::of(&world, &bob);

    let page = session.page("setup/snippets?app=notes");

    let config = between(&page, "url: &quot;", "&quot;").replace("${version}", "0.9.0");
    assert_eq!(config, format!("{}/update/acme/notes/stable/linux/amd64/0.9.0/", world.url()));
    let page = session.page("apps/notes/publish");
    assert!(page.contains("has not allowed you any channel, platform, architecture"), "{page}");
    assert!(!Session::of(&world, &acme).page("apps/notes/publish").contains("has not allowed"));
}

fn without_an_application_there_is_nothing_to_configure(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let session = Session::of(&world, &acme);
    assert!(session.page("setup/snippets").contains("Create one first"));
    acme.create_app("My Notes");
    let page = session.page("setup/snippets");
    assert!(page.contains("/update/acme/My%20Notes/default/default/default/"), "{page}");
}
