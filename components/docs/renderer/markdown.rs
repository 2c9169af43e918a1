//! Descriptions, which are Markdown.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Paragraphs of Markdown.
pub(super) fn markdown(text: &str) -> Markup {
    render(Parser::new(text))
}

/// Markdown inside a line.
pub(super) fn inline(text: &str) -> Markup {
    let is_inside =
        |event: &Event<'_>| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph));
    render(Parser::new(text).filter(is_inside))
}

/// HTML in Markdown is text: descriptions are about placeholders in angle brackets, not markup.
fn render<'a>(events: impl Iterator<Item = Event<'a>>) -> Markup {
    let events = events.map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    PreEscaped(html)
}
