//! Prints figures with their targets.

use std::fmt::Display;

/// Prints the head of a part.
pub(crate) fn part(title: &str) {
    println!("\n{title}");
}

/// Prints a measured figure and its target.
pub(crate) fn figure(what: &str, measured: impl Display, to_reach: &str) {
    println!("  {what:<52} {:<44} {to_reach}", measured.to_string());
}

/// The median of several values. `None`: there are no values.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
