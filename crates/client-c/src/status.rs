//! How calls end.

use spindrift_client::{Error, InvalidSecret, TrustError};

/// How a call ended. Later versions may return further values.
#[expect(non_camel_case_types, reason = "the names in the header are made of these")]
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It has done what it should.
    OK = 0,
    /// An argument is NULL where it must not be, is not UTF-8, or has an invalid value. This is also the
    /// status if the call does not fit the handles: the message says why.
    INVALID_ARGUMENT = 1,
    /// The service, or the server of a download, did not answer, or refused. Try again later, but not before
    /// `spindrift_error_retry_after`.
    REQUEST_FAILED = 2,
    /// The file has another length or digest than expected, or is over the limit of 5 GiB. A download deletes
    /// it.
    WRONG_CONTENT = 3,
    /// Signed metadata does not allow this file: do not install it.
    NOT_TRUSTED = 4,
    /// The clock shows an earlier time than at the last refresh of signed metadata. See
    /// `spindrift_trust_reset_clock`.
    CLOCK_WENT_BACK = 5,
    /// Another process or thread has the file or the folder.
    BUSY = 6,
    /// The file system has returned an error.
    FILE = 7,
    /// `spindrift_progress_cancel` has ended the download.
    CANCELLED = 8,
    /// A mistake in the library. It can be used further.
    INTERNAL = 9,
}

/// Why a call has failed.
#[derive(Debug)]
pub(crate) struct CallFailure {
    pub(crate) status: Status,
    /// Without secrets.
    pub(crate) message: String,
    /// 0: the service did not answer.
    pub(crate) http_status: u16,
    /// Seconds. 0: the service did not ask to wait.
    pub(crate) retry_after: u64,
}

impl CallFailure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), http_status: 0, retry_after: 0 }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Status::INVALID_ARGUMENT, message)
    }

    /// `what`: the argument.
    pub(crate) fn null(what: &str) -> Self {
        Self::invalid(format!("{what} is NULL"))
    }
}

impl From<Error> for CallFailure {
    fn from(error: Error) -> Self {
        let http_status = match &error {
            Error::RequestFailed(failure) => failure.status.unwrap_or_default(),
            _ => 0,
        };
        let retry_after = error.retry_after().map_or(0, |wait| wait.as_secs());
        Self { status: status_of(&error), message: error.to_string(), http_status, retry_after }
    }
}

impl From<InvalidSecret> for CallFailure {
    fn from(error: InvalidSecret) -> Self {
        Self::invalid(error.to_string())
    }
}

fn status_of(error: &Error) -> Status {
    match error {
        Error::MissingBaseUrl
        | Error::MissingOwner
        | Error::MissingAppName
        | Error::MissingVersion
        | Error::MissingDeviceId
        | Error::InvalidDeviceId
        | Error::TooManyGroups { .. }
        | Error::InvalidOsVersion
        | Error::InvalidUrl(_)
        | Error::DetailsTooLarge { .. } => Status::INVALID_ARGUMENT,
        Error::RequestFailed(_) => Status::REQUEST_FAILED,
        Error::WrongLength { .. } | Error::WrongDigest { .. } | Error::FileTooLarge { .. } => {
            Status::WRONG_CONTENT
        }
        Error::Busy { .. } => Status::BUSY,
        Error::Trust(error) => status_of_trust(error),
        Error::File { .. } => Status::FILE,
        _ => Status::INTERNAL,
    }
}

/// An error that is not known here must not look like a file that may be installed.
fn status_of_trust(error: &TrustError) -> Status {
    match error {
        TrustError::InvalidRoot(_)
        | TrustError::InvalidRepository
        | TrustError::InvalidVersion
        | TrustError::InvalidPackage => Status::INVALID_ARGUMENT,
        TrustError::Busy { .. } => Status::BUSY,
        TrustError::ClockWentBack { .. } => Status::CLOCK_WENT_BACK,
        _ => Status::NOT_TRUSTED,
    }
}
