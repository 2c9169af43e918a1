//! The results, for reading.

use std::time::Duration;

use anyhow::Context as _;

use crate::load::Sample;

/// One line.
#[derive(Debug)]
pub(crate) struct Row {
    name: String,
    per_second: f64,
    /// Throughput relative to the first row.
    throughput: f64,
    median_micros: f64,
    /// Median latency relative to the first row.
    latency: f64,
    p99_micros: u32,
    /// Processor time of the host for one answer.
    processor_micros: Option<f64>,
}

impl Row {
    /// From the rounds of a target, and those of the first one.
    pub(crate) fn of(name: &str, samples: &[Sample], first: &[Sample]) -> anyhow::Result<Self> {
        let ratios = |figure: fn(&Sample) -> Option<f64>| {
            median(
                samples
                    .iter()
                    .zip(first)
                    .filter_map(|(sample, first)| Some(figure(sample)? / figure(first)?)),
            )
        };
        let figures = || {
            Some(Self {
                name: name.to_owned(),
                per_second: median(samples.iter().map(Sample::per_second))?,
                throughput: ratios(|sample| Some(sample.per_second()))?,
                median_micros: median(samples.iter().filter_map(middle))?,
                latency: ratios(middle)?,
                p99_micros: percentile(&all_micros(samples), 99)?,
                processor_micros: processor_micros(samples),
            })
        };
        figures().with_context(|| format!("{name}: nothing was measured"))
    }
}

/// The value in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The median time of one round.
fn middle(sample: &Sample) -> Option<f64> {
    percentile(&sample.micros, 50).map(f64::from)
}

/// `sorted` is in ascending order.
pub(crate) fn percentile(sorted: &[u32], percent: usize) -> Option<u32> {
    sorted.get(sorted.len() * percent / 100).copied()
}

/// The times of all rounds, in ascending order.
fn all_micros(samples: &[Sample]) -> Vec<u32> {
    let mut all: Vec<u32> = samples.iter().flat_map(|sample| &sample.micros).copied().collect();
    all.sort_unstable();
    all
}

/// Per answer of all rounds, because one round is short for the unit in which systems count.
#[expect(clippy::cast_precision_loss, reason = "it is a figure to print")]
fn processor_micros(samples: &[Sample]) -> Option<f64> {
    let all: Duration = samples.iter().map(|sample| sample.processor).sum::<Option<Duration>>()?;
    let answers: usize = samples.iter().map(|sample| sample.micros.len()).sum();
    Some(all.as_secs_f64() * 1e6 / answers as f64)
}

/// The rows with one number of connections.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) connections: usize,
    pub(crate) rows: Vec<Row>,
}

/// Width of the first column.
const NAME_WIDTH: usize = 30;

impl Table {
    pub(crate) fn print(&self, markdown: bool) {
        let unit = if self.connections == 1 { "connection" } else { "connections" };
        let head = ["per second", "of it", "median", "of it", "p99", "processor"].map(str::to_owned);
        println!();
        line(&format!("{} {unit}", self.connections), &head, markdown);
        if markdown {
            println!("|{}", "---|".repeat(head.len() + 1));
        }
        for row in &self.rows {
            line(&row.name, &row.cells(), markdown);
        }
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        [
            thousands(self.per_second),
            format!("{:.0} %", 100.0 * self.throughput),
            milliseconds(self.median_micros),
            format!("{:.2}x", self.latency),
            milliseconds(f64::from(self.p99_micros)),
            self.processor_micros.map_or_else(|| "?".to_owned(), |micros| format!("{micros:.0} µs")),
        ]
    }
}

fn line(name: &str, cells: &[String; 6], markdown: bool) {
    if markdown {
        println!("| {name} | {} |", cells.join(" | "));
    } else {
        let cells = cells.each_ref().map(|cell| format!("{cell:>11}"));
        println!("{name:<NAME_WIDTH$}{}", cells.concat());
    }
}

/// A time given in microseconds.
pub(crate) fn milliseconds(micros: f64) -> String {
    format!("{:.2} ms", micros / 1000.0)
}

/// A whole number with commas.
pub(crate) fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let (mut text, length) = (String::new(), digits.len());
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (length - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(micros: &[u32], processor: u64) -> Sample {
        let processor = Some(Duration::from_micros(processor));
        Sample { duration: Duration::from_millis(100), micros: micros.to_vec(), processor }
    }

    #[test]
    fn figures_of_a_row() {
        let first = [sample(&[100, 100], 10), sample(&[200, 200], 10), sample(&[50, 50], 10)];
        let other = [sample(&[200, 300, 300], 30), sample(&[200], 30), sample(&[100, 100], 60)];
        let row = Row::of("other", &other, &first).unwrap();
        let expected = ["20", "100 %", "0.20 ms", "2.00x", "0.30 ms", "20 µs"];
        assert_eq!(row.cells(), expected.map(str::to_owned));
        assert!(Row::of("nothing", &[], &first).is_err());
    }

    #[test]
    fn numbers_have_commas() {
        for (number, text) in [(0.0, "0"), (999.4, "999"), (1000.0, "1,000"), (1_234_567.0, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }
}
