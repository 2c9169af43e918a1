//! Where pages send files: to the storage, as browsers reach it.

use spindrift_settings::{
    S3_API_ENDPOINT, S3_BUCKET_PRIVATE, S3_PATH_STYLE, S3_PRESIGN_ENDPOINT, STORAGE_DRIVER, StorageDriver,
    Variables,
};

use crate::context::origin;
use crate::{ConsoleError, Result};

/// Where presigned URLs lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorageAccess {
    /// To the storage at this origin.
    To(String),
    /// Browsers cannot reach the storage.
    Nowhere,
}

impl StorageAccess {
    pub(crate) fn read(variables: &impl Variables) -> Result<Self> {
        if STORAGE_DRIVER.read(variables).map_err(ConsoleError::no_answer)? == StorageDriver::S3Internal {
            return Ok(Self::Nowhere);
        }
        let presign = S3_PRESIGN_ENDPOINT.read(variables).map_err(ConsoleError::no_answer)?;
        let endpoint = if presign.is_empty() {
            S3_API_ENDPOINT.read(variables).map_err(ConsoleError::no_answer)?
        } else {
            presign
        };
        let origin = origin(&endpoint);
        if S3_PATH_STYLE.read(variables).map_err(ConsoleError::no_answer)? {
            return Ok(Self::To(origin.to_owned()));
        }
        let bucket = S3_BUCKET_PRIVATE.read(variables).map_err(ConsoleError::no_answer)?;
        let (scheme, host) = origin.split_once("://").unwrap_or(("https", origin));
        Ok(Self::To(format!("{scheme}://{bucket}.{host}")))
    }
}

#[cfg(test)]
mod tests {
    use spindrift_settings::VariableError;

    use super::*;

    struct TestVariables<'a>(&'a [(&'a str, &'a str)]);

    impl Variables for TestVariables<'_> {
        fn variable(&self, name: &str) -> Result<Option<String>, VariableError> {
            Ok(self.0.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        }
    }

    #[test]
    fn pages_may_send_to_the_storage_as_browsers_reach_it() {
        let to = |origin: &str| StorageAccess::To(origin.to_owned());
        let inner = ("s3_api_endpoint", "http://storage:9000");
        let outer = ("s3_presign_endpoint", "https://s3.example/base/");
        let bucket = ("s3_bucket_private", "files");
        for (given, expected) in [
            (&[inner][..], to("http://storage:9000")),
            (&[inner, outer], to("https://s3.example")),
            (&[inner, outer, bucket, ("s3_path_style", "false")], to("https://files.s3.example")),
            (&[inner, ("storage_driver", "s3_internal")], StorageAccess::Nowhere),
        ] {
            // Reading a setting that the manifest does not grant is an error.
            let all: Vec<_> = given
                .iter()
                .copied()
                .chain([
                    ("storage_driver", "s3"),
                    ("s3_presign_endpoint", ""),
                    ("s3_path_style", "true"),
                    ("s3_bucket_private", "spindrift-private"),
                ])
                .collect();
            assert_eq!(StorageAccess::read(&TestVariables(&all)).unwrap(), expected, "{given:?}");
        }
    }
}
