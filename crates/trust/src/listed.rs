//! What is listed: the files that clients may still get.

use spindrift_core::{ScopeRelease, are_answers};

/// How many of the newest releases of each channel, platform and architecture are listed: 1 to 100, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep(u8);

impl Keep {
    /// Without a setting: 5.
    pub const DEFAULT: Self = Self(5);

    /// From a setting; 0 is all. `None`: out of range.
    pub const fn from_number(number: u8) -> Option<Self> {
        if number <= 100 { Some(Self(number)) } else { None }
    }

    /// The setting.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether the release at this place is listed, counted from the newest at 0.
    pub fn keeps(self, place: usize) -> bool {
        self.0 == 0 || place < usize::from(self.0)
    }
}

/// Marks which of a scope's published releases (newest first) are listed: the newest ones, and every one that a check
/// can answer with. What cannot be offered any more is not signed any more, so nobody can push it as a downgrade.
pub fn are_listed(published: &[ScopeRelease], keep: Keep) -> impl Iterator<Item = bool> {
    are_answers(published).enumerate().map(move |(place, is_answer)| is_answer || keep.keeps(place))
}

#[cfg(test)]
mod tests {
    use spindrift_core::{Rollout, Timestamp};

    use super::*;

    /// Releases by letters, newest first: `f` fully rolled out, `p` partly, `F` and `P` the same and intermediate.
    fn releases(letters: &str) -> Vec<ScopeRelease> {
        let release = |(at, letter): (usize, char)| ScopeRelease {
            version: format!("{}.0.0", 100 - at).parse().unwrap(),
            intermediate: letter.is_ascii_uppercase(),
            rollout: Rollout {
                percent: if letter.eq_ignore_ascii_case(&'f') { 100 } else { 10 },
                seed: String::new(),
            },
            changelog: String::new(),
            released_at: Timestamp::default(),
            artifacts: vec![],
        };
        letters.chars().enumerate().map(release).collect()
    }

    #[test]
    fn newest_and_answers() {
        for (letters, keep, listed) in [
            ("", 5, ""),
            ("fff", 1, "x.."),
            ("fff", 2, "xx."),
            ("fff", 0, "xxx"),
            ("fff", 100, "xxx"),
            ("ppfff", 1, "xxx.."),
            ("pfff", 4, "xxxx"),
            ("ffFff", 1, "x.x.."),
            ("ffPff", 1, "x.xx."),
            ("fffffFff", 3, "xxx..x.."),
            ("ppppp", 2, "xxxxx"),
        ] {
            let releases = releases(letters);
            let marks = are_listed(&releases, Keep::from_number(keep).unwrap());
            let marks: String = marks.map(|mark| if mark { 'x' } else { '.' }).collect();
            assert_eq!(marks, listed, "{letters} {keep}");
        }
    }

    #[test]
    fn settings() {
        assert_eq!(Keep::from_number(101), None);
        assert_eq!(Keep::from_number(100).map(Keep::number), Some(100));
        assert_eq!(Keep::from_number(5), Some(Keep::DEFAULT));
    }
}
