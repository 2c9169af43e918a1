//! Renders release notes as HTML. Raw HTML is shown as text, and links lead only to web and mail
//! addresses.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// The lowest level of a heading.
const MAX_LEVEL: isize = 6;

/// Renders [CommonMark](https://spec.commonmark.org/), with tables and strikethrough.
pub fn markdown(text: &str) -> Markup {
    lowered(text, 0)
}

/// Like [`markdown`], below a heading of this level: the highest headings of the text become the next level.
pub fn markdown_below(text: &str, level: usize) -> Markup {
    let headings = Parser::new_ext(text, OPTIONS).filter_map(|event| match event {
        Event::Start(Tag::Heading { level, .. }) => Some(level as isize),
        _ => None,
    });
    let highest = headings.min().unwrap_or(1);
    lowered(text, isize::try_from(level).unwrap_or(MAX_LEVEL) + 1 - highest)
}

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// `levels`: how much lower headings become.
fn lowered(text: &str, levels: isize) -> Markup {
    let mut shown = String::with_capacity(text.len() * 2);
    html::push_html(&mut shown, Parser::new_ext(text, OPTIONS).map(|event| lower(harmless(event), levels)));
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
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    }
}

fn lower(event: Event<'_>, levels: isize) -> Event<'_> {
    let lower = |level: HeadingLevel| {
        let level = (level as isize + levels).clamp(1, MAX_LEVEL);
        usize::try_from(level).ok().and_then(|level| level.try_into().ok()).unwrap_or(HeadingLevel::H6)
    };
    match event {
        Event::Start(Tag::Heading { level, id, classes, attrs }) => {
            Event::Start(Tag::Heading { level: lower(level), id, classes, attrs })
        }
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
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
            let shown = markdown(hostile).into_string().to_ascii_lowercase();
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
        let shown = markdown("# New\n\n- **fast**\n- [site](https://a.example/?a=1&b=2)\n").into_string();
        assert!(shown.contains("<h1>New</h1>"), "{shown}");
        assert!(shown.contains("<strong>fast</strong>"), "{shown}");
        assert!(shown.contains("<a href=\"https://a.example/?a=1&amp;b=2\">site</a>"), "{shown}");
        let mail = markdown("<ann@example.com>").into_string();
        assert!(mail.contains("<a href=\"mailto:ann@example.com\">ann@example.com</a>"), "{mail}");
    }

    #[test]
    fn headings_continue_those_of_the_page() {
        let shown = markdown_below("# New\n\n###### Deep\n", 2).into_string();
        assert_eq!(shown, "<div class=\"notes\"><h3>New</h3>\n<h6>Deep</h6>\n</div>");
        // Many notes begin with the second level.
        let shown = markdown_below("## 1.4.0\n\n### Fixes\n", 2).into_string();
        assert_eq!(shown, "<div class=\"notes\"><h3>1.4.0</h3>\n<h4>Fixes</h4>\n</div>");
    }
}
