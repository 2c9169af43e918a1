//! Why an item was not created.

use super::fetch::MissingFile;
use super::item::ItemOutcome;
use crate::error::CliError;
use crate::refusal::one_line;

/// Why an item was not created.
#[derive(Debug)]
pub(super) enum CreationFailure {
    /// This service cannot have the item. Other items are not affected.
    Item(ItemOutcome, String),
    /// No item can be created at the moment.
    All(CliError),
}

/// The outcome of an item, and a remark about it.
pub(super) type CreationResult = Result<(ItemOutcome, Option<String>), CreationFailure>;

impl From<CliError> for CreationFailure {
    fn from(error: CliError) -> Self {
        match error {
            CliError::Refused(refusal) if refusal.status == 409 => {
                Self::Item(ItemOutcome::Conflict, one_line(&refusal.text))
            }
            CliError::Refused(refusal) if matches!(refusal.status, 400 | 404 | 413 | 415 | 422) => {
                Self::Item(ItemOutcome::Refused, one_line(&refusal.text))
            }
            other => Self::All(other),
        }
    }
}

impl From<MissingFile> for CreationFailure {
    fn from(missing: MissingFile) -> Self {
        match missing {
            MissingFile::File(why) => Self::Item(ItemOutcome::Refused, why),
            MissingFile::All(error) => Self::All(error),
        }
    }
}
