//! Small plots of shares over days: lines of a few versions, with the same scale in each plot.

use maud::{Markup, html};

/// Size of the picture, in its own units. Pages stretch it.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 90.0;
/// Space for the width of the lines.
const MARGIN: f64 = 3.0;
/// The ends of the scale, in percent.
const ENDS: [f64; 8] = [99.0, 98.0, 95.0, 90.0, 75.0, 50.0, 25.0, 0.0];

/// A line: its CSS class, and a percentage for each day. `None`: nothing is known of a day.
pub(crate) struct ShareLine {
    pub(crate) class: &'static str,
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
}

impl ShareLine {
    /// The last known value.
    pub(crate) fn last(&self) -> Option<f64> {
        self.values.iter().rev().find_map(|value| *value)
    }
}

/// The lines of one plot.
pub(crate) struct SharePlot {
    pub(crate) title: String,
    pub(crate) lines: Vec<ShareLine>,
}

/// The plots. `days`: `YYYY-MM-DD`, oldest first. `what`: the shares, for screen readers.
pub(crate) fn share_plots(what: &str, days: &[String], plots: &[SharePlot]) -> Markup {
    let values = plots.iter().flat_map(|plot| &plot.lines).flat_map(|line| line.values.iter().flatten());
    let low = end_of_scale(values.copied().fold(100.0, f64::min));
    html! {
        div.shares {
            @for plot in plots { (plot.draw(what, days, low)) }
        }
    }
}

impl SharePlot {
    fn draw(&self, what: &str, days: &[String], low: f64) -> Markup {
        html! {
            figure.share-plot {
                figcaption {
                    strong { (self.title) }
                    @for line in &self.lines {
                        @if let Some(last) = line.last() { span class={ "last " (line.class) } { (percent(last)) } }
                    }
                }
                div.frame {
                    span.scale-end.top aria-hidden="true" { "100 %" }
                    span.scale-end aria-hidden="true" { (low) " %" }
                    svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                        aria-label=(self.label(what)) {
                        @for part in [0.0, 0.5, 1.0] {
                            @let y = format!("{:.1}", MARGIN + (HEIGHT - 2.0 * MARGIN) * part);
                            line.grid x1="0" x2=(WIDTH) y1=(y) y2=(y) {}
                        }
                        @for line in &self.lines {
                            path class={ "line " (line.class) } d=(path(&line.values, low)) {}
                            path class={ "dot " (line.class) } d=(last_dot(&line.values, low)) {}
                        }
                        @for (i, day) in days.iter().enumerate() { (self.hover(i, day, days.len())) }
                    }
                }
            }
        }
    }

    fn label(&self, what: &str) -> String {
        let last = |line: &ShareLine| line.last().map(|last| format!("{} {}", line.name, percent(last)));
        let lines: Vec<String> = self.lines.iter().filter_map(last).collect();
        format!(
            "{what}, {}: {}",
            self.title,
            if lines.is_empty() { "nothing known".to_owned() } else { lines.join(", ") }
        )
    }

    /// A column that shows the values of a day on hover.
    fn hover(&self, i: usize, day: &str, days: usize) -> Markup {
        let width = WIDTH / count(days.max(1));
        html! {
            rect.hover x=(format!("{:.1}", width * count(i))) y="0" width=(format!("{width:.1}")) height=(HEIGHT) {
                title {
                    (day)
                    @for line in &self.lines {
                        @if let Some(Some(value)) = line.values.get(i) { "\n" (line.name) ": " (percent(*value)) }
                    }
                }
            }
        }
    }
}

/// The last known value, which may be the only one.
fn last_dot(values: &[Option<f64>], low: f64) -> String {
    let last = values.iter().rposition(Option::is_some);
    path(
        &values.iter().enumerate().map(|(i, value)| value.filter(|_| Some(i) == last)).collect::<Vec<_>>(),
        low,
    )
}

/// The line, with a gap on each day without a value. A day between two gaps is a dot.
fn path(values: &[Option<f64>], low: f64) -> String {
    let mut path = String::new();
    let mut is_drawing = false;
    for (i, value) in values.iter().enumerate() {
        let Some(value) = value else {
            is_drawing = false;
            continue;
        };
        let width = WIDTH / count(values.len());
        let x = width.mul_add(count(i), width / 2.0);
        let y = MARGIN + (HEIGHT - 2.0 * MARGIN) * (100.0 - value) / (100.0 - low);
        // A line of no length, whose round ends are the dot.
        let step = if is_drawing { format!("L{x:.1} {y:.1}") } else { format!("M{x:.1} {y:.1}h0") };
        path.push_str(&step);
        is_drawing = true;
    }
    path
}

/// With one decimal, and 100 only if nothing is missing.
pub(crate) fn percent(value: f64) -> String {
    let tenths = if value < 100.0 { (value * 10.0).floor() / 10.0 } else { 100.0 };
    format!("{tenths} %")
}

fn end_of_scale(lowest: f64) -> f64 {
    ENDS.into_iter().find(|end| *end <= lowest).unwrap_or(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_gaps_and_dots() {
        let values = [Some(100.0), Some(95.0), None, Some(90.0)];
        assert_eq!(path(&values, 90.0), "M37.5 3.0h0L112.5 45.0M262.5 87.0h0");
        assert_eq!(path(&[None], 90.0), "");
        assert_eq!(last_dot(&[Some(100.0), Some(95.0), None], 90.0), "M150.0 45.0h0");
    }

    #[test]
    fn plots_share_a_scale_and_say_their_last_values() {
        let plot = |title: &str, value: f64| SharePlot {
            title: title.to_owned(),
            lines: vec![ShareLine {
                class: "this",
                name: "<2.0>".to_owned(),
                values: vec![Some(value), None],
            }],
        };
        let days = ["2026-11-21".to_owned(), "2026-11-22".to_owned()];
        let shown =
            share_plots("crash-free", &days, &[plot("linux", 99.96), plot("mac", 66.67)]).into_string();
        assert_eq!(shown.matches(">50 %<").count(), 2, "{shown}");
        for part in [
            "aria-label=\"crash-free, linux: &lt;2.0&gt; 99.9 %\"",
            "<span class=\"last this\">66.6 %</span>",
            "<title>2026-11-21\n&lt;2.0&gt;: 66.6 %</title>",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn only_everybody_is_a_hundred_percent() {
        assert_eq!([100.0, 99.999, 0.0].map(percent), ["100 %", "99.9 %", "0 %"]);
        for (lowest, end) in [(100.0, 99.0), (98.5, 98.0), (66.0, 50.0), (3.0, 0.0)] {
            assert!((end_of_scale(lowest) - end).abs() < f64::EPSILON, "{lowest}");
        }
    }
}
