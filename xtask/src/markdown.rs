//! The parts of a Markdown page that can be checked against the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::error::Error;

/// A part of a page to check.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The target of a link or an image.
    Link(String),
    /// The text of a code block or inline code.
    Code(String),
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The parts, each with the number of the line where it begins.
    pub(crate) pieces: Vec<(usize, Piece)>,
    /// The anchors of the page, named by GitHub's rule.
    pub(crate) anchors: BTreeSet<String>,
    /// Whether the page is a decision that was replaced by another.
    pub(crate) is_replaced: bool,
}

impl Page {
    pub(crate) fn read(file: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
        let mut page = Self {
            is_replaced: text.lines().any(|line| line.starts_with("Status: replaced")),
            ..Self::default()
        };
        let mut seen = BTreeMap::new();
        let mut heading: Option<String> = None;
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            let line = text[..range.start].matches('\n').count() + 1;
            if let (Some(heading), Event::Code(text) | Event::Text(text)) = (&mut heading, &event) {
                heading.push_str(text);
            }
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let count: &mut usize = seen.entry(anchor.clone()).or_default();
                    page.anchors.insert(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
                    *count += 1;
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.pieces.push((line, Piece::Link(dest_url.into_string())));
                }
                Event::Start(Tag::CodeBlock(_)) => {
                    page.pieces.push((line, Piece::Code(text[range].to_owned())));
                }
                Event::Code(code) => page.pieces.push((line, Piece::Code(code.into_string()))),
                _ => {}
            }
        }
        Ok(page)
    }
}

/// The anchor of the first heading with this text.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
