//! Syncing folders.

use std::io;
use std::path::Path;

/// Syncs the names in a folder, so that files that were created or renamed there survive a power failure.
///
/// # Errors
/// The folder cannot be opened or synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        std::fs::File::open(folder)?.sync_all()?;
    }
    // On other systems a folder cannot be opened like a file; NTFS journals names.
    Ok(())
}
