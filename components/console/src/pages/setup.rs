//! Applications, channels, platforms and architectures.

mod app;
mod app_form;
mod cut_off;
mod dimension;
mod dimension_form;
mod kind;
mod overview;
mod snippets;
mod start;
mod unnamed_devices;
mod webhooks;

use spindrift_web::{Request, Response};

use crate::{Context, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupCall {
    Show,
    /// Configuration to paste into clients and pipelines.
    Snippets,
    /// The form for the first application.
    Start,
    /// Creates the first application, with everything that its releases need.
    CreateFirst,
    NewApp,
    CreateApp,
    EditApp,
    UpdateApp,
    /// Asks before an application is deleted.
    AskDeleteApp,
    DeleteApp,
    /// The form for a new channel, platform or architecture.
    New,
    /// Creates a channel, platform or architecture.
    Create,
    /// The form for an existing channel, platform or architecture.
    Edit,
    /// Changes a channel, platform or architecture.
    Update,
    /// Asks before a channel, platform or architecture is deleted.
    AskDelete,
    /// Deletes a channel, platform or architecture.
    Delete,
    NewWebhook,
    CreateWebhook,
    EditWebhook,
    UpdateWebhook,
    /// Asks before a test message is sent.
    AskTestWebhook,
    /// Sends a test message.
    TestWebhook,
    /// Asks before a webhook is deleted.
    AskDeleteWebhook,
    DeleteWebhook,
}

pub(crate) async fn answer(context: &Context<'_>, call: SetupCall, request: Request) -> Result<Response> {
    match call {
        SetupCall::Show => overview::show(context).await,
        SetupCall::Snippets => snippets::show(context, &request).await,
        SetupCall::Start => start::show(context).await,
        SetupCall::CreateFirst => start::create(context, request).await,
        SetupCall::NewApp => app::create_form(context).await,
        SetupCall::CreateApp => app::create(context, request).await,
        SetupCall::EditApp => app::edit_form(context, &request).await,
        SetupCall::UpdateApp => app::update(context, request).await,
        SetupCall::AskDeleteApp => app::ask_delete(context, &request).await,
        SetupCall::DeleteApp => app::delete(context, request).await,
        SetupCall::New => dimension::create_form(context, &request).await,
        SetupCall::Create => dimension::create(context, request).await,
        SetupCall::Edit => dimension::edit_form(context, &request).await,
        SetupCall::Update => dimension::update(context, request).await,
        SetupCall::AskDelete => dimension::ask_delete(context, &request).await,
        SetupCall::Delete => dimension::delete(context, request).await,
        SetupCall::NewWebhook => webhooks::create_form(context).await,
        SetupCall::CreateWebhook => webhooks::create(context, request).await,
        SetupCall::EditWebhook => webhooks::edit_form(context, &request).await,
        SetupCall::UpdateWebhook => webhooks::update(context, request).await,
        SetupCall::AskTestWebhook => webhooks::ask_test(context, &request).await,
        SetupCall::TestWebhook => webhooks::test(context, request).await,
        SetupCall::AskDeleteWebhook => webhooks::ask_delete(context, &request).await,
        SetupCall::DeleteWebhook => webhooks::delete(context, request).await,
    }
}
