//! `release list|show|publish|withdraw|restore|edit|delete`, and `yank`.

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{Shell, in_a_day};

on_hosts! {
    every: [
        a_release_from_draft_to_deletion,
        a_release_at_a_time,
        uploads_at_a_time,
        a_withdrawn_release_comes_back_as_a_draft,
    ],
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
    assert!(ok(&["show", "1.0.0"]).stdout.contains("state         draft\n"));
    assert!(shell.check("0.9")["packages"].as_object().unwrap().is_empty());

    ok(&["publish", "v1.0"]);
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
    assert!(ok(&["list"]).stdout.contains("published"));

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

/// The offer in the release's own channel, from `release show --json`.
fn offer(shell: &Shell, version: &str) -> Value {
    let shown = shell.ok(&["release", "show", version, "--app", "notes", "--json"]).json();
    shown["Offers"][0].clone()
}

fn a_release_at_a_time(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["notes.deb"]));
    let at = in_a_day();
    let publish =
        |words: &[&str]| shell.run(&[&["release", "publish", "2.0.0", "--app", "notes"], words].concat());
    let done = publish(&["--at", &at, "--plan", "5:1h,100", "--reason", "with the campaign", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let answer = done.json();
    assert_eq!((&answer["published"], &answer["offers"][0]["state"]), (&json!(false), &json!("scheduled")));
    assert_eq!(
        (&offer(&shell, "2.0.0")["publish_at"], shell.check("1.0.0")["update_available"].clone()),
        (&json!(at), json!(false))
    );
    let audit = shell.ok(&["audit", "list", "--kind", "release.schedule", "--json"]).json();
    assert_eq!(audit["items"][0]["reason"], "with the campaign");
    assert!(shell.ok(&["release", "list", "--app", "notes"]).stdout.contains("scheduled for 2"));
    let explained = shell.ok(&[&["explain", "--version", "1.0.0"], &crate::shell::SCOPE[..]].concat());
    assert!(explained.stdout.contains("It will be published at"), "{explained:?}");

    // The plan stays when only the time changes.
    let done = publish(&["--at", &in_a_day()]);
    assert!(done.stdout.contains("will be offered to 5 % of devices from 2"), "{done:?}");
    let taken_back = shell.ok(&["yank", "2.0.0", "--app", "notes", "--reason", "not ready"]);
    assert_eq!(taken_back.stdout, "notes 2.0.0 is a draft again, without a time\n");
    assert_eq!(
        (&offer(&shell, "2.0.0")["state"], &offer(&shell, "2.0.0")["publish_at"]),
        (&json!("draft"), &Value::Null)
    );

    let done = publish(&["--at", "2026-01-01T00:00:00Z", "--rollout", "100"]);
    let message = done.stdout.lines().next().unwrap();
    assert_eq!(message, "notes 2.0.0 is offered to all devices", "a past time means now: {done:?}");
    assert_eq!(shell.check("1.0.0")["version"], "2.0.0");
    for words in [&["--at", at.as_str()][..], &["--rollout", "5"], &["--plan", "5:1h,100"]] {
        assert!(publish(words).error(6).contains("the release is published"), "{words:?}");
    }
    assert_eq!(shell.ok(&["yank", "2.0.0", "--app", "notes"]).stdout, "notes 2.0.0 is no longer offered\n");
    assert!(publish(&["--at", "2999-01-01T00:00:00Z"]).error(2).contains("at most 366 days ahead"));
}

fn uploads_at_a_time(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content").write("notes.rpm", "other").write("notes.dmg", "third");
    let at = in_a_day();
    let done = shell.ok(&Shell::publish("1.0.0", &["--at", &at, "notes.deb"]));
    assert!(done.stdout.starts_with("notes 1.0.0 uploaded, and offered from 2"), "{done:?}");
    let shown = offer(&shell, "1.0.0");
    assert_eq!((&shown["state"], &shown["publish_at"]), (&json!("scheduled"), &json!(at)));
    assert_eq!(shell.check("0.9")["update_available"], false);
    // Another job adds files to the same release.
    let report = shell.ok(&Shell::publish("1.0.0", &["--at", &at, "--json", "notes.rpm"])).json();
    assert_eq!((&report["state"], &report["requested_publish_at"]), (&json!("scheduled"), &json!(at)));

    shell.ok(&Shell::publish("1.1.0", &["notes.deb"]));
    let done = shell.ok(&Shell::publish("1.1.0", &["--at", &at, "notes.dmg"]));
    assert!(done.stdout.starts_with("notes 1.1.0 uploaded, but it existed and stays draft"), "{done:?}");
    for words in [&["--at", at.as_str(), "--publish"][..], &["--at", &at, "--draft"], &["--at", "tomorrow"]] {
        let done = shell.run(&Shell::publish("1.2.0", &[words, &["notes.deb"]].concat()));
        assert_eq!(done.code, Some(2), "{words:?}: {done:?}");
    }
}

fn a_withdrawn_release_comes_back_as_a_draft(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["--publish", "notes.deb"]));
    let release = |words: &[&str]| {
        shell.run(&[&["release", words[0], "2.0.0", "--app", "notes"], &words[1..]].concat())
    };
    assert!(release(&["restore"]).error(6).contains("the release is not withdrawn"));
    let done = release(&["withdraw", "--reason", "it deletes files"]);
    assert!(
        done.code == Some(0) && done.stdout.starts_with("notes 2.0.0 is withdrawn: it deletes files\n"),
        "{done:?}"
    );
    assert!(
        done.stdout
            .contains("Clients of electron-builder, Sparkle, Squirrel, Tauri and Velopack are not told"),
        "{done:?}"
    );
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
    assert_eq!(shell.check("2.0.0")["withdrawn"], "it deletes files");
    let text = shell.ok(&[&["check", "2.0.0"], &crate::shell::SCOPE[..]].concat()).stdout;
    assert!(text.contains("2.0.0 was withdrawn: it deletes files\n"), "{text}");
    let explained = shell.ok(&[&["explain", "--version", "2.0.0"], &crate::shell::SCOPE[..]].concat());
    assert!(explained.stdout.contains("2.0.0 was withdrawn: it deletes files"), "{explained:?}");

    assert_eq!(release(&["withdraw", "--reason", "install 2.0.1"]).code, Some(0), "the reason changes");
    let shown = release(&["show"]).stdout;
    assert!(shown.contains("state         withdrawn\n") && shown.contains(": install 2.0.1\n"), "{shown}");
    assert!(release(&["publish"]).error(6).contains("restore the release first"));
    let withdrawn = shell.ok(&["rollout", "show", "2.0.0", "--app", "notes"]).stdout;
    assert!(withdrawn.contains("complete, withdrawn"), "{withdrawn}");

    let done = release(&["restore", "--reason", "a mistake"]);
    let message = "notes 2.0.0 is a draft again: `spindrift release publish` publishes it\n";
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), message), "{done:?}");
    assert!(release(&["publish"]).stdout.starts_with("notes 2.0.0 is offered to all devices\n"));
    assert_eq!(shell.check("0.9")["version"], "2.0.0");
}
