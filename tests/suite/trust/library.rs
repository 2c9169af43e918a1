//! The client library's feature `trust`, with repositories written by hand: what it installs, refuses and remembers.

mod channels;
mod figures;
mod mirrors;
mod scope;
mod service;
mod state;
mod tokens;
mod updates;
mod withheld;

use spindrift_client::{Error, TrustError, Trusted};
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::web::Web;

use super::{days_ago, package, repository};

/// The other mirror.
const BUCKET: &str = "https://bucket.example/";

/// A repository of some days ago that lists 1.0.0 and 1.1.0; the service shows it, and its checks offer 1.1.0.
fn offering(ago: i64) -> (Web, TestRepository, TestTarget) {
    let mut repository = repository(ago, &package("stable", "1.0.0"));
    let target = package("stable", "1.1.0");
    repository.publish([target.clone()], days_ago(ago));
    let web = Web::default();
    web.serve(&repository);
    web.offer(Some("1.1.0"));
    (web, repository, target)
}

/// Where the bucket has the metadata.
fn bucket(repository: &TestRepository) -> String {
    format!("{BUCKET}tuf_metadata/{}/", repository.path)
}

/// It is this target that is trusted.
fn is(trusted: Result<Trusted, Error>, target: &TestTarget) {
    let trusted = trusted.unwrap();
    assert_eq!(trusted.name, target.name);
    assert_eq!(trusted.length, target.bytes.len() as u64);
    assert_eq!(trusted.sha256.as_str(), spindrift_tests::sha256_hex(&target.bytes));
    assert_eq!(trusted.sha512.as_str(), spindrift_tests::sha512_hex(&target.bytes));
}

/// The error of verification.
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> TrustError {
    match result {
        Err(Error::Trust(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Metadata is refused for this reason.
fn is_refused<T: std::fmt::Debug>(result: Result<T, Error>, expected: &str) {
    match refusal(result) {
        TrustError::Refused { reason, .. } => assert!(reason.contains(expected), "{reason}"),
        other => panic!("{other}"),
    }
}
