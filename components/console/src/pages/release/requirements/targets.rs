//! The platforms and architectures of a release, with the requirements of each.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use spindrift_api::{PlaceRequiresBody, ReleaseEntry, RequiresBody};

use crate::table::{column, table};
use crate::{Address, requirements};

/// The value of `edit` in the page's address that opens the form for a place.
pub(in super::super) const EDITED: &str = "requirements";

/// Every platform and architecture with files or requirements. `None`: no requirements.
pub(in super::super) struct ReleaseTargets<'p>(BTreeMap<[&'p str; 2], Option<&'p RequiresBody>>);

impl<'p> ReleaseTargets<'p> {
    pub(in super::super) fn of(release: &'p ReleaseEntry, required: &'p [PlaceRequiresBody]) -> Self {
        let files = release.artifacts.iter();
        let files = files.map(|file| ([file.platform.as_str(), file.arch.as_str()], None));
        let required = required
            .iter()
            .map(|place| ([place.platform.as_str(), place.arch.as_str()], Some(&place.requires)));
        Self(files.chain(required).collect())
    }

    pub(in super::super) fn require_nothing(&self) -> bool {
        self.0.values().all(Option::is_none)
    }

    pub(in super::super) fn platforms(&self) -> Vec<&'p str> {
        self.names(|[platform, _]| platform)
    }

    pub(in super::super) fn archs(&self) -> Vec<&'p str> {
        self.names(|[_, arch]| arch)
    }

    fn names(&self, of: impl Fn([&'p str; 2]) -> &'p str) -> Vec<&'p str> {
        let names: BTreeSet<&str> = self.0.keys().copied().map(of).filter(|name| !name.is_empty()).collect();
        names.into_iter().collect()
    }

    /// The requirements of a platform and an architecture, if all places in it have the same. An
    /// empty name: all.
    pub(in super::super) fn common(&self, place: [&str; 2]) -> Option<&'p RequiresBody> {
        let is_there = |names: &[&str; 2]| {
            place.iter().zip(names).all(|(wanted, name)| wanted.is_empty() || wanted == name)
        };
        let mut there = self.0.iter().filter(|(names, _)| is_there(names)).map(|(_, requires)| *requires);
        let first = there.next()??;
        there.all(|other| other == Some(first)).then_some(first)
    }

    /// `page`: the release's page, for visitors who may change the requirements.
    pub(in super::super) fn table(&self, page: Option<&Address>) -> Markup {
        let is_one = self.0.keys().all(|[platform, arch]| platform.is_empty() && arch.is_empty());
        let head = html! {
            @if !is_one { (column("Files for")) }
            (column("System version"))
            @if page.is_some() { (column("Actions")) }
        };
        let rows = html! {
            @for (place, requires) in &self.0 {
                tr {
                    @if !is_one { th scope="row" { (place_name(*place)) } }
                    td.words { (versions(*requires)) }
                    @if let Some(page) = page { td { div.links { a href=(form(page, *place)) { "Change" } } } }
                }
            }
        };
        table("Requirements", &head, &rows)
    }
}

fn place_name(place: [&str; 2]) -> String {
    place.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
}

fn versions(requires: Option<&RequiresBody>) -> Markup {
    html! {
        (requires.map_or("any".to_owned(), requirements::describe))
        @if requires.is_some_and(requirements::are_for_unknown) { ", and clients that do not say theirs" }
    }
}

/// The page with the form for a place.
fn form(page: &Address, [platform, arch]: [&str; 2]) -> String {
    let page = page.clone().with("edit", EDITED).with("platform", platform).with("arch", arch);
    format!("{page}#requirements")
}
