//! Why a page is not shown.

use http::StatusCode;
use spindrift_api::PasskeyQuestionBody;
use spindrift_web::ApiError;

use crate::Problem;

pub(crate) type Result<T, E = ConsoleError> = std::result::Result<T, E>;

/// Any failure of the console. `respond` turns it into a page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConsoleError {
    /// The caller is not logged in, or the login has expired.
    #[error("log in first")]
    LoggedOut,
    /// The password is right, and the login needs a passkey too. `None`: browsers have no passkeys for the service's
    /// address.
    #[error("this account needs its passkey too")]
    SecondFactorRequired(Option<Box<PasskeyQuestionBody>>),
    /// The visitor may do nothing but add a passkey.
    #[error("your team needs passkeys: add one, under \"People and keys\"")]
    PasskeyRequired,
    /// The change needs a proof with a passkey, and the visitor's last one is too old.
    #[error("this change needs a proof that it is you, with a passkey")]
    FreshLoginRequired,
    /// The proof in a form was refused. The text is for people.
    #[error("{0}")]
    NotProved(String),
    /// The form was not sent by a page of this console.
    #[error("this form did not come from the console")]
    Forged,
    /// The form was sent by a page of this console that was shown to another user, or before
    /// another login.
    #[error("your login has changed since this form was shown")]
    Stale,
    /// The page does not exist, or nothing of this name that the user may see.
    #[error("there is no such page")]
    NoPage,
    /// The service refused a call. `message` is for people.
    #[error("{message}")]
    Refused {
        /// The service's status: 400 to 599.
        status: StatusCode,
        message: String,
        /// For finding the cause in the log.
        request_id: Option<String>,
    },
    /// The service refused a change that would cut off installed copies. The text is for people.
    #[error("{0}")]
    WouldCutOff(String),
    /// The service refused an action on a release that has changed since the visitor saw it.
    #[error("somebody else has changed the release meanwhile: nothing was done")]
    ReleaseChanged,
    /// A part of the service did not answer, or its answer is unreadable.
    #[error("the service did not answer as it should")]
    NoAnswer(String),
    /// The address or the form is invalid.
    #[error(transparent)]
    Invalid(#[from] ApiError),
}

impl ConsoleError {
    /// A part of the service gave no usable answer.
    #[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
    pub(crate) fn no_answer(reason: impl ToString) -> Self {
        Self::NoAnswer(reason.to_string())
    }

    /// An error of the console itself. `message` is for people.
    pub(crate) fn refused(status: StatusCode, message: impl Into<String>) -> Self {
        Self::Refused { status, message: message.into(), request_id: None }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::LoggedOut | Self::SecondFactorRequired(_) => StatusCode::UNAUTHORIZED,
            Self::Forged
            | Self::Stale
            | Self::PasskeyRequired
            | Self::FreshLoginRequired
            | Self::NotProved(_) => StatusCode::FORBIDDEN,
            Self::NoPage => StatusCode::NOT_FOUND,
            Self::Refused { status, .. } => *status,
            Self::WouldCutOff(_) | Self::ReleaseChanged => StatusCode::CONFLICT,
            Self::NoAnswer(_) => StatusCode::BAD_GATEWAY,
            Self::Invalid(error) => error.status(),
        }
    }

    /// The service's reason for refusing a form, to show above the form. `Err`: another kind of
    /// error.
    pub(crate) fn about_form(self) -> Result<Problem, Self> {
        match self {
            Self::Refused { status, message, .. } if status.is_client_error() => {
                Ok(Problem::new(status, message))
            }
            Self::WouldCutOff(_) | Self::ReleaseChanged => {
                Ok(Problem::new(StatusCode::CONFLICT, self.to_string()))
            }
            other => Err(other),
        }
    }

    /// The error of a form whose proof was refused.
    pub(crate) fn of_proof(self) -> Self {
        match self {
            Self::Refused { status, message, .. } if status.is_client_error() => Self::NotProved(message),
            other => other,
        }
    }

    /// The error for a form that the visitor may not use: the service's reason if the form was
    /// sent, else a missing page.
    pub(crate) fn of_forbidden_form(problem: Option<Problem>) -> Self {
        problem.map_or(Self::NoPage, |problem| Self::refused(problem.status, problem.text))
    }

    /// Whether the service refused a call with this status.
    pub(crate) fn is_refusal(&self, with: StatusCode) -> bool {
        matches!(self, Self::Refused { status, .. } if *status == with)
    }
}
