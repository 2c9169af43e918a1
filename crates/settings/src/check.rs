//! Checking the settings of a service that runs.

use crate::setting::HEALTH;
use crate::{SECTIONS, SettingError, SettingSource, Variables, password_hash_cost};

/// Checks all settings that `GET /health` checks, each by itself and then together.
///
/// # Errors
/// That of the first setting that cannot be used, or not be read.
pub fn check_all(variables: &impl Variables) -> Result<(), SettingError> {
    for setting in SECTIONS.iter().flat_map(|section| section.rows) {
        let row = setting.row();
        if row.is_read_by(HEALTH) && row.service != SettingSource::Absent {
            let text =
                variables.variable(row.granted_name(HEALTH))?.ok_or(SettingError::NotGranted(row.name))?;
            setting.check(&text)?;
        }
    }
    password_hash_cost(variables).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JWT_SECRET, TUF_SECRET, VariableError};

    /// All settings are empty.
    struct Empty;

    impl Variables for Empty {
        fn variable(&self, _: &str) -> Result<Option<String>, VariableError> {
            Ok(Some(String::new()))
        }
    }

    #[test]
    fn health_reads_no_key_for_signing() {
        assert!(!TUF_SECRET.row.is_read_by(HEALTH));
        assert!(JWT_SECRET.row.is_read_by(HEALTH));
        let error = check_all(&Empty).unwrap_err().to_string();
        assert!(error.starts_with("the setting webhook_origin must be"), "{error}");
    }
}
