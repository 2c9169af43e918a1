use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::json;
use spindrift_api::{CheckBody, FallbackBody, RequiresBody, RolloutBody, UnmetBody, WithdrawnBody};

use spindrift_core::BasisPoints;

use super::*;
use crate::GroupKey;

/// Keys of links, with their values for a version.
fn texts(of: &str) -> BTreeMap<&'static str, String> {
    ["update_url", "update_url_rpm", "update_url_app.tar.gz", "update_url_deb", "signature"]
        .into_iter()
        .map(|key| (key, format!("{of} {key}")))
        .collect()
}

fn links(texts: &BTreeMap<&'static str, String>) -> CheckLinks<'static> {
    serde_json::from_value(json!(texts)).unwrap()
}

fn offer(of: &str) -> Offer {
    let link =
        |package: &str| PackageUrl { package: package.into(), url: format!("{of} update_url_{package}") };
    Offer {
        version: Some(of.into()),
        update_url: Some(format!("{of} update_url")),
        package_urls: vec![link("app.tar.gz"), link("deb"), link("rpm")],
        patches: vec![Patch::new("deb", &patch(of)).unwrap()],
        signature: Some(format!("{of} signature")),
        changelog: Some(format!("{of} changelog")),
        critical: true,
        is_intermediate_required: true,
    }
}

fn patch(of: &str) -> PatchBody<'static> {
    PatchBody {
        url: format!("{of} patch").into(),
        length: 10,
        sha256: "ef".repeat(32).into(),
        format: "bidiff+brotli".into(),
        base_sha256: "ab".repeat(32).into(),
        file_length: 100,
        file_sha256: "cd".repeat(32).into(),
    }
}

/// A patch, one in a format of a later version, and one for another updater.
fn patches(of: &str) -> BTreeMap<Cow<'static, str>, PatchBody<'static>> {
    let [later, native] =
        ["later", "binary-delta"].map(|format| PatchBody { format: format.into(), ..patch(of) });
    [("deb".into(), patch(of)), ("rpm".into(), later), ("zip".into(), native)].into()
}

fn unmet(version: &str, requires: &str) -> Unmet {
    let body = format!(r#"{{"version":"{version}","requires":{requires}}}"#);
    Unmet::new(serde_json::from_str(&body).unwrap())
}

/// The library parses what the service renders.
#[test]
fn every_answer_of_the_service_is_read() {
    let (offered, fallback) = (texts("2.0"), texts("1.9"));
    let body = CheckBody {
        update_available: true,
        critical: true,
        version: Some("2.0".into()),
        links: links(&offered),
        patches: patches("2.0"),
        changelog: Some("2.0 changelog".into()),
        is_intermediate_required: Some(true),
        possible_rollback: Some(true),
        withdrawn: Some(WithdrawnBody { reason: "it deletes files".into() }),
        unmet: Some(UnmetBody {
            version: "3.0".into(),
            requires: RequiresBody::at_least(&"12".parse().unwrap()),
        }),
        varies_with: vec!["group".into(), "os_version".into()],
        shut_off: Some(true),
        rollout: Some(RolloutBody { percent: 25, basis_points: Some(2_550), seed: "s".into() }),
        fallback: Some(FallbackBody {
            critical: true,
            version: "1.9".into(),
            links: links(&fallback),
            patches: patches("1.9"),
            changelog: Some("1.9 changelog".into()),
            is_intermediate_required: Some(true),
        }),
        error: Some("Not found".into()),
    };
    let expected = UndecidedAnswer {
        update_available: true,
        offer: offer("2.0"),
        possible_rollback: true,
        withdrawn: Some("it deletes files".into()),
        unmet: Some(unmet("3.0", r#"{"os_version":{"min":"12"}}"#)),
        varies_with: vec!["group".into(), "os_version".into()],
        shut_off: true,
        rollout: Some(Rollout { part: BasisPoints::new(2_550).unwrap(), seed: "s".into() }),
        fallback: Some(offer("1.9")),
        error: Some("Not found".into()),
    };
    assert_eq!(parse(&serde_json::to_vec(&body).unwrap()), Ok(expected));
}

#[test]
fn little_is_enough() {
    let answer = parse(br#"{"update_available":false,"new_key":[1],"update_url_deb":null}"#).unwrap();
    assert_eq!(answer.offer, Offer::default());
    assert_eq!((answer.update_available, answer.possible_rollback), (false, false));
    assert_eq!((answer.withdrawn, answer.unmet, answer.shut_off), (None, None, false));
    assert!(answer.varies_with.is_empty());
    assert_eq!((answer.rollout, answer.fallback, answer.error), (None, None, None));
}

#[test]
fn requirements_are_read_as_far_as_they_are_known() {
    let all = r#"{"os_version":{"max":"14","min":"12","not":["13.2"]},"unknown":"offer"}"#;
    for (requires, read) in [
        (r#"{"os_version":{"min":"12"},"memory":4}"#, Some(r#"{"os_version":{"min":"12"}}"#)),
        (all, Some(all)),
        (r#"{"memory":4}"#, None),
        (r#"{"os_version":{"min":"twelve"}}"#, None),
    ] {
        let Unmet { version, requires } = unmet("2.0", requires);
        let requires = requires.map(|requires| requires.to_json().to_string());
        assert_eq!((version.as_str(), requires.as_deref()), ("2.0", read));
    }
}

#[test]
fn an_answer_for_everybody_is_not_for_those_who_say_what_it_varies_with() {
    let options = CheckOptions::new("o", "a", "1");
    let tester =
        options.clone().with_groups([format!("grp_{}", "0".repeat(32)).parse::<GroupKey>().unwrap()]);
    let says_system = options.clone().with_os_version("13.6");
    for (varies_with, expected) in [
        ("[]", [true, true, true]),
        (r#"["group"]"#, [true, false, true]),
        (r#"["os_version"]"#, [true, true, false]),
        (r#"["group","os_version"]"#, [true, false, false]),
        (r#"["memory"]"#, [true, true, true]),
    ] {
        let answer =
            parse_static(format!(r#"{{"update_available":false,"varies_with":{varies_with}}}"#).as_bytes());
        let answer = answer.unwrap();
        let is_for = [&options, &tester, &says_system].map(|options| answer.is_for(options));
        assert_eq!(is_for, expected, "{varies_with}");
    }
    let of_tauri = parse_static(br#"{"url":"u","version":"2.0"}"#).unwrap();
    assert_eq!(
        [&options, &tester, &says_system].map(|options| of_tauri.is_for(options)),
        [true, false, false]
    );
}

#[test]
fn invalid_answers_are_errors() {
    for bad in [
        "",
        "null",
        "[]",
        "{}",
        "not found",
        r#"{"update_available":1}"#,
        r#"{"update_available":true,"update_url_deb":1}"#,
        r#"{"update_available":true,"version":2}"#,
        r#"{"update_available":true,"rollout":{"percent":-1,"seed":"s"}}"#,
        r#"{"update_available":true,"rollout":{"percent":50}}"#,
        r#"{"update_available":false,"unmet":{"version":"2.0"}}"#,
        r#"{"update_available":true"#,
    ] {
        assert!(parse(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn static_answers_of_other_updaters() {
    let read = |body: &str| parse_static(body.as_bytes()).unwrap();
    let manual = read(r#"{"update_available":true,"update_url_deb":"u"}"#);
    assert!(manual.is_manual && manual.answer.offer.url_of("deb") == Some("u"));
    for body in [
        r#"{"version":"2.0","url":"u","signature":"s","notes":"n","pub_date":"2026-11-21T10:00:00Z"}"#,
        r#"{"url":"u","name":"2.0","notes":"n","signature":"s","update_available":true,"critical":false}"#,
    ] {
        let StaticAnswer { answer, is_manual } = read(body);
        assert!(!is_manual && answer.update_available, "{body}");
        let offer = Offer {
            version: Some("2.0".into()),
            update_url: Some("u".into()),
            signature: Some("s".into()),
            changelog: Some("n".into()),
            ..Offer::default()
        };
        assert_eq!(answer.offer, offer, "{body}");
    }
    for body in
        ["{}", "[]", "null", r#"{"update_available":"yes"}"#, r#"{"update_available":true,"rollout":1}"#]
    {
        let StaticAnswer { answer, is_manual } = read(body);
        assert!(!is_manual && !answer.update_available, "{body}");
    }
    assert!(parse_static(b"<html>").is_err() && parse_static(b"").is_err());
}
