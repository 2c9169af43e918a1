//! `release edit`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use spindrift_api::{Percentage, ReleaseUpdateData, RequiresBody};
use spindrift_core::{Id, OsVersion};

use super::selection::ReleaseSelection;
use crate::commands::force::Force;
use crate::context::Context;
use crate::error::CliError;
use crate::groups;
use crate::publish::release::given_or_read;
use crate::releases;

#[derive(Debug, Args)]
pub(crate) struct ReleaseEditCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    #[command(flatten)]
    changes: ReleaseChanges,
    #[command(flatten)]
    force: Force,
}

/// The properties to change.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct ReleaseChanges {
    /// Whether clients should not postpone it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    critical: Option<bool>,
    /// Whether clients must not skip it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    intermediate: Option<bool>,
    /// Percentage of devices that it is offered to.
    #[arg(long, value_name = "PERCENT")]
    rollout: Option<Percentage>,
    /// Group of devices that it admits in addition to its rollout. Repeat the option for each
    /// group; they replace the current groups.
    #[arg(long = "group", value_name = "NAME", conflicts_with = "no_groups")]
    groups: Vec<String>,
    /// Admit no groups in addition to its rollout.
    #[arg(long)]
    no_groups: bool,
    /// Versions that it cures, separated by commas, like `2.0,2.0.1`: at most 8. Copies that run one of them
    /// are offered the release at once, regardless of its rollout. They replace the current versions.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',', conflicts_with = "no_cures")]
    cures: Vec<String>,
    /// Cure no versions.
    #[arg(long)]
    no_cures: bool,
    /// Lowest version of the operating system that it runs on, like `12` or `10.0.19045`, for all
    /// platforms that it has files for. Replaces all requirements of the release. Older systems,
    /// and clients that do not report theirs, keep getting an older release.
    #[arg(long, value_name = "VERSION", conflicts_with = "no_min_os")]
    min_os: Option<OsVersion>,
    /// Require nothing of the operating system.
    #[arg(long)]
    no_min_os: bool,
    /// Release notes.
    #[arg(long, value_name = "TEXT", conflicts_with = "changelog_file")]
    changelog: Option<String>,
    /// File with the release notes; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    changelog_file: Option<PathBuf>,
}

impl ReleaseEditCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { selection: ReleaseSelection { version, app }, changes, force } = self;
        let changelog = given_or_read(changes.changelog.as_ref(), changes.changelog_file.as_deref())?;
        let service = context.authenticated()?;
        let release = releases::find(&service, &app, &version).await?;
        let change = ReleaseUpdateData { changelog, ..changes.data(&release.id) };
        groups::require(&service, &app, &changes.groups).await?;
        let call = async |is_forced: bool| {
            let change = ReleaseUpdateData { force: is_forced.then_some(true), ..change.clone() };
            releases::change(&service, &change).await
        };
        force.confirm_or_force(&version, call).await?;
        let answer = json!({ "id": release.id, "version": release.version, "updated": true });
        context.output.result(&answer, &format!("{app} {} is changed", release.version))
    }
}

impl ReleaseChanges {
    /// The changes, without the release notes.
    fn data(&self, id: &Id) -> ReleaseUpdateData {
        ReleaseUpdateData {
            id: id.to_string(),
            critical: self.critical,
            intermediate: self.intermediate,
            rollout: self.rollout.map(Into::into),
            groups: (self.no_groups || !self.groups.is_empty()).then(|| json!(self.groups)),
            cures: (self.no_cures || !self.cures.is_empty()).then(|| json!(self.cures)),
            requires: self.requires(),
            ..ReleaseUpdateData::default()
        }
    }

    /// The new requirements. `None`: they stay as they are.
    fn requires(&self) -> Option<Value> {
        let min = self.min_os.as_ref().map(RequiresBody::at_least);
        min.or(self.no_min_os.then(RequiresBody::default)).map(|requires| json!(requires))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::commands::release::ReleaseCommand;

    fn data(words: &str) -> Result<Value, String> {
        let words = format!("spindrift release edit 2.0 --app notes{words}");
        match Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?.command {
            Command::Release(ReleaseCommand::Edit(edit)) => Ok(json!(edit.changes.data(&Id::from_text("r")))),
            _ => panic!("another command: {words}"),
        }
    }

    #[test]
    fn only_what_is_named_changes() {
        for (words, expected) in [
            (" --critical", json!({ "id": "r", "critical": true })),
            (" --rollout 0.5", json!({ "id": "r", "rollout": 0.5 })),
            (" --group qa --group beta", json!({ "id": "r", "groups": ["qa", "beta"] })),
            (" --no-groups", json!({ "id": "r", "groups": [] })),
            (" --cures 1.9,1.9.1", json!({ "id": "r", "cures": ["1.9", "1.9.1"] })),
            (" --no-cures", json!({ "id": "r", "cures": [] })),
            (" --min-os 12", json!({ "id": "r", "requires": { "os_version": { "min": "12" } } })),
            (" --no-min-os", json!({ "id": "r", "requires": {} })),
            (" --no-groups --no-min-os", json!({ "id": "r", "groups": [], "requires": {} })),
        ] {
            assert_eq!(data(words), Ok(expected), "{words}");
        }
    }

    #[test]
    fn contradictions_are_named() {
        for (words, error) in [
            ("", "required arguments were not provided"),
            (" --group qa --no-groups", "cannot be used with '--no-groups'"),
            (" --cures 1.9 --no-cures", "cannot be used with '--no-cures'"),
            (" --min-os 12 --no-min-os", "cannot be used with '--no-min-os'"),
            (" --min-os twelve", "invalid os_version"),
        ] {
            let text = data(words).unwrap_err();
            assert!(text.contains(error), "{words}: {text}");
        }
    }
}
