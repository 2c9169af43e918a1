//! Requests sent to the application at intervals, as a cron job would.

use std::time::Duration;

use embedded_host::log_line;
use http::Method;
use tokio::task::JoinHandle;

use crate::client::send;

/// Sends requests until dropped.
pub(crate) struct Timer(JoinHandle<()>);

impl Timer {
    /// Posts to one of the `urls` after the other with a bearer token, first after `pause` and then at that interval. Failures
    /// are printed on standard error; the next request is sent as usual.
    pub(crate) fn start(urls: Vec<String>, token: &str, pause: Duration) -> Self {
        let authorization = format!("Bearer {token}");
        Self(tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                for url in &urls {
                    match send(Method::POST, url, &[("authorization", &authorization)], "").await {
                        Ok(answer) if answer.status.is_success() => {}
                        Ok(answer) => log_line(&format!("timer: {url}: {}", answer.status)),
                        Err(error) => log_line(&format!("timer: {error}")),
                    }
                }
            }
        }))
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

    /// The head of the next request, which is refused.
    async fn next_request(listener: &TcpListener) -> String {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(b"HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        String::from_utf8(head).unwrap()
    }

    #[tokio::test]
    async fn it_posts_with_the_token_again_and_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = |path: &str| format!("http://{}{path}", listener.local_addr().unwrap());
        let _timer = Timer::start(vec![url("/one"), url("/other")], "secret", Duration::from_millis(1));
        for path in ["/one", "/other", "/one", "/other"] {
            let head = next_request(&listener).await;
            assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{head}");
            assert!(head.to_ascii_lowercase().contains("authorization: bearer secret\r\n"), "{head}");
        }
    }
}
