//! The reason for an error, as shown to the caller.

use std::borrow::Cow;
use std::fmt;

use spindrift_api::ErrorCode;

/// The reason for an error: a text, and a code if there is a more specific one than that of the kind of
/// error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    text: Cow<'static, str>,
    code: Option<ErrorCode>,
}

impl Reason {
    /// A reason with its own code.
    pub fn new(code: ErrorCode, text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), code: Some(code) }
    }

    pub(crate) const fn code(&self) -> Option<&ErrorCode> {
        self.code.as_ref()
    }
}

impl From<Cow<'static, str>> for Reason {
    fn from(text: Cow<'static, str>) -> Self {
        Self { text, code: None }
    }
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Cow::Borrowed(text).into()
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Cow::<str>::Owned(text).into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
