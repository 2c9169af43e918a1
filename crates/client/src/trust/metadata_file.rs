//! Files of metadata: their names and limits.

/// Longest root, in bytes: 16 keys for each of four roles are a tenth of it.
const MAX_ROOT_BYTES: usize = 64 * 1024;
/// Longest timestamp, in bytes. It names one file.
const MAX_TIMESTAMP_BYTES: usize = 8 * 1024;
/// Longest snapshot, in bytes. It names 31 files.
const MAX_SNAPSHOT_BYTES: usize = 256 * 1024;
/// Longest list of targets, in bytes: 8,000 targets.
const MAX_TARGETS_BYTES: usize = 4 * 1024 * 1024;
/// Most roots followed in one refresh. The next one continues from there.
const MAX_ROOTS: u64 = 256;
/// Maximum length of a stored file's name, in bytes: file systems have names of up to 255.
const MAX_KEPT_NAME: usize = 200;

const ROOT: &str = "root";
const SNAPSHOT: &str = "snapshot";

/// The limits for tough, which are those of [`max_bytes`].
pub(super) const fn limits() -> tough::Limits {
    tough::Limits {
        max_root_size: MAX_ROOT_BYTES as u64,
        max_targets_size: MAX_TARGETS_BYTES as u64,
        max_timestamp_size: MAX_TIMESTAMP_BYTES as u64,
        max_snapshot_size: MAX_SNAPSHOT_BYTES as u64,
        max_root_updates: MAX_ROOTS,
    }
}

/// Longest accepted file of this name, in bytes. Only `timestamp.json` has no version.
pub(super) fn max_bytes(name: &str) -> usize {
    match versioned(name) {
        Some(ROOT) => MAX_ROOT_BYTES,
        Some(SNAPSHOT) => MAX_SNAPSHOT_BYTES,
        Some(_) => MAX_TARGETS_BYTES,
        None => MAX_TIMESTAMP_BYTES,
    }
}

/// Whether a file of this name may be kept: it never changes, and the metadata above it has its digest. That
/// a root does not exist yet changes, and no metadata has a root's digest.
pub(super) fn is_kept(name: &str) -> bool {
    name.len() <= MAX_KEPT_NAME && versioned(name).is_some_and(|role| role != ROOT)
}

/// The role in `N.role.json`, percent-encoded.
fn versioned(name: &str) -> Option<&str> {
    let (version, role) = name.strip_suffix(".json")?.split_once('.')?;
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    let is_role =
        !role.is_empty() && role.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-~%".contains(&byte));
    (is_version && is_role).then_some(role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_accepted() {
        for (name, bytes, kept) in [
            ("timestamp.json", MAX_TIMESTAMP_BYTES, false),
            ("2.root.json", MAX_ROOT_BYTES, false),
            ("1700000000.snapshot.json", MAX_SNAPSHOT_BYTES, true),
            ("1700000000.targets.json", MAX_TARGETS_BYTES, true),
            ("7.channel-a%20b.c.json", MAX_TARGETS_BYTES, true),
            ("snapshot.json", MAX_TIMESTAMP_BYTES, false),
            ("x.targets.json", MAX_TIMESTAMP_BYTES, false),
            (".targets.json", MAX_TIMESTAMP_BYTES, false),
            ("7..json", MAX_TIMESTAMP_BYTES, false),
            ("7.a/b.json", MAX_TIMESTAMP_BYTES, false),
            ("7.a\\b.json", MAX_TIMESTAMP_BYTES, false),
            ("", MAX_TIMESTAMP_BYTES, false),
        ] {
            assert_eq!((max_bytes(name), is_kept(name)), (bytes, kept), "{name}");
        }
        assert!(!is_kept(&format!("7.channel-{}.json", "a".repeat(200))));
    }
}
