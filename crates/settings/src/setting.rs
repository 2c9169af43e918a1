//! One row of the table, and reading it.

use std::fmt::Display;

use crate::{Value, VariableError, Variables};

/// A setting whose value is a `T`.
#[derive(Debug, Clone)]
pub struct Setting<T: Value> {
    /// All that does not depend on the type.
    pub row: Row,
    /// What is taken.
    pub range: T::Range,
}

/// What is known of a setting, whatever its type.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What operators call it: the application's variable.
    pub name: &'static str,
    /// What it is when nobody sets it, as one would write it.
    pub default: &'static str,
    /// What follows from an empty value, where that is the default.
    pub when_empty: &'static str,
    /// What the range counts, as it stands behind it.
    pub unit: &'static str,
    /// Whether its value is nobody's business.
    pub secret: bool,
    /// What it is for. Markdown, with line breaks.
    pub meaning: &'static str,
    /// The components that read it, as the manifests call them.
    pub readers: &'static [&'static str],
    /// The name under which its readers are granted it, where that is another.
    pub read_as: Option<&'static str>,
    /// How the service has it.
    pub service: Given,
    /// How an edge deployment has it.
    pub edge: Given,
}

/// How a deployment has a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Operators may set it.
    Variable,
    /// Operators must set it.
    Required,
    /// Always this.
    Fixed(&'static str),
    /// Not at all: nobody reads it there.
    Absent,
}

/// Why a setting has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The component's manifest does not pass it on: a mistake of ours.
    #[error("the setting `{0}` is not granted to the component")]
    NotGranted(&'static str),
    /// Its provider failed.
    #[error(transparent)]
    Unreadable(#[from] VariableError),
    /// Somebody set what cannot be used.
    #[error("the setting {name} {why}")]
    Unusable {
        /// The setting.
        name: &'static str,
        /// What is wrong, without the value.
        why: String,
    },
}

impl Row {
    /// What most settings are; name, default and the rest are to be filled in.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        default: "",
        when_empty: "",
        unit: "",
        secret: false,
        meaning: "",
        readers: &[],
        read_as: None,
        service: Given::Variable,
        edge: Given::Absent,
    };

    /// The name under which components read it.
    pub const fn granted_name(&self) -> &'static str {
        match self.read_as {
            Some(name) => name,
            None => self.name,
        }
    }
}

impl<T: Value> Setting<T> {
    /// Reads it: one call to the host.
    ///
    /// # Errors
    /// Any [`SettingError`]. An empty text is the default, unless it is a value of the type.
    pub fn read(&self, variables: &impl Variables) -> Result<T, SettingError> {
        let name = self.row.granted_name();
        let text = variables.variable(name)?.ok_or(SettingError::NotGranted(name))?;
        let is_default = text.is_empty() && !T::TAKES_EMPTY;
        let text = if is_default { self.row.default.to_owned() } else { text };
        T::parse(text, &self.range)
            .ok_or_else(|| self.unusable(format!("must be {}", T::demand(&self.range, self.row.default))))
    }

    /// The error of a value that cannot be used: `why` follows the name.
    pub fn unusable(&self, why: impl Into<String>) -> SettingError {
        SettingError::Unusable { name: self.row.name, why: why.into() }
    }

    /// The error of a text of which nothing can be made.
    pub fn invalid(&self, reason: impl Display) -> SettingError {
        self.unusable(format!("is not valid: {reason}"))
    }
}

/// A setting of any type.
pub trait AnySetting {
    /// What is known of it.
    fn row(&self) -> &Row;
    /// What is taken, in words, with its unit.
    fn range(&self) -> String;
    /// Whether its default is something that is taken.
    fn has_valid_default(&self) -> bool;
}

impl<T: Value> AnySetting for Setting<T> {
    fn row(&self) -> &Row {
        &self.row
    }

    fn range(&self) -> String {
        format!("{} {}", T::describe(&self.range), self.row.unit).trim_end().to_owned()
    }

    fn has_valid_default(&self) -> bool {
        T::parse(self.row.default.to_owned(), &self.range).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: Setting<u32> =
        Setting { row: Row { name: "days", default: "30", ..Row::PLAIN }, range: 1..=40 };
    const WORD: Setting<String> =
        Setting { row: Row { name: "word", default: "hello", ..Row::PLAIN }, range: "a word" };

    /// Answers everything with the same.
    struct Always(Result<Option<&'static str>, &'static str>);

    impl Variables for Always {
        fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
            let fail = |reason: &str| VariableError { name: name.to_owned(), reason: reason.to_owned() };
            self.0.map(|value| value.map(str::to_owned)).map_err(fail)
        }
    }

    #[test]
    fn what_is_read_is_in_range() {
        for (text, value) in [("1", Ok(1)), ("", Ok(30)), ("41", Err(())), ("x", Err(()))] {
            assert_eq!(DAYS.read(&Always(Ok(Some(text)))).map_err(drop), value, "{text}");
        }
        let error = DAYS.read(&Always(Ok(Some("0")))).unwrap_err();
        assert_eq!(error.to_string(), "the setting days must be a number from 1 to 40");
    }

    #[test]
    fn an_empty_text_stays_empty() {
        assert_eq!(WORD.read(&Always(Ok(Some("")))), Ok(String::new()));
    }

    #[test]
    fn what_is_not_granted_has_no_default() {
        assert_eq!(DAYS.read(&Always(Ok(None))), Err(SettingError::NotGranted("days")));
    }

    #[test]
    fn a_failing_provider_is_not_an_empty_value() {
        let error = DAYS.read(&Always(Err("vault is sealed"))).unwrap_err();
        assert_eq!(error.to_string(), "the setting `days` could not be read: vault is sealed");
    }

    #[test]
    fn another_name_for_readers() {
        let renamed = Row { read_as: Some("words"), ..WORD.row };
        assert_eq!((WORD.row.granted_name(), renamed.granted_name()), ("word", "words"));
    }
}
