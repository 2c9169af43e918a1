//! The form field `data`: the description of a release.

use super::fields::{FieldError, JsonFields};
use super::{InvalidPackages, Packages};
use crate::{
    AdmittedGroups, AppName, ArchName, BasisPoints, ChannelName, CuredVersions, Guard, InvalidAdmittedGroups,
    InvalidCures, InvalidGuard, InvalidPatches, InvalidPlan, InvalidRequirements, InvalidValue,
    InvalidVersion, Patches, Plan, PlatformName, Requirements, TextRule as _, Timestamp, Version,
};

/// Maximum size of `data`, in bytes: 1 MiB, nearly all for the changelog.
pub const MAX_METADATA_BYTES: usize = 1024 * 1024;

/// The problem with `data`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMetadata {
    /// The text is larger than [`MAX_METADATA_BYTES`].
    #[error("data too large: at most {MAX_METADATA_BYTES} bytes")]
    TooLarge,
    /// Not JSON, or not an object.
    #[error("invalid data: not a JSON object")]
    NotAnObject,
    /// A field occurs twice.
    #[error("duplicate field `{0}`")]
    Duplicate(String),
    /// A required field is missing, `null` or empty.
    #[error("missing {0}")]
    Missing(&'static str),
    /// A field has the wrong type or form.
    #[error("invalid {0}")]
    Invalid(InvalidValue),
    /// The field `version` is not a version.
    #[error(transparent)]
    Version(#[from] InvalidVersion),
    /// The field `plan` is not a plan.
    #[error(transparent)]
    Plan(#[from] InvalidPlan),
    /// The field `guard` is not a guard.
    #[error(transparent)]
    Guard(#[from] InvalidGuard),
    /// The field `groups` is not a list of groups.
    #[error(transparent)]
    Groups(#[from] InvalidAdmittedGroups),
    /// The field `cures` is not a list of lower versions.
    #[error(transparent)]
    Cures(#[from] InvalidCures),
    /// The field `requires` is invalid.
    #[error(transparent)]
    Requires(#[from] InvalidRequirements),
    /// The field `patches` is invalid.
    #[error(transparent)]
    Patches(#[from] InvalidPatches),
    /// The field `packages` is invalid.
    #[error(transparent)]
    Packages(#[from] InvalidPackages),
    /// Both `plan` and `rollout` are given, but the first step of a plan is its rollout.
    #[error("plan and rollout exclude each other")]
    PlanAndRollout,
    /// Both ways of publishing are given: at once, and at a time.
    #[error("publish and publish_at exclude each other")]
    PublishTwice,
}

impl From<FieldError> for InvalidMetadata {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Missing(name) => Self::Missing(name),
            FieldError::Invalid(value) => Self::Invalid(value),
        }
    }
}

/// A release as described by its uploader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseMetadata {
    /// The application.
    pub app_name: AppName,
    /// The version.
    pub version: Version,
    /// The channel. Required if the owner has defined channels; likewise the next two.
    pub channel: Option<ChannelName>,
    /// The platform.
    pub platform: Option<PlatformName>,
    /// The architecture.
    pub arch: Option<ArchName>,
    /// Whether clients see the release immediately.
    pub publish: bool,
    /// When clients will see it.
    pub publish_at: Option<Timestamp>,
    /// Whether it is critical.
    pub critical: bool,
    /// Whether clients must not skip it.
    pub intermediate: bool,
    /// Release notes, as written; may be empty.
    pub changelog: String,
    /// The signature of the updater's artifact, without surrounding white space.
    pub signature: Option<String>,
    /// The requested updater, as written; parsed by
    /// [`PlatformUpdaters::resolve`](crate::PlatformUpdaters::resolve).
    pub updater: Option<String>,
    /// The part of all devices that may have the release. A percentage with up to two decimals.
    pub rollout: BasisPoints,
    /// The plan by which the rollout grows; `rollout` is its first step.
    pub plan: Option<Plan>,
    /// The action of a guard run that finds the release unhealthy. `None`: no action.
    pub guard: Option<Guard>,
    /// The groups that are admitted in addition to the rollout.
    pub groups: AdmittedGroups,
    /// The versions whose copies get a new release regardless of its rollout.
    pub cures: CuredVersions,
    /// The OS requirements of the platform and architecture. `None`: no requirements, or they stay.
    pub requires: Option<Requirements>,
    /// The files of the upload that are patches.
    pub patches: Patches,
    /// The packages of files whose package is not their extension.
    pub packages: Packages,
    /// When the release was first published elsewhere. `None`: it is new.
    pub created_at: Option<Timestamp>,
}

impl ReleaseMetadata {
    /// Parses `data`. Unknown fields are ignored; `null` means missing; empty text means missing
    /// for every field but the changelog.
    pub fn parse(data: &str) -> Result<Self, InvalidMetadata> {
        if data.len() > MAX_METADATA_BYTES {
            return Err(InvalidMetadata::TooLarge);
        }
        let fields: JsonFields = serde_json::from_str(data).map_err(|_| InvalidMetadata::NotAnObject)?;
        if let Some(name) = fields.duplicate() {
            return Err(InvalidMetadata::Duplicate(name));
        }
        let plan = fields.value("plan").map(Plan::from_json).transpose()?;
        let (publish, publish_at) = (fields.flag("publish")?, fields.parsed("publish_at")?);
        if publish && publish_at.is_some() {
            return Err(InvalidMetadata::PublishTwice);
        }
        let app_name = fields.required("app_name")?;
        let version = version(&fields)?;
        let cures = fields.value("cures").map(CuredVersions::from_json).transpose()?.unwrap_or_default();
        cures.require_below(&version)?;
        let trimmed = |text: Option<&str>| text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
        Ok(Self {
            app_name,
            version,
            channel: fields.parsed("channel")?,
            platform: fields.parsed("platform")?,
            arch: fields.parsed("arch")?,
            publish,
            publish_at,
            critical: fields.flag("critical")?,
            intermediate: fields.flag("intermediate")?,
            changelog: fields.text("changelog")?.unwrap_or_default().to_owned(),
            signature: trimmed(fields.text("signature")?),
            updater: fields.text("updater")?.filter(|text| !text.is_empty()).map(str::to_owned),
            rollout: rollout(&fields, plan.as_ref())?,
            plan,
            guard: fields.value("guard").map(Guard::from_json).transpose()?,
            groups: fields.value("groups").map(AdmittedGroups::from_json).transpose()?.unwrap_or_default(),
            cures,
            requires: fields.value("requires").map(Requirements::from_json).transpose()?.flatten(),
            patches: fields.value("patches").map(Patches::from_json).transpose()?.unwrap_or_default(),
            packages: fields.value("packages").map(Packages::from_json).transpose()?.unwrap_or_default(),
            created_at: fields.parsed("created_at")?,
        })
    }
}

/// The version, which is required.
fn version(fields: &JsonFields) -> Result<Version, InvalidMetadata> {
    let text = fields.text("version")?.filter(|text| !text.is_empty());
    Ok(text.ok_or(InvalidMetadata::Missing("version"))?.parse()?)
}

/// The initial part of all devices.
fn rollout(fields: &JsonFields, plan: Option<&Plan>) -> Result<BasisPoints, InvalidMetadata> {
    let given = fields.read("rollout", BasisPoints::RULE, BasisPoints::from_json)?;
    match (given, plan) {
        (Some(_), Some(_)) => Err(InvalidMetadata::PlanAndRollout),
        (given, None) => Ok(given.unwrap_or(BasisPoints::ALL)),
        (None, Some(plan)) => Ok(plan.first()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(data: &str) -> Result<ReleaseMetadata, InvalidMetadata> {
        ReleaseMetadata::parse(data)
    }

    /// `data` with the two required fields and one more.
    fn with(field: &str) -> String {
        format!(r#"{{"app_name":"My App","version":"1-2-3",{field}}}"#)
    }

    #[test]
    fn defaults() {
        let metadata = parse(r#"{"app_name":"My App","version":"v1.0","future":[{"a":1,"a":2}]}"#).unwrap();
        assert_eq!(metadata.app_name.as_str(), "My App");
        assert_eq!(metadata.version.as_str(), "1.0");
        assert_eq!((&metadata.channel, &metadata.platform, &metadata.arch), (&None, &None, &None));
        assert_eq!((metadata.publish, metadata.critical, metadata.intermediate), (false, false, false));
        assert_eq!((metadata.changelog.as_str(), metadata.rollout), ("", BasisPoints::ALL));
        assert_eq!((metadata.signature, metadata.updater, metadata.created_at), (None, None, None));
        assert_eq!(metadata.publish_at, None);
    }

    #[test]
    fn everything_given() {
        let metadata = parse(&with(
            r#""channel":"beta","platform":"linux","arch":"amd64","publish":true,"critical":"true",
               "intermediate":"false","changelog":" - ä\n","signature":" c2ln\n","updater":"tauri","rollout":0,
               "created_at":"2024-02-29T12:00:00+02:00""#,
        ))
        .unwrap();
        assert_eq!((metadata.publish, metadata.critical, metadata.intermediate), (true, true, false));
        assert_eq!(metadata.changelog, " - ä\n");
        assert_eq!(metadata.signature.as_deref(), Some("c2ln"));
        assert_eq!((metadata.updater.as_deref(), metadata.rollout), (Some("tauri"), BasisPoints::NONE));
        assert_eq!(metadata.created_at, Some(Timestamp::from_millis(1_709_200_800_000)));
    }

    #[test]
    fn a_plan_begins_with_its_first_step() {
        let metadata = parse(&with(r#""plan":[{"percent":0.1,"for":"1d"},{"percent":100}]"#)).unwrap();
        assert_eq!(metadata.plan.unwrap().to_string(), "0.1:1d,100");
        assert_eq!(metadata.rollout.get(), 10);
        assert_eq!(parse(&with(r#""plan":null"#)).unwrap().plan, None);
        assert_eq!(parse(&with(r#""guard":null"#)).unwrap().guard, None);
        let guarded = parse(&with(r#""guard":{"on_unhealthy":"halt"}"#)).unwrap();
        assert_eq!(guarded.guard, Some(Guard::new(crate::GuardAction::Halt)));
        let refused = parse(&with(r#""guard":{"on_unhealthy":"halt","alpha":1}"#)).unwrap_err();
        let message = refused.to_string();
        assert!(message.starts_with("invalid guard: alpha: 0.001 to 0.1"), "{message}");
    }

    #[test]
    fn conditions_are_read() {
        let metadata = parse(&with(r#""groups":["qa"],"requires":{"os_version":{"min":"12"}}"#)).unwrap();
        assert!(metadata.groups.has(&"qa".parse().unwrap()));
        assert_eq!(metadata.requires.unwrap().to_string(), "os_version 12 or later");
        let nothing = parse(&with(r#""groups":null,"requires":{}"#)).unwrap();
        assert!(nothing.groups.is_empty() && nothing.requires.is_none());
        for (field, text) in [
            (r#""groups":"qa""#, "invalid groups: a list of up to 8 names, not \"qa\""),
            (
                r#""requires":{"os_version":{"min":12}}"#,
                "invalid requires: min: 1 to 4 numbers with dots, like 13.6 or 10.0.19045, not 12",
            ),
        ] {
            assert_eq!(parse(&with(field)).unwrap_err().to_string(), text, "{field}");
        }
    }

    #[test]
    fn cures_are_lower_versions() {
        assert!(parse(&with(r#""cures":[]"#)).unwrap().cures.is_empty());
        let own = parse(&with(r#""cures":null"#)).unwrap().version;
        let cures = parse(&with(r#""cures":["0.2","0.1"]"#)).unwrap().cures;
        assert_eq!(cures.iter().map(Version::as_str).collect::<Vec<_>>(), ["0.1", "0.2"]);
        for (field, text) in [
            (
                r#""cures":"1.0""#.to_owned(),
                "invalid cures: a list of up to 8 versions, not \"1.0\"".to_owned(),
            ),
            (
                format!(r#""cures":["0.1","{own}"]"#),
                format!("invalid cures: {own} is not lower than {own}, the version of the release"),
            ),
        ] {
            assert_eq!(parse(&with(&field)).unwrap_err().to_string(), text, "{field}");
        }
    }

    #[test]
    fn empty_and_null_are_absent() {
        let absent = parse(&with(r#""rollout":null"#)).unwrap();
        for value in ["\"\"", "null"] {
            let fields = ["channel", "platform", "arch", "updater", "signature", "changelog", "created_at"]
                .map(|name| format!("\"{name}\":{value}"));
            assert_eq!(parse(&with(&fields.join(","))), Ok(absent.clone()), "{value}");
        }
    }

    #[test]
    fn errors_name_the_field_the_rule_and_the_value() {
        for (field, name, rule, sent) in [
            (r#""channel":"a b""#, "channel", ChannelName::RULE, "\"a b\""),
            (r#""platform":1"#, "platform", PlatformName::RULE, "1"),
            (r#""arch":["amd64"]"#, "arch", ArchName::RULE, "[\"amd64\"]"),
            (r#""publish":1"#, "publish", "true or false", "1"),
            (r#""critical":"yes""#, "critical", "true or false", "\"yes\""),
            (r#""intermediate":"True""#, "intermediate", "true or false", "\"True\""),
            (r#""changelog":{}"#, "changelog", "a text", "{}"),
            (r#""signature":true"#, "signature", "a text", "true"),
            (r#""updater":0"#, "updater", "a text", "0"),
            (r#""rollout":101"#, "rollout", BasisPoints::RULE, "101"),
            (r#""rollout":-1"#, "rollout", BasisPoints::RULE, "-1"),
            (r#""rollout":50.555"#, "rollout", BasisPoints::RULE, "50.555"),
            (r#""rollout":"50""#, "rollout", BasisPoints::RULE, "\"50\""),
            (r#""created_at":"2024-02-29""#, "created_at", Timestamp::RULE, "\"2024-02-29\""),
            (r#""created_at":1709200800"#, "created_at", Timestamp::RULE, "1709200800"),
        ] {
            let text = format!("invalid {name}: {rule}, not {sent}");
            assert_eq!(parse(&with(field)).unwrap_err().to_string(), text, "{field}");
        }
        for (field, text) in [
            (r#""plan":"5,100""#, "invalid plan: it has 1 to 50 steps"),
            (r#""plan":[{"percent":5}]"#, "invalid plan: step 1: the last step is 100 percent"),
            (r#""plan":[{"percent":100}],"rollout":5"#, "plan and rollout exclude each other"),
            (r#""version":"2.0""#, "duplicate field `version`"),
            (r#""x":1,"x":1"#, "duplicate field `x`"),
        ] {
            assert_eq!(parse(&with(field)).unwrap_err().to_string(), text, "{field}");
        }
    }

    #[test]
    fn required_fields() {
        for (data, text) in [
            (r#"{"version":"1"}"#, "missing app_name"),
            (r#"{"app_name":"","version":"1"}"#, "missing app_name"),
            (r#"{"app_name":null,"version":"1"}"#, "missing app_name"),
            (
                r#"{"app_name":"a/b","version":"1"}"#,
                &format!("invalid app_name: {}, not \"a/b\"", AppName::RULE),
            ),
            (r#"{"app_name":7,"version":"1"}"#, &format!("invalid app_name: {}, not 7", AppName::RULE)),
            (r#"{"app_name":"a"}"#, "missing version"),
            (r#"{"app_name":"a","version":"1 2"}"#, &InvalidVersion::Character(' ').to_string()),
            (r#"{"app_name":"a","version":1.0}"#, "invalid version: a text, not 1.0"),
        ] {
            assert_eq!(parse(data).unwrap_err().to_string(), text, "{data}");
        }
    }

    #[test]
    fn only_objects_within_the_limit() {
        for bad in ["", "null", "[]", "\"a\"", "{", "{} x", r#"{"a":}"#, &"[".repeat(100_000)] {
            assert_eq!(parse(bad), Err(InvalidMetadata::NotAnObject));
        }
        let padding = |n| with(&format!(r#""changelog":"{}""#, "x".repeat(n)));
        let room = MAX_METADATA_BYTES - padding(0).len();
        assert!(parse(&padding(room)).is_ok());
        assert_eq!(parse(&padding(room + 1)), Err(InvalidMetadata::TooLarge));
    }

    #[test]
    fn a_long_duplicate_is_cut() {
        let name = "\\u0007".to_owned() + &"k".repeat(100);
        let error = parse(&format!(r#"{{"{name}":1,"{name}":1}}"#)).unwrap_err();
        assert_eq!(error, InvalidMetadata::Duplicate(format!(" {}...", "k".repeat(39))));
    }
}
