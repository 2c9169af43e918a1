//! The query of `GET /audit`.

use spindrift_core::audit::AuditKind;
use spindrift_core::{Actor, Id};
use spindrift_db::audit::{AuditFilter, AuditOrder};
use spindrift_web::{ApiError, Query};

/// Maximum number of entries in an answer.
pub(crate) const MAX_LIMIT: u32 = 1000;
pub(crate) const DEFAULT_LIMIT: u32 = 100;

/// The form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuditFormat {
    /// A page of entries.
    Json,
    /// One line of JSON for each entry, with the text that its hash covers.
    JsonLines,
}

/// The requested entries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AuditRequest {
    pub(crate) filter: AuditFilter,
    pub(crate) order: AuditOrder,
    pub(crate) limit: u32,
    pub(crate) format: AuditFormat,
}

impl AuditRequest {
    /// `app`: the application that now has the name in the query.
    pub(crate) fn parse(query: &Query, actor: &Actor, app: Option<Id>) -> Result<Self, ApiError> {
        let limit = query.optional("limit")?.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let rule = format!("a number from 1 to {MAX_LIMIT}");
            return Err(ApiError::invalid("limit", &rule, Some(&limit.to_string())));
        }
        let format = match query.get("format") {
            None | Some("json") => AuditFormat::Json,
            Some("jsonl") => AuditFormat::JsonLines,
            Some(other) => return Err(ApiError::invalid("format", "json or jsonl", Some(other))),
        };
        let filter = AuditFilter {
            app,
            apps: actor.visible_apps(),
            app_name: query.optional("app")?,
            release: query.get("release").map(Id::from_text),
            version: query.get("version").map(str::to_owned),
            kinds: query.get("kind").map(kinds).transpose()?,
            actor: query.get("actor").map(str::to_owned),
            from: query.optional("from")?,
            to: query.optional("to")?,
        };
        Ok(Self { filter, order: order(query, format)?, limit, format })
    }
}

/// Newest first, or oldest first for `order=asc`. Lines are always oldest first, because each hash covers the
/// one before.
fn order(query: &Query, format: AuditFormat) -> Result<AuditOrder, ApiError> {
    let after: Option<u64> = query.optional("after")?;
    match (query.get("order"), format) {
        (None | Some("asc"), AuditFormat::JsonLines) | (Some("asc"), AuditFormat::Json) => {
            Ok(AuditOrder::OldestFirst(after.unwrap_or(0)))
        }
        (None | Some("desc"), AuditFormat::Json) => Ok(AuditOrder::NewestFirst(after)),
        (order, _) => Err(ApiError::invalid("order", "asc, or desc with the format json", order)),
    }
}

/// The kinds that a list of names and of beginnings such as `release.*` names.
fn kinds(text: &str) -> Result<Vec<&'static str>, ApiError> {
    let mut kinds = Vec::new();
    for pattern in text.split(',') {
        let before = kinds.len();
        kinds.extend(AuditKind::matching(pattern).map(AuditKind::as_str));
        if kinds.len() == before {
            let rule = "kinds of audit entries, or beginnings like release.*, separated by commas";
            return Err(ApiError::invalid("kind", rule, Some(pattern)));
        }
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AuditRequest, String> {
        let query = Query::parse(text).unwrap();
        AuditRequest::parse(&query, &Actor::Admin, None).map_err(|error| error.to_string())
    }

    #[test]
    fn entries_are_listed_newest_first() {
        let requested = parse("").unwrap();
        assert_eq!((requested.order, requested.limit), (AuditOrder::NewestFirst(None), 100));
        assert_eq!(requested.filter, AuditFilter::default());
        assert_eq!(parse("after=7").unwrap().order, AuditOrder::NewestFirst(Some(7)));
        assert_eq!(parse("order=asc&after=7").unwrap().order, AuditOrder::OldestFirst(7));
        assert_eq!(parse("format=jsonl").unwrap().order, AuditOrder::OldestFirst(0));
    }

    #[test]
    fn kinds_are_named_or_begin_with_a_thing() {
        let kinds =
            |text: &str| parse(&format!("kind={text}")).map(|requested| requested.filter.kinds.unwrap());
        assert_eq!(kinds("app.create"), Ok(vec!["app.create"]));
        assert_eq!(kinds("app.create,token.*"), Ok(vec!["app.create", "token.create", "token.delete"]));
        for text in ["app", "app*", "*", "app.*,nothing.*", "app.create,"] {
            let message = kinds(text).unwrap_err();
            assert!(message.starts_with("invalid kind parameter: kinds of audit entries"), "{message}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (text, error) in [
            ("limit=0", "invalid limit parameter"),
            ("limit=1001", "invalid limit parameter"),
            ("after=-1", "invalid after parameter"),
            ("from=yesterday", "invalid from parameter"),
            ("order=up", "invalid order parameter"),
            ("format=csv", "invalid format parameter"),
            ("format=jsonl&order=desc", "invalid order parameter"),
        ] {
            let message = parse(text).unwrap_err();
            assert_eq!(message.split(": ").next(), Some(error), "{message}");
        }
    }
}
