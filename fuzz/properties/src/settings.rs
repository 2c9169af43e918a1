//! The texts of settings, as a manifest gives them.

use spindrift_settings::{
    REPORTS_ENABLED, REPORTS_MAX_BODY_BYTES, S3_SECRET_KEY, SECTIONS, VariableError, Variables,
};
use spindrift_storage::StorageConfig;

use crate::text::{lines, of};

/// Shorter secrets may be a part of anything.
const MIN_SECRET_BYTES: usize = 8;

/// The text of every setting.
struct Everything<'a>(&'a str);

impl Variables for Everything<'_> {
    fn variable(&self, _: &str) -> Result<Option<String>, VariableError> {
        Ok(Some(self.0.to_owned()))
    }
}

/// Lines of `name=text`; the other settings are empty.
struct Given<'a>(Vec<(&'a str, &'a str)>);

impl Variables for Given<'_> {
    fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
        let given = self.0.iter().find(|(given, _)| *given == name).map(|(_, text)| (*text).to_owned());
        Ok(Some(given.unwrap_or_default()))
    }
}

/// A text is the value of a setting or is refused. A refusal does not repeat it, as it may be a secret.
pub fn settings(data: &[u8]) -> bool {
    let Some(text) = of(data) else { return false };
    let mut is_read = false;
    let everything = Everything(text);
    number(text, &everything);
    let given = Given(lines(data).into_iter().filter_map(|line| line.split_once('=')).collect());
    for config in [StorageConfig::read(&everything), StorageConfig::read(&given)] {
        match config {
            Ok(config) => {
                is_read = true;
                hides_its_secret(&format!("{config:?}"), text, &given);
            }
            Err(refusal) => {
                let refusal = refusal.to_string();
                let mut rows = SECTIONS.iter().flat_map(|section| section.rows);
                assert!(rows.any(|setting| refusal.contains(setting.row().name)), "{refusal}");
            }
        }
    }
    is_read
}

/// A secret is not shown, unless the same text is also somewhere else.
fn hides_its_secret(shown: &str, text: &str, given: &Given<'_>) {
    let secret = given.0.iter().find(|(name, _)| *name == S3_SECRET_KEY.row.name).map(|(_, secret)| *secret);
    let is_only_there =
        |secret: &&str| secret.len() >= MIN_SECRET_BYTES && text.matches(*secret).count() == 1;
    assert!(secret.filter(is_only_there).is_none_or(|secret| !shown.contains(secret)), "{shown}");
}

fn number(text: &str, everything: &Everything<'_>) {
    let bytes = REPORTS_MAX_BODY_BYTES.read(everything);
    if let Ok(bytes) = &bytes {
        assert!(REPORTS_MAX_BODY_BYTES.range.contains(bytes));
        assert!(text.is_empty() || text.parse::<usize>().as_ref() == Ok(bytes));
    }
    let enabled = REPORTS_ENABLED.read(everything);
    assert!(enabled.is_err() || text.is_empty() || matches!(text, "true" | "false"));
    // A refusal is the same for every text.
    let other = Everything("neither a number nor a flag");
    assert!(bytes.is_ok() || bytes.map(drop) == REPORTS_MAX_BODY_BYTES.read(&other).map(drop));
    assert!(enabled.is_ok() || enabled.map(drop) == REPORTS_ENABLED.read(&other).map(drop));
}
