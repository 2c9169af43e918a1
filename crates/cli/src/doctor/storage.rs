//! Checks that files can be downloaded.

use reqwest::StatusCode;
use spindrift_api::SearchBody;

use super::finding::Finding;
use crate::error::CliError;
use crate::service::Service;

const STORAGE: &str = "storage";

/// Requests a file of the newest release at the URL that clients use.
pub(super) async fn public_link(service: &Service) -> Finding {
    if service.token().is_none() {
        return Finding::skipped(STORAGE, "no token: log in, or pass --app with a CI token");
    }
    let link = match newest_link(service).await {
        Ok(Some(link)) => link,
        Ok(None) => return Finding::skipped(STORAGE, "nothing is published: pass --app to try an upload"),
        Err(CliError::Refused(refusal)) if refusal.status == 403 => {
            return Finding::skipped(STORAGE, "the token may not see releases: pass --app to try an upload");
        }
        Err(error) => return Finding::failed(STORAGE, &error),
    };
    // The link to a private file points to the service, which needs the token. A storage must not
    // get the token.
    let is_private = link.starts_with(&format!("{}/", service.url()));
    let request = service.http().head(&link).timeout(service.limits().timeout);
    let request = match service.token().filter(|_| is_private) {
        Some(token) => request.bearer_auth(token.expose()),
        None => request,
    };
    match request.send().await {
        Ok(answer) if answer.status().is_success() || answer.status().is_redirection() => {
            Finding::good(STORAGE, "files of releases can be downloaded")
        }
        Ok(answer) => Finding::problem(STORAGE, advice(answer.status(), &link)),
        Err(error) => Finding::failed(STORAGE, &CliError::network(&link, error)),
    }
}

async fn newest_link(service: &Service) -> Result<Option<String>, CliError> {
    let found: SearchBody = service.get("/search").query(&[("limit", "1")]).json().await?;
    let files = found.items.into_iter().next().map(|release| release.artifacts);
    Ok(files.and_then(|files| files.into_iter().next()).map(|file| file.link))
}

fn advice(status: StatusCode, link: &str) -> String {
    let link = link.split('?').next().unwrap_or_default();
    match status.as_u16() {
        401 | 403 => format!("{link} is {status}: let everybody read the public bucket"),
        404 => format!("{link} is {status}: check the setting s3_public_url"),
        _ => format!("{link} answers {status}: check the storage's log"),
    }
}
