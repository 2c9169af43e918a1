//! Finds out which name in a failed call is unknown, so that the error can name it.

use spindrift_api::{AppEntry, ArchEntry, ChannelEntry, PlatformEntry};
use spindrift_core::Updater;

use crate::commands::catalog::{self, CatalogEntry};
use crate::context::Context;
use crate::error::CliError;
use crate::refusal::Refusal;
use crate::service::Service;
use crate::unknown::{there_are, unknown};

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallNames<'a> {
    pub(crate) app: Option<&'a str>,
    pub(crate) channel: Option<&'a str>,
    pub(crate) platform: Option<&'a str>,
    pub(crate) arch: Option<&'a str>,
    pub(crate) updater: Option<&'a str>,
}

impl CallNames<'_> {
    /// Like [`Self::explain`], for the names of this owner. `None`: the owner of the login.
    pub(crate) async fn explain_for(
        self,
        context: &Context,
        owner: Option<&str>,
        error: CliError,
    ) -> CliError {
        let Ok(service) = context.service() else { return error };
        // Only the names of the login's owner can be listed.
        let is_own =
            owner.is_none_or(|owner| matches!(context.login(), Ok(Some(login)) if login.owner == owner));
        let service = if is_own { service } else { service.anonymous() };
        self.explain(&service, error).await
    }

    /// Fails on the first name that does not exist for the caller.
    pub(crate) async fn check(self, service: &Service) -> Result<(), CliError> {
        require::<AppEntry>(service, self.app).await?;
        require::<ChannelEntry>(service, self.channel).await?;
        let platform = require::<PlatformEntry>(service, self.platform).await?;
        require::<ArchEntry>(service, self.arch).await?;
        match (platform, self.updater) {
            (Some(platform), Some(updater)) => require_updater(&platform, updater),
            _ => Ok(()),
        }
    }

    /// If `error` is about one of these names, replaces it with an error that names it and lists
    /// the existing names. Without a token that can list them, the error only names the unknown
    /// one.
    pub(crate) async fn explain(self, service: &Service, error: CliError) -> CliError {
        let CliError::Refused(Refusal { status: 400 | 404, text, .. }) = &error else { return error };
        let missing = text.strip_suffix(" is required");
        if missing.is_none() && !is_about_a_name(text) {
            return error;
        }
        let looked_up = match missing {
            _ if service.token().is_none() => Ok(()),
            Some("channel") => require_choice::<ChannelEntry>(service).await,
            Some("platform") => require_choice::<PlatformEntry>(service).await,
            Some("arch") => require_choice::<ArchEntry>(service).await,
            _ => self.check(service).await,
        };
        match looked_up {
            Err(better @ (CliError::NotFound(_) | CliError::Usage(_))) => better,
            _ => self.unknown_name_in(text).unwrap_or(error),
        }
    }

    /// The error for a message of the service about one of the names. `None`: the message is about
    /// something else.
    fn unknown_name_in(self, text: &str) -> Option<CliError> {
        let message = match text {
            "application not found" => unlisted_name::<AppEntry>(self.app?),
            "channel not found" | "unknown channel" => unlisted_name::<ChannelEntry>(self.channel?),
            "platform not found" | "unknown platform" => unlisted_name::<PlatformEntry>(self.platform?),
            "arch not found" | "unknown arch" => unlisted_name::<ArchEntry>(self.arch?),
            "updater not supported" => {
                let (platform, updater) = self.platform.zip(self.updater)?;
                format!(
                    "the platform {platform:?} has no updater {updater:?}; {}",
                    add_updater_command(platform, updater)
                )
            }
            _ => return None,
        };
        Some(CliError::NotFound(message))
    }
}

/// The error for an unknown name if the existing names cannot be listed.
fn unlisted_name<E: CatalogEntry>(name: &str) -> String {
    format!("unknown {} {name:?}: check the spelling. {}", E::NOUN, catalog::create_command::<E>(name))
}

/// Whether a message of the service reports an unknown name.
fn is_about_a_name(text: &str) -> bool {
    text.starts_with("unknown ")
        || text.ends_with(" not found")
        || text == "updater not supported"
        // `GET /apps/latest` answers this for any unknown name.
        || text.starts_with("No matching data found")
}

/// The entry with the given name. `None`: no name was given.
async fn require<E: CatalogEntry>(service: &Service, name: Option<&str>) -> Result<Option<E>, CliError> {
    match name {
        Some(name) => catalog::find(service, name).await.map(Some),
        None => Ok(None),
    }
}

/// Fails because a name is missing, and lists the names to choose from.
async fn require_choice<E: CatalogEntry>(service: &Service) -> Result<(), CliError> {
    let all = catalog::list::<E>(service).await?;
    let names: Vec<&str> = E::entries(&all).iter().map(CatalogEntry::name).collect();
    Err(CliError::usage(format!("which {}? Pass --{}. {}", E::NOUN, E::PATH, there_are(&names))))
}

fn require_updater(platform: &PlatformEntry, updater: &str) -> Result<(), CliError> {
    let names: Vec<&str> = platform.updaters.iter().map(|entry| entry.updater.as_str()).collect();
    if names.contains(&updater) {
        return Ok(());
    }
    if updater.parse::<Updater>().is_err() {
        return Err(CliError::NotFound(unknown("updater", updater, &Updater::ALL.map(Updater::as_str))));
    }
    let platform = &platform.platform_name;
    Err(CliError::NotFound(format!(
        "the platform {platform:?} has no updater {updater:?}. {}; {}",
        there_are(&names),
        add_updater_command(platform, updater)
    )))
}

/// The command that adds an updater to a platform.
fn add_updater_command(platform: &str, updater: &str) -> String {
    format!("`spindrift platform update {platform} --add-updater {updater}` adds it")
}

#[cfg(test)]
mod tests {
    use spindrift_api::UpdaterBody;
    use spindrift_core::Id;

    use super::*;

    #[test]
    fn updaters_that_a_platform_lacks_come_with_the_command_that_adds_them() {
        let updater = |name: &str| UpdaterBody { updater: name.to_owned(), default: false };
        let platform = PlatformEntry {
            id: Id::from_text("p"),
            platform_name: "linux".into(),
            default: false,
            updaters: vec![updater("manual"), updater("electron-builder")],
            owner: "ada".into(),
            updated_at: String::new(),
        };
        let error = |name: &str| require_updater(&platform, name).unwrap_err().to_string();
        assert!(require_updater(&platform, "manual").is_ok());
        assert_eq!(
            error("tauri"),
            "the platform \"linux\" has no updater \"tauri\". There are electron-builder, manual; \
             `spindrift platform update linux --add-updater tauri` adds it"
        );
        assert!(error("velopak").starts_with("unknown updater \"velopak\": did you mean \"velopack\"?"));
    }

    #[test]
    fn texts_of_the_service_name_the_value() {
        let names = CallNames { app: Some("notes"), channel: Some("stabel"), ..CallNames::default() };
        for (text, message) in [
            (
                "unknown channel",
                Some(
                    "unknown channel \"stabel\": check the spelling. `spindrift channel create stabel` \
                     creates it",
                ),
            ),
            (
                "application not found",
                Some(
                    "unknown application \"notes\": check the spelling. `spindrift app create notes` creates it",
                ),
            ),
            ("unknown platform", None),
            ("updater not supported", None),
            ("upload not found", None),
        ] {
            assert_eq!(
                names.unknown_name_in(text).map(|error| error.to_string()).as_deref(),
                message,
                "{text}"
            );
        }
        // A CI token cannot list the updaters.
        let names =
            CallNames { platform: Some("linux"), updater: Some("electron-builder"), ..CallNames::default() };
        assert_eq!(
            names.unknown_name_in("updater not supported").unwrap().to_string(),
            "the platform \"linux\" has no updater \"electron-builder\"; \
             `spindrift platform update linux --add-updater electron-builder` adds it"
        );
    }
}
