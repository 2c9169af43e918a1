//! Requests by components: to other components of the application, and to the hosts that a component is
//! granted.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, Uri};
use spindrift_manifest::{AllowedHosts, render};
use spindrift_storage::{ByteStream, HttpSend, SendError};

use crate::NativePlatform;
use crate::faults::REASON;
use crate::grants::{NOT_GRANTED, OUTBOUND_HOSTS};

/// Requests to `<component>.spin.internal` stay in the application
/// ([service chaining](https://spinframework.dev/v3/http-outbound#local-service-chaining)).
const CHAINED: &str = ".spin.internal";

/// The answer of a component, which stays on its thread.
pub type ChainAnswer = Pin<Box<dyn Future<Output = Result<Response<ByteStream>, SendError>>>>;

/// Passes requests to other components of the application.
pub trait Chain: std::fmt::Debug + Send + Sync {
    /// Has the component with this id answer. Without such a component, the host does not exist.
    fn ask(&self, component: &str, request: Request<Bytes>) -> ChainAnswer;
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
        self.check_host(request.uri())?;
        let component = request.uri().host().and_then(|host| host.strip_suffix(CHAINED)).map(str::to_owned);
        if let (Some(component), Some(chain)) = (component, self.chain()) {
            return chain.ask(&component, request).await;
        }
        self.counts().requests.count();
        crate::client::send(request, time_out).await
    }
}

impl NativePlatform {
    /// Refuses hosts that the component's section does not grant.
    fn check_host(&self, uri: &Uri) -> Result<(), SendError> {
        let Some(grants) = self.grants_for(OUTBOUND_HOSTS) else { return Ok(()) };
        if !grants.parts.contains(OUTBOUND_HOSTS) {
            return Err(SendError::Unreachable(NOT_GRANTED.to_owned()));
        }
        let variables = self.all_variables();
        let rules = grants.outbound_hosts.iter().map(|rule| render(rule, &variables));
        let rules: Vec<String> = rules.collect::<Result<_, _>>().map_err(SendError::Unreachable)?;
        let rules = AllowedHosts::new(rules.iter().map(String::as_str)).map_err(SendError::Unreachable)?;
        let (scheme, host) = (uri.scheme_str().unwrap_or("https"), uri.host().unwrap_or_default());
        if rules.allows(scheme, host, uri.port_u16()) { Ok(()) } else { Err(SendError::Denied) }
    }
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

    /// Reads the head, and as many bytes as its `content-length` states.
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
