//! Which older releases an appcast lists.

use std::collections::HashSet;

use super::SparkleFeed;

/// So many releases below the target are listed whatever they demand: clients of a phased rollout that are not in it yet
/// take an older one.
const RECENT: usize = 10;

/// What of an item decides whether a client may have it: elements and attributes of Sparkle by their local names.
const DEMANDS: [&str; 6] = [
    ":minimumSystemVersion",
    ":maximumSystemVersion",
    ":hardwareRequirements",
    ":channel",
    ":os",
    ":minimumUpdateVersion",
];

/// The releases below the target of an appcast, newest first. Clients take the highest item that they may have, so of the
/// releases that demand the same only the newest can be taken, apart from the most recent ones.
#[derive(Default)]
pub(in crate::feeds) struct History<'a> {
    recent: usize,
    demands: HashSet<Vec<&'a str>>,
}

impl<'a> History<'a> {
    /// Whether the next release is listed.
    pub(in crate::feeds) fn lists(&mut self, feed: &'a SparkleFeed) -> bool {
        let SparkleFeed::Items(feed) = feed else { return false };
        self.recent += 1;
        let demands = feed.items.iter().flat_map(|item| demands(&item.xml)).collect();
        self.demands.insert(demands) || self.recent <= RECENT
    }
}

/// The demands of an item, each as its name and value are written.
fn demands(xml: &str) -> impl Iterator<Item = &str> {
    DEMANDS.iter().flat_map(move |name| {
        xml.match_indices(name).filter_map(move |(at, _)| {
            let rest = xml.get(at..)?;
            let value = rest.get(name.len()..)?;
            // The text of an element, or the quoted value of an attribute.
            let length = match value.as_bytes().first()? {
                b'>' => value.find('<')?,
                b'=' => value.get(2..)?.find(['"', '\''])? + 3,
                _ => return None,
            };
            rest.get(..name.len() + length)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::{SparkleItem, SparkleItems};

    fn feed(number: usize, demands: &str) -> SparkleFeed {
        let xml = format!("<item><title>{number}</title>{demands}<enclosure url='{number}.zip'/></item>");
        SparkleFeed::Items(SparkleItems {
            namespaces: Vec::new(),
            items: vec![SparkleItem { xml, enclosures: Vec::new() }],
        })
    }

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
        ] {
            assert_eq!(demands(xml).collect::<Vec<_>>(), expected, "{xml}");
        }
    }

    #[test]
    fn the_newest_of_each_demand_is_listed_and_the_most_recent() {
        let old = "<sparkle:minimumSystemVersion>10.9</sparkle:minimumSystemVersion>";
        let new = "<sparkle:minimumSystemVersion>12.0</sparkle:minimumSystemVersion>";
        let feeds: Vec<_> = (0..100).map(|n| feed(n, if n < 50 { new } else { old })).collect();
        let mut history = History::default();
        let listed: Vec<_> = (0..100).filter(|n| history.lists(&feeds[*n])).collect();
        assert_eq!(listed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50]);
    }
}
