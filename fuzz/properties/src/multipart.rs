//! Bodies in `multipart/form-data`.

use bytes::Bytes;
use futures::executor::block_on;
use spindrift_web::{ApiError, Form, FormLimits, FormParts, Request};

use crate::text::places;
use crate::world::slowly;

/// The boundary of all bodies.
const BOUNDARY: &str = "b";
/// Longest body that is also read byte by byte.
const MAX_BYTEWISE: usize = 512;
const LIMITS: FormLimits = FormLimits { body: 256 * 1024, field: 1024, file: 4096 };

/// A body is read or refused, and wherever it is cut in transit, it is the same form. A form that is read obeys the
/// limits, and is the same form when it is written and read again.
pub fn multipart(data: &[u8]) -> bool {
    let whole = form(vec![Bytes::copy_from_slice(data)]);
    for place in places(data.len()) {
        let (one, two) = data.split_at(place);
        let cut = form(vec![Bytes::copy_from_slice(one), Bytes::copy_from_slice(two)]);
        assert_same(&cut, &whole, &format!("cut at {place}"));
    }
    if data.len() <= MAX_BYTEWISE {
        let bytes = data.chunks(1).map(Bytes::copy_from_slice).collect();
        assert_same(&form(bytes), &whole, "byte by byte");
    }
    let streamed = stream(data);
    match &whole {
        Ok(form) => {
            let parts = streamed.expect("a form is also a stream of parts");
            assert!(
                data.len() <= LIMITS.body && form.files.iter().all(|file| file.bytes.len() <= LIMITS.file)
            );
            let files: Vec<_> =
                form.files.iter().map(|file| (Some(file.name.clone()), file.bytes.to_vec())).collect();
            let sent: Vec<_> = parts
                .iter()
                .filter(|part| part.file.is_some())
                .map(|part| (part.file.clone(), part.bytes.clone()))
                .collect();
            assert_eq!(files, sent);
            for part in parts.iter().filter(|part| part.file.is_none()) {
                assert!(part.bytes.len() <= LIMITS.field);
                assert_eq!(form.field(&part.name).map(str::as_bytes), Some(&part.bytes[..]));
            }
            rewritten(form, &parts);
        }
        Err(refusal) => {
            let status = refusal.status().as_u16();
            assert!(matches!(status, 400 | 413), "{refusal}");
            assert!(refusal.to_string().chars().count() < 200, "{refusal}");
        }
    }
    whole.is_ok()
}

/// Which of several faults a refusal names may depend on what has arrived when it is found.
fn assert_same(one: &Result<Form, ApiError>, other: &Result<Form, ApiError>, how: &str) {
    if one.is_ok() || other.is_ok() {
        assert_eq!(one, other, "{how}");
    }
}

/// A part of a body.
struct Sent {
    name: String,
    file: Option<String>,
    bytes: Vec<u8>,
}

/// Writes the parts and reads the same form, unless a name or a part cannot be written in this simple way.
fn rewritten(form: &Form, parts: &[Sent]) {
    let is_plain =
        |text: &str| text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\' | b';' | b'%'));
    let end = format!("\r\n--{BOUNDARY}").into_bytes();
    let mut body = Vec::new();
    for Sent { name, file, bytes } in parts {
        let is_contained = bytes.windows(end.len()).any(|window| window == end);
        if !is_plain(name) || file.as_deref().is_some_and(|file| !is_plain(file)) || is_contained {
            return;
        }
        let file = file.as_ref().map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.extend(
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    if body.len() <= LIMITS.body {
        assert_eq!(read_form(vec![body.into()]).as_ref(), Ok(form));
    }
}

fn form(chunks: Vec<Bytes>) -> Result<Form, ApiError> {
    read_form(chunks.into_iter().filter(|chunk| !chunk.is_empty()).collect())
}

fn read_form(chunks: Vec<Bytes>) -> Result<Form, ApiError> {
    block_on(Form::read(request(chunks), LIMITS))
}

/// Reads the body part by part, as uploads are read.
fn stream(data: &[u8]) -> Result<Vec<Sent>, ApiError> {
    block_on(async {
        let mut parts = FormParts::new(request(vec![Bytes::copy_from_slice(data)]), None).await?;
        let mut sent = Vec::new();
        while let Some(mut part) = parts.next().await? {
            let (name, file) = (part.name().to_owned(), part.file_name().map(str::to_owned));
            sent.push(Sent { name, file, bytes: part.read(data.len()).await? });
        }
        Ok(sent)
    })
}

fn request(chunks: Vec<Bytes>) -> Request {
    let request = http::Request::post("/upload")
        .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
        .body(())
        .expect("a request");
    Request::new(request.into_parts().0, slowly(chunks))
}
