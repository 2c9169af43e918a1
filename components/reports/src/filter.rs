//! The query of `GET /reports/groups`.

use spindrift_core::{Actor, Day, Timestamp, Version};
use spindrift_db::report_groups::GroupFilter;
use spindrift_web::{ApiError, Query};

/// Means any status.
const ANY_STATUS: &str = "all";

pub(crate) fn parse_filter(query: &Query, actor: &Actor) -> Result<GroupFilter, ApiError> {
    Ok(GroupFilter {
        app: query.optional("app")?,
        version: query.get_unspaced("version").map(normal_form),
        channel: query.optional("channel")?,
        platform: query.optional("platform")?,
        arch: query.optional("arch")?,
        event: query.optional("type")?,
        reason: query.optional("reason")?,
        status: if query.get("status") == Some(ANY_STATUS) { None } else { query.optional("status")? },
        from: time(query, "from", Day::start)?,
        to: time(query, "to", |day| Timestamp::from_millis(day.minus(-1).start().as_millis() - 1))?,
        apps: actor.visible_apps(),
        hash: query.optional("hash")?,
        tag: query.get("tag").map(str::to_owned),
        text: query.get("search").map(str::to_owned),
    })
}

/// The normal form of a version. An invalid version is kept unchanged and matches no group.
fn normal_form(text: String) -> String {
    text.parse().map_or(text, |version: Version| version.as_str().to_owned())
}

/// A time in RFC 3339, or a day, which `end` turns into a point in time.
fn time(query: &Query, name: &str, end: fn(Day) -> Timestamp) -> Result<Option<Timestamp>, ApiError> {
    let Some(text) = query.get_unspaced(name) else { return Ok(None) };
    let time = match text.parse() {
        Ok(day) => Some(end(day)),
        Err(_) => Timestamp::from_rfc3339(&text),
    };
    let rule = "a day like 2026-11-27, or a time like 2026-11-27T20:00:00Z";
    time.map(Some).ok_or_else(|| ApiError::invalid(name, rule, Some(&text)))
}

#[cfg(test)]
mod tests {
    use spindrift_core::Permissions;

    use super::*;

    fn filter(text: &str) -> Result<GroupFilter, String> {
        parse_filter(&Query::parse(text).unwrap(), &Actor::Admin).map_err(|error| error.to_string())
    }

    #[test]
    fn times() {
        let millis = |text| filter(text).map(|f| f.from.or(f.to).unwrap().as_millis());
        assert_eq!(millis("from=1970-01-02"), Ok(86_400_000));
        assert_eq!(millis("to=1970-01-02"), Ok(2 * 86_400_000 - 1));
        for text in
            ["from=1970-01-01T01:00:00%2B01:00", "to=1970-01-01T01:00:00+01:00", "to=1970-01-01T00:00:00Z"]
        {
            assert_eq!(millis(text), Ok(0), "{text}");
        }
        assert!(millis("from=yesterday").unwrap_err().starts_with("invalid from parameter: a day like"));
    }

    #[test]
    fn names() {
        for (sent, kept) in [("1-2", "1.2"), ("1.0+5", "1.0+5"), ("one", "one")] {
            assert_eq!(filter(&format!("version={sent}")).unwrap().version.unwrap(), kept);
        }
        assert_eq!(filter("status=all").unwrap().status, None);
        for name in ["app", "channel", "platform", "arch", "type", "reason", "status", "hash"] {
            let message = filter(&format!("{name}=a%2Fb")).unwrap_err();
            assert!(message.starts_with(&format!("invalid {name} parameter: ")), "{message}");
        }
        let member = Actor::TeamUser(Permissions::default());
        assert_eq!(parse_filter(&Query::default(), &member).unwrap().apps, Some(Vec::new()));
    }
}
