//! Forms.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// A `multipart/form-data` body.
#[derive(Debug, Clone, Default)]
pub struct Multipart(Vec<u8>);

const BOUNDARY: &str = "----spindrift-test-boundary";

impl Multipart {
    /// An empty form.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text field.
    #[must_use]
    pub fn field(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.part(&format!("name=\"{name}\""), value.as_ref())
    }

    /// Adds a file in the field `file`.
    #[must_use]
    pub fn file(self, file_name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.part(&format!("name=\"file\"; filename=\"{file_name}\""), bytes.as_ref())
    }

    fn part(mut self, disposition: &str, bytes: &[u8]) -> Self {
        self.open(disposition);
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    fn open(&mut self, disposition: &str) {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
        self.0.extend_from_slice(head.as_bytes());
    }

    /// The parts of the body before and after the bytes of a last file.
    pub fn around_file(mut self, file_name: &str) -> (Vec<u8>, Vec<u8>) {
        self.open(&format!("name=\"file\"; filename=\"{file_name}\""));
        (self.0, format!("\r\n--{BOUNDARY}--\r\n").into_bytes())
    }

    pub fn content_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// The body.
    pub fn finish(self) -> Vec<u8> {
        let mut body = self.0;
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        body
    }

    /// The body of a sender that disconnects too early.
    pub fn unfinished(self) -> Vec<u8> {
        self.0
    }
}

/// An `application/x-www-form-urlencoded` body.
pub(crate) fn urlencoded(fields: &[(&str, &str)]) -> String {
    let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    fields
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}
