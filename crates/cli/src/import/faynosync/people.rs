//! Compares the owner, team users and CI tokens.

use spindrift_core::UserName;

use super::inventory::Inventory;
use super::item::{ImportItem, ItemKind, ItemOutcome};
use super::names::ItemNames;
use super::service_data::ServiceData;
use super::work::{ItemWork, NewUser, PlannedItem};

/// Whether team users are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewUsers {
    /// Yes: there is a file for their new passwords.
    WithPasswords,
    /// No: there is no file for their new passwords.
    WithoutFile,
    /// No: only some applications are imported, and users would never get the others.
    NotAllApplications,
}

pub(super) fn plan(
    inventory: &Inventory,
    here: &ServiceData,
    old_owner: &str,
    new_users: NewUsers,
) -> Vec<PlannedItem> {
    let mut all = Vec::new();
    if here.owner.as_str() != old_owner {
        let why = format!(
            "it is {old_owner} there and {} here: installed copies go on asking for {old_owner}",
            here.owner
        );
        all.push(PlannedItem::without_work(
            ImportItem::new(ItemKind::Owner, old_owner, ItemOutcome::Note).with_reason(why),
        ));
    }
    for token in &inventory.tokens {
        let why = "the old server does not tell its value: create one with `spindrift token create`";
        all.push(PlannedItem::without_work(
            ImportItem::new(ItemKind::CiToken, &token.name, ItemOutcome::Note).with_reason(why),
        ));
    }
    let (there, here_names) = (names(inventory), here.names());
    for user in &inventory.users {
        let granted = there.of(&user.permissions);
        let item = |outcome| ImportItem::new(ItemKind::User, &user.username, outcome);
        let known = here.users.iter().find(|known| known.username == user.username);
        all.push(match known {
            Some(known) if here_names.of(&known.permissions) == granted => {
                PlannedItem::without_work(item(ItemOutcome::Same))
            }
            Some(_) => {
                PlannedItem::without_work(item(ItemOutcome::Conflict).with_reason("the permissions differ"))
            }
            None if user.username.parse::<UserName>().is_err() => PlannedItem::without_work(
                item(ItemOutcome::Refused).with_reason("the name is not allowed here"),
            ),
            None if new_users == NewUsers::WithoutFile => PlannedItem::without_work(
                item(ItemOutcome::Note).with_reason("pass --users-file to create it with a new password"),
            ),
            None if new_users == NewUsers::NotAllApplications => PlannedItem::without_work(
                item(ItemOutcome::Note)
                    .with_reason("run this without --app to create it: it may have permissions for others"),
            ),
            None => {
                let new = NewUser { name: user.username.clone(), granted };
                let becomes = format!("a team user of {}", here.owner);
                let item =
                    item(ItemOutcome::Create).with_result(becomes).with_reason("it gets a new password");
                PlannedItem::with_work(item, ItemWork::User(new))
            }
        });
    }
    all
}

fn names(inventory: &Inventory) -> ItemNames {
    let all = |pairs: Vec<(&String, &String)>| {
        pairs.into_iter().map(|(id, name)| (id.clone(), name.clone())).collect()
    };
    ItemNames {
        apps: all(inventory.all_apps.iter().map(|e| (&e.id, &e.name)).collect()),
        channels: all(inventory.channels.iter().map(|e| (&e.id, &e.name)).collect()),
        platforms: all(inventory.platforms.iter().map(|e| (&e.id, &e.name)).collect()),
        archs: all(inventory.archs.iter().map(|e| (&e.id, &e.name)).collect()),
    }
}
