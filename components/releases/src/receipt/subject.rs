//! The release that a receipt is about: as stored, possibly with an upload that has not been sent yet.

use spindrift_core::{
    AppName, Course, FileName, Id, InvalidValue, PlatformUpdaters, Release, ReleaseFlags, ReleaseMetadata,
    Requirements, Target, TextRule as _, Updater, Version,
};
use spindrift_db::receipt::{self, PlacedFeed, PlacedFile};
use spindrift_db::{SqlConn, requirements};
use spindrift_service::Failure;
use spindrift_web::ApiError;

/// A release with its offers and files.
pub(super) struct ReceiptSubject {
    pub(super) app: AppName,
    pub(super) app_id: Id,
    pub(super) version: Version,
    /// At least one.
    pub(super) offers: Vec<Release>,
    pub(super) files: Vec<PlacedFile>,
    pub(super) feeds: Vec<PlacedFeed>,
    /// The requirements of an upload, in its place.
    requires: Option<(Target, Requirements)>,
    /// Whether the database contains it.
    is_stored: bool,
    /// Whether it includes files that have not been sent yet.
    pub(super) is_upload: bool,
}

impl ReceiptSubject {
    /// A stored release. `offers` are its offers, at least one.
    pub(super) fn stored(conn: &impl SqlConn, app: AppName, offers: Vec<Release>) -> Result<Self, Failure> {
        let Some(first) = offers.first() else { return Err(ApiError::not_found("release").into()) };
        Ok(Self {
            app,
            app_id: first.app_id.clone(),
            version: first.version.clone(),
            files: receipt::files(conn, &first.id)?,
            feeds: receipt::feeds(conn, &first.id)?,
            offers,
            requires: None,
            is_stored: true,
            is_upload: false,
        })
    }

    /// A release that does not exist yet, as its upload would create it.
    pub(super) fn new(app: AppName, app_id: Id, channel_id: Option<Id>, given: &ReleaseMetadata) -> Self {
        let seed = String::new();
        let draft = Release {
            id: Id::from_text(""),
            app_id: app_id.clone(),
            version: given.version.clone(),
            channel_id,
            is_promoted: false,
            flags: ReleaseFlags {
                published: false,
                critical: given.critical,
                intermediate: given.intermediate,
            },
            rollout: match &given.plan {
                Some(plan) => Course::planned(plan.clone(), seed),
                None => Course::fixed(given.rollout, seed),
            },
            changelog: String::new(),
            publish_at: given.publish_at,
            planned_at: None,
            withdrawal: None,
            offered_at: None,
            admitted_groups: given.groups.clone(),
            cures: given.cures.clone(),
            guard: None,
            round_at: None,
            revision: 0,
        };
        Self {
            app,
            app_id,
            version: given.version.clone(),
            offers: vec![draft],
            files: Vec::new(),
            feeds: Vec::new(),
            requires: None,
            is_stored: false,
            is_upload: true,
        }
    }

    /// The release with the files of an upload. `updaters` are those of the platform.
    pub(super) fn with_upload(
        mut self,
        (place, updaters): (&Target, &PlatformUpdaters),
        given: &ReleaseMetadata,
        names: &[String],
    ) -> Result<Self, ApiError> {
        let place = Target { channel_id: None, ..place.clone() };
        let names: Vec<FileName> = names
            .iter()
            .map(|name| name.parse().map_err(|_| InvalidValue::of_text("file name", FileName::RULE, name)))
            .collect::<Result<_, _>>()?;
        let updater = updaters
            .resolve(given.updater.as_deref())
            .map_err(|error| ApiError::bad_request(error.to_string()))?;
        let signable: Vec<&FileName> =
            names.iter().filter(|name| !name.is_feed() && !name.package().is_patch()).collect();
        for name in &names {
            if let Some(updater) = name.feed_updater() {
                self.feeds.push(PlacedFeed { place: place.clone(), updater });
            } else if !name.package().is_patch() {
                let is_signed = given.signature.is_some() && updater.is_signed(name, &signable);
                let file =
                    PlacedFile { place: place.clone(), name: name.clone(), is_signed, is_offered: true };
                self.files.push(file);
            }
        }
        self.requires = given.requires.clone().map(|requires| (place, requires));
        self.is_upload = true;
        Ok(self)
    }

    /// The requirements of the release in a place.
    pub(super) fn requires(
        &self,
        conn: &impl SqlConn,
        place: &Target,
    ) -> Result<Option<Requirements>, Failure> {
        let is_here = |(other, _): &&(Target, Requirements)| {
            (&other.platform_id, &other.arch_id) == (&place.platform_id, &place.arch_id)
        };
        match (self.requires.as_ref().filter(is_here), self.offers.first()) {
            (Some((_, requires)), _) => Ok(Some(requires.clone())),
            (None, Some(release)) if self.is_stored => Ok(requirements::of_place(conn, &release.id, place)?),
            (None, _) => Ok(None),
        }
    }

    /// The channels that offer it.
    pub(super) fn channels(&self) -> Vec<Option<Id>> {
        self.offers.iter().map(|offer| offer.channel_id.clone()).collect()
    }

    pub(super) fn has_feed(&self, place: &Target, updater: Updater) -> bool {
        self.feeds.iter().any(|feed| is_same(&feed.place, place) && feed.updater == updater)
    }

    pub(super) fn files_in<'s>(&'s self, place: &'s Target) -> impl Iterator<Item = &'s PlacedFile> {
        self.files.iter().filter(move |file| is_same(&file.place, place))
    }
}

/// Whether two places are on the same platform and architecture.
pub(super) fn is_same(one: &Target, other: &Target) -> bool {
    (&one.platform_id, &one.arch_id) == (&other.platform_id, &other.arch_id)
}
