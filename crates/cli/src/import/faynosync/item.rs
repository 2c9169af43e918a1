//! The items of an import: their kinds and outcomes.

use serde::Serialize;

use crate::refusal::one_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ItemKind {
    /// A host from which files are read.
    Host,
    /// The admin's name.
    Owner,
    Channel,
    Platform,
    Architecture,
    Application,
    ReportKey,
    Release,
    /// Files of a release for one platform, architecture and updater.
    Files,
    CiToken,
    User,
}

impl ItemKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Owner => "owner",
            Self::Channel => "channel",
            Self::Platform => "platform",
            Self::Architecture => "architecture",
            Self::Application => "application",
            Self::ReportKey => "report key",
            Self::Release => "release",
            Self::Files => "files",
            Self::CiToken => "CI token",
            Self::User => "user",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ItemOutcome {
    /// The item is yet to be created.
    Create,
    Created,
    /// An equal item exists.
    Same,
    /// The item cannot be imported, but nothing readable is lost.
    Note,
    /// A different item exists, and was left alone.
    Conflict,
    /// This service cannot have the item.
    Refused,
}

impl ItemOutcome {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Created => "created",
            Self::Same => "same",
            Self::Note => "note",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
        }
    }

    /// Whether the item needs attention.
    pub(super) const fn is_unfinished(self) -> bool {
        matches!(self, Self::Conflict | Self::Refused)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ImportItem {
    pub(super) kind: ItemKind,
    pub(super) name: String,
    /// The item on this service, if it will differ from the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) becomes: Option<String>,
    pub(super) outcome: ItemOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) why: Option<String>,
}

impl ImportItem {
    pub(super) fn new(kind: ItemKind, name: impl Into<String>, outcome: ItemOutcome) -> Self {
        Self { kind, name: name.into(), becomes: None, outcome, why: None }
    }

    pub(super) fn with_result(mut self, becomes: impl Into<String>) -> Self {
        self.becomes = Some(becomes.into());
        self
    }

    pub(super) fn with_reason(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// The cells of the item's row in a table.
    pub(super) fn row(&self) -> Vec<String> {
        let [becomes, why] = [&self.becomes, &self.why].map(|text| text.clone().unwrap_or_default());
        vec![self.kind.as_str().to_owned(), self.name.clone(), becomes, self.outcome.as_str().to_owned(), why]
    }

    pub(super) fn line(&self) -> String {
        let why = self.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        // The names come from the old server and may contain anything.
        one_line(&format!("{} {} {}{why}", self.outcome.as_str(), self.kind.as_str(), self.name))
    }
}
