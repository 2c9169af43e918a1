//! The settings of the storage.

use std::time::Duration;

use rusty_s3::{Bucket, UrlStyle};
use spindrift_settings::{
    S3_ACCESS_KEY, S3_API_ENDPOINT, S3_BUCKET, S3_BUCKET_CDN, S3_BUCKET_PRIVATE, S3_PATH_STYLE,
    S3_PRESIGN_ENDPOINT, S3_REGION, S3_SECRET_KEY, STORAGE_DRIVER, Setting, SettingError, StorageDriver,
    Variables,
};
use url::Url;

use crate::{BucketKind, ObjectKey, PublicBase, Secret, StorageError};

/// Time-out for each phase of a request: connection, first byte, pause between two bytes.
pub const DEFAULT_TIME_OUT: Duration = Duration::from_secs(10);

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

impl StorageConfig {
    /// Reads `storage_driver` and the settings that begin with `s3_`, and fails on the first bad one.
    ///
    /// An empty `s3_presign_endpoint` means the api endpoint, and an empty `s3_region` its default. Empty
    /// keys are accepted here and reported as [`StorageError::NotConfigured`] when a request has to be
    /// signed.
    pub fn read(variables: &impl Variables) -> Result<Self, SettingError> {
        let driver = STORAGE_DRIVER.read(variables)?;
        let endpoint = address(&S3_API_ENDPOINT, &S3_API_ENDPOINT.read(variables)?)?;
        let presign_endpoint = match S3_PRESIGN_ENDPOINT.read(variables)? {
            empty if empty.is_empty() => endpoint.clone(),
            text => address(&S3_PRESIGN_ENDPOINT, &text)?,
        };
        let public_base = PublicBase::read(variables)?;
        let names = BucketNames {
            style: if S3_PATH_STYLE.read(variables)? { UrlStyle::Path } else { UrlStyle::VirtualHost },
            region: region(S3_REGION.read(variables)?),
            public: S3_BUCKET.read(variables)?,
            private: S3_BUCKET_PRIVATE.read(variables)?,
            cdn: S3_BUCKET_CDN.read(variables)?,
        };
        Ok(Self {
            driver,
            api: names.buckets(&endpoint)?,
            presign: names.buckets(&presign_endpoint)?,
            public_base,
            access_key: S3_ACCESS_KEY.read(variables)?,
            secret_key: Secret::new(S3_SECRET_KEY.read(variables)?),
            time_out: DEFAULT_TIME_OUT,
        })
    }

    /// The same config with another time-out for each phase of a request.
    #[must_use]
    pub const fn with_time_out(mut self, time_out: Duration) -> Self {
        self.time_out = time_out;
        self
    }

    pub const fn driver(&self) -> StorageDriver {
        self.driver
    }

    /// Time-out of each phase of a request.
    pub const fn time_out(&self) -> Duration {
        self.time_out
    }

    /// Base URL of public links.
    pub const fn public_base(&self) -> &PublicBase {
        &self.public_base
    }

    /// The public URL `{s3_public_url}/{key}`, with every segment percent-encoded.
    pub fn public_link(&self, key: &ObjectKey) -> String {
        self.public_base.link(key)
    }

    pub fn bucket_name(&self, kind: BucketKind) -> &str {
        self.api.get(kind).name()
    }

    /// The bucket at the endpoint that the service uses.
    pub(crate) const fn api_bucket(&self, kind: BucketKind) -> &Bucket {
        self.api.get(kind)
    }

    /// The bucket at the endpoint that uploaders and browsers use.
    pub(crate) const fn presign_bucket(&self, kind: BucketKind) -> Result<&Bucket, StorageError> {
        match self.driver {
            StorageDriver::S3 => Ok(self.presign.get(kind)),
            StorageDriver::S3Internal => Err(StorageError::PresignUnsupported),
        }
    }

    /// Access key and secret key.
    pub(crate) fn keys(&self) -> Result<(&str, &Secret), StorageError> {
        if self.access_key.is_empty() {
            return Err(StorageError::NotConfigured(S3_ACCESS_KEY.row.name));
        }
        if self.secret_key.is_empty() {
            return Err(StorageError::NotConfigured(S3_SECRET_KEY.row.name));
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

/// The names of the buckets, before an endpoint is known.
struct BucketNames {
    style: UrlStyle,
    region: String,
    public: String,
    private: String,
    cdn: String,
}

impl BucketNames {
    fn buckets(&self, endpoint: &Url) -> Result<Buckets, SettingError> {
        let bucket = |setting: &Setting<String>, name: &str| {
            Bucket::new(endpoint.clone(), self.style, name.to_owned(), self.region.clone())
                .map_err(|error| setting.unusable(format!("is not valid: {error}")))
        };
        Ok(Buckets {
            public: bucket(&S3_BUCKET, &self.public)?,
            private: bucket(&S3_BUCKET_PRIVATE, &self.private)?,
            cdn: bucket(&S3_BUCKET_CDN, &self.cdn)?,
        })
    }
}

fn address(setting: &Setting<String>, text: &str) -> Result<Url, SettingError> {
    Url::parse(text).map_err(|error| setting.unusable(format!("is not valid: {error}")))
}

fn region(text: String) -> String {
    if text.is_empty() { S3_REGION.row.default.to_owned() } else { text }
}

#[cfg(test)]
pub(crate) mod tests {
    use spindrift_settings::{SettingError, StorageDriver, VariableError, Variables};

    use super::StorageConfig;
    use crate::{BucketKind, StorageError};

    /// Settings as pairs of name and value.
    struct Given<'a>(Vec<(&'a str, &'a str)>);

    impl Variables for Given<'_> {
        fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
            Ok(self.0.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        }
    }

    /// A config for tests; `changes` replace or add settings.
    pub(crate) fn config(changes: &[(&str, &str)]) -> Result<StorageConfig, SettingError> {
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
        StorageConfig::read(&Given([changes, &defaults].concat()))
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
            assert!(matches!(error, SettingError::Unusable { name: n, .. } if n == name), "{error}");
        }
    }

    #[test]
    fn empty_keys_are_reported_when_used() {
        let no_access = config(&[("s3_access_key", "")]).unwrap();
        assert_eq!(no_access.keys().unwrap_err(), StorageError::NotConfigured("s3_access_key"));
        let no_secret = config(&[("s3_secret_key", "")]).unwrap();
        assert_eq!(no_secret.keys().unwrap_err(), StorageError::NotConfigured("s3_secret_key"));
    }
}
