//! Forms: `multipart/form-data` with small files held in memory, or `application/x-www-form-urlencoded`.

use std::collections::HashSet;

use bytes::Bytes;
use http::header;

use crate::multipart::{FormParts, cut, field_too_large};
use crate::request::refuse_declared_length;
use crate::{ApiError, Query, Request};

/// Maximum number of fields and files in a form. Forms have up to ten fields and twenty files.
const MAX_PARTS: usize = 100;

/// Size limits of a form, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct FormLimits {
    /// Limit for the whole body. A larger one is a 413.
    pub body: usize,
    /// Limit for one text field. A larger one is a 400.
    pub field: usize,
    /// Limit for one file. A larger one is a 400.
    pub file: usize,
}

/// A file in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFile {
    /// The file name as sent, unchecked.
    pub name: String,
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
    /// All text fields, in their order.
    pub fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

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
                if text.split('&').filter(|pair| !pair.is_empty()).nth(MAX_PARTS).is_some() {
                    return Err(too_many_fields());
                }
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
        let mut parts = FormParts::new(request, Some(limits.body)).await?;
        let mut form = Self::default();
        while let Some(mut part) = parts.next().await? {
            if form.fields.len() + form.files.len() == MAX_PARTS {
                return Err(too_many_fields());
            }
            match part.file_name().map(str::to_owned) {
                Some(name) => form.files.push(FormFile { name, bytes: part.read(limits.file).await?.into() }),
                None => form.fields.push((part.name().to_owned(), part.read_text(limits.field).await?)),
            }
        }
        form.without_duplicates()
    }

    fn without_duplicates(self) -> Result<Self, ApiError> {
        let mut seen = HashSet::with_capacity(self.fields.len());
        if let Some((name, _)) = self.fields.iter().find(|(name, _)| !seen.insert(name)) {
            return Err(ApiError::bad_request(format!("the field {} is given twice", cut(name))));
        }
        Ok(self)
    }
}

fn too_many_fields() -> ApiError {
    ApiError::bad_request(format!("a form has at most {MAX_PARTS} fields"))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    const LIMITS: FormLimits = FormLimits { body: 1024 * 1024, field: 1000, file: 1000 };

    fn read(content_type: &str, body: String) -> Result<Form, ApiError> {
        let request = http::Request::post("/x").header("content-type", content_type).body(()).unwrap();
        let body = futures::stream::iter([Ok(Bytes::from(body))]);
        block_on(Form::read(Request::new(request.into_parts().0, Box::pin(body)), LIMITS))
    }

    fn encoded(fields: usize) -> Result<Form, ApiError> {
        read(
            "application/x-www-form-urlencoded",
            (0..fields).map(|n| format!("&a{n}=b&")).collect::<Vec<_>>().concat(),
        )
    }

    fn multipart(fields: usize) -> Result<Form, ApiError> {
        let part = |n| format!("--b\r\nContent-Disposition: form-data; name=\"a{n}\"\r\n\r\nb\r\n");
        let parts = (0..fields).map(part).collect::<Vec<_>>().concat();
        read("multipart/form-data; boundary=b", parts + "--b--\r\n")
    }

    #[test]
    fn the_number_of_fields_is_limited() {
        assert_eq!(encoded(MAX_PARTS), multipart(MAX_PARTS));
        assert_eq!(encoded(MAX_PARTS).unwrap().field("a99"), Some("b"));
        for refused in [encoded(MAX_PARTS + 1), multipart(MAX_PARTS + 1), encoded(100_000)] {
            assert_eq!(refused, Err(ApiError::bad_request("a form has at most 100 fields")));
        }
    }

    #[test]
    fn a_field_stands_once() {
        let twice = read("application/x-www-form-urlencoded", "a=1&b=2&a=3".to_owned());
        assert_eq!(twice, Err(ApiError::bad_request("the field a is given twice")));
    }
}
