//! Creates the planned items with ordinary calls to the service.

use reqwest::multipart::{Form, Part};
use serde::Serialize;
use spindrift_api::{
    AppEntry, ArchEntry, ChannelEntry, KeyBody, MessageBody, PlatformEntry, RegenerateBody, ResultBody,
    UserBody,
};
use spindrift_core::Id;

use super::creation::{CreationFailure, CreationResult};
use super::fetch::{MissingFile, small};
use super::item::{ImportItem, ItemOutcome};
use super::server::FaynoSyncServer;
use super::service_data;
use super::upload::Uploader;
use super::users_file::UsersFile;
use super::work::{DecidedItem, ItemWork, NewApp, NewKey, NewUser};
use crate::commands::app::MAX_LOGO_BYTES;
use crate::commands::catalog::{self, CatalogEntry};
use crate::error::CliError;
use crate::output::Output;
use crate::service::{Service, field};

pub(super) struct ImportRun<'a> {
    pub(super) server: &'a FaynoSyncServer,
    pub(super) service: &'a Service,
    pub(super) output: Output,
    pub(super) uploader: Uploader<'a>,
    /// `None`: users are not created.
    pub(super) users_file: Option<UsersFile>,
}

/// The outcome of an item that was created without a remark.
const CREATED: (ItemOutcome, Option<String>) = (ItemOutcome::Created, None);

impl ImportRun<'_> {
    /// Creates all missing items, in this order.
    ///
    /// # Errors
    /// The first failure that does not concern a single item. Created items stay, and a later run
    /// does not create them again.
    pub(super) async fn carry_out(&mut self, decided: Vec<DecidedItem>) -> Result<Vec<ImportItem>, CliError> {
        let mut items = Vec::with_capacity(decided.len());
        for DecidedItem { mut item, work } in decided {
            if let Some(work) = work {
                match self.create(work).await {
                    Ok((outcome, why)) => {
                        item.outcome = outcome;
                        item.why = why.or(item.why);
                    }
                    Err(CreationFailure::Item(outcome, why)) => {
                        item.outcome = outcome;
                        item.why = Some(why);
                    }
                    Err(CreationFailure::All(error)) => return Err(error),
                }
                self.output.message(&item.line());
            }
            items.push(item);
        }
        Ok(items)
    }

    async fn create(&mut self, work: ItemWork) -> CreationResult {
        match work {
            ItemWork::Channel(body) => self.item::<ChannelEntry>(&body).await,
            ItemWork::Platform(body) => self.item::<PlatformEntry>(&body).await,
            ItemWork::Architecture(body) => self.item::<ArchEntry>(&body).await,
            ItemWork::Application(new) => self.app(*new).await,
            ItemWork::ReportKey(new) => self.report_key(&new).await,
            ItemWork::Upload(upload) => self.uploader.upload(&upload).await,
            ItemWork::User(new) => self.user(&new).await,
        }
    }

    async fn item<E: CatalogEntry>(&self, body: &impl Serialize) -> CreationResult {
        let call = self.service.post(&format!("/{}/create", E::PATH)).body_json(body);
        let _: ResultBody<Id> = call.json().await?;
        Ok(CREATED)
    }

    /// Creates an application with its logo in one call, or without the logo if that cannot be
    /// read.
    async fn app(&self, new: NewApp) -> CreationResult {
        let NewApp { data, logo } = new;
        let mut why = None;
        if let Some(link) = logo {
            match small(self.server, &link, MAX_LOGO_BYTES).await {
                Ok(bytes) => match self.with_logo(field(&data), bytes).await.map_err(CreationFailure::from) {
                    Err(CreationFailure::Item(ItemOutcome::Refused, reason)) => {
                        why = Some(format!("without its logo: {reason}"));
                    }
                    other => return other.map(|()| CREATED),
                },
                Err(MissingFile::File(reason)) => why = Some(format!("without its logo: {reason}")),
                Err(MissingFile::All(error)) => return Err(CreationFailure::All(error)),
            }
        }
        let _: ResultBody<Id> = self.service.post_data("/app/create", &data).await?;
        Ok((ItemOutcome::Created, why))
    }

    async fn with_logo(&self, data: String, logo: Vec<u8>) -> Result<(), CliError> {
        let form = Form::new().text("data", data).part("file", Part::bytes(logo).file_name("logo"));
        let _: ResultBody<Id> = self.service.post("/app/create").multipart(form).json().await?;
        Ok(())
    }

    async fn report_key(&self, new: &NewKey) -> CreationResult {
        let id = catalog::id::<AppEntry>(self.service, &new.app).await;
        let id = id.map_err(|error| match error {
            CliError::NotFound(_) => {
                CreationFailure::Item(ItemOutcome::Refused, "its application is not here".to_owned())
            }
            other => CreationFailure::from(other),
        })?;
        let body =
            RegenerateBody { app_id: Some(id.to_string()), key_value: Some(new.key.expose().to_owned()) };
        let _: KeyBody = self.service.post("/report-keys/regenerate").body_json(&body).json().await?;
        Ok(CREATED)
    }

    async fn user(&mut self, new: &NewUser) -> CreationResult {
        let Some(file) = &mut self.users_file else { return Ok((ItemOutcome::Note, None)) };
        let (permissions, unknown) = service_data::names(self.service).await?.ids(&new.granted);
        let body = UserBody {
            role: None,
            email: None,
            id: None,
            username: Some(new.name.clone()),
            password: Some(file.password(&new.name)?.expose().to_owned()),
            permissions: Some(permissions),
        };
        let _: MessageBody = self.service.post("/user/create").body_json(&body).json().await?;
        let without = || format!("without permissions for {}", unknown.join(", "));
        Ok((ItemOutcome::Created, (!unknown.is_empty()).then(without)))
    }
}
