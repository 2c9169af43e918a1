//! Shut-offs on other pages.

use maud::{Markup, html};
use spindrift_api::ShutoffEntry;

use crate::{Address, parts};

/// The shut-offs of an application, for its page. `may_edit`: whether the visitor may lift them.
pub(crate) fn banner(shutoffs: &[ShutoffEntry], may_edit: bool) -> Markup {
    html! {
        @if !shutoffs.is_empty() {
            ul.warnings.stops aria-label="Updates are shut off" { @for shutoff in shutoffs { li { (line(shutoff, may_edit)) } } }
        }
    }
}

fn line(shutoff: &ShutoffEntry, may_edit: bool) -> Markup {
    let lift = Address::page(["apps", &shutoff.app, "shutoffs", shutoff.id.as_str(), "lift"]);
    html! {
        span {
            strong { "Updates are shut off for " (shutoff.clients()) ": " } (shutoff.reason)
            " (by " (shutoff.created_by) ", " (parts::time(&shutoff.created_at)) ")"
        }
        @if may_edit { a.button.plain href=(lift) { "Lift it" } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shutoff(channel: &str, platform: &str) -> ShutoffEntry {
        serde_json::from_value(json!({
            "id": "s1", "app": "a/b", "channel": channel, "platform": platform, "reason": "<b>broken</b>",
            "created_by": "ann", "created_at": "2026-12-01T09:00:00+00:00",
        }))
        .unwrap()
    }

    #[test]
    fn a_banner_says_for_whom_and_why() {
        for (channel, platform, text) in [
            ("", "", "all clients"),
            ("beta", "", "clients in the channel beta"),
            ("", "linux", "clients on linux"),
            ("beta", "linux", "clients in the channel beta on linux"),
        ] {
            let shown = banner(&[shutoff(channel, platform)], true).into_string();
            for part in [
                &format!(
                    "<strong>Updates are shut off for {text}: </strong>&lt;b&gt;broken&lt;/b&gt; (by ann, <time"
                ),
                "href=\"/console/apps/a%2Fb/shutoffs/s1/lift\"",
            ] {
                assert!(shown.contains(part), "{part}: {shown}");
            }
        }
        assert!(!banner(&[shutoff("", "")], false).into_string().contains("lift"));
        assert_eq!(banner(&[], true).into_string(), "");
    }
}
