//! Digests of files that were never compared with the stored bytes, because their applications did not use
//! TUF when they were uploaded.

use spindrift_db::SqlConn;
use spindrift_db::listings::{self, ListedArtifact};
use spindrift_service::objects::location;
use spindrift_service::{Ports, log};
use spindrift_storage::{Algorithm, FileDigests, Storage};

use crate::error::RepositoryError;

/// Maximum number of files that one call reads.
const MAX_FILES: usize = 10;

/// Maximum number of bytes that one call reads, though always at least one file: 5 GiB, the largest file.
const MAX_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// Computes and records the digests of those artifacts whose digests were never compared with the stored
/// bytes, as many as one call may. `false` if some are left for the next call.
pub async fn compute<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    artifacts: &[&ListedArtifact],
) -> Result<bool, RepositoryError> {
    let unknown: Vec<_> = artifacts.iter().filter(|artifact| !artifact.is_verified).collect();
    let now = in_one_call(unknown.iter().map(|artifact| artifact.size));
    for artifact in unknown.iter().take(now) {
        compute_one(conn, storage, artifact).await?;
    }
    Ok(now == unknown.len())
}

/// How many files of these sizes one call may read.
fn in_one_call(sizes: impl Iterator<Item = u64>) -> usize {
    let mut bytes = 0_u64;
    let fits = |(place, size): &(usize, u64)| {
        bytes = bytes.saturating_add(*size);
        *place == 0 || (*place < MAX_FILES && bytes <= MAX_BYTES)
    };
    sizes.enumerate().take_while(fits).count()
}

/// A file that is missing from the storage, or that differs from its record, stays without digests, so that
/// it cannot be listed.
async fn compute_one<P: Ports>(
    conn: &impl SqlConn,
    storage: &Storage<'_, P>,
    artifact: &ListedArtifact,
) -> Result<(), RepositoryError> {
    let Some((_, stream)) = storage.get_stream(&location(&artifact.object)?).await? else {
        log::warn("a recorded file is not in the storage", &artifact.object.key);
        return Ok(());
    };
    let found = FileDigests::read(stream, [Algorithm::Sha256, Algorithm::Sha512]).await?;
    if found.size != artifact.size {
        log::warn("a stored file has another size than was recorded", &artifact.object.key);
        return Ok(());
    }
    let sha256 = found.get(Algorithm::Sha256).and_then(|text| text.parse().ok());
    let sha512 = found.get(Algorithm::Sha512).and_then(|text| text.parse().ok());
    if let Some((sha256, sha512)) = sha256.zip(sha512) {
        listings::set_digests(conn, &artifact.id, &sha256, &sha512)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_reads_so_much() {
        const GIB: u64 = 1024 * 1024 * 1024;
        for (sizes, count) in [
            (vec![], 0),
            (vec![1; 9], 9),
            (vec![1; 11], 10),
            (vec![0; 11], 10),
            (vec![6 * GIB, 1], 1),
            (vec![5 * GIB, 1], 1),
            (vec![2 * GIB, 2 * GIB, GIB, 1], 3),
            (vec![u64::MAX, u64::MAX], 1),
        ] {
            assert_eq!(in_one_call(sizes.iter().copied()), count, "{sizes:?}");
        }
    }
}
