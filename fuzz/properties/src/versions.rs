//! Versions.

use std::cmp::Ordering;

use spindrift_core::{MAX_VERSION_LENGTH, Version};

use crate::text::{lines, reread};

/// Most versions that are compared with each other.
const MOST: usize = 8;

/// Each line is a version or is refused. A version that is read is printed in its normal form, and all are in one
/// order, which is also that of their keys in the database.
pub fn versions(data: &[u8]) -> bool {
    let versions: Vec<Version> = lines(data).into_iter().filter_map(checked).take(MOST).collect();
    for a in &versions {
        for b in &versions {
            let order = a.cmp(b);
            assert_eq!(order, b.cmp(a).reverse(), "{a} and {b}");
            assert_eq!(order == Ordering::Equal, a == b, "{a} and {b}");
            assert_eq!(order, a.sort_key().cmp(&b.sort_key()), "{a} and {b} in the database");
            for c in versions.iter().filter(|c| a <= b && b <= c) {
                assert!(a <= c, "{a} <= {b} <= {c}");
            }
        }
    }
    !versions.is_empty()
}

fn checked(line: &str) -> Option<Version> {
    let version: Version = reread(line)?;
    assert!(line.len() <= MAX_VERSION_LENGTH);
    assert!(version.as_str().len() <= MAX_VERSION_LENGTH, "{version}");
    assert!(version.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)), "{version}");
    let stored = serde_json::to_string(&version).expect("a version is JSON");
    let read: Version = serde_json::from_str(&stored).expect("a stored version");
    assert_eq!((read.as_str(), &read), (version.as_str(), &version));
    assert_eq!(read.is_pre_release(), version.is_pre_release());
    Some(version)
}
