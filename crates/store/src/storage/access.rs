//! Access rights: the owner of the key may do everything; anyone may read objects in public buckets.

use std::collections::BTreeSet;

use s3s::{S3Result, s3_error};

/// The permission to read objects. For everything else `s3s` requires a signature.
pub(super) struct Access {
    /// Names of the public buckets.
    pub(super) public: BTreeSet<String>,
}

impl Access {
    /// Whether a request may read an object of `bucket`.
    pub(super) fn check(&self, is_signed: bool, bucket: &str, query: &str) -> S3Result<()> {
        if is_signed {
            return Ok(());
        }
        if !self.public.contains(bucket) {
            return Err(s3_error!(AccessDenied, "Access Denied"));
        }
        if overrides_headers(query) {
            return Err(s3_error!(InvalidRequest, "Only signed requests may choose headers of the answer."));
        }
        Ok(())
    }
}

/// Whether a query chooses headers of the answer, such as `response-content-type`. In an unsigned link this
/// would let anyone present a stored file as a page of this origin.
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
