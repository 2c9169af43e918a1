//! Tokens of private applications, and who gets them.

use http::{HeaderMap, header};
use spindrift_client::TrustConfig;
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::web::{Asked, Reply, Web};

use super::{BUCKET, bucket, is, offering};

const LOGIN: &str = "login-of-ada";

fn with_tokens(config: TrustConfig) -> TrustConfig {
    let download_token = format!("sdd_{}", "0".repeat(64)).parse().unwrap();
    config.with_token(LOGIN.parse().unwrap()).with_download_token(download_token)
}

fn has_tokens(headers: &HeaderMap) -> [bool; 2] {
    [headers.contains_key(header::AUTHORIZATION), headers.contains_key("x-download-token")]
}

/// Both tokens went to all of these addresses, and to no other.
fn went_to(asked: &[Asked], addresses: &str) {
    assert!(asked.iter().any(|asked| asked.url.starts_with(addresses)));
    for asked in asked {
        let is_there = asked.url.starts_with(addresses);
        assert_eq!(has_tokens(&asked.headers), [is_there; 2], "{}", asked.url);
    }
}

#[test]
fn the_service_gets_tokens_and_the_bucket_does_not() {
    let (web, repository, target) = offering(1);
    web.behave(&Web::metadata(&repository), |_| Reply::Status(503));
    web.show(&bucket(&repository), &repository.metadata);
    let app = App::new(&web, repository.root());
    is(app.with(|config| with_tokens(config).with_bucket(BUCKET)).update(), &target);
    let asked = web.asked();
    assert!(asked.iter().any(|asked| asked.url.starts_with(BUCKET)));
    went_to(&asked, &Web::metadata(&repository));
}

/// Folders that look much like the service's.
#[test]
fn no_other_mirror_gets_tokens() {
    let (web, repository, target) = offering(1);
    let others = [
        format!("{}/bucket/tuf_metadata/acme/notes/", Web::SERVICE),
        "https://updates.example.evil.example/tuf/repository/acme/notes/metadata/".to_owned(),
        "http://updates.example/tuf/repository/acme/notes/metadata/".to_owned(),
    ];
    for other in others {
        web.show(&other, &repository.metadata);
        let app = App::new(&web, repository.root());
        is(app.with(|config| with_tokens(config).with_mirrors([other.as_str()])).update(), &target);
        let asked = web.take_asked();
        assert!(asked.iter().all(|asked| asked.url.starts_with(&other)));
        assert!(asked.iter().all(|asked| has_tokens(&asked.headers) == [false; 2]));
    }
}

#[test]
fn no_target_of_a_redirect_gets_tokens() {
    let (web, repository, target) = offering(1);
    let elsewhere = "https://cdn.example/notes/";
    web.behave(&Web::metadata(&repository), move |file| Reply::Redirect(format!("{elsewhere}{file}")));
    web.show(elsewhere, &repository.metadata);
    let app = App::new(&web, repository.root());
    is(app.with(with_tokens).update(), &target);
    went_to(&web.asked(), &Web::metadata(&repository));
}

#[test]
fn redirects_end() {
    let (web, repository, _) = offering(1);
    let here = Web::metadata(&repository);
    let again = here.clone();
    web.behave(&here, move |file| Reply::Redirect(format!("{again}{file}")));
    let app = App::new(&web, repository.root());
    let error = app.update().unwrap_err().to_string();
    assert!(error.contains("more than 3 redirects"), "{error}");
}

#[test]
fn no_token_prints() {
    let (web, repository, _) = offering(1);
    web.behave(&Web::metadata(&repository), |_| Reply::Status(401));
    let app = App::new(&web, repository.root()).with(with_tokens);
    let error = app.update().unwrap_err();
    for text in [format!("{app:?}"), format!("{:?}", app.trust()), format!("{error} {error:?}")] {
        assert!(!text.contains(LOGIN) && !text.contains("sdd_"), "{text}");
    }
}
