//! The storage's settings.

use std::fmt::Display;
use std::time::Duration;

use rusty_s3::{Bucket, UrlStyle};
use url::Url;

use crate::public_base::web_address;
use crate::{BucketKind, ObjectKey, PublicBase, Secret, StorageError};

/// Region when `s3_region` is empty: what S3-compatible servers take when they know no regions.
pub const DEFAULT_REGION: &str = "us-east-1";

/// Time-out of each phase of a request: connection, first byte, pause between two bytes.
pub const DEFAULT_TIME_OUT: Duration = Duration::from_secs(10);

/// Who can reach the storage (`storage_driver`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageDriver {
    /// `s3`: any S3-compatible storage that uploaders and browsers reach as well.
    S3,
    /// `s3_internal`: only the service reaches it, so nothing is presigned for outsiders.
    S3Internal,
}

impl StorageDriver {
    /// The setting's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::S3Internal => "s3_internal",
        }
    }
}

/// Everything needed to sign and send requests to the storage. Its `Debug` shows no secret.
#[derive(Debug, Clone)]
pub struct StorageConfig {
    driver: StorageDriver,
    api: Buckets,
    presign: Buckets,
    public_base: PublicBase,
    access_key: String,
    secret_key: Secret,
    time_out: Duration,
}

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageConfigError {
    /// The setting's provider failed, which is not the same as "not set".
    #[error("the setting `{name}` could not be read: {reason}")]
    Unreadable {
        /// The variable's name.
        name: &'static str,
        /// The provider's message.
        reason: String,
    },
    /// The setting's value is empty or has the wrong form.
    #[error("the setting `{name}` is not valid: {reason}")]
    Invalid {
        /// The variable's name.
        name: &'static str,
        /// What is wrong, without the value.
        reason: String,
    },
}

impl StorageConfig {
    /// Reads the variables `storage_driver` and `s3_*` through `lookup`, where `Ok(None)` counts as empty.
    ///
    /// Empty `storage_driver` is `s3`, empty `s3_presign_endpoint` the api endpoint, empty `s3_region`
    /// [`DEFAULT_REGION`], empty `s3_path_style` `true`. Empty keys are accepted here and reported as
    /// [`StorageError::NotConfigured`] when something has to be signed. Fails on the first bad variable.
    pub fn from_lookup<E: Display>(
        mut lookup: impl FnMut(&'static str) -> Result<Option<String>, E>,
    ) -> Result<Self, StorageConfigError> {
        let mut read = |name| match lookup(name) {
            Ok(value) => Ok(value.unwrap_or_default()),
            Err(error) => Err(StorageConfigError::Unreadable { name, reason: error.to_string() }),
        };
        let driver = driver(&read("storage_driver")?)?;
        let endpoint = address("s3_api_endpoint", &read("s3_api_endpoint")?)?;
        let presign_endpoint = match read("s3_presign_endpoint")? {
            empty if empty.is_empty() => endpoint.clone(),
            text => address("s3_presign_endpoint", &text)?,
        };
        let public_base =
            PublicBase::parse(&read("s3_public_url")?).map_err(|reason| invalid("s3_public_url", reason))?;
        let names = Names {
            style: url_style(&read("s3_path_style")?)?,
            region: region(read("s3_region")?)?,
            public: read("s3_bucket")?,
            private: read("s3_bucket_private")?,
            cdn: read("s3_bucket_cdn")?,
        };
        Ok(Self {
            driver,
            api: names.buckets(&endpoint)?,
            presign: names.buckets(&presign_endpoint)?,
            public_base,
            access_key: read("s3_access_key")?,
            secret_key: Secret::new(read("s3_secret_key")?),
            time_out: DEFAULT_TIME_OUT,
        })
    }

    /// The same with another time-out for each phase of a request.
    #[must_use]
    pub const fn with_time_out(mut self, time_out: Duration) -> Self {
        self.time_out = time_out;
        self
    }

    /// Who can reach the storage.
    pub const fn driver(&self) -> StorageDriver {
        self.driver
    }

    /// Time-out of each phase of a request.
    pub const fn time_out(&self) -> Duration {
        self.time_out
    }

    /// Base address of public links.
    pub const fn public_base(&self) -> &PublicBase {
        &self.public_base
    }

    /// `{s3_public_url}/{key}`, every segment percent-encoded.
    pub fn public_link(&self, key: &ObjectKey) -> String {
        self.public_base.link(key)
    }

    /// A bucket's name.
    pub fn bucket_name(&self, kind: BucketKind) -> &str {
        self.api.get(kind).name()
    }

    /// The bucket as the service reaches it.
    pub(crate) const fn api_bucket(&self, kind: BucketKind) -> &Bucket {
        self.api.get(kind)
    }

    /// The bucket as uploaders and browsers reach it.
    pub(crate) const fn presign_bucket(&self, kind: BucketKind) -> Result<&Bucket, StorageError> {
        match self.driver {
            StorageDriver::S3 => Ok(self.presign.get(kind)),
            StorageDriver::S3Internal => Err(StorageError::PresignUnsupported),
        }
    }

    /// Access key and secret key.
    pub(crate) fn keys(&self) -> Result<(&str, &Secret), StorageError> {
        if self.access_key.is_empty() {
            return Err(StorageError::NotConfigured("s3_access_key"));
        }
        if self.secret_key.is_empty() {
            return Err(StorageError::NotConfigured("s3_secret_key"));
        }
        Ok((&self.access_key, &self.secret_key))
    }
}

/// The three buckets behind one endpoint.
#[derive(Debug, Clone)]
struct Buckets {
    public: Bucket,
    private: Bucket,
    cdn: Bucket,
}

impl Buckets {
    const fn get(&self, kind: BucketKind) -> &Bucket {
        match kind {
            BucketKind::Public => &self.public,
            BucketKind::Private => &self.private,
            BucketKind::Cdn => &self.cdn,
        }
    }
}

/// What the buckets are called, before an endpoint is known.
struct Names {
    style: UrlStyle,
    region: String,
    public: String,
    private: String,
    cdn: String,
}

impl Names {
    fn buckets(&self, endpoint: &Url) -> Result<Buckets, StorageConfigError> {
        let bucket = |variable, name: &str| {
            if !is_bucket_name(name) {
                return Err(invalid(variable, "a bucket's name has 3 to 63 characters of A-Za-z0-9._-"));
            }
            Bucket::new(endpoint.clone(), self.style, name.to_owned(), self.region.clone())
                .map_err(|error| invalid(variable, error))
        };
        Ok(Buckets {
            public: bucket("s3_bucket", &self.public)?,
            private: bucket("s3_bucket_private", &self.private)?,
            cdn: bucket("s3_bucket_cdn", &self.cdn)?,
        })
    }
}

/// S3's rules, without forbidding the capitals and underscores of older buckets.
fn is_bucket_name(name: &str) -> bool {
    (3..=63).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && name.bytes().any(|b| b.is_ascii_alphanumeric())
}

fn invalid(name: &'static str, reason: impl Display) -> StorageConfigError {
    StorageConfigError::Invalid { name, reason: reason.to_string() }
}

fn driver(text: &str) -> Result<StorageDriver, StorageConfigError> {
    match text {
        "" | "s3" => Ok(StorageDriver::S3),
        "s3_internal" => Ok(StorageDriver::S3Internal),
        _ => Err(invalid("storage_driver", "neither `s3` nor `s3_internal`")),
    }
}

fn address(name: &'static str, text: &str) -> Result<Url, StorageConfigError> {
    web_address(text).map_err(|reason| invalid(name, reason))
}

fn url_style(text: &str) -> Result<UrlStyle, StorageConfigError> {
    match text {
        "" | "true" => Ok(UrlStyle::Path),
        "false" => Ok(UrlStyle::VirtualHost),
        _ => Err(invalid("s3_path_style", "neither `true` nor `false`")),
    }
}

/// A region becomes part of the signature's scope, whose parts `/` separates.
fn region(text: String) -> Result<String, StorageConfigError> {
    if text.is_empty() {
        Ok(DEFAULT_REGION.to_owned())
    } else if text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
        Ok(text)
    } else {
        Err(invalid("s3_region", "a region has only characters of A-Za-z0-9_-"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::convert::Infallible;

    use super::{StorageConfig, StorageConfigError};
    use crate::{BucketKind, StorageDriver, StorageError};

    /// A config for tests; `changes` replace or add variables.
    pub(crate) fn config(changes: &[(&str, &str)]) -> Result<StorageConfig, StorageConfigError> {
        let defaults = [
            ("storage_driver", "s3"),
            ("s3_api_endpoint", "http://storage.internal:9000"),
            ("s3_presign_endpoint", "https://storage.example.com"),
            ("s3_public_url", "https://cdn.example.com/"),
            ("s3_region", "eu-central-1"),
            ("s3_access_key", "access"),
            ("s3_secret_key", "hunter2"),
            ("s3_bucket", "pub-bucket"),
            ("s3_bucket_private", "priv-bucket"),
            ("s3_bucket_cdn", "cdn-bucket"),
            ("s3_path_style", "true"),
        ];
        StorageConfig::from_lookup(|name| {
            let found = changes.iter().chain(&defaults).find(|(key, _)| *key == name);
            Ok::<_, Infallible>(found.map(|(_, value)| (*value).to_owned()))
        })
    }

    #[test]
    fn reads_all_variables() {
        let config = config(&[]).unwrap();
        assert_eq!(config.driver(), StorageDriver::S3);
        assert_eq!(config.bucket_name(BucketKind::Private), "priv-bucket");
        assert_eq!(
            config.api_bucket(BucketKind::Cdn).base_url().as_str(),
            "http://storage.internal:9000/cdn-bucket/"
        );
        assert_eq!(
            config.presign_bucket(BucketKind::Public).unwrap().base_url().as_str(),
            "https://storage.example.com/pub-bucket/"
        );
        assert!(!format!("{config:?}").contains("hunter2"));
    }

    #[test]
    fn without_a_presign_endpoint_the_api_endpoint_is_used() {
        let config = config(&[("s3_presign_endpoint", ""), ("s3_region", "")]).unwrap();
        let bucket = config.presign_bucket(BucketKind::Public).unwrap();
        assert_eq!(bucket.base_url().as_str(), "http://storage.internal:9000/pub-bucket/");
        assert_eq!(bucket.region(), "us-east-1");
    }

    #[test]
    fn names_the_bad_variable() {
        for (name, value) in [
            ("storage_driver", "gcs"),
            ("s3_api_endpoint", ""),
            ("s3_api_endpoint", "ftp://e.com"),
            ("s3_presign_endpoint", "storage"),
            ("s3_public_url", "http://e.com/?x"),
            ("s3_region", "eu/west"),
            ("s3_bucket", ""),
            ("s3_bucket_private", "a/b"),
            ("s3_bucket_cdn", ".."),
            ("s3_path_style", "yes"),
        ] {
            let error = config(&[(name, value)]).unwrap_err();
            assert!(matches!(error, StorageConfigError::Invalid { name: n, .. } if n == name), "{error}");
        }
    }

    #[test]
    fn a_failing_provider_is_not_an_empty_value() {
        let error = StorageConfig::from_lookup(|_| Err("vault is sealed")).unwrap_err();
        assert_eq!(error.to_string(), "the setting `storage_driver` could not be read: vault is sealed");
    }

    #[test]
    fn empty_keys_are_reported_when_used() {
        let no_access = config(&[("s3_access_key", "")]).unwrap();
        assert_eq!(no_access.keys().unwrap_err(), StorageError::NotConfigured("s3_access_key"));
        let no_secret = config(&[("s3_secret_key", "")]).unwrap();
        assert_eq!(no_secret.keys().unwrap_err(), StorageError::NotConfigured("s3_secret_key"));
    }
}
