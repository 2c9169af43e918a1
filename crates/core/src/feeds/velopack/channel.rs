//! The channels in names of Velopack's feeds.

/// Velopack's names of systems. A package that was made without `--channel` has one of them as its
/// channel.
const SYSTEMS: [&str; 3] = ["win", "osx", "linux"];
/// Its names of processors.
const PROCESSORS: [&str; 4] = ["x64", "x86", "arm64", "arm"];

/// The channel in a feed's name, `releases.{channel}.json`. It is Velopack's own and may differ from the
/// release's.
pub fn velopack_channel(file_name: &str) -> Option<&str> {
    file_name.strip_prefix("releases.")?.strip_suffix(".json")
}

/// The release channel that a Velopack channel stands for, unless the owner has a channel with that
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VelopackChannel<'a> {
    /// The owner's default: `win`, `osx-arm64`.
    Default,
    /// The rest after the system and processor: `stable` for `win-x64-stable`.
    Named(&'a str),
}

impl<'a> VelopackChannel<'a> {
    /// Parses a channel that begins with a system. `None`: any other channel.
    pub fn of_system(channel: &'a str) -> Option<Self> {
        let mut rest = without_first(channel, &SYSTEMS)?;
        rest = without_first(rest, &PROCESSORS).unwrap_or(rest);
        Some(if rest.is_empty() { Self::Default } else { Self::Named(rest) })
    }
}

/// The text without its first part, up to a `-`, if that is one of `names`.
fn without_first<'a>(text: &'a str, names: &[&str]) -> Option<&'a str> {
    let (first, rest) = text.split_once('-').unwrap_or((text, ""));
    names.contains(&first).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_systems() {
        use VelopackChannel::{Default, Named};
        for (channel, expected) in [
            ("win", Some(Default)),
            ("osx-arm64", Some(Default)),
            ("win-x64-stable", Some(Named("stable"))),
            ("linux-beta", Some(Named("beta"))),
            ("linux-arm64-release-1", Some(Named("release-1"))),
            ("stable", None),
            ("windows", None),
            ("stable-win", None),
        ] {
            assert_eq!(VelopackChannel::of_system(channel), expected, "{channel}");
        }
    }
}
