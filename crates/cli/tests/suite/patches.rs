//! `publish --patches`, and downloads of patches with the client library.

use std::path::PathBuf;

use serde_json::Value;
use spindrift_client::{CheckOptions, Client, Config, Download, Downloaded, Patch, Update, Way};
use spindrift_tests::native_clients::squirrel_mac;
use spindrift_tests::{Driver, World, on_hosts, sha256_hex};

use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        clients_download_the_patch,
        a_client_without_the_base_gets_the_whole_file,
        a_wrong_patch_ends_in_the_whole_file,
        patches_come_from_the_newest_versions,
        a_patch_that_saves_little_is_not_published,
        files_without_anything_in_common_are_not_compared,
        a_ci_token_makes_patches,
        signed_metadata_lists_patches,
        deltas_for_squirrel_mac_are_made_by_sparkles_program,
        old_releases_and_patches_are_pruned,
    ],
}

/// A program: 2 MB of incompressible bytes, of which a few depend on the version.
fn program(version: u8) -> Vec<u8> {
    let mut state = 1_u32;
    let mut bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0] / 16
    })
    .take(2_000_000)
    .collect();
    for place in (0..bytes.len()).step_by(50_000) {
        bytes[place] = version;
    }
    // Insert bytes too, so that everything after them moves.
    bytes.splice(1_000_000..1_000_000, vec![version; usize::from(version) * 100]);
    bytes
}

/// A file of the same kind that has nothing in common with a [`program`].
fn unrelated() -> Vec<u8> {
    program(1).into_iter().map(|byte| 15 - byte % 16).rev().collect()
}

struct Scene {
    world: World,
    shell: Shell,
    client: Client,
}

impl Scene {
    fn new(driver: Driver) -> Self {
        let world = World::new(driver);
        let shell = Shell::of_ada(&world);
        let client = Client::new(Config::new(world.url())).unwrap();
        Self { world, shell, client }
    }

    fn publish(&self, version: u8, patches: &str) -> Finished {
        self.shell.write("notes.deb", program(version));
        let version = format!("{version}.0.0");
        self.shell.ok(&Shell::publish(&version, &["--publish", "--patches", patches, "notes.deb"]))
    }

    fn check(&self, version: &str) -> Update {
        wait(self.client.check(&options(version))).unwrap().unwrap()
    }

    /// Downloads the update that a check of version 1 returns. `base`: the content of the installed
    /// file.
    fn download(&self, patch: Option<Patch>, update: &Update, base: &[u8]) -> Downloaded {
        self.shell.write("installed.deb", base);
        let mut download = Download::new(update.url_of("deb").unwrap(), self.target())
            .with_sha256(sha256_hex(&program(2)).parse().unwrap());
        if let Some(patch) = patch {
            download = download.with_patch(patch, self.shell.path("installed.deb"));
        }
        let done = wait(self.client.download(&download, |_| {})).unwrap();
        assert_eq!(std::fs::read(self.target()).unwrap(), program(2));
        let left = self.target().parent().unwrap().read_dir().unwrap();
        let left = left.map(|file| file.unwrap().file_name().into_string().unwrap());
        let left: Vec<_> = left.filter(|name| name.starts_with("new.deb.")).collect();
        assert!(left.iter().all(|name| name == "new.deb.patch.failed"), "{left:?}");
        done
    }

    fn target(&self) -> PathBuf {
        self.shell.path("new.deb")
    }
}

fn options(version: &str) -> CheckOptions {
    CheckOptions::new("ada", "notes", version).with_target("stable", "linux", "amd64")
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn clients_download_the_patch(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "3");
    let done = scene.publish(2, "3");
    assert!(done.stderr.contains("notes.deb: patch from 1.0.0 ("), "{done:?}");
    let update = scene.check("1.0.0");
    let patch = update.patch_of("deb").unwrap().clone();
    assert!(patch.length < 10_000 && patch.file_length == 2_000_200, "{patch:?}");
    let done = scene.download(Some(patch.clone()), &update, &program(1));
    assert_eq!(done.way, Way::Patched { saved: patch.file_length - patch.length });
    assert_eq!(done.bytes, patch.file_length);
    let options = CheckOptions { device_id: Some("device".to_owned()), ..options("1.0.0") };
    wait(scene.client.report_download(&options, &update, &done)).unwrap();
    let text = scene.shell.ok(&["telemetry", "--app", "notes"]).stdout;
    let text = text.lines().find(|line| line.starts_with("by patch")).unwrap();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["by", "patch", "2.0.0", "1"]);
    let shown = scene.shell.ok(&["release", "show", "2.0.0", "--app", "notes"]);
    assert!(shown.stdout.contains("linux/amd64/patch of deb from 1.0.0"), "{shown:?}");
}

fn a_client_without_the_base_gets_the_whole_file(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "3");
    scene.publish(2, "3");
    let update = scene.check("1.0.0");
    let done = scene.download(update.patch_of("deb").cloned(), &update, b"changed by its user");
    assert_eq!(done.way, Way::Unpatched { why: "the base is another file".to_owned() });
    let other = scene.check("0.9.0");
    assert_eq!(other.patch_of("deb"), None);
    assert_eq!(scene.download(None, &other, b"").way, Way::Whole);
}

fn a_wrong_patch_ends_in_the_whole_file(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "3");
    scene.publish(2, "3");
    let update = scene.check("1.0.0");
    let patch = update.patch_of("deb").unwrap();
    // The whole file is not a patch.
    let mut no_patch = patch.clone();
    update.url_of("deb").unwrap().clone_into(&mut no_patch.url);
    no_patch.length = patch.file_length;
    // The patch does not produce the expected file.
    let mut of_another = patch.clone();
    of_another.file_length += 1;
    // The server sends another file than the patch in the check's answer.
    let mut changed = patch.clone();
    changed.sha256 = sha256_hex(b"changed").parse().unwrap();
    for (wrong, expected) in [
        (no_patch, "the patch is as large as the file"),
        (of_another, "the patch makes another file"),
        (changed, "the patch: the file's sha256 digest is "),
    ] {
        let done = scene.download(Some(wrong), &update, &program(1));
        assert!(matches!(&done.way, Way::Unpatched { why } if why.starts_with(expected)), "{done:?}");
    }
}

fn patches_come_from_the_newest_versions(driver: Driver) {
    let scene = Scene::new(driver);
    for version in 1..=3 {
        scene.publish(version, "0");
    }
    scene.publish(4, "2");
    let has_patch = |version: &str| scene.check(version).patch_of("deb").is_some();
    assert_eq!(["1.0.0", "2.0.0", "3.0.0"].map(has_patch), [false, true, true]);
}

fn a_patch_that_saves_little_is_not_published(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "3");
    let half_new = [&program(1)[..1_000_000], &unrelated()[..1_000_000]].concat();
    scene.shell.write("notes.deb", half_new);
    let done = scene.shell.ok(&Shell::publish(
        "2.0.0",
        &["--publish", "--patches", "3", "--patch-max-percent", "10", "notes.deb"],
    ));
    assert!(done.stderr.contains("notes.deb: comparing with 1.0.0"), "{done:?}");
    assert!(done.stderr.contains("no patch from 1.0.0: it would save too little"), "{done:?}");
    assert_eq!(scene.check("1.0.0").patch_of("deb"), None);

    let mut hash = sha256_hex(b"seed");
    let noise: String = std::iter::repeat_with(|| {
        hash = sha256_hex(hash.as_bytes());
        hash.clone()
    })
    .take(2_000)
    .collect();
    let compressed: Vec<u8> = noise
        .as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect();
    scene.shell.write("notes.deb", compressed);
    let done = scene.shell.ok(&Shell::publish("3.0.0", &["--publish", "--patches", "3", "notes.deb"]));
    assert!(done.stderr.contains("notes.deb: no patches, because it is compressed"), "{done:?}");
}

/// Even if the patch would be smaller than the file, because it is compressed.
fn files_without_anything_in_common_are_not_compared(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "0");
    scene.shell.write("notes.deb", unrelated());
    let words = ["--publish", "--patches", "3", "--patch-max-percent", "99", "notes.deb"];
    let done = scene.shell.ok(&Shell::publish("2.0.0", &words));
    assert!(done.stderr.contains("no patch from 1.0.0: the files have nothing in common"), "{done:?}");
    assert_eq!(scene.check("1.0.0").patch_of("deb"), None);
}

fn a_ci_token_makes_patches(driver: Driver) {
    let scene = Scene::new(driver);
    scene.publish(1, "0");
    let token = scene.shell.ok(&["token", "create", "ci", "--app", "notes", "--json"]).json();
    let token = token["token"].as_str().unwrap();
    scene.shell.write("notes.deb", program(2));
    let words = Shell::publish("2.0.0", &["--publish", "--patches", "1", "notes.deb"]);
    let done = scene.shell.job(token, &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(scene.check("1.0.0").patch_of("deb").is_some(), "{done:?}");
}

fn signed_metadata_lists_patches(driver: Driver) {
    let scene = Scene::new(driver);
    scene.shell.ok(&["trust", "init", "--app", "notes", "--no-passphrase"]);
    scene.publish(1, "3");
    scene.publish(2, "3");
    let update = scene.check("1.0.0");
    let done = scene.download(update.patch_of("deb").cloned(), &update, &program(1));
    assert!(matches!(done.way, Way::Patched { .. }), "{done:?}");
    let release = scene.shell.ok(&["releases", "--json"]).json()["items"][0].clone();
    let artifacts = release["Artifacts"].as_array().unwrap();
    assert_eq!(artifacts.iter().filter(|artifact| artifact["TufSigned"] == true).count(), 2, "{release}");
}

/// `ditto` and `BinaryDelta` run on macOS only, so scripts replace them: an archive "unpacks" to an
/// application with one file, and a delta is the beginning of both.
fn deltas_for_squirrel_mac_are_made_by_sparkles_program(driver: Driver) {
    let scene = Scene::new(driver);
    scene.shell.ok(&["platform", "create", "darwin", "--updater", "squirrel_darwin"]);
    let publish = |version: &'static str, path: &str| {
        scene.shell.write("Notes-mac.zip", format!("PK {version}: an archive").repeat(10));
        let place = ["--app", "notes", "--channel", "stable", "--platform", "darwin", "--arch", "amd64"];
        let rest = ["--updater", "squirrel_darwin", "--publish", "--patches", "1", "Notes-mac.zip"];
        let mut command =
            scene.shell.command(&[&["publish", "--version", version], &place[..], &rest].concat());
        let done = Finished::from(command.env("PATH", path).output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stderr
    };
    let feed = |version: &str| {
        let url =
            format!("{}/update/ada/notes/stable/darwin/amd64/{version}/squirrel.json", scene.world.url());
        squirrel_mac::check(&url).unwrap().unwrap()
    };
    publish("1.0.0", "");
    let said = publish("1.1.0", "");
    assert!(said.contains("no patches, because BinaryDelta of Sparkle is not in PATH"), "{said}");
    assert_eq!(feed("1.0.0").delta, None);

    let path = scene.shell.programs(&[
        ("ditto", r#"test "$1 $2" = "-x -k" && mkdir "$4/Notes.app" && cp "$3" "$4/Notes.app/content""#),
        (
            "BinaryDelta",
            r#"test "$1" = version || { test "$1" = create && head -q -c 8 "$2/content" "$3/content" > "$4"; }"#,
        ),
    ]);
    let said = publish("1.2.0", &path);
    assert!(said.contains("Notes-mac.zip: patch from 1.1.0 (16 B of "), "{said}");
    let update = feed("1.1.0");
    assert_eq!(squirrel_mac::download_delta(&update, "1.1.0").unwrap().unwrap(), b"PK 1.1.0PK 1.2.0");
    assert_eq!(squirrel_mac::download_delta(&update, "1.1").unwrap(), None, "another CFBundleVersion");
    assert!(update.sha256.is_some() && squirrel_mac::download(&update).unwrap().starts_with(b"PK 1.2.0"));
    assert_eq!(feed("1.0.0").delta, None, "there is no patch from it");

    let broken = scene.shell.programs(&[("ditto", "echo no disk >&2; exit 1"), ("BinaryDelta", "")]);
    let said = publish("1.3.0", &broken);
    assert!(said.contains("no patch from 1.2.0: ditto failed: no disk"), "{said}");
    assert_eq!(feed("1.2.0").delta, None);
}

fn old_releases_and_patches_are_pruned(driver: Driver) {
    let scene = Scene::new(driver);
    for version in 1..=4 {
        scene.publish(version, "1");
    }
    let prune =
        |words: &[&str]| scene.shell.run(&[&["release", "prune", "--app", "notes"][..], words].concat());
    let left = || {
        let list = scene.shell.ok(&["releases", "--json"]).json();
        let of = |release: &Value| {
            (release["Version"].as_str().unwrap().to_owned(), release["Artifacts"].as_array().unwrap().len())
        };
        list["items"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    let expected = |releases: &[(&str, usize)]| {
        releases.iter().map(|(version, files)| ((*version).to_owned(), *files)).collect::<Vec<_>>()
    };
    assert_eq!(prune(&[]).code, Some(2), "it has to be said how many are kept");
    assert_eq!(prune(&["--keep-patches", "1"]).code, Some(2), "nobody can be asked here");
    let done = prune(&["--keep-patches", "1", "--yes", "--json"]);
    let versions = |done: &Finished| {
        let pruned = done.json();
        pruned
            .as_array()
            .unwrap()
            .iter()
            .map(|of| format!("{} {}", of["deleted"], of["version"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(versions(&done), [r#""patches" "3.0.0""#, r#""patches" "2.0.0""#], "{done:?}");
    assert_eq!(left(), expected(&[("4.0.0", 2), ("3.0.0", 1), ("2.0.0", 1), ("1.0.0", 1)]));

    let unknown = prune(&["--keep", "1", "--yes"]);
    assert!(unknown.stderr.contains("no device of notes was counted"), "{unknown:?}");
    let words = ["check", "2.0.0", "--owner", "ada", "--app", "notes", "--channel", "stable"];
    scene.shell.ok(&[&words[..], &["--platform", "linux", "--arch", "amd64", "--device-id", "d"]].concat());
    spindrift_tests::until("the device is counted", std::time::Duration::from_secs(10), || {
        let figures = scene.shell.ok(&["telemetry", "--app", "notes", "--json"]).json();
        (figures["summary"]["unique_clients"] == 1).then_some(())
    });
    let tried = prune(&["--keep", "1", "--dry-run", "--json"]);
    assert_eq!(versions(&tried), [r#""release" "3.0.0""#, r#""release" "1.0.0""#], "a device runs 2.0.0");
    assert_eq!(left().len(), 4);
    assert_eq!(versions(&prune(&["--keep", "1", "--yes", "--json"])), versions(&tried));
    assert_eq!(left(), expected(&[("4.0.0", 2), ("2.0.0", 1)]));
    let all = prune(&["--keep", "1", "--even-if-run", "--yes", "--json"]);
    assert_eq!(versions(&all), [r#""release" "2.0.0""#]);
    assert_eq!(versions(&prune(&["--keep", "1", "--even-if-run", "--yes", "--json"])), [""; 0]);
}
