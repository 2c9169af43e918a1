//! A build for several processors: one command, one draft, one publication.

use serde_json::json;
use spindrift_tests::{Driver, World, electron_yml, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [
        a_build_for_two_processors_is_one_release,
        an_interrupted_run_is_continued,
        files_of_two_builds_are_not_published_together,
        a_token_that_may_only_upload_leaves_a_draft,
        packages_are_named_on_the_command_line,
    ],
}

const FILES: [&str; 4] = ["Notes-mac.zip", "Notes-arm64-mac.zip", "Notes.dmg", "Notes-arm64.dmg"];
const PUBLISH: [&str; 11] = [
    "publish",
    "--app",
    "notes",
    "--version",
    "1.1.0",
    "--channel",
    "stable",
    "--platform",
    "darwin",
    "--updater",
    "electron-builder",
];

/// A build by electron-builder, for a platform with its updater and the architectures `amd64` and
/// `arm64`.
fn build(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.ok(&["platform", "create", "darwin", "--updater", "electron-builder"]);
    shell.ok(&["arch", "create", "arm64"]);
    for file in FILES {
        shell.write(&format!("dist/{file}"), file);
    }
    shell.write("dist/latest-mac.yml", electron_yml("1.1.0", &FILES));
    shell
}

fn feed(world: &World, arch: &str) -> Option<String> {
    let path = format!("/update/ada/notes/stable/darwin/{arch}/1.0.0/latest-mac.yml");
    let answer = world.get(&path).send();
    (answer.status != 404).then(|| answer.expect(200).text())
}

fn lists_all(world: &World) -> bool {
    let all = |arch| feed(world, arch).is_some_and(|yml| FILES.iter().all(|file| yml.contains(file)));
    all("amd64") && all("arm64")
}

fn a_build_for_two_processors_is_one_release(driver: Driver) {
    let world = World::new(driver);
    let shell = build(&world);
    let words = |rest: &[&'static str]| [&PUBLISH[..], rest].concat();

    let draft = shell.ok(&words(&["--json", "dist/*"])).json();
    assert_eq!(draft["requested_publish"], false);
    assert_eq!(draft["files"].as_array().unwrap().len(), FILES.len());
    assert_eq!(draft["feeds"], json!(["latest-mac.yml"]));
    assert_eq!(feed(&world, "amd64"), None, "it is a draft");

    shell.ok(&["release", "delete", "1.1.0", "--app", "notes", "--yes"]);
    let done = shell.ok(&words(&["--publish", "dist/*"]));
    assert!(done.stdout.starts_with("notes 1.1.0 published: 5 files"), "{done:?}");
    assert!(lists_all(&world));
    let audit = shell.ok(&["audit", "list", "--kind", "release.publish", "--json"]).json();
    assert_eq!(audit["items"].as_array().unwrap().len(), 1, "{audit}");
    let again = shell.run(&words(&["--publish", "dist/*"]));
    assert!(again.error(6).contains("an artifact for Notes"), "{again:?}");
}

fn an_interrupted_run_is_continued(driver: Driver) {
    let world = World::new(driver);
    let shell = build(&world);
    let arm = ["--arch", "arm64", "dist/latest-mac.yml", "dist/Notes-arm64-mac.zip", "dist/Notes-arm64.dmg"];
    shell.ok(&[&PUBLISH[..], &arm].concat());

    let done = shell.ok(&[&PUBLISH[..], &["--publish", "dist/*"]].concat());
    assert!(done.stderr.contains("architecture arm64: left as it is"), "{done:?}");
    assert!(lists_all(&world));

    shell.ok(&["yank", "1.1.0", "--app", "notes"]);
    let done = shell.ok(&[&PUBLISH[..], &["--publish", "dist/*"]].concat());
    assert!(done.stdout.contains("the files were there already"), "{done:?}");
    assert!(lists_all(&world));
}

fn files_of_two_builds_are_not_published_together(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.ok(&["platform", "create", "darwin"]);
    shell.ok(&["arch", "create", "arm64"]);
    for file in FILES {
        shell.write(&format!("dist/{file}"), file);
    }
    let words = |rest: &[&'static str]| {
        let words = [
            "publish",
            "--app",
            "notes",
            "--version",
            "1.1.0",
            "--channel",
            "stable",
            "--platform",
            "darwin",
        ];
        [&words, rest].concat()
    };
    let is_draft = || {
        let shown = shell.ok(&["release", "show", "1.1.0", "--app", "notes", "--json"]).json();
        assert_eq!(shown["State"], "draft", "{shown}");
    };
    let [zip, dmg] = ["dist/Notes-arm64-mac.zip", "dist/Notes-arm64.dmg"];
    shell.write(dmg, "another build");
    shell.ok(&words(&["--arch", "arm64", zip, dmg]));
    shell.write(dmg, "Notes-arm64.dmg");

    let refused = shell.run(&words(&["--publish", "dist/*"]));
    let message = refused.error(6);
    for part in [
        "another Notes-arm64.dmg: there MD5 b1079dd132ec9bafbe297272507f5cf8, 13 B; here \
         5d02084ab07520e1c86ccc3ea86ea61f, 15 B",
        "Nothing was published",
        "release delete 1.1.0",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    is_draft();
    // Every architecture has been uploaded by now.
    assert!(shell.run(&words(&["--publish", "dist/*"])).error(6).contains("another Notes-arm64.dmg"));
    is_draft();

    shell.ok(&["release", "delete", "1.1.0", "--app", "notes", "--yes"]);
    shell.ok(&words(&["--arch", "arm64", zip]));
    let refused = shell.run(&words(&["--publish", "dist/*"]));
    assert!(refused.error(6).contains("no Notes-arm64.dmg (here SHA-256 "), "{refused:?}");
    is_draft();
}

fn a_token_that_may_only_upload_leaves_a_draft(driver: Driver) {
    let world = World::new(driver);
    let shell = build(&world);
    let token = |may: &str| {
        let words = ["token", "create", may, "--app", "notes", "--may", may];
        shell.ok(&words).stdout.trim().to_owned()
    };
    let words = [&PUBLISH[..], &["--publish", "dist/*"]].concat();
    let upload = shell.job(&token("upload"), &words);
    let message = upload.error(4);
    assert!(message.contains("still a draft") && message.contains("release publish 1.1.0"), "{message}");
    assert_eq!(feed(&world, "amd64"), None);

    let done = shell.job(&token("upload,publish"), &words);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(lists_all(&world), "a token that cannot list the architectures finds them");
}

fn packages_are_named_on_the_command_line(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("setup.exe", "setup").write("portable.exe", "portable");
    let files = ["--publish", "setup.exe", "portable.exe"];
    let refused = shell.run(&Shell::publish("2.0.0", &files));
    let message = refused.error(2);
    assert!(message.contains("portable.exe and setup.exe") && message.contains("--package"), "{message}");

    let files = ["--publish", "--package", "portable.exe=portable", "setup.exe", "portable.exe"];
    shell.ok(&Shell::publish("2.0.0", &files));
    let check = shell.check("1.0.0");
    assert!(check.to_string().contains("portable"), "{check}");
}
