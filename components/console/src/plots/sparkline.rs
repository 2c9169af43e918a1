//! A small line without axes.

use maud::{Markup, html};

use crate::parts;

/// Width of the picture, in its own units.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 28.0;
/// Space for the width of the line.
const MARGIN: f64 = 2.0;

/// A line of values, oldest first. `noun` names them in a text with three values, for screen
/// readers and on hover. A page has many such lines; all values are in a table on the page that a
/// card or row links to.
pub(crate) fn sparkline(values: &[u64], noun: &str) -> Markup {
    let label = label(values, noun);
    let highest = values.iter().copied().max().unwrap_or_default().max(1);
    let last = values.len().saturating_sub(1).max(1);
    let points: Vec<String> =
        values.iter().enumerate().map(|(i, value)| point(i, last, *value, highest)).collect();
    let line = points.join(" ");
    let area = format!("0,{HEIGHT} {line} {WIDTH},{HEIGHT}");
    html! {
        svg.sparkline viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(&label)
            preserveAspectRatio="none" {
            title { (label) }
            polygon points=(area) {}
            polyline points=(line) {}
        }
    }
}

fn label(values: &[u64], noun: &str) -> String {
    let (Some(first), Some(last), Some(highest)) = (values.first(), values.last(), values.iter().max())
    else {
        return format!("{noun}: none");
    };
    let [first, last, highest] = [first, last, highest].map(|value| parts::number(*value));
    format!("{noun}: first {first}, last {last}, highest {highest}")
}

#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser")]
fn point(i: usize, last: usize, value: u64, highest: u64) -> String {
    let x = WIDTH * i as f64 / last as f64;
    let y = HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * value as f64 / highest as f64;
    format!("{x:.1},{y:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_in_their_picture() {
        let shown = sparkline(&[0, 5, 10], "devices").into_string();
        assert!(shown.contains("points=\"0.0,26.0 60.0,14.0 120.0,2.0\""), "{shown}");
        for values in [&[][..], &[7], &[0, 0], &[u64::MAX, 0]] {
            assert!(!sparkline(values, "x").into_string().contains("NaN"), "{values:?}");
        }
    }

    #[test]
    fn lines_are_said_in_few_words() {
        let shown = sparkline(&[3, 1200, 5], "devices by day").into_string();
        let label_text = "devices by day: first 3, last 5, highest 1\u{202f}200";
        assert!(shown.contains(&format!("role=\"img\" aria-label=\"{label_text}\"")), "{shown}");
        assert!(shown.contains(&format!("<title>{label_text}</title>")), "{shown}");
        assert_eq!(label(&[7], "x"), "x: first 7, last 7, highest 7");
        assert_eq!(label(&[], "x"), "x: none");
    }
}
