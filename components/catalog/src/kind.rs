//! The texts and rules in which channels, platforms and architectures differ.

use spindrift_api::CatalogKind;
use spindrift_core::{ArchName, ChannelName, PlatformName, Resource, Scope};
use spindrift_db::dimensions::Kind;
use spindrift_web::{ApiError, parse_parameter};

/// The kind's name in requests and error texts.
pub(crate) const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Channel => ChannelName::KIND,
        Kind::Platform => PlatformName::KIND,
        Kind::Arch => ArchName::KIND,
    }
}

pub(crate) const fn resource(kind: Kind) -> Resource {
    match kind {
        Kind::Channel => Resource::Channel,
        Kind::Platform => Resource::Platform,
        Kind::Arch => Resource::Arch,
    }
}

/// The kind's name in answers.
pub(crate) const fn in_answers(kind: Kind) -> CatalogKind {
    match kind {
        Kind::Channel => CatalogKind::Channel,
        Kind::Platform => CatalogKind::Platform,
        Kind::Arch => CatalogKind::Arch,
    }
}

/// Parses a name by the rule of its kind; 400 otherwise.
pub(crate) fn parse_name(kind: Kind, text: &str) -> Result<String, ApiError> {
    Ok(match kind {
        Kind::Channel => parse_parameter::<ChannelName>(word(kind), text)?.into(),
        Kind::Platform => parse_parameter::<PlatformName>(word(kind), text)?.into(),
        Kind::Arch => parse_parameter::<ArchName>(word(kind), text)?.into(),
    })
}

/// The name that a scope has for this kind.
pub(crate) fn of_scope(kind: Kind, scope: &Scope) -> Option<&str> {
    match kind {
        Kind::Channel => scope.channel.as_ref().map(ChannelName::as_str),
        Kind::Platform => scope.platform.as_ref().map(PlatformName::as_str),
        Kind::Arch => scope.arch.as_ref().map(ArchName::as_str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_names_itself() {
        for (kind, error) in [
            (Kind::Channel, "invalid channel parameter"),
            (Kind::Platform, "invalid platform parameter"),
            (Kind::Arch, "invalid arch parameter"),
        ] {
            let message = parse_name(kind, "a/b").unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("{error}: 1 to 64 ")) && message.ends_with("not \"a/b\""),
                "{message}"
            );
            assert_eq!(parse_name(kind, "x86_64").unwrap(), "x86_64");
        }
    }
}
