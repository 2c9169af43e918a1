//! A server with fixed answers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

/// Answers every request with `answer` until the tests end. Returns the URL of the server.
pub(crate) fn always(answer: &'static str) -> String {
    serve_answer(move |_| answer)
}

/// Like [`always`], with an answer for each request line.
pub(crate) fn serve_answer<A: AsRef<[u8]>>(answer: impl Fn(&str) -> A + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let answer = answer(head.first().map_or("", String::as_str));
            // A client that has disconnected does not need the answer.
            let _ = stream.write_all(answer.as_ref());
        }
    });
    url
}

/// A URL with no server behind it. No test gets this port, which only root may use.
pub(crate) fn nobody() -> String {
    "http://127.0.0.1:1".to_owned()
}
