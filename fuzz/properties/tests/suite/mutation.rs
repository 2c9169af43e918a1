//! Changes to well-formed inputs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Most changes to one input.
const MAX_CHANGES: usize = 4;
/// Longest piece that is removed or repeated, in bytes.
const MAX_PIECE: usize = 24;

/// One change.
#[derive(Debug, Clone)]
enum Change {
    Replace(u8),
    Remove(usize),
    Repeat(usize),
    Insert(&'static str),
    Cut,
}

/// Inputs of this structure, half of them as they are, the others changed. `words` are inserted.
pub(crate) fn sometimes_changed(
    inputs: impl Strategy<Value = Vec<u8>>,
    words: &'static [&'static str],
) -> impl Strategy<Value = Vec<u8>> {
    let change = prop_oneof![
        3 => any::<u8>().prop_map(Change::Replace),
        3 => (1..=MAX_PIECE).prop_map(Change::Remove),
        2 => (1..=MAX_PIECE).prop_map(Change::Repeat),
        4 => select(words).prop_map(Change::Insert),
        1 => Just(Change::Cut),
    ];
    let changes = prop_oneof![Just(Vec::new()), vec((any::<Index>(), change), 1..=MAX_CHANGES)];
    (inputs, changes).prop_map(|(input, changes)| changes.into_iter().fold(input, changed))
}

fn changed(mut input: Vec<u8>, (place, change): (Index, Change)) -> Vec<u8> {
    if input.is_empty() {
        return input;
    }
    let place = place.index(input.len());
    let piece = |length: usize| place..(place + length).min(input.len());
    match change {
        Change::Replace(byte) => input[place] = byte,
        Change::Remove(length) => drop(input.drain(piece(length))),
        Change::Repeat(length) => {
            let repeated = input[piece(length)].to_vec();
            input.splice(place..place, repeated);
        }
        Change::Insert(word) => drop(input.splice(place..place, word.bytes())),
        Change::Cut => input.truncate(place),
    }
    input
}
