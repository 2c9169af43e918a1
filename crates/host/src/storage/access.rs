//! Access rights: the owner of the key may do everything; anyone may read objects in public buckets.

use std::collections::BTreeSet;

use s3s::access::{S3Access, S3AccessContext};
use s3s::{S3Result, s3_error};

pub(super) struct Access {
    /// Names of the public buckets.
    pub(super) public: BTreeSet<String>,
}

#[async_trait::async_trait]
impl S3Access for Access {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        let reads = matches!(context.s3_op().name(), "GetObject" | "HeadObject");
        let bucket = context.s3_path().get_bucket_name();
        let public = reads && bucket.is_some_and(|bucket| self.public.contains(bucket));
        if context.credentials().is_some() || public {
            return Ok(());
        }
        Err(s3_error!(AccessDenied, "Access Denied"))
    }
}
