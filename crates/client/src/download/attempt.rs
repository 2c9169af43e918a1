//! One request for a file or for the rest of it.

use futures::StreamExt as _;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use spindrift_api::ErrorBody;
use url::Url;

use super::partial_file::PartialFile;
use super::resume::{Resume, ResumeDecision, decide_resume};
use super::{Download, Progress};
use crate::{
    Body, Cause, Client, EndpointError, Error, Settings, TransportError, address, exchange, follow, secret,
};

/// The end of an attempt that did not fail permanently.
pub(super) enum AttemptEnd {
    /// All bytes have arrived.
    Complete,
    /// The server has a different file; the partial file was discarded.
    Discarded,
    /// Another attempt may succeed; the bytes received so far are kept.
    Broken(EndpointError),
}

pub(super) async fn attempt(
    client: &Client,
    download: &Download,
    url: &Url,
    part: &mut PartialFile,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<AttemptEnd, Error> {
    let resume = part.resume();
    let headers = request_headers(resume.as_ref());
    let secrets = secret::headers(download.token.as_ref(), download.app_token.as_ref());
    let answer = follow::get(client, url, &headers, &secrets, download.limits.max_redirects).await;
    let (head, body) = match answer {
        Ok(answer) => answer.into_parts(),
        Err(error) if matches!(error.cause, Cause::Transport(_)) => return Ok(AttemptEnd::Broken(error)),
        Err(error) => return Err(error.into()),
    };
    let shown = address::redact(url);
    if is_encoded(&head.headers) {
        let cause = Cause::Invalid("a content encoding that was not asked for".into());
        return Err(exchange::failure(&shown, Some(head.status), cause).into());
    }
    let total = match decide_resume(resume.as_ref(), head.status, &head.headers) {
        ResumeDecision::Append { total } => {
            check_length(download, total)?;
            part.seek_to_end().await?;
            total
        }
        ResumeDecision::Start { total, tag } => {
            check_length(download, total)?;
            part.start(tag, total).await?;
            total
        }
        ResumeDecision::Discard => {
            part.clear().await?;
            return Ok(AttemptEnd::Discarded);
        }
        ResumeDecision::Refuse => {
            let said = refusal(client, body).await;
            let error = exchange::refusal(&shown, head.status, &head.headers, said);
            return if is_transient(head.status) { Ok(AttemptEnd::Broken(error)) } else { Err(error.into()) };
        }
    };
    let received = receive(download, part, body, total, report).await;
    // The received bytes are on disk, however the attempt ended.
    part.flush().await?;
    match received? {
        Ok(()) => Ok(AttemptEnd::Complete),
        Err(error) => {
            Ok(AttemptEnd::Broken(exchange::failure(&shown, Some(head.status), Cause::Transport(error))))
        }
    }
}

/// Appends the body to the file. The inner error means that the answer broke off.
async fn receive(
    download: &Download,
    part: &mut PartialFile,
    mut body: Body,
    total: Option<u64>,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Result<(), TransportError>, Error> {
    let expected = total.or(download.length);
    while let Some(chunk) = body.next().await {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => return Ok(Err(error)),
        };
        check_bytes(download, part.length().saturating_add(chunk.len() as u64))?;
        part.append(&chunk).await?;
        report(Progress { bytes: part.length(), total: expected });
    }
    match total {
        Some(total) if part.length() < total => {
            Ok(Err(TransportError::Failed("the answer ended early".into())))
        }
        _ => Ok(Ok(())),
    }
}

fn request_headers(resume: Option<&Resume>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    // Lengths, ranges and digests apply to the unencoded file.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(resume) = resume
        && let Ok(tag) = HeaderValue::from_str(&resume.tag)
        && let Ok(range) = HeaderValue::from_str(&format!("bytes={}-", resume.offset))
    {
        headers.insert(header::RANGE, range);
        headers.insert(header::IF_RANGE, tag);
    }
    headers
}

fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity")
}

/// The service's reason for refusing, if it sent one in its usual form.
async fn refusal(client: &Client, body: Body) -> Option<ErrorBody> {
    let Settings { service_time_out, max_answer_bytes, .. } = client.settings;
    exchange::read_error(body, service_time_out, max_answer_bytes).await
}

/// Whether a retry may help with this status.
const fn is_transient(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500 | 502 | 503 | 504)
}

/// Checks the announced length of the whole file.
fn check_length(download: &Download, total: Option<u64>) -> Result<(), Error> {
    let Some(actual) = total else { return Ok(()) };
    match download.length {
        Some(expected) if expected != actual => Err(Error::WrongLength { expected, actual }),
        _ => check_bytes(download, actual),
    }
}

/// Checks that a file may have this many bytes.
fn check_bytes(download: &Download, bytes: u64) -> Result<(), Error> {
    let limit = download.limits.max_bytes;
    match download.length {
        Some(expected) if bytes > expected => Err(Error::WrongLength { expected, actual: bytes }),
        _ if bytes > limit => Err(Error::FileTooLarge { limit }),
        _ => Ok(()),
    }
}
