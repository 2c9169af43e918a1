//! The history: on its page, on those of releases, and on the overview.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Release, World, on_hosts};

use super::session::{Session, between, unescaped};
use crate::reports::team_user;

on_hosts! {
    every: [],
    hosted: [
        changes_are_told_with_their_fields,
        a_filter_shows_its_entries,
        older_entries_are_on_further_pages,
        only_things_that_are_there_are_linked,
        a_team_user_sees_its_applications,
        the_log_is_handed_out_to_admins,
        a_release_shows_what_it_can_without_the_log,
    ],
}

const NOTHING: &str = "No entry matches.";

/// The texts of the entries on a page, in its order.
fn told(page: &str) -> Vec<String> {
    let cells = page.split("<td class=\"did\">").skip(1).map(|rest| rest.split("</td>").next().unwrap());
    let text = |cell: &str| {
        let cell = cell.split("<details").next().unwrap();
        let words: String = cell.split('<').map(|part| part.rsplit('>').next().unwrap()).collect();
        unescaped(&words)
    };
    cells.map(text).collect()
}

/// The same without changed fields.
fn deeds(page: &str) -> Vec<String> {
    told(page).iter().map(|text| text.split(": ").next().unwrap().to_owned()).collect()
}

fn changes_are_told_with_their_fields(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let id = acme.publish(Release::new("1.0.0"));
    let _ = acme.edit(&id, json!({ "intermediate": true })).expect(200);
    let release = format!("apps/notes/releases/{id}");
    let tab = format!("{release}?tab=history");
    let form = [("part", "offer"), ("critical", "on"), ("intermediate", "on"), ("was_intermediate", "on")];
    let _ = session.submit(&release, &form);

    let by_console = "changed notes 1.0.0 in stable: critical from no to yes";
    let by_call = "changed notes 1.0.0 in stable: intermediate from no to yes";
    for (path, entries) in [("history", 2), ("", 2), (tab.as_str(), 2)] {
        let page = session.page(path);
        let told = told(&page);
        assert_eq!(told[..entries], [by_console, by_call], "{path}: {page}");
        assert!(page.contains(">acme</a></td>"), "{path}: {page}");
    }
    let history = session.page("history");
    assert!(history.contains("<th scope=\"row\">critical</th><td>no</td><td>yes</td>"), "{history}");
    let link = format!("<a href=\"/console/{release}\">changed notes 1.0.0 in stable</a>: critical");
    assert!(history.contains(&link), "{history}");
    assert!(deeds(&history).contains(&"created the application notes".to_owned()), "{history}");

    let page = session.page(&tab);
    let all = format!("/console/history?release={id}");
    assert!(page.contains(&format!("<a href=\"{all}\">Show in the history</a>")), "{page}");
    let only = session.page(&all["/console/".len()..]);
    assert_eq!(told(&only), told(&page));
    assert!(only.contains("Only notes 1.0.0"), "{only}");
}

fn a_filter_shows_its_entries(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let ci = acme.ci_token(&[&acme.app_id("notes")]);
    acme.create_app("other");
    ci.publish(Release::new("1.0.0"));
    let session = Session::of(&world, &acme);
    let shown = |query: &str| deeds(&session.page(&format!("history?{query}")));

    let tokens = acme.get("/token/list").ok();
    let by_token = shown(&format!("actor={}", tokens["tokens"][0]["id"].as_str().unwrap()));
    assert_eq!(by_token, ["uploaded notes 1.0.0 in stable"]);
    assert_eq!(shown("kind=release.*"), by_token);
    assert_eq!(shown("actor=ci"), by_token);
    assert_eq!(shown("app=other"), ["created the application other"]);
    assert_eq!(shown("kind=app.create&app=notes"), ["created the application notes"]);
    // Midnight may be between them.
    let [last, first] = ["desc", "asc"].map(|order| acme.get(&format!("/audit?limit=1&order={order}")).ok());
    let [from, to] = [first, last].map(|log| log["items"][0]["at"].as_str().unwrap()[..10].to_owned());
    assert_eq!(shown(&format!("from={from}&to={to}")), shown(""));

    for query in ["to=2020-01-01", "from=9999-01-01", "kind=user.*", "actor=nobody"] {
        let page = session.page(&format!("history?{query}"));
        assert!(page.contains(NOTHING) && page.contains("Show all entries"), "{query}: {page}");
    }
    let page = session.page("history?kind=release.*&from=2026-01-01");
    for part in [
        "<option value=\"release.*\" selected>everything about releases</option>",
        "name=\"from\" value=\"2026-01-01\"",
        "<datalist id=\"of-actor\"><option value=\"acme\"></option><option value=\"ci\"></option>",
        "<datalist id=\"of-app\"><option value=\"notes\"></option>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for query in ["from=yesterday", "to=2026", "kind=nothing", "after=x"] {
        assert_eq!(session.get(&format!("history?{query}")).status, 400, "{query}");
    }
}

fn older_entries_are_on_further_pages(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    for n in 0..60 {
        acme.create_channel(&format!("channel-{n}"));
    }
    let session = Session::of(&world, &acme);
    let first = session.page("history");
    assert_eq!(deeds(&first)[0], "created the channel channel-59");
    assert!(!first.contains("← Newest"), "{first}");
    let older = between(&first, "<nav class=\"pages\" aria-label=\"Pages\"><a href=\"/console/", "\"");
    let second = session.page(&unescaped(older));
    assert_eq!((told(&first).len(), told(&second).len()), (50, 11));
    assert_eq!(deeds(&second).last().unwrap(), "signed up");
    assert!(second.contains("← Newest") && !second.contains("Older →"), "{second}");
}

fn only_things_that_are_there_are_linked(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let other = acme.create_app("other");
    let session = Session::of(&world, &acme);
    let linked = |path: &str| {
        let page = session.page(path);
        let is_linked =
            |address: &str| page.contains(&format!("<td class=\"did\"><a href=\"/console/apps/{address}\">"));
        [is_linked(&format!("notes/releases/{id}")), is_linked("notes"), is_linked("other")]
    };
    for path in ["history", "", "history?app=notes"] {
        assert_eq!(linked(path)[..2], [true, true], "{path}");
    }
    assert!(linked("history")[2]);

    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    let _ = acme.delete(&format!("/app/delete?id={other}")).send().expect(200);
    for path in ["history", "", "history?kind=release.create,app.create"] {
        assert_eq!(linked(path), [false, true, false], "{path}");
    }
}

fn a_team_user_sees_its_applications(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_app("secret");
    acme.publish(Release::new("1.0.0"));
    let bob = team_user(&world, &acme, "bob", json!({ "allowed": [acme.app_id("notes")] }));
    let session = Session::of(&world, &bob);
    for path in ["history", ""] {
        let page = session.page(path);
        assert!(page.contains(">acme</td>") && page.contains("uploaded notes 1.0.0"), "{path}: {page}");
        for absent in ["secret", "name=\"actor\"", "Keep the log", "history.jsonl", "history?actor="] {
            assert!(!page.contains(absent), "{absent} in {path}: {page}");
        }
    }
    assert_eq!(session.get("history.jsonl").status, 403);

    let stranger = team_user(&world, &acme, "stranger", json!({}));
    let empty = Session::of(&world, &stranger).page("history");
    assert!(empty.contains("Nothing has been changed yet.") && told(&empty).is_empty(), "{empty}");

    let eve = world.admin("eve");
    let session = Session::of(&world, &eve);
    assert_eq!(deeds(&session.page("history")), ["signed up"]);
    let release = acme.release("1.0.0").id.to_string();
    for query in [format!("release={release}"), format!("actor={}", bob_id(&acme))] {
        let page = session.page(&format!("history?{query}"));
        assert!(page.contains(NOTHING) && !page.contains("notes"), "{page}");
    }
    assert_eq!(session.get("history?app=notes").status, 404);
    assert!(!session.get("history.jsonl").expect(200).text().contains("notes"));
    for path in ["history", "history.jsonl"] {
        assert_eq!(world.get(&format!("/console/{path}")).send().status, 303, "{path}");
    }
}

fn bob_id(acme: &Account) -> String {
    let users = acme.get("/users/list").ok();
    let bob = users["users"].as_array().unwrap().iter().find(|user| user["username"] == "bob").unwrap();
    bob["id"].as_str().unwrap().to_owned()
}

fn the_log_is_handed_out_to_admins(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let session = Session::of(&world, &acme);
    let head = acme.get("/audit/head").ok();
    let (seq, hash) = (&head["seq"], head["hash"].as_str().unwrap());

    let page = session.page("history");

    assert!(page.contains(&format!("<dt>Last entry</dt><dd>{seq}</dd>")), "{page}");
    assert!(page.contains(&format!("data-copy=\"{hash}\"")), "{page}");
    let file =
        between(&page, "<a href=\"/console/history.jsonl?after=", "\" download>Download entries 1 to ");
    let file: Answer = session.get(&format!("history.jsonl?after={file}")).expect(200);
    assert_eq!(file.header("content-type"), "application/jsonl");
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"audit-from-1.jsonl\"");
    assert_eq!(file.text(), acme.get("/audit?format=jsonl").send().expect(200).text());
    let last: Value = serde_json::from_str(file.text().lines().last().unwrap()).unwrap();
    assert_eq!(last["hash"], hash);
    let rest = session.get("history.jsonl?after=1").expect(200);
    assert_eq!(rest.header("content-disposition"), "attachment; filename=\"audit-from-2.jsonl\"");
    assert_eq!(Some(rest.text().lines().count() as u64 + 1), seq.as_u64());
}

fn a_release_shows_what_it_can_without_the_log(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let session = Session::of(&world, &acme);
    world.database().execute_batch("ALTER TABLE audit_log RENAME TO away").unwrap();
    let page = session.page(&format!("apps/notes/releases/{id}?tab=history"));
    assert!(page.contains("The history cannot be read at the moment."), "{page}");
    assert!(page.contains("1.0.0"), "{page}");
    assert_eq!(session.get("history").status, 503);
    world.database().execute_batch("ALTER TABLE away RENAME TO audit_log").unwrap();
    assert!(!session.page(&format!("apps/notes/releases/{id}?tab=history")).contains("cannot be read"));
}
