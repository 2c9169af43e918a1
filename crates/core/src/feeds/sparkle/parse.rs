//! Parses an appcast.

use quick_xml::NsReader;
use quick_xml::events::{BytesRef, Event};

use super::element::{self, Element, Name};
use super::{Appcast, AppcastEnclosure, AppcastItem, FEED, Namespace, add_namespaces, signed};
use crate::feeds::text::{LONG_NAME, decode, is_too_long};
use crate::feeds::{FeedError, FeedPlace, MAX_FEED_ENTRIES};

/// Maximum nesting. Release notes inside an item may contain markup.
const MAX_DEPTH: usize = 32;

/// Maximum number of prefixes in an appcast. Each name is looked up among them.
const MAX_NAMESPACES: usize = 64;

/// Parses an appcast. It must be UTF-8 without a document type (and so without entities other than
/// the five predefined in XML), with every prefix bound. A document type is rejected as soon as it
/// appears, before its definitions are parsed.
pub(in crate::feeds) fn parse(bytes: &[u8]) -> Result<Appcast, FeedError> {
    let text = decode(FEED, bytes)?;
    let mut state = AppcastParser::new(text);
    let mut reader = NsReader::from_str(text);
    reader.config_mut().check_comments = true;
    loop {
        let start = position(reader.buffer_position());
        let event = reader.read_event();
        let end = position(reader.buffer_position());
        let fail = |problem| {
            let lines = text.get(..start.min(text.len())).unwrap_or(text).matches('\n').count();
            FeedError::new(FEED, FeedPlace::Line(lines + 1), problem)
        };
        match event.map_err(|_| fail("not well-formed XML"))? {
            Event::Eof => break,
            Event::Start(tag) => {
                let element = element::read(&tag, reader.resolver()).map_err(fail)?;
                state.open(element, start).map_err(fail)?;
            }
            Event::Empty(tag) => {
                let element = element::read(&tag, reader.resolver()).map_err(fail)?;
                state.open(element, start).map_err(fail)?;
                state.close(end).map_err(fail)?;
            }
            Event::End(_) => state.close(end).map_err(fail)?,
            event => state.content(&event).map_err(fail)?,
        }
    }
    if !state.open.is_empty() || !state.seen_channel {
        return Err(FeedError::whole(FEED, "not an RSS document with a channel"));
    }
    // Keeps the byte order mark, because the signature covers it.
    let source = std::str::from_utf8(bytes).unwrap_or(text);
    let signed = signed::is_signed(source)?.then(|| source.to_owned());
    Ok(Appcast { namespaces: state.namespaces, items: state.items, signed })
}

fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

struct AppcastParser<'a> {
    text: &'a str,
    open: Vec<Name>,
    /// Start offset of the open item.
    item_start: usize,
    item: AppcastItem,
    /// The text of the open version element so far.
    value: String,
    namespaces: Vec<Namespace>,
    bindings: usize,
    enclosures: usize,
    items: Vec<AppcastItem>,
    seen_channel: bool,
    seen_root: bool,
}

impl<'a> AppcastParser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            open: Vec::new(),
            item_start: 0,
            item: AppcastItem::default(),
            value: String::new(),
            namespaces: Vec::new(),
            bindings: 0,
            enclosures: 0,
            items: Vec::new(),
            seen_channel: false,
            seen_root: false,
        }
    }

    fn open(&mut self, element: Element, start: usize) -> Result<(), &'static str> {
        if self.open.len() == MAX_DEPTH {
            return Err("too deep");
        }
        self.bindings += element.namespaces.len();
        if self.bindings > MAX_NAMESPACES {
            return Err("too many namespaces");
        }
        if self.open.len() < 2 && !add_namespaces(&mut self.namespaces, &element.namespaces) {
            return Err("a prefix stands for different namespaces");
        }
        let name = element.name;
        match (self.open.as_slice(), name) {
            ([], Name::Rss) if !self.seen_root => self.seen_root = true,
            ([], _) => return Err("not an RSS document with a channel"),
            ([Name::Rss], Name::Channel) if self.seen_channel => return Err("more than one channel"),
            ([Name::Rss], Name::Channel) => self.seen_channel = true,
            ([Name::Rss, Name::Channel], Name::Item) => self.start_item(start)?,
            (_, Name::Item) => return Err("item outside the channel"),
            ([_, _, Name::Item, ..], Name::Enclosure) => self.enclosure(element, start)?,
            ([_, _, Name::Item], Name::Version | Name::ShortVersion) => self.value.clear(),
            _ => {}
        }
        self.open.push(name);
        Ok(())
    }

    fn start_item(&mut self, start: usize) -> Result<(), &'static str> {
        if self.items.len() == MAX_FEED_ENTRIES {
            return Err("too many items");
        }
        self.item_start = start;
        self.item = AppcastItem::default();
        Ok(())
    }

    fn enclosure(&mut self, element: Element, start: usize) -> Result<(), &'static str> {
        if self.open.contains(&Name::Enclosure) {
            return Err("enclosure inside an enclosure");
        }
        self.enclosures += 1;
        if self.enclosures > MAX_FEED_ENTRIES {
            return Err("too many enclosures");
        }
        let url = element.url.ok_or("enclosure without url")?;
        if is_too_long(&url.value) {
            return Err(LONG_NAME);
        }
        // `item` is the memory address of the item. The reader borrows attributes from the same text.
        let item = self.text.as_ptr().addr() + self.item_start;
        let url_at = url.at(item).ok_or("enclosure without url")?;
        self.text
            .get(self.item_start + url_at.0..self.item_start + url_at.1)
            .ok_or("enclosure without url")?;
        self.item.enclosures.push(AppcastEnclosure {
            url: url.value,
            length: element.length.as_ref().and_then(|length| length.value.parse().ok()),
            length_at: element.length.and_then(|length| length.at(item)),
            url_at,
            // The end is set when the element is closed.
            element_at: (start - self.item_start, 0),
        });
        // Elements of the item win over attributes, which older appcasts use. The attributes of deltas have
        // the same values.
        if self.item.version.is_none() {
            self.item.version = element.version;
        }
        if self.item.short_version.is_none() {
            self.item.short_version = element.short_version;
        }
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<(), &'static str> {
        let name = self.open.pop().ok_or("not well-formed XML")?;
        let value = || Some(self.value.trim().to_owned());
        match (self.open.as_slice(), name) {
            ([_, _, Name::Item, ..], Name::Enclosure) => {
                if let Some(enclosure) = self.item.enclosures.last_mut() {
                    enclosure.element_at.1 = end - self.item_start;
                }
            }
            ([_, _, Name::Item], Name::Version) => self.item.version = value(),
            ([_, _, Name::Item], Name::ShortVersion) => self.item.short_version = value(),
            ([_, _], Name::Item) => {
                let xml = self.text.get(self.item_start..end).ok_or("not well-formed XML")?;
                self.item.xml = xml.to_owned();
                self.items.push(std::mem::take(&mut self.item));
            }
            _ => {}
        }
        Ok(())
    }

    fn content(&mut self, event: &Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::DocType(_) => Err("document type"),
            Event::Decl(_) if self.seen_root => Err("not well-formed XML"),
            Event::Decl(declaration) => match declaration.encoding() {
                Some(Ok(name)) if !is_utf8(&name) => Err("encoding is not UTF-8"),
                Some(Err(_)) => Err("not well-formed XML"),
                _ => Ok(()),
            },
            Event::GeneralRef(reference) => {
                let c = character(reference).ok_or("unknown entity")?;
                self.text(&c.to_string())
            }
            Event::CData(data) => self.text(std::str::from_utf8(data).map_err(|_| "not UTF-8")?),
            Event::Text(text) => {
                let text = std::str::from_utf8(text).map_err(|_| "not UTF-8")?;
                if text.contains("]]>") { Err("not well-formed XML") } else { self.text(text) }
            }
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), &'static str> {
        match self.open.as_slice() {
            [] if !text.trim().is_empty() => Err("text outside the document"),
            [_, _, Name::Item, Name::Version | Name::ShortVersion] => {
                self.value.push_str(text);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn is_utf8(encoding: &[u8]) -> bool {
    [&b"utf-8"[..], b"us-ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// The character of a reference: a number, or one of the five predefined entities.
fn character(reference: &BytesRef<'_>) -> Option<char> {
    if reference.is_char_ref() {
        let c = reference.resolve_char_ref().ok()??;
        return (!c.is_control() || matches!(c, '\t' | '\n' | '\r')).then_some(c);
    }
    match std::str::from_utf8(reference).ok()? {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
