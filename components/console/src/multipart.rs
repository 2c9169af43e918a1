//! `multipart/form-data` bodies, for the calls that accept files ([RFC
//! 7578](https://www.rfc-editor.org/rfc/rfc7578)).

use bytes::Bytes;
use http::HeaderValue;

use crate::Host;
use crate::host::random_hex;

/// Random bytes in a boundary, enough that no part contains it.
const BOUNDARY_BYTES: usize = 16;

/// A form with one text field, and optionally a file. Omits the file's name, which the service does
/// not use.
pub(crate) fn form(host: &dyn Host, field: (&str, &str), file: Option<&[u8]>) -> (HeaderValue, Bytes) {
    let boundary = format!("spindrift-{}", random_hex::<BOUNDARY_BYTES>(host));
    let (content_type, body) = with_boundary(&boundary, field, file);
    // Letters, digits and hyphens always make a valid header.
    (HeaderValue::try_from(content_type).unwrap_or(HeaderValue::from_static("multipart/form-data")), body)
}

fn with_boundary(boundary: &str, (name, value): (&str, &str), file: Option<&[u8]>) -> (String, Bytes) {
    let head = |disposition: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n").into_bytes()
    };
    let mut body = head(&format!("name=\"{name}\""));
    body.extend_from_slice(value.as_bytes());
    body.extend_from_slice(b"\r\n");
    if let Some(bytes) = file {
        body.extend(head("name=\"file\"; filename=\"file\""));
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body.into())
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use spindrift_web::{Form, FormLimits, Request};

    use super::*;

    #[test]
    fn the_service_reads_what_is_written() {
        let (content_type, body) = with_boundary("b0", ("data", "{\"app\":\"ü\"}"), Some(b"\x89PNG\r\n--b"));
        let request = http::Request::post("/x").header("content-type", content_type).body(()).unwrap();
        let body = futures::stream::iter([Ok(body)]);
        let request = Request::new(request.into_parts().0, Box::pin(body));
        let form = block_on(Form::read(request, FormLimits { body: 1000, field: 1000, file: 1000 })).unwrap();
        assert_eq!(form.field("data"), Some("{\"app\":\"ü\"}"));
        assert_eq!(form.files[0].bytes, b"\x89PNG\r\n--b"[..]);
    }
}
