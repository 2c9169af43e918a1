//! The flags that describe a release.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use spindrift_api::{GuardActionName, GuardBody, Percentage, PlanBody, ReleaseData, RequiresBody};
use spindrift_core::{MAX_METADATA_BYTES, OsVersion, Plan, ReleaseMetadata, Timestamp};

use crate::commands::values::{guard_step, time};
use crate::error::CliError;
use crate::service::field;

/// The file name for standard input.
const STDIN: &str = "-";

/// The metadata of a release and the updater of its files.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the command line")]
#[derive(Debug, Args)]
pub(crate) struct ReleaseOptions {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// The version, like 1.2.3 or 1.2.3-beta.1.
    #[arg(long, value_name = "VERSION")]
    version: String,
    /// The channel; required if the owner has any.
    #[arg(long, env = "SPINDRIFT_CHANNEL", value_name = "NAME")]
    channel: Option<String>,
    /// The platform; required if the owner has any.
    #[arg(long, env = "SPINDRIFT_PLATFORM", value_name = "NAME")]
    platform: Option<String>,
    /// The architecture; required if the owner has any.
    #[arg(long, env = "SPINDRIFT_ARCH", value_name = "NAME")]
    arch: Option<String>,
    /// Offer the release as soon as it is complete.
    #[arg(long, conflicts_with_all = ["draft", "at"])]
    publish: bool,
    /// Offer a new release from this time on, like `2026-12-01T09:00:00+01:00`, at most 366 days ahead. A
    /// past time means now.
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "draft")]
    at: Option<Timestamp>,
    /// Do not offer the release until `spindrift release publish` (the default).
    #[arg(long)]
    draft: bool,
    /// Clients should not postpone it.
    #[arg(long)]
    critical: bool,
    /// Clients must not skip it.
    #[arg(long)]
    intermediate: bool,
    /// Percentage of devices that it is offered to.
    #[arg(long, value_name = "PERCENT", default_value = "100")]
    rollout: Percentage,
    /// Plan of the rollout of a new release, such as `1:1d,20:1d,100`: percentages, each with the time that
    /// it lasts. It begins when the release is published. `1:1d,100 @ Mon-Thu 09:00-16:00 +01:00` begins
    /// later steps only in these hours.
    #[arg(long, value_name = "PLAN", conflicts_with = "rollout")]
    plan: Option<Plan>,
    /// Let a guard run stop a new release that turns out to be unhealthy: `pause` its plan, or `halt` its
    /// rollout.
    #[arg(long, value_name = "STEP", value_parser = guard_step())]
    guard: Option<GuardActionName>,
    /// Group of devices that a new release admits in addition to its rollout. Repeat the option for
    /// each group.
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// Versions that a new release cures, separated by commas, like `2.0,2.0.1`: at most 8. Copies that run
    /// one of them are offered the release at once, regardless of its rollout.
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    cures: Vec<String>,
    /// Lowest version of the operating system that these files run on, like `12` or `10.0.19045`.
    /// Older systems, and clients that do not report theirs, keep getting an older release.
    #[arg(long, value_name = "VERSION")]
    min_os: Option<OsVersion>,
    /// Package of a file in place of its extension, like `App-portable.exe=portable`, if the release has
    /// several files with one extension. May be repeated.
    #[arg(long = "package", value_name = "FILE=PACKAGE", value_parser = package)]
    packages: Vec<(String, String)>,
    /// Release notes.
    #[arg(long, value_name = "TEXT", conflicts_with = "changelog_file")]
    changelog: Option<String>,
    /// File with the release notes; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    changelog_file: Option<PathBuf>,
    /// Updater that the files are for: `manual`, `squirrel_windows`, `squirrel_darwin`, `electron-builder`,
    /// `tauri`, `velopack` or `sparkle`.
    #[arg(long, value_name = "UPDATER")]
    updater: Option<String>,
    /// Signature of the updater's file.
    #[arg(long, value_name = "TEXT", conflicts_with = "signature_file")]
    signature: Option<String>,
    /// File with the signature of the updater's file, like `app.tar.gz.sig`.
    #[arg(long, value_name = "FILE")]
    signature_file: Option<PathBuf>,
}

impl ReleaseOptions {
    /// The form field `data`. Validates values as far as that is possible without the service.
    pub(super) fn data(&self) -> Result<ReleaseData, CliError> {
        let changelog = given_or_read(self.changelog.as_ref(), self.changelog_file.as_deref())?;
        let signature = given_or_read(self.signature.as_ref(), self.signature_file.as_deref())?;
        let data = ReleaseData {
            app_name: self.app.clone(),
            version: self.version.clone(),
            channel: self.channel.clone(),
            platform: self.platform.clone(),
            arch: self.arch.clone(),
            publish: self.publish,
            publish_at: self.at.map(Timestamp::to_rfc3339),
            critical: self.critical,
            intermediate: self.intermediate,
            rollout: self.plan.is_none().then_some(self.rollout),
            plan: self.plan.as_ref().map(PlanBody::from),
            guard: self.guard.map(GuardBody::new),
            groups: self.groups.clone(),
            cures: self.cures.clone(),
            requires: self.min_os.as_ref().map(RequiresBody::at_least),
            changelog,
            updater: self.updater.clone(),
            signature: signature.map(|text| text.trim().to_owned()),
            patches: Vec::new(),
            packages: self.packages.iter().cloned().collect(),
            created_at: None,
        };
        ReleaseMetadata::parse(&field(&data))
            .map_err(|error| CliError::usage(format!("{error}: see `spindrift publish --help`")))?;
        Ok(data)
    }
}

/// Parses a file and its package. Both are validated later, with the other data.
fn package(text: &str) -> Result<(String, String), String> {
    let (file, package) =
        text.rsplit_once('=').ok_or("write FILE=PACKAGE, like `App-portable.exe=portable`")?;
    Ok((file.to_owned(), package.to_owned()))
}

/// The given text, or the content of the file. `-` is standard input.
pub(crate) fn given_or_read(given: Option<&String>, path: Option<&Path>) -> Result<Option<String>, CliError> {
    let Some(path) = path else { return Ok(given.cloned()) };
    let mut text = String::new();
    // Reads one byte more than the service accepts, to detect texts that are too long.
    let limit = MAX_METADATA_BYTES as u64 + 1;
    let read = if path == Path::new(STDIN) {
        std::io::stdin().lock().take(limit).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text))
    };
    read.map_err(CliError::file(path))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::{Value, json};

    use crate::args::{Arguments, Command};

    /// The form field `data`.
    fn data(words: &str) -> Result<Value, String> {
        let words = format!("spindrift publish --app notes --version 2.0{words} notes.deb");
        let arguments = Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?;
        let Command::Publish(publish) = arguments.command else { panic!("another command: {words}") };
        publish.release.data().map(|data| json!(data)).map_err(|error| error.to_string())
    }

    #[test]
    fn groups_are_sent_with_the_release() {
        let groups = |words: &str| data(words).map(|data| data.get("groups").cloned());
        assert_eq!(groups(""), Ok(None));
        assert_eq!(groups(" --group qa --group beta"), Ok(Some(json!(["qa", "beta"]))));
        let many = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| format!(" --group {name}"));
        for words in [" --group a/b", &many.concat()] {
            let message = groups(words).unwrap_err();
            assert!(message.contains("groups") && message.contains("up to 8 names"), "{words}: {message}");
        }
    }

    #[test]
    fn cured_versions_are_sent_with_the_release() {
        let cures = |words: &str| data(words).map(|data| data.get("cures").cloned());
        assert_eq!(cures(""), Ok(None));
        let expected = Ok(Some(json!(["1.9", "1.9.1"])));
        assert_eq!(cures(" --cures 1.9,1.9.1"), expected);
        assert_eq!(cures(" --cures 1.9 --cures 1.9.1"), expected);
        let many: Vec<String> = (0..9).map(|n| format!("1.{n}")).collect();
        for (wrong, why) in [
            (many.join(","), "invalid cures: a list of up to 8 versions"),
            ("1.9,x".to_owned(), "invalid cures: a list of up to 8 versions"),
            ("2.0".to_owned(), "invalid cures: 2.0 is not lower than 2.0"),
        ] {
            let message = cures(&format!(" --cures {wrong}")).unwrap_err();
            assert!(message.contains(why), "{wrong}: {message}");
        }
    }

    #[test]
    fn packages_are_sent_with_the_release() {
        let packages = |words: &str| data(words).map(|data| data.get("packages").cloned());
        assert_eq!(packages(""), Ok(None));
        let two = packages(" --package a-portable.exe=portable --package b=cli");
        assert_eq!(two, Ok(Some(json!({ "a-portable.exe": "portable", "b": "cli" }))));
        for (wrong, why) in [("portable", "FILE=PACKAGE"), ("a.exe=zip", "a.exe cannot have the package")] {
            let message = packages(&format!(" --package {wrong}")).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }

    #[test]
    fn the_lowest_system_is_sent_with_the_release() {
        let requires = |words: &str| data(words).map(|data| data.get("requires").cloned());
        assert_eq!(requires(""), Ok(None));
        for version in ["12", "10.0.19045"] {
            let expected = json!({ "os_version": { "min": version } });
            assert_eq!(requires(&format!(" --min-os {version}")), Ok(Some(expected)));
        }
        for wrong in ["twelve", "1.2.3.4.5", "12."] {
            let message = requires(&format!(" --min-os {wrong}")).unwrap_err();
            assert!(message.contains("--min-os"), "{wrong}: {message}");
        }
    }

    #[test]
    fn a_guard_is_sent_with_the_release() {
        let guard = |words: &str| data(words).map(|data| data["guard"].clone());
        assert_eq!(guard(""), Ok(json!(null)));
        for step in ["pause", "halt"] {
            assert_eq!(guard(&format!(" --guard {step}")), Ok(json!({ "on_unhealthy": step })));
        }
        assert!(guard(" --guard off").unwrap_err().contains("[possible values: pause, halt]"));
    }
}
