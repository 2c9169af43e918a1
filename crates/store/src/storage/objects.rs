//! The S3 operations. [`read`] has the operations that read an object.

mod headers;
mod pieces;
mod read;
mod write;

pub(super) use read::ReadRoute;

use std::path::Path;
use std::sync::Arc;

use s3s::dto::{
    AbortMultipartUploadInput, AbortMultipartUploadOutput, Bucket, CompleteMultipartUploadInput,
    CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput, CreateMultipartUploadInput,
    CreateMultipartUploadOutput, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput,
    DeleteObjectsOutput, DeletedObject, ETag, GetBucketLocationInput, GetBucketLocationOutput,
    HeadBucketInput, HeadBucketOutput, ListBucketsInput, ListBucketsOutput, ListMultipartUploadsInput,
    ListMultipartUploadsOutput, ListObjectsInput, ListObjectsOutput, ListObjectsV2Input, ListObjectsV2Output,
    ListPartsInput, ListPartsOutput, Part, PutObjectInput, PutObjectOutput, UploadPartInput,
    UploadPartOutput,
};
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};

use super::attributes::attributes_of;
use super::blobs::Blobs;
use super::index::{INDEX_FILE, MultipartUpload, ObjectIndex, PartRow, WriteConditions, now, timestamp};
use super::random::random_id;
use super::receive::{claims_of, receive};
use super::{listing, multipart};
use crate::error::StoreError;

/// The objects in one folder.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    index: Arc<ObjectIndex>,
    blobs: Arc<Blobs>,
}

impl Objects {
    /// Opens the folder. Creates it and `buckets` if they are missing.
    pub(super) fn open(folder: &Path, buckets: &[&str]) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(StoreError::file(folder))?;
        let blobs = Arc::new(Blobs::open(folder)?);
        let index = Arc::new(ObjectIndex::open(&folder.join(INDEX_FILE), buckets)?);
        // A killed process may have left files that are not yet, or no longer, in the index.
        let used = index.blobs().map_err(|error| StoreError::Options(error.to_string()))?;
        blobs.remove_unused(&used).map_err(StoreError::file(folder))?;
        Ok(Self { index, blobs })
    }

    fn remove_blobs(&self, ids: impl IntoIterator<Item = String>) {
        ids.into_iter().for_each(|id| self.blobs.remove(&id));
    }
}

#[async_trait::async_trait]
impl S3 for Objects {
    async fn list_buckets(&self, _: S3Request<ListBucketsInput>) -> S3Result<S3Response<ListBucketsOutput>> {
        let bucket = |(name, created)| Bucket {
            name: Some(name),
            creation_date: Some(timestamp(created)),
            ..Default::default()
        };
        let buckets = self.index.buckets()?.into_iter().map(bucket).collect();
        Ok(S3Response::new(ListBucketsOutput { buckets: Some(buckets), ..Default::default() }))
    }

    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        self.index.check_bucket(&request.input.bucket)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn get_bucket_location(
        &self,
        request: S3Request<GetBucketLocationInput>,
    ) -> S3Result<S3Response<GetBucketLocationOutput>> {
        self.index.check_bucket(&request.input.bucket)?;
        Ok(S3Response::new(GetBucketLocationOutput::default()))
    }

    async fn list_objects(
        &self,
        request: S3Request<ListObjectsInput>,
    ) -> S3Result<S3Response<ListObjectsOutput>> {
        let marker = request.input.marker.clone();
        let page = listing::list(&self.index, request.input.into())?;
        Ok(S3Response::new(ListObjectsOutput {
            contents: page.contents,
            common_prefixes: page.common_prefixes,
            delimiter: page.delimiter,
            encoding_type: page.encoding_type,
            name: page.name,
            prefix: page.prefix,
            max_keys: page.max_keys,
            is_truncated: page.is_truncated,
            next_marker: page.next_continuation_token,
            marker,
            ..Default::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        Ok(S3Response::new(listing::list(&self.index, request.input)?))
    }

    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let S3Request { mut input, headers, mut trailing_headers, .. } = request;
        let claims = claims_of!(input, headers, trailing_headers);
        let attributes = attributes_of!(input);
        let conditions = WriteConditions { if_match: input.if_match, if_none_match: input.if_none_match };
        let body = input.body.ok_or_else(|| s3_error!(IncompleteBody))?;
        self.index.check_bucket(&input.bucket)?;
        let received = receive(&self.blobs, body, claims).await?;
        let checksum = received.checksum.clone();
        let object = self.store(&input.bucket, &input.key, received, attributes, &conditions)?;
        Ok(S3Response::new(PutObjectOutput {
            e_tag: Some(object.e_tag()),
            checksum_crc32: checksum.checksum_crc32,
            checksum_crc32c: checksum.checksum_crc32c,
            checksum_crc64nvme: checksum.checksum_crc64nvme,
            checksum_sha1: checksum.checksum_sha1,
            checksum_sha256: checksum.checksum_sha256,
            ..Default::default()
        }))
    }

    async fn copy_object(
        &self,
        request: S3Request<CopyObjectInput>,
    ) -> S3Result<S3Response<CopyObjectOutput>> {
        self.copy(request.input).map(S3Response::new)
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let removed = self.index.remove(&request.input.bucket, &request.input.key)?;
        self.remove_blobs(removed);
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let mut deleted = Vec::new();
        for object in request.input.delete.objects {
            let removed = self.index.remove(&request.input.bucket, &object.key)?;
            self.remove_blobs(removed);
            deleted.push(DeletedObject { key: Some(object.key), ..Default::default() });
        }
        Ok(S3Response::new(DeleteObjectsOutput { deleted: Some(deleted), ..Default::default() }))
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        let mut input = request.input;
        let id = random_id()?;
        let attributes = attributes_of!(input);
        let upload = MultipartUpload { id: id.clone(), bucket: input.bucket, key: input.key, attributes };
        self.index.begin_upload(&upload)?;
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(upload.bucket),
            key: Some(upload.key),
            upload_id: Some(id),
            ..Default::default()
        }))
    }

    async fn upload_part(
        &self,
        request: S3Request<UploadPartInput>,
    ) -> S3Result<S3Response<UploadPartOutput>> {
        let S3Request { mut input, headers, mut trailing_headers, .. } = request;
        if !(1..=multipart::MAX_PARTS).contains(&input.part_number) {
            return Err(s3_error!(InvalidArgument, "Part numbers go from 1 to 10000."));
        }
        let upload = self.index.upload(&input.upload_id, &input.bucket, &input.key)?;
        let claims = claims_of!(input, headers, trailing_headers);
        let body = input.body.ok_or_else(|| s3_error!(IncompleteBody))?;
        let received = receive(&self.blobs, body, claims).await?;
        let (size, md5) = (received.size, received.md5);
        let blob = self.blobs.keep(received.file)?;
        let part = PartRow { number: input.part_number, blob, size, md5, modified: now() };
        let replaced = self.index.put_part(&upload, &part).inspect_err(|_| self.blobs.remove(&part.blob))?;
        self.remove_blobs(replaced);
        Ok(S3Response::new(UploadPartOutput { e_tag: Some(ETag::Strong(part.md5)), ..Default::default() }))
    }

    async fn list_parts(&self, request: S3Request<ListPartsInput>) -> S3Result<S3Response<ListPartsOutput>> {
        let input = request.input;
        let upload = self.index.upload(&input.upload_id, &input.bucket, &input.key)?;
        let part = |part: PartRow| Part {
            part_number: Some(part.number),
            size: i64::try_from(part.size).ok(),
            last_modified: Some(timestamp(part.modified)),
            e_tag: Some(ETag::Strong(part.md5)),
            ..Default::default()
        };
        let parts = self.index.parts(&upload.id)?.into_iter().map(part).collect();
        Ok(S3Response::new(ListPartsOutput {
            bucket: Some(upload.bucket),
            key: Some(upload.key),
            upload_id: Some(upload.id),
            parts: Some(parts),
            is_truncated: Some(false),
            ..Default::default()
        }))
    }

    async fn complete_multipart_upload(
        &self,
        request: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        self.complete(request.input).await.map(S3Response::new)
    }

    async fn list_multipart_uploads(
        &self,
        request: S3Request<ListMultipartUploadsInput>,
    ) -> S3Result<S3Response<ListMultipartUploadsOutput>> {
        Ok(S3Response::new(listing::list_uploads(&self.index, request.input)?))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        let input = request.input;
        let upload = self.index.upload(&input.upload_id, &input.bucket, &input.key)?;
        let unused = self.index.abort_upload(&upload)?;
        self.remove_blobs(unused);
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}
