//! What a native updater is answered.

use serde::Serialize;

use super::record::link_of;
use super::{
    ElectronPart, ReleaseFeed, SquirrelMacBody, Staging, TauriBody, UpdaterRecord, YmlOptions,
    render_appcast, render_releases, render_velopack, render_yml,
};
use crate::{Asker, Decision, ScopeArtifact, ScopeRelease, Updater, Version};

/// The form that a client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NativeFormat {
    /// `RELEASES` of Squirrel.Windows.
    Releases,
    /// `*.yml` of electron-builder. `all_archs`: one file for all architectures of the platform, as on macOS.
    Yml {
        /// Whether the release's files of other architectures are listed too.
        all_archs: bool,
    },
    /// JSON of Squirrel.Mac.
    SquirrelMac,
    /// JSON of Tauri.
    Tauri,
    /// `releases.{channel}.json` of Velopack.
    Velopack,
    /// `appcast.xml` of Sparkle.
    Appcast,
}

impl NativeFormat {
    /// What clients of an updater read; `None`: its clients read the service's own answer.
    pub const fn of(updater: Updater) -> Option<Self> {
        match updater {
            Updater::Manual => None,
            Updater::SquirrelWindows => Some(Self::Releases),
            Updater::ElectronBuilder => Some(Self::Yml { all_archs: false }),
            Updater::SquirrelDarwin => Some(Self::SquirrelMac),
            Updater::Tauri => Some(Self::Tauri),
            Updater::Velopack => Some(Self::Velopack),
            Updater::Sparkle => Some(Self::Appcast),
        }
    }

    /// The updater whose clients read it.
    pub const fn updater(self) -> Updater {
        match self {
            Self::Releases => Updater::SquirrelWindows,
            Self::Yml { .. } => Updater::ElectronBuilder,
            Self::SquirrelMac => Updater::SquirrelDarwin,
            Self::Tauri => Updater::Tauri,
            Self::Velopack => Updater::Velopack,
            Self::Appcast => Updater::Sparkle,
        }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::Releases => "text/plain; charset=utf-8",
            Self::Yml { .. } => "text/yaml; charset=utf-8",
            Self::SquirrelMac | Self::Tauri | Self::Velopack => "application/json",
            Self::Appcast => "application/xml; charset=utf-8",
        }
    }

    /// Whether the form can say for how many devices a release is, so that the client decides.
    const fn can_stage(self) -> bool {
        matches!(self, Self::Releases | Self::Yml { .. })
    }
}

/// What a client asks.
#[derive(Debug, Clone, Copy)]
pub struct NativeQuestion<'a> {
    /// The form.
    pub format: NativeFormat,
    /// The version that the client has.
    pub client: &'a Version,
    /// Its device identifier, where it sends one.
    pub device: Option<&'a str>,
    /// How a Tauri application was installed: `appimage`, `deb`, `rpm`, `app`, `msi`, `nsis`.
    pub bundle: Option<&'a str>,
    /// The name of the application.
    pub title: &'a str,
}

impl<'a> NativeQuestion<'a> {
    /// Who asks. Without an identifier a client decides where its form lets it; where not, it gets what all may have.
    pub fn asker(&self) -> Asker<'a> {
        match self.device {
            Some(device) => Asker::Device(device),
            None if self.format.can_stage() => Asker::Anonymous,
            None => Asker::Outsider,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NativeAnswer {
    /// A body.
    Body {
        /// Its type.
        content_type: &'static str,
        /// All of it.
        text: String,
    },
    /// There is no update, for clients that are told so by a status without a body.
    NoUpdate,
    /// There is nothing that this client may have, and its form cannot say so.
    Nothing,
}

impl UpdaterRecord {
    /// Whether the answer to a device is another device's too.
    pub fn is_same_for_all(&self) -> bool {
        self.scope.releases.iter().all(|release| release.rollout.is_full())
    }

    /// The answer to a client.
    pub fn answer(&self, question: &NativeQuestion<'_>) -> NativeAnswer {
        let decision = self.decide(question.client, question.asker());
        let text = match question.format {
            NativeFormat::SquirrelMac => {
                return decision.squirrel_mac().map_or(NativeAnswer::NoUpdate, |body| json(&body));
            }
            NativeFormat::Tauri => {
                return decision.tauri(question.bundle).map_or(NativeAnswer::NoUpdate, |body| json(&body));
            }
            NativeFormat::Releases => self.releases(question, &decision),
            NativeFormat::Yml { all_archs } => self.yml(&decision, all_archs, question.device.is_some()),
            NativeFormat::Velopack => Some(self.with_feeds(
                |feed| if let ReleaseFeed::Velopack(feed) = feed { Some(feed) } else { None },
                |releases| render_velopack(releases, question.client, decision.version()),
            )),
            NativeFormat::Appcast => Some(self.with_feeds(
                |feed| if let ReleaseFeed::Sparkle(feed) = feed { Some(feed) } else { None },
                |releases| render_appcast(releases, decision.version(), question.title),
            )),
        };
        match text {
            Some(text) => NativeAnswer::Body { content_type: question.format.content_type(), text },
            None => NativeAnswer::Nothing,
        }
    }

    fn releases(&self, question: &NativeQuestion<'_>, decision: &Decision<'_>) -> Option<String> {
        let staging = if question.device.is_some() { Staging::Decided } else { Staging::ByClient };
        let target = decision.version()?;
        self.with_feeds(
            |feed| if let ReleaseFeed::SquirrelWindows(feed) = feed { Some(feed) } else { None },
            |releases| render_releases(releases, question.client, target, staging),
        )
    }

    fn yml(&self, decision: &Decision<'_>, all_archs: bool, is_decided: bool) -> Option<String> {
        let release = decision.release?;
        let parts = self.parts(&release.version).iter().take(if all_archs { usize::MAX } else { 1 });
        let parts: Vec<_> = parts.map(|part| (part, link_of(part))).collect();
        let parts = parts.iter().filter_map(|(part, link)| {
            let ReleaseFeed::Electron(info) = &part.feed else { return None };
            Some(ElectronPart { arch: part.arch.as_ref().map(crate::ArchName::as_str), info, link })
        });
        let is_staged = !is_decided && decision.update_available;
        let options = YmlOptions {
            staging_percentage: is_staged.then_some(release.rollout.percent),
            released_at: release.released_at,
            changelog: &release.changelog,
        };
        render_yml(&parts.collect::<Vec<_>>(), &options)
    }
}

impl<'a> Decision<'a> {
    /// The version of the offered release, or without an update of the one that a feed may list.
    pub fn version(&self) -> Option<&'a Version> {
        self.release.map(|release| &release.version)
    }

    fn update(&self) -> Option<&'a ScopeRelease> {
        self.release.filter(|_| self.update_available)
    }

    fn squirrel_mac(&self) -> Option<SquirrelMacBody<'a>> {
        let release = self.update()?;
        let zip = release.artifacts.iter().find(|artifact| artifact.package.as_str() == "zip")?;
        let body = SquirrelMacBody::new(release.version.as_str(), &zip.url, release.released_at);
        let mut body = body.notes(&release.changelog).critical(self.critical);
        body.signature = zip.signature.as_deref();
        Some(body)
    }

    fn tauri(&self, bundle: Option<&str>) -> Option<TauriBody<'a>> {
        let release = self.update()?;
        let (artifact, signature) = signed_artifact(release, bundle)?;
        Some(TauriBody::new(
            release.version.as_str(),
            &artifact.url,
            signature,
            &release.changelog,
            release.released_at,
        ))
    }
}

/// What a Tauri application that was installed from `bundle` downloads: the signed artifact of its kind, else the
/// first signed one that is no installer of another kind, else the first signed one.
fn signed_artifact<'a>(
    release: &'a ScopeRelease,
    bundle: Option<&str>,
) -> Option<(&'a ScopeArtifact, &'a str)> {
    let packages: &[&str] = match bundle {
        Some("appimage") => &["appimage", "tar.gz"],
        Some("app") => &["app.tar.gz", "tar.gz"],
        Some("deb") => &["deb"],
        Some("rpm") => &["rpm"],
        Some("msi") => &["msi", "zip"],
        Some("nsis") => &["exe", "zip"],
        _ => &[],
    };
    let signed = || release.artifacts.iter().filter_map(|a| Some((a, a.signature.as_deref()?)));
    let of_kind = packages.iter().find_map(|package| signed().find(|(a, _)| a.package.as_str() == *package));
    let is_installer = |artifact: &ScopeArtifact| matches!(artifact.package.as_str(), "deb" | "rpm" | "msi");
    of_kind.or_else(|| signed().find(|(a, _)| !is_installer(a))).or_else(|| signed().next())
}

fn json(body: &impl Serialize) -> NativeAnswer {
    let text = serde_json::to_string(body).unwrap_or_default();
    NativeAnswer::Body { content_type: "application/json", text }
}
