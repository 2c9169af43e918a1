//! A server that always answers the same.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

/// Answers every request with `answer`, for as long as the tests run; its address.
pub(crate) fn always(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let _ = head.count();
            // Whoever went away does not need it.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

/// An address where nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
