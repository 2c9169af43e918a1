//! The answer of an endpoint, parsed by the plugin's rules.

use std::collections::HashMap;

use semver::Version;
use serde::{Deserialize, Deserializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use url::Url;

/// An answer. All of it must be valid, including the parts for other platforms.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Answer")]
pub struct RemoteRelease {
    pub version: Version,
    notes: Option<String>,
    date: Option<OffsetDateTime>,
    artifacts: Artifacts,
}

#[derive(Debug)]
enum Artifacts {
    /// For the app that asked.
    One(Artifact),
    ByPlatform(HashMap<String, Artifact>),
}

#[derive(Debug)]
struct Artifact {
    url: Url,
    signature: String,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(alias = "name", deserialize_with = "version")]
    version: Version,
    notes: Option<String>,
    pub_date: Option<String>,
    platforms: Option<HashMap<String, AnsweredArtifact>>,
    url: Option<String>,
    signature: Option<String>,
}

#[derive(Deserialize)]
struct AnsweredArtifact {
    url: String,
    signature: String,
}

/// The update offered to an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub version: Version,
    pub url: Url,
    /// Its `.sig` file.
    pub signature: String,
    /// Release notes.
    pub notes: Option<String>,
    pub date: Option<OffsetDateTime>,
}

impl TryFrom<Answer> for RemoteRelease {
    type Error = String;

    fn try_from(answer: Answer) -> Result<Self, String> {
        let date = answer.pub_date.map(|text| OffsetDateTime::parse(&text, &Rfc3339)).transpose();
        let artifacts = match answer.platforms {
            Some(platforms) => {
                let artifacts = platforms.into_iter().map(|(platform, answered)| {
                    Artifact::try_from(answered).map(|artifact| (platform, artifact))
                });
                Artifacts::ByPlatform(artifacts.collect::<Result<_, _>>()?)
            }
            None => Artifacts::One(Artifact::try_from(AnsweredArtifact {
                url: answer.url.ok_or("the `url` field was not set on the updater response")?,
                signature: answer
                    .signature
                    .ok_or("the `signature` field was not set on the updater response")?,
            })?),
        };
        Ok(Self {
            version: answer.version,
            notes: answer.notes,
            date: date.map_err(|error| format!("invalid value for `pub_date`: {error}"))?,
            artifacts,
        })
    }
}

impl TryFrom<AnsweredArtifact> for Artifact {
    type Error = String;

    fn try_from(answered: AnsweredArtifact) -> Result<Self, String> {
        let url = Url::parse(&answered.url).map_err(|error| format!("{}: {error}", answered.url))?;
        Ok(Self { url, signature: answered.signature })
    }
}

impl RemoteRelease {
    /// The artifact for the first of these platforms that exists.
    pub(super) fn offer_for(self, platforms: &[String]) -> Result<Offer, String> {
        let artifact = match self.artifacts {
            Artifacts::One(artifact) => artifact,
            Artifacts::ByPlatform(mut all) => platforms
                .iter()
                .find_map(|platform| all.remove(platform))
                .ok_or_else(|| format!("none of the platforms {platforms:?} were found"))?,
        };
        Ok(Offer {
            version: self.version,
            url: artifact.url,
            signature: artifact.signature,
            notes: self.notes,
            date: self.date,
        })
    }
}

fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    let text = String::deserialize(deserializer)?;
    Version::parse(text.trim_start_matches('v')).map_err(serde::de::Error::custom)
}
