//! The pages behind a halt link: without a login, a cookie or a script.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Receiver, Release, World, on_hosts, until};

use crate::audit::{last, newest};
use crate::halt_links::token;
use crate::webhooks::SOON;

on_hosts! {
    every: [],
    hosted: [a_link_opens_a_page_with_one_button, a_link_that_ended_says_why],
}

struct Scene {
    world: World,
    acme: Account,
    release: String,
    webhook: String,
    token: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let receiver = Receiver::start();
        let world = World::builder(host).with_variable("webhook_origin", receiver.url()).start();
        let acme = world.admin("acme").with_notes();
        let release = acme.publish(Release::new("2.0"));
        let body =
            json!({ "url": receiver.url(), "name": "on call", "kinds": ["rollout.*"], "halt_links": true });
        let webhook = acme.post_json("/webhooks", body).send().expect(201).json();
        let order = json!({ "action": "set", "percent": 50 });
        let _ = acme.post_json(&format!("/releases/{release}/rollout"), order).send().expect(200);
        let message = until("the message", SOON, || receiver.messages().into_iter().next());
        let message: Value = serde_json::from_slice(&message.body).unwrap();
        let webhook = webhook["id"].as_str().unwrap().to_owned();
        Self { acme, release, webhook, token: token(&message), world }
    }

    /// Opens the link as a chat's browser does.
    fn open(&self) -> Answer {
        let call = self.world.get(&format!("/console/halt?token={}", self.token));
        safe(call.header("sec-fetch-site", "cross-site").header("sec-fetch-mode", "navigate").send())
    }

    /// Sends the page's form. Its page sends no `Referer`, and so a browser sends `null` as its origin.
    fn press(&self) -> Answer {
        let call = self.world.client().post_form("/console/halt", &[("token", &self.token)]);
        safe(call.header("origin", "null").send())
    }

    fn state(&self) -> String {
        let release = self.acme.get(&format!("/releases/{}", self.release)).ok();
        release["offers"][0]["rollout"]["state"].as_str().unwrap().to_owned()
    }
}

/// The page leaks its address to nobody, and leaves nothing in the browser.
fn safe(answer: Answer) -> Answer {
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert!(answer.header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!(answer.header("set-cookie"), "");
    assert!(!answer.text().contains("src=\"http"), "it loads only its own files: {}", answer.text());
    answer
}

fn a_link_opens_a_page_with_one_button(host: Driver) {
    let scene = Scene::new(host);
    let before = last(&scene.acme);
    for _ in 0..2 {
        let page = scene.open().expect(200).text();
        assert!(page.contains("<h1>Halt notes 2.0 in stable?</h1>"), "{page}");
        assert!(page.contains("type=\"submit\">Halt notes 2.0 in stable</button>"), "{page}");
        assert_eq!((page.matches("<form").count(), page.matches("<nav").count()), (1, 0), "{page}");
    }
    assert_eq!((scene.state().as_str(), last(&scene.acme)), ("fixed", before), "looking changes nothing");

    let page = scene.press().expect(200).text();

    assert!(page.contains("<h1>notes 2.0 in stable is halted</h1>"), "{page}");
    assert_eq!(scene.state(), "halted");
    let entry = newest(&scene.acme);
    assert_eq!(entry["actor"], json!({ "type": "webhook", "id": scene.webhook, "name": "on call" }));
    let reason = entry["reason"].as_str().unwrap();
    assert!(reason.ends_with("from 127.0.0.1"), "the browser's address, not the console's: {reason}");
    let again = scene.press().expect(410).text();
    assert!(
        again.contains("This link halts nothing") && again.contains("this link has been used"),
        "{again}"
    );
    let history = super::session::Session::of(&scene.world, &scene.acme).page("history");
    assert!(history.contains("on call"), "{history}");
}

fn a_link_that_ended_says_why(host: Driver) {
    let scene = Scene::new(host);
    let cut = safe(scene.world.get("/console/halt?token=w.1.2").send()).expect(404).text();
    assert!(cut.contains("this link is not valid"), "{cut}");
    let nothing = safe(scene.world.get("/console/halt").send()).expect(404).text();
    assert!(nothing.contains("this link is not valid"), "{nothing}");
    let _ = scene.acme.delete(&format!("/webhooks?id={}", scene.webhook)).send().expect(200);
    for answer in [scene.open(), scene.press()] {
        let page = answer.expect(410).text();
        assert!(page.contains("this link was revoked") && page.contains("Nothing was changed."), "{page}");
    }
    assert_eq!(scene.state(), "fixed");
}
