//! A server that says hello: the least that an HTTP server with this library can do.

use std::convert::Infallible;
use std::net::Ipv4Addr;

use bytes::Bytes;
use http::{Response, header};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::LocalPoolHandle;

/// Serves until the process is killed. Says where first.
pub(crate) fn serve() -> anyhow::Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("Serving http://{}", listener.local_addr()?);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = LocalPoolHandle::new(processors);
        let mut next = 0;
        loop {
            let stream = listener.accept().await?.0.into_std()?;
            next = (next + 1) % processors;
            drop(threads.spawn_pinned_by_idx(move || connected(stream), next));
        }
    })
}

async fn connected(stream: std::net::TcpStream) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    let _ = stream.set_nodelay(true);
    let service = service_fn(|_| async {
        let mut response = Response::new(Full::new(Bytes::from_static(b"hello")));
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/plain"));
        Ok::<_, Infallible>(response)
    });
    // The client sees an error of its connection.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}
