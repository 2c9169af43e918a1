//! Texts in which a thing "is no" other thing, instead of "is not a".

use super::refused::{Token, tokens};

const VERBS: [&str; 4] = ["is", "are", "was", "were"];

/// The lines with such a negation, and its words. `allowed` may follow "is no".
pub(super) fn find(text: &str, allowed: &[String]) -> impl Iterator<Item = (usize, String)> {
    // A name in code is one word.
    let tokens = tokens(&text.replace('_', ""));
    let found: Vec<_> = (0..tokens.len()).filter_map(|place| negation(&tokens, place, allowed)).collect();
    found.into_iter()
}

/// The negation that begins with the token at `place`.
fn negation(tokens: &[Token], place: usize, allowed: &[String]) -> Option<(usize, String)> {
    let [verb, no, noun, ..] = &tokens[place..] else { return None };
    let is_negation =
        VERBS.contains(&verb.word.as_str()) && no.word == "no" && no.is_joined && noun.is_joined;
    let before = place.checked_sub(1).map_or("", |before| tokens[before].word.as_str());
    let is_fine = before == "there" || allowed.contains(&noun.word);
    (is_negation && !is_fine).then(|| (verb.line, format!("{} no {}", verb.word, noun.word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_noun_that_something_else_is_not() {
        let allowed = ["longer".to_owned()];
        // This file is checked too.
        for (text, count) in [
            ("A logo is % PNG.", 1),
            ("// it is\n// % draft", 1),
            ("fn a_draft_is_%_release() {}", 0),
            ("There is % logo.", 0),
            ("It is % longer there.", 0),
            ("The answer is: % logo.", 0),
            ("It is not a logo.", 0),
        ] {
            assert_eq!(find(&text.replace('%', "no"), &allowed).count(), count, "{text}");
        }
    }
}
