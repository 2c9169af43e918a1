//! The visitor's passkeys.

use maud::{Markup, html};
use spindrift_api::{PasskeyEntry, PasskeysBody};

use crate::pages::people::pages::passkeys;
use crate::parts;
use crate::table::{columns, table};

/// Why somebody would have a passkey.
pub(super) const WHY: &str = "A passkey logs you in with your fingerprint, face or security key. It cannot be \
                              phished, and your password alone no longer opens this account.";
/// How many recovery codes the service makes at a time.
const CODES: u64 = 10;
/// With so few codes or less, it is time for new ones.
const FEW_CODES: u64 = 2;

pub(in crate::pages::people) fn section(own: &PasskeysBody) -> Markup {
    html! {
        section #passkeys {
            h2 { "Your passkeys" }
            @if own.passkeys.is_empty() {
                (parts::empty("No passkeys yet.", &html! { (WHY) }))
            } @else {
                (table("Your passkeys", &columns(["Name", "Added", "Last used", "Actions"]), &html! {
                    @for passkey in &own.passkeys { (row(passkey)) }
                }))
                (codes_left(own.recovery_codes))
            }
            p.row {
                a.button href=(passkeys(["new"])) { "Add a passkey" }
                @if !own.passkeys.is_empty() { a.button.plain href=(passkeys(["codes"])) { "New recovery codes" } }
            }
        }
    }
}

fn row(passkey: &PasskeyEntry) -> Markup {
    html! {
        tr {
            th scope="row" { (passkey.name) }
            td { (parts::time(&passkey.created_at)) }
            td { @match &passkey.last_used_at { Some(at) => (parts::time(at)), None => "never" } }
            td { div.links {
                a href=(passkeys([passkey.id.as_str(), "delete"])) aria-label={ "Remove " (passkey.name) } {
                    "Remove"
                }
            } }
        }
    }
}

fn codes_left(count: u64) -> Markup {
    let left = format!("{count} of {CODES} recovery codes left");
    html! {
        @if count > FEW_CODES {
            p.hint { (left) ". Each logs you in once if you have lost your passkeys." }
        } @else {
            p.warning { (left) ". Make new ones, or you may lose this account with your passkeys." }
        }
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Id;

    use super::*;

    fn shown(names: &[&str], recovery_codes: u64) -> String {
        let passkeys = names.iter().map(|name| PasskeyEntry {
            id: Id::from_text(*name),
            name: (*name).to_owned(),
            created_at: "2026-12-01T08:00:00+00:00".to_owned(),
            last_used_at: None,
        });
        let own = PasskeysBody { passkeys: passkeys.collect(), recovery_codes, required: false };
        section(&own).into_string()
    }

    #[test]
    fn few_codes_are_a_warning() {
        for (count, class) in [(10, "hint"), (3, "hint"), (2, "warning"), (0, "warning")] {
            let page = shown(&["Laptop"], count);
            let text = format!("<p class=\"{class}\">{count} of 10 recovery codes left");
            assert!(page.contains(&text), "{page}");
        }
        assert!(!shown(&[], 0).contains("recovery codes"));
    }

    #[test]
    fn each_link_names_its_passkey() {
        let page = shown(&["Laptop", "<Phone>"], 10);
        for part in ["delete\" aria-label=\"Remove Laptop\"", "aria-label=\"Remove &lt;Phone&gt;\""] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
