//! The folders with metadata.

use spindrift_core::{AppName, UserName, encode_segments};
use url::Url;

use super::{TrustConfig, TrustError};
use crate::{Error, address};

/// A folder with metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mirror {
    /// Its address, which ends with a slash.
    pub(super) base: Url,
    /// Whether it is the service, which alone gets the tokens.
    pub(super) is_service: bool,
}

/// The mirrors in the order in which they are asked.
pub(super) fn mirrors(service: &Url, config: &TrustConfig) -> Result<Vec<Mirror>, Error> {
    let path = path(&config.repository)?;
    let service = folder(service, &format!("tuf/repository/{path}/metadata/"));
    let bucket = || -> Result<Option<Url>, Error> {
        let bucket = config.bucket_url.as_deref().filter(|text| !text.is_empty());
        let base = bucket.map(|text| address::parse_base_url(text, "bucket url")).transpose()?;
        Ok(base.map(|base| folder(&base, &format!("tuf_metadata/{path}/"))))
    };
    let bases = if config.mirrors.is_empty() {
        [Some(service.clone()), bucket()?].into_iter().flatten().collect()
    } else {
        let given = config.mirrors.iter().map(|text| address::parse_base_url(text, "mirror url"));
        given.map(|base| base.map(|base| folder(&base, ""))).collect::<Result<Vec<_>, _>>()?
    };
    Ok(bases.into_iter().map(|base| Mirror { is_service: base == service, base }).collect())
}

/// `{base}/{path}`, which ends with a slash.
fn folder(base: &Url, path: &str) -> Url {
    address::endpoint(base, path)
}

/// The repository's name as a path: each segment encoded as in links, and a leading dot as well.
fn path(repository: &str) -> Result<String, Error> {
    let invalid = || Error::Trust(TrustError::InvalidRepository);
    let (owner, app) = repository.split_once('/').ok_or_else(invalid)?;
    let is_name = owner.parse::<UserName>().is_ok_and(|name| name.as_str() == owner)
        && app.parse::<AppName>().is_ok_and(|name| name.as_str() == app);
    if !is_name {
        return Err(invalid());
    }
    let segments = [owner, app].map(|segment| {
        let encoded = encode_segments([segment]);
        match encoded.strip_prefix('.') {
            Some(rest) => format!("%2E{rest}"),
            None => encoded,
        }
    });
    Ok(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: &str = "https://updates.example/api";

    fn bases(config: &TrustConfig) -> Vec<(String, bool)> {
        let mirrors = mirrors(&SERVICE.parse().unwrap(), config).unwrap();
        mirrors.into_iter().map(|mirror| (mirror.base.into(), mirror.is_service)).collect()
    }

    fn config(repository: &str) -> TrustConfig {
        TrustConfig::new("", repository, "")
    }

    #[test]
    fn the_service_is_asked_before_the_bucket() {
        let service = ("https://updates.example/api/tuf/repository/acme/My%20App/metadata/".to_owned(), true);
        let bucket = ("https://b.example/x/tuf_metadata/acme/My%20App/".to_owned(), false);
        let config = config("acme/My App");
        for config in [config.clone(), config.clone().with_bucket("")] {
            assert_eq!(bases(&config), std::slice::from_ref(&service));
        }
        assert_eq!(bases(&config.with_bucket("https://b.example/x/")), [service, bucket]);
    }

    #[test]
    fn only_the_service_is_the_service() {
        let given = [
            "https://cdn.example/notes",
            "https://updates.example/api/tuf/repository/acme/notes/metadata",
            "https://updates.example/bucket/tuf_metadata/acme/notes/",
        ];
        let service = [false, true, false];
        let expected = given.map(|text| format!("{}/", text.trim_end_matches('/'))).into_iter().zip(service);
        assert_eq!(bases(&config("acme/notes").with_mirrors(given)), expected.collect::<Vec<_>>());
    }

    #[test]
    fn names_are_encoded() {
        assert_eq!(path("my@owner/a b").unwrap(), "my%40owner/a%20b");
        for bad in [
            "",
            "acme",
            "acme/",
            "/notes",
            "acme/notes/x",
            "a b/notes",
            "acme/../x",
            "acme/ notes",
            ".my/notes",
        ] {
            let refused = path(bad);
            assert!(matches!(refused, Err(Error::Trust(TrustError::InvalidRepository))), "{bad}");
        }
    }

    #[test]
    fn addresses_are_checked() {
        let service: Url = SERVICE.parse().unwrap();
        let config = config("acme/notes");
        for bad in ["ftp://b.example", "https://u:p@b.example", "b.example", "https://b.example?x"] {
            for config in [config.clone().with_bucket(bad), config.clone().with_mirrors([bad])] {
                assert!(matches!(mirrors(&service, &config), Err(Error::InvalidUrl(_))), "{bad}");
            }
        }
    }
}
