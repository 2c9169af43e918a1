//! Decides how an answer affects the bytes that are already on disk.

use http::{HeaderMap, StatusCode, header};

/// The point at which a download resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resume {
    /// Bytes already on disk, more than 0.
    pub(super) offset: u64,
    /// The strong entity tag of the file they belong to.
    pub(super) tag: String,
    /// Its length in bytes, if the server gave it.
    pub(super) total: Option<u64>,
}

/// The way to handle an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResumeDecision {
    /// The body follows the bytes on disk; together they are `total` bytes.
    Append { total: Option<u64> },
    /// The body is the whole file.
    Start {
        /// Its length in bytes, if the server gave it.
        total: Option<u64>,
        /// Its entity tag, if it is strong; without one the download cannot be resumed.
        tag: Option<String>,
    },
    /// The bytes on disk do not match the server's file: request the whole file.
    Discard,
    /// The answer contains no file.
    Refuse,
}

/// Decides by the answer and the request. RFC 9110, sections 13.1.5, 14.4 and 15.3.7: a part is appended only
/// if the answer says that it begins where the bytes on disk end and belongs to the same file.
pub(super) fn decide_resume(
    asked: Option<&Resume>,
    status: StatusCode,
    headers: &HeaderMap,
) -> ResumeDecision {
    match (status, asked) {
        (StatusCode::OK, _) => ResumeDecision::Start {
            total: content_length(headers),
            tag: strong_tag(headers).map(str::to_owned),
        },
        (StatusCode::PARTIAL_CONTENT, Some(asked)) => {
            append(asked, headers).unwrap_or(ResumeDecision::Discard)
        }
        (StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PRECONDITION_FAILED, Some(_)) => {
            ResumeDecision::Discard
        }
        _ => ResumeDecision::Refuse,
    }
}

fn append(asked: &Resume, headers: &HeaderMap) -> Option<ResumeDecision> {
    let (start, total) = content_range(headers)?;
    let same_length = asked.total.is_none() || total.is_none() || asked.total == total;
    let same_file = strong_tag(headers) == Some(&asked.tag) && same_length;
    (start == asked.offset && same_file).then_some(ResumeDecision::Append { total: total.or(asked.total) })
}

/// First position and total length from `bytes 10-99/100` or `bytes 10-99/*`.
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let text = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, total) = text.strip_prefix("bytes ")?.trim().split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let (start, end): (u64, u64) = (start.parse().ok()?, end.parse().ok()?);
    let total = if total == "*" { None } else { Some(total.parse::<u64>().ok()?) };
    (start <= end && total.is_none_or(|total| end < total)).then_some((start, total))
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The entity tag, if it is strong: RFC 9110, section 8.8.3.
fn strong_tag(headers: &HeaderMap) -> Option<&str> {
    let tag = headers.get(header::ETAG)?.to_str().ok()?;
    (tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"')).then_some(tag)
}

#[cfg(test)]
mod tests;
