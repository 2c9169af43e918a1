//! How devices adopt versions, and what they run on.

use maud::{Markup, html};
use spindrift_api::{AdoptionBody, TelemetryBody};
use spindrift_web::{Request, Response};

use super::filters::ReleaseFilters;
use crate::address::segment;
use crate::pages::telemetry::{Table, distribution};
use crate::plots::{Areas, Series};
use crate::{Address, Context, KeptDays, Result, parts, respond};

/// `GET /console/apps/{app}/adoption.csv`: the table below the plot, as a file.
pub(crate) async fn csv(context: &Context<'_>, request: &Request) -> Result<Response> {
    let app = segment(request.path(), 2)?;
    let filters = ReleaseFilters::of(&request.query()?);
    let mut adoption: AdoptionBody = context.service.get(&filters.adoption(&app)).await?;
    let _ = KeptDays::read(context)?.of_adoption(&mut adoption);
    Ok(file(&app, &adoption))
}

fn file(app: &str, adoption: &AdoptionBody) -> Response {
    let series = series(adoption);
    let last = adoption.days.last().map_or("", String::as_str);
    respond::csv(&format!("adoption-{app}-{last}"), &head(&series), &rows(&adoption.days, &series))
}

/// The section on the application's page.
pub(super) struct AdoptionSection<'a> {
    pub(super) app: &'a str,
    pub(super) filters: &'a ReleaseFilters,
    pub(super) adoption: &'a AdoptionBody,
    pub(super) telemetry: &'a TelemetryBody,
}

impl AdoptionSection<'_> {
    /// `not_kept`: a hint about omitted days.
    pub(super) fn show(&self, not_kept: Option<Markup>) -> Markup {
        let Self { app, filters, telemetry, .. } = *self;
        let shown = filters.telemetry(app);
        html! {
            section {
                h2 { "Adoption" }
                (ranges(app, filters))
                @if telemetry.summary.unique_clients == 0 {
                    (parts::empty("No devices were seen in this time.", &html! {
                        "Clients are counted when they send " code { "X-Device-ID" } " with a check. "
                        a href=(Address::page(["setup", "snippets"]).with("app", app)) { "Configure clients" } "."
                    }))
                } @else {
                    (over_time(self.adoption, &filters.adoption_file(app)))
                    @if let Some(hint) = not_kept { (hint) }
                    div.halves {
                        @for table in [Table::Platforms, Table::Architectures] {
                            div { h3 { (table.title()) } (distribution(table, &shown, telemetry)) }
                        }
                    }
                }
            }
        }
    }
}

fn ranges(app: &str, filters: &ReleaseFilters) -> Markup {
    html! {
        p.ranges {
            @for (range, name) in [("week", "7 days"), ("month", "30 days"), ("quarter", "90 days")] {
                @let here = ReleaseFilters { range: range.to_owned(), ..filters.clone() }.first_page(app);
                a href=(here) aria-current=[(filters.range == range).then_some("true")] { (name) }
            }
        }
    }
}

fn over_time(adoption: &AdoptionBody, csv: &Address) -> Markup {
    let series = series(adoption);
    let rows = rows(&adoption.days, &series);
    html! {
        (Areas { label: "Devices by day and version", days: &adoption.days, series: &series }.draw())
        (parts::table_of_plot(&head(&series), &rows, Some(csv)))
    }
}

fn head(series: &[Series]) -> Vec<&str> {
    ["Day", "Devices"].into_iter().chain(series.iter().map(|series| series.name.as_str())).collect()
}

/// For each day, the total of devices, which is the height of the plot, followed by each layer.
fn rows(days: &[String], series: &[Series]) -> Vec<Vec<String>> {
    let row = |(day, name): (usize, &String)| {
        let values: Vec<u64> =
            series.iter().map(|series| series.values.get(day).copied().unwrap_or_default()).collect();
        let numbers = std::iter::once(values.iter().sum()).chain(values.iter().copied());
        std::iter::once(name.clone()).chain(numbers.map(|number: u64| number.to_string())).collect()
    };
    days.iter().enumerate().map(row).collect()
}

/// The layers from the bottom: the rest, then old versions, and the newest at the top.
fn series(adoption: &AdoptionBody) -> Vec<Series> {
    let other = Series { name: "others".to_owned(), values: adoption.other.clone() };
    let versions = adoption.versions.iter().rev();
    let versions = versions.map(|row| Series { name: row.version.clone(), values: row.clients.clone() });
    let has_other = other.values.iter().any(|value| *value > 0);
    has_other.then_some(other).into_iter().chain(versions).collect()
}

#[cfg(test)]
mod tests {
    use spindrift_api::AdoptionVersion;
    use spindrift_web::{Query, ResponseBody};

    use super::*;

    /// `versions`: highest first, as the service lists them.
    fn adoption(versions: &[(&str, [u64; 2])], other: [u64; 2]) -> AdoptionBody {
        AdoptionBody {
            days: ["2026-11-21", "2026-11-22"].map(ToOwned::to_owned).to_vec(),
            versions: versions
                .iter()
                .map(|(version, clients)| AdoptionVersion {
                    version: (*version).to_owned(),
                    clients: clients.to_vec(),
                })
                .collect(),
            other: other.to_vec(),
        }
    }

    fn text(answer: &Response) -> &str {
        let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
        std::str::from_utf8(text).unwrap()
    }

    #[test]
    fn the_file_has_what_the_plot_shows() {
        let answer = file("My App", &adoption(&[("1.1.0", [0, 4]), ("1.0.0", [2, 1])], [1, 0]));
        assert_eq!(
            text(&answer),
            "Day,Devices,others,1.0.0,1.1.0\r\n2026-11-21,3,1,2,0\r\n2026-11-22,5,0,1,4\r\n"
        );
        assert_eq!(
            answer.headers()[http::header::CONTENT_DISPOSITION],
            "attachment; filename=\"adoption-My-App-2026-11-22.csv\""
        );
        let nothing = file("notes", &adoption(&[], [0, 0]));
        assert_eq!(text(&nothing), "Day,Devices\r\n2026-11-21,0\r\n2026-11-22,0\r\n");
    }

    /// The service accepts no such versions, but a file that is opened elsewhere must not rely on
    /// that.
    #[test]
    fn versions_are_only_text() {
        let hostile = adoption(&[("=HYPERLINK(\"https://x\",\"y\")<b>", [1, 0])], [0, 0]);
        let file = file("notes", &hostile);
        let (head, _) = text(&file).split_once("\r\n").unwrap();
        assert_eq!(head, "Day,Devices,\"'=HYPERLINK(\"\"https://x\"\",\"\"y\"\")<b>\"");
        let shown = over_time(&hostile, &Address::page(["x"])).into_string();
        assert!(!shown.contains("<b>") && shown.contains("&lt;b&gt;</th>"), "{shown}");
    }

    #[test]
    fn the_file_is_of_the_days_that_are_shown() {
        for (query, range) in [("", "month"), ("range=", "month"), ("range=week&state=draft", "week")] {
            let filters = ReleaseFilters::of(&Query::parse(query).unwrap());
            let shown = over_time(&adoption(&[], [0, 1]), &filters.adoption_file("a/b")).into_string();
            let file = format!("href=\"/console/apps/a%2Fb/adoption.csv?range={range}\" download");
            assert!(shown.contains(&file), "{query}: {shown}");
            assert_eq!(
                filters.adoption("a/b").as_str(),
                format!("/telemetry/adoption?app=a%2Fb&range={range}")
            );
        }
    }
}
