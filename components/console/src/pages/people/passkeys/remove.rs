//! Removes a passkey.

use maud::html;
use spindrift_api::{MessageBody, PasskeysBody};
use spindrift_web::{Request, Response};

use crate::pages::people::pages::{home, passkeys};
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Result, address, respond};

/// `GET /console/people/passkeys/{id}/delete`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let call = Address::call("/passkeys");
    let (me, own) = context.with_me(context.service.get::<PasskeysBody>(&call)).await?;
    let found = own.passkeys.iter().find(|one| one.id.as_str() == id).ok_or(ConsoleError::NoPage)?;
    let confirm = Confirm {
        title: "Remove this passkey?",
        consequences: html! {
            p { strong { (found.name) } " no longer logs you in. Your device may go on offering it, until you delete it \
                there too." }
            @if own.passkeys.len() == 1 { p { "It is your last passkey: then your password alone logs in." } }
        },
        button: &format!("Remove {}", found.name),
        action: passkeys([id.as_str(), "delete"]),
        back: home(),
    };
    Ok(confirm.show(context, context.page("Remove a passkey", &me, MenuEntry::People)))
}

/// `POST /console/people/passkeys/{id}/delete`.
pub(super) async fn remove(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/passkeys").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::PasskeyRemoved.add_to(home())))
}
