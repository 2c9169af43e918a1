//! Webhooks: made, tested and deleted.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Receiver, World, on_hosts};

use super::people::secret;
use super::session::Session;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [a_webhook_comes_and_goes, only_admins_see_webhooks],
}

const SETUP: &str = "/console/setup";

fn webhooks(acme: &Account) -> Vec<Value> {
    acme.get("/webhooks").ok()["webhooks"].as_array().unwrap().clone()
}

fn a_webhook_comes_and_goes(host: Driver) {
    let receiver = Receiver::start();
    let world = World::builder(host).with_variable("webhook_origin", receiver.url()).start();
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    assert!(session.page("setup").contains("No webhooks yet."));
    let elsewhere = [("url", "https://example.com/hook"), ("kinds", "health.*"), ("app", "notes")];
    let page = session.post("setup/webhooks/new", &elsewhere).expect(400).text();
    for part in [
        format!("invalid url: it must be an address below {}", receiver.url()),
        "value=\"https://example.com/hook\"".to_owned(),
        "<option value=\"notes\" selected>".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
    let nothing = session.post("setup/webhooks/new", &[("url", receiver.url())]).expect(400).text();
    assert!(nothing.contains("invalid kinds"), "{nothing}");

    let url = format!("{}/hook", receiver.url());
    let form = [("url", url.as_str()), ("kinds", "health.*"), ("kinds", "rollout.*"), ("app", "notes")];
    let made = secret(&session, &session.post("setup/webhooks/new", &form));

    assert!(made.starts_with("whsec_"), "{made}");
    let [webhook] = &webhooks(&acme)[..] else { panic!("one webhook") };
    assert_eq!((&webhook["url"], &webhook["app"]), (&json!(url), &json!("notes")));
    assert_eq!(webhook["kinds"], json!(["health.*", "rollout.*"]));
    let page = session.page("setup");
    let origin = format!("Webhooks may go to <code>{}</code>", receiver.url());
    assert!(page.contains(&origin) && page.contains("ask the operator"), "{page}");
    assert!(page.contains(&url) && page.contains("health.*, rollout.*"), "{page}");

    let test = format!("setup/webhooks/{}", webhook["id"].as_str().unwrap());
    let edit = format!("{test}/edit");
    assert!(session.page(&edit).contains("name=\"halt_links\" value=\"yes\""));
    assert_eq!(session.submit(&edit, &[("name", "on call"), ("halt_links", "yes")]), SETUP);
    let changed = &webhooks(&acme)[0];
    assert_eq!((&changed["name"], &changed["halt_links"]), (&json!("on call"), &json!(true)));
    assert!(session.page("setup").contains("halt links"));
    let refused = session.post(&edit, &[("name", " ")]).expect(400).text();
    assert!(refused.contains("invalid name"), "{refused}");
    assert_eq!(session.submit(&edit, &[("name", "on call")]), SETUP);
    assert_eq!(webhooks(&acme)[0]["halt_links"], false);
    assert!(session.page(&test).contains("Send a test message?"));
    assert_eq!(session.submit(&test, &[]), SETUP);
    assert_eq!(receiver.messages().len(), 1);
    receiver.answer(500);
    let page = session.post(&test, &[]).expect(502).text();
    assert!(page.contains("not delivered: the receiver answered 500"), "{page}");

    assert!(session.page(&format!("{test}/delete")).contains("Delete this webhook?"));
    assert_eq!(session.submit(&format!("{test}/delete"), &[]), SETUP);
    assert!(webhooks(&acme).is_empty());
    assert_eq!((session.get(&test).status, session.post(&test, &[]).status), (404, 404));
}

fn only_admins_see_webhooks(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let all = json!({ "edit": true, "allowed": [acme.app_id("notes")] });
    let member = Session::of(&world, &team_user(&world, &acme, "ann", all));
    assert!(!member.page("setup").contains("Webhooks"));
    assert_eq!(member.get("setup/webhooks/new").status, 404);
    assert_eq!(
        member.post("setup/webhooks/new", &[("url", "https://a.example"), ("kinds", "*")]).status,
        403
    );
}
