//! The receipt of a release: a table of the clients that get it, that do not and why, and that fall
//! behind.

use maud::{Markup, html};
use spindrift_api::{ReceiptBody, ReceiptLineBody, ReleaseEntry};

use crate::table::{column, columns, extra, table};
use crate::{Address, Context, Result, parts};

pub(super) async fn load(context: &Context<'_>, release: &ReleaseEntry) -> Result<ReceiptBody> {
    context
        .service
        .get(&Address::call("/releases").with_segment(release.id.as_str()).with_segment("receipt"))
        .await
}

pub(crate) fn section(receipt: &ReceiptBody) -> Markup {
    let head = html! { (extra("Channel")) (columns(["Platform", "Architecture", "Updater", "Gets it"])) (column("Why")) };
    html! {
        section #receipt {
            h2 { "Who gets it" }
            @if receipt.lines.is_empty() {
                (parts::empty("Nobody.", &html! { "Neither this release nor an earlier one has files." }))
            } @else {
                @if !receipt.lines.iter().any(|line| line.state == "published") {
                    p.hint { "Once it is published:" }
                }
                (table("Who gets it", &head, &html! { @for line in &receipt.lines { (row(line)) } }))
                @if receipt.truncated { p.hint { "There are more lines than this table has." } }
            }
            @if receipt.nobody || !receipt.warnings.is_empty() {
                ul.warnings {
                    @if receipt.nobody { li { "No client gets this release." } }
                    @for warning in &receipt.warnings { li { (warning) "." } }
                }
            }
        }
    }
}

fn row(line: &ReceiptLineBody) -> Markup {
    let (kind, word) = match line.outcome.as_str() {
        "gets" => ("good", "yes"),
        "some" => ("good", "some"),
        "newer" => ("", "a newer one"),
        "held" => ("warn", "not now"),
        "behind" => ("bad", "falls behind"),
        "none" => ("", "no"),
        other => ("", other),
    };
    html! {
        tr {
            td.extra { (line.channel) }
            th scope="row" { (line.platform) }
            td { (line.arch) }
            td { (line.updater) }
            td { (parts::badge(kind, word)) }
            td {
                (line.text)
                @if let (Some(devices), "behind") = (line.devices, line.outcome.as_str()) {
                    " " (parts::count(devices, "device")) " there in the last 30 days."
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_say_who_falls_behind() {
        let line = |platform: &str, outcome: &str, text: &str| {
            json!({
                "channel": "stable", "platform": platform, "arch": "amd64", "updater": "manual", "state": "draft",
                "outcome": outcome, "text": text, "devices": 3,
            })
        };
        let lines = [line("linux", "gets", ""), line("windows", "behind", "It has no file.")];
        let receipt = json!({
            "app": "notes", "version": "1.1", "lines": lines, "truncated": false, "behind": true, "nobody": false,
            "warnings": ["a.exe is a file for Windows"],
        });
        let page = section(&serde_json::from_value(receipt).unwrap()).into_string();
        for part in [
            "Once it is published:",
            "badge good\">yes",
            "badge bad\">falls behind",
            "It has no file. 3 devices there in the last 30 days.",
            "a.exe is a file for Windows.",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
