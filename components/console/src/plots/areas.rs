//! Stacked areas over days.

use maud::{Markup, html};

use crate::parts;

/// Width of the picture, in its own units. Pages scale it.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
/// Space for the scale on the left and the days below.
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;
/// Number of layer colours in the style, and the colour of a plot with one layer.
const COLOURS: usize = 9;
const SINGLE: usize = 7;

/// A layer of the plot: its name, and one value for each day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Areas<'a> {
    /// For screen readers.
    pub(crate) label: &'a str,
    /// `YYYY-MM-DD`, oldest first.
    pub(crate) days: &'a [String],
    /// From the bottom to the top.
    pub(crate) series: &'a [Series],
}

impl Areas<'_> {
    /// The plot and its legend.
    pub(crate) fn draw(&self) -> Markup {
        let totals: Vec<u64> = (0..self.days.len()).map(|day| self.total(day)).collect();
        let top = round_up(totals.iter().copied().max().unwrap_or_default());
        let mut below = vec![0; self.days.len()];
        let layers: Vec<(usize, String)> = self
            .series
            .iter()
            .enumerate()
            .map(|(i, series)| (i, self.layer(series, &mut below, top)))
            .collect();
        html! {
            figure.plot {
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(self.label) {
                    @for (i, points) in &layers { polygon class=(self.class(*i)) points=(points) {} }
                    @for part in [0, 1, 2] {
                        @let value = top * part / 2;
                        @let y = height_of(value, top);
                        line.grid x1=(LEFT) x2=(WIDTH) y1=(tenths(y)) y2=(tenths(y)) {}
                        text.scale x=(LEFT - 6.0) y=(tenths(y + 4.0)) text-anchor="end" { (short(value)) }
                    }
                    (self.hover(&totals))
                    @if let (Some(first), Some(last)) = (self.days.first(), self.days.last()) {
                        text.scale x=(LEFT) y=(HEIGHT - 2.0) { (first) }
                        text.scale x=(WIDTH) y=(HEIGHT - 2.0) text-anchor="end" { (last) }
                    }
                }
                figcaption.legend {
                    @for (i, series) in self.series.iter().enumerate() {
                        span {
                            svg.key viewBox="0 0 10 10" aria-hidden="true" {
                                rect class=(self.class(i)) width="10" height="10" {}
                            }
                            (series.name)
                        }
                    }
                }
            }
        }
    }

    /// The colour of a layer. The first colour belongs to "others", which a plot with one layer
    /// lacks.
    fn class(&self, i: usize) -> String {
        let first = if self.series.len() == 1 { SINGLE } else { 0 };
        format!("layer layer-{}", (i + first) % COLOURS)
    }

    fn total(&self, day: usize) -> u64 {
        self.series.iter().filter_map(|series| series.values.get(day)).sum()
    }

    /// The outline of a layer, which is stacked on those below it.
    fn layer(&self, series: &Series, below: &mut [u64], top: u64) -> String {
        let floor: Vec<String> =
            below.iter().enumerate().map(|(day, value)| self.point(day, *value, top)).collect();
        for (sum, value) in below.iter_mut().zip(&series.values) {
            *sum += value;
        }
        let ceiling = below.iter().enumerate().map(|(day, value)| self.point(day, *value, top));
        ceiling.chain(floor.into_iter().rev()).collect::<Vec<_>>().join(" ")
    }

    /// A column for each day that shows its values on hover.
    fn hover(&self, totals: &[u64]) -> Markup {
        let width = (WIDTH - LEFT) / self.days.len().max(1).to_string().parse::<f64>().unwrap_or(1.0);
        html! {
            @for (day, (name, total)) in self.days.iter().zip(totals).enumerate() {
                rect.hover x=(tenths(self.x(day) - width / 2.0)) y="0" width=(tenths(width)) height=(HEIGHT - BOTTOM) {
                    title {
                        (name) ": " (parts::number(*total))
                        @for series in self.series.iter().rev() {
                            @if let Some(value) = series.values.get(day).filter(|value| **value > 0) {
                                "\n" (series.name) ": " (parts::number(*value))
                            }
                        }
                    }
                }
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a pixel is coarser")]
    fn x(&self, day: usize) -> f64 {
        let last = self.days.len().saturating_sub(1).max(1);
        LEFT + (WIDTH - LEFT) * day as f64 / last as f64
    }

    fn point(&self, day: usize, value: u64, top: u64) -> String {
        format!("{},{}", tenths(self.x(day)), tenths(height_of(value, top)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a pixel is coarser")]
fn height_of(value: u64, top: u64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value as f64 / top.max(1) as f64
}

fn tenths(length: f64) -> String {
    format!("{length:.1}")
}

/// The end of the scale: at least 2, even, and with at most two significant digits.
fn round_up(highest: u64) -> u64 {
    let mut unit = 2;
    while highest / unit >= 20 {
        unit *= 10;
    }
    (highest.div_ceil(unit) * unit).max(2)
}

fn short(value: u64) -> String {
    match value {
        0..10_000 => value.to_string(),
        10_000..1_000_000 => format!("{}k", value / 1000),
        _ => format!("{}.{}M", value / 1_000_000, value / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_stacked() {
        let days = ["2026-11-21".to_owned(), "2026-11-22".to_owned()];
        let series = [
            Series { name: "1.0.0".into(), values: vec![2, 0] },
            Series { name: "1.1.0".into(), values: vec![0, 4] },
        ];
        let shown = Areas { label: "devices by version", days: &days, series: &series }.draw().into_string();
        assert!(shown.contains("46.0,103.0 720.0,198.0 720.0,198.0 46.0,198.0"), "{shown}");
        assert!(shown.contains("46.0,103.0 720.0,8.0 720.0,198.0 46.0,103.0"), "{shown}");
        assert!(shown.contains("2026-11-22: 4\n1.1.0: 4"), "{shown}");
    }

    #[test]
    fn a_single_layer_does_not_look_like_the_others() {
        let series = |name: &str| Series { name: name.into(), values: vec![1] };
        let shown =
            |series: &[Series]| Areas { label: "x", days: &["d".to_owned()], series }.draw().into_string();
        assert!(!shown(&[series("requests")]).contains("layer-0"));
        assert!(shown(&[series("others"), series("1.0.0")]).contains("layer-0"));
    }

    #[test]
    fn scales_end_at_round_numbers() {
        for (highest, end) in [(0, 2), (1, 2), (3, 4), (39, 40), (41, 60), (399, 400), (123_456, 140_000)] {
            assert_eq!(round_up(highest), end);
        }
    }
}
