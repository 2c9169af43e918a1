//! Reading the status and body of an answer.

use http::StatusCode;
use serde::de::DeserializeOwned;

use crate::{StorageError, xml};

/// The error for an answer whose status is not a success, with the error code from its body.
pub(crate) fn failure(status: StatusCode, body: &[u8]) -> StorageError {
    let code = std::str::from_utf8(body).ok().and_then(xml::error_code);
    StorageError::Answered { status: status.as_u16(), code }
}

/// Whether `error` means that the object does not exist. A missing bucket is a configuration error and does
/// not count.
pub(crate) fn is_absent(error: &StorageError) -> bool {
    matches!(error, StorageError::Answered { status: 404, code } if code.as_deref() != Some("NoSuchBucket"))
}

/// Whether the storage does not support the request.
pub(crate) fn is_unknown(error: &StorageError) -> bool {
    match error {
        StorageError::Answered { status: 405 | 501, .. } => true,
        StorageError::Answered { code, .. } => code.as_deref() == Some("NotImplemented"),
        _ => false,
    }
}

/// The XML document of a successful answer, whose root element is `root`.
///
/// For some long operations, S3 sends status 200 before it knows the outcome, and reports a failure as an
/// `<Error>` in the body. That becomes [`StorageError::Answered`] with status 200 here.
pub(crate) fn document<T: DeserializeOwned>(body: &[u8], root: &'static str) -> Result<T, StorageError> {
    let text = std::str::from_utf8(body).map_err(|_| StorageError::Malformed(root))?;
    if xml::is_error(text) {
        return Err(failure(StatusCode::OK, body));
    }
    xml::document(text, root)
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde::Deserialize;

    use super::{document, failure, is_absent};
    use crate::StorageError;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Copied {
        #[serde(rename = "ETag")]
        etag: String,
    }

    #[test]
    fn a_missing_bucket_is_not_a_missing_object() {
        let key = failure(StatusCode::NOT_FOUND, b"<Error><Code>NoSuchKey</Code></Error>");
        let bucket = failure(StatusCode::NOT_FOUND, b"<Error><Code>NoSuchBucket</Code></Error>");
        assert!(is_absent(&key));
        assert!(is_absent(&failure(StatusCode::NOT_FOUND, b"")));
        assert!(!is_absent(&bucket));
        assert!(!is_absent(&failure(StatusCode::FORBIDDEN, b"")));
    }

    #[test]
    fn an_error_in_the_body_of_a_success_is_a_failure() {
        let error = document::<Copied>(b"<Error><Code>InternalError</Code></Error>", "CopyObjectResult");
        assert_eq!(
            error,
            Err(StorageError::Answered { status: 200, code: Some("InternalError".to_owned()) })
        );
        let other = document::<Copied>(b"<html/>", "CopyObjectResult");
        assert_eq!(other, Err(StorageError::Malformed("CopyObjectResult")));
    }

    #[test]
    fn a_document_is_read_with_and_without_its_namespace() {
        for start in
            ["<CopyObjectResult>", "<CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"]
        {
            let text =
                format!("<?xml version=\"1.0\"?>\n{start}<ETag>&quot;00&quot;</ETag></CopyObjectResult>");
            let copied = document::<Copied>(text.as_bytes(), "CopyObjectResult").unwrap();
            assert_eq!(copied.etag, "\"00\"");
        }
    }
}
