//! The prose of a file: its comments, or the text of a Markdown page.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Text without a break, such as a paragraph, an item of a list, or comments on successive lines.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    /// Offsets in the text from which it is on a line of the file; in ascending order.
    lines: Vec<(usize, usize)>,
}

impl Paragraph {
    /// The line of the file with this offset of the text.
    pub(super) fn line(&self, offset: usize) -> usize {
        let before = self.lines.iter().take_while(|(from, _)| *from <= offset);
        before.last().map_or(1, |(_, line)| *line)
    }

    fn push(&mut self, line: usize, text: &str) {
        self.lines.push((self.text.len(), line));
        self.text.push_str(text);
    }
}

/// The prose of a file by the ending of its name. None of others: their comments are not known.
pub(super) fn paragraphs(path: &str, text: &str) -> Vec<Paragraph> {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "md" => page(text),
        "rs" => comments(text, "//"),
        "toml" | "yml" | "yaml" => comments(text, "#"),
        "sql" => comments(text, "--"),
        _ if text.starts_with("#!") => comments(text, "#"),
        _ => Vec::new(),
    }
}

/// Headings and code are not prose.
fn page(text: &str) -> Vec<Paragraph> {
    let mut all = vec![Paragraph::default()];
    let mut is_prose = true;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let mut push = |part: &str| {
            if let (true, Some(paragraph)) = (is_prose, all.last_mut()) {
                paragraph.push(text[..range.start].matches('\n').count() + 1, part);
            }
        };
        match event {
            Event::Text(part) => push(&part),
            // Something without words.
            Event::Code(_) => push("`"),
            Event::SoftBreak | Event::HardBreak => push(" "),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. })
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => {}
            Event::Start(tag) => {
                is_prose = !matches!(tag, Tag::Heading { .. } | Tag::CodeBlock(_));
                all.push(Paragraph::default());
            }
            Event::End(_) => {
                is_prose = true;
                all.push(Paragraph::default());
            }
            _ => {}
        }
    }
    all
}

/// The comments that begin with `mark`.
fn comments(text: &str, mark: &str) -> Vec<Paragraph> {
    let mut all = Vec::new();
    let mut open = Paragraph::default();
    for (line, content) in (1..).zip(text.lines()) {
        if let Some(comment) = content.trim_start().strip_prefix(mark).map(bare) {
            if comment.is_empty() || comment.starts_with(['-', '*', '|']) {
                all.push(std::mem::take(&mut open));
            }
            if !comment.is_empty() {
                open.push(line, comment);
                open.text.push(' ');
            }
            continue;
        }
        all.push(std::mem::take(&mut open));
        if let Some(comment) = comment_after_code(content, mark) {
            let mut short = Paragraph::default();
            short.push(line, comment);
            all.push(short);
        }
    }
    all.push(open);
    all
}

/// A comment without the rest of its mark.
fn bare(comment: &str) -> &str {
    comment.trim_start_matches(['/', '!', '#']).trim()
}

/// The comment at the end of a line. A mark in a string is none: a quotation mark before it is not closed.
fn comment_after_code<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let (code, comment) = line.split_once(&format!(" {mark} "))?;
    (code.replace("\\\"", "").matches('"').count() % 2 == 0).then(|| bare(comment))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> Vec<(usize, String)> {
        let all = paragraphs(path, text).into_iter().filter(|paragraph| !paragraph.text.trim().is_empty());
        all.map(|paragraph| (paragraph.line(0), paragraph.text.trim().to_owned())).collect()
    }

    #[test]
    fn comments_on_successive_lines_are_one_paragraph() {
        let text = "//! One\n//! two.\n//!\n//! Three.\nlet a = 1; // Four.\nlet b = \" // five\";\nlet c = \"\\\" // six\";\n";
        let expected = [(1, "One two."), (4, "Three."), (5, "Four.")];
        assert_eq!(read("a.rs", text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn headings_and_code_are_no_prose() {
        let text = "# One\n\nTwo **three**\nfour `five`.\n\n- six\n- seven\n\n```\neight\n```\n\n| a | b |\n|---|---|\n";
        let expected = [(3, "Two three four `."), (6, "six"), (7, "seven"), (13, "a"), (13, "b")];
        assert_eq!(read("a.md", text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn an_offset_has_a_line() {
        let all = paragraphs("a.sql", "-- One\n-- two\n-- three\n");
        let lines = ["One", "two", "three"].map(|word| all[0].line(all[0].text.find(word).unwrap()));
        assert_eq!(lines, [1, 2, 3]);
    }
}
