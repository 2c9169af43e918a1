//! Team users.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{MessageBody, UserBody, UserEntry, UsersBody};
use spindrift_core::Role;
use spindrift_web::{Request, Response};

use super::roles::{self, GivenRole};
use crate::pages::sso::provider;
use crate::{
    Address, Catalog, Confirm, ConsoleError, Context, FormFields, MenuEntry, Notice, Problem, Result,
    address, parts, respond,
};

/// The form's values, without the password.
#[derive(Default)]
struct UserForm {
    /// `None`: the user is new.
    id: Option<String>,
    username: String,
    /// Only for a new user.
    email: String,
    given: GivenRole,
}

/// `GET /console/people/users/new`.
pub(super) async fn create_form(context: &Context<'_>) -> Result<Response> {
    let given = GivenRole { role: Some(Role::Support.to_string()), ..GivenRole::default() };
    form(context, &UserForm { given, ..UserForm::default() }, None).await
}

/// `POST /console/people/users/new`.
pub(super) async fn create(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?.into();
    save(context, Address::call("/user/create"), None, &sent).await
}

/// `GET /console/people/users/{id}`.
pub(super) async fn edit_form(context: &Context<'_>, request: &Request) -> Result<Response> {
    let user = find(context, &address::segment(request.path(), 3)?).await?;
    let given = GivenRole::of(&user.role, user.permissions);
    let filled =
        UserForm { id: Some(user.id.to_string()), username: user.username, given, ..UserForm::default() };
    form(context, &filled, None).await
}

/// `POST /console/people/users/{id}`.
pub(super) async fn update(context: &Context<'_>, request: Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let sent = context.form(request).await?.into();
    save(context, Address::call("/user/update"), Some(id), &sent).await
}

async fn find(context: &Context<'_>, id: &str) -> Result<UserEntry> {
    let users: UsersBody = context.service.get(&Address::call("/users/list")).await?;
    users.users.into_iter().find(|user| user.id.as_str() == id).ok_or(ConsoleError::NoPage)
}

async fn save(
    context: &Context<'_>,
    call: Address,
    id: Option<String>,
    sent: &FormFields,
) -> Result<Response> {
    let text = |name: &str| sent.one(name).to_owned();
    let filled =
        UserForm { id, username: text("username"), email: text("email"), given: GivenRole::read(sent) };
    let body = UserBody {
        id: filled.id.clone(),
        username: Some(filled.username.clone()),
        // An empty field counts as missing.
        password: Some(text("password")).filter(|password| !password.is_empty()),
        email: Some(filled.email.clone()).filter(|email| !email.is_empty()),
        role: filled.given.role.clone(),
        permissions: Some(filled.given.permissions.clone()),
    };
    let notice = if filled.id.is_some() { Notice::Saved } else { Notice::Created };
    match context.service.send_json::<MessageBody>(Method::POST, &call, &body).await {
        Ok(_) => Ok(respond::see_other(&notice.add_to(super::pages::home()))),
        Err(error) => form(context, &filled, Some(error.about_form()?)).await,
    }
}

async fn form(context: &Context<'_>, filled: &UserForm, problem: Option<Problem>) -> Result<Response> {
    let (loaded, provider) = futures::join!(context.with_me(Catalog::load(context)), provider(context));
    let (me, catalog) = loaded?;
    if !me.is_admin {
        return Err(ConsoleError::of_forbidden_form(problem));
    }
    let is_new = filled.id.is_none();
    let has_sso = provider?.is_some();
    let title = if is_new { "Add a team user" } else { "Edit a team user" };
    let above = super::pages::parent_pages();
    let action = Address::page(["people", "users", filled.id.as_deref().unwrap_or("new")]);
    let fields = html! {
        div.stack {
            label { "Name"
                input type="text" name="username" value=(filled.username) required maxlength="64" autocomplete="off";
            }
            @if is_new && has_sso { (email_field(&filled.email)) }
            label { @if is_new { "Password" } @else { "New password, if it changes" }
                (parts::new_password("password", is_new && !has_sso, None, None))
            }
        }
        (roles::fields(&filled.given, &catalog))
        @if !is_new { p.hint { "A new name, a new password or fewer permissions end the user's logins." } }
        div.row {
            button type="submit" { @if is_new { "Add" } @else { "Save" } }
            a href=(super::pages::home()) { "Cancel" }
        }
    };
    let page = context.page(title, &me, MenuEntry::People).with_parents(&above).with_problem(problem);
    Ok(page.show_titled(&parts::form(&action, &context.form_token(), &fields)))
}

fn email_field(value: &str) -> Markup {
    html! {
        label { "E-mail address"
            input type="email" name="email" value=(value) maxlength="254" autocomplete="off"
                aria-describedby="email-hint";
        }
        p.hint #email-hint { "For single sign-on. Without a password, the person signs in there first." }
    }
}

/// `GET /console/people/users/{id}/delete`.
pub(super) async fn ask_delete(context: &Context<'_>, request: &Request) -> Result<Response> {
    let id = address::segment(request.path(), 3)?;
    let (me, user) = context.with_me(find(context, &id)).await?;
    let confirm = Confirm {
        title: "Delete this team user?",
        consequences: html! {
            p {
                strong { (user.username) } " can no longer log in, and open logins end at once. "
                "Published releases stay."
            }
        },
        button: &format!("Delete {}", user.username),
        action: Address::page(["people", "users", &id, "delete"]),
        back: super::pages::home(),
    };
    Ok(confirm.show(context, context.page("Delete a team user", &me, MenuEntry::People)))
}

/// `POST /console/people/users/{id}/delete`.
pub(super) async fn delete(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/user/delete").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::Deleted.add_to(super::pages::home())))
}
