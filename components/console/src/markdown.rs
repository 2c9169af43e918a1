//! Renders release notes as HTML. Raw HTML is shown as text, and links lead only to web and mail
//! addresses.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, html};

/// Renders [CommonMark](https://spec.commonmark.org/), with tables and strikethrough.
pub(crate) fn render(text: &str) -> Markup {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut shown = String::with_capacity(text.len() * 2);
    html::push_html(&mut shown, Parser::new_ext(text, options).map(harmless));
    PreEscaped(format!("<div class=\"notes\">{shown}</div>"))
}

fn harmless(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        // A picture on another site would reveal the reader to that site, so show a link instead.
        Event::Start(
            Tag::Link { link_type, dest_url, title, id } | Tag::Image { link_type, dest_url, title, id },
        ) => {
            // The writer itself adds `mailto:` to these.
            let dest_url = if link_type == LinkType::Email { dest_url } else { address(dest_url) };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::End(pulldown_cmark::TagEnd::Image) => Event::End(pulldown_cmark::TagEnd::Link),
        other => other,
    }
}

fn address(address: CowStr<'_>) -> CowStr<'_> {
    let lower = address.trim().to_ascii_lowercase();
    let is_known = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    if is_known { address } else { CowStr::Borrowed("#") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_cannot_run_anything() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "[x](javascript:alert(1))",
            "[x]( JaVaScRiPt:alert(1))",
            "<javascript:alert(1)>",
            "![x](javascript:alert(1))",
            "![x\"onload=\"alert(1)](https://a/\"onerror=\"alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "</div><iframe src=https://evil>",
            "[x]: javascript:alert(1)\n\n[x]",
        ] {
            let shown = render(hostile).into_string().to_ascii_lowercase();
            for part in ["<script", "<img", "<iframe", "href=\"javascript", "href=\"data", "src="] {
                let in_a_tag = shown
                    .split('<')
                    .skip(1)
                    .any(|tag| format!("<{}", tag.split('>').next().unwrap()).contains(part));
                assert!(!in_a_tag, "{hostile}: {shown}");
            }
        }
    }

    #[test]
    fn notes_look_as_written() {
        let shown = render("# New\n\n- **fast**\n- [site](https://a.example/?a=1&b=2)\n").into_string();
        assert!(shown.contains("<h1>New</h1>"), "{shown}");
        assert!(shown.contains("<strong>fast</strong>"), "{shown}");
        assert!(shown.contains("<a href=\"https://a.example/?a=1&amp;b=2\">site</a>"), "{shown}");
        let mail = render("<ann@example.com>").into_string();
        assert!(mail.contains("<a href=\"mailto:ann@example.com\">ann@example.com</a>"), "{mail}");
    }
}
