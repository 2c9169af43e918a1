//! Signing the service's own requests with AWS Signature Version 4, in the header `Authorization`.
//!
//! Anyone who reads a signature in a URL can use it, and hosts write the URLs of requests into logs and
//! traces. See
//! [the specification](https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).

use std::collections::BTreeMap;

use base16ct::lower::encode_string as hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::{Secret, StorageError};

/// Stands in for the body's digest, as in presigned requests: the body is not signed.
pub(crate) const UNSIGNED: &str = "UNSIGNED-PAYLOAD";
/// Percent-encodes all characters that are encoded in signed queries.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The credentials and the time that a request is signed with.
pub(crate) struct Signer<'a> {
    pub(crate) access_key: &'a str,
    pub(crate) secret_key: &'a Secret,
    pub(crate) region: &'a str,
    pub(crate) now: jiff::Timestamp,
}

/// A request to sign. The query and the names of headers, in lower case, are sorted.
pub(crate) struct UnsignedRequest<'a> {
    pub(crate) method: &'a str,
    /// The URL without its query.
    pub(crate) url: Url,
    pub(crate) query: Vec<(&'a str, &'a str)>,
    pub(crate) headers: BTreeMap<&'a str, &'a str>,
    /// The digest of the body, or [`UNSIGNED`].
    pub(crate) payload: &'a str,
}

/// The URL with its query, and the headers to add to those of the request.
pub(crate) struct SignedRequest {
    pub(crate) url: Url,
    pub(crate) headers: [(&'static str, String); 3],
}

impl Signer<'_> {
    /// Signs all headers, and `Host`.
    pub(crate) fn sign(&self, request: UnsignedRequest<'_>) -> Result<SignedRequest, StorageError> {
        let UnsignedRequest { method, mut url, query, mut headers, payload } = request;
        let (date, time) =
            (self.now.strftime("%Y%m%d").to_string(), self.now.strftime("%Y%m%dT%H%M%SZ").to_string());
        let host = host(&url)?;
        headers.extend([
            ("host", host.as_str()),
            ("x-amz-content-sha256", payload),
            ("x-amz-date", time.as_str()),
        ]);
        let names = headers.keys().copied().collect::<Vec<_>>().join(";");
        let query = encoded(&query);
        let lines: Vec<_> = headers.iter().map(|(name, value)| format!("{name}:{}", value.trim())).collect();
        let lines = lines.join("\n");
        let canonical = format!("{method}\n{}\n{query}\n{lines}\n\n{names}\n{payload}", url.path());
        let scope = format!("{date}/{}/s3/aws4_request", self.region);
        let text = format!("{ALGORITHM}\n{time}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
        let signature = hex(&keyed(&self.key(&date), &text));
        let authorization = format!(
            "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            self.access_key
        );
        url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
        let payload = payload.to_owned();
        let headers =
            [("x-amz-content-sha256", payload), ("x-amz-date", time), ("authorization", authorization)];
        Ok(SignedRequest { url, headers })
    }

    /// The key for a day, this region and this service.
    fn key(&self, date: &str) -> Vec<u8> {
        let first = format!("AWS4{}", self.secret_key.expose()).into_bytes();
        [date, self.region, "s3", "aws4_request"].into_iter().fold(first, |key, part| keyed(&key, part))
    }
}

/// The host as HTTP clients send it: without the port that the scheme implies.
fn host(url: &Url) -> Result<String, StorageError> {
    let host = url.host_str().ok_or(StorageError::Malformed("the address of the storage"))?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn encoded(query: &[(&str, &str)]) -> String {
    let encode = |text| utf8_percent_encode(text, QUERY);
    query
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    // A key may have any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of an empty body.
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn signed(path: &str, query: &[(&str, &str)], headers: &[(&str, &str)], payload: &str) -> SignedRequest {
        let secret = Secret::new("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        let signer = Signer {
            access_key: "AKIAIOSFODNN7EXAMPLE",
            secret_key: &secret,
            region: "us-east-1",
            now: "2013-05-24T00:00:00Z".parse().unwrap(),
        };
        let url = Url::parse("https://examplebucket.s3.amazonaws.com").unwrap().join(path).unwrap();
        let headers = headers.iter().copied().collect();
        signer.sign(UnsignedRequest { method: "GET", url, query: query.to_vec(), headers, payload }).unwrap()
    }

    /// The examples in the specification.
    #[test]
    fn examples() {
        let get = signed("/test.txt", &[], &[("range", "bytes=0-9")], EMPTY);
        assert_eq!(get.url.as_str(), "https://examplebucket.s3.amazonaws.com/test.txt");
        let expected = [
            ("x-amz-content-sha256", EMPTY),
            ("x-amz-date", "20130524T000000Z"),
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
                 SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, \
                 Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
        ];
        assert_eq!(get.headers, expected.map(|(name, value)| (name, value.to_owned())));
        let list = signed("/", &[("max-keys", "2"), ("prefix", "J")], &[], EMPTY);
        assert_eq!(list.url.query(), Some("max-keys=2&prefix=J"));
        let [.., (_, authorization)] = &list.headers;
        let signature = "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
        assert!(authorization.ends_with(signature), "{authorization}");
    }

    #[test]
    fn nothing_of_the_signature_is_in_the_url() {
        let signed = signed("/a%20b", &[("prefix", "ä/&=~"), ("uploads", "")], &[], UNSIGNED);
        assert_eq!(
            signed.url.as_str(),
            "https://examplebucket.s3.amazonaws.com/a%20b?prefix=%C3%A4%2F%26%3D~&uploads="
        );
        let [(_, payload), ..] = &signed.headers;
        assert_eq!(payload, "UNSIGNED-PAYLOAD");
    }

    #[test]
    fn the_port_belongs_to_the_host() {
        for (url, expected) in [
            ("http://s3:9000/b", "s3:9000"),
            ("http://s3:80/b", "s3"),
            ("https://s3:443/", "s3"),
            ("http://[::1]:1/", "[::1]:1"),
        ] {
            assert_eq!(host(&Url::parse(url).unwrap()).unwrap(), expected);
        }
    }
}
