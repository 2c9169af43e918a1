//! The error type of this crate.

use crate::SendError;

/// The reasons why a request to the storage failed. The text contains no URL, key or secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// No answer: no connection, a broken connection, or a time-out.
    #[error("the storage does not answer: {0}")]
    Unreachable(String),
    /// The platform refused the request: the storage's host is not among the allowed outbound hosts.
    #[error("the platform denies requests to the storage")]
    Denied,
    /// The storage answered with an error.
    #[error("the storage answered {status}{}", .code.as_deref().map(|c| format!(" ({c})")).unwrap_or_default())]
    Answered {
        /// The HTTP status. 200 if S3 reported the error of a long operation in the body.
        status: u16,
        /// S3's `<Code>`, at most 64 characters of `[A-Za-z0-9._-]`.
        code: Option<String>,
    },
    /// A required object does not exist.
    #[error("no such object in the storage")]
    NoSuchObject,
    /// The object has changed since it was looked at.
    #[error("the object in the storage has changed")]
    Changed,
    /// Outside callers cannot reach the storage with this driver, so nothing can be presigned for them.
    #[error("the storage driver does not support presigned requests")]
    PresignUnsupported,
    /// The named setting is empty.
    #[error("the setting `{0}` is not configured")]
    NotConfigured(&'static str),
    /// The object is larger than the caller's limit.
    #[error("the object is larger than allowed")]
    TooLarge,
    /// The named part of a request or answer is malformed.
    #[error("not well-formed: {0}")]
    Malformed(&'static str),
}

impl From<SendError> for StorageError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Unreachable(reason) => Self::Unreachable(without_urls(&reason)),
            SendError::Denied => Self::Denied,
        }
    }
}

/// `reason` with every word replaced that contains a URL or a query, because signed URLs are credentials.
pub(crate) fn without_urls(reason: &str) -> String {
    let secret = |word: &str| word.contains("://") || word.contains('?') || word.contains("X-Amz-");
    let words = reason.split_whitespace().map(|word| if secret(word) { "[redacted]" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::StorageError;
    use crate::SendError;

    #[test]
    fn signed_urls_are_cut_from_the_reason() {
        let reason = "GET http://s3/b/k?X-Amz-Signature=00 failed: (/b/k?X-Amz-Signature=00)";
        let error = StorageError::from(SendError::Unreachable(reason.to_owned()));
        assert_eq!(error.to_string(), "the storage does not answer: GET [redacted] failed: [redacted]");
    }

    #[test]
    fn the_code_is_part_of_the_text() {
        let code = Some("SlowDown".to_owned());
        assert_eq!(
            StorageError::Answered { status: 503, code }.to_string(),
            "the storage answered 503 (SlowDown)"
        );
        assert_eq!(
            StorageError::Answered { status: 500, code: None }.to_string(),
            "the storage answered 500"
        );
    }
}
