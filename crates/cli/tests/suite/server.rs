//! A server that always gives the same answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

/// Answers every request with `answer` until the tests end. Returns the URL of the server.
pub(crate) fn always(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let _ = head.count();
            // A client that has disconnected does not need the answer.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

/// A URL with no server behind it.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
