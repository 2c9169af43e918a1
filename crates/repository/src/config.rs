//! Settings of a repository.

use std::borrow::Cow;
use std::collections::BTreeMap;

use spindrift_db::repositories::{self, RepositorySettings};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::{KeepCount, Lifetime, Renewal, RoleName, TargetsSigner};

use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::{commit_if_needed, reconcile};
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind, Task};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsChange {
    /// Lifetimes of roles that the service signs.
    pub lifetimes: BTreeMap<RoleName, Lifetime>,
    /// See [`RepositorySettings::keep`].
    pub keep: Option<KeepCount>,
}

/// The rule for roles that the service does not sign.
const OFFLINE: &str = "the role is signed offline, where its lifetime is set";

/// Longest name of a setting that an error repeats, in characters.
const MAX_SHOWN_LENGTH: usize = 64;

/// The error for a setting that does not exist, or for a value out of its range. The name is truncated.
pub fn invalid_setting(name: &str, rule: impl Into<Cow<'static, str>>) -> RepositoryError {
    RepositoryError::InvalidSetting {
        name: name.chars().filter(char::is_ascii_graphic).take(MAX_SHOWN_LENGTH).collect(),
        rule: rule.into(),
    }
}

impl<P: Ports> AppRepository<'_, P> {
    /// Changes settings, and signs what becomes due under them. Fails for lifetimes of roles that are signed
    /// offline.
    pub async fn configure(
        &self,
        change: &SettingsChange,
        cause: EventCause,
    ) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let mut repository = reconcile(lease).await?;
            let settings =
                apply_change(repository.row.settings, change, repository.targets_signer(self.ports)?)?;
            let message = "Settings were changed";
            let owner = &repository.row.owner_id;
            let event = cause.event(self.ports.new_id(), self.app, message, [], self.ports.now());
            edit(self.ports, self.conn, owner, |conn| {
                repositories::set_settings(conn, self.app, &settings)?;
                let audit = cause.record(conn, owner, &event)?;
                Ok::<_, RepositoryError>(((), audit))
            })?;
            repository.row.settings = settings;
            if repository.timestamp.is_some() {
                let renewal = EventCause::service(EventKind::OnlineUpdate);
                let renewal = MetadataChange::of_service(renewal, Renewal::Nothing, message);
                match commit_if_needed(lease, &repository, renewal).await {
                    // The settings take effect with the next offline signature.
                    Err(error) if error.needs_offline_signature() => {}
                    result => drop(result?),
                }
            }
            Ok(Task::from(&event))
        })
        .await
    }
}

fn apply_change(
    mut settings: RepositorySettings,
    change: &SettingsChange,
    signer: Option<TargetsSigner>,
) -> Result<RepositorySettings, RepositoryError> {
    for (role, lifetime) in &change.lifetimes {
        let days = lifetime.days();
        match role {
            RoleName::Targets if signer != Some(TargetsSigner::Publisher) => settings.targets_days = days,
            RoleName::Snapshot => settings.snapshot_days = days,
            RoleName::Timestamp => settings.timestamp_days = days,
            RoleName::Root | RoleName::Targets | RoleName::Channel(_) => {
                return Err(invalid_setting(&format!("{role}_expiration"), OFFLINE));
            }
        }
    }
    if let Some(keep) = change.keep {
        settings.keep = keep.number();
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::default_settings;

    #[test]
    fn only_what_the_service_signs_has_a_lifetime_to_set() {
        use TargetsSigner::{Publisher, Service};
        let settings = default_settings();
        for (role, signer, expected) in [
            ("snapshot", Some(Publisher), Ok(RepositorySettings { snapshot_days: 9, ..settings })),
            ("timestamp", Some(Publisher), Ok(RepositorySettings { timestamp_days: 9, ..settings })),
            ("targets", Some(Service), Ok(RepositorySettings { targets_days: 9, ..settings })),
            ("targets", None, Ok(RepositorySettings { targets_days: 9, ..settings })),
            ("targets", Some(Publisher), Err("targets")),
            ("root", Some(Service), Err("root")),
            ("channel-beta", Some(Publisher), Err("channel-beta")),
        ] {
            let lifetimes = [(role.parse().unwrap(), Lifetime::from_days(9).unwrap())].into();
            let change = SettingsChange { lifetimes, keep: None };
            let result = apply_change(settings, &change, signer).map_err(|error| error.to_string());
            let refused = |role: &str| format!("invalid settings: {role}_expiration: {OFFLINE}");
            assert_eq!(result, expected.map_err(refused), "{role} {signer:?}");
        }
        let change = SettingsChange { keep: KeepCount::from_number(0), ..SettingsChange::default() };
        let changed = apply_change(settings, &change, None).unwrap();
        assert_eq!(changed, RepositorySettings { keep: 0, ..settings });
    }

    #[test]
    fn names_of_settings_are_repeated_in_short() {
        assert_eq!(invalid_setting("a\n<b>", "no").to_string(), "invalid settings: a<b>: no");
        let long = invalid_setting(&"x".repeat(999), "no").to_string();
        assert_eq!(long.len(), "invalid settings: : no".len() + 64);
    }
}
