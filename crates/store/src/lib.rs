//! An S3 object storage on local files, and backups of a service's state: the objects and the database beside
//! them, both as of the same moment.
//!
//! [`Storage`] is the object storage, a server of its own. [`StateFiles`] copies the database and the objects
//! while the service runs.

mod error;
mod folder;
mod snapshot;
mod state_files;
mod storage;

pub use error::StoreError;
pub use folder::sync_folder;
pub use state_files::{BackupSummary, StateFiles};
pub use storage::{Bucket, Storage, StorageOptions};
