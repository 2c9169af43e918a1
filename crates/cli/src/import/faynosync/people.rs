//! Compares the owner, team users and CI tokens.

use spindrift_core::UserName;

use super::here::Here;
use super::inventory::Inventory;
use super::item::{Item, Kind, Outcome};
use super::names::Names;
use super::work::{NewUser, Planned, Work};

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

pub(super) fn plan(inventory: &Inventory, here: &Here, old_owner: &str, new_users: NewUsers) -> Vec<Planned> {
    let mut all = Vec::new();
    if here.owner.as_str() != old_owner {
        let why = format!(
            "it is {old_owner} there and {} here: installed copies go on asking for {old_owner}",
            here.owner
        );
        all.push(Planned::settled(Item::new(Kind::Owner, old_owner, Outcome::Note).because(why)));
    }
    for token in &inventory.tokens {
        let why = "the old server does not tell its value: create one with `spindrift token create`";
        all.push(Planned::settled(Item::new(Kind::CiToken, &token.name, Outcome::Note).because(why)));
    }
    let (there, here_names) = (names(inventory), here.names());
    for user in &inventory.users {
        let granted = there.of(&user.permissions);
        let item = |outcome| Item::new(Kind::User, &user.username, outcome);
        let known = here.users.iter().find(|known| known.username == user.username);
        all.push(match known {
            Some(known) if here_names.of(&known.permissions) == granted => {
                Planned::settled(item(Outcome::Same))
            }
            Some(_) => Planned::settled(item(Outcome::Conflict).because("the permissions differ")),
            None if user.username.parse::<UserName>().is_err() => {
                Planned::settled(item(Outcome::Refused).because("the name is not allowed here"))
            }
            None if new_users == NewUsers::WithoutFile => Planned::settled(
                item(Outcome::Note).because("pass --users-file to create it with a new password"),
            ),
            None if new_users == NewUsers::NotAllApplications => Planned::settled(
                item(Outcome::Note)
                    .because("run this without --app to create it: it may have permissions for others"),
            ),
            None => {
                let new = NewUser { name: user.username.clone(), granted };
                let becomes = format!("a team user of {}", here.owner);
                let item = item(Outcome::Create).becoming(becomes).because("it gets a new password");
                Planned::to_do(item, Work::User(new))
            }
        });
    }
    all
}

fn names(inventory: &Inventory) -> Names {
    let all = |pairs: Vec<(&String, &String)>| {
        pairs.into_iter().map(|(id, name)| (id.clone(), name.clone())).collect()
    };
    Names {
        apps: all(inventory.all_apps.iter().map(|e| (&e.id, &e.name)).collect()),
        channels: all(inventory.channels.iter().map(|e| (&e.id, &e.name)).collect()),
        platforms: all(inventory.platforms.iter().map(|e| (&e.id, &e.name)).collect()),
        archs: all(inventory.archs.iter().map(|e| (&e.id, &e.name)).collect()),
    }
}
