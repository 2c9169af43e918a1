//! A row of the table, and reading its setting.

use crate::table::{ANSWERING, EVERY};
use crate::{SECTIONS, SettingValue, VariableError, Variables};

/// A setting of type `T`.
#[derive(Debug, Clone)]
pub struct Setting<T: SettingValue> {
    /// The properties that do not depend on the type.
    pub row: SettingRow,
    /// The accepted values.
    pub range: T::Range,
}

/// The properties of a setting of any type.
#[derive(Debug, Clone, Copy)]
pub struct SettingRow {
    /// The name for operators, which is also the name of the application's variable.
    pub name: &'static str,
    /// The default, written as an operator would write it.
    pub default: &'static str,
    /// The effect of an empty value, if the default is empty.
    pub when_empty: &'static str,
    /// The unit, written after the range.
    pub unit: &'static str,
    /// Whether the value is secret.
    pub secret: bool,
    /// The purpose of the setting. Markdown, with line breaks.
    pub meaning: &'static str,
    /// The components that read it: their names in the manifests, or groups ([`crate::GROUPS`]).
    pub readers: &'static [&'static str],
    /// Another name under which some of the components read it, and these components or groups.
    pub read_as: Option<(&'static str, &'static [&'static str])>,
    /// How the service gets the setting.
    pub service: SettingSource,
    /// How an edge deployment gets the setting.
    pub edge: SettingSource,
    /// Whether `GET /health` checks it. Not if every text is a value, and not if it is a key for signing,
    /// which no component that answers strangers has.
    pub is_checked: bool,
}

/// A component, as rows name it: by its own name or by a group that it is in.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub component: &'a str,
    pub groups: &'a [&'a str],
}

/// The component that answers `GET /health`.
pub(crate) const HEALTH: Reader<'static> = Reader { component: "health", groups: &[ANSWERING] };

/// How a deployment gets a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingSource {
    /// Operators may set it.
    Variable,
    /// Operators must set it.
    Required,
    /// The value is always this.
    Fixed(&'static str),
    /// The deployment does not have the setting: no component there reads it.
    Absent,
}

/// Why a setting cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The component's manifest does not pass the setting on. This is a bug in the manifest.
    #[error("the setting `{0}` is not granted to the component")]
    NotGranted(&'static str),
    /// The variable provider failed.
    #[error(transparent)]
    Unreadable(#[from] VariableError),
    /// The operator set an unusable value.
    #[error("the setting {name} {why}")]
    Unusable {
        /// The setting.
        name: &'static str,
        /// The problem, without the value itself.
        why: String,
    },
}

impl SettingRow {
    /// The most common properties. Each row replaces the name, the default and others.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        default: "",
        when_empty: "",
        unit: "",
        secret: false,
        meaning: "",
        readers: &[],
        read_as: None,
        service: SettingSource::Variable,
        edge: SettingSource::Absent,
        is_checked: true,
    };

    /// Whether a component reads it: by itself, or to check it.
    pub fn is_read_by(&self, reader: Reader<'_>) -> bool {
        reader.is_among(self.readers) || (reader.component == HEALTH.component && self.is_checked)
    }

    /// The name under which a component reads it.
    pub fn granted_name(&self, reader: Reader<'_>) -> &'static str {
        match self.read_as {
            Some((name, readers)) if reader.is_among(readers) => name,
            _ => self.name,
        }
    }
}

impl Reader<'_> {
    fn is_among(self, names: &[&str]) -> bool {
        names.iter().any(|name| *name == EVERY || *name == self.component || self.groups.contains(name))
    }
}

impl<T: SettingValue> Setting<T> {
    /// Reads the setting under its own name, with one call to the host.
    ///
    /// # Errors
    /// Any [`SettingError`]. An empty text means the default, unless the type accepts an empty text.
    pub fn read(&self, variables: &impl Variables) -> Result<T, SettingError> {
        let name = self.row.name;
        self.parse(variables.variable(name)?.ok_or(SettingError::NotGranted(name))?)
    }

    /// Reads a text as a value. The error does not contain the text, which may be a secret.
    fn parse(&self, text: String) -> Result<T, SettingError> {
        let is_default = text.is_empty() && !T::TAKES_EMPTY;
        let text = if is_default { self.row.default.to_owned() } else { text };
        T::parse(text, &self.range).ok_or_else(|| self.unusable(format!("must be {}", self.demand())))
    }

    fn demand(&self) -> String {
        T::demand(&self.range, self.row.default)
    }

    /// The error for an empty value where one is needed.
    pub fn missing(&self) -> SettingError {
        self.unusable(format!("is empty: it must be {}", self.demand()))
    }

    /// The error for an unusable value. `why` follows the setting's name.
    pub fn unusable(&self, why: impl Into<String>) -> SettingError {
        SettingError::Unusable { name: self.row.name, why: why.into() }
    }
}

pub trait AnySetting {
    /// The properties that do not depend on the type.
    fn row(&self) -> &SettingRow;
    /// The accepted values in words, with their unit.
    fn range(&self) -> String;
    /// Whether the default is an accepted value.
    fn has_valid_default(&self) -> bool;
    /// Checks a value as an operator has given it, by the rule by which components read it.
    ///
    /// # Errors
    /// `SettingError::Unusable`. It does not contain the value, which may be a secret.
    fn check(&self, text: &str) -> Result<(), SettingError>;
}

pub fn setting(name: &str) -> Option<&'static dyn AnySetting> {
    SECTIONS.iter().flat_map(|section| section.rows).find(|setting| setting.row().name == name).copied()
}

impl<T: SettingValue> AnySetting for Setting<T> {
    fn row(&self) -> &SettingRow {
        &self.row
    }

    fn range(&self) -> String {
        format!("{} {}", T::describe(&self.range), self.row.unit).trim_end().to_owned()
    }

    fn has_valid_default(&self) -> bool {
        T::parse(self.row.default.to_owned(), &self.range).is_some()
    }

    fn check(&self, text: &str) -> Result<(), SettingError> {
        self.parse(text.to_owned()).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Text;

    const DAYS: Setting<u32> =
        Setting { row: SettingRow { name: "days", default: "30", ..SettingRow::PLAIN }, range: 1..=40 };
    const WORD: Setting<String> = Setting {
        row: SettingRow { name: "word", default: "hello", ..SettingRow::PLAIN },
        range: Text::any("a word"),
    };

    /// Gives the same answer for every name.
    struct Always(Result<Option<&'static str>, &'static str>);

    impl Variables for Always {
        fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
            let fail = |reason: &str| VariableError { name: name.to_owned(), reason: reason.to_owned() };
            self.0.map(|value| value.map(str::to_owned)).map_err(fail)
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
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
    fn ungranted_settings_have_no_default() {
        assert_eq!(DAYS.read(&Always(Ok(None))), Err(SettingError::NotGranted("days")));
    }

    #[test]
    fn a_failing_provider_is_not_an_empty_value() {
        let error = DAYS.read(&Always(Err("vault is sealed"))).unwrap_err();
        assert_eq!(error.to_string(), "the setting `days` could not be read: vault is sealed");
    }

    #[test]
    fn a_value_is_checked_as_it_is_read() {
        let secret = "too short to sign with";
        for (name, text, why) in [
            ("jwt_secret", secret, Some("at least 32 bytes")),
            ("jwt_secret", "", None),
            ("telemetry_enabled", "maybe", Some("true or false")),
            ("telemetry_enabled", "", None),
            ("upload_grace", "1d", Some("at most 30 days, like 24h")),
            ("reports_max_body_bytes", "64MiB", Some("a number from 1 to 67108864")),
            ("s3_api_endpoint", "storage:9000", Some("http or https address")),
            ("s3_api_endpoint", "", Some("http or https address")),
            ("s3_presign_endpoint", "", None),
            ("allowed_cors", "a.example", Some("origins")),
            ("trusted_proxies", "10.0.0.0/33", Some("a list of addresses or networks")),
            ("webhook_origin", "http://hooks.example", Some("https address without a path")),
            ("metrics_token", "two words", Some("without white space")),
        ] {
            let checked = table_setting(name).check(text);
            let shown = checked.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(shown.is_empty(), why.is_none(), "{name}: {shown}");
            assert!(shown.contains(why.unwrap_or_default()) && !shown.contains(secret), "{name}: {shown}");
        }
    }

    fn table_setting(name: &str) -> &'static dyn AnySetting {
        setting(name).unwrap()
    }

    #[test]
    fn another_name_for_readers() {
        let renamed = SettingRow { read_as: Some(("words", &["poet", "writers"])), ..WORD.row };
        let (poet, author) =
            (Reader { component: "poet", groups: &[] }, Reader { component: "author", groups: &["writers"] });
        assert_eq!((WORD.row.granted_name(poet), renamed.granted_name(poet)), ("word", "words"));
        assert_eq!(renamed.granted_name(author), "words");
        assert_eq!(renamed.granted_name(Reader { groups: &["readers"], ..author }), "word");
    }
}
