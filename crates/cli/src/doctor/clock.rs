//! Checks that the service answers, and that its clock agrees with this machine's.

use std::time::SystemTime;

use spindrift_api::HealthBody;

use super::finding::Finding;
use crate::error::CliError;
use crate::service::{Service, read};

const SERVICE: &str = "service";
const CLOCK: &str = "clock";
/// Minimum difference that is reported as a note, in seconds.
const NOTABLE: u64 = 30;

/// Checks `/health`, and the `Date` of its answer.
pub(super) async fn health(service: &Service, max_skew: u64) -> (Finding, Option<Finding>) {
    let response = match service.get("/health").send().await {
        Ok(response) => response,
        Err(error) => return (Finding::failed(SERVICE, &error), None),
    };
    let status = response.status();
    let date =
        response.headers().get("date").and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok());
    let clock = skew(date, SystemTime::now(), max_skew);
    let body: Option<HealthBody> = match read(service, response).await {
        Ok(body) => serde_json::from_slice(&body).ok(),
        Err(error) => return (Finding::failed(SERVICE, &error), Some(clock)),
    };
    let found = match body.as_ref().map(|body| body.status.as_ref()) {
        Some("healthy") => Finding::good(SERVICE, format!("{} answers", service.url())),
        Some("unhealthy") => {
            let what = body.and_then(|body| body.details).unwrap_or_default();
            let advice = if what.starts_with("the setting ") {
                "see docs/settings.md"
            } else {
                "check the service's log and its stores"
            };
            Finding::problem(SERVICE, format!("unhealthy ({what}): {advice}"))
        }
        _ => {
            let reason = format!("/health answered {status}");
            Finding::failed(SERVICE, &CliError::NotSpindrift { url: service.url().to_owned(), reason })
        }
    };
    (found, Some(clock))
}

fn skew(service: Option<SystemTime>, here: SystemTime, max: u64) -> Finding {
    let Some(service) = service else {
        return Finding::skipped(CLOCK, "the answer has no Date");
    };
    let (seconds, word) = match here.duration_since(service) {
        Ok(ahead) => (ahead.as_secs(), "ahead of"),
        Err(behind) => (behind.duration().as_secs(), "behind"),
    };
    let text = format!("this machine's clock is {seconds} s {word} the service's");
    match seconds {
        _ if seconds > max => Finding::problem(CLOCK, format!("{text}: set both by NTP")),
        NOTABLE.. => Finding::note(CLOCK, text),
        _ => Finding::good(CLOCK, "this machine's and the service's agree"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn clocks_may_differ_a_little() {
        let service = SystemTime::UNIX_EPOCH + Duration::from_hours(1000);
        for (seconds, is_problem) in [(0, false), (299, false), (301, true)] {
            let skew_of = |here| skew(Some(service), here, 300).is_problem();
            assert_eq!(skew_of(service + Duration::from_secs(seconds)), is_problem, "{seconds} ahead");
            assert_eq!(skew_of(service - Duration::from_secs(seconds)), is_problem, "{seconds} behind");
        }
    }
}
