//! The text for chats.

/// Maximum length of a text, in bytes. Discord rejects messages of more than 2,000 characters.
const MAX_BYTES: usize = 1900;
/// The end of a truncated text.
const CUT: &str = "…";
/// Invisible. Chats do not recognise a mention or a link that contains it.
const INVISIBLE_SPACE: char = '\u{200b}';

/// A line of the audit log for chats: `&`, `<` and `>` are escaped for Slack, and Slack, Discord or
/// a chat that reads Markdown cannot find a mention in it, or a link with its own text.
///
/// `line`: from [`AuditEntry::line`](crate::audit::AuditEntry::line), which has no line breaks. `links`: lines that
/// follow it, as they are and in full.
pub fn chat_text(line: &str, links: &[String]) -> String {
    let links: String = links.iter().flat_map(|link| ["\n", link]).collect();
    let max_bytes = MAX_BYTES.saturating_sub(links.len());
    let mut text = String::with_capacity(line.len());
    let mut before = None;
    for c in line.chars() {
        let end = text.len();
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            // `@everyone` and `@here`.
            '@' => text.extend([c, INVISIBLE_SPACE]),
            // `[text](address)` and `[text][name]`.
            '(' | '[' if before == Some(']') => text.extend([INVISIBLE_SPACE, c]),
            _ => text.push(c),
        }
        if text.len() > max_bytes.saturating_sub(CUT.len()) {
            text.truncate(end);
            text.push_str(CUT);
            break;
        }
        before = Some(c);
    }
    text + &links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_text_is_left() {
        for (line, text) in [
            ("ada published notes 2.0 in stable", "ada published notes 2.0 in stable"),
            ("the token <!channel> did it", "the token &lt;!channel&gt; did it"),
            ("<https://evil.example|notes>", "&lt;https://evil.example|notes&gt;"),
            ("a & b &lt;", "a &amp; b &amp;lt;"),
            ("@everyone, @here and <@U1>", "@\u{200b}everyone, @\u{200b}here and &lt;@\u{200b}U1&gt;"),
            ("[notes](https://evil.example)", "[notes]\u{200b}(https://evil.example)"),
            ("![notes][1]", "![notes]\u{200b}[1]"),
            ("[1] (two)", "[1] (two)"),
        ] {
            assert_eq!(chat_text(line, &[]), text);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        for c in ["&", "ä", "x", "👩"] {
            let text = chat_text(&c.repeat(2000), &[]);
            assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES - 10, "{}", text.len());
            assert!(
                text.ends_with('…') && chat_text(c, &[]).len() * (text.chars().count() - 1) >= 1000,
                "{text}"
            );
        }
        assert!(chat_text(&"&".repeat(2000), &[]).ends_with("&amp;…"));
        assert_eq!(chat_text(&"x".repeat(1800), &[]).len(), 1800);
    }

    #[test]
    fn links_are_below_the_line_and_never_cut() {
        let links = ["https://a.example/b?c=(d)".to_owned(), "Halt: https://a.example/e".to_owned()];
        let below = "\nhttps://a.example/b?c=(d)\nHalt: https://a.example/e";
        assert_eq!(chat_text("a & b", &links), format!("a &amp; b{below}"));
        let long = chat_text(&"x".repeat(2000), &links);
        assert!(long.ends_with(&format!("…{below}")) && long.len() <= MAX_BYTES, "{}", long.len());
    }
}
