//! The form of a channel, a platform or an architecture.

use maud::{Markup, html};
use spindrift_api::UpdaterBody;
use spindrift_core::{Id, Updater};

use super::kind::{SetupItem, SetupKind};
use crate::table::columns;
use crate::{Catalog, FormFields, parts};

/// The value of the field `default` if no default updater is chosen.
const BY_RULE: &str = "";

/// The field that makes the item the owner's default.
const IS_DEFAULT: &str = "is_default";

/// The item that a form describes. `id`: of the item to change.
pub(super) fn read(kind: SetupKind, id: Option<Id>, sent: &FormFields) -> SetupItem {
    let is_default = sent.has(IS_DEFAULT);
    let mut item = SetupItem { id, name: sent.one("name").to_owned(), is_default, ..SetupItem::default() };
    match kind {
        SetupKind::Channel => item.includes = sent.all("includes").map(ToOwned::to_owned).collect(),
        SetupKind::Platform => item.updaters = updaters(sent),
        SetupKind::Arch => {}
    }
    item
}

/// The chosen updaters. The default is included even if its box is not checked.
fn updaters(sent: &FormFields) -> Vec<UpdaterBody> {
    let default = sent.one("default");
    let is_chosen = |name: &str| name == default || sent.all("updaters").any(|chosen| chosen == name);
    let names = Updater::ALL.into_iter().map(Updater::as_str).filter(|name| is_chosen(name));
    names.map(|name| UpdaterBody { updater: name.to_owned(), default: name == default }).collect()
}

pub(super) fn fields(kind: SetupKind, item: &SetupItem, catalog: &Catalog) -> Markup {
    html! {
        (parts::new_name(&item.name))
        @match kind {
            SetupKind::Channel => (includes(item, catalog)),
            SetupKind::Platform => (choice_of_updaters(item)),
            SetupKind::Arch => {}
        }
        @if item.id.is_some() {
            @let label = format!("Default: installed copies that name no {} get this one", kind.noun());
            (parts::check(IS_DEFAULT, "true", &label, item.is_default))
        }
    }
}

fn includes(item: &SetupItem, catalog: &Catalog) -> Markup {
    let others = catalog.channels.iter().filter(|channel| item.id.as_ref() != Some(&channel.id));
    let mut others: Vec<&str> = others.map(|channel| channel.channel_name.as_str()).collect();
    // Keep channels included that the visitor may not see.
    let is_seen = |name: &str| catalog.channels.iter().any(|channel| channel.channel_name == name);
    others.extend(item.includes.iter().map(String::as_str).filter(|name| !is_seen(name)));
    html! {
        @if !others.is_empty() {
            fieldset {
                legend { "Includes" }
                p.hint { "Clients of this channel are offered the newest release of it and of these." }
                @for name in others {
                    (parts::check("includes", name, name, item.includes.iter().any(|one| one == name)))
                }
            }
        }
    }
}

fn choice_of_updaters(item: &SetupItem) -> Markup {
    let default =
        item.updaters.iter().find(|updater| updater.default).map(|updater| updater.updater.as_str());
    let is_chosen = |name: &str| item.updaters.iter().any(|updater| updater.updater == name);
    html! {
        fieldset {
            legend { "Updaters" }
            p.hint {
                "The updaters that applications on this platform use. Without a choice, only " code { "manual" }
                ", the service's own check, is enabled."
            }
            table {
                thead { tr { (columns(["Updater", "Default"])) } }
                tbody {
                    @for updater in Updater::ALL {
                        @let name = updater.as_str();
                        tr {
                            td { (parts::check("updaters", name, name, is_chosen(name))) }
                            td {
                                input type="radio" name="default" value=(name) checked[default == Some(name)]
                                    aria-label={ (name) " is the default" };
                            }
                        }
                    }
                    tr {
                        td { "manual, if the platform has it" }
                        td {
                            input type="radio" name="default" value=(BY_RULE) checked[default.is_none()]
                                aria-label="no default";
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_web::Query;

    use super::*;

    #[test]
    fn the_default_is_one_of_the_updaters() {
        let read = |text: &str| read(SetupKind::Platform, None, &Query::parse(text).unwrap().into());
        let item = read("name=linux&updaters=tauri&default=manual");
        let found: Vec<_> = item.updaters.iter().map(|one| (one.updater.as_str(), one.default)).collect();
        assert_eq!(found, [("manual", true), ("tauri", false)]);
        assert!(read("name=linux&default=").updaters.is_empty());
        assert_eq!(read("name=linux&updaters=unknown").updaters, []);
    }

    #[test]
    fn a_channel_does_not_offer_itself() {
        let entry = |id: &str, name: &str| spindrift_api::ChannelEntry {
            id: Id::from_text(id),
            channel_name: name.to_owned(),
            includes: Vec::new(),
            default: false,
            owner: String::new(),
            updated_at: String::new(),
        };
        let channels = vec![entry("1", "stable"), entry("2", "beta")];
        let catalog = Catalog { channels, ..Catalog::default() };
        let beta = SetupKind::Channel.item(&catalog, "2").unwrap();
        let shown = fields(SetupKind::Channel, &beta, &catalog).into_string();
        assert!(
            shown.contains("value=\"stable\"") && !shown.contains("includes\" value=\"beta\""),
            "{shown}"
        );
    }
}
