//! Which figures to show.

use maud::{Markup, html};

use super::tables::Table;
use crate::{Address, Catalog, FormFields, parts};

/// The page's name for a range of one day, for which the service has none.
const DAY: &str = "day";
const RANGES: [(&str, &str); 4] =
    [(DAY, "1 day"), ("week", "7 days"), ("month", "30 days"), ("quarter", "90 days")];
const DEFAULT_RANGE: &str = "month";

/// The days and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TelemetryFilters {
    date: String,
    range: String,
    apps: Vec<String>,
    channels: Vec<String>,
    platforms: Vec<String>,
    archs: Vec<String>,
}

impl TelemetryFilters {
    pub(super) fn of(fields: &FormFields) -> Self {
        let range = Some(fields.one("range")).filter(|range| !range.is_empty()).unwrap_or(DEFAULT_RANGE);
        Self {
            date: fields.one("date").to_owned(),
            range: range.to_owned(),
            apps: fields.names("apps"),
            channels: fields.names("channels"),
            platforms: fields.names("platforms"),
            archs: fields.names("architectures"),
        }
    }

    /// The figures of one application, until today.
    pub(crate) fn of_app(app: &str, range: &str) -> Self {
        Self { range: range.to_owned(), apps: vec![app.to_owned()], ..Self::default() }
    }

    /// The same days, for all names.
    pub(super) fn without_names(&self) -> Self {
        Self { date: self.date.clone(), range: self.range.clone(), ..Self::default() }
    }

    pub(super) fn is_narrowed(&self) -> bool {
        *self != self.without_names()
    }

    /// The call for these figures.
    pub(crate) fn call(&self) -> Address {
        let range = if self.range == DAY { "" } else { &self.range };
        self.names(Address::call("/telemetry").with("range", range))
    }

    /// The page with these figures.
    pub(super) fn page(&self) -> Address {
        self.names(Address::page(["telemetry"]).with("range", &self.range))
    }

    /// A table of these figures, as a file.
    pub(super) fn csv(&self, table: Table) -> Address {
        let file = Address::page(["telemetry.csv"]).with("table", table.name());
        self.names(file.with("range", &self.range))
    }

    fn names(&self, address: Address) -> Address {
        address
            .with("date", &self.date)
            .with("apps", self.apps.join(","))
            .with("channels", self.channels.join(","))
            .with("platforms", self.platforms.join(","))
            .with("architectures", self.archs.join(","))
    }

    /// Links to the other ranges.
    pub(super) fn ranges(&self) -> Markup {
        html! {
            nav.ranges aria-label="Range" {
                @for (range, name) in RANGES {
                    @let other = Self { range: range.to_owned(), ..self.clone() };
                    a href=(other.page()) aria-current=[(self.range == range).then_some("true")] { (name) }
                }
            }
        }
    }

    /// Unless a last day was chosen, the range ends on the current day, today and tomorrow.
    pub(super) fn form(&self, catalog: &Catalog) -> Markup {
        let names = |names: Vec<(&spindrift_core::Id, &str)>| -> Vec<String> {
            names.into_iter().map(|(_, name)| name.to_owned()).collect()
        };
        html! {
            form.filters method="get" action=(Address::page(["telemetry"])) role="search" {
                input type="hidden" name="range" value=(self.range);
                label { "Until" input type="date" name="date" value=(self.date); }
                (choice("apps", "Applications", &names(catalog.app_names()), &self.apps))
                (choice("channels", "Channels", &names(catalog.channel_names()), &self.channels))
                (choice("platforms", "Platforms", &names(catalog.platform_names()), &self.platforms))
                (choice("architectures", "Architectures", &names(catalog.arch_names()), &self.archs))
                button type="submit" { "Filter" }
                @if self.is_narrowed() { a href=(self.without_names().page()) { "Show all" } }
            }
        }
    }
}

/// Checkboxes behind a line with the chosen names. A name that was chosen stays in the list even if
/// it no longer exists.
fn choice(name: &str, label: &str, all: &[String], chosen: &[String]) -> Markup {
    let gone = chosen.iter().filter(|one| !all.contains(one));
    let boxes: Vec<&String> = all.iter().chain(gone).collect();
    html! {
        @if !boxes.is_empty() {
            details.choice {
                summary { (label) ": " @if chosen.is_empty() { "all" } @else { strong { (chosen.join(", ")) } } }
                fieldset {
                    legend { (label) }
                    @for one in boxes { (parts::check(name, one, one, chosen.contains(one))) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::Query;

    use super::*;

    fn filters(query: &str) -> TelemetryFilters {
        TelemetryFilters::of(&Query::parse(query).unwrap().into())
    }

    #[test]
    fn boxes_and_lists_are_the_same_filter() {
        let (boxes, list) = (filters("apps=a&apps=b%20c"), filters("apps=a%2Cb%20c&range=month"));
        assert_eq!(boxes, list);
        assert_eq!(boxes.call().as_str(), "/telemetry?range=month&apps=a%2Cb%20c");
        assert_eq!(filters("range=day&date=2026-11-22").call().as_str(), "/telemetry?date=2026-11-22");
        let of_app = TelemetryFilters::of_app("b c", "week");
        assert_eq!(of_app.call().as_str(), "/telemetry?range=week&apps=b%20c");
        assert_eq!(filters("range=week&apps=b%20c"), of_app, "what its file is asked for");
        assert!(boxes.is_narrowed() && !boxes.without_names().is_narrowed());
    }
}
