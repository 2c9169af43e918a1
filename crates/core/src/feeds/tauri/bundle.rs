//! How a Tauri application was installed, as reported by its updater in `bundle_type`.

/// The kinds of installed copies, each with the packages that such a copy can install, best first.
/// A `.zip` or `.tar.gz` contains the file of that kind.
pub(in crate::feeds) const BUNDLES: [(&str, &[&str]); 6] = [
    ("appimage", &["appimage", "tar.gz"]),
    ("app", &["app.tar.gz", "tar.gz"]),
    ("deb", &["deb"]),
    ("rpm", &["rpm"]),
    ("msi", &["msi", "zip"]),
    ("nsis", &["exe", "zip"]),
];

/// The packages of a kind. `None`: the kind is unknown.
pub(super) fn packages(bundle: &str) -> Option<&'static [&'static str]> {
    BUNDLES.iter().find(|(name, _)| *name == bundle).map(|(_, packages)| *packages)
}
