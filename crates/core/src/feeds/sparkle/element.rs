//! Start tags of an appcast.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;
use quick_xml::name::{NamespaceResolver, PrefixDeclaration, QName, ResolveResult};

use super::{Namespace, SPARKLE};

/// Maximum length of a start tag, in bytes, and maximum number of its attributes: far above any
/// real appcast.
const MAX_TAG_BYTES: usize = 16 * 1024;
const MAX_ATTRIBUTES: usize = 64;

/// The names of relevant elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Rss,
    Channel,
    Item,
    Enclosure,
    Version,
    ShortVersion,
    Other,
}

/// A start tag.
pub(super) struct Element {
    pub(super) name: Name,
    /// The namespaces that it declares.
    pub(super) namespaces: Vec<Namespace>,
    pub(super) url: Option<Located>,
    pub(super) length: Option<Located>,
    /// The `version` and `shortVersionString` attributes of Sparkle: older appcasts have the versions there.
    pub(super) version: Option<String>,
    pub(super) short_version: Option<String>,
}

/// The value of an attribute, and its position.
pub(super) struct Located {
    pub(super) value: String,
    /// Its memory address, used to locate it in the source.
    pub(super) address: usize,
    pub(super) raw_length: usize,
}

/// Parses a start tag. Every prefix must be bound, every name valid and every attribute unique, so
/// that the item stays well-formed inside another document.
pub(super) fn read(tag: &BytesStart<'_>, resolver: &NamespaceResolver) -> Result<Element, &'static str> {
    if tag.len() > MAX_TAG_BYTES {
        return Err("tag too long");
    }
    let mut element = Element {
        name: name(tag.name(), resolver)?,
        namespaces: Vec::new(),
        url: None,
        length: None,
        version: None,
        short_version: None,
    };
    for (number, attribute) in tag.attributes().enumerate() {
        let attribute = attribute.map_err(|_| "invalid attribute")?;
        if number == MAX_ATTRIBUTES {
            return Err("too many attributes");
        }
        element.take(&attribute, resolver)?;
    }
    Ok(element)
}

impl Located {
    fn of(attribute: &Attribute<'_>, value: &str) -> Self {
        let raw = attribute.value.as_ref();
        Self { value: value.trim().to_owned(), address: raw.as_ptr().addr(), raw_length: raw.len() }
    }

    /// Start and end of the value as written, as byte offsets from a memory address.
    pub(super) fn at(&self, from: usize) -> Option<(usize, usize)> {
        let start = self.address.checked_sub(from)?;
        Some((start, start + self.raw_length))
    }
}

impl Element {
    fn take(&mut self, attribute: &Attribute<'_>, resolver: &NamespaceResolver) -> Result<(), &'static str> {
        check_name(attribute.key)?;
        if attribute.value.contains(&b'<') {
            return Err("invalid attribute");
        }
        let value = attribute.normalized_value(XmlVersion::Explicit1_0).map_err(|_| "unknown entity")?;
        match attribute.key.as_namespace_binding() {
            Some(PrefixDeclaration::Default) => return Err("default namespace"),
            Some(PrefixDeclaration::Named(prefix)) => {
                let prefix = String::from_utf8_lossy(prefix).into_owned();
                self.namespaces.push(Namespace { prefix, uri: value.into_owned() });
                return Ok(());
            }
            None => {}
        }
        let (resolved, local) = resolver.resolve_attribute(attribute.key);
        match (resolved, local.as_ref()) {
            (ResolveResult::Unknown(_), _) => return Err("prefix without a namespace"),
            (ResolveResult::Unbound, b"url") => {
                self.url = Some(Located::of(attribute, &value));
            }
            (ResolveResult::Unbound, b"length") => self.length = Some(Located::of(attribute, &value)),
            (ResolveResult::Bound(uri), b"version") if uri.as_ref() == SPARKLE => {
                self.version = Some(value.trim().to_owned());
            }
            (ResolveResult::Bound(uri), b"shortVersionString") if uri.as_ref() == SPARKLE => {
                self.short_version = Some(value.trim().to_owned());
            }
            _ => {}
        }
        Ok(())
    }
}

fn name(name: QName<'_>, resolver: &NamespaceResolver) -> Result<Name, &'static str> {
    check_name(name)?;
    let (resolved, local) = resolver.resolve_element(name);
    Ok(match (resolved, local.as_ref()) {
        (ResolveResult::Unknown(_), _) => return Err("prefix without a namespace"),
        (ResolveResult::Unbound, b"rss") => Name::Rss,
        (ResolveResult::Unbound, b"channel") => Name::Channel,
        (ResolveResult::Unbound, b"item") => Name::Item,
        (ResolveResult::Unbound, b"enclosure") => Name::Enclosure,
        (ResolveResult::Bound(uri), b"version") if uri.as_ref() == SPARKLE => Name::Version,
        (ResolveResult::Bound(uri), b"shortVersionString") if uri.as_ref() == SPARKLE => Name::ShortVersion,
        _ => Name::Other,
    })
}

/// Accepts at most one prefix and a local name, both of plain name characters.
fn check_name(name: QName<'_>) -> Result<(), &'static str> {
    let text = std::str::from_utf8(name.as_ref()).map_err(|_| "invalid name")?;
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    if text.split(':').count() <= 2 && text.split(':').all(is_part) { Ok(()) } else { Err("invalid name") }
}
