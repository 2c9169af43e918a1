use std::sync::Mutex;

use spindrift_client::{
    Client, Config, Download, DownloadLimits, Error, Md5Digest, Progress, Sha256Hex, Sha512Hex,
};

use crate::server::{Reply, Server, answer, raw};
use crate::world::{DownloadFolder, Pauses, client};

pub(crate) const CONTENT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
pub(crate) const LENGTH: u64 = 36;

/// `printf 0123456789abcdefghijklmnopqrstuvwxyz | sha256sum`
pub(crate) fn sha256() -> Sha256Hex {
    "74e7e5bb9d22d6db26bf76946d40fff3ea9f0346b884fd0694920fccfad15e33".parse().unwrap()
}

fn sha512() -> Sha512Hex {
    "95cadc34aa46b9fdef432f62fe5bad8d9f475bfbecf797d5802bb5f2937a85d93ce4857a6262b03834c01c610d74cd1215f9a466dc6ad3dd15078e3309a03a6d".parse().unwrap()
}

fn md5() -> Md5Digest {
    "e9b1713db620f1e3a14b6812de523f4b".parse().unwrap()
}

pub(crate) fn downloader() -> (Client, Pauses) {
    client(Config::new("http://unused.example"))
}

#[tokio::test]
async fn a_file_comes_whole_and_verified() {
    let server = Server::start(|_, _| answer(200, &[("ETag", "\"a\"")], CONTENT));
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    std::fs::write(place.target(), "the old one").unwrap();
    let download = Download::new(format!("{}/app.deb?sig=secret", server.url), place.target())
        .with_length(LENGTH)
        .with_sha256(sha256())
        .with_sha512(sha512())
        .with_md5(md5());
    let mut steps = Vec::new();

    let done = client.download(&download, |progress: Progress| steps.push(progress)).await.unwrap();

    assert_eq!((done.path, done.bytes, done.resumed_at), (place.target(), LENGTH, 0));
    assert_eq!(place.content(), CONTENT);
    assert_eq!(place.files(), ["app.deb"]);
    let last = steps.last().unwrap();
    assert_eq!((last.bytes, last.total), (LENGTH, Some(LENGTH)));
    let request = &server.requests()[0];
    assert_eq!(request.target, "/app.deb?sig=secret");
    assert_eq!((request.header("range"), request.header("accept-encoding")), (None, Some("identity")));
}

#[tokio::test]
async fn an_empty_file_is_a_file() {
    let server = Server::start(|_, _| answer(200, &[], ""));
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    let done =
        client.download(&Download::new(&server.url, place.target()).with_length(0), |_| {}).await.unwrap();

    assert_eq!((done.bytes, place.files()), (0, vec!["app.deb".to_owned()]));
}

#[tokio::test]
async fn a_wrong_digest_leaves_nothing_and_touches_nothing() {
    let server = Server::start(|_, _| answer(200, &[("ETag", "\"a\"")], "something else"));
    let (client, pauses) = downloader();
    for algorithm in ["sha256", "sha512", "md5"] {
        let place = DownloadFolder::new();
        std::fs::write(place.target(), "the old one").unwrap();
        let download = Download::new(&server.url, place.target());
        let download = match algorithm {
            "sha256" => download.with_sha256(sha256()),
            "sha512" => download.with_sha512(sha512()),
            _ => download.with_md5(md5()),
        };

        let error = client.download(&download, |_| {}).await.unwrap_err();

        assert!(matches!(&error, Error::WrongDigest { algorithm: a, .. } if *a == algorithm), "{error}");
        assert_eq!(place.files(), ["app.deb"]);
        assert_eq!(place.content(), b"the old one");
    }
    assert_eq!((server.requests().len(), pauses.all().len()), (3, 0));
}

#[tokio::test]
async fn a_wrong_length_is_told_and_leaves_nothing() {
    let chunked = [("Transfer-Encoding", "chunked")];
    let long = raw(200, &chunked, "a\r\n0123456789\r\n1e\r\nabcdefghijklmnopqrstuvwxyzabcd\r\n0\r\n\r\n");
    let short = raw(200, &chunked, "a\r\n0123456789\r\n0\r\n\r\n");
    for (reply, actual) in [
        (raw(200, &[("Content-Length", "37")], ""), 37),
        (raw(200, &[("Content-Length", "35")], ""), 35),
        (long, 40),
        (short, 10),
    ] {
        let server = Server::start(move |_, _| Reply::Bytes(reply.clone()));
        let (client, _) = downloader();
        let place = DownloadFolder::new();
        let download = Download::new(&server.url, place.target()).with_length(LENGTH);

        let error = client.download(&download, |_| {}).await.unwrap_err();

        assert!(
            matches!(error, Error::WrongLength { expected: LENGTH, actual: a } if a == actual),
            "{actual}: {error}"
        );
        assert_eq!((place.files().len(), server.requests().len()), (0, 1), "{actual}");
    }
}

#[tokio::test]
async fn excess_bytes_end_a_download_at_once() {
    let (gate, wait) = std::sync::mpsc::channel();
    let wait = Mutex::new(Some(wait));
    let more = format!("28\r\n{}\r\n", "x".repeat(40));
    let first = raw(200, &[("Transfer-Encoding", "chunked")], more);
    let server = Server::start(move |_, _| {
        Reply::Gated(first.clone(), wait.lock().unwrap().take().unwrap(), Vec::new())
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = Download::new(&server.url, place.target()).with_length(LENGTH);

    let error = client.download(&download, |_| {}).await.unwrap_err();

    assert!(matches!(error, Error::WrongLength { expected: LENGTH, actual: 40 }), "{error}");
    assert!(place.files().is_empty());
    drop(gate);
}

#[tokio::test]
async fn files_over_the_limit_are_not_fetched() {
    let announced = raw(200, &[("Content-Length", "1000")], "");
    let unannounced =
        raw(200, &[("Transfer-Encoding", "chunked")], "14\r\n01234567890123456789\r\n0\r\n\r\n");
    for reply in [announced, unannounced] {
        let server = Server::start(move |_, _| Reply::Bytes(reply.clone()));
        let (client, _) = downloader();
        let place = DownloadFolder::new();
        let limits = DownloadLimits { max_bytes: 10, ..DownloadLimits::default() };
        let download = Download::new(&server.url, place.target()).with_limits(limits);

        let error = client.download(&download, |_| {}).await.unwrap_err();

        assert!(matches!(error, Error::FileTooLarge { limit: 10 }), "{error}");
        assert!(place.files().is_empty());
    }
}

#[tokio::test]
async fn a_server_in_trouble_is_asked_again_when_it_says() {
    let server = Server::start(|number, _| match number {
        0 => answer(503, &[("Retry-After", "20")], ""),
        1 => answer(429, &[], ""),
        _ => answer(200, &[], CONTENT),
    });
    let (client, pauses) = downloader();
    let place = DownloadFolder::new();

    client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    let pauses = pauses.all();
    assert!((20..=30).contains(&pauses[0].as_secs()), "{pauses:?}");
    assert!((2..=3).contains(&pauses[1].as_secs()), "{pauses:?}");
    assert_eq!(pauses.len(), 2);
}

#[tokio::test]
async fn attempts_end() {
    let limits = DownloadLimits { max_attempts: 3, ..DownloadLimits::default() };
    let broken = Server::start(|_, _| answer(500, &[], ""));
    for (url, status) in [(broken.url.clone(), Some(500)), (Server::nowhere(), None)] {
        let (client, pauses) = downloader();
        let place = DownloadFolder::new();
        let url = format!("{url}/app.deb?sig=secret");

        let download = Download::new(url, place.target()).with_limits(limits);
        let error = client.download(&download, |_| {}).await.unwrap_err();

        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(matches!(error, Error::RequestFailed(error) if error.status == status));
        assert_eq!((pauses.all().len(), place.files().len()), (2, 0));
    }
    assert_eq!(broken.requests().len(), 3);
}

#[tokio::test]
async fn a_refusal_is_final() {
    let text = r#"{"error":"no such key"}"#;
    let reply = |status: u16| Server::start(move |_, _| answer(status, &[], text));
    for (server, expected) in [(reply(404), 404), (reply(403), 403), (reply(204), 204), (reply(206), 206)] {
        let (client, _) = downloader();
        let place = DownloadFolder::new();

        let error = client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap_err();

        assert_eq!(error.to_string().ends_with(": no such key"), expected != 204, "{error}");
        assert!(matches!(error, Error::RequestFailed(error) if error.status == Some(expected)));
        assert_eq!((server.requests().len(), place.files().len()), (1, 0), "{expected}");
    }
}

#[tokio::test]
async fn an_encoded_file_is_not_taken() {
    let server = Server::start(|_, _| answer(200, &[("Content-Encoding", "gzip")], CONTENT));
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    let error = client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap_err();

    assert!(error.to_string().contains("content encoding"), "{error}");
    assert!(place.files().is_empty());
}

#[tokio::test]
async fn two_downloads_do_not_write_the_same_file() {
    let (gate, wait) = std::sync::mpsc::channel();
    let wait = Mutex::new(Some(wait));
    let head = raw(200, &[("Content-Length", "36")], &CONTENT[..10]);
    let server = Server::start(move |_, _| {
        Reply::Gated(head.clone(), wait.lock().unwrap().take().unwrap(), CONTENT[10..].to_vec())
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = Download::new(&server.url, place.target()).with_sha256(sha256());
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let mut begun = Some(begun);
    let first = tokio::spawn({
        let (client, download) = (client.clone(), download.clone());
        async move {
            let tell = |_| {
                if let Some(begun) = begun.take() {
                    let _ = begun.send(());
                }
            };
            client.download(&download, tell).await
        }
    });
    has_begun.await.unwrap();

    let second = client.download(&download, |_| {}).await;
    gate.send(()).unwrap();
    let first = first.await.unwrap();

    assert!(matches!(second, Err(Error::Busy { .. })), "{second:?}");
    assert_eq!(first.unwrap().bytes, LENGTH);
    assert_eq!(place.files(), ["app.deb"]);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_told() {
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let target = place.target().join("missing").join("app.deb");

    let error = client.download(&Download::new("http://127.0.0.1:1/", target), |_| {}).await.unwrap_err();

    assert!(matches!(error, Error::File { .. }), "{error}");
    let error =
        client.download(&Download::new("file:///etc/passwd", place.target()), |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::InvalidUrl("download url")), "{error}");
}
