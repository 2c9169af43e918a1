//! The table of settings, and reading a setting in a component.
//!
//! A setting is one row of the table. `cargo xtask settings` writes the variables and grants of the manifests
//! and the tables of `docs/settings.md` from it. A component reads the constant of the row:
//! `UPLOAD_GRACE.read(ports)?`.
//!
//! The table also has the rule for each value, which [`AnySetting::check`] applies: before the service starts
//! on this machine, in `GET /health`, and whenever a component reads the setting.

mod check;
mod password_hash_cost;
mod setting;
mod storage_driver;
mod table;
mod text;
mod value;
mod variables;

pub use check::check_all;
pub use password_hash_cost::password_hash_cost;
pub use setting::{AnySetting, Reader, Setting, SettingError, SettingRow, SettingSource, setting};
pub use storage_driver::StorageDriver;
pub use table::*;
pub use text::{Text, is_web_address};
pub use value::SettingValue;
pub use variables::{VariableError, Variables};
