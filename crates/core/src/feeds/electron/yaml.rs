//! A small subset of YAML: one document of lists, maps and texts. Anchors, aliases and tags are
//! rejected as soon as they appear, so that a small document cannot expand to a large value or
//! choose types.

use std::borrow::Cow;
use std::collections::HashSet;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::FEED;
use crate::feeds::{FeedError, FeedPlace};
use crate::quoted;

/// Maximum nesting. Feeds have three levels.
const MAX_DEPTH: usize = 8;

/// Maximum number of texts, lists and maps. A file entry has ten, and an upload has a few hundred
/// files at most.
const MAX_NODES: usize = 20_000;

/// Maximum size of a document with brackets or braces, in bytes. Real feeds have a few thousand
/// plus their release notes. A list in brackets might turn out to be a key, so the scanner buffers
/// tokens up to its end, which in a hostile document take a hundred times its size. Documents
/// without brackets and braces are only limited like all feeds.
const MAX_FLOW_BYTES: usize = 512 * 1024;

/// Why a document is rejected.
type Problem = Cow<'static, str>;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// An empty value, `~` or `null`.
    Null,
    Text(String),
    List(Vec<Node>),
    /// Keys are unique.
    Map(Vec<(String, Node)>),
}

/// A list or map that is still open.
enum OpenNode {
    List(Vec<Node>),
    Map { entries: Vec<(String, Node)>, keys: HashSet<String>, key: Option<String> },
}

impl OpenNode {
    fn put(&mut self, node: Node) -> Result<(), Problem> {
        match self {
            Self::List(list) => list.push(node),
            Self::Map { entries, key: key @ Some(_), .. } => entries.extend(key.take().map(|k| (k, node))),
            Self::Map { keys, key, .. } => {
                let Node::Text(text) = node else {
                    return Err("a key is a text, not a list or a map".into());
                };
                if !keys.insert(text.clone()) {
                    return Err(format!("the key {} stands twice", quoted(&text)).into());
                }
                *key = Some(text);
            }
        }
        Ok(())
    }

    fn close(self) -> Node {
        match self {
            Self::List(list) => Node::List(list),
            Self::Map { entries, .. } => Node::Map(entries),
        }
    }
}

/// Parses a text with exactly one document.
pub(super) fn parse(text: &str) -> Result<Node, FeedError> {
    if text.len() > MAX_FLOW_BYTES && text.contains(['[', '{']) {
        let problem = format!("larger than {MAX_FLOW_BYTES} bytes, and with brackets or braces");
        return Err(FeedError::whole(FEED, problem));
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event
            .map_err(|error| FeedError::new(FEED, FeedPlace::Line(error.marker().line()), "not YAML"))?;
        builder
            .take(event)
            .map_err(|problem| FeedError::new(FEED, FeedPlace::Line(span.start.line()), problem))?;
    }
    builder.root.ok_or(FeedError::whole(FEED, "empty"))
}

#[derive(Default)]
struct Builder {
    open: Vec<OpenNode>,
    root: Option<Node>,
    nodes: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), Problem> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err("more than one document".into()),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
            Event::Alias(_) => Err("an alias (*name), which feeds do not have".into()),
            Event::Scalar(text, style, anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                let is_null =
                    style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                self.put(if is_null { Node::Null } else { Node::Text(text.into_owned()) })
            }
            Event::SequenceStart(anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                self.start(OpenNode::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                self.start(OpenNode::Map { entries: Vec::new(), keys: HashSet::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => self.put(open.close()),
                None => Err("not YAML".into()),
            },
        }
    }

    fn start(&mut self, open: OpenNode) -> Result<(), Problem> {
        if self.open.len() == MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels").into());
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, node: Node) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(format!("more than {MAX_NODES} values").into());
        }
        if let Some(open) = self.open.last_mut() {
            return open.put(node);
        }
        self.root = Some(node);
        Ok(())
    }
}

fn refuse(anchor: usize, has_tag: bool) -> Result<(), Problem> {
    match (anchor, has_tag) {
        (0, false) => Ok(()),
        (0, true) => Err("a tag (!name), which feeds do not have".into()),
        _ => Err("an anchor (&name), which feeds do not have".into()),
    }
}

impl Node {
    /// The value of a key. `None`: the key is missing, or this is not a map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, node)| node).filter(|node| **node != Self::Null)
    }

    /// The text. `None`: this is not a text.
    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}
