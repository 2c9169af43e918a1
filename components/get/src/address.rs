//! The application that a path names.

use spindrift_core::{AppName, UserName, decode_segment, encode_segments};
use spindrift_web::{ApiError, Request};

/// The application of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppAddress {
    pub(crate) owner: UserName,
    pub(crate) app: AppName,
}

/// The answer for an application without a page, which is the same as for an unknown one.
pub(crate) fn no_page() -> ApiError {
    ApiError::not_found("page")
}

impl AppAddress {
    /// Reads the path `/get/{owner}/{app}`, or one below it.
    pub(crate) fn of(request: &Request) -> Result<Self, ApiError> {
        let mut segments = request.path().split('/').skip(2).map(decode_segment);
        let mut next = || segments.next().flatten().ok_or_else(no_page);
        let (owner, app) = (next()?, next()?);
        let address = owner.parse().ok().zip(app.parse().ok());
        address.map(|(owner, app)| Self { owner, app }).ok_or_else(no_page)
    }

    /// The path of the page itself.
    pub(crate) fn page(&self) -> String {
        encode_segments(["", "get", self.owner.as_str(), self.app.as_str()])
    }

    /// The path of the page that explains what a device gets.
    pub(crate) fn why(&self) -> String {
        format!("{}/why", self.page())
    }
}
