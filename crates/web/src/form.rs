//! Forms: `multipart/form-data` with small files held in memory, or `application/x-www-form-urlencoded`.

use bytes::Bytes;
use http::header;
use send_wrapper::SendWrapper;

use crate::request::{refuse_declared_length, too_large};
use crate::{ApiError, Query, Request};

/// What a form may hold, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct FormLimits {
    /// The whole body. Larger: 413.
    pub body: usize,
    /// One text field. Larger: 400.
    pub field: usize,
    /// One file. Larger: 400.
    pub file: usize,
}

/// A file part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFile {
    /// The file name as sent; not checked.
    pub name: String,
    /// The bytes.
    pub bytes: Bytes,
}

/// A form that was read whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    fields: Vec<(String, String)>,
    /// The parts with a file name, of the field `file`.
    pub files: Vec<FormFile>,
}

impl Form {
    /// The text field `name`, if it was sent.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The text field `name`; 400 `missing <name>` without it.
    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.field(name).ok_or_else(|| ApiError::bad_request(format!("missing {name}")))
    }

    /// Reads the body of `request`, whichever of the two encodings it has. Others are a 415.
    pub async fn read(mut request: Request, limits: FormLimits) -> Result<Self, ApiError> {
        match request.media_type().as_deref() {
            Some("application/x-www-form-urlencoded") => {
                let body = request.read_body(limits.body).await?;
                let text = std::str::from_utf8(&body).map_err(|_| ApiError::bad_request("the form is not valid UTF-8"))?;
                let fields = Query::parse(text)?.into_pairs();
                if let Some((name, _)) = fields.iter().find(|(_, value)| value.len() > limits.field) {
                    return Err(field_too_large(name, limits.field));
                }
                Self { fields, files: Vec::new() }.without_duplicates()
            }
            Some("multipart/form-data") => Self::read_multipart(request, limits).await,
            _ => Err(ApiError::UnsupportedMediaType("multipart/form-data or application/x-www-form-urlencoded")),
        }
    }

    async fn read_multipart(request: Request, limits: FormLimits) -> Result<Self, ApiError> {
        refuse_declared_length(request.header(header::CONTENT_LENGTH.as_str()), limits.body)?;
        let content_type = request.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        let boundary = multer::parse_boundary(content_type).map_err(|_| ApiError::bad_request("the multipart boundary is missing"))?;
        let (_, stream) = request.into_stream();
        let constraints = multer::Constraints::new().size_limit(multer::SizeLimit::new().whole_stream(limits.body as u64));
        // multer asks for `Send`, which a component, having one thread, cannot give and does not need.
        let mut multipart = multer::Multipart::with_constraints(SendWrapper::new(stream), boundary, constraints);
        let mut form = Self::default();
        while let Some(part) = multipart.next_field().await.map_err(|error| invalid(&error, limits))? {
            form.add(part, limits).await?;
        }
        form.without_duplicates()
    }

    async fn add(&mut self, mut part: multer::Field<'_>, limits: FormLimits) -> Result<(), ApiError> {
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.file_name().map(str::to_owned);
        let limit = if file_name.is_some() { limits.file } else { limits.field };
        let mut bytes = Vec::new();
        while let Some(chunk) = part.chunk().await.map_err(|error| invalid(&error, limits))? {
            if bytes.len() + chunk.len() > limit {
                return Err(field_too_large(file_name.as_deref().unwrap_or(&name), limit));
            }
            bytes.extend_from_slice(&chunk);
        }
        match file_name {
            Some(_) if name != "file" => return Err(ApiError::bad_request(format!("unexpected file field {}", cut(&name)))),
            Some(file_name) => self.files.push(FormFile { name: file_name, bytes: bytes.into() }),
            None => {
                let value = String::from_utf8(bytes).map_err(|_| ApiError::bad_request(format!("the field {} is not valid UTF-8", cut(&name))))?;
                self.fields.push((name, value));
            }
        }
        Ok(())
    }

    fn without_duplicates(self) -> Result<Self, ApiError> {
        for (i, (name, _)) in self.fields.iter().enumerate() {
            if self.fields[..i].iter().any(|(other, _)| other == name) {
                return Err(ApiError::bad_request(format!("the field {} is given twice", cut(name))));
            }
        }
        Ok(self)
    }
}

fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

fn field_too_large(name: &str, limit: usize) -> ApiError {
    ApiError::bad_request(format!("{} is larger than {limit} bytes", cut(name)))
}

fn invalid(error: &multer::Error, limits: FormLimits) -> ApiError {
    match error {
        multer::Error::StreamSizeExceeded { .. } => too_large(limits.body),
        multer::Error::IncompleteStream
        | multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders => ApiError::bad_request("the multipart body ends too early"),
        multer::Error::StreamReadFailed(_) => ApiError::bad_request("the body could not be read"),
        _ => ApiError::bad_request("the multipart body is malformed"),
    }
}
