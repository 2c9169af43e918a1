//! Versions in the order of the client, which differs from SemVer.

use std::cmp::Ordering;

/// Up to four numbers and a pre-release, which is compared as text and ignores case.
#[derive(Debug, Clone)]
pub struct PackageVersion {
    numbers: [u64; 4],
    /// In lower case; empty for a release.
    pre_release: String,
}

impl PackageVersion {
    /// Reads `1.2.3`, `1.2.3.4` or `1.2.3-beta1`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (numbers, pre_release) = text.split_once('-').unwrap_or((text, ""));
        let mut parts = [0; 4];
        if numbers.split('.').count() > parts.len() {
            return Err(format!("not a version: {text}"));
        }
        for (part, number) in parts.iter_mut().zip(numbers.split('.')) {
            *part = number.parse().map_err(|_| format!("not a version: {text}"))?;
        }
        Ok(Self { numbers: parts, pre_release: pre_release.to_ascii_lowercase() })
    }
}

impl Ord for PackageVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |version: &Self| version.pre_release.is_empty();
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| rank(self).cmp(&rank(other)))
            .then_with(|| self.pre_release.cmp(&other.pre_release))
    }
}

impl PartialOrd for PackageVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PackageVersion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PackageVersion {}
