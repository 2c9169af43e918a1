//! The table: one row for each setting, in the order and sections of `docs/settings.md`.

use crate::AnySetting;

/// Makes each row a constant, and lists all of them in `ROWS`. The doc comment of a row becomes its meaning.
macro_rules! rows {
    ($($(#[doc = $meaning:literal])+ $id:ident: $value:ty {
        name: $name:literal, default: $default:literal, range: $range:expr, readers: $readers:expr
        $(, $field:ident: $content:expr)* $(,)?
    })+) => {
        $($(#[doc = $meaning])+
        pub const $id: $crate::Setting<$value> = $crate::Setting {
            range: $range,
            row: $crate::SettingRow {
                name: $name,
                default: $default,
                readers: $readers,
                meaning: concat!($($meaning, "\n"),+),
                $($field: $content,)*
                ..$crate::SettingRow::PLAIN
            },
        };)+

        /// The rows of this section.
        pub(super) const ROWS: &[&dyn $crate::AnySetting] = &[$(&$id),+];
    };
}

mod edge;
mod readers;
mod service;
mod storage;
mod telemetry;

pub use edge::*;
pub use readers::GROUPS;
pub(crate) use readers::{ANSWERING, EVERY};
pub use service::*;
pub use storage::*;
pub use telemetry::*;

/// Settings about one subject.
#[derive(Clone, Copy)]
pub struct SettingsSection {
    /// The heading in `docs/settings.md`.
    pub title: &'static str,
    /// The settings.
    pub rows: &'static [&'static dyn AnySetting],
}

/// The whole table.
pub const SECTIONS: [SettingsSection; 4] = [
    SettingsSection { title: "The service", rows: service::ROWS },
    SettingsSection { title: "The object storage", rows: storage::ROWS },
    SettingsSection { title: "Telemetry and failure reports", rows: telemetry::ROWS },
    SettingsSection { title: "An edge deployment", rows: edge::ROWS },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range_and_names_are_unique() {
        let mut names = Vec::new();
        for setting in SECTIONS.iter().flat_map(|section| section.rows) {
            let row = setting.row();
            assert!(setting.has_valid_default(), "{}", row.name);
            assert!(!row.readers.is_empty(), "{} has no reader", row.name);
            assert!(!row.secret || row.default.is_empty(), "{} has a known secret", row.name);
            assert!(!names.contains(&row.name), "{} is there twice", row.name);
            names.push(row.name);
        }
    }
}
