//! A call of the interface.

use crate::ErrorCode;
use schemars::JsonSchema;
use serde_json::Value;

use super::answer::{Answer, Content};
use super::body::{Body, Files, schema_of};
use super::parameter::{Parameter, Place};
use super::schema::{number, text};
use super::who::Who;

/// The answers of every call when something that the service needs fails.
const FAILURES: [(u16, ErrorCode); 4] = [
    (500, ErrorCode::Internal),
    (503, ErrorCode::SettingsUnavailable),
    (503, ErrorCode::DatabaseUnavailable),
    (503, ErrorCode::KeyValueUnavailable),
];
/// The answers of every call with a body to one that it cannot read.
const UNREADABLE: [(u16, ErrorCode); 4] = [
    (400, ErrorCode::BadRequest),
    (400, ErrorCode::MissingField),
    (413, ErrorCode::TooLarge),
    (415, ErrorCode::UnsupportedMediaType),
];

/// The description of a call. Its method and path are those of its route.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its subject; calls of the same noun are listed together.
    pub noun: &'static str,
    /// Its effect, in one line.
    pub summary: &'static str,
    /// Further information.
    pub details: &'static str,
    /// The callers that may make it.
    pub who: Who,
    /// The parts of the request besides its body.
    pub parameters: Vec<Parameter>,
    pub body: Option<Body>,
    /// Its answers. A status has one entry.
    pub answers: Vec<Answer>,
    /// Whether answers may be kept by shared caches, and have an `ETag`.
    pub is_shared: bool,
}

impl Call {
    /// A call that needs nothing. It may fail, and refuses other callers.
    pub fn new(noun: &'static str, who: Who, summary: &'static str) -> Self {
        let call = Self {
            noun,
            summary,
            details: "",
            who,
            parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            is_shared: false,
        };
        if who == Who::Reporter { call } else { call.refusing(who.refusals()).refusing(&FAILURES) }
    }

    /// Sets further information.
    #[must_use]
    pub fn details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }

    /// Takes JSON. The example is valid.
    #[must_use]
    pub fn json<T: JsonSchema>(self, example: Value) -> Self {
        let schema = schema_of::<T>();
        self.body(Body::Json { schema, example, is_required: true, is_form_too: false })
    }

    /// Takes JSON, or a form with the same keys.
    #[must_use]
    pub fn json_or_form<T: JsonSchema>(self, example: Value) -> Self {
        let schema = schema_of::<T>();
        self.body(Body::Json { schema, example, is_required: true, is_form_too: true })
    }

    /// May take JSON in place of the query.
    #[must_use]
    pub fn maybe_json<T: JsonSchema>(self, example: Value) -> Self {
        let schema = schema_of::<T>();
        self.body(Body::Json { schema, example, is_required: false, is_form_too: false })
    }

    /// Takes a form whose field `data` is JSON.
    #[must_use]
    pub fn form<T: JsonSchema>(self, files: Files, example: Value) -> Self {
        self.body(Body::Form { fields: vec![("data", schema_of::<T>(), example)], files })
    }

    /// Adds a field to the form.
    #[must_use]
    pub fn field<T: JsonSchema>(mut self, name: &'static str, example: Value) -> Self {
        if let Some(Body::Form { fields, .. }) = &mut self.body {
            fields.push((name, schema_of::<T>(), example));
        }
        self
    }

    fn body(mut self, body: Body) -> Self {
        self.body = Some(body);
        if self.who == Who::Reporter { self } else { self.refusing(&UNREADABLE) }
    }

    /// Adds a parameter of the query.
    #[must_use]
    pub fn query(self, name: &'static str, text: &'static str, schema: Value) -> Self {
        self.parameter(Place::Query, name, text, schema, false).refuses(400, &[ErrorCode::BadRequest])
    }

    /// Adds a parameter of the query that must be there.
    #[must_use]
    pub fn needs_query(self, name: &'static str, text: &'static str, schema: Value) -> Self {
        self.parameter(Place::Query, name, text, schema, true)
            .refuses(400, &[ErrorCode::BadRequest, ErrorCode::MissingField])
    }

    /// Adds the parameters of pages.
    #[must_use]
    pub fn pages(self, default_limit: u32, max_limit: u32) -> Self {
        self.query("page", "Number of the page, from 1.", number(1..=u32::MAX, 1)).query(
            "limit",
            "Most items on a page.",
            number(1..=max_limit, default_limit),
        )
    }

    /// Describes a segment of the path.
    #[must_use]
    pub fn path(self, name: &'static str, meaning: &'static str) -> Self {
        self.parameter(Place::Path, name, meaning, text(), true)
    }

    /// Describes the segments that name a scope.
    #[must_use]
    pub fn scope(self) -> Self {
        self.path("owner", "User name of the application's owner.")
            .path("app", "Name of the application.")
            .path("channel", "Name of the channel; `default` if the owner uses none.")
            .path("platform", "Name of the platform; `default` if the owner uses none.")
            .path("arch", "Name of the architecture; `default` if the owner uses none.")
    }

    /// Adds a header of the request.
    #[must_use]
    pub fn header(self, name: &'static str, text: &'static str, schema: Value) -> Self {
        self.parameter(Place::Header, name, text, schema, false)
    }

    /// Adds a header that must be there.
    #[must_use]
    pub fn needs_header(self, name: &'static str, text: &'static str, schema: Value) -> Self {
        self.parameter(Place::Header, name, text, schema, true)
    }

    fn parameter(
        mut self,
        place: Place,
        name: &'static str,
        text: &'static str,
        schema: Value,
        is_required: bool,
    ) -> Self {
        self.parameters.push(Parameter { place, name, text, is_required, schema });
        self
    }

    /// May answer JSON of a wire type.
    #[must_use]
    pub fn answers<T: JsonSchema>(self, status: u16, text: &'static str) -> Self {
        self.answer(status, text, Some(Content::Json(schema_of::<T>())))
    }

    /// May answer JSON of another form.
    #[must_use]
    pub fn answers_json(self, status: u16, text: &'static str, schema: Value) -> Self {
        self.answer(status, text, Some(Content::OtherJson(schema)))
    }

    /// May answer bytes of a content type.
    #[must_use]
    pub fn answers_bytes(self, status: u16, text: &'static str, content_type: &'static str) -> Self {
        self.answer(status, text, Some(Content::Bytes(content_type)))
    }

    /// May answer without a body.
    #[must_use]
    pub fn answers_empty(self, status: u16, text: &'static str) -> Self {
        self.answer(status, text, None)
    }

    /// May refuse with a status and one of these codes; without codes, with an error that has only a text.
    #[must_use]
    pub fn refuses(self, status: u16, codes: &[ErrorCode]) -> Self {
        self.answer(status, "", Some(Content::Error(codes.to_vec())))
    }

    fn refusing(self, refusals: &[(u16, ErrorCode)]) -> Self {
        refusals.iter().fold(self, |call, (status, code)| call.refuses(*status, std::slice::from_ref(code)))
    }

    /// May fail with the object storage.
    #[must_use]
    pub fn storing(self) -> Self {
        self.refuses(502, &[ErrorCode::StorageFailed]).refuses(503, &[ErrorCode::StorageNotConfigured])
    }

    /// Answers may be kept by shared caches: they have an `ETag`, and `If-None-Match` is heeded.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self.header("If-None-Match", "Tags of answers that the client has.", text())
            .answers_empty(304, "`If-None-Match` names the answer.")
    }

    fn answer(mut self, status: u16, text: &'static str, content: Option<Content>) -> Self {
        let known = self.answers.iter().position(|answer| answer.status == status);
        let Some(answer) = known.and_then(|at| self.answers.get_mut(at)) else {
            self.answers.push(Answer { status, text, contents: content.into_iter().collect() });
            return self;
        };
        if answer.text.is_empty() {
            answer.text = text;
        }
        match content {
            Some(Content::Error(codes)) => answer.add_codes(codes),
            Some(content) => answer.contents.push(content),
            None => {}
        }
        self
    }
}

impl Answer {
    fn add_codes(&mut self, codes: Vec<ErrorCode>) {
        let known = self.contents.iter_mut().find_map(|content| match content {
            Content::Error(known) => Some(known),
            _ => None,
        });
        match known {
            Some(known) => {
                let new: Vec<_> = codes.into_iter().filter(|code| !known.contains(code)).collect();
                known.extend(new);
            }
            None => self.contents.push(Content::Error(codes)),
        }
    }
}
