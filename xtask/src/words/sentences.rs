//! Sentences that begin with a relative pronoun: the reader learns late what they are about. Questions may.

use super::prose::Paragraph;

/// Signs at the end of a sentence or of its part, after which another begins.
const ENDS: [char; 6] = ['.', ':', ';', '!', '?', '|'];

/// The lines on which a sentence begins with one of these words.
pub(super) fn relative<'a>(paragraph: &Paragraph, starts: &'a [String]) -> Vec<(usize, &'a str)> {
    let text = paragraph.text.as_str();
    let mut found = Vec::new();
    for start in starts {
        let is_relative = |at: &usize| {
            let rest = &text[at + start.len()..];
            begins_sentence(&text[..*at]) && rest.starts_with(char::is_whitespace) && !is_question(rest)
        };
        let all = text.match_indices(start.as_str()).map(|(at, _)| at).filter(is_relative);
        found.extend(all.map(|at| (paragraph.line(at), start.as_str())));
    }
    found
}

/// Whether a sentence begins after this.
fn begins_sentence(before: &str) -> bool {
    let is_start = before.chars().all(|sign| !sign.is_alphanumeric() && sign != '`');
    is_start || (before.ends_with(char::is_whitespace) && before.trim_end().ends_with(ENDS))
}

/// Whether the sentence that goes on like this ends with a question mark.
fn is_question(rest: &str) -> bool {
    let mut signs = rest.chars().peekable();
    while let Some(sign) = signs.next() {
        // Within a word it ends nothing: a file's name, a number.
        if matches!(sign, '.' | '!' | '?') && signs.peek().is_none_or(|next| !next.is_alphanumeric()) {
            return sign == '?';
        }
    }
    false
}
