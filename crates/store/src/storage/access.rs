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
        if context.credentials().is_some() {
            return Ok(());
        }
        if !public {
            return Err(s3_error!(AccessDenied, "Access Denied"));
        }
        if overrides_headers(context.uri().query().unwrap_or_default()) {
            return Err(s3_error!(InvalidRequest, "Only signed requests may choose headers of the answer."));
        }
        Ok(())
    }
}

/// Whether a query chooses headers of the answer, such as `response-content-type`. In an unsigned link this would let
/// anybody show a stored file as a page of this origin.
fn overrides_headers(query: &str) -> bool {
    url::form_urlencoded::parse(query.as_bytes())
        .any(|(name, _)| name.to_ascii_lowercase().starts_with("response-"))
}

#[cfg(test)]
mod tests {
    use super::overrides_headers;

    #[test]
    fn queries_that_choose_headers() {
        for (query, expected) in [
            ("", false),
            ("version=1&x=response-content-type", false),
            ("response-content-type=text/html", true),
            ("a&response%2Dcache-control=no-store", true),
            ("Response-Expires=0", true),
        ] {
            assert_eq!(overrides_headers(query), expected, "{query}");
        }
    }
}
