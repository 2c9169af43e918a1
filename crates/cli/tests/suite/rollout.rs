//! `rollout start|set|pause|resume|advance|complete|halt|show`.

use serde_json::json;
use spindrift_tests::{Driver, World, on_hosts};

use crate::server::answering;
use crate::shell::{Done, Shell};

on_hosts! {
    every: [a_release_by_a_plan, orders_that_do_not_fit],
}

/// A user with a published release 1.0.0 and a draft 2.0.0.
fn with_a_draft(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["notes.deb"]));
    shell
}

/// Gives an order to the rollout of 2.0.0.
fn order(shell: &Shell, words: &[&str]) -> Done {
    let (name, rest) = words.split_first().unwrap();
    shell.run(&[&["rollout", *name, "2.0", "--app", "notes"], rest].concat())
}

fn a_release_by_a_plan(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let told = |words: &[&str]| {
        let done = order(&shell, words);
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        done.stdout
    };
    let start = told(&["start", "--plan", "0.1:12h,5,20:1d,100"]);
    assert_eq!(
        start,
        "notes 2.0.0 will be offered to 0.1 % of devices once it is published; its plan waits until then\n"
    );
    shell.ok(&["release", "publish", "2.0.0", "--app", "notes"]);

    let shown = told(&["show", "--channel", "stable"]);
    for expected in
        ["0.1 % for 12h, now\n", "5 % until `rollout advance`, from 2", "20 % for 1d\n", "offered since"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let release = ["release", "show", "2.0.0", "--app", "notes"];
    let text = shell.ok(&release).stdout;
    assert!(text.contains("0.1 %, running\n") && text.contains("0.1 % for 12h, now\n"), "{text}");
    let json = shell.ok(&[&release[..], &["--json"]].concat()).json();
    assert_eq!((&json["Published"], &json["Offers"][0]["rollout"]["step"]), (&json!(true), &json!(0)));
    assert!(shell.ok(&["release", "list", "--app", "notes"]).stdout.contains("0.1%, plan"));

    assert_eq!(told(&["pause", "--reason", "wait for Monday"]), "notes 2.0.0 is paused at 0.1 %\n");
    let audit = shell.ok(&["audit", "list", "--kind", "rollout.pause", "--json"]).json();
    assert_eq!(audit["items"][0]["reason"], "wait for Monday");
    assert_eq!(
        told(&["advance"]),
        "notes 2.0.0 is offered to 5 % of devices; next: 20 % with `spindrift rollout advance`\n"
    );
    let halted = "notes 2.0.0 is halted at 5 %: no further device gets it\n";
    assert_eq!(told(&["halt", "--reason", "it crashes"]), halted);
    assert_eq!(shell.check("1.0.0")["update_available"], false);
    let still_halted = "notes 2.0.0 is halted at 0.5 %: no further device gets it\n`spindrift rollout resume` ends the halt\n";
    assert_eq!(told(&["set", "0.5"]), still_halted);
    assert_eq!(told(&["resume"]), "notes 2.0.0 is offered to 0.5 % of devices\n");
    assert_eq!(told(&["complete"]), "notes 2.0.0 is offered to all devices\n");
    assert_eq!(shell.check("1.0.0")["version"], "2.0.0");
}

fn orders_that_do_not_fit(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    shell.ok(&["release", "publish", "2.0.0", "--app", "notes"]);
    let done = order(&shell, &["set", "50", "--json"]);
    let revision = done.json()["offers"][0]["revision"].to_string();
    assert_eq!(order(&shell, &["set", "60", "--if-revision", &revision]).code, Some(0));
    for (words, code, told) in [
        (&["pause"][..], 6, "the rollout is fixed; nothing was changed"),
        (&["start", "--plan", "5:1d,100"], 6, "below the present percentage"),
        (&["complete", "--if-revision", &revision], 6, "somebody has changed the release"),
        (&["halt", "--channel", "beta"], 5, "offer not found"),
        (&["show", "--channel", "beta"], 5, "unknown channel of notes 2.0.0 \"beta\": there is only stable"),
        (&["start", "--plan", "5:1m,100"], 2, "step 1: a step lasts 5m to 90d"),
    ] {
        let done = order(&shell, words);
        assert!(done.code == Some(code) && done.stderr.contains(told), "{words:?}: {done:?}");
    }
    assert_eq!(order(&shell, &["set", "10", "--if-revision", &revision]).code, Some(0), "a stop");
}

/// Answers `GET /search` with a release, and nothing else, as services did before there were plans.
fn earlier_service() -> String {
    let release = json!({
        "ID": "r", "AppName": "notes", "Version": "2.0.0", "Channel": "stable", "Published": true, "Critical": false,
        "Intermediate": false, "Artifacts": [], "Changelog": [], "Created_at": "", "Updated_at": "",
        "RolloutPercent": 40, "RolloutSeed": "s",
    });
    let found = json!({ "items": [release], "total": 1, "page": 1, "limit": 100 });
    answering(move |request| {
        let (status, body) = if request.contains(" /search") {
            ("200 OK", found.clone())
        } else {
            ("404 Not Found", json!({ "error": "not found", "code": "not_found" }))
        };
        format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")
    })
}

#[test]
fn a_service_of_an_earlier_version_still_shows_releases() {
    let shell = Shell::new(&earlier_service());
    let run = |arguments: &[&str]| {
        Done::from(shell.command(arguments).env("SPINDRIFT_TOKEN", "token").output().unwrap())
    };
    let shown = run(&["release", "show", "2.0.0", "--app", "notes"]);
    assert!(shown.code == Some(0) && shown.stdout.contains("40 %\n"), "{shown:?}");
    assert!(run(&["release", "list"]).stdout.contains("40%"));
    for words in [&["show"][..], &["halt"]] {
        let done = run(&[&["rollout"], words, &["2.0.0", "--app", "notes"]].concat());
        assert!(done.error(1).contains("the service is of an earlier version"), "{done:?}");
    }
}
