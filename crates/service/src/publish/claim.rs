//! Claims the final keys of an upload.

use spindrift_core::{UploadSession, distinct_path};
use spindrift_db::claims::{self, Holder};
use spindrift_db::{in_transaction, release_objects, uploads};

use super::destination::{require_still_allowed, require_unchanged};
use super::error::PublishError;
use super::existing_release::find_release;
use super::limits::LIMITS;
use super::slots::OccupiedSlots;
use super::terms::PublishTerms;
use crate::requests::Session;
use crate::{Ports, ServiceError};

/// The claims of an upload on its final keys.
pub(crate) struct KeyClaims<'a, P: Ports> {
    session: &'a Session<'a, P>,
    pub(crate) upload: &'a UploadSession,
}

impl<P: Ports> KeyClaims<'_, P> {
    /// Renews the claims for the full time in [`LIMITS`]. Call it before a copy that has waited. Fails if
    /// another call has claimed one of the keys.
    pub(crate) fn renew(&self) -> Result<(), PublishError> {
        let (upload, until) = (self.upload, self.session.ports.now().plus_seconds(LIMITS.claim_seconds));
        in_transaction(&self.session.conn, |conn| {
            if !uploads::begin_work(conn, &upload.id, until)? {
                return Err(PublishError::UploadExpired);
            }
            if claims::renew(conn, &Holder::upload(&upload.id), until)? < upload.files.len() {
                return Err(ServiceError::FileInUse("a file of the upload").into());
            }
            Ok(())
        })
    }
}

/// Checks that the files fit the release, and claims their final keys. A key that belongs to another object
/// of a release is never overwritten: the file gets a key that is unique to the upload instead.
pub(crate) fn claim_keys<'a, P: Ports>(
    session: &'a Session<'a, P>,
    upload: &'a mut UploadSession,
    terms: PublishTerms<'_>,
) -> Result<KeyClaims<'a, P>, PublishError> {
    let (holder, now) = (Holder::upload(&upload.id), session.ports.now());
    let until = now.plus_seconds(LIMITS.claim_seconds);
    let files = in_transaction(&session.conn, |conn| {
        // Renew the mark too, so that it lasts as long as the claims: comparing the files took some of its
        // time.
        if !uploads::begin_work(conn, &upload.id, until)? {
            return Err(PublishError::UploadExpired);
        }
        require_unchanged(conn, upload, &session.principal)?;
        require_still_allowed(conn, upload, &session.principal)?;
        let release = find_release(conn, &upload.app_id, &upload.target, &upload.release.version)?;
        let occupied = OccupiedSlots::of(
            conn,
            release.as_ref(),
            &upload.release.version,
            &upload.target,
            terms.pending_removal,
        )?;
        let mut files = upload.files.clone();
        for file in &mut files {
            occupied.require_free(&file.name, &upload.release.packages)?;
            if release_objects::contains(conn, &file.object)? {
                file.object.key = distinct_path(&file.object.key, &upload.id);
            }
            if !claims::take(conn, &file.object, &holder, now, until)? {
                return Err(PublishError::FileInUse(file.name.clone()));
            }
        }
        if files != upload.files {
            uploads::set_files(conn, &upload.id, &files)?;
        }
        Ok(files)
    })?;
    upload.files = files;
    Ok(KeyClaims { session, upload })
}
