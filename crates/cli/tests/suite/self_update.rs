//! `self update`: a copy of the program becomes the version that was released and signed for it.

use std::fs::Permissions;
use std::io::Cursor;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use spindrift_client::running_target;
use spindrift_tests::{Driver, PASSWORD, PUBLIC_BUCKET, Release, World, on_hosts, sha256_hex};

use crate::server::nobody;
use crate::shell::{Finished, PROGRAM, Shell};

/// A stand-in for a newer build, which prints its version.
const NEWER: &str = concat!(
    "#!/bin/sh\necho spindrift 99.0.0\n",
    // So that a patch is smaller, whatever it has to say.
    "# ----------------------------------------------------------------------------------------\n",
);
/// The mode of the installed copy.
const MODE: u32 = 0o750;

on_hosts! {
    every: [a_copy_becomes_what_was_released],
    in_process: [
        other_bytes_are_not_installed,
        another_root_is_not_followed,
        a_copy_of_beta_gets_stable_releases,
        a_patch_is_enough,
        nothing_is_lost_where_it_may_not_write,
    ],
}

/// Ada, who releases the program, and a copy that somebody has installed.
struct InstalledProgram {
    shell: Shell,
    url: String,
}

impl InstalledProgram {
    fn new(world: &World) -> Self {
        let shell = Shell::of_ada(world);
        let target = running_target();
        for (noun, name, there) in [("platform", target.platform, "linux"), ("arch", target.arch, "amd64")] {
            if name != there {
                shell.ok(&[noun, "create", name]);
            }
        }
        shell.ok(&["app", "create", "spindrift"]);
        shell.ok(&["trust", "init", "--app", "spindrift", "--no-passphrase"]);
        std::fs::create_dir(shell.path("bin")).unwrap();
        let installed = Self { shell, url: world.url() };
        // Another process copies the file. A program cannot be run while a process has it open for writing,
        // and a child of another test that was forked during the copy could still have it open.
        let copied = Command::new("cp").arg(PROGRAM).arg(installed.program()).status().unwrap();
        assert!(copied.success());
        std::fs::set_permissions(installed.program(), Permissions::from_mode(MODE)).unwrap();
        installed
    }

    fn program(&self) -> PathBuf {
        self.shell.path("bin/spindrift")
    }

    /// Releases [`NEWER`] for this machine, as the workflow does with an archive.
    fn release(&self) {
        let target = match (running_target().platform, running_target().arch) {
            ("linux", "amd64") => "x86_64-unknown-linux-musl",
            ("linux", _) => "aarch64-unknown-linux-musl",
            _ => "aarch64-apple-darwin",
        };
        let name = format!("spindrift-99.0.0-{target}");
        self.shell.write(&format!("release/{name}/spindrift"), NEWER);
        let folder = self.shell.path("release");
        let archive = format!("{name}.tar.gz");
        let packed =
            Command::new("tar").current_dir(&folder).args(["-czf", &archive, &name]).status().unwrap();
        assert!(packed.success());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/release/publish");
        let found = std::env::var("PATH").unwrap();
        let path = format!("{}:{found}", Path::new(PROGRAM).parent().unwrap().display());
        let token = self.shell.ok(&["token", "create", "ci", "--app", "spindrift"]).stdout;
        let mut command = self.shell.start(script);
        command.args(["spindrift", "99.0.0", "release"]).env("PATH", path);
        let done = Finished::from(command.env("SPINDRIFT_TOKEN", token.trim()).output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
    }

    /// Runs `self update` of the installed copy.
    fn update(&self, more: &[&str]) -> Finished {
        let mut command = self.shell.start(self.program());
        command.args(["self", "update", "--from", &self.url, "--owner", "ada", "--app", "spindrift"]);
        if !more.contains(&"--root") {
            command.args(["--root", "root.json"]);
        }
        Finished::from(command.args(more).output().unwrap())
    }

    /// Runs `work`, which leaves the copy and its folder as they are.
    fn unchanged<T>(&self, work: impl FnOnce() -> T) -> T {
        let look = || {
            let found = std::fs::metadata(self.program()).unwrap();
            let names = std::fs::read_dir(self.shell.path("bin")).unwrap();
            (found.ino(), found.len(), found.mode(), found.mtime_nsec(), names.count())
        };
        let before = look();
        let done = work();
        assert_eq!(look(), before);
        done
    }
}

fn a_copy_becomes_what_was_released(driver: Driver) {
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    let current = env!("CARGO_PKG_VERSION");
    for more in [&["--check"][..], &[]] {
        let done = copy.unchanged(|| copy.update(more));
        assert_eq!((done.code, done.stdout), (Some(0), format!("{current} is up to date\n")));
    }

    copy.release();
    let done = copy.unchanged(|| copy.update(&["--check"]));
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (Some(10), "99.0.0 is available, and signed\n"),
        "{done:?}"
    );
    let done = copy.unchanged(|| copy.update(&["--check", "--json"]));
    assert_eq!((&done.json()["version"], &done.json()["replaced"]), (&"99.0.0".into(), &().into()));

    let done = copy.update(&["--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let program = std::fs::canonicalize(copy.program()).unwrap();
    assert_eq!(done.json()["replaced"], program.to_str().unwrap());
    assert_eq!(std::fs::read_to_string(&program).unwrap(), NEWER);
    assert_eq!(std::fs::metadata(&program).unwrap().mode() & 0o7777, MODE);
    assert_eq!(std::fs::read_dir(copy.shell.path("bin")).unwrap().count(), 1, "nothing else is left");
    let ran = Finished::from(Command::new(&program).arg("--version").output().unwrap());
    assert_eq!(ran.stdout, "spindrift 99.0.0\n");
}

/// Somebody else can write to the storage.
fn other_bytes_are_not_installed(driver: Driver) {
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    copy.release();
    let keys = world.store().keys(PUBLIC_BUCKET, "ada/spindrift/");
    for (other, why) in [(NEWER.replace("99", "98"), "digest"), (format!("{NEWER}#"), "bytes instead of")] {
        world.store().write(PUBLIC_BUCKET, &keys[0], other.as_bytes());
        let done = copy.unchanged(|| copy.update(&[]));
        assert!(done.error(7).contains(why), "{done:?}");
    }
}

fn another_root_is_not_followed(driver: Driver) {
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    copy.release();
    copy.shell.ok(&["trust", "init", "--app", "notes", "--no-passphrase", "--trust-root", "other.json"]);
    copy.shell.write("none.json", "{}");
    for root in ["other.json", "none.json"] {
        for more in [&["--root", root, "--check"][..], &["--root", root]] {
            let done = copy.unchanged(|| copy.update(more));
            assert!(done.error(1).contains("not to be trusted"), "{done:?}");
        }
    }
    let done = copy.update(&[]);
    assert_eq!(done.code, Some(0), "the right one still counts: {done:?}");
}

fn a_copy_of_beta_gets_stable_releases(driver: Driver) {
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    copy.shell.ok(&["channel", "create", "beta", "--include", "stable"]);
    copy.release();
    let done = copy.update(&["--channel", "beta"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(std::fs::read_to_string(copy.program()).unwrap(), NEWER);
}

/// The patch of a release that makes [`NEWER`] from the installed copy. The whole file is gone.
fn a_patch_is_enough(driver: Driver) {
    const PATCH: &str = "spindrift.from-installed.patch";
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    let mut patch = Vec::new();
    // Nothing in the new file is like this byte.
    let (mut base, mut new) = (Cursor::new([0x7f]), Cursor::new(NEWER));
    let common = spindrift_patch::Common::of(&mut base, &mut new, &|| true).unwrap();
    spindrift_patch::make(&mut base, &mut new, &common, &mut patch, &()).unwrap();
    let entry = json!({
        "name": PATCH, "package": "no-extension", "format": "bidiff+brotli",
        "base_version": env!("CARGO_PKG_VERSION"), "base_sha256": sha256_hex(&std::fs::read(PROGRAM).unwrap()),
    });
    let target = running_target();
    let release = Release::empty("99.0.0").file("spindrift", NEWER).file(PATCH, patch).with_digests();
    let release = release.with("app_name", "spindrift").with("patches", json!([entry]));
    let release = release.with("platform", target.platform).with("arch", target.arch);
    world.login("ada", PASSWORD).publish(release);
    copy.shell.ok(&["trust", "sign", "--app", "spindrift", "--stored", "--yes"]);
    for key in world.store().keys(PUBLIC_BUCKET, "ada/spindrift/") {
        if key.ends_with("/spindrift") {
            world.store().remove(PUBLIC_BUCKET, &key);
        }
    }
    let done = copy.update(&["--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.json()["saved"].is_u64(), "{done:?}");
    assert_eq!(std::fs::read_to_string(copy.program()).unwrap(), NEWER);
    assert_eq!(std::fs::read_dir(copy.shell.path("bin")).unwrap().count(), 1, "nothing else is left");
}

fn nothing_is_lost_where_it_may_not_write(driver: Driver) {
    let world = World::new(driver);
    let copy = InstalledProgram::new(&world);
    copy.release();
    let folder = copy.shell.path("bin");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere.
    if std::fs::write(folder.join("probe"), "").is_err() {
        let done = copy.unchanged(|| copy.update(&[]));
        let folder = std::fs::canonicalize(&folder).unwrap();
        assert!(done.error(8).starts_with(&format!("error: {}: ", folder.display())), "{done:?}");
    }
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_a_server_it_says_how_to_go_on() {
    let done = Shell::new(&nobody()).run(&["self", "update"]);
    let error = done.error(2);
    assert!(error.contains("as you installed this one") && error.contains("--from"), "{error}");
}
