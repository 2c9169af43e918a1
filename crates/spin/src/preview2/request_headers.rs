//! The headers of a request, fetched from the host one by one.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use bytes::Bytes;
use futures::StreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue};
use spin_sdk::http::{Headers, IncomingRequest};
use spindrift_web::{ByteStream, header_values};

/// The headers of a request. There are about a dozen, each with two strings to copy, but a handler reads only
/// four.
#[derive(Clone)]
pub(crate) struct RequestHeaders(Rc<RefCell<HeaderSource>>);

enum HeaderSource {
    /// In the host. If the body is not read, both handles are left to end with the instance, because each
    /// drop costs a call.
    Host { headers: ManuallyDrop<Headers>, request: ManuallyDrop<IncomingRequest> },
    /// In the component, because the request was consumed for its body.
    Component(HeaderMap),
}

impl RequestHeaders {
    pub(crate) fn of(request: IncomingRequest) -> Self {
        let headers = ManuallyDrop::new(request.headers());
        Self(Rc::new(RefCell::new(HeaderSource::Host { headers, request: ManuallyDrop::new(request) })))
    }

    /// The values of a header, in the order sent.
    pub(crate) fn get(&self, name: &str) -> Vec<HeaderValue> {
        match &*self.0.borrow() {
            HeaderSource::Host { headers, .. } => {
                headers.get(name).into_iter().filter_map(|value| HeaderValue::try_from(value).ok()).collect()
            }
            HeaderSource::Component(headers) => header_values(headers, name),
        }
    }

    /// The body; a second call returns an empty one. The headers are copied here, because reading the body
    /// consumes the request.
    pub(crate) fn take_body(&self) -> ByteStream {
        match self.0.replace(HeaderSource::Component(HeaderMap::new())) {
            HeaderSource::Host { headers, request } => {
                self.0.replace(HeaderSource::Component(all(&headers)));
                // The headers are a child of the request, so they must be dropped first.
                drop(ManuallyDrop::into_inner(headers));
                Box::pin(ManuallyDrop::into_inner(request).into_body_stream().map(|chunk| {
                    chunk.map(Bytes::from).map_err(|error| std::io::Error::other(error.to_debug_string()))
                }))
            }
            own @ HeaderSource::Component(_) => {
                self.0.replace(own);
                Box::pin(futures::stream::empty())
            }
        }
    }
}

fn all(headers: &Headers) -> HeaderMap {
    let entries = headers.entries().into_iter();
    entries
        .filter_map(|(name, value)| Some((name.parse::<HeaderName>().ok()?, value.try_into().ok()?)))
        .collect()
}
