//! Settings without which the service cannot work, seen from outside.

use reqwest::Method;

use super::finding::Finding;
use crate::error::CliError;
use crate::service::{Call, Service};

const SECRETS: &str = "secrets";
const TELEMETRY: &str = "telemetry";
const REPORTS: &str = "reports";

/// Calls that fail in a way that tells about settings.
pub(super) async fn settings(service: &Service) -> Vec<Finding> {
    vec![secrets(service).await, telemetry(service).await, reports(service).await]
}

/// The status and the error text; `Err` when there was no such answer.
async fn refusal(call: Call<'_>) -> Result<(u16, String), CliError> {
    match call.ok().await {
        Ok(response) => Ok((response.status().as_u16(), String::new())),
        Err(CliError::Refused(refusal)) => Ok((refusal.status, refusal.text)),
        Err(error) => Err(error),
    }
}

async fn secrets(service: &Service) -> Finding {
    match refusal(service.get("/whoami")).await {
        Ok((401, _)) => Finding::good(SECRETS, "logins are possible"),
        Ok((_, text)) => Finding::problem(SECRETS, format!("{text}: see docs/settings.md")),
        Err(error) => Finding::failed(SECRETS, &error),
    }
}

/// The settings are looked at before the parameters.
async fn telemetry(service: &Service) -> Finding {
    match refusal(service.get("/telemetry/beacon").header("x-device-id", "doctor")).await {
        Ok((400, _)) => Finding::good(TELEMETRY, "devices are counted"),
        Ok((403, _)) => Finding::note(TELEMETRY, "telemetry_enabled is false: devices are not counted"),
        Ok((503, text)) => Finding::note(TELEMETRY, format!("{text}: devices are not counted")),
        Ok((status, text)) => Finding::problem(TELEMETRY, format!("unexpected answer {status} {text}")),
        Err(error) => Finding::failed(TELEMETRY, &error),
    }
}

async fn reports(service: &Service) -> Finding {
    match refusal(service.call(Method::POST, "/reports/ingest")).await {
        Ok((401, _)) => Finding::good(REPORTS, "failure reports are accepted"),
        Ok((404, _)) => Finding::note(REPORTS, "reports_enabled is false: failure reports are not accepted"),
        Ok((status, text)) => Finding::problem(REPORTS, format!("unexpected answer {status} {text}")),
        Err(error) => Finding::failed(REPORTS, &error),
    }
}
