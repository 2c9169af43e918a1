//! Update checks: the record of a scope, the choice of a release for a client, and the reasons for it.

mod choose;
pub mod cut_off;
mod download;
mod download_way;
pub mod explain;
mod latest;
mod raw_client_facts;
mod scope;
mod visitor;

pub use choose::{Asker, Decision, Fallback, VariesWith, decide};
pub use download::{
    DownloadMode, FileLinks, Gate, InvalidDownloadMode, PresentedCredentials, carry_token, is_private_link,
    private_link,
};
pub use download_way::{DownloadWay, InvalidDownloadWay};
pub use latest::{LatestArtifact, LatestBuilds, LatestFilter, LatestRecord, latest_builds, latest_urls};
pub use raw_client_facts::RawClientFacts;
pub use scope::{
    DIMENSIONS_PARAMETER, Dimension, DimensionChoices, DimensionKind, Dimensions, FileContent, KnownNames,
    NameKind, OwnerRevisions, RecordStamp, Scope, ScopeArtifact, ScopePatch, ScopePath, ScopeRecord,
    ScopeRelease, are_answers, dimension_or_default, keep_answers, keep_critical,
};
pub use visitor::{System, Visitor};
