//! Reasons of failures. They have the name of an error and never its message, because messages contain paths.

use spindrift_client::Reason;
use tauri_plugin_updater::Error;

/// Longest reason that the service accepts, in characters.
const MAX_REASON_CHARS: usize = 128;

/// A text in the form of a reason.
pub(crate) fn reason(text: &str) -> Option<Reason> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let replaced = text.chars().map(|c| if is_allowed(c) { c } else { '_' });
    let reason: String = replaced.take(MAX_REASON_CHARS).collect();
    if reason.is_empty() { "unknown" } else { &reason }.parse().ok()
}

/// The name of an error. `None`: this is not a failure of the application, but a device that is offline, a check
/// without a release, or a user who did not type the password.
pub(crate) fn name(error: &Error) -> Option<String> {
    let name = match error {
        Error::Reqwest(_) | Error::Network(_) | Error::ReleaseNotFound | Error::AuthenticationFailed => {
            return None;
        }
        Error::Io(error) => return Some(format!("{:?}", error.kind())),
        Error::Minisign(_) | Error::Base64(_) | Error::SignatureUtf8(_) => "signature",
        Error::SignedVersionMismatch { .. } | Error::MissingSignedVersion => "signed_version",
        Error::Serialization(_) | Error::Semver(_) | Error::FormatDate => "answer",
        Error::TargetNotFound(_) | Error::TargetsNotFound(_) => "target",
        Error::InvalidUpdaterFormat | Error::BinaryNotFoundInArchive => "format",
        Error::DebInstallFailed | Error::PackageInstallFailed => "package",
        Error::TempDirNotFound | Error::TempDirNotOnSameMountPoint => "temp_dir",
        Error::PreviousAppNotRestored(_) => "not_restored",
        _ => "other",
    };
    Some(name.to_owned())
}
