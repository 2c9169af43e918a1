//! `rollout start|set|pause|resume|advance|complete|halt|guard|health|show`, and `guard run`.

use serde_json::json;
use spindrift_tests::{Driver, World, on_hosts};

use crate::server::serve_answer;
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [a_release_by_a_plan, orders_that_do_not_fit, a_release_with_a_guard],
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
fn order(shell: &Shell, words: &[&str]) -> Finished {
    let (name, rest) = words.split_first().unwrap();
    shell.run(&[&["rollout", *name, "2.0", "--app", "notes"], rest].concat())
}

fn a_release_by_a_plan(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let message = |words: &[&str]| {
        let done = order(&shell, words);
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
        done.stdout
    };
    let start = message(&["start", "--plan", "0.1:12h,5,20:1d,100"]);
    assert_eq!(
        start,
        "notes 2.0.0 will be offered to 0.1 % of devices once it is published; its plan waits until then\n"
    );
    shell.ok(&["release", "publish", "2.0.0", "--app", "notes"]);

    let shown = message(&["show", "--channel", "stable"]);
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

    assert_eq!(message(&["pause", "--reason", "wait for Monday"]), "notes 2.0.0 is paused at 0.1 %\n");
    let audit = shell.ok(&["audit", "list", "--kind", "rollout.pause", "--json"]).json();
    assert_eq!(audit["items"][0]["reason"], "wait for Monday");
    assert_eq!(
        message(&["advance"]),
        "notes 2.0.0 is offered to 5 % of devices; next: 20 % with `spindrift rollout advance`\n"
    );
    let halted = "notes 2.0.0 is halted at 5 %: no further device gets it\n";
    assert_eq!(message(&["halt", "--reason", "it crashes"]), halted);
    assert_eq!(shell.check("1.0.0")["update_available"], false);
    let still_halted = "notes 2.0.0 is halted at 0.5 %: no further device gets it\n`spindrift rollout \
        resume` ends the halt\n";
    assert_eq!(message(&["set", "0.5"]), still_halted);
    assert_eq!(message(&["resume"]), "notes 2.0.0 is offered to 0.5 % of devices\n");
    assert_eq!(message(&["complete"]), "notes 2.0.0 is offered to all devices\n");
    assert_eq!(shell.check("1.0.0")["version"], "2.0.0");
}

fn orders_that_do_not_fit(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    shell.ok(&["release", "publish", "2.0.0", "--app", "notes"]);
    let done = order(&shell, &["set", "50", "--json"]);
    let revision = done.json()["offers"][0]["revision"].to_string();
    assert_eq!(order(&shell, &["set", "60", "--if-revision", &revision]).code, Some(0));
    for (words, code, message) in [
        (&["pause"][..], 6, "the rollout is fixed; nothing was changed"),
        (&["start", "--plan", "5:1d,100"], 6, "below the present percentage"),
        (&["complete", "--if-revision", &revision], 6, "somebody has changed the release"),
        (&["halt", "--channel", "beta"], 5, "offer not found"),
        (&["show", "--channel", "beta"], 5, "unknown channel of notes 2.0.0 \"beta\": there is only stable"),
        (&["start", "--plan", "5:1m,100"], 2, "step 1: a step lasts 5m to 90d"),
    ] {
        let done = order(&shell, words);
        assert!(done.code == Some(code) && done.stderr.contains(message), "{words:?}: {done:?}");
    }
    assert_eq!(order(&shell, &["set", "10", "--if-revision", &revision]).code, Some(0), "a stop");
}

fn a_release_with_a_guard(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let released = ["release", "publish", "2.0.0", "--app", "notes", "--plan", "5:1d,100", "--guard", "halt"];
    let message = shell.ok(&released).stdout;
    assert!(message.contains("\na guard run that finds notes 2.0.0 unhealthy halts it\n"), "{message}");
    let words = ["guard", "pause", "--max-failing", "20", "--factor", "2", "--reason", "a small fleet"];
    let message = order(&shell, &words);
    assert_eq!(
        message.stdout, "a guard run that finds notes 2.0.0 unhealthy pauses its plan\n",
        "{message:?}"
    );
    let shown = order(&shell, &["show"]).stdout;
    assert!(shown.contains("pause (alpha 0.01, factor 2, min-failing 5, max-failing 20)\n"), "{shown}");
    let audit = shell.ok(&["audit", "list", "--kind", "guard.set", "--json"]).json();
    assert_eq!(audit["items"][0]["reason"], "a small fleet");

    assert_eq!(order(&shell, &["health", "--exit-code"]).code, Some(13), "no run has looked at it");
    let ran = shell.ok(&["guard", "run"]).stdout;
    assert_eq!(ran, "looked at: 2, unhealthy: 0, unknown: 2, stopped: 0\n");
    let token = shell.ok(&["token", "create", "timer", "--app", "notes", "--may", "guard"]).stdout;
    let run = |arguments: &[&str]| shell.job(token.trim(), arguments);
    assert_eq!(run(&["guard", "run", "--json"]).json()["looked_at"], 2);
    let health = ["rollout", "health", "2.0.0", "--app", "notes", "--channel", "stable"];
    let shown = run(&health).stdout;
    assert!(shown.contains("unknown\n") && shown.contains("looked at"), "{shown}");
    let off = ["rollout", "guard", "2.0.0", "off", "--app", "notes"];
    assert_eq!(run(&off).code, Some(4), "it takes the right `roll`");
    assert_eq!(shell.ok(&off).stdout, "no guard run stops notes 2.0.0\n");
}

/// Answers with a release, and with this answer to the call of the test.
fn with_an_answer(status: &'static str, body: serde_json::Value) -> String {
    serve_answer(move |request| {
        let release =
            json!({ "id": "r", "app": "notes", "version": "2.0.0", "shut_off": false, "offers": [] });
        let (status, body) =
            if request.contains(" /releases?") { ("200 OK", &release) } else { (status, &body) };
        format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n{body}")
    })
}

#[test]
fn the_verdict_is_an_exit_code() {
    let run = |verdict: &str, arguments: &[&str]| {
        let nothing = json!({ "k": 0, "n": 0, "per_1000": null, "needed": 5.3 });
        let body = json!({
            "verdict": verdict, "why": "So it is.", "devices": 0, "running": nothing, "updating": nothing, "causes": [],
        });
        let shell = Shell::new(&with_an_answer("200 OK", body));
        let health = ["rollout", "health", "2.0.0", "--app", "notes", "--json"];
        shell.job("token", &[&health, arguments].concat())
    };
    let and = |command| ["--exit-code", "--and", command];
    for (verdict, arguments, code) in [
        ("healthy", &[][..], 0),
        ("unhealthy", &[], 0),
        ("unknown", &[], 0),
        ("healthy", &["--exit-code"], 0),
        ("unhealthy", &["--exit-code"], 12),
        ("unknown", &["--exit-code"], 13),
        ("healthy", &and("echo \"one two\""), 0),
        ("healthy", &and("echo \"one two\" && exit 3"), 12),
        ("unhealthy", &and("echo \"one two\""), 12),
        ("unknown", &and("echo \"one two\""), 13),
    ] {
        let done = run(verdict, arguments);
        assert_eq!(done.code, Some(code), "{verdict}, {arguments:?}: {done:?}");
        assert_eq!(done.json()["verdict"], verdict, "the command's output is elsewhere: {done:?}");
        let has_run = verdict == "healthy" && arguments.len() > 1;
        assert_eq!(done.stderr.contains("one two"), has_run, "{verdict}, {arguments:?}: {done:?}");
    }
}

#[test]
fn a_guard_run_waits_for_another() {
    let busy = json!({ "error": "a guard run is under way", "code": "busy" });
    let shell = Shell::new(&with_an_answer("409 Conflict", busy));
    let run = shell.job("token", &["guard", "run"]);
    assert!(run.error(6).contains("a guard run is under way: try again in a minute"));
}
