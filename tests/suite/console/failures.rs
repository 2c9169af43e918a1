//! Failures that installed copies have reported, with any text in them.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, World, gzip, on_hosts};

use super::session::{Session, between};
use super::visitor::Visitor;
use crate::reports::{create_notes, failure, failure_because, group, send, team_user, with_details};

on_hosts! {
    every: [],
    hosted: [
        a_group_is_triaged,
        causes_are_triaged_together,
        texts_from_copies_are_only_text,
        details_that_cannot_be_unpacked_say_so,
        a_team_user_sees_and_does_what_it_may,
    ],
}

const SCRIPT: &str = "</pre><script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 1\">";

fn page_of(group: &Value) -> String {
    let text = |name: &str| group[name].as_str().unwrap().to_owned();
    format!("failures/{}?app_id={}", text("group_hash"), text("app_id"))
}

fn reporting(world: &World) -> (Account, String) {
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    (acme, key)
}

fn a_group_is_triaged(host: Driver) {
    let world = World::new(host);
    let (acme, key) = reporting(&world);
    let session = Session::of(&world, &acme);
    assert!(session.page("failures").contains("No failures have been reported."));
    for device in ["a", "b"] {
        let _ = send(world.client(), &key, device, &failure()).expect(202);
    }
    let _ = send(world.client(), &key, "a", &failure_because("oom")).expect(202);
    let found = acme.get("/reports/groups?reason=segv").ok()["items"][0].clone();
    let page = page_of(&found);
    let below = |end: &str| page.replacen('?', &format!("{end}?"), 1);

    let list = session.page("failures?app=notes&version=1.2.3&status=open");
    assert!(list.contains(">segv</a>") && list.contains(">oom</a>"), "{list}");
    assert!(list.contains("notes 1.2.3<span class=\"quiet\"> on linux</span>"), "{list}");
    assert!(list.contains("reports by day over 30 days: first 0, last 2, highest 2"), "{list}");
    assert!(list.contains("Devices in 30 days"), "failures by version: {list}");

    let file = below("/trend.csv");
    assert!(session.page(&page).contains(&format!("href=\"/console/{file}\" download")), "{file}");
    is_a_file_of_30_days(&session.get(&file).expect(200), &found);

    let here = format!("/console/{page}");
    assert_eq!(session.submit(&page, &[("status", "muted")]), here);
    let words = [("words", "1"), ("tags", "ui\r\nold"), ("note", "See\r\nthe wiki")];
    assert_eq!(session.submit(&page, &words), here);
    let changed = acme.get("/reports/groups?reason=segv").ok()["items"][0].clone();
    assert_eq!(
        (&changed["status"], &changed["tags"], &changed["note"]),
        (&json!("muted"), &json!(["ui", "old"]), &json!("See\nthe wiki"))
    );
    let shown = session.page(&page);
    assert!(shown.contains(">muted</span>") && shown.contains(">Reopen</button>"), "{shown}");
    assert!(!shown.contains(">Mute</button>") && shown.contains(">See\nthe wiki</textarea>"), "{shown}");
    for (filter, count) in [
        ("tag=ui", 1),
        ("tag=u", 0),
        ("search=WIKI", 1),
        ("search=o", 2),
        ("status=open", 1),
        ("app=other", 0),
    ] {
        let list = session.page(&format!("failures?{filter}"));
        assert_eq!(
            list.matches("<th class=\"words\" scope=\"row\"><a href=\"/console/failures/").count(),
            count,
            "{filter}"
        );
    }
    assert_eq!(session.post(&page, &[("status", "closed")]).status, 400);

    let question = session.page(&below("/delete"));
    assert!(
        question
            .contains("2 reports, the note, the tags and all details are deleted and cannot be restored."),
        "{question}"
    );
    assert_eq!(session.submit(&below("/delete"), &[]), "/console/failures");
    assert_eq!(group(&acme)["event"]["reason"], "oom");
    assert_eq!(session.get(&page).status, 404);
    assert_eq!(session.get(&file).status, 404);
}

fn causes_are_triaged_together(host: Driver) {
    let world = World::new(host);
    let (acme, key) = reporting(&world);
    let session = Session::of(&world, &acme);
    for (version, reason) in [("1.0.0", "segv"), ("1.1.0", "segv"), ("1.1.0", "oom"), ("1.1.0", "disk")] {
        let mut report = failure_because(reason);
        report["application"]["version"] = version.into();
        let _ = send(world.client(), &key, "a", &report).expect(202);
    }
    let overview = session.page("");
    assert!(
        overview.contains("<dt>Open failures</dt><dd><a href=\"/console/failures?status=open\">3</a>"),
        "{overview}"
    );

    let list = session.page("failures?status=open&sort=reports");
    assert!(list.contains("3 causes. ") && list.contains("Versions and platforms (2)"), "{list}");
    assert!(list.contains("notes 1.1.0, 1.0.0"), "{list}");
    let order: Vec<_> =
        list.match_indices("Choose ").map(|(at, _)| list[at..].split(' ').nth(1).unwrap()).collect();
    assert_eq!(order, ["all", "segv", "disk", "oom"]);
    let groups = session.page("failures?status=open&view=groups");
    assert!(
        groups.contains("4 groups. ") && groups.contains("1.0.0 <span class=\"quiet\">stable on linux amd64"),
        "{groups}"
    );

    let app = acme.app_id("notes");
    let [segv, oom] = ["segv", "oom"].map(|reason| format!("{app} crash {reason}"));
    let chosen = [("cause", segv.as_str()), ("cause", oom.as_str())];
    let with = |status| [&chosen[..], &[("status", status)]].concat();
    let here = "failures?status=open&sort=reports";
    assert_eq!(session.submit(here, &with("resolved")), format!("/console/{here}"));
    let statuses = || {
        let groups = acme.get("/reports/groups").ok()["items"].as_array().unwrap().clone();
        groups.iter().filter(|group| group["status"] == "resolved").count()
    };
    assert_eq!(statuses(), 3);
    assert!(session.page(here).contains("1 cause. "));
    // With a filter, only shown failures change.
    let _ = session.submit("failures?version=1.0.0", &with("muted"));
    assert_eq!(statuses(), 2);
    assert!(session.post(here, &[("status", "muted")]).expect(400).text().contains("no failure was chosen"));
}

/// The reports of a group that came today.
fn is_a_file_of_30_days(file: &Answer, group: &Value) {
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    let text = file.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("Day,Reports", 31));
    assert!(lines[1].ends_with(",0"), "{text}");
    let today = lines[30].strip_suffix(",2").unwrap_or_else(|| panic!("{text}"));
    let hash = &group["group_hash"].as_str().unwrap()[..12];
    let name = format!("attachment; filename=\"reports-{hash}-{today}.csv\"");
    assert_eq!(file.header("content-disposition"), name);
}

fn texts_from_copies_are_only_text(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let (acme, key) = reporting(&visitor.world);
    let details = json!({ "stack": SCRIPT, "number": 1, SCRIPT: [SCRIPT, {}, []] }).to_string();
    let details = details.replace(":1,", ":12345678901234567890.10,");
    let report = with_details(failure(), &gzip(details.as_bytes()));
    let _ = send(visitor.world.client(), &key, "device", &report).expect(202);
    let group = group(&acme);
    let session = Session::of(&visitor.world, &acme);
    let words = [("words", "1"), ("tags", "<img src=x onerror=hacked=1>"), ("note", SCRIPT)];
    let _ = session.submit(&page_of(&group), &words);

    visitor.log_in("acme");
    visitor.go("failures?view=groups");
    assert!(visitor.browser.text().contains("<img src=x onerror=hacked=1>"), "{}", visitor.browser.text());
    visitor.browser.press("segv");
    visitor.browser.click(".details summary");
    visitor.browser.wait_until(
        "the details are there",
        "return document.querySelector('.details pre').textContent.includes('stack')",
    );
    let shown = visitor.browser.run("return document.querySelector('.details pre').textContent");
    let script = json!(SCRIPT).to_string();
    assert!(shown.as_str().unwrap().contains(&format!("\n  \"stack\": {script}")), "{shown}");
    assert!(shown.as_str().unwrap().contains("\n  \"number\": 12345678901234567890.10,\n"), "{shown}");
    assert!(
        shown.as_str().unwrap().contains(&format!(": [\n    {script},\n    {{}},\n    []\n  ]")),
        "{shown}"
    );
    assert_eq!(visitor.browser.run("return typeof window.hacked"), "undefined");
    assert_eq!(visitor.browser.run("return document.querySelectorAll('main img, main script').length"), 0);
    assert_eq!(visitor.browser.run("return document.querySelector('[name=note]').value"), SCRIPT);
}

fn details_that_cannot_be_unpacked_say_so(host: Driver) {
    let Some(visitor) = Visitor::of_empty(host) else { return };
    let (acme, key) = reporting(&visitor.world);
    let report = with_details(failure(), &gzip(b"{\"a\":1}"));
    let _ = send(visitor.world.client(), &key, "device", &report).expect(202);
    let page = page_of(&group(&acme));
    let session = Session::of(&visitor.world, &acme);
    let packed = between(&session.page(&page), "data-packed=\"/console/", "\"").to_owned();
    let file = session.get(&packed).expect(200);
    assert_eq!((file.header("content-type"), &file.body), ("application/gzip", &gzip(b"{\"a\":1}")));
    // As if a longer text had been put in its place.
    visitor.world.database().execute_batch("UPDATE report_blobs SET decompressed_size = 3").unwrap();
    visitor.log_in("acme");
    visitor.go(&page);
    visitor.browser.click(".details summary");
    visitor.browser.wait_until(
        "the page says why",
        "return document.querySelector('.details pre').textContent.endsWith('they are longer than the service says')",
    );
}

fn a_team_user_sees_and_does_what_it_may(host: Driver) {
    let world = World::new(host);
    let (acme, key) = reporting(&world);
    let report = with_details(failure(), &gzip(b"{\"a\":1}"));
    let _ = send(world.client(), &key, "device", &report).expect(202);
    let page = page_of(&group(&acme));
    let packed = between(&Session::of(&world, &acme).page(&page), "data-packed=\"/console/", "\"").to_owned();

    let viewer = team_user(&world, &acme, "viewer", json!({ "allowed": [acme.app_id("notes")] }));
    let session = Session::of(&world, &viewer);
    let shown = session.page(&page);
    assert!(!shown.contains("Resolve") && !shown.contains("Delete this group"), "{shown}");
    let trend = page.replacen('?', "/trend.csv?", 1);
    for path in [&packed, &trend] {
        assert_eq!(session.get(path).status, 200, "{path}");
    }
    assert_eq!(session.post(&page, &[("status", "muted")]).status, 403);
    assert_eq!(session.post(&page.replacen('?', "/delete?", 1), &[]).status, 403);

    let stranger = team_user(&world, &acme, "stranger", json!({ "edit": true, "delete": true }));
    let session = Session::of(&world, &stranger);
    assert!(session.page("failures").contains("No application takes reports."));
    for path in [&page, &packed, &trend] {
        assert!(matches!(session.get(path).status, 403 | 404), "{path}");
    }
    for path in [&packed, &trend] {
        assert_eq!(world.get(&format!("/console/{path}")).send().status, 303, "{path}");
    }
    assert_eq!(group(&acme)["status"], "open");
}
