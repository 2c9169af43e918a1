//! The common parts of channels, platforms and architectures.

use http::{Method, StatusCode};
use spindrift_api::{ArchBody, ChannelBody, PlatformBody, ResultBody, Switch, UpdaterBody};
use spindrift_core::{Id, Resource};

use super::cut_off::FORCE;
use crate::{Address, Catalog, ConsoleError, Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetupKind {
    Channel,
    Platform,
    Arch,
}

/// An existing item, or one described by a form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SetupItem {
    /// `None`: a new item.
    pub(super) id: Option<Id>,
    pub(super) name: String,
    /// Only for channels: the channels that it includes.
    pub(super) includes: Vec<String>,
    /// Only for platforms.
    pub(super) updaters: Vec<UpdaterBody>,
    /// Whether it is the default for copies that name no such item.
    pub(super) is_default: bool,
}

impl SetupKind {
    pub(super) const ALL: [Self; 3] = [Self::Channel, Self::Platform, Self::Arch];

    /// The kind with this name in an address.
    pub(super) fn of_segment(segment: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.segment() == segment).ok_or(ConsoleError::NoPage)
    }

    fn segment(self) -> &'static str {
        self.words()[0]
    }

    pub(super) fn noun(self) -> &'static str {
        self.words()[1]
    }

    /// The heading of the list.
    pub(super) fn title(self) -> &'static str {
        self.words()[2]
    }

    fn words(self) -> [&'static str; 3] {
        match self {
            Self::Channel => ["channels", "channel", "Channels"],
            Self::Platform => ["platforms", "platform", "Platforms"],
            Self::Arch => ["archs", "architecture", "Architectures"],
        }
    }

    pub(super) fn resource(self) -> Resource {
        match self {
            Self::Channel => Resource::Channel,
            Self::Platform => Resource::Platform,
            Self::Arch => Resource::Arch,
        }
    }

    /// The page of a new or existing item, or a page below it.
    pub(super) fn page(self, below: &[&str]) -> Address {
        Address::page(["setup", self.segment()].into_iter().chain(below.iter().copied()))
    }

    /// The items of this kind in the catalog.
    pub(super) fn items(self, catalog: &Catalog) -> Vec<SetupItem> {
        let item = |id: &Id, name: &str, is_default| SetupItem {
            id: Some(id.clone()),
            name: name.to_owned(),
            is_default,
            ..SetupItem::default()
        };
        match self {
            Self::Channel => {
                let of = |row: &spindrift_api::ChannelEntry| SetupItem {
                    includes: row.includes.clone(),
                    ..item(&row.id, &row.channel_name, row.default)
                };
                catalog.channels.iter().map(of).collect()
            }
            Self::Platform => {
                let of = |row: &spindrift_api::PlatformEntry| SetupItem {
                    updaters: row.updaters.clone(),
                    ..item(&row.id, &row.platform_name, row.default)
                };
                catalog.platforms.iter().map(of).collect()
            }
            Self::Arch => {
                catalog.archs.iter().map(|row| item(&row.id, &row.arch_name, row.default)).collect()
            }
        }
    }

    pub(super) fn item(self, catalog: &Catalog, id: &str) -> Result<SetupItem> {
        let is_it = |item: &SetupItem| item.id.as_ref().is_some_and(|own| own.as_str() == id);
        self.items(catalog).into_iter().find(is_it).ok_or(ConsoleError::NoPage)
    }

    /// Creates or changes an item. `is_forced`: even if that cuts off installed copies.
    pub(super) async fn save(self, context: &Context<'_>, item: SetupItem, is_forced: bool) -> Result<()> {
        let default = item.id.is_some().then_some(Switch(item.is_default));
        let force = is_forced.then_some(Switch(true));
        let id = item.id.map(|id| id.to_string());
        let [create, update] = match self {
            Self::Channel => ["/channel/create", "/channel/update"],
            Self::Platform => ["/platform/create", "/platform/update"],
            Self::Arch => ["/arch/create", "/arch/update"],
        };
        let call = Address::call(if id.is_some() { update } else { create });
        let name = Some(item.name);
        let _: ResultBody<serde_json::Value> = match self {
            Self::Channel => {
                let body = ChannelBody { id, channel: name, includes: Some(item.includes), default, force };
                context.service.send_json(Method::POST, &call, &body).await?
            }
            Self::Platform => {
                let updaters = Some(item.updaters);
                let body =
                    PlatformBody { id, platform: name, updaters, default, force, ..PlatformBody::default() };
                context.service.send_json(Method::POST, &call, &body).await?
            }
            Self::Arch => {
                let body = ArchBody { id, arch: name, default, force };
                context.service.send_json(Method::POST, &call, &body).await?
            }
        };
        Ok(())
    }

    /// Deletes the item with this id. Succeeds if it is already deleted.
    pub(super) async fn delete(self, context: &Context<'_>, id: &str, is_forced: bool) -> Result<()> {
        let call = match self {
            Self::Channel => "/channel/delete",
            Self::Platform => "/platform/delete",
            Self::Arch => "/arch/delete",
        };
        let call = Address::call(call).with("id", id);
        let call = if is_forced { call.with(FORCE, true) } else { call };
        let gone: Result<ResultBody<u64>, _> = context.service.delete(&call).await;
        match gone {
            Err(error) if !error.is_refusal(StatusCode::NOT_FOUND) => Err(error),
            _ => Ok(()),
        }
    }
}
