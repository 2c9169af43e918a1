//! The data that determines how an owner's installed copies are answered.

use std::collections::BTreeSet;

use super::copies::{InstalledCopies, KnownCopies};
use crate::{
    Dimension, DimensionChoices, DimensionKind, Id, PlatformUpdaters, Target, Updater, dimension_or_default,
};

/// A channel, platform or architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionItem {
    /// Its identifier.
    pub id: Id,
    /// The name that copies send.
    pub name: String,
    /// Whether it is the default for copies that send no name.
    pub is_default: bool,
    /// Only for platforms.
    pub updaters: Option<PlatformUpdaters>,
    /// Only for channels: the channels whose releases it also offers.
    pub includes: Vec<Id>,
}

/// A scope in which an application has published something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedScope {
    /// The application.
    pub app: Id,
    /// The scope.
    pub target: Target,
    /// The updaters of the files on offer there. Empty: nothing is on offer any more.
    pub updaters: BTreeSet<Updater>,
}

/// The part of an owner's data that determines answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supply {
    /// Channels.
    pub channels: Vec<DimensionItem>,
    /// Platforms.
    pub platforms: Vec<DimensionItem>,
    /// Architectures.
    pub archs: Vec<DimensionItem>,
    /// Everything that was ever published. A scope may be listed several times.
    pub published: Vec<PublishedScope>,
}

/// The kind of answer that copies get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// An error.
    Error,
    /// The answer that nothing is published.
    Nothing,
    /// A release from this scope.
    Offer(Target),
}

impl Reach {
    /// Higher is better.
    pub(super) const fn level(&self) -> u8 {
        match self {
            Self::Error => 0,
            Self::Nothing => 1,
            Self::Offer(_) => 2,
        }
    }
}

impl PublishedScope {
    pub(super) fn is_on_offer(&self) -> bool {
        !self.updaters.is_empty()
    }

    const fn id(&self, kind: DimensionKind) -> Option<&Id> {
        match kind {
            DimensionKind::Channel => self.target.channel_id.as_ref(),
            DimensionKind::Platform => self.target.platform_id.as_ref(),
            DimensionKind::Arch => self.target.arch_id.as_ref(),
        }
    }
}

impl Supply {
    const fn values(&self, kind: DimensionKind) -> &Vec<DimensionItem> {
        match kind {
            DimensionKind::Channel => &self.channels,
            DimensionKind::Platform => &self.platforms,
            DimensionKind::Arch => &self.archs,
        }
    }

    pub(super) const fn values_mut(&mut self, kind: DimensionKind) -> &mut Vec<DimensionItem> {
        match kind {
            DimensionKind::Channel => &mut self.channels,
            DimensionKind::Platform => &mut self.platforms,
            DimensionKind::Arch => &mut self.archs,
        }
    }

    /// The kind of answer for copies that send these names.
    pub(super) fn reach(&self, copies: &InstalledCopies) -> Reach {
        let [channel, platform, arch] =
            [DimensionKind::Channel, DimensionKind::Platform, DimensionKind::Arch]
                .map(|kind| self.resolve(kind, copies));
        let (Ok(channel_id), Ok(platform_id), Ok(arch_id)) = (channel, platform, arch) else {
            return Reach::Error;
        };
        let target = Target { channel_id, platform_id, arch_id };
        if self.on_offer(copies, &target).next().is_some() { Reach::Offer(target) } else { Reach::Nothing }
    }

    /// The item that copies mean. `None`: they mean none. `Err`: what they get instead of an
    /// answer.
    fn resolve(&self, kind: DimensionKind, copies: &InstalledCopies) -> Result<Option<Id>, Reach> {
        let [channel, platform, arch] = &copies.names;
        let name = match kind {
            DimensionKind::Channel => channel,
            DimensionKind::Platform => platform,
            DimensionKind::Arch => arch,
        };
        let values = self.values(kind);
        let find = |is_it: &dyn Fn(&DimensionItem) -> bool| {
            values.iter().find(|value| is_it(value)).map(|value| value.id.clone())
        };
        let was_published =
            |id: Option<&Id>| self.published.iter().any(|p| p.app == copies.app && p.id(kind) == id);
        let requested = find(&|value| value.name == *name);
        let choices = DimensionChoices {
            requested_was_used: requested.as_ref().is_some_and(|id| was_published(Some(id))),
            requested,
            default: find(&|value| value.is_default),
            any: !values.is_empty(),
            was_unused: was_published(None),
        };
        match choices.of_copy(Some(name.as_str()).filter(|name| !name.is_empty())) {
            Dimension::Known(id) => Ok(Some(id)),
            Dimension::Unused => Ok(None),
            Dimension::Unknown | Dimension::Required => Err(Reach::Error),
        }
    }

    /// The publications that these copies are offered in a scope.
    fn on_offer<'a>(
        &'a self,
        copies: &'a InstalledCopies,
        target: &'a Target,
    ) -> impl Iterator<Item = &'a PublishedScope> {
        let own = target.channel_id.as_ref();
        let included = self.channels.iter().find(|channel| Some(&channel.id) == own);
        let included = included.map_or(&[][..], |channel| &channel.includes[..]);
        self.published.iter().filter(move |publication| {
            let channel = publication.target.channel_id.as_ref();
            publication.is_on_offer()
                && publication.app == copies.app
                && publication.target.platform_id == target.platform_id
                && publication.target.arch_id == target.arch_id
                && (channel == own || channel.is_some_and(|id| included.contains(id)))
        })
    }

    /// The updaters of the uploads that these copies are offered.
    pub(super) fn updaters_on_offer(&self, copies: &InstalledCopies, target: &Target) -> BTreeSet<Updater> {
        self.on_offer(copies, target).flat_map(|publication| publication.updaters.iter().copied()).collect()
    }

    /// The updaters of the scope's platform.
    pub(super) fn updaters(&self, target: &Target) -> PlatformUpdaters {
        let platform =
            self.platforms.iter().find(|platform| Some(&platform.id) == target.platform_id.as_ref());
        platform.and_then(|platform| platform.updaters.clone()).unwrap_or_default()
    }

    /// Copies that may exist where something is on offer: with each way to name the scope, and with
    /// each updater. If devices are counted, only copies whose updater sends no device id are
    /// included. Native updaters use a path, which cannot omit a name.
    pub(super) fn assumed_copies(
        &self,
        publication: &PublishedScope,
        seen: KnownCopies<'_>,
    ) -> Vec<InstalledCopies> {
        let is_silent = |updater: &&Updater| seen == KnownCopies::Uncounted || !updater.sends_device();
        let mut all = Vec::new();
        for updater in publication.updaters.iter().filter(is_silent) {
            let unnamed = if *updater == Updater::Manual { "" } else { dimension_or_default(None) };
            let [channels, platforms, archs] =
                [DimensionKind::Channel, DimensionKind::Platform, DimensionKind::Arch]
                    .map(|kind| self.spellings(kind, publication.id(kind), unnamed));
            for channel in &channels {
                for platform in &platforms {
                    for arch in &archs {
                        let names = [channel, platform, arch].map(ToString::to_string);
                        let app = publication.app.clone();
                        all.push(InstalledCopies { app, names, updater: Some(*updater), devices: 0 });
                    }
                }
            }
        }
        all
    }

    /// How copies may name an item: by its name or, if it is the default, not at all.
    fn spellings<'a>(&'a self, kind: DimensionKind, id: Option<&Id>, unnamed: &'a str) -> Vec<&'a str> {
        let Some(value) = self.values(kind).iter().find(|value| Some(&value.id) == id) else {
            return vec![unnamed];
        };
        let mut all = vec![value.name.as_str()];
        all.extend(value.is_default.then_some(unnamed));
        all
    }
}
