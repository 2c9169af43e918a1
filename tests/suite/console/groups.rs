//! Groups of devices: made, let in on a release, and deleted; and requirements on systems.

mod requirements;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::people::secret;
use super::session::{Session, between};
use super::visitor::Visitor;
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        a_group_comes_and_goes,
        a_group_is_let_in_besides_the_rollout,
        a_choice_of_groups_is_refused_and_stays,
        a_key_is_replaced_after_a_question,
        mistakes_are_told_beside_what_was_entered,
        viewers_see_groups_and_no_forms,
        a_browser_lets_testers_in,
    ],
}

const GROUPS: &str = "apps/notes/groups";

/// Two groups of `notes`, of which its newest release lets one in. It needs a new system on one platform.
pub(super) fn seed(acme: &Account) {
    let group = |name: &str, devices: &[&str]| {
        let body = json!({ "app": "notes", "name": name });
        let made = acme.post_json("/device-groups", body).send().expect(201).json();
        let devices = json!({ "add": devices });
        let _ =
            acme.post_json(&format!("/device-groups/{}/devices", made["id"].as_str().unwrap()), devices).ok();
    };
    group("friends-and-family", &["device-1"]);
    group("qa", &["device-2", "device-3", "device-4"]);
    let newest = format!("/releases/{}", acme.release("2.0.0").id);
    let _ = acme.post_json(&format!("{newest}/offer"), json!({ "groups": ["qa"] })).ok();
    let requires = json!({ "os_version": { "min": "13", "not": ["14.1"] } });
    let _ = acme
        .post_json(&format!("{newest}/requires"), json!({ "platform": "darwin", "requires": requires }))
        .ok();
}

/// An admin with 1.0.0 for everybody, and 2.0.0 for nobody.
struct Scene {
    world: World,
    acme: Account,
    /// The id of 2.0.0.
    id: String,
}

impl Scene {
    fn new(host: Driver) -> Self {
        Self::in_world(World::new(host))
    }

    fn in_world(world: World) -> Self {
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let id = acme.publish(Release::new("2.0.0").rollout(0));
        Self { world, acme, id }
    }

    fn session(&self) -> Session<'_> {
        Session::of(&self.world, &self.acme)
    }

    /// The path of the page of 2.0.0, with further segments.
    fn page(&self, further: &str) -> String {
        format!("apps/notes/releases/{}{further}", self.id)
    }

    /// 2.0.0, as the service answers it.
    fn release(&self) -> Value {
        self.acme.get(&format!("/releases/{}", self.id)).ok()
    }

    /// Makes a group. Returns its id.
    fn group(&self, name: &str) -> String {
        let body = json!({ "app": "notes", "name": name });
        let made = self.acme.post_json("/device-groups", body).send().expect(201).json();
        made["id"].as_str().unwrap().to_owned()
    }

    fn groups(&self) -> Vec<Value> {
        self.acme.get("/device-groups?app=notes").ok()["groups"].as_array().unwrap().clone()
    }

    /// Sends a form of the page of 2.0.0 with the revision that the page shows. Returns who gets it afterwards.
    fn send(&self, form: &str, fields: &[(&str, &str)]) -> String {
        let session = self.session();
        let shown = session.page(&self.page(""));
        let revision = between(&shown, "name=\"if_revision\" value=\"", "\"");
        let _ = session.submit(&self.page(form), &[fields, &[("if_revision", revision)]].concat());
        session.page(&self.page("?tab=who"))
    }

    /// Whether a device with 1.0.0 that is in no list is offered 2.0.0. `said`: further parameters of its check.
    fn is_offered(&self, said: &str) -> bool {
        let path = format!("{}{said}", self.acme.check_path("1.0.0"));
        self.world.get(&path).header("x-device-id", "device-9").ok()["update_available"] == true
    }

    /// The newest entry of the audit log.
    fn newest(&self) -> Value {
        self.acme.get("/audit?limit=1").ok()["items"][0].clone()
    }
}

fn a_group_comes_and_goes(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    assert!(session.page("apps/notes").contains(&format!("href=\"/console/{GROUPS}\"")));
    let page = session.page(GROUPS);
    for part in ["No groups yet.", "Testers get a release before its rollout reaches them."] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(session.page(&scene.page("?tab=who")).contains("Create a group</a>"));

    let made = session.post(GROUPS, &[("name", "qa"), ("reason", "for the fair")]);
    let key = secret(&session, &made);
    assert!(key.starts_with("grp_") && key.len() == 36, "{key}");
    assert!(made.header("location").contains("app=notes"), "its page leads back: {:?}", made.headers);
    let entry = scene.newest();
    assert_eq!((&entry["kind"], &entry["reason"]), (&json!("group.create"), &json!("for the fair")));

    let [group] = &scene.groups()[..] else { panic!("one group") };
    let own = format!("{GROUPS}/{}", group["id"].as_str().unwrap());
    let page = session.page(GROUPS);
    assert!(page.contains("qa</th>") && page.contains(&own) && !page.contains(&key), "{page}");
    assert!(!session.page(&own).contains(&key));

    let devices = [("action", "add"), ("devices", "device-1\r\n\r\n device-2 \r\n"), ("reason", "new ones")];
    assert_eq!(session.submit(&own, &devices), format!("/console/{own}"));
    assert_eq!(scene.groups()[0]["devices"], 2);
    let _ = session.submit(&own, &[("action", "remove"), ("devices", "device-1")]);
    assert_eq!(scene.groups()[0]["devices"], 1);
    assert!(session.page(GROUPS).contains("<td class=\"value\">1</td>"));

    let delete = format!("{own}/delete");
    assert!(session.page(&delete).contains("Delete this group?"));
    assert_eq!(session.submit(&delete, &[]), format!("/console/{GROUPS}"));
    assert!(scene.groups().is_empty());
    assert_eq!((session.get(&own).status, session.post(&delete, &[]).status), (404, 404));
}

fn a_group_is_let_in_besides_the_rollout(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    let key = secret(&session, &session.post(GROUPS, &[("name", "qa")]));
    let _ = scene.group("beta");
    let id = scene.groups().iter().find(|group| group["name"] == "qa").unwrap()["id"].clone();
    let own = format!("{GROUPS}/{}", id.as_str().unwrap());
    let _ = session.submit(&own, &[("action", "add"), ("devices", "device-2")]);
    let offers = |device: &str| scene.acme.check_as(device, "1.0.0")["update_available"] == true;
    assert!(!offers("device-2") && !scene.is_offered(&format!("&group={key}")));

    let page = scene.send("/groups", &[("groups", "qa"), ("reason", "try it")]);

    assert!(offers("device-2") && !offers("device-1"));
    assert!(scene.is_offered(&format!("&group={key}")) && !scene.is_offered(""));
    assert_eq!(scene.release()["offers"][0]["groups"], json!(["qa"]));
    assert_eq!(scene.newest()["reason"], "try it");
    let section = between(&page, "id=\"groups\"", "</section>");
    assert!(section.contains("value=\"qa\" checked>") && section.contains("value=\"beta\">"), "{section}");
    assert!(page.contains("It is also offered to devices in these groups: qa."), "{page}");
    for (first, second) in [("id=\"rollout\"", "id=\"groups\""), ("value=\"halt\"", "id=\"requirements\"")] {
        assert!(page.find(first) < page.find(second), "{first}: {page}");
    }

    let delete = format!("{own}/delete");
    let refused = session.post(&delete, &[]).expect(409).text();
    for part in
        ["role=\"alert\">a release lets the group in</p>", "Delete this group?", ">Delete the group</button>"]
    {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let page = scene.send("/groups", &[]);
    assert_eq!(scene.release()["offers"][0].get("groups"), None);
    assert!(!page.contains("is also offered") && !offers("device-2"), "{page}");
    let _ = session.submit(&delete, &[]);
    assert_eq!(scene.groups().len(), 1);
}

fn a_choice_of_groups_is_refused_and_stays(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    let names: Vec<String> = (1..=9).map(|n| format!("group-{n}")).collect();
    for name in &names {
        let _ = scene.group(name);
    }
    let chosen: Vec<(&str, &str)> = names.iter().map(|name| ("groups", name.as_str())).collect();
    let form = [&chosen[..], &[("part", "groups"), ("reason", "try it")]].concat();
    let page = session.post(&scene.page("/groups"), &form).expect(400).text();
    let section = between(&page, "id=\"groups\"", "</section>");
    assert!(section.contains("role=\"alert\">invalid groups: a list of up to 8 names, not "), "{section}");
    assert_eq!(section.matches(" checked>").count(), 9, "{section}");
    assert!(section.contains("value=\"try it\""), "{section}");
    assert_eq!(page.matches("role=\"alert\"").count(), 1, "{page}");

    let old = scene.release()["offers"][0]["revision"].to_string();
    let _ = scene.send("/groups", &[("groups", "group-1")]);
    let form = [("part", "groups"), ("groups", "group-2"), ("if_revision", old.as_str())];
    let page = session.post(&scene.page("/groups"), &form).expect(409).text();
    let section = between(&page, "id=\"groups\"", "</section>");
    for part in ["nothing was done. Let in: group-1.", "value=\"group-2\" checked>", "value=\"group-1\">"] {
        assert!(section.contains(part), "{part}: {section}");
    }
    assert_eq!(scene.release()["offers"][0]["groups"], json!(["group-1"]));
}

fn a_key_is_replaced_after_a_question(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    let old = secret(&session, &session.post(GROUPS, &[("name", "qa")]));
    let _ = scene.send("/groups", &[("groups", "qa")]);
    let path = format!("{GROUPS}/{}/key", scene.groups()[0]["id"].as_str().unwrap());
    let question = session.page(&path);
    assert!(question.contains("ends at once") && !question.contains(&old), "{question}");
    assert!(scene.is_offered(&format!("&group={old}")), "a question replaces nothing");

    let new = secret(&session, &session.post(&path, &[]));

    assert_ne!(new, old);
    assert!(scene.is_offered(&format!("&group={new}")) && !scene.is_offered(&format!("&group={old}")));
}

fn mistakes_are_told_beside_what_was_entered(host: Driver) {
    let scene = Scene::new(host);
    let session = scene.session();
    let id = scene.group("qa");
    for (name, status, told) in [
        ("qa", 409, "group already exists"),
        ("a/b", 400, "invalid name parameter"),
        (" ", 400, "missing name"),
    ] {
        let page = session.post(GROUPS, &[("name", name), ("reason", "new")]).expect(status).text();
        assert!(page.contains(told) && page.contains("value=\"new\""), "{name}: {page}");
        assert!(page.contains(&format!("name=\"name\" value=\"{}\"", name.trim())), "{name}: {page}");
    }
    let own = format!("{GROUPS}/{id}");
    let long = "d".repeat(129);
    for (devices, told) in [
        (" ", "enter the ids of devices, one per line"),
        ("device-1\r\nü", "line 2 is not a device id: 1 to 128 printable ASCII characters"),
        (&long, "line 1 is not a device id"),
    ] {
        let page = session.post(&own, &[("action", "add"), ("devices", devices)]).expect(400).text();
        let entered = devices.replace("\r\n", "\n");
        let field = between(&page, "<textarea", "</textarea>").replace("\r\n", "\n");
        assert!(page.contains(told) && field.ends_with(&format!(">{entered}")), "{devices}: {page}");
    }
    let many: Vec<String> = (0..=1000).map(|n| format!("device-{n}")).collect();
    let page = session.post(&own, &[("action", "add"), ("devices", &many.join("\r\n"))]).expect(409).text();
    assert!(page.contains("a group has at most 1000 devices") && page.contains("device-1000"), "{page}");
    assert_eq!(scene.groups()[0]["devices"], 0);
}

fn viewers_see_groups_and_no_forms(host: Driver) {
    let scene = Scene::new(host);
    let id = scene.group("qa");
    let _ = scene.send("/groups", &[("groups", "qa")]);
    let allowed = json!({ "allowed": [scene.acme.app_id("notes")] });
    let viewer = team_user(&scene.world, &scene.acme, "viewer", allowed);
    let session = Session::of(&scene.world, &viewer);
    let page = session.page(GROUPS);
    assert!(page.contains("qa</th>") && !page.contains("Create a group"), "{page}");
    let page = session.page(&scene.page("?tab=who"));
    assert!(page.contains("Let in: qa.") && !page.contains("name=\"groups\""), "{page}");
    assert!(!page.contains("Set requirements"), "{page}");

    let own = format!("{GROUPS}/{id}");
    for path in [own.clone(), format!("{own}/key"), format!("{own}/delete")] {
        assert_eq!(session.get(&path).status, 404, "{path}");
        assert_eq!(session.post(&path, &[("action", "add"), ("devices", "d")]).status, 403, "{path}");
    }
    assert_eq!(session.post(GROUPS, &[("name", "mine")]).status, 403);
    assert_eq!(session.post(&scene.page("/groups"), &[("part", "groups")]).status, 403);
    assert_eq!(session.post(&scene.page("/requires"), &[("min", "12")]).status, 403);
    assert_eq!(scene.groups().len(), 1);
    assert_eq!(scene.release()["offers"][0]["groups"], json!(["qa"]));

    let bob = scene.world.admin("bob");
    let stranger = Session::of(&scene.world, &bob);
    assert_eq!((stranger.get(GROUPS).status, stranger.get(&own).status), (404, 404));
    assert_eq!(stranger.post(GROUPS, &[("name", "mine")]).status, 404);
}

fn a_browser_lets_testers_in(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let Visitor { world, browser, url } = visitor;
    let scene = Scene::in_world(world);
    let visitor = Visitor { world: scene.world, browser, url };
    visitor.log_in("acme");
    visitor.go("apps/notes");
    visitor.browser.press("Groups (testers)");
    visitor.browser.fill("[name=name]", "qa");
    visitor.browser.press("Create");
    visitor.is_told("is shown only once");
    let key = visitor.browser.text_of(".secret code");
    visitor.browser.press("Done");
    visitor.arrives_at("/console/apps/notes/groups");
    visitor.browser.press("Devices");
    visitor.browser.fill("[name=devices]", "device-1\ndevice-2");
    visitor.browser.press("Add them");
    visitor.is_told("Saved.");

    visitor.go(&format!("apps/notes/releases/{}?tab=who", scene.id));
    visitor.browser.click("[name=groups][value=qa]");
    visitor.browser.press("Save the groups");
    visitor.is_told("also offered to devices in these groups: qa");
    visitor.browser.click("#requirements summary");
    visitor.browser.fill("[name=min]", "twelve");
    visitor.browser.press("Save the requirements");
    visitor.is_told("invalid requires: min");
    let focused = visitor.browser.run("return [document.activeElement.name, document.activeElement.value]");
    assert_eq!(focused, json!(["min", "twelve"]));
    visitor.browser.fill("[name=min]", "12");
    visitor.browser.press("Save the requirements");
    visitor.is_told("12 or later");

    let check = |said: &str| {
        let path = format!("{}&group={key}{said}", scene.acme.check_path("1.0.0"));
        visitor.world.get(&path).ok()["update_available"] == true
    };
    assert!(check("&os_version=12.1") && !check("&os_version=11") && !check(""));
}
