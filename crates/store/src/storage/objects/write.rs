//! Writing objects. The bytes are complete before an object is added to the index.

use s3s::dto::{
    CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput,
    CopyObjectResult, CopySource, MetadataDirective,
};
use s3s::{S3Error, S3Result, s3_error};

use super::Objects;
use crate::storage::attributes::{Attributes, attributes_of};
use crate::storage::index::{Object, WriteConditions, now};
use crate::storage::multipart;
use crate::storage::receive::StoredBody;

/// Maximum number of retries if the source of a copy is replaced in the meantime.
const ATTEMPTS: usize = 10;

impl Objects {
    /// Stores a received body as the object under `key`.
    pub(super) fn store(
        &self,
        bucket: &str,
        key: &str,
        received: StoredBody,
        attributes: Attributes,
        conditions: &WriteConditions,
    ) -> S3Result<Object> {
        let (size, etag) = (received.size, received.md5);
        let blob = self.blobs.keep(received.file)?;
        let entry = Object { blob, size, etag, modified: now(), attributes };
        self.publish(bucket, key, entry, conditions)
    }

    fn publish(
        &self,
        bucket: &str,
        key: &str,
        entry: Object,
        conditions: &WriteConditions,
    ) -> S3Result<Object> {
        let replaced = self
            .index
            .put(bucket, key, &entry, conditions)
            .inspect_err(|_| self.blobs.remove(&entry.blob))?;
        self.remove_blobs(replaced);
        Ok(entry)
    }

    /// `CopyObject`: the copy has the same bytes and `ETag`. Its attributes are copied or replaced, depending
    /// on the request.
    pub(super) fn copy(&self, mut input: CopyObjectInput) -> S3Result<CopyObjectOutput> {
        let CopySource::Bucket { bucket, key, .. } = &input.copy_source else {
            return Err(s3_error!(NotImplemented));
        };
        let (source, file) = self.duplicate(bucket, key)?;
        let wanted = WriteConditions {
            if_match: input.copy_source_if_match.take(),
            if_none_match: input.copy_source_if_none_match.take(),
        };
        if !wanted.are_met(Some(&source)) {
            return Err(s3_error!(PreconditionFailed));
        }
        let replace =
            input.metadata_directive.as_ref().is_some_and(|it| it.as_str() == MetadataDirective::REPLACE);
        let attributes = if replace { attributes_of!(input) } else { source.attributes.clone() };
        let blob = self.blobs.keep(file)?;
        let entry = Object { blob, modified: now(), attributes, ..source };
        let entry = self.publish(&input.bucket, &input.key, entry, &WriteConditions::default())?;
        let result = CopyObjectResult {
            e_tag: Some(entry.e_tag()),
            last_modified: Some(entry.last_modified()),
            ..Default::default()
        };
        Ok(CopyObjectOutput { copy_object_result: Some(result), ..Default::default() })
    }

    fn duplicate(&self, bucket: &str, key: &str) -> S3Result<(Object, crate::storage::blobs::PartialFile)> {
        let mut attempt = 0;
        loop {
            let source = self.index.object(bucket, key)?;
            match spindrift_http::blocking(|| self.blobs.duplicate(&source.blob)) {
                Ok(file) => return Ok((source, file)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(error) => return Err(S3Error::internal_error(error)),
            }
        }
    }

    /// `CompleteMultipartUpload`. The parts are kept until the object is visible, so a failed call can be
    /// repeated.
    pub(super) async fn complete(
        &self,
        input: CompleteMultipartUploadInput,
    ) -> S3Result<CompleteMultipartUploadOutput> {
        let upload = self.index.upload(&input.upload_id, &input.bucket, &input.key)?;
        let listed = input.multipart_upload.and_then(|upload| upload.parts).unwrap_or_default();
        let parts = multipart::choose(&listed, &self.index.parts(&upload.id)?)?;
        let (file, size) = multipart::join(&self.blobs, &parts).await?;
        let blob = self.blobs.keep(file)?;
        let attributes = upload.attributes.clone();
        let entry = Object { blob, size, etag: multipart::etag(&parts), modified: now(), attributes };
        let conditions = WriteConditions { if_match: input.if_match, if_none_match: input.if_none_match };
        let unused = self
            .index
            .finish_upload(&upload, &entry, &conditions)
            .inspect_err(|_| self.blobs.remove(&entry.blob))?;
        self.remove_blobs(unused);
        Ok(CompleteMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            e_tag: Some(entry.e_tag()),
            ..Default::default()
        })
    }
}
