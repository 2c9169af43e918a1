//! The table of settings, and reading a setting in a component.
//!
//! A setting is one row of the table. `cargo xtask settings` writes the variables and grants of the manifests and the
//! tables of `docs/settings.md` from it. A component reads the constant of the row: `UPLOAD_GRACE.read(ports)?`.

mod setting;
mod storage_driver;
mod table;
mod value;
mod variables;

pub use setting::{AnySetting, Given, Row, Setting, SettingError};
pub use storage_driver::StorageDriver;
pub use table::*;
pub use value::Value;
pub use variables::{VariableError, Variables};
