//! `webhook add|edit|list|test|remove`.

use spindrift_tests::{Driver, Receiver, World, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [a_webhook_comes_and_goes, what_cannot_be_a_webhook_is_told],
}

fn a_webhook_comes_and_goes(driver: Driver) {
    let receiver = Receiver::start();
    let world = World::builder(driver).with_variable("webhook_origin", receiver.url()).start();
    let shell = Shell::of_ada(&world);
    let address = format!("{}/hook", receiver.url());
    let done = shell.ok(&["webhook", "add", &address, "--kind", "rollout.*,health.*", "--app", "notes"]);
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    assert_eq!((words.len(), words[0], words[2]), (4, "webhook", "secret"), "{done:?}");
    let (id, secret) = (words[1], words[3]);
    assert!(secret.starts_with("whsec_") && done.stderr.contains("it is not shown again"), "{done:?}");
    let table = shell.ok(&["webhook", "list"]).stdout;
    for part in [id, &address, "rollout.*,health.*", "notes"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert!(!table.contains(secret), "{table}");

    let edited = shell.ok(&["webhook", "edit", id, "--name", "on call", "--halt-links", "--json"]).json();
    assert_eq!((&edited["name"], &edited["halt_links"]), (&"on call".into(), &true.into()));
    assert_eq!(shell.ok(&["webhook", "edit", id, "--no-halt-links"]).stdout, "the webhook is changed\n");
    assert!(shell.ok(&["webhook", "list"]).stdout.contains("on call"));

    assert_eq!(shell.ok(&["webhook", "test", id]).stdout, "the receiver took the test message\n");
    assert_eq!(receiver.messages().len(), 1);
    receiver.answer(500);
    let text = shell.run(&["webhook", "test", id]).error(7).to_owned();
    assert_eq!(text, "error: not delivered: the receiver answered 500");

    assert_eq!(shell.ok(&["webhook", "remove", id]).stdout, "the webhook is removed\n");
    for command in ["test", "remove"] {
        let text = shell.run(&["webhook", command, id]).error(5).to_owned();
        assert!(text.contains("`spindrift webhook list` shows the ids"), "{text}");
    }
}

fn what_cannot_be_a_webhook_is_told(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let text =
        |words: &[&str], code: i32| shell.run(&[&["webhook", "add"], words].concat()).error(code).to_owned();
    let nobody = spindrift_tests::WEBHOOKS_TO_NOBODY;
    assert!(
        text(&["https://a.example", "--kind", "*"], 2)
            .contains("it must be an address below http://127.0.0.1:9")
    );
    assert!(text(&[nobody, "--kind", "rolout.*"], 2).contains("not \"rolout.*\""));
    let off = World::builder(driver).with_variable("webhook_origin", "https://webhooks.invalid").start();
    let told_off = Shell::of_ada(&off).run(&["webhook", "list"]).error(4).to_owned();
    assert_eq!(told_off, "error: webhooks are off: the setting webhook_origin names no origin");
    assert!(text(&[nobody, "--kind", "*", "--app", "nots"], 5).contains("unknown application \"nots\""));
}
