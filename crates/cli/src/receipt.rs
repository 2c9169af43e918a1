//! The receipt of a release: who gets it, who does not and why, and who falls behind.

use std::fmt::Write as _;

use clap::Args;
use spindrift_api::{ReceiptAskBody, ReceiptBody, ReceiptLineBody, ReleaseData};
use spindrift_core::Id;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::output::table;
use crate::service::Service;

/// Whether gaps are a failure.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Strict {
    /// Fail with exit code 14, and change nothing, if clients would fall behind or nobody would
    /// get the release.
    #[arg(long)]
    strict: bool,
}

impl Strict {
    pub(crate) const fn is_on(self) -> bool {
        self.strict
    }

    /// The outcome of a command, once it has shown the receipt.
    pub(crate) const fn outcome(self, receipt: &ReceiptBody) -> Outcome {
        if self.strict && has_gaps(receipt) { Outcome::Gaps } else { Outcome::Done }
    }
}

/// Whether some clients fall behind, or no client gets the release.
pub(crate) const fn has_gaps(receipt: &ReceiptBody) -> bool {
    receipt.behind || receipt.nobody
}

/// The receipt of a release, in one channel or in all.
pub(crate) async fn of_release(
    service: &Service,
    id: &Id,
    channel: Option<&str>,
) -> Result<ReceiptBody, CliError> {
    let query: Vec<(&str, &str)> = channel.into_iter().map(|channel| ("channel", channel)).collect();
    service.get(&format!("/releases/{id}/receipt")).query(&query).json().await
}

/// The receipt after a change. If it cannot be fetched, prints a message instead of failing,
/// because the change itself is done. `None`: no receipt.
pub(crate) async fn after_change(
    context: &Context,
    service: &Service,
    id: &Id,
    channel: Option<&str>,
) -> Option<ReceiptBody> {
    match of_release(service, id, channel).await {
        Ok(receipt) => Some(receipt),
        Err(error) => {
            context.output.message(&format!("the receipt cannot be shown: {error}"));
            None
        }
    }
}

/// The receipt that an upload would have.
pub(crate) async fn of_upload(
    service: &Service,
    data: &ReleaseData,
    files: Vec<String>,
) -> Result<ReceiptBody, CliError> {
    let body = ReceiptAskBody { data: data.clone(), files };
    service.post("/releases/receipt").body_json(&body).json().await
}

/// Merges the receipts of a release that has one upload for each architecture. Each receipt
/// supplies the lines about its own architecture; lines about other architectures come from the
/// first. `None`: `receipts` is empty.
pub(crate) fn merge(receipts: Vec<(String, ReceiptBody)>) -> Option<ReceiptBody> {
    let mut receipts = receipts.into_iter();
    let (first_arch, mut all) = receipts.next()?;
    for (arch, receipt) in receipts.filter(|(arch, _)| *arch != first_arch) {
        all.lines.retain(|line| line.arch != arch);
        all.lines.extend(receipt.lines.into_iter().filter(|line| line.arch == arch));
        all.truncated |= receipt.truncated;
        all.warnings.extend(receipt.warnings);
    }
    all.warnings.sort();
    all.warnings.dedup();
    all.behind = all.lines.iter().any(|line| line.outcome == "behind");
    all.nobody = !all.lines.iter().any(|line| matches!(line.outcome.as_str(), "gets" | "some"));
    Some(all)
}

/// The receipt as text for people.
pub(crate) fn as_text(receipt: &ReceiptBody) -> String {
    let ReceiptBody { app, version, lines, truncated, nobody, warnings, .. } = receipt;
    let is_seen = lines.iter().any(|line| line.state == "published");
    let when = if is_seen || lines.is_empty() { "" } else { " once it is published" };
    let mut text = format!("Who gets {app} {version}{when}:\n");
    if lines.is_empty() {
        text.push_str("no clients: nothing is published for any platform\n");
    } else {
        let headers = ["CHANNEL", "PLATFORM", "ARCH", "UPDATER", "GETS IT", "WHY"];
        text.push_str(&table(&headers, &lines.iter().map(row).collect::<Vec<_>>()));
    }
    if *truncated {
        text.push_str("there are more lines: see --channel\n");
    }
    if *nobody {
        text.push_str("nobody gets this release\n");
    }
    for warning in warnings {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "warning: {warning}");
    }
    text.trim_end().to_owned()
}

fn row(line: &ReceiptLineBody) -> Vec<String> {
    let ReceiptLineBody { channel, platform, arch, updater, outcome, text, devices, .. } = line;
    let gets = match outcome.as_str() {
        "gets" => "yes",
        "newer" => "no, a newer one",
        "held" => "not now",
        "behind" => "NO, falls behind",
        "none" => "no",
        other => other,
    };
    let seen = match devices {
        Some(devices) if outcome == "behind" => format!(" Devices there in 30 days: {devices}."),
        _ => String::new(),
    };
    let place = [channel, platform, arch, updater].into_iter().cloned();
    place.chain([gets.to_owned(), format!("{text}{seen}")]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn receipt(outcomes: &[(&str, &str)], state: &str) -> ReceiptBody {
        let line = |(outcome, text): &(&str, &str)| {
            json!({
                "channel": "stable", "platform": "linux", "arch": "amd64", "updater": "manual", "state": state,
                "outcome": outcome, "text": text, "devices": 3,
            })
        };
        let is = |wanted: &str| outcomes.iter().any(|(outcome, _)| *outcome == wanted);
        serde_json::from_value(json!({
            "app": "notes", "version": "1.1", "lines": outcomes.iter().map(line).collect::<Vec<_>>(), "truncated": false,
            "behind": is("behind"), "nobody": !is("gets"), "warnings": ["a.exe is a file for Windows"],
        }))
        .unwrap()
    }

    #[test]
    fn a_table_says_who_gets_it() {
        let shown = as_text(&receipt(&[("gets", ""), ("behind", "It has no file.")], "draft"));
        let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "Who gets notes 1.1 once it is published:",
                "CHANNEL  PLATFORM  ARCH   UPDATER  GETS IT           WHY",
                "stable   linux     amd64  manual   yes",
                "stable   linux     amd64  manual   NO, falls behind  It has no file. Devices there in 30 \
                 days: 3.",
                "warning: a.exe is a file for Windows",
            ]
        );
        assert!(
            as_text(&receipt(&[("held", "It is halted.")], "published"))
                .contains("\nnobody gets this release")
        );
    }

    #[test]
    fn gaps_are_a_failure_only_if_asked() {
        for (strict, outcomes, expected) in [
            (true, &[("gets", "")][..], Outcome::Done),
            (true, &[("gets", ""), ("behind", "")][..], Outcome::Gaps),
            (true, &[("held", "")][..], Outcome::Gaps),
            (false, &[("behind", "")][..], Outcome::Done),
        ] {
            assert_eq!(Strict { strict }.outcome(&receipt(outcomes, "published")), expected, "{outcomes:?}");
        }
    }
}
