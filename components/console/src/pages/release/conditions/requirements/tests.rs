use http::StatusCode;
use serde_json::{Value, json};
use spindrift_web::Query;

use super::super::super::entered_values::EnteredValues;
use super::*;
use crate::{Address, Problem};

/// A release with files for these platforms and architectures.
fn release(places: &[[&str; 2]]) -> ReleaseEntry {
    let file = |[platform, arch]: &[&str; 2]| {
        json!({
            "id": "2", "link": "", "platform": platform, "arch": arch, "package": "dmg", "updater": "manual",
            "size": 1, "md5": "", "has_signature": false, "offered": true, "TufSigned": false,
        })
    };
    let files: Vec<Value> = places.iter().map(file).collect();
    let release = json!({
        "ID": "1", "AppName": "notes", "Version": "2.0", "Channel": "", "Published": true, "Critical": false,
        "Intermediate": false, "Artifacts": files, "Changelog": [], "Created_at": "t", "Updated_at": "t",
        "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "State": "published", "RolloutSeed": "",
    });
    serde_json::from_value(release).unwrap()
}

fn required([platform, arch]: [&str; 2], min: &str) -> PlaceRequiresBody {
    let requires = json!({ "os_version": { "min": min }, "unknown": "offer" });
    let place = json!({ "platform": platform, "arch": arch, "requires": requires });
    serde_json::from_value(place).unwrap()
}

fn shown(release: &ReleaseEntry, required: &[PlaceRequiresBody], entered: Option<&EnteredValues>) -> String {
    let page = Address::page(["apps", "notes", "releases", "1"]);
    let forms =
        entered.map(|entered| Forms { page, revision: 7, channel: None, entered, token: "the token" });
    section(release, required, forms.as_ref()).into_string()
}

const MAC: [[&str; 2]; 2] = [["mac", "amd64"], ["mac", "arm64"]];

#[test]
fn all_places_are_told_if_one_requires_something() {
    let release = release(&MAC);
    let page = shown(&release, &[required(MAC[1], "12")], None);
    for part in [
        "<th scope=\"row\">mac, amd64</th><td class=\"words\">any</td>",
        "<th scope=\"row\">mac, arm64</th><td class=\"words\">12 or later, and clients that do not say \
         theirs</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<form") && !page.contains("Actions"), "{page}");
    assert!(shown(&release, &[], None).contains("It runs on all versions of its systems."));
}

#[test]
fn the_form_has_what_is_required_in_its_place() {
    let release = release(&MAC);
    let page = |query: &str, required: &[PlaceRequiresBody]| {
        let entered = EnteredValues::for_requirements(&Query::parse(query).unwrap());
        shown(&release, required, Some(&entered))
    };
    let (same, some) = ([required(MAC[0], "12"), required(MAC[1], "12")], [required(MAC[1], "12")]);
    let filled = "name=\"min\" value=\"12\"";
    for (query, required, is_filled) in [
        ("", &same[..], true),
        ("", &some, false),
        ("platform=mac&arch=arm64", &some, true),
        ("platform=mac&arch=amd64", &some, false),
        ("", &[], false),
    ] {
        let page = page(query, required);
        assert_eq!(page.contains(filled), is_filled, "{query}: {page}");
        assert_eq!(page.contains("value=\"offer\" checked"), is_filled, "{query}: {page}");
        assert_eq!(page.contains("Require nothing"), !required.is_empty(), "{query}: {page}");
    }
    let page = page("platform=mac&arch=arm64", &some);
    for part in [
        "<details class=\"choice\" open>",
        "<option value=\"arm64\" selected>arm64</option>",
        "?edit=requirements&amp;platform=mac&amp;arch=arm64#requirements\">Change</a>",
        "action=\"/console/apps/notes/releases/1/requires\"",
        "name=\"if_revision\" value=\"7\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let closed = shown(&release, &some, Some(&EnteredValues::default()));
    assert!(closed.contains("<details class=\"choice\">"), "{closed}");
}

#[test]
fn owners_without_platforms_choose_none() {
    let place = ["", ""];
    let page = shown(&release(&[place]), &[required(place, "12")], Some(&EnteredValues::default()));
    assert!(!page.contains("<select") && !page.contains("Platform"), "{page}");
    assert!(page.contains("<tr><td class=\"words\">12 or later, and"), "{page}");
}

#[test]
fn a_refused_form_comes_back_as_it_was_sent() {
    let release = release(&MAC);
    let sent = "part=requirements&platform=mac&arch=gone&min=12&not=13.%3C&unknown=offer&reason=why";
    let entered = |refusal| EnteredValues::of(&Query::parse(sent).unwrap()).with_refusal(refusal);
    let problem = |text: &str| Problem::new(StatusCode::BAD_REQUEST, text);
    let page = shown(
        &release,
        &[],
        Some(&entered(FormRefusal::Problem(problem("invalid requires: not: 1 to 4 numbers")))),
    );
    for part in [
        "role=\"alert\">invalid requires: not: 1 to 4 numbers</p>",
        "<details class=\"choice\" open>",
        "<option value=\"gone\" selected>gone</option>",
        "name=\"min\" value=\"12\"",
        "name=\"not\" value=\"13.&lt;\"",
        "aria-describedby=\"requires-not\" aria-invalid=\"true\" autofocus",
        "value=\"offer\" checked",
        "value=\"why\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(page.matches("aria-invalid").count(), 1, "{page}");
    let page = shown(&release, &[], Some(&entered(FormRefusal::Changed(problem("changed")))));
    assert!(page.contains(">changed. Its present requirements are shown above.</p>"), "{page}");
}
