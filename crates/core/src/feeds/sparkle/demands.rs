//! The requirements that an item sets for clients.

use super::SparkleItem;

/// The minimum version of macOS.
const MINIMUM_SYSTEM: &str = ":minimumSystemVersion";
/// The name of the channel that an item is restricted to.
const CHANNEL: &str = ":channel";
/// The Sparkle elements and attributes that decide whether a client may have an item, by local name.
const DEMANDS: [&str; 6] = [
    MINIMUM_SYSTEM,
    ":maximumSystemVersion",
    ":hardwareRequirements",
    CHANNEL,
    ":os",
    ":minimumUpdateVersion",
];

impl SparkleItem {
    /// The item's requirements: names and values, as written.
    pub(super) fn demands(&self) -> impl Iterator<Item = &str> {
        demands(&self.xml)
    }
}

/// Whether an item, or an appcast of items, has a minimum version of macOS.
pub(super) fn has_minimum_system(xml: &str) -> bool {
    demands(xml).any(|demand| demand.starts_with(MINIMUM_SYSTEM))
}

/// Whether an item, or an appcast of items, is only for clients that name a channel.
pub(super) fn names_channel(xml: &str) -> bool {
    demands(xml).any(|demand| demand.starts_with(CHANNEL))
}

fn demands(xml: &str) -> impl Iterator<Item = &str> {
    DEMANDS.iter().flat_map(move |name| Demands { rest: xml, name, has_quotes: true })
}

/// The remaining requirements in an item. Each is skipped after it was found, so that the time is
/// linear in the length of any item.
struct Demands<'a> {
    rest: &'a str,
    name: &'static str,
    /// Whether the rest may contain quotes.
    has_quotes: bool,
}

impl<'a> Iterator for Demands<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let found = self.rest.get(self.rest.find(self.name)?..)?;
            self.rest = found.get(self.name.len()..)?;
            // The text of an element, or the quoted value of an attribute.
            let length = match self.rest.as_bytes().first()? {
                b'>' => self.rest.find('<'),
                b'=' if self.has_quotes => self.quoted(),
                _ => None,
            };
            if let Some(length) = length {
                self.rest = self.rest.get(length..)?;
                return found.get(..self.name.len() + length);
            }
        }
    }
}

impl Demands<'_> {
    /// The length of `="..."` at the start of the rest.
    fn quoted(&mut self) -> Option<usize> {
        let end = self.rest.get(2..)?.find(['"', '\'']);
        self.has_quotes = end.is_some();
        Some(end? + 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_are_found_in_elements_and_attributes() {
        for (xml, expected) in [
            ("<item/>", &[][..]),
            (
                "<sparkle:minimumSystemVersion>10.13</sparkle:minimumSystemVersion>",
                &[":minimumSystemVersion>10.13"],
            ),
            ("<enclosure s:os='windows' length='1'/>", &[":os='windows'"]),
            ("<e s:os=\"windows\"/><s:channel>beta</s:channel>", &[":channel>beta", ":os=\"windows\""]),
            ("<sparkle:channel", &[]),
            ("<a :os=\u{e9}/><s:os>a</s:os>", &[":os>a"]),
            ("a :os=b <s:os>a</s:os>", &[":os>a"]),
            (":os>:os>:os='<a s:os='b'/>", &[":os>:os>:os='", ":os='b'"]),
        ] {
            assert_eq!(demands(xml).collect::<Vec<_>>(), expected, "{xml}");
        }
    }

    #[test]
    fn demands_are_no_longer_than_their_item() {
        for piece in [":os>", ":os=", ":os='", ":channel>:os=\""] {
            let xml = format!("<item>{}</item>", piece.repeat(1000));
            let total: usize = demands(&xml).map(str::len).sum();
            assert!(total <= DEMANDS.len() * xml.len(), "{piece}: {total}");
        }
    }
}
