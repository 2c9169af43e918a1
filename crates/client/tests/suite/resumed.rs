//! Downloads that are interrupted and resumed.

use std::sync::{Mutex, mpsc};

use spindrift_client::{Client, Config, Download, DownloadLimits, Error, HttpSettings, HttpTransport};

use crate::downloads::{CONTENT, LENGTH, downloader, sha256};
use crate::server::{ReceivedRequest, Reply, Server, answer, raw};
use crate::world::{DownloadFolder, Pauses, SHORT};

const TAG: (&str, &str) = ("ETag", "\"a\"");

/// The first ten bytes of the file, then the connection ends.
fn cut(headers: &[(&str, &str)]) -> Reply {
    let mut all = vec![("Content-Length", "36")];
    all.extend_from_slice(headers);
    Reply::Bytes(raw(200, &all, &CONTENT[..10]))
}

/// The answer of a correct server to `Range` and `If-Range`.
fn rest(request: &ReceivedRequest, content: &[u8], tag: &str) -> Reply {
    let range = request.header("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
    match range {
        Some(start) if request.header("if-range") == Some(tag) => {
            let start: usize = start.parse().unwrap();
            let content_range = format!("bytes {start}-{}/{}", content.len() - 1, content.len());
            answer(206, &[("Content-Range", &content_range), ("ETag", tag)], &content[start..])
        }
        _ => answer(200, &[("ETag", tag)], content),
    }
}

/// The ranges of all requests.
fn ranges(server: &Server) -> Vec<String> {
    let range = |request: &ReceivedRequest| request.header("range").unwrap_or("all").to_owned();
    server.requests().iter().map(range).collect()
}

#[tokio::test]
async fn a_cut_connection_goes_on_where_it_was() {
    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let (client, pauses) = downloader();
    let place = DownloadFolder::new();
    let download = Download::new(&server.url, place.target()).with_length(LENGTH).with_sha256(sha256());
    let mut steps = Vec::new();

    let done = client.download(&download, |progress| steps.push(progress.bytes)).await.unwrap();

    assert_eq!((done.bytes, done.resumed_at), (LENGTH, 0));
    assert_eq!(place.content(), CONTENT);
    assert_eq!(place.files(), ["app.deb"]);
    assert_eq!(ranges(&server), ["all", "bytes=10-"]);
    assert_eq!(server.requests()[1].header("if-range"), Some("\"a\""));
    assert_eq!(pauses.all().len(), 1);
    assert!(steps.is_sorted() && steps.last() == Some(&LENGTH), "{steps:?}");
}

#[tokio::test]
async fn a_later_call_goes_on_where_it_was() {
    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        1 => answer(404, &[], ""),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = Download::new(&server.url, place.target()).with_sha256(sha256());

    let error = client.download(&download, |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::RequestFailed(_)), "{error}");
    assert_eq!(place.files(), ["app.deb.part", "app.deb.part.json"]);
    let done = client.download(&download, |_| {}).await.unwrap();

    assert_eq!((done.bytes, done.resumed_at), (LENGTH, 10));
    assert_eq!(place.content(), CONTENT);
    assert_eq!(place.files(), ["app.deb"]);
    assert_eq!(ranges(&server), ["all", "bytes=10-", "bytes=10-"]);
}

#[tokio::test]
async fn bytes_of_another_address_are_not_used() {
    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        1 => answer(404, &[], ""),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = |path: &str| Download::new(format!("{}{path}", server.url), place.target());

    client.download(&download("/1"), |_| {}).await.unwrap_err();
    let done = client.download(&download("/2"), |_| {}).await.unwrap();

    assert_eq!((done.bytes, done.resumed_at), (LENGTH, 0));
    assert_eq!(ranges(&server), ["all", "bytes=10-", "all"]);
}

#[tokio::test]
async fn a_newly_signed_url_leads_to_the_same_file() {
    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        1 => answer(403, &[], ""),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = |signature: &str, identity: &str| {
        Download::new(format!("{}/1?signature={signature}", server.url), place.target())
            .with_identity(identity)
    };

    client.download(&download("1", "a.deb"), |_| {}).await.unwrap_err();
    let done = client.download(&download("2", "a.deb"), |_| {}).await.unwrap();
    assert_eq!((done.bytes, done.resumed_at), (LENGTH, 10));

    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        1 => answer(403, &[], ""),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let download = |identity: &str| Download::new(&server.url, place.target()).with_identity(identity);
    client.download(&download("a.deb"), |_| {}).await.unwrap_err();
    let done = client.download(&download("b.deb"), |_| {}).await.unwrap();
    assert_eq!(done.resumed_at, 0, "another file at the same URL");
}

#[tokio::test]
async fn complete_files_are_verified_without_another_request() {
    let server = Server::start(|number, _| match number {
        0 => cut(&[TAG]),
        _ => answer(404, &[], ""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let download = Download::new(&server.url, place.target()).with_sha256(sha256());
    client.download(&download, |_| {}).await.unwrap_err();
    // As if the process had ended between the last byte and the rename.
    std::fs::write(place.target().with_extension("deb.part"), CONTENT).unwrap();

    let done = client.download(&download, |_| {}).await.unwrap();

    assert_eq!((done.bytes, done.resumed_at), (LENGTH, LENGTH));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(place.files(), ["app.deb"]);
}

#[tokio::test]
async fn a_server_that_ignores_ranges_starts_again() {
    let server = Server::start(|number, _| match number {
        0 => cut(&[TAG]),
        _ => answer(200, &[TAG], CONTENT),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    let done = client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    assert_eq!((done.bytes, place.content().as_slice()), (LENGTH, CONTENT));
    assert_eq!(ranges(&server), ["all", "bytes=10-"]);
}

#[tokio::test]
async fn without_a_strong_tag_nothing_is_resumed() {
    for headers in [vec![], vec![("ETag", "W/\"a\"")]] {
        let server = Server::start(move |number, _| match number {
            0 => cut(&headers),
            _ => answer(200, &[], CONTENT),
        });
        let (client, _) = downloader();
        let place = DownloadFolder::new();

        client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

        assert_eq!(place.content(), CONTENT);
        assert_eq!(ranges(&server), ["all", "all"]);
    }
}

#[tokio::test]
async fn a_changed_file_is_fetched_again() {
    let new = b"another file, which is longer than the one before";
    let server = Server::start(move |number, request| match number {
        0 => cut(&[TAG]),
        _ => rest(request, new, "\"b\""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    let done = client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    assert_eq!((done.bytes, place.content().as_slice()), (new.len() as u64, new.as_slice()));
    assert_eq!(ranges(&server), ["all", "bytes=10-"]);
}

/// Servers that send a part although the condition fails, or another part than requested.
#[tokio::test]
async fn a_part_that_does_not_fit_is_not_added() {
    for (content_range, tag) in
        [("bytes 10-35/36", "\"b\""), ("bytes 0-35/36", "\"a\""), ("bytes 12-35/36", "\"a\""), ("", "\"a\"")]
    {
        let server = Server::start(move |number, _| match number {
            0 => cut(&[TAG]),
            1 => answer(206, &[("Content-Range", content_range), ("ETag", tag)], "x".repeat(26)),
            _ => answer(200, &[], CONTENT),
        });
        let (client, _) = downloader();
        let place = DownloadFolder::new();

        client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

        assert_eq!(place.content(), CONTENT, "{content_range} {tag}");
        assert_eq!(ranges(&server), ["all", "bytes=10-", "all"]);
    }
}

#[tokio::test]
async fn a_range_that_the_file_does_not_have_starts_again() {
    let server = Server::start(|number, _| match number {
        0 => cut(&[TAG]),
        1 => answer(416, &[("Content-Range", "bytes */5")], ""),
        _ => answer(200, &[], "short"),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    assert_eq!(place.content(), b"short");
    assert_eq!(ranges(&server), ["all", "bytes=10-", "all"]);
}

#[tokio::test]
async fn pieces_that_do_not_make_the_file_are_dropped_once() {
    let lie = |request: &ReceivedRequest| rest(request, &CONTENT.to_ascii_uppercase(), "\"a\"");
    let healed = Server::start(move |number, request| match number {
        0 => cut(&[TAG]),
        1 => lie(request),
        _ => answer(200, &[TAG], CONTENT),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    client.download(&Download::new(&healed.url, place.target()).with_sha256(sha256()), |_| {}).await.unwrap();
    assert_eq!(place.content(), CONTENT);
    assert_eq!(ranges(&healed), ["all", "bytes=10-", "all"]);

    let wrong =
        Server::start(move |number, request| if number % 2 == 0 { cut(&[TAG]) } else { lie(request) });
    let place = DownloadFolder::new();
    let download = Download::new(&wrong.url, place.target()).with_sha256(sha256());
    let error = client.download(&download, |_| {}).await.unwrap_err();
    assert!(matches!(error, Error::WrongDigest { .. }), "{error}");
    assert_eq!((wrong.requests().len(), place.files().len()), (4, 0));
}

/// A cache may send a complete answer with fewer bytes than requested.
#[tokio::test]
async fn a_part_may_be_smaller_than_requested() {
    let server = Server::start(|number, request| match number {
        0 => cut(&[TAG]),
        1 => answer(206, &[("Content-Range", "bytes 10-19/36"), TAG], &CONTENT[10..20]),
        _ => rest(request, CONTENT, "\"a\""),
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();

    client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    assert_eq!(place.content(), CONTENT);
    assert_eq!(ranges(&server), ["all", "bytes=10-", "bytes=20-"]);
}

#[tokio::test]
async fn a_line_that_falls_silent_is_given_up_and_goes_on() {
    let (gate, wait) = mpsc::channel();
    let wait = Mutex::new(Some(wait));
    let server = Server::start(move |_, request| match wait.lock().unwrap().take() {
        Some(wait) => {
            let first = raw(200, &[("Content-Length", "36"), TAG], &CONTENT[..10]);
            Reply::Gated(first, wait, Vec::new())
        }
        None => rest(request, CONTENT, "\"a\""),
    });
    let settings = HttpSettings { idle_time_out: SHORT, proxies: false, ..HttpSettings::default() };
    let transport = HttpTransport::new(&settings).unwrap();
    let client = Client::with_transport(Config::new("http://unused.example"), transport).unwrap();
    let client = client.with_sleep(Pauses::default());
    let place = DownloadFolder::new();

    client.download(&Download::new(&server.url, place.target()), |_| {}).await.unwrap();

    assert_eq!(place.content(), CONTENT);
    assert_eq!(ranges(&server), ["all", "bytes=10-"]);
    drop(gate);
}

#[tokio::test]
async fn a_line_that_always_breaks_ends_only_without_progress() {
    // One more byte each time, then none.
    let server = Server::start(|number, request| {
        let start = number.min(20);
        let rest = &CONTENT[start..start + usize::from(number < 20)];
        match request.header("range") {
            None => Reply::Bytes(raw(200, &[("Content-Length", "36"), TAG], rest)),
            Some(range) => {
                assert_eq!(range, format!("bytes={start}-"));
                let content_range = format!("bytes {start}-35/36");
                let length = (36 - start).to_string();
                let headers = [("Content-Length", length.as_str()), ("Content-Range", &content_range), TAG];
                Reply::Bytes(raw(206, &headers, rest))
            }
        }
    });
    let (client, _) = downloader();
    let place = DownloadFolder::new();
    let limits = DownloadLimits { max_attempts: 3, ..DownloadLimits::default() };

    let download = Download::new(&server.url, place.target()).with_limits(limits);
    let error = client.download(&download, |_| {}).await.unwrap_err();

    assert!(matches!(error, Error::RequestFailed(_)), "{error}");
    assert_eq!(server.requests().len(), 23);
    assert_eq!(std::fs::read(place.target().with_extension("deb.part")).unwrap(), &CONTENT[..20]);
}
