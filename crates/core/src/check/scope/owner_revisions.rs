use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Timestamp, UserName};

/// The revisions of all owners at a time. A record with its owner's current revision is up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerRevisions {
    /// When they were read from the database.
    pub derived_at: Timestamp,
    /// The revision of each owner. `None`: there are too many owners.
    pub owners: Option<BTreeMap<UserName, i64>>,
}
