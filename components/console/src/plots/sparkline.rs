//! A small line without axes.

use maud::{Markup, html};

/// Size of the picture, in its own units.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 28.0;
/// Room for the line's own width.
const MARGIN: f64 = 2.0;

/// The values, oldest first. `label` says what they are, for screen readers and on hover.
pub(crate) fn sparkline(values: &[u64], label: &str) -> Markup {
    let highest = values.iter().copied().max().unwrap_or_default().max(1);
    let last = values.len().saturating_sub(1).max(1);
    let points: Vec<String> =
        values.iter().enumerate().map(|(i, value)| point(i, last, *value, highest)).collect();
    let line = points.join(" ");
    let area = format!("0,{HEIGHT} {line} {WIDTH},{HEIGHT}");
    html! {
        svg.sparkline viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) preserveAspectRatio="none" {
            title { (label) }
            polygon points=(area) {}
            polyline points=(line) {}
        }
    }
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
        assert!(shown.contains("aria-label=\"devices\""), "{shown}");
        for values in [&[][..], &[7], &[0, 0], &[u64::MAX, 0]] {
            assert!(!sparkline(values, "x").into_string().contains("NaN"), "{values:?}");
        }
    }
}
