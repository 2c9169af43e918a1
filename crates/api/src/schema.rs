//! JSON Schemas of the bodies that are not written and read as derived.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{CheckLinks, ErrorCode, ResultBody, SignedFile, Switch};

/// A text, and not one of a list: new codes may be added.
impl JsonSchema for ErrorCode {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Why a request failed, as a code that programs can act on. New codes may be added: then act on \
                the status.",
            "type": "string",
        })
    }
}

impl JsonSchema for CheckLinks<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Links".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "update_url": { "description": "The link to the file without an extension.", "type": "string" },
                "signature": { "description": "The signature of the updater's file.", "type": "string" },
            },
            "patternProperties": {
                "^update_url_": { "description": "The link to the file of this package.", "type": "string" },
            },
        })
    }
}

impl<T: JsonSchema> JsonSchema for ResultBody<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ResultOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
            "minProperties": 1,
            "maxProperties": 1,
        })
    }
}

impl JsonSchema for SignedFile {
    fn schema_name() -> Cow<'static, str> {
        "SignedFile".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A file of signed metadata, as TUF has it.",
            "type": "object",
            "properties": {
                "signed": { "description": "The signed part.", "type": "object" },
                "signatures": {
                    "description": "The signatures, by the id of their key.",
                    "type": "array",
                    "items": { "type": "object" },
                },
            },
            "required": ["signatures", "signed"],
        })
    }
}

impl JsonSchema for Switch {
    fn schema_name() -> Cow<'static, str> {
        "Switch".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A boolean, written as a JSON boolean or as the text `true` or `false`.",
            "enum": [true, false, "true", "false"],
        })
    }
}
