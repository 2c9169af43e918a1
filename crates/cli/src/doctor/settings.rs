//! Checks from outside the settings that the service needs.

use reqwest::Method;
use spindrift_api::ErrorCode;

use super::finding::Finding;
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::{Service, ServiceCall};

const SECRETS: &str = "secrets";
const TELEMETRY: &str = "telemetry";
const REPORTS: &str = "reports";

/// Makes calls whose errors reveal problems with settings.
pub(super) async fn settings(service: &Service) -> Vec<Finding> {
    vec![secrets(service).await, telemetry(service).await, reports(service).await]
}

/// The error answer of the service. `Err` if the service did not answer.
async fn refusal(call: ServiceCall<'_>) -> Result<Refusal, CliError> {
    match call.ok().await {
        Ok(response) => Ok(Refusal { status: response.status().as_u16(), ..Refusal::default() }),
        Err(CliError::Refused(refusal)) => Ok(refusal),
        Err(error) => Err(error),
    }
}

fn unexpected(check: &'static str, refusal: &Refusal) -> Finding {
    Finding::problem(check, format!("unexpected answer {} {}", refusal.status, refusal.text))
}

async fn secrets(service: &Service) -> Finding {
    match refusal(service.get("/whoami")).await {
        Ok(Refusal { status: 401, .. }) => Finding::good(SECRETS, "logins are possible"),
        Ok(refusal) => Finding::problem(SECRETS, format!("{}: see docs/settings.md", refusal.text)),
        Err(error) => Finding::failed(SECRETS, &error),
    }
}

/// The service checks its settings before the parameters, so an invalid call shows whether
/// telemetry is set up.
async fn telemetry(service: &Service) -> Finding {
    match refusal(service.get("/telemetry/beacon").header("x-device-id", "doctor")).await {
        Err(error) => Finding::failed(TELEMETRY, &error),
        Ok(refusal) => match (refusal.status, &refusal.code) {
            (400, _) => Finding::good(TELEMETRY, "devices are counted"),
            (_, Some(ErrorCode::TelemetryDisabled)) => {
                Finding::note(TELEMETRY, "telemetry_enabled is false: devices are not counted")
            }
            (503, _) => Finding::note(TELEMETRY, format!("{}: devices are not counted", refusal.text)),
            _ => unexpected(TELEMETRY, &refusal),
        },
    }
}

async fn reports(service: &Service) -> Finding {
    match refusal(service.call(Method::POST, "/reports/ingest")).await {
        Ok(Refusal { status: 401, .. }) => Finding::good(REPORTS, "failure reports are accepted"),
        Ok(Refusal { status: 404, .. }) => {
            Finding::note(REPORTS, "reports_enabled is false: failure reports are not accepted")
        }
        Ok(refusal) => unexpected(REPORTS, &refusal),
        Err(error) => Finding::failed(REPORTS, &error),
    }
}
