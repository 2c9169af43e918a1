//! The requirements that an item sets for clients.

use super::SparkleItem;

/// The Sparkle elements and attributes that decide whether a client may have an item, by local name.
const DEMANDS: [&str; 6] = [
    ":minimumSystemVersion",
    ":maximumSystemVersion",
    ":hardwareRequirements",
    ":channel",
    ":os",
    ":minimumUpdateVersion",
];

impl SparkleItem {
    /// Its requirements: names and values, each as written.
    pub(super) fn demands(&self) -> impl Iterator<Item = &str> {
        demands(&self.xml)
    }
}

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
}
