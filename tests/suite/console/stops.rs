//! Schedules, withdrawals and shut-offs: the forms, and what the service makes of them.

use serde_json::{Value, json};
use spindrift_api::TokensBody;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::session::{Session, between, unescaped};
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        a_draft_is_scheduled_and_taken_back,
        a_schedule_is_changed_and_ends_by_publishing,
        a_change_by_somebody_else_is_told_beside_the_schedule,
        a_release_is_unpublished,
        a_withdrawal_asks_why_and_ends_by_restoring,
        everything_is_stopped_and_goes_on,
        only_the_chosen_clients_are_stopped,
        others_see_stops_and_change_none,
        a_client_is_told_of_stops,
        a_ci_token_gets_the_chosen_rights,
    ],
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

/// A time ahead, as a browser writes it, and as the service does.
fn in_hours(hours: i64) -> (String, String) {
    let at = (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(hours)).to_string();
    (at[..16].to_owned(), format!("{}:00+00:00", &at[..16]))
}

fn headline(page: &str) -> String {
    unescaped(between(page, "<p class=\"headline\"><strong>", "</strong>"))
}

fn a_draft_is_scheduled_and_taken_back(host: Driver) {
    let scene = Scene::new(host);
    let (field, time) = in_hours(30);
    let shown = scene.session().page(&scene.page(""));
    assert!(shown.contains(">Publish now</button>") && shown.contains("Publish at (UTC)"), "{shown}");
    assert!(!shown.contains("Take the schedule back"), "{shown}");

    let form = [("action", "schedule"), ("publish_at", field.as_str()), ("reason", "the fair begins")];
    let page = scene.send("/offer", &form);

    let told = format!("Scheduled: clients see it from <time datetime=\"{time}\"");
    assert!(headline(&page).starts_with(&told), "{page}");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("scheduled"), &json!(time)));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.schedule"), &json!("the fair begins")));
    assert_eq!(scene.version(), "1.0.0");
    assert!(page.contains("data-stop disabled>Halt</button>"), "{page}");
    assert!(page.contains(&format!("name=\"publish_at\" value=\"{field}\"")), "{page}");
    let list = scene.session().page("apps/notes");
    assert!(list.contains(&format!(">scheduled</span> <time datetime=\"{time}\"")), "{list}");

    let page = scene.send("/offer", &[("action", "draft"), ("publish_at", &field)]);
    assert_eq!(headline(&page), "Draft: nobody sees it");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("draft"), &Value::Null));

    for (at, told) in [
        ("", "choose a date and a time first"),
        ("tomorrow", "invalid publish_at: a time as in RFC 3339"),
        ("2999-01-01T00:00", "invalid publish_at: at most 366 days ahead"),
    ] {
        let form = [("part", "publication"), ("action", "schedule"), ("publish_at", at), ("reason", "go")];
        let answer = scene.session().post(&scene.page("/offer"), &form);
        let page = answer.text();
        assert!(answer.status >= 400 && page.contains(told), "{at}: {page}");
        assert!(page.contains(&format!("name=\"publish_at\" value=\"{at}\"")), "{at}: {page}");
        assert_eq!(
            page.matches("name=\"reason\" maxlength=\"500\" autocomplete=\"off\" value=\"go\"").count(),
            1
        );
    }
    assert_eq!(scene.offer()["state"], "draft");
}

fn a_schedule_is_changed_and_ends_by_publishing(host: Driver) {
    let scene = Scene::new(host);
    let ((one, _), (two, time)) = (in_hours(30), in_hours(50));
    let plan = [("action", "start"), ("plan", "10:1d,100")];
    let _ = scene.send("/rollout", &plan);
    let page = scene.send("/offer", &[("action", "schedule"), ("publish_at", &one)]);
    assert!(page.contains("The plan begins then: 10 % of devices may have it"), "{page}");

    let _ = scene.send("/offer", &[("action", "schedule"), ("publish_at", &two)]);
    assert_eq!(scene.offer()["publish_at"], time);

    let page = scene.send("/offer", &[("action", "publish"), ("publish_at", &two)]);
    assert!(headline(&page).starts_with("Offered to 10 % of devices"), "{page}");
    let offer = scene.offer();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&json!("published"), &Value::Null));
    assert_eq!(offer["rollout"]["next"]["percent"], 100);
    assert_eq!(scene.newest()["kind"], "release.publish");
    assert!(!page.contains("Publish now") && page.contains(">Make it a draft</button>"), "{page}");
}

fn a_change_by_somebody_else_is_told_beside_the_schedule(host: Driver) {
    let scene = Scene::new(host);
    let revision = scene.offer()["revision"].to_string();
    let change = json!({ "publish_at": in_hours(30).1 });
    let _ = scene.acme.post_json(&format!("/releases/{}/offer", scene.draft), change).ok();

    let form = [("part", "publication"), ("action", "publish"), ("if_revision", revision.as_str())];
    let page = scene.session().post(&scene.page("/offer"), &form).expect(409).text();

    let told = "somebody else has changed the release meanwhile: nothing was done. \
                Now it is: Scheduled: clients see it from <time";
    assert!(page.contains(told), "{page}");
    assert_eq!(scene.offer()["state"], "scheduled");
    // Taking it back is a stop, which nothing holds up.
    let form = [("action", "draft"), ("if_revision", revision.as_str())];
    let _ = scene.session().submit(&scene.page("/offer"), &form);
    assert_eq!(scene.offer()["state"], "draft");
}

fn a_release_is_unpublished(host: Driver) {
    let scene = Scene::published(host);
    assert_eq!(scene.version(), "2.0.0");

    let page = scene.send("/offer", &[("action", "draft"), ("reason", "too early")]);

    assert_eq!(headline(&page), "Draft: nobody sees it");
    assert_eq!((scene.offer()["state"].clone(), scene.version()), (json!("draft"), "1.0.0".to_owned()));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.unpublish"), &json!("too early")));
}

fn a_withdrawal_asks_why_and_ends_by_restoring(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    assert!(
        session.page(&scene.page("")).contains(&format!("{}\">Withdraw it</a>", scene.page("/withdraw")))
    );
    let question = session.page(&scene.page("/withdraw"));
    for part in
        ["Withdraw notes 2.0.0?", "Clients that run the version are shown this", "required maxlength=\"200\""]
    {
        assert!(question.contains(part), "{part}: {question}");
    }
    for (reason, told) in
        [(" ", "missing reason"), (&*"x".repeat(201), "invalid reason: at most 200 characters")]
    {
        let page = session.post(&scene.page("/withdraw"), &[("reason", reason)]).expect(400).text();
        assert!(page.contains(told) && page.contains(&format!("value=\"{reason}\"")), "{page}");
    }
    assert_eq!(scene.version(), "2.0.0");

    let _ = session.submit(&scene.page("/withdraw"), &[("reason", "it deletes <files>")]);

    let release = scene.release();
    assert_eq!(release["withdrawn"]["reason"], "it deletes <files>");
    assert_eq!((&release["offers"][0]["state"], scene.version().as_str()), (&json!("withdrawn"), "1.0.0"));
    assert_eq!(scene.acme.check("2.0.0")["withdrawn"]["reason"], "it deletes <files>");
    let page = session.page(&scene.page(""));
    let at = release["withdrawn"]["at"].as_str().unwrap();
    assert!(headline(&page).starts_with(&format!("Withdrawn on <time datetime=\"{at}\"")), "{page}");
    assert!(headline(&page).ends_with(": it deletes <files>"), "{page}");
    for absent in ["Publish now", "class=\"stages\"", "Start a plan", "Withdraw it"] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    assert!(session.page("apps/notes").contains(">withdrawn</span>"));

    let again = session.page(&scene.page("/withdraw"));
    assert!(again.contains("value=\"it deletes &lt;files&gt;\""), "{again}");
    let _ = session.submit(&scene.page("/withdraw"), &[("reason", "it deletes all files")]);
    assert_eq!(scene.release()["withdrawn"]["reason"], "it deletes all files");
    // A page that still shows the release as it was.
    let late = session.post(&scene.page("/offer"), &[("action", "publish")]).expect(409).text();
    assert!(late.contains("the release is withdrawn: restore the release first"), "{late}");

    let page = scene.send("/restore", &[("reason", "a false alarm")]);
    assert_eq!(headline(&page), "Draft: nobody sees it");
    let release = scene.release();
    assert_eq!((&release["withdrawn"], &release["offers"][0]["state"]), (&Value::Null, &json!("draft")));
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("release.restore"), &json!("a false alarm")));
    let late = session.post(&scene.page("/restore"), &[]).expect(409).text();
    assert!(late.contains("the release is not withdrawn"), "{late}");
}

/// The shut-offs of `notes`, as the service answers them.
fn shutoffs(acme: &Account) -> Vec<Value> {
    acme.get("/shutoffs?app=notes").ok()["shutoffs"].as_array().unwrap().clone()
}

fn everything_is_stopped_and_goes_on(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    assert!(session.page("apps/notes").contains("/console/apps/notes/stop\">Stop everything</a>"));
    let question = session.page("apps/notes/stop");
    for part in [
        "Stop updates of notes?",
        "<option value=\"\" selected>all</option>",
        "name=\"reason\" value=\"\" required",
    ] {
        assert!(question.contains(part), "{part}: {question}");
    }
    let page = session.post("apps/notes/stop", &[("platform", "linux"), ("reason", "")]).expect(400).text();
    assert!(page.contains("missing reason") && page.contains("<option value=\"linux\" selected>"), "{page}");
    assert!(shutoffs(&scene.acme).is_empty());

    let form = [("channel", ""), ("platform", ""), ("reason", "updates <do> not start")];
    assert_eq!(session.submit("apps/notes/stop", &form), "/console/apps/notes");

    let [shutoff] = &shutoffs(&scene.acme)[..] else { panic!("one shut-off") };
    assert_eq!((&shutoff["channel"], &shutoff["platform"]), (&json!(""), &json!("")));
    let answer = scene.acme.check_as("device", "1.0.0");
    assert_eq!((&answer["update_available"], &answer["shut_off"]), (&json!(false), &json!(true)));
    let since = format!("(by acme, <time datetime=\"{}\"", shutoff["created_at"].as_str().unwrap());
    let page = session.page("apps/notes");
    for part in ["Updates are shut off for all clients: </strong>updates &lt;do&gt; not start", &since] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let overview = session.page("");
    assert!(
        overview.contains("Updates are shut off for all clients: updates &lt;do&gt; not start"),
        "{overview}"
    );
    assert!(session.page(&scene.page("")).contains("Updates are shut off for clients of its channel"));

    let lift = format!("apps/notes/shutoffs/{}/lift", shutoff["id"].as_str().unwrap());
    assert!(page.contains(&format!("href=\"/console/{lift}\">Lift it</a>")), "{page}");
    assert!(session.page(&lift).contains("Lift this shut-off?"));
    assert_eq!(session.submit(&lift, &[]), "/console/apps/notes");
    assert!(shutoffs(&scene.acme).is_empty());
    assert_eq!(scene.version(), "2.0.0");
    assert!(!session.page("apps/notes").contains("shut off"));
    assert_eq!((session.get(&lift).status, session.post(&lift, &[]).status), (404, 404));
}

fn only_the_chosen_clients_are_stopped(host: Driver) {
    let scene = Scene::published(host);
    scene.acme.create_channel("beta");
    scene.acme.create_platform("windows");
    let session = scene.session();
    for (channel, platform, told, version) in [
        ("beta", "", "clients in the channel beta", "2.0.0"),
        ("", "windows", "clients on windows", "2.0.0"),
        ("stable", "linux", "clients in the channel stable on linux", "1.0.0"),
    ] {
        let form = [("channel", channel), ("platform", platform), ("reason", "x")];
        let _ = session.submit("apps/notes/stop", &form);
        let newest = shutoffs(&scene.acme).pop().unwrap();
        assert_eq!((&newest["channel"], &newest["platform"]), (&json!(channel), &json!(platform)));
        let page = session.page("apps/notes");
        assert!(page.contains(&format!("Updates are shut off for {told}: ")), "{told}: {page}");
        assert_eq!(scene.version(), version, "{told}");
    }
    let gone = session.post("apps/notes/stop", &[("channel", "nightly"), ("reason", "x")]).expect(404).text();
    assert!(
        gone.contains("channel not found") && gone.contains("<option value=\"nightly\" selected>"),
        "{gone}"
    );
    assert_eq!(shutoffs(&scene.acme).len(), 3);
}

fn others_see_stops_and_change_none(host: Driver) {
    let scene = Scene::published(host);
    let session = scene.session();
    let _ = session.submit("apps/notes/stop", &[("reason", "updates do not start")]);
    let shutoff = shutoffs(&scene.acme)[0]["id"].as_str().unwrap().to_owned();
    let allowed = json!({ "allowed": [scene.acme.app_id("notes")] });
    let viewer = team_user(&scene.world, &scene.acme, "viewer", allowed);
    let viewer = Session::of(&scene.world, &viewer);

    let page = viewer.page("apps/notes");
    assert!(page.contains("updates do not start") && !page.contains("Lift it"), "{page}");
    assert!(!page.contains("Stop everything"), "{page}");
    let page = viewer.page(&scene.page(""));
    for absent in ["Withdraw it", "Make it a draft", "name=\"reason\""] {
        assert!(!page.contains(absent), "{absent}: {page}");
    }
    for (path, form) in [
        (scene.page("/offer"), &[("action", "draft")][..]),
        (scene.page("/withdraw"), &[("reason", "x")]),
        (scene.page("/restore"), &[]),
        ("apps/notes/stop".to_owned(), &[("channel", "stable"), ("reason", "x")]),
        (format!("apps/notes/shutoffs/{shutoff}/lift"), &[]),
    ] {
        assert_eq!(viewer.post(&path, form).status, 403, "{path}");
    }
    assert_eq!((scene.offer()["state"].clone(), shutoffs(&scene.acme).len()), (json!("published"), 1));
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
    assert_eq!(form.matches("name=\"may\"").count(), 4);
    let app = scene.acme.app_id("notes");
    let none = session.post("people/tokens/new", &[("name", "ci"), ("apps", &app)]).expect(400).text();
    assert!(none.contains("invalid may: a list of upload, publish, stop and roll"), "{none}");

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
