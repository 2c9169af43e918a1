//! Schedules, withdrawals and shut-offs: the forms, and what the service makes of them.

mod publication;
mod shutoffs;

use serde_json::{Value, json};
use spindrift_api::TokensBody;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::session::{Session, between};

on_hosts! {
    every: [],
    hosted: [a_client_is_told_of_stops, a_ci_token_gets_the_chosen_rights],
}

/// A logged-in admin with 1.0.0, and a draft of 2.0.0.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    draft: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let draft = acme.upload(&Release::new("2.0.0"));
        Self { world, acme, draft }
    }

    fn published(host: Driver) -> Self {
        let scene = Self::new(host);
        let _ = scene.acme.edit(&scene.draft, json!({ "publish": true })).expect(200);
        scene
    }

    fn session(&self) -> Session<'_> {
        Session::of(&self.world, &self.acme)
    }

    /// The path of the page of 2.0.0, with further segments.
    fn page(&self, further: &str) -> String {
        format!("apps/notes/releases/{}{further}", self.draft)
    }

    /// 2.0.0, as the service answers it.
    fn release(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.draft)).ok()
    }

    fn offer(&self) -> Value {
        self.release()["offers"][0].clone()
    }

    /// Sends a form of the page of 2.0.0 with the revision that the page shows. Returns the page afterwards.
    fn send(&self, form: &str, fields: &[(&str, &str)]) -> String {
        let session = self.session();
        let shown = session.page(&self.page(""));
        let revision = between(&shown, "name=\"if_revision\" value=\"", "\"");
        let fields = [fields, &[("if_revision", revision)]].concat();
        let _ = session.submit(&self.page(form), &fields);
        session.page(&self.page(""))
    }

    /// The version that a device with 1.0.0 is offered or keeps.
    fn version(&self) -> String {
        self.acme.check_as("device", "1.0.0")["version"].as_str().unwrap_or_default().to_owned()
    }

    /// The newest entry of the audit log.
    fn newest(&self) -> Value {
        self.acme.get("/audit?limit=1").ok()["items"][0].clone()
    }
}

fn a_client_is_told_of_stops(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    let page_of = |version: &str| {
        let place = "channel=stable&platform=linux&arch=amd64&updater=manual";
        session.page(&format!("apps/notes/client?version={version}&{place}"))
    };
    let _ = scene
        .acme
        .post_json(&format!("/releases/{}/withdraw", scene.draft), json!({ "reason": "broken" }))
        .ok();
    scene.acme.publish(Release::new("2.1.0"));

    let page = page_of("2.0.0");
    assert!(page.contains("Its version 2.0.0 was withdrawn: broken"), "{page}");
    assert!(page.contains("is offered <strong>2.1.0</strong>") && !page.contains("does not agree"), "{page}");

    let _ = session.submit("apps/notes/stop", &[("reason", "updates do not start")]);
    let page = page_of("1.0.0");
    assert!(page.contains("Updates are shut off for this client: it is offered nothing newer"), "{page}");
    assert!(!page.contains("role=\"alert\""), "{page}");
}

fn a_ci_token_gets_the_chosen_rights(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    let form = session.page("people/tokens/new");
    assert!(form.contains("name=\"may\" value=\"upload\" checked"), "{form}");
    assert_eq!(form.matches("name=\"may\"").count(), 5);
    let app = scene.acme.app_id("notes");
    let none = session.post("people/tokens/new", &[("name", "ci"), ("apps", &app)]).expect(400).text();
    assert!(none.contains("invalid may: a list of upload, publish, stop, roll and guard"), "{none}");

    let form = [("name", "night watch"), ("apps", &*app), ("may", "publish"), ("may", "stop")];
    let answer = session.post("people/tokens/new", &form).expect(303);
    let [shown, _] = session.follow(&answer);
    let token =
        between(between(&shown.text(), "<p class=\"secret\">", "</p>"), "<code>", "</code>").to_owned();

    let tokens = scene.acme.get("/token/list").read::<TokensBody>().tokens;
    assert_eq!(tokens[0].entry.may, ["publish", "stop"]);
    assert!(session.page("people").contains("<td>publish, stop</td>"));
    let ci = scene.acme.with_credential(&token);
    let call = |action: &str, body: Value| {
        ci.post_json(&format!("/releases/{}/{action}", scene.draft), body).send().status
    };
    assert_eq!(call("offer", json!({ "publish": true })), 200);
    assert_eq!(call("rollout", json!({ "action": "halt" })), 200);
    assert_eq!(call("rollout", json!({ "action": "resume" })), 403);
    assert_eq!(ci.init(&Release::new("3.0.0")).status, 403);
}
