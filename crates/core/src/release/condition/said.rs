//! The facts that a client reports about itself besides its version and device.

use super::{GroupKey, OsVersion};

/// Maximum number of groups that a client names.
pub const MAX_SAID_GROUPS: usize = 4;

/// A client's parsed parameters. By default it reports nothing, which meets no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The keys of its groups.
    pub groups: Vec<GroupKey>,
    /// The version of its operating system.
    pub os_version: Option<OsVersion>,
    /// Whether the user asked for the update.
    pub is_interactive: bool,
}

/// A parameter is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid {0} parameter: {rule}", rule = self.rule())]
pub struct InvalidSaid(&'static str);

impl InvalidSaid {
    /// The accepted texts. The given text may be the key of a group, so it is not repeated.
    fn rule(&self) -> &'static str {
        match self.0 {
            "group" => "up to 4 keys of groups, separated by commas",
            "os_version" => "a version of the operating system, like 14.2.1",
            _ => "1 or 0",
        }
    }
}

/// A client that reports nothing.
pub static NOTHING_SAID: Said = Said { groups: Vec::new(), os_version: None, is_interactive: false };

impl Said {
    /// Parses the keys of groups.
    pub fn groups(text: &str) -> Result<Vec<GroupKey>, InvalidSaid> {
        let keys: Result<Vec<GroupKey>, _> = text.split(',').map(str::parse).collect();
        keys.ok().filter(|keys| keys.len() <= MAX_SAID_GROUPS).ok_or(InvalidSaid("group"))
    }

    /// Parses the version of an operating system.
    pub fn os_version(text: &str) -> Result<OsVersion, InvalidSaid> {
        text.parse().map_err(|_| InvalidSaid("os_version"))
    }

    /// Parses whether the user asked.
    pub fn interactive(text: &str) -> Result<bool, InvalidSaid> {
        match text {
            "1" => Ok(true),
            "0" => Ok(false),
            _ => Err(InvalidSaid("interactive")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_or_refused_by_name() {
        let key = GroupKey::text([7; 16]);
        assert_eq!(Said::groups(&key).unwrap(), [key.parse().unwrap()]);
        assert_eq!(Said::groups(&[&*key; 4].join(",")).unwrap().len(), 4);
        for wrong in [String::new(), format!("{key},"), "grp_1".to_owned(), [&*key; 5].join(",")] {
            assert_eq!(Said::groups(&wrong), Err(InvalidSaid("group")), "{wrong}");
        }
        assert_eq!(
            Said::os_version("x").unwrap_err().to_string(),
            "invalid os_version parameter: a version of the operating system, like 14.2.1"
        );
        assert_eq!((Said::interactive("1"), Said::interactive("0")), (Ok(true), Ok(false)));
        assert_eq!(
            Said::interactive("yes").unwrap_err().to_string(),
            "invalid interactive parameter: 1 or 0"
        );
    }
}
