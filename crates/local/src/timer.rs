//! Requests that are sent to the application at intervals, as a cron job would.

use std::time::Duration;

use http::{Method, StatusCode};
use spindrift_http::log_line;
use tokio::task::JoinHandle;

use crate::client::send;
use crate::own_requests::OwnRequests;

/// How often a request is repeated that met another run.
const BUSY_RETRIES: usize = 6;
/// The pause before each repetition. The service reserves the next run for the operator, and most runs end
/// within seconds.
const BUSY_PAUSE: Duration = Duration::from_secs(10);

/// Sends requests until dropped.
pub(crate) struct Timer(JoinHandle<()>);

impl Timer {
    /// Posts to each of the `urls` in turn with a bearer token, first after `pause` and then at that
    /// interval. A request that meets another run is repeated. Failures are logged, and the next request is
    /// sent as usual.
    pub(crate) fn start(urls: Vec<String>, token: &str, pause: Duration, own: OwnRequests) -> Self {
        let authorization = format!("Bearer {token}");
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                for url in &urls {
                    post(url, &authorization, &own, BUSY_PAUSE.min(pause)).await;
                }
            }
        }))
    }
}

async fn post(url: &str, authorization: &str, own: &OwnRequests, busy_pause: Duration) {
    let mut retries = BUSY_RETRIES;
    loop {
        match send(Method::POST, url, &[("authorization", authorization), own.header()], "").await {
            Ok(answer) if answer.status.is_success() => return,
            Ok(answer) if answer.status == StatusCode::CONFLICT && retries > 0 => {}
            Ok(answer) => return log_line(&format!("timer: {url}: {}", answer.status)),
            Err(error) => return log_line(&format!("timer: {error}")),
        }
        retries -= 1;
        tokio::time::sleep(busy_pause).await;
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Reads the head of the next request, and answers it with this status.
    async fn next_request(listener: &TcpListener, status: &str) -> String {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(head).unwrap()
    }

    #[tokio::test]
    async fn it_posts_with_the_token_again_and_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = |path: &str| format!("http://{}{path}", listener.local_addr().unwrap());
        let urls = vec![url("/one"), url("/other")];
        let _timer = Timer::start(urls, "secret", Duration::from_millis(1), OwnRequests::of("own-1"));
        for (path, status) in [
            ("/one", "503 Service Unavailable"),
            ("/other", "200 OK"),
            ("/one", "200 OK"),
            ("/other", "503 Service Unavailable"),
        ] {
            let head = next_request(&listener, status).await;
            assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{head}");
            let head = head.to_ascii_lowercase();
            assert!(head.contains("authorization: bearer secret\r\n"), "{head}");
            assert!(head.contains("x-request-id: own-1\r\n"), "{head}");
        }
    }

    #[tokio::test]
    async fn a_request_that_meets_another_run_is_sent_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = |path: &str| format!("http://{}{path}", listener.local_addr().unwrap());
        let urls = vec![url("/one"), url("/other")];
        let _timer = Timer::start(urls, "secret", Duration::from_millis(1), OwnRequests::of("own-1"));
        let busy = "409 Conflict";
        let mut paths = Vec::new();
        for status in [busy, busy, "200 OK", busy, "200 OK"] {
            let head = next_request(&listener, status).await;
            paths.extend(head.split(' ').nth(1).map(str::to_owned));
        }
        assert_eq!(paths, ["/one", "/one", "/one", "/other", "/other"]);
        for _ in 0..=BUSY_RETRIES {
            let head = next_request(&listener, busy).await;
            assert!(head.starts_with("POST /one "), "{head}");
        }
        let head = next_request(&listener, busy).await;
        assert!(head.starts_with("POST /other "), "it does not try for ever: {head}");
    }
}
