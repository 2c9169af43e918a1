//! Words and phrases in a text.

use std::collections::BTreeMap;

/// A word of a text: letters and digits, in lower case.
pub(super) struct Token {
    pub(super) line: usize,
    pub(super) word: String,
    /// Whether it may belong to the same phrase as the word before it.
    pub(super) is_joined: bool,
}

/// Phrases to look for, each with something that it stands for.
pub(super) struct Phrases<T> {
    /// The remaining words of each phrase, by its first word.
    by_first: BTreeMap<String, Vec<(Vec<String>, T)>>,
}

impl<T: Copy> Phrases<T> {
    pub(super) fn new<'a>(phrases: impl Iterator<Item = (&'a str, T)>) -> Self {
        let mut by_first: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (phrase, meaning) in phrases {
            let mut words = tokens(phrase).into_iter().map(|token| token.word);
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push((words.collect(), meaning));
            }
        }
        Self { by_first }
    }

    /// The lines on which a phrase begins, with the phrase and what it stands for.
    pub(super) fn find(&self, text: &str) -> Vec<(usize, String, T)> {
        let tokens = tokens(text);
        let mut found = Vec::new();
        for (place, first) in tokens.iter().enumerate() {
            for (rest, meaning) in self.by_first.get(&first.word).into_iter().flatten() {
                let next = tokens[place + 1..].iter().take(rest.len());
                let joined: Vec<&str> =
                    next.take_while(|token| token.is_joined).map(|token| token.word.as_str()).collect();
                if joined == *rest {
                    let phrase = [&[first.word.as_str()], &joined[..]].concat().join(" ");
                    found.push((first.line, phrase, *meaning));
                }
            }
        }
        found
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let (mut line, mut word, mut is_joined) = (1, String::new(), true);
    for sign in text.chars().chain([' ']) {
        if sign.is_alphanumeric() {
            word.extend(sign.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            all.push(Token { line, word: std::mem::take(&mut word), is_joined });
            is_joined = true;
        }
        is_joined &= joins(sign);
        line += usize::from(sign == '\n');
    }
    all
}

/// Whether a sign may be between the words of a phrase: in a name, or at the end of a line with the next
/// line's mark of a comment.
fn joins(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '_' | '-' | '/' | '!' | '#' | '>')
}
