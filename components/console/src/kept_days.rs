//! The days that still have figures. Earlier days are not drawn.

use maud::{Markup, html};
use spindrift_api::{AdoptionBody, TelemetryBody};
use spindrift_core::Day;
use spindrift_settings::TELEMETRY_RETENTION_DAYS;

use crate::{ConsoleError, Context, Result, parts};

/// The days that have figures.
pub(crate) struct KeptDays {
    days: u32,
    /// The first day, `YYYY-MM-DD`.
    first: String,
}

impl KeptDays {
    pub(crate) fn read(context: &Context<'_>) -> Result<Self> {
        let days = TELEMETRY_RETENTION_DAYS.read(&context.host).map_err(ConsoleError::no_answer)?;
        Ok(Self { days, first: Day::of(context.now).minus(i64::from(days)).to_string() })
    }

    /// Removes leading days without figures from a range, and returns a hint about them.
    pub(crate) fn of_telemetry(&self, figures: &mut TelemetryBody) -> Option<Markup> {
        let stats = &figures.daily_stats;
        let gone = self.days_without_figures(&figures.date_range, |day| {
            stats.get(day).is_none_or(|day| day.total_requests == 0)
        });
        figures.date_range.drain(..gone);
        figures.daily_stats.drain(..gone.min(figures.daily_stats.len()));
        self.hint(gone)
    }

    /// Like [`Self::of_telemetry`], for the versions of an application.
    pub(crate) fn of_adoption(&self, adoption: &mut AdoptionBody) -> Option<Markup> {
        let all = adoption.versions.iter().map(|row| &row.clients).chain([&adoption.other]);
        let rows: Vec<&Vec<u64>> = all.collect();
        let gone = self.days_without_figures(&adoption.days, |day| {
            rows.iter().all(|row| row.get(day).is_none_or(|&n| n == 0))
        });
        adoption.days.drain(..gone);
        let rows = adoption.versions.iter_mut().map(|row| &mut row.clients);
        for row in rows.chain([&mut adoption.other]) {
            row.drain(..gone.min(row.len()));
        }
        self.hint(gone)
    }

    /// How many leading days to remove: those before the first kept day that have no figures. Older
    /// figures that are not deleted yet stay.
    fn days_without_figures(&self, days: &[String], is_empty: impl Fn(usize) -> bool) -> usize {
        days.iter().enumerate().take_while(|(i, day)| **day < self.first && is_empty(*i)).count()
    }

    fn hint(&self, gone: usize) -> Option<Markup> {
        let kept = parts::count(self.days.into(), "day");
        (gone > 0).then(|| {
            html! {
                p.hint {
                    "Figures are kept for " (kept) " (" code { "telemetry_retention_days" }
                    "); earlier days have none."
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use spindrift_api::AdoptionVersion;

    use super::*;

    #[test]
    fn days_that_are_not_kept_are_left_out() {
        let kept = KeptDays { days: 1, first: "2026-01-03".to_owned() };
        let adoption = |first: u64, second: u64| AdoptionBody {
            days: ["01", "02", "03", "04"].map(|day| format!("2026-01-{day}")).to_vec(),
            versions: vec![AdoptionVersion { version: "1.0.0".to_owned(), clients: vec![first, 0, 0, 4] }],
            other: vec![0, second, 0, 0],
        };
        for (first, second, expected) in [(0, 0, 2), (0, 1, 3), (1, 0, 4)] {
            let mut body = adoption(first, second);
            assert_eq!(kept.of_adoption(&mut body).is_some(), expected < 4);
            assert_eq!(body.days.len(), expected, "{first} {second}");
            assert_eq!((body.versions[0].clients.len(), body.other.len()), (expected, expected));
        }
    }
}
