//! Bodies of `/tuf/v1/task`, and the answers of calls that change something.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Answer of calls that changed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskStartedBody {
    /// The task, for queries later.
    pub data: TaskRef,
    /// Text for people.
    pub message: String,
}

/// The record of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskRef {
    /// Id for `GET /tuf/v1/task`.
    pub task_id: Id,
    /// RFC 3339.
    pub last_update: String,
}

/// Answer of `GET /tuf/v1/task`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskBody {
    /// The task.
    pub data: Task,
    /// Text for people.
    pub message: String,
}

/// A change of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Id.
    pub task_id: Id,
    /// Whether it is done.
    pub state: TaskState,
    /// Its result.
    pub result: TaskResult,
}

/// Whether a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum TaskState {
    /// It is.
    Success,
    /// It waits for signatures.
    Pending,
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskResult {
    /// Always true: failures create no task.
    pub status: bool,
    /// Kind of the change, such as `bootstrap` or `metadata_update`.
    pub task: String,
    /// Text for people.
    pub message: String,
    /// RFC 3339.
    pub last_update: String,
    /// Roles and versions.
    pub details: BTreeMap<String, String>,
}
