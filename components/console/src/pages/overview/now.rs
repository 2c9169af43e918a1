//! The current state: failing versions, and rollouts in progress.

use maud::{Markup, html};
use spindrift_api::{OverviewNow, OverviewRelease, VerdictName};

use crate::pages::release;
use crate::table::{columns, table};
use crate::{parts, rollout};

/// Empty if nothing is in progress.
pub(super) fn sections(now: &OverviewNow) -> Markup {
    html! {
        @if !now.failing.is_empty() {
            section {
                h2 { "Failing versions" }
                ul.warnings.stops { @for release in &now.failing { li { (failing_row(release)) } } }
            }
        }
        @if !now.rollouts.is_empty() {
            section {
                h2 { "Rollouts under way" }
                (table(
                    "Rollouts under way",
                    &columns(["Application", "Version", "Channel", "Rollout", "Next step", "Health"]),
                    &html! { @for release in &now.rollouts { (row(release)) } },
                ))
            }
        }
    }
}

fn failing_row(release: &OverviewRelease) -> Markup {
    html! {
        span {
            a href=(release::address(&release.app, release.id.as_str())) { strong { (release.app) " " (release.version) } }
            @if !release.channel.is_empty() { " in " (release.channel) }
            ": " @if let Some(why) = &release.why { (why) }
        }
        span { (rollout::brief(release.percent.0, &release.state)) }
    }
}

fn row(release: &OverviewRelease) -> Markup {
    html! {
        tr {
            th scope="row" { (release.app) }
            td { a href=(release::address(&release.app, release.id.as_str())) { (release.version) } }
            td { (release.channel) }
            td { (rollout::brief(release.percent.0, &release.state)) }
            td {
                @match &release.next {
                    Some(next) => { (next.percent) " %, " (parts::time(&next.at)) }
                    None => "–",
                }
            }
            td title=[release.why.as_deref()] { (verdict(release.verdict)) }
        }
    }
}

fn verdict(verdict: Option<VerdictName>) -> Markup {
    match verdict {
        Some(VerdictName::Healthy) => parts::badge("good", "healthy"),
        Some(VerdictName::Unhealthy) => parts::badge("bad", "unhealthy"),
        Some(VerdictName::Unknown) => parts::badge("", "not known yet"),
        None => html! { "–" },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn release(verdict: Option<&str>, next: &Value) -> Value {
        json!({
            "id": "r 1", "app": "a/b", "channel": "beta", "version": "2.0.0", "state": "running", "percent": 0.5,
            "next": next, "verdict": verdict, "why": "<b>why</b>",
        })
    }

    fn shown(rollouts: &[Value], failing: &[Value]) -> String {
        let now = json!({ "rollouts": rollouts, "failing": failing, "activity": [] });
        sections(&serde_json::from_value(now).unwrap()).into_string()
    }

    #[test]
    fn nothing_is_an_empty_table() {
        assert_eq!(shown(&[], &[]), "");
    }

    #[test]
    fn failing_versions_come_first_and_say_why() {
        let page = shown(&[release(None, &Value::Null)], &[release(Some("unhealthy"), &Value::Null)]);
        let (failing, rollouts) = page.split_once("Rollouts under way").unwrap();
        for part in [
            "<h2>Failing versions</h2>",
            "<a href=\"/console/apps/a%2Fb/releases/r%201\"><strong>a/b 2.0.0</strong></a> in beta: \
             &lt;b&gt;why",
            "0.5 %, plan",
        ] {
            assert!(failing.contains(part), "{part}: {page}");
        }
        assert!(rollouts.contains("<td>–</td><td title=\"&lt;b&gt;why&lt;/b&gt;\">–</td>"), "{page}");
    }

    #[test]
    fn a_rollout_has_its_next_step_and_its_verdict() {
        let at = "2026-12-01T09:00:00+00:00";
        let next = json!({ "percent": 5, "at": at });
        for (word, badge) in [
            ("healthy", "<span class=\"badge good\">healthy</span>"),
            ("unhealthy", "<span class=\"badge bad\">unhealthy</span>"),
            ("unknown", "<span class=\"badge \">not known yet</span>"),
        ] {
            let page = shown(&[release(Some(word), &next)], &[]);
            assert!(page.contains(badge) && !page.contains("Failing"), "{page}");
            assert!(page.contains(&format!("<td>5 %, {}</td>", parts::time(at).into_string())), "{page}");
        }
    }
}
