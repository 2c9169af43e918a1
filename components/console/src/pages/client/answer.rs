//! The answer to the call, and the reasons for it.

use maud::{Markup, html};
use spindrift_core::Version;

use super::call::Call;
use super::offered::Offered;
use super::why::{Client, Verdict, Why};
use crate::{Answer, parts};

/// Headers that clients and caches act on.
const SHOWN_HEADERS: [&str; 7] =
    ["content-type", "location", "cache-control", "etag", "vary", "retry-after", "x-spindrift-stale"];
/// Most bytes of a body that are shown.
const MAX_SHOWN_BYTES: usize = 64 * 1024;

pub(super) fn show(call: &Call, answer: &Answer, why: &Why, client: &Client) -> Markup {
    let offered = Offered::of(client.updater, &client.version, answer);
    html! {
        section #result {
            h2 { "Why" }
            (summary(why, client))
            (disagreement(why, &offered))
            @if !why.newer.is_empty() {
                ul.verdicts {
                    @for (version, verdict) in &why.newer { li { strong { (version) } " " (verdict_text(verdict)) } }
                }
            }
            h2 { "The answer" }
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
}

fn summary(why: &Why, client: &Client) -> Markup {
    html! {
        @match &why.offered {
            Some(version) => p { "A client with " (client.version) " is offered " strong { (version) } "." },
            None if why.is_ahead => p { "The client is newer than everything that is published here." },
            None if why.newer.is_empty() => p { "No release is newer than " (client.version) "." },
            None => p { "A client with " (client.version) " is offered " strong { "nothing" } "." },
        }
    }
}

/// The explanation comes from a search, and the client's answer from records. They should not differ.
fn disagreement(why: &Why, offered: &Offered) -> Markup {
    let says = match (offered, &why.offered) {
        (Offered::Unknown, _) => {
            return parts::problem("The call was not answered with an offer: see its answer.");
        }
        (Offered::Update(real), Some(expected)) if real == expected => return html! {},
        (Offered::Nothing, None) => return html! {},
        (Offered::Update(real), _) => format!("offers {real}"),
        (Offered::Nothing, _) => "offers nothing".to_owned(),
    };
    parts::problem(&format!(
        "The service does not agree with this explanation: its answer {says}. \
         The explanation below may be incomplete: the answer is what clients get. \
         An answer may be a second older than a change."
    ))
}

fn verdict_text(verdict: &Verdict) -> String {
    let held = |by: &Version| format!("is held back: {by} is required first.");
    match verdict {
        Verdict::Offered { client_decides: None } => "is offered.".to_owned(),
        Verdict::Offered { client_decides: Some(percent) } => format!(
            "is offered with its rollout of {percent} %: \
             a client without a device id decides for itself whether it is among them."
        ),
        Verdict::Draft => "is a draft.".to_owned(),
        Verdict::OtherChannel(channel) if channel.is_empty() => "is in no channel.".to_owned(),
        Verdict::OtherChannel(channel) => {
            format!("is in the channel {channel}, which the client's channel does not include.")
        }
        Verdict::NoFile => "has no file for this platform and architecture.".to_owned(),
        Verdict::NotListed => "has no file here that the signed metadata lists.".to_owned(),
        Verdict::NotInstallable => "has no file here that this updater installs.".to_owned(),
        Verdict::NotRolledOut { position: Some(position), percent } => format!(
            "is rolled out to {percent} %, and this device is at {position}: it is offered from {} % on.",
            position + 1
        ),
        Verdict::NotRolledOut { position: None, percent } => {
            format!("is rolled out to {percent} %, and this updater cannot decide without a device id.")
        }
        Verdict::HeldBack { by } => held(by),
        Verdict::Surpassed { by } => format!("is passed over: {by} is newer."),
        Verdict::Unknown => "is not offered, and the rules known here do not say why.".to_owned(),
    }
}

/// JSON with line breaks; everything else as it came.
fn body(answer: &Answer) -> String {
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
    use super::*;

    fn why(offered: Option<&str>) -> Why {
        Why { offered: offered.map(|version| version.parse().unwrap()), newer: Vec::new(), is_ahead: false }
    }

    #[test]
    fn the_page_says_if_the_service_disagrees() {
        let update = |version: &str| Offered::Update(version.parse().unwrap());
        for (expected, real, complains) in [
            (Some("1.1.0"), update("1.1.0"), false),
            (None, Offered::Nothing, false),
            (Some("1.1.0"), update("1.2.0"), true),
            (Some("1.1.0"), Offered::Nothing, true),
            (None, update("1.1.0"), true),
            (None, Offered::Unknown, true),
        ] {
            let shown = disagreement(&why(expected), &real).into_string();
            assert_eq!(!shown.is_empty(), complains, "{expected:?} {real:?}: {shown}");
        }
    }

    #[test]
    fn positions_are_told_as_the_rollout_that_is_needed() {
        let text = verdict_text(&Verdict::NotRolledOut { position: Some(78), percent: 50 });
        assert!(text.contains("at 78: it is offered from 79 % on"), "{text}");
    }
}
