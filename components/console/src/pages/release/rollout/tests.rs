mod publication;

use serde_json::json;
use spindrift_api::{OfferBody, ReleaseBody};
use spindrift_core::Plan;

use super::super::entered_values::FormPart;
use super::*;
use crate::Problem;
use crate::release_state::Doubt;

const DEVICES: u64 = 1200;

/// A release with one offer. `plan`: its text, with the index of the current step.
fn release(state: &str, rollout: &str, basis_points: u16, plan: Option<(&str, usize)>) -> ReleaseBody {
    let mut body = json!({
        "state": rollout, "percent": basis_points / 100, "basis_points": basis_points, "seed": "s",
    });
    if let Some((plan, step)) = plan {
        body["plan"] = plan.parse::<Plan>().unwrap().to_json();
        body["step"] = step.into();
    }
    let mut offer =
        json!({ "channel": "stable", "own": true, "state": state, "revision": 7, "rollout": body });
    if state == "scheduled" {
        offer["publish_at"] = AT.into();
    }
    let mut release =
        json!({ "id": "1", "app": "notes", "version": "2.0", "shut_off": false, "offers": [offer] });
    if state == "withdrawn" {
        release["withdrawn"] = json!({ "at": AT, "reason": "<b>it deletes files</b>" });
    }
    serde_json::from_value(release).unwrap()
}

fn begins_next(mut release: ReleaseBody, percent: u8, at: &str) -> ReleaseBody {
    let OfferBody { rollout, .. } = &mut release.offers[0];
    rollout.next = Some(serde_json::from_value(json!({ "percent": percent, "at": at })).unwrap());
    release
}

fn shown_with(release: &ReleaseBody, entered: &EnteredValues, may_edit: bool) -> String {
    let offered = OfferView::of(release, &release.offers[0], DEVICES);
    let page = Address::page(["apps", "notes", "releases", "1"]);
    let forms = Forms { page, revision: offered.offer.revision, channel: None, entered, token: "the token" };
    let forms = may_edit.then_some(&forms);
    html! {
        (state_bar(&offered, forms))
        (offered.outlook())
        (section(&offered, entered, forms))
    }
    .into_string()
}

fn shown(release: &ReleaseBody) -> String {
    shown_with(release, &EnteredValues::default(), true)
}

/// The buttons as `name=value`, with an exclamation mark for disabled ones.
fn buttons(page: &str) -> Vec<String> {
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let tags = page.split("<button").skip(1).map(|rest| rest.split('>').next().unwrap());
    tags.map(|tag| {
        let is_off = if tag.contains(" disabled") { "!" } else { "" };
        format!("{is_off}{}={}", attribute(tag, "name"), attribute(tag, "value"))
    })
    .collect()
}

const AT: &str = "2026-12-01T09:00:00+00:00";
/// The same time, as a page shows it.
const AT_SHOWN: &str = "<time datetime=\"2026-12-01T09:00:00+00:00\" \
    title=\"2026-12-01T09:00:00+00:00\">2026-12-01 09:00 UTC</time>";
const PLAN: &str = "1:1d,5:12h,25,50:1d,100";

#[test]
fn each_state_is_told_in_one_line() {
    let ago = parts::ago(AT).into_string();
    for (state, rollout, basis_points, class, headline) in [
        ("published", "fixed", 500, "going", "5 % of devices"),
        ("published", "running", 50, "going", "0.5 % by plan"),
        ("published", "paused", 500, "warn", "5 %, paused"),
        ("published", "halted", 2800, "bad", "28 %, halted"),
        ("published", "complete", 10_000, "good", "100 %, complete"),
        ("draft", "fixed", 10_000, "still", "Draft: nobody sees it"),
        ("draft", "halted", 2800, "still", "Draft: nobody sees it"),
        ("scheduled", "fixed", 500, "still", &format!("Scheduled: clients see it from {AT_SHOWN}")),
        (
            "withdrawn",
            "complete",
            10_000,
            "bad",
            &format!("Withdrawn {ago}: &lt;b&gt;it deletes files&lt;/b&gt;"),
        ),
    ] {
        let page = shown(&release(state, rollout, basis_points, None));
        for part in [
            format!("class=\"state-bar {class}\" id=\"state\""),
            format!("<p class=\"headline\"><strong>{headline}</strong></p>"),
        ] {
            assert!(page.contains(&part), "{part}: {page}");
        }
    }
}

#[test]
fn the_bar_shows_the_part_and_the_next_one() {
    let page = shown(&release("published", "running", 500, Some((PLAN, 1))));
    for part in [
        "aria-label=\"5 % of devices\"",
        "<rect class=\"ahead\" width=\"250\"",
        "<rect class=\"reached\" width=\"50\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(shown(&release("published", "fixed", 1, None)).contains("<rect class=\"reached\" width=\"4\""));
    assert!(shown(&release("published", "fixed", 0, None)).contains("<rect class=\"reached\" width=\"0\""));
}

#[test]
fn a_plan_is_a_line_of_steps() {
    let running = release("published", "running", 100, Some((PLAN, 0)));
    let page = shown(&begins_next(running, 5, "2026-11-22T01:43:42+00:00"));
    assert!(page.contains("about 60 devices<section"), "{page}");
    let steps: Vec<&str> = page.split("<li class=\"").skip(1).take(5).collect();
    for (step, parts) in steps.iter().zip([
        &["now\" aria-current=\"step\"", "<strong>1 %</strong>", "for a day", ">now<"][..],
        &[
            "next\"",
            "<strong>5 %</strong>",
            "for 12 hours",
            ">next, <time datetime=\"2026-11-22T01:43:42+00:00\"",
        ],
        &["next\"", "until you advance", ">later<"],
        &["next\"", "<strong>50 %</strong>", ">later<"],
        &["next\"", "<strong>100 %</strong>", "everybody", ">later<"],
    ]) {
        for part in parts {
            assert!(step.contains(part), "{part}: {step}");
        }
    }

    let page = shown(&release("published", "running", 2500, Some((PLAN, 2))));
    assert!(page.contains("about 600 devices, once somebody begins it"), "{page}");
    assert_eq!(page.matches("<li class=\"past\">").count(), 2, "{page}");
    let page = shown(&release("draft", "running", 100, Some((PLAN, 0))));
    assert!(page.contains("The plan waits until it is published") && page.contains(">waits<"), "{page}");
}

#[test]
fn buttons_fit_the_state() {
    for (release, expected) in [
        (
            release("published", "running", 500, Some((PLAN, 1))),
            "action=halt != action=pause action=advance !set=1 set=5 set=25 set=50 action=complete",
        ),
        (
            release("published", "paused", 500, Some((PLAN, 1))),
            "action=halt != action=resume action=advance !set=1 set=5 set=25 set=50 action=complete",
        ),
        (
            release("published", "fixed", 500, None),
            "action=halt != !set=1 !set=5 set=25 set=50 action=complete",
        ),
        (release("published", "halted", 2800, None), "!= action=resume set=1 set=5 set=25 set=50 set=100"),
        (
            release("published", "complete", 10_000, None),
            "action=halt != !set=1 !set=5 !set=25 !set=50 !action=complete",
        ),
        (release("draft", "running", 100, Some((PLAN, 0))), "!= set=1 set=5 set=25 set=50 action=complete"),
        (
            release("scheduled", "running", 100, Some((PLAN, 0))),
            "!= set=1 set=5 set=25 set=50 action=complete",
        ),
    ] {
        let page = shown(&release);
        let start = (!page.contains(", complete")).then_some("action=start");
        let publication: &[&str] = match release.offers[0].state.as_str() {
            "draft" => &["!=", "action=publish", "action=schedule"],
            "scheduled" => &["!=", "action=draft", "action=publish", "action=schedule"],
            _ => &["!=", "action=draft"],
        };
        let is_hidden = release.offers[0].state != "published";
        let [first, last] = if is_hidden { [publication, &[]] } else { [&[], publication] };
        let halts = usize::from(expected.contains("action=halt"));
        let rollout = expected.split(' ').chain(["action=set"]).chain(start);
        let expected: Vec<&str> = first.iter().copied().chain(rollout).chain(last.iter().copied()).collect();
        assert_eq!(buttons(&page), expected, "{page}");
        let forms = 1 + usize::from(start.is_some());
        assert_eq!(page.matches("name=\"if_revision\" value=\"7\"").count(), forms + 1, "{page}");
        for (call, number) in [("rollout", forms + halts), ("offer", 1)] {
            let action = format!("action=\"/console/apps/notes/releases/1/{call}\"");
            assert_eq!(page.matches(&action).count(), number, "{page}");
        }
    }
    let page = shown(&release("published", "running", 500, Some((PLAN, 1))));
    assert!(page.contains("Begin the next step now: 25 %"), "{page}");
    let draft = shown(&release("draft", "fixed", 10_000, None));
    assert!(
        !draft.contains("name=\"action\" value=\"halt\"") && draft.contains("waits until the release"),
        "{draft}"
    );
}

/// A mistake beside another button, or one that waits for its answer, must not block a halt.
#[test]
fn nothing_holds_up_a_halt() {
    let page = shown(&release("published", "running", 500, Some((PLAN, 1))));
    let halt = page.split("<button").find(|tag| tag.contains("value=\"halt\"")).unwrap();
    assert!(halt.contains(" formnovalidate") && halt.contains(" data-stop"), "{halt}");
    let form = page.split("<form").find(|form| form.contains("value=\"halt\"")).unwrap();
    assert_eq!(form.matches("<button").count(), 1, "it has a form of its own: {form}");
    let rollout = page.split("<form").find(|form| form.contains("value=\"pause\"")).unwrap();
    let first = rollout.split("<button").nth(1).unwrap();
    assert!(first.contains(" disabled hidden"), "Enter presses it: {first}");
}

#[test]
fn others_only_look() {
    for state in ["draft", "scheduled", "withdrawn"] {
        let page =
            shown_with(&release(state, "running", 500, Some((PLAN, 1))), &EnteredValues::default(), false);
        assert!(
            !page.contains("<button") && !page.contains("<form") && !page.contains("withdraw\""),
            "{page}"
        );
    }
    for rollout in ["running", "paused", "halted"] {
        let release = release("published", rollout, 500, Some((PLAN, 1)));
        let page = shown_with(&release, &EnteredValues::default(), false);
        assert!(!page.contains("<button") && !page.contains("<form") && !page.contains("<details"), "{page}");
        assert!(page.contains("<ol class=\"steps\"") && page.contains("until somebody advances"), "{page}");
    }
}

#[test]
fn a_form_that_was_refused_comes_back_as_it_was_sent() {
    let published = release("published", "fixed", 500, None);
    let entered = |refusal| EnteredValues {
        plan: Some("5,<5,100".to_owned()),
        reason: "a reason".to_owned(),
        part: FormPart::Plan,
        refusal: Some(refusal),
        ..EnteredValues::default()
    };
    let problem = || Problem::new(http::StatusCode::BAD_REQUEST, "invalid plan: step 2");
    let page = shown_with(&published, &entered(FormRefusal::Problem(problem())), true);
    for part in [
        "<p class=\"problem\" role=\"alert\">invalid plan: step 2</p>",
        "<details class=\"choice\" id=\"plan\" open>",
        "value=\"5,&lt;5,100\"",
        "aria-invalid=\"true\" autofocus",
        "value=\"a reason\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }

    let page = shown_with(
        &published,
        &entered(FormRefusal::Changed(Problem::new(http::StatusCode::CONFLICT, "changed"))),
        true,
    );
    assert!(page.contains(">changed. Now it is: 5 % of devices.</p>"), "{page}");
    assert!(!page.contains("aria-invalid"), "{page}");
}

#[test]
fn a_halted_release_that_must_not_be_skipped_holds_others_back() {
    for (is_intermediate, state, is_told) in
        [(true, "halted", true), (false, "halted", false), (true, "fixed", false)]
    {
        let release = release("published", state, 500, None);
        let offered = OfferView { is_intermediate, ..OfferView::of(&release, &release.offers[0], DEVICES) };
        let page = section(&offered, &EnteredValues::default(), None).into_string();
        assert_eq!(page.contains("get no update past it"), is_told, "{is_intermediate} {state}");
    }
}

#[test]
fn groups_are_told_while_they_get_more_than_others() {
    let text = "also offered to devices in these groups: beta, qa.";
    for (state, rollout, basis_points, is_told) in [
        ("published", "fixed", 0, true),
        ("published", "running", 500, true),
        ("draft", "fixed", 500, true),
        ("published", "halted", 500, false),
        ("published", "complete", 10_000, false),
        ("withdrawn", "fixed", 500, false),
    ] {
        let mut release = release(state, rollout, basis_points, None);
        assert!(!shown(&release).contains("groups"), "{state} {rollout}");
        release.offers[0].groups = ["beta", "qa"].map(ToOwned::to_owned).into();
        let page = shown(&release);
        assert_eq!(page.contains(text), is_told, "{state} {rollout}: {page}");
        assert_eq!(page.contains("Once clients see it, it is also"), state == "draft", "{page}");
    }
}

#[test]
fn a_release_that_fails_has_a_loud_halt_and_a_quiet_resumption() {
    let release = |rollout| release("published", rollout, 500, None);
    let shown = |release: &ReleaseBody, doubt| {
        let entered = EnteredValues::default();
        let page = Address::page(["x"]);
        let forms = Forms { page, revision: 7, channel: None, entered: &entered, token: "t" };
        let offered = OfferView { doubt, ..OfferView::of(release, &release.offers[0], DEVICES) };
        html! { (state_bar(&offered, Some(&forms))) (section(&offered, &entered, Some(&forms))) }
            .into_string()
    };
    let halt = "class=\"danger halt calm\"";
    assert!(shown(&release("fixed"), None).contains(halt));
    for (doubt, resume) in [
        (
            None,
            "<button class=\"\" type=\"submit\" name=\"action\" value=\"resume\" formnovalidate>Resume</button>",
        ),
        (
            Some(Doubt::WasFailing),
            "<button class=\"plain\" type=\"submit\" name=\"action\" value=\"resume\" formnovalidate>Resume…</button>",
        ),
    ] {
        let page = shown(&release("halted"), doubt);
        assert!(page.contains(resume) && !page.contains("value=\"halt\""), "{page}");
    }
}
