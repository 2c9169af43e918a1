//! The order of `SUStandardVersionComparator`.

use std::cmp::Ordering;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Letters,
    Separator,
}

fn kind(letter: char) -> Kind {
    match letter {
        '0'..='9' => Kind::Number,
        '.' | '-' | '+' | ' ' => Kind::Separator,
        _ => Kind::Letters,
    }
}

/// Splits a version into runs of digits and runs of letters. Separators are dropped.
fn parts(version: &str) -> Vec<(Kind, &str)> {
    let mut parts = Vec::new();
    let mut rest = version;
    while let Some(first) = rest.chars().next() {
        let of = kind(first);
        let end = rest.find(|letter| kind(letter) != of).unwrap_or(rest.len());
        if of != Kind::Separator {
            parts.push((of, &rest[..end]));
        }
        rest = &rest[end..];
    }
    parts
}

/// Compares numbers by value and letters as text. `1.0b` is less than `1.0`, which is less than `1.0.1`.
pub fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (parts(one), parts(other));
    for (left, right) in one.iter().zip(&other) {
        let order = match (left.0, right.0) {
            (Kind::Number, Kind::Number) => number(left.1).cmp(&number(right.1)),
            (Kind::Letters, Kind::Letters) => left.1.cmp(right.1),
            (Kind::Letters, _) => Ordering::Less,
            _ => Ordering::Greater,
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    match (one.get(other.len()), other.get(one.len())) {
        (Some((Kind::Letters, _)), _) => Ordering::Less,
        (_, Some((Kind::Letters, _))) => Ordering::Greater,
        _ => one.len().cmp(&other.len()),
    }
}

/// Length and digits without leading zeros. These pairs have the same order as the numbers.
fn number(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}
