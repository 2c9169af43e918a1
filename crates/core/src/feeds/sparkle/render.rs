//! Renders an appcast for a client.

use super::{Namespace, SparkleFeed, SparkleItem, add_namespaces};
use crate::Version;
use crate::feeds::format::StoredFeed as _;
use crate::feeds::history::History;
use crate::feeds::text::wire_url;
use crate::feeds::{FeedLinks, FeedRelease};

/// Renders the appcast for a client that is offered `target` from the scope's published releases, newest
/// first. `title` is the title of the RSS channel, such as the application's name. Without a target there are
/// no items.
///
/// Clients choose the highest item that their system can run. They get the target and, for older
/// systems, the fully rolled out releases below it that `History` lists; nothing above it. The
/// caller has decided whether the client may have the target. Items are served as uploaded, except
/// for the URLs of their enclosures. Older items are omitted if their prefixes have another meaning
/// than those of newer items.
///
/// A target with a signed appcast is answered with that appcast, byte for byte, regardless of other releases.
pub(super) fn render_appcast(
    releases: &[FeedRelease<'_, SparkleFeed>],
    target: Option<&Version>,
    title: &str,
) -> String {
    let target = target.and_then(|target| releases.iter().find(|release| release.version == target));
    if let Some(SparkleFeed::Signed(signed)) = target.map(|release| release.feed) {
        return signed.source.clone();
    }
    let mut namespaces = Vec::new();
    let mut items = String::new();
    let mut history = History::default();
    for release in releases {
        let is_offered = target.is_some_and(|target| {
            let is_older = release.version < target.version && release.rollout.is_all();
            release.version == target.version || (is_older && history.lists(release.feed.demands()))
        });
        let SparkleFeed::Items(feed) = release.feed else { continue };
        if !is_offered || !add_namespaces(&mut namespaces, &feed.namespaces) {
            continue;
        }
        for item in &feed.items {
            items.push_str("    ");
            items.push_str(&with_addresses(item, release.links));
            items.push('\n');
        }
    }
    let title = escape(title);
    let bindings: String = namespaces.iter().map(binding).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"{bindings}>\n  <channel>\n    \
         <title>{title}</title>\n{items}  </channel>\n</rss>\n"
    )
}

fn binding(namespace: &Namespace) -> String {
    format!(" xmlns:{}=\"{}\"", namespace.prefix, escape(&namespace.uri))
}

/// The item with the URLs of its enclosures filled in.
fn with_addresses(item: &SparkleItem, links: &dyn FeedLinks) -> String {
    let mut xml = String::with_capacity(item.xml.len() + 256);
    let mut copied = 0;
    for enclosure in &item.enclosures {
        let (start, end) = enclosure.url_at;
        let Some(between) = item.xml.get(copied..start).filter(|_| start <= end) else { continue };
        xml.push_str(between);
        xml.push_str(&escape(&wire_url(&links.link(&enclosure.file_name))));
        copied = end;
    }
    xml.push_str(item.xml.get(copied..).unwrap_or_default());
    xml
}

/// Escapes a text for use inside an element or a quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}
