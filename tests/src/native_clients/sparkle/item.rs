//! Items of an appcast.

use roxmltree::{Document, Node};
use rss::Channel;
use url::Url;

const NAMESPACE: &str = "http://www.andymatuschak.org/xml-namespaces/sparkle";

/// A release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Version for ordering releases.
    pub build: String,
    /// Version shown to people.
    pub version: Option<String>,
    pub title: Option<String>,
    /// Release notes.
    pub description: Option<String>,
    /// Date as written in the feed.
    pub date: Option<String>,
    /// `None`: the default channel.
    pub channel: Option<String>,
    /// Minimum version of macOS.
    pub minimum_system: Option<String>,
    /// Maximum version of macOS.
    pub maximum_system: Option<String>,
    /// Minimum build that may update to this one.
    pub minimum_update: Option<String>,
    /// Whether it is marked as critical.
    pub critical: bool,
    /// The archive.
    pub enclosure: Enclosure,
    /// Deltas from older builds.
    pub deltas: Vec<Enclosure>,
}

/// A file to download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    pub url: Url,
    /// Size in bytes.
    pub length: Option<u64>,
    /// Signature in base64.
    pub signature: Option<String>,
    /// The build that a delta starts from.
    pub delta_from: Option<String>,
}

/// Parses an appcast from `feed_url`. It must be RSS that other readers accept too.
pub fn parse(body: &[u8], feed_url: &str) -> Result<Vec<Item>, String> {
    let channel = Channel::read_from(body).map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    let document = Document::parse(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())?;
    let base = Url::parse(feed_url).map_err(|error| error.to_string())?;
    let nodes: Vec<_> = document.descendants().filter(|node| node.has_tag_name("item")).collect();
    if nodes.len() != channel.items().len() {
        return Err(format!("{} items, of which {} are RSS", nodes.len(), channel.items().len()));
    }
    nodes.into_iter().zip(channel.items()).map(|(node, item)| read(node, item, &base)).collect()
}

fn read(node: Node<'_, '_>, item: &rss::Item, base: &Url) -> Result<Item, String> {
    let of_sparkle = |name: &'static str| child(node, name).and_then(|child| text_of(child));
    let main = node.children().find(|child| child.has_tag_name("enclosure"));
    let main = main.ok_or("an item without an enclosure")?;
    let of_enclosure = |name: &'static str| main.attribute((NAMESPACE, name)).map(str::to_owned);
    let enclosure = enclosure(main, base)?;
    let same = item.enclosure().is_some_and(|found| main.attribute("url") == Some(found.url()));
    if !same {
        return Err("the enclosure is not that of the RSS item".to_owned());
    }
    let deltas = child(node, "deltas").into_iter().flat_map(|deltas| deltas.children());
    let deltas = deltas.filter(|child| child.has_tag_name("enclosure"));
    Ok(Item {
        build: of_sparkle("version")
            .or_else(|| of_enclosure("version"))
            .ok_or("an item without a version")?,
        version: of_sparkle("shortVersionString").or_else(|| of_enclosure("shortVersionString")),
        title: item.title().map(str::to_owned),
        description: item.description().map(str::to_owned),
        date: item.pub_date().map(str::to_owned),
        channel: of_sparkle("channel"),
        minimum_system: of_sparkle("minimumSystemVersion"),
        maximum_system: of_sparkle("maximumSystemVersion"),
        minimum_update: of_sparkle("minimumUpdateVersion"),
        critical: child(node, "criticalUpdate").is_some(),
        enclosure,
        deltas: deltas.map(|node| self::enclosure(node, base)).collect::<Result<_, _>>()?,
    })
}

fn child<'a, 'b>(node: Node<'a, 'b>, name: &'static str) -> Option<Node<'a, 'b>> {
    node.children().find(|child| child.has_tag_name((NAMESPACE, name)))
}

fn text_of(node: Node<'_, '_>) -> Option<String> {
    node.text().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn enclosure(node: Node<'_, '_>, base: &Url) -> Result<Enclosure, String> {
    let url = node.attribute("url").ok_or("an enclosure without an address")?;
    let length = node.attribute("length").map(str::parse).transpose();
    Ok(Enclosure {
        url: base.join(url).map_err(|error| format!("{url}: {error}"))?,
        length: length.map_err(|_| format!("{url}: not a length"))?,
        signature: node.attribute((NAMESPACE, "edSignature")).map(str::to_owned),
        delta_from: node.attribute((NAMESPACE, "deltaFrom")).map(str::to_owned),
    })
}
