//! Signs files on this machine that were uploaded where no key was available.

use spindrift_api::TargetEntry;
use spindrift_trust::TargetName;

use super::stored::{UnlistedFile, add_to_lists, unlisted};
use crate::error::CliError;
use crate::publish::digest::{FileDigests, hash_all};
use crate::publish::files::find;
use crate::publish::progress::Progress;
use crate::trust::change::ListChange;
use crate::trust::reported_files::{SeenFile, custom};
use crate::trust::signing_session::SigningSession;

/// Signs the uploaded artifacts whose bytes equal these files.
pub(super) async fn sign_files(
    session: &mut SigningSession,
    patterns: &[String],
    version: Option<&str>,
    yes: bool,
) -> Result<ListChange, CliError> {
    let files = find(patterns)?.large;
    let digests = hash_all(&files, true, &Progress::new(session.output)).await?;
    let entries = unlisted(session, version).await?;
    let mut found = Vec::new();
    for (file, digests) in files.iter().zip(digests) {
        let seen = seen(file.length, &digests)?;
        let same: Vec<UnlistedFile> =
            entries.iter().filter_map(|entry| candidate(session, entry, &seen)).collect();
        if same.is_empty() {
            return Err(CliError::NotFound(format!(
                "no unlisted file of `{}` has the bytes of {}: `spindrift publish` uploads it",
                session.calls.app,
                file.path.display()
            )));
        }
        found.extend(same);
    }
    add_to_lists(session, found, yes).await
}

fn candidate(session: &SigningSession, entry: &TargetEntry, seen: &SeenFile) -> Option<UnlistedFile> {
    let custom = custom(&session.repository, entry)?;
    let name: TargetName = entry.name.parse().ok()?;
    let fits = seen.agrees_with(entry) && session.naming.fits(&name, &custom);
    fits.then(|| Some(UnlistedFile { name, file: seen.target(custom)? })).flatten()
}

fn seen(length: u64, digests: &FileDigests) -> Result<SeenFile, CliError> {
    let digest = digests.sha256.as_ref().zip(digests.sha512.as_ref());
    let digest = digest.and_then(|(sha256, sha512)| Some((sha256.parse().ok()?, sha512.parse().ok()?)));
    let (sha256, sha512) = digest.ok_or_else(|| CliError::Other("a file has no digests".to_owned()))?;
    Ok(SeenFile { length, sha256, sha512 })
}
