//! A group's reports by day.

use maud::{Markup, html};
use spindrift_api::GroupEntry;
use spindrift_core::Day;
use spindrift_web::{Request, Response};

use super::failure_group::{FailureGroupRef, HASH_SHOWN};
use crate::plots::{Areas, Series};
use crate::{Context, Result, parts, respond};

const HEAD: [&str; 2] = ["Day", "Reports"];

/// The section on the group's page.
pub(super) fn section(named: &FailureGroupRef, group: &GroupEntry, today: Day) -> Markup {
    let days = days(group, today);
    let series = [Series { name: "reports".to_owned(), values: group.trend.clone() }];
    html! {
        section {
            h2 { "Over 30 days" }
            (Areas { label: "Reports by day", days: &days, series: &series }.draw())
            (parts::table_of_plot(&HEAD, &rows(&days, group), Some(&named.page(&["trend.csv"]))))
        }
    }
}

/// `GET /console/failures/{hash}/trend.csv`: the table below the plot, as a file.
pub(super) async fn csv(context: &Context<'_>, request: &Request) -> Result<Response> {
    let group = FailureGroupRef::of(request)?.load(context).await?;
    Ok(file(&group, Day::of(context.now)))
}

fn file(group: &GroupEntry, today: Day) -> Response {
    let hash = group.group_hash.get(..HASH_SHOWN).unwrap_or(&group.group_hash);
    respond::csv(&format!("reports-{hash}-{today}"), &HEAD, &rows(&days(group, today), group))
}

/// The days of the trend, up to today.
fn days(group: &GroupEntry, today: Day) -> Vec<String> {
    let count = i64::try_from(group.trend.len()).unwrap_or_default();
    (0..count).rev().map(|ago| today.minus(ago).to_string()).collect()
}

fn rows(days: &[String], group: &GroupEntry) -> Vec<Vec<String>> {
    days.iter().zip(&group.trend).map(|(day, number)| vec![day.clone(), number.to_string()]).collect()
}

#[cfg(test)]
mod tests {
    use spindrift_web::ResponseBody;

    use super::*;

    fn group(trend: &[u64]) -> GroupEntry {
        serde_json::from_value(serde_json::json!({
            "id": "1", "group_hash": "9f8e7d6c5b4a3f2e", "app_id": "2", "status": "open", "tags": [], "note": "",
            "created_at": "t", "updated_at": "t", "trend": trend,
            "application": { "name": "notes", "version": "1.2.3", "channel": "stable" },
            "system": { "platform": "linux", "arch": "amd64" },
            "event": { "type": "crash", "reason": "segv" },
            "stats": {
                "count": 1, "first_seen": "t", "last_seen": "t", "details_stored": 0, "details_rejected": 0,
            },
        }))
        .unwrap()
    }

    #[test]
    fn the_file_ends_today() {
        let today = "2026-03-01".parse().unwrap();
        for (trend, expected) in
            [(&[0, 7][..], "Day,Reports\r\n2026-02-28,0\r\n2026-03-01,7\r\n"), (&[], "Day,Reports\r\n")]
        {
            let answer = file(&group(trend), today);
            let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
            assert_eq!(text, expected);
            let name = &answer.headers()[http::header::CONTENT_DISPOSITION];
            assert_eq!(name, "attachment; filename=\"reports-9f8e7d6c5b4a-2026-03-01.csv\"");
        }
    }

    #[test]
    fn the_page_leads_to_the_file_of_the_same_group() {
        let group = group(&[3]);
        let shown =
            section(&FailureGroupRef::of_entry(&group), &group, "2026-03-01".parse().unwrap()).into_string();
        let file = "href=\"/console/failures/9f8e7d6c5b4a3f2e/trend.csv?app_id=2\" download";
        assert!(shown.contains(file), "{shown}");
        assert!(shown.contains("<th scope=\"row\">2026-03-01</th><td>3</td>"), "{shown}");
    }
}
