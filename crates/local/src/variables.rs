//! The values that this machine provides for the application's variables.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use spindrift_http::ConnectionLimits;
use spindrift_manifest::{Values, Variable};
use spindrift_settings::{
    API_URL, S3_ACCESS_KEY, S3_API_ENDPOINT, S3_BUCKET, S3_BUCKET_CDN, S3_BUCKET_PRIVATE, S3_PUBLIC_URL,
    S3_REGION, S3_SECRET_KEY,
};
use spindrift_store::{Bucket, Storage, StorageOptions};
use url::Url;

use crate::error::LocalError;
use crate::secrets::Secrets;

/// The region given to the service; the storage accepts any.
const REGION: &str = "us-east-1";
const ACCESS_KEY: &str = S3_ACCESS_KEY.row.name;
const SECRET_KEY: &str = S3_SECRET_KEY.row.name;
const PUBLIC_BUCKET: &str = S3_BUCKET.row.name;
/// The variables that name buckets, and whether the objects in each bucket are public.
const BUCKETS: [(&str, bool); 3] =
    [(PUBLIC_BUCKET, true), (S3_BUCKET_PRIVATE.row.name, false), (S3_BUCKET_CDN.row.name, true)];

/// The values known before anything runs.
pub(crate) struct ProvidedValues<'a> {
    declared: &'a BTreeMap<String, Variable>,
    given: &'a Values,
    /// Generated secrets, including the storage's credentials. Used if no value is given.
    generated: Values,
}

impl<'a> ProvidedValues<'a> {
    pub(crate) fn new(
        declared: &'a BTreeMap<String, Variable>,
        given: &'a Values,
        secrets: &mut Secrets,
    ) -> Result<Self, LocalError> {
        let names = to_generate(declared, given).chain([ACCESS_KEY, SECRET_KEY]);
        let generated = secrets.get(names)?;
        Ok(Self { declared, given, generated })
    }

    /// The value of a variable, if it does not depend on what is running. `None` if it is empty.
    fn value(&self, name: &str) -> Option<&String> {
        let default = self.declared.get(name).and_then(|variable| variable.default.as_ref());
        let given = self.given.get(name).filter(|value| !value.is_empty());
        given.or_else(|| self.generated.get(name)).or(default).filter(|value| !value.is_empty())
    }

    /// The options of a storage with the credentials and buckets that the variables name. `url` is that of
    /// the service, whose console may send files to the storage.
    pub(crate) fn storage_options(
        &self,
        url: &str,
        listen: SocketAddr,
        directory: PathBuf,
        limits: ConnectionLimits,
    ) -> StorageOptions {
        let credential = |name| self.value(name).cloned().unwrap_or_default();
        let bucket = |(variable, public)| Some(Bucket { name: self.value(variable)?.clone(), public });
        StorageOptions {
            listen,
            directory,
            access_key: credential(ACCESS_KEY),
            secret_key: credential(SECRET_KEY),
            other_keys: Vec::new(),
            buckets: BUCKETS.into_iter().filter_map(bucket).collect(),
            origins: self.origins(url),
            limits,
        }
    }

    /// The origins at which the console may be open in a browser: the public address of the service, and this
    /// machine.
    fn origins(&self, url: &str) -> Vec<String> {
        let known = self.given.get(API_URL.row.name).and_then(|given| Url::parse(given).ok());
        let known = known.map(|given| given.origin().ascii_serialization());
        known.into_iter().chain([url.to_owned(), url.replacen("127.0.0.1", "localhost", 1)]).collect()
    }

    /// The values to run with. Given values take precedence over URLs and credentials, which take precedence
    /// over generated secrets.
    pub(crate) fn resolve(&self, url: &str, storage: Option<&Storage>) -> Values {
        let mut values = self.generated.clone();
        values.insert(API_URL.row.name.to_owned(), url.to_owned());
        if let Some(storage) = storage {
            let credentials = storage.options();
            for (name, value) in [
                (S3_API_ENDPOINT.row.name, storage.url().to_owned()),
                (S3_REGION.row.name, REGION.to_owned()),
                (ACCESS_KEY, credentials.access_key.clone()),
                (SECRET_KEY, credentials.secret_key.clone()),
            ] {
                values.insert(name.to_owned(), value);
            }
            if let Some(bucket) = self.value(PUBLIC_BUCKET) {
                values.insert(S3_PUBLIC_URL.row.name.to_owned(), format!("{}/{bucket}", storage.url()));
            }
        }
        // Only the values of declared variables are kept. Given values must be declared.
        values.retain(|name, _| self.declared.contains_key(name));
        values.extend(self.given.clone());
        values
    }
}

/// The declared variables that need a generated value: secrets with an empty default and no given value.
fn to_generate<'a>(
    declared: &'a BTreeMap<String, Variable>,
    given: &'a Values,
) -> impl Iterator<Item = &'a str> {
    declared
        .iter()
        .filter(|(name, variable)| {
            variable.secret && variable.default.as_deref() == Some("") && !given.contains_key(*name)
        })
        .map(|(name, _)| name.as_str())
}

/// The values from the environment variables `SPIN_VARIABLE_<NAME>`.
pub(crate) fn from_environment(declared: &BTreeMap<String, Variable>) -> Values {
    let read = |name: &String| {
        std::env::var(format!("SPIN_VARIABLE_{}", name.to_uppercase()))
            .ok()
            .map(|value| (name.clone(), value))
    };
    declared.keys().filter_map(read).collect()
}
