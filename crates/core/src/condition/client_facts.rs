//! The facts that a client reports about itself besides its version and device.

use super::{GroupKey, OsVersion};

/// Maximum number of groups that a client names.
pub const MAX_CLIENT_GROUPS: usize = 4;

/// A client's parsed parameters. By default it reports nothing, which meets no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientFacts {
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
pub struct InvalidClientFact(&'static str);

impl InvalidClientFact {
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
pub static NO_CLIENT_FACTS: ClientFacts =
    ClientFacts { groups: Vec::new(), os_version: None, is_interactive: false };

impl ClientFacts {
    /// Parses the keys of groups.
    pub fn groups(text: &str) -> Result<Vec<GroupKey>, InvalidClientFact> {
        let keys: Result<Vec<GroupKey>, _> = text.split(',').map(str::parse).collect();
        keys.ok().filter(|keys| keys.len() <= MAX_CLIENT_GROUPS).ok_or(InvalidClientFact("group"))
    }

    /// Parses the version of an operating system.
    pub fn os_version(text: &str) -> Result<OsVersion, InvalidClientFact> {
        text.parse().map_err(|_| InvalidClientFact("os_version"))
    }

    /// Parses whether the user asked.
    pub fn interactive(text: &str) -> Result<bool, InvalidClientFact> {
        match text {
            "1" => Ok(true),
            "0" => Ok(false),
            _ => Err(InvalidClientFact("interactive")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_or_refused_by_name() {
        let key = GroupKey::text([7; 16]);
        assert_eq!(ClientFacts::groups(&key).unwrap(), [key.parse().unwrap()]);
        assert_eq!(ClientFacts::groups(&[&*key; 4].join(",")).unwrap().len(), 4);
        for wrong in [String::new(), format!("{key},"), "grp_1".to_owned(), [&*key; 5].join(",")] {
            assert_eq!(ClientFacts::groups(&wrong), Err(InvalidClientFact("group")), "{wrong}");
        }
        assert_eq!(
            ClientFacts::os_version("x").unwrap_err().to_string(),
            "invalid os_version parameter: a version of the operating system, like 14.2.1"
        );
        assert_eq!((ClientFacts::interactive("1"), ClientFacts::interactive("0")), (Ok(true), Ok(false)));
        assert_eq!(
            ClientFacts::interactive("yes").unwrap_err().to_string(),
            "invalid interactive parameter: 1 or 0"
        );
    }
}
