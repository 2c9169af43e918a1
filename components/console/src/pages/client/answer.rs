//! The answer to the call, and the reasons for it.

use maud::{Markup, html};
use spindrift_api::{ExplainedAnswer, ExplainedBody, ExplainedRelease};
use spindrift_core::Version;

use super::answer_content::AnswerContent;
use super::call::{ClientCall, ExplainedClient};
use super::conditions;
use crate::{ServiceAnswer, parts};

/// Headers that matter to clients and caches.
const SHOWN_HEADERS: [&str; 7] =
    ["content-type", "location", "cache-control", "etag", "vary", "retry-after", "x-spindrift-stale"];
/// Maximum number of bytes to show of a body.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

/// `explained`: the explanation, or why there is none. `asked`: the client's own call and its
/// answer, unless the question is about another time.
pub(super) fn show(
    explained: Result<&ExplainedBody, &str>,
    asked: Option<(&ClientCall, &ServiceAnswer)>,
    client: &ExplainedClient,
) -> Markup {
    html! {
        section #result {
            h2 { "Why" }
            @match explained {
                Ok(explained) => (reasons(explained, client)),
                Err(problem) => (parts::problem(problem)),
            }
            @if let Some((call, answer)) = asked {
                (disagreement(explained.ok().map(|body| &body.answer), &AnswerContent::of(client.updater, &client.version, answer)))
                h2 { "The answer" }
                (conditions::describe(answer))
                (call_summary(call, answer))
            }
        }
    }
}

fn call_summary(call: &ClientCall, answer: &ServiceAnswer) -> Markup {
    html! {
        dl.pairs {
            dt { "Call" } dd { code { "GET " (call.address) } }
            @if let Some(device) = call.device.as_ref().and_then(|device| device.to_str().ok()) {
                dt { "X-Device-ID" } dd { code { (device) } }
            }
            dt { "Status" } dd { (answer.status) }
            @for name in SHOWN_HEADERS {
                @for value in answer.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()) {
                    dt { (name) } dd { code { (value) } }
                }
            }
        }
        @if answer.body.is_empty() { p.hint { "No body." } }
        @else { pre tabindex="0" { (body(answer)) } }
    }
}

fn reasons(explained: &ExplainedBody, client: &ExplainedClient) -> Markup {
    let newer: Vec<&ExplainedRelease> =
        explained.releases.iter().filter(|release| is_newer(release)).collect();
    html! {
        p { (summary(&explained.answer, newer.is_empty(), client)) }
        (stops(&explained.answer, client))
        @if !explained.others.is_empty() {
            ul.warnings {
                @for other in &explained.others {
                    li {
                        "The same client with the updater " (other.updater) " is offered "
                        (other.version.as_deref().unwrap_or("nothing")) "."
                    }
                }
            }
        }
        p.hint { "At " (parts::time(&explained.at)) "." }
        @if !newer.is_empty() {
            ul.verdicts {
                @for release in newer {
                    li {
                        strong { (release.version) } ":"
                        @for reason in &release.because { " " (reason.text) }
                    }
                }
            }
        }
    }
}

/// Warnings for the client: updates are shut off, or its version was withdrawn.
fn stops(answer: &ExplainedAnswer, client: &ExplainedClient) -> Markup {
    html! {
        @if answer.shut_off {
            p.warning { "Updates are shut off for this client: it is offered nothing newer than what it has." }
        }
        @if let Some(reason) = &answer.withdrawn {
            p.warning { "Its version " (client.version) " was withdrawn: " (reason) }
        }
    }
}

/// Whether the release is newer than the client's version.
fn is_newer(release: &ExplainedRelease) -> bool {
    release.because.iter().all(|reason| reason.code != "not_newer")
}

fn summary(answer: &ExplainedAnswer, is_nothing_newer: bool, client: &ExplainedClient) -> Markup {
    let ExplainedClient { version: has, .. } = client;
    let version = answer.version.as_ref();
    let is_ahead =
        || version.and_then(|version| version.parse().ok()).is_some_and(|version: Version| version < *has);
    html! {
        @match version {
            Some(version) if answer.update_available => {
                "A client with " (has) " is offered " strong { (version) } "."
            },
            _ if is_nothing_newer && is_ahead() => "The client is newer than everything that is published here.",
            _ if is_nothing_newer => { "No release is newer than " (has) "." },
            _ => { "A client with " (has) " is offered " strong { "nothing" } "." },
        }
    }
}

/// Whether the explanation, which comes from the database, and the client's answer, which comes
/// from records, differ. They should not.
fn disagreement(expected: Option<&ExplainedAnswer>, real: &AnswerContent) -> Markup {
    let expects = expected.map(|answer| answer.version.as_deref().filter(|_| answer.update_available));
    let says = match (real, expects) {
        (AnswerContent::Unknown, _) => {
            return parts::problem("The call was not answered with an offer: see its answer.");
        }
        (_, None) | (AnswerContent::Nothing, Some(None)) => return html! {},
        (AnswerContent::Update(real), Some(Some(expected))) if real.as_str() == expected => return html! {},
        (AnswerContent::Update(real), _) => format!("offers {real}"),
        (AnswerContent::Nothing, _) => "offers nothing".to_owned(),
    };
    parts::problem(&format!(
        "The service does not agree with this explanation: its answer {says}. \
         The answer is what clients get. It may be a second older than a change."
    ))
}

/// JSON with line breaks; other bodies unchanged.
fn body(answer: &ServiceAnswer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let pretty = serde_json::from_str::<serde_json::Value>(&text)
        .ok()
        .and_then(|body| serde_json::to_string_pretty(&body).ok());
    let mut text = pretty.unwrap_or_else(|| text.into_owned());
    if text.len() > MAX_SHOWN_BYTES {
        let end = (0..=MAX_SHOWN_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let rest = parts::size((text.len() - end) as u64);
        text.truncate(end);
        text.extend(["\n… and ", &rest, " more"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(offered: Option<&str>) -> ExplainedAnswer {
        let version = offered.unwrap_or("1.0.0").to_owned();
        ExplainedAnswer {
            update_available: offered.is_some(),
            version: Some(version),
            critical: false,
            shut_off: false,
            withdrawn: None,
        }
    }

    #[test]
    fn the_page_says_if_the_service_disagrees() {
        let update = |version: &str| AnswerContent::Update(version.parse().unwrap());
        for (expected, real, complains) in [
            (Some(Some("1.1.0")), update("1.1.0"), false),
            (Some(None), AnswerContent::Nothing, false),
            (Some(Some("1.1.0")), update("1.2.0"), true),
            (Some(Some("1.1.0")), AnswerContent::Nothing, true),
            (Some(None), update("1.1.0"), true),
            (Some(None), AnswerContent::Unknown, true),
            (None, AnswerContent::Unknown, true),
            (None, AnswerContent::Nothing, false),
        ] {
            let shown = disagreement(expected.map(answer).as_ref(), &real).into_string();
            assert_eq!(!shown.is_empty(), complains, "{expected:?} {real:?}: {shown}");
        }
    }

    fn client(version: &str) -> ExplainedClient {
        let scope = spindrift_core::Scope {
            owner: "acme".parse().unwrap(),
            app: "notes".parse().unwrap(),
            channel: None,
            platform: None,
            arch: None,
        };
        let updater = spindrift_core::Updater::Manual;
        ExplainedClient { scope, version: version.parse().unwrap(), device: None, facts: Vec::new(), updater }
    }

    #[test]
    fn a_client_is_told_of_stops() {
        let message = |answer: ExplainedAnswer| stops(&answer, &client("1.0.0")).into_string();
        assert_eq!(message(answer(None)), "");
        let shut_off = message(ExplainedAnswer { shut_off: true, ..answer(None) });
        assert!(shut_off.contains("Updates are shut off for this client"), "{shut_off}");
        let withdrawn = ExplainedAnswer { withdrawn: Some("<i>".to_owned()), ..answer(Some("1.1.0")) };
        assert!(message(withdrawn).contains("Its version 1.0.0 was withdrawn: &lt;i&gt;"));
    }

    #[test]
    fn newer_releases_are_listed_with_their_reasons() {
        let release = |version: &str, codes: &[&str]| {
            let because =
                codes.iter().map(|code| json!({ "code": code, "text": format!("The code is {code}.") }));
            let because: Vec<_> = because.collect();
            json!({ "version": version, "channel": "", "offered": codes == ["offered"], "because": because })
        };
        let page = |has: &str, answer: ExplainedAnswer, releases: &[serde_json::Value]| {
            let body = json!({ "at": "2026-11-21T01:43:42+00:00", "answer": answer, "releases": releases });
            reasons(&serde_json::from_value(body).unwrap(), &client(has)).into_string()
        };
        let old = release("1.0.0", &["not_newer"]);
        let releases = [release("1.2.0", &["draft", "no_file"]), release("1.1.0", &["offered"]), old.clone()];
        let shown = page("1.0.0", answer(Some("1.1.0")), &releases);
        assert!(shown.contains("A client with 1.0.0 is offered <strong>1.1.0</strong>."), "{shown}");
        let draft = "<strong>1.2.0</strong>: The code is draft. The code is no_file.";
        assert!(shown.contains(draft) && !shown.contains("not_newer"), "{shown}");
        for (client, releases, text) in [
            ("0.9.0", &releases[..1], "is offered <strong>nothing</strong>"),
            ("1.0.0", std::slice::from_ref(&old), "No release is newer than 1.0.0."),
            ("2.0.0", std::slice::from_ref(&old), "newer than everything"),
        ] {
            let shown = page(client, answer(None), releases);
            assert!(shown.contains(text), "{shown}");
        }
    }
}
