//! Invitations to the team.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{
    InvitationCreateBody, InvitationCreatedBody, InvitationEntry, InvitationsBody, MessageBody,
};
use spindrift_core::{INVITATION_DAYS, Role};
use spindrift_web::{Request, Response};

use super::names::names_of_apps;
use super::roles::{self, GivenRole};
use super::secret::{SecretKind, hand_over};
use crate::table::{columns, extra, table};
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, MenuEntry, Notice, Problem, Result, address, parts,
    respond,
};

const ANYBODY: &str = "chosen by the person";

/// The open invitations.
pub(super) fn section(invitations: &InvitationsBody, catalog: &Catalog) -> Markup {
    let head = html! {
        (columns(["Name", "Role", "Applications"])) (extra("Created")) (columns(["Expires", "Actions"]))
    };
    html! {
        section {
            h2 { "Open invitations" }
            @if invitations.invitations.is_empty() {
                (parts::empty("No open invitations.", &html! {
                    "A link with which a person joins your team and chooses a password. It is good once, for "
                    (INVITATION_DAYS) " days."
                }))
            } @else {
                (table("Open invitations", &head, &html! {
                    @for invitation in &invitations.invitations { (row(invitation, catalog)) }
                }))
            }
            p { a.button href=(Address::page(["people", "invitations", "new"])) { "Invite somebody" } }
        }
    }
}

fn row(invitation: &InvitationEntry, catalog: &Catalog) -> Markup {
    let revoke = Address::page(["people", "invitations", invitation.id.as_str(), "delete"]);
    html! {
        tr {
            th scope="row" { (invitation.username.as_deref().unwrap_or(ANYBODY)) }
            td { (invitation.role) }
            td.words { (names_of_apps(&invitation.permissions.apps, &catalog.app_names())) }
            td.extra { (parts::time(&invitation.created_at)) }
            td { (parts::time(&invitation.expires_at)) }
            td { div.links { a href=(revoke) { "Revoke" } } }
        }
    }
}

/// `GET /console/people/invitations/new`.
pub(super) async fn create_form(context: &Context<'_>) -> Result<Response> {
    let given = GivenRole { role: Some(Role::Support.to_string()), ..GivenRole::default() };
    form(context, "", &given, None).await
}

/// `POST /console/people/invitations/new`: redirects to the page that shows the link.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?.into();
    let given = GivenRole::read(&sent);
    let username = sent.one("username").to_owned();
    let body = InvitationCreateBody {
        username: Some(username.clone()),
        role: given.role.clone(),
        permissions: Some(given.permissions.clone()),
    };
    let call = Address::call("/invitations");
    match context.service.send_json::<InvitationCreatedBody>(Method::POST, &call, &body).await {
        Ok(made) => {
            let name = made.entry.username.as_deref().unwrap_or_default();
            hand_over(context, SecretKind::Invitation, name, &made.secret)
        }
        Err(error) => form(context, &username, &given, Some(error.about_form()?)).await,
    }
}

async fn form(
    context: &Context<'_>,
    username: &str,
    given: &GivenRole,
    problem: Option<Problem>,
) -> Result<Response> {
    let (me, catalog) = context.with_me(Catalog::load(context)).await?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let fields = html! {
        div.stack {
            label { "Name; without one, the person chooses it"
                input type="text" name="username" value=(username) maxlength="64" autocomplete="off";
            }
        }
        (roles::fields(given, &catalog))
        div.row { button type="submit" { "Make the link" } a href=(super::pages::home()) { "Cancel" } }
    };
    let content = html! {
        p { "The first person who opens the link can join your team: send it to one person only. It is good once, for "
            (INVITATION_DAYS) " days." }
        (parts::form(&Address::page(["people", "invitations", "new"]), &context.form_token(), &fields))
    };
    let page = context.page("Invite somebody", &me, MenuEntry::People).with_problem(problem);
    Ok(page.with_parents(&super::pages::parent_pages()).show_titled(&content))
}

/// `GET /console/people/invitations/{id}/delete`.
pub(super) async fn ask_revoke(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let list = Address::call("/invitations");
    let (me, all) = context.with_me(context.service.get::<InvitationsBody>(&list)).await?;
    let found = all.invitations.iter().find(|invitation| invitation.id.as_str() == id);
    let invitation = found.ok_or(ConsoleError::NoPage)?;
    let confirm = Confirm {
        title: "Revoke this invitation?",
        consequences: html! {
            p {
                "The link for the role " strong { (invitation.role) }
                @if let Some(name) = &invitation.username { " and the name " strong { (name) } }
                " is no longer good."
            }
        },
        button: "Revoke the invitation",
        action: Address::page(["people", "invitations", &id, "delete"]),
        back: super::pages::home(),
    };
    Ok(confirm.show(context, context.page("Revoke an invitation", &me, MenuEntry::People)))
}

/// `POST /console/people/invitations/{id}/delete`.
pub(super) async fn revoke(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/invitations").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::Revoked.add_to(super::pages::home())))
}
