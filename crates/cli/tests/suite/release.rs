//! `release list|show|publish|edit|delete`.

use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [a_release_from_draft_to_deletion],
}

fn a_release_from_draft_to_deletion(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content").write("CHANGES.md", "- better\n");
    shell.ok(&Shell::publish("1.0.0", &["notes.deb"]));
    let release = |words: &[&str]| shell.run(&[&["release"], words, &["--app", "notes"]].concat());
    let ok = |words: &[&str]| {
        let done = release(words);
        assert_eq!(done.code, Some(0), "{done:?}");
        done
    };
    assert_eq!(ok(&["list"]).stdout, shell.ok(&["releases", "--app", "notes"]).stdout);
    assert!(ok(&["show", "1.0.0"]).stdout.contains("not published"));
    assert!(shell.check("0.9")["packages"].as_object().unwrap().is_empty());

    ok(&["publish", "v1.0"]);
    assert_eq!(shell.check("0.9")["version"], "1.0.0");

    ok(&["edit", "1.0.0", "--critical", "--rollout", "40", "--changelog-file", "CHANGES.md"]);
    let shown = ok(&["show", "1.0.0", "--json"]).json();
    assert_eq!((&shown["Critical"], &shown["RolloutPercent"]), (&true.into(), &40.into()));
    assert_eq!(shown["Changelog"][0]["Changes"], "- better\n");
    ok(&["edit", "1.0.0", "--critical", "false"]);
    let shown = ok(&["show", "1.0.0", "--json"]).json();
    assert_eq!((&shown["Critical"], &shown["RolloutPercent"]), (&false.into(), &40.into()));
    let text = ok(&["show", "1.0.0"]).stdout;
    assert!(text.contains("linux/amd64/deb, 7 B: http"), "{text}");
    let nothing = release(&["edit", "1.0.0"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("required"), "{nothing:?}");

    assert!(release(&["delete", "1.0.0"]).error(2).contains("--yes"));
    ok(&["delete", "1.0.0", "--yes"]);
    assert!(
        release(&["show", "1.0.0"])
            .error(5)
            .contains("unknown release of notes \"1.0.0\": there is none yet")
    );
}
