//! A blocking HTTP client behind an asynchronous interface. Each exchange runs on its own thread, so that a component
//! can have several at once. Reading a body blocks the component's thread.

use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use futures::channel::oneshot;
use futures::stream;
use http::{Method, Request, Response};
use spindrift_storage::{ByteStream, HttpSend, SendError};
use ureq::Agent;

use crate::NativePlatform;
use crate::faults::REASON;
use crate::grants::{NOT_GRANTED, OUTBOUND_HOSTS};

/// Most bytes of one chunk of a body.
const CHUNK_SIZE: usize = 64 * 1024;

/// Plain HTTP only. Error statuses are answers, redirects are not followed, connections are not reused.
pub(crate) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(0)
        .allow_non_standard_methods(true)
        .proxy(None)
        .build()
        .new_agent()
}

impl HttpSend for NativePlatform {
    async fn send(
        &self,
        request: Request<Bytes>,
        time_out: Duration,
    ) -> Result<Response<ByteStream>, SendError> {
        let writes = !matches!(*request.method(), Method::GET | Method::HEAD);
        if self.faults().http.is_on() || !self.is_alive(writes) {
            return Err(SendError::Unreachable(REASON.to_owned()));
        }
        if !self.is_granted(OUTBOUND_HOSTS) {
            return Err(SendError::Unreachable(NOT_GRANTED.to_owned()));
        }
        self.counts().requests.count();
        let (agent, (sender, receiver)) = (self.agent().clone(), oneshot::channel());
        // The receiver may have been dropped.
        std::thread::spawn(move || drop(sender.send(exchange(&agent, request, time_out))));
        let answer = receiver.await.map_err(|error| SendError::Unreachable(error.to_string()))?;
        let answer = answer.map_err(|error| SendError::Unreachable(error.to_string()))?;
        Ok(answer.map(|body| chunks(body.into_reader())))
    }
}

fn exchange(
    agent: &Agent,
    request: Request<Bytes>,
    time_out: Duration,
) -> Result<Response<ureq::Body>, ureq::Error> {
    let (mut head, body) = request.into_parts();
    if matches!(head.method, Method::GET | Method::HEAD) {
        return agent.run(timed(agent, Request::from_parts(head, ()), time_out));
    }
    head.headers.insert(http::header::CONTENT_LENGTH, body.len().into());
    agent.run(timed(agent, Request::from_parts(head, &*body), time_out))
}

/// Limits the connection, the first byte and the pause between two bytes to `time_out`, each.
fn timed<B: ureq::AsSendBody>(agent: &Agent, request: Request<B>, time_out: Duration) -> Request<B> {
    let time_out = Some(time_out);
    agent
        .configure_request(request)
        .timeout_resolve(time_out)
        .timeout_connect(time_out)
        .timeout_per_write(time_out)
        .timeout_per_read(time_out)
        .timeout_recv_response(time_out)
        .build()
}

/// The chunks that `reader` returns, until its end or its first error.
fn chunks(reader: impl Read + 'static) -> ByteStream {
    Box::pin(stream::unfold(Some(reader), async |reader| {
        let mut reader = reader?;
        let mut chunk = vec![0; CHUNK_SIZE];
        match reader.read(&mut chunk) {
            Ok(0) => None,
            Ok(length) => {
                chunk.truncate(length);
                Some((Ok(Bytes::from(chunk)), Some(reader)))
            }
            Err(error) => Some((Err(error), None)),
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use bytes::Bytes;
    use futures::StreamExt as _;
    use futures::executor::block_on;
    use http::Request;
    use spindrift_storage::{HttpSend as _, SendError};

    use crate::NativePlatform;

    const TIME_OUT: Duration = Duration::from_secs(5);

    /// Serves one connection: sends the parts of `answer` with `pause` before each, and reports the request.
    fn serve(answer: &'static [&'static str], pause: Duration) -> (String, mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            sender.send(read_request(&mut stream)).unwrap();
            for part in answer {
                std::thread::sleep(pause);
                if stream.write_all(part.as_bytes()).is_err() {
                    return;
                }
            }
        });
        (base, receiver)
    }

    /// Reads the head, and as many bytes as its content-length gives.
    fn read_request(stream: &mut TcpStream) -> String {
        let (mut request, mut byte) = (String::new(), [0]);
        while !request.ends_with("\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
            request.push(char::from(byte[0]));
        }
        request = request.to_ascii_lowercase();
        let length = request.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut body).unwrap();
        request + &String::from_utf8(body).unwrap()
    }

    fn send(
        request: http::request::Builder,
        body: &'static str,
        time_out: Duration,
    ) -> Result<(http::response::Parts, std::io::Result<String>), SendError> {
        let request = request.body(Bytes::from_static(body.as_bytes())).unwrap();
        block_on(async {
            let (head, body) = NativePlatform::new("unused").send(request, time_out).await?.into_parts();
            let chunks: Vec<_> = body.collect().await;
            let chunks: std::io::Result<Vec<_>> = chunks.into_iter().collect();
            Ok((head, chunks.map(|chunks| String::from_utf8(chunks.concat()).unwrap())))
        })
    }

    #[test]
    fn content_length_is_sent_with_every_method_that_may_have_a_body() {
        for (method, body, expected) in [
            ("GET", "", None),
            ("HEAD", "", None),
            ("PUT", "", Some("0")),
            ("POST", "", Some("0")),
            ("DELETE", "", Some("0")),
            ("PUT", "hello", Some("5")),
            ("DELETE", "hello", Some("5")),
        ] {
            let (base, request) = serve(&["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"], Duration::ZERO);
            let (head, _) = send(Request::builder().method(method).uri(base), body, TIME_OUT).unwrap();
            assert_eq!(head.status, 200);
            let request = request.recv().unwrap();
            let lengths: Vec<_> =
                request.lines().filter_map(|line| line.strip_prefix("content-length: ")).collect();
            assert_eq!(lengths, expected.into_iter().collect::<Vec<_>>(), "{method} {request}");
            assert!(!request.contains("transfer-encoding") && request.ends_with(body), "{request}");
        }
    }

    #[test]
    fn errors_and_redirects_are_answers() {
        let (base, _request) = serve(
            &["HTTP/1.1 503 Busy\r\ncontent-length: 4\r\nx-a: b\r\n\r\n", "bu", "sy"],
            Duration::from_millis(5),
        );
        let (head, body) = send(Request::put(base), "", TIME_OUT).unwrap();
        assert_eq!((head.status.as_u16(), &*body.unwrap()), (503, "busy"));
        assert_eq!(head.headers["x-a"], "b");

        let answer = &["HTTP/1.1 307 No\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"];
        let (base, _request) = serve(answer, Duration::ZERO);
        let (head, _) = send(Request::get(base), "", TIME_OUT).unwrap();
        assert_eq!(head.status, 307);
    }

    #[test]
    fn a_head_answer_keeps_its_content_length() {
        let (base, _request) = serve(&["HTTP/1.1 200 OK\r\ncontent-length: 12345\r\n\r\n"], Duration::ZERO);
        let (head, body) = send(Request::head(base), "", TIME_OUT).unwrap();
        assert_eq!(head.headers["content-length"], "12345");
        assert_eq!(body.unwrap(), "");
    }

    #[test]
    fn a_broken_body_is_an_error() {
        let (base, _request) = serve(&["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"], Duration::ZERO);
        let (_, body) = send(Request::get(base), "", TIME_OUT).unwrap();
        assert!(body.is_err());
    }

    #[test]
    fn silence_ends_in_a_time_out() {
        let start = Instant::now();
        let (base, _request) = serve(&["HTTP/1.1 200 OK\r\n\r\n"], Duration::from_secs(3));
        let error = send(Request::get(base), "", Duration::from_millis(100)).unwrap_err();
        assert!(matches!(error, SendError::Unreachable(_)));

        let answer = &["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "a"];
        let (base, _request) = serve(answer, Duration::from_millis(800));
        let (_, body) = send(Request::get(base), "", Duration::from_millis(1200)).unwrap();
        assert!(body.is_err(), "the server left with a byte missing");
        assert!(start.elapsed() < Duration::from_millis(2900));
    }

    #[test]
    fn a_slow_body_may_take_longer_than_one_time_out() {
        let answer = &["HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n", "a", "b", "c", "d"];
        let (base, _request) = serve(answer, Duration::from_millis(150));
        let (_, body) = send(Request::get(base), "", Duration::from_millis(400)).unwrap();
        assert_eq!(body.unwrap(), "abcd");
    }

    #[test]
    fn nobody_there_is_unreachable() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        assert!(matches!(send(Request::get(base), "", TIME_OUT), Err(SendError::Unreachable(_))));
    }

    #[test]
    fn fails_on_demand() {
        let platform = NativePlatform::new("unused");
        platform.fail_http(true);
        let request = Request::get("http://127.0.0.1:1").body(Bytes::new()).unwrap();
        assert!(matches!(block_on(platform.send(request, TIME_OUT)), Err(SendError::Unreachable(_))));
    }
}
