//! The published files equal the local files.

use spindrift_tests::{Driver, World, on_hosts, sha256_hex, sha512_hex};

use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        files_arrive_as_they_were,
        flags_describe_a_release,
        a_storage_that_cannot_presign_gets_them_through_the_service,
        applications_with_tuf_get_digests,
    ],
}

fn files_arrive_as_they_were(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let large: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    shell.write("dist/notes.deb", &large).write("dist/notes.rpm", "").write("dist/notes", "no extension");
    let done = shell.ok(&Shell::publish("1.0.0", &["--publish", "--json", "--digests", "dist/*"]));
    let report = done.json();
    assert_eq!((&report["presigned"], &report["resumed"]), (&true.into(), &false.into()));
    let deb = report["files"].as_array().unwrap().iter().find(|file| file["name"] == "notes.deb").unwrap();
    assert_eq!(deb["sha256"], sha256_hex(&large));
    assert_eq!(deb["sha512"], sha512_hex(&large));
    assert!(!done.stderr.contains("X-Amz"));

    assert_eq!(shell.check("0.9")["packages"].as_object().unwrap().len(), 3);
    for (package, content) in [("deb", &large[..]), ("rpm", b""), ("no-extension", b"no extension")] {
        let latest = ["latest", "--app", "notes", "--package", package, "--download", "got"];
        shell.ok(&latest);
        assert_eq!(std::fs::read(shell.path("got")).unwrap(), content, "{package}");
    }
    assert_eq!(
        std::fs::read_dir(shell.config().join("uploads")).unwrap().count(),
        0,
        "nothing is left to resume"
    );
}

fn flags_describe_a_release(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content").write("CHANGES.md", "- new\n");
    let flags =
        ["--critical", "--intermediate", "--rollout", "40", "--changelog-file", "CHANGES.md", "notes.deb"];
    shell.ok(&Shell::publish("1.0.0", &flags));
    let release = shell.ok(&["releases", "--json"]).json()["items"][0].clone();
    assert_eq!(release["Published"], false);
    assert_eq!((&release["Critical"], &release["Intermediate"]), (&true.into(), &true.into()));
    assert_eq!(
        (&release["RolloutPercent"], &release["Changelog"][0]["Changes"]),
        (&40.into(), &"- new\n".into())
    );

    shell.ok(&["yank", "v1.0.0", "--app", "notes", "--undo"]);
    shell.ok(&["rollout", "set", "1.0", "100", "--app", "notes"]);
    let scope = &crate::shell::SCOPE[..];
    let check = shell.run(&[&["check", "0.9", "--exit-code"], scope].concat());
    assert_eq!(check.code, Some(10), "{check:?}");
    assert!(check.stdout.starts_with("1.0.0 is available, and critical\n"), "{check:?}");
    shell.ok(&["yank", "1.0.0", "--app", "notes"]);
    let check = shell.ok(&[&["check", "0.9", "--exit-code"], scope].concat());
    assert!(check.stdout.contains("nothing is published"), "{check:?}");
}

fn a_storage_that_cannot_presign_gets_them_through_the_service(driver: Driver) {
    let world = World::builder(driver).with_variable("storage_driver", "s3_internal").start();
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", vec![1; 1_000_000]).write("notes.rpm", "other");
    let report =
        shell.ok(&Shell::publish("1.0.0", &["--publish", "--json", "notes.deb", "notes.rpm"])).json();
    assert_eq!(report["presigned"], false);
    assert_eq!(shell.check("0.9")["packages"].as_object().unwrap().len(), 2);
}

fn applications_with_tuf_get_digests(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.ok(&["app", "update", "notes", "--tuf"]);
    shell.write("notes.deb", "content");
    assert_eq!(shell.ok(&Shell::publish("1.0.0", &["notes.deb"])).sent(), ["notes.deb"]);

    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    let ci = |arguments: &[&str]| {
        let done =
            Finished::from(shell.command(arguments).env("SPINDRIFT_TOKEN", token.trim()).output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
        done.sent().len()
    };
    assert_eq!(ci(&Shell::publish("1.0.1", &["--tuf", "notes.deb"])), 1);
    assert_eq!(
        ci(&Shell::publish("1.0.2", &["notes.deb"])),
        2,
        "the token may not ask, so the first try lacks digests"
    );
}
