//! Forms: `multipart/form-data` with small files held in memory, or `application/x-www-form-urlencoded`.

use bytes::Bytes;
use http::header;

use crate::multipart::{Parts, cut, field_too_large};
use crate::request::refuse_declared_length;
use crate::{ApiError, Query, Request};

/// Size limits of a form, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct FormLimits {
    /// Of the whole body. A larger one is a 413.
    pub body: usize,
    /// Of one text field. A larger one is a 400.
    pub field: usize,
    /// Of one file. A larger one is a 400.
    pub file: usize,
}

/// A file in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFile {
    /// The file name as sent; not checked.
    pub name: String,
    /// The bytes.
    pub bytes: Bytes,
}

/// A form, read completely.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    fields: Vec<(String, String)>,
    /// The files, all from the field `file`.
    pub files: Vec<FormFile>,
}

impl Form {
    /// The text field `name`, if present.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The text field `name`; 400 `missing <name>` if it is absent.
    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.field(name).ok_or_else(|| ApiError::missing(name))
    }

    /// Reads the body of `request` in either encoding. Other content types are a 415.
    pub async fn read(mut request: Request, limits: FormLimits) -> Result<Self, ApiError> {
        match request.media_type().as_deref() {
            Some("application/x-www-form-urlencoded") => {
                let body = request.read_body(limits.body).await?;
                let text = std::str::from_utf8(&body)
                    .map_err(|_| ApiError::bad_request("the form is not valid UTF-8"))?;
                let fields = Query::parse(text)?.into_pairs();
                if let Some((name, _)) = fields.iter().find(|(_, value)| value.len() > limits.field) {
                    return Err(field_too_large(name, limits.field));
                }
                Self { fields, files: Vec::new() }.without_duplicates()
            }
            Some("multipart/form-data") => Self::read_multipart(request, limits).await,
            _ => Err(ApiError::UnsupportedMediaType(
                "multipart/form-data or application/x-www-form-urlencoded",
            )),
        }
    }

    async fn read_multipart(request: Request, limits: FormLimits) -> Result<Self, ApiError> {
        refuse_declared_length(request.header(header::CONTENT_LENGTH.as_str()), limits.body)?;
        let mut parts = Parts::new(request, Some(limits.body)).await?;
        let mut form = Self::default();
        while let Some(mut part) = parts.next().await? {
            match part.file_name().map(str::to_owned) {
                Some(name) => form.files.push(FormFile { name, bytes: part.read(limits.file).await?.into() }),
                None => form.fields.push((part.name().to_owned(), part.read_text(limits.field).await?)),
            }
        }
        form.without_duplicates()
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
