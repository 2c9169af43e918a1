use spindrift_client::{BearerToken, Download, DownloadLimits, Error};

use crate::downloads::{CONTENT, downloader, sha256};
use crate::server::{Server, answer};
use crate::world::DownloadFolder;

fn token() -> BearerToken {
    "login-token".parse().unwrap()
}

#[tokio::test]
async fn tokens_stay_with_the_service() {
    let storage = Server::start(|_, _| answer(200, &[], CONTENT));
    let location = format!("{}/bucket/app.deb?sig=1", storage.url);
    let service = Server::start(move |_, request| match request.target.as_str() {
        "/download?key=k" => answer(302, &[("Location", "/moved")], ""),
        _ => answer(307, &[("Location", &location)], ""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download_token = format!("sdd_{}", "0".repeat(64));
    let download = Download::new(format!("{}/download?key=k", service.url), place.target())
        .with_sha256(sha256())
        .with_token(token())
        .with_download_token(download_token.parse().unwrap());

    client.download(&download, |_| {}).await.unwrap();

    assert_eq!(place.content(), CONTENT);
    let shown = |server: &Server, name: &str| -> Vec<Option<String>> {
        server.requests().iter().map(|request| request.header(name).map(str::to_owned)).collect()
    };
    for (name, value) in [("authorization", "Bearer login-token"), ("x-download-token", &download_token)] {
        let value = Some(value.to_owned());
        assert_eq!(shown(&service, name), [value.clone(), value], "{name}");
        assert_eq!(shown(&storage, name), [None], "{name}");
    }
    assert_eq!(storage.requests()[0].target, "/bucket/app.deb?sig=1");
}

#[tokio::test]
async fn the_token_does_not_come_back_with_a_redirect() {
    // A redirect within the other server, and one back.
    let detour = Server::start(|_, request| {
        let next = match request.target.split_once('?') {
            Some(("/to", back)) => format!("/on?{back}"),
            Some((_, back)) => back.to_owned(),
            None => String::new(),
        };
        answer(302, &[("Location", &next)], "")
    });
    let detour_url = detour.url.clone();
    let service = Server::start(move |_, request| {
        let host = request.header("host").unwrap_or_default();
        match request.target.as_str() {
            "/final" => answer(200, &[], CONTENT),
            _ => answer(302, &[("Location", &format!("{detour_url}/to?http://{host}/final"))], ""),
        }
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    client.download(&Download::new(&service.url, place.target()).with_token(token()), |_| {}).await.unwrap();

    let seen = service.requests();
    assert_eq!(seen[0].header("authorization"), Some("Bearer login-token"));
    assert_eq!((seen[1].target.as_str(), seen[1].header("authorization")), ("/final", None));
    let seen = detour.requests();
    assert_eq!(seen.len(), 2);
    assert!(seen.iter().all(|request| request.header("authorization").is_none()));
}

#[tokio::test]
async fn redirects_end() {
    let service = Server::start(|_, _| answer(302, &[("Location", "/again")], ""));
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let limits = DownloadLimits { max_redirects: 3, ..DownloadLimits::default() };

    let download = Download::new(&service.url, place.target()).with_limits(limits);
    let error = client.download(&download, |_| {}).await.unwrap_err();

    assert!(error.to_string().ends_with("more than 3 redirects"), "{error}");
    assert_eq!((service.requests().len(), place.files().len()), (4, 0));
}

#[tokio::test]
async fn a_redirect_that_leads_nowhere_is_an_error() {
    for headers in [vec![], vec![("Location", "file:///etc/passwd")], vec![("Location", "http://")]] {
        let service = Server::start(move |_, _| answer(302, &headers, ""));
        let (client, _) = downloader();
        let place = DownloadFolder::new();

        let error = client.download(&Download::new(&service.url, place.target()), |_| {}).await.unwrap_err();

        assert!(matches!(&error, Error::RequestFailed(error) if error.status == Some(302)), "{error}");
        assert!(error.to_string().contains("redirect"), "{error}");
    }
}
