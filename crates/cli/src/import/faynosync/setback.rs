//! Why an item was not created.

use super::fetch::Missing;
use super::item::Outcome;
use crate::error::CliError;
use crate::refusal::one_line;

/// Why an item was not created.
#[derive(Debug)]
pub(super) enum Setback {
    /// This service cannot have the item. Other items are not affected.
    Item(Outcome, String),
    /// No item can be created at the moment.
    All(CliError),
}

/// The outcome of an item, and a remark about it.
pub(super) type Created = Result<(Outcome, Option<String>), Setback>;

impl From<CliError> for Setback {
    fn from(error: CliError) -> Self {
        match error {
            CliError::Refused(refusal) if refusal.status == 409 => {
                Self::Item(Outcome::Conflict, one_line(&refusal.text))
            }
            CliError::Refused(refusal) if matches!(refusal.status, 400 | 404 | 413 | 415 | 422) => {
                Self::Item(Outcome::Refused, one_line(&refusal.text))
            }
            other => Self::All(other),
        }
    }
}

impl From<Missing> for Setback {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::File(why) => Self::Item(Outcome::Refused, why),
            Missing::All(error) => Self::All(error),
        }
    }
}
