//! Clients.

use std::mem::MaybeUninit;

use spindrift_client::{BearerToken, CheckOptions, Client, Config as Urls, DownloadToken, ReportKey, Trust};
use tokio::runtime::{Builder, Runtime};

use crate::config::{Config, known, secret};
use crate::error::{ErrorHandle, answer, place, quietly};
use crate::raw::LentTexts;
use crate::status::{CallFailure, Status};

/// Asks the service for updates, downloads them and reports failures.
pub struct ClientHandle {
    pub(crate) client: Client,
    pub(crate) options: CheckOptions,
    pub(crate) report_key: Option<ReportKey>,
    pub(crate) token: Option<BearerToken>,
    pub(crate) download_token: Option<DownloadToken>,
    /// `None`: the application has no signed metadata.
    pub(crate) trust: Option<Trust>,
    pub(crate) texts: LentTexts,
    /// Runs on the thread of the caller.
    runtime: Runtime,
}

impl ClientHandle {
    fn new(config: &Config<'_>) -> Result<Self, CallFailure> {
        let mut urls = Urls::new(config.base_url.required("base_url")?);
        urls.edge_url = config.edge_url.optional("edge_url")?.map(str::to_owned);
        let options = config.options()?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let client = Client::new(urls)?;
        Ok(Self {
            trust: config.trust()?.map(|trust| client.trust(&trust, &options)).transpose()?,
            client,
            options,
            report_key: secret(config.report_key, "report_key")?,
            token: secret(config.token, "token")?,
            download_token: secret(config.download_token, "download_token")?,
            texts: LentTexts::default(),
            runtime: runtime.map_err(|error| CallFailure::new(Status::INTERNAL, error.to_string()))?,
        })
    }

    /// Waits for the end of a call.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

/// Makes a client. It reads the certificates of the system, and does not connect.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_client_new(
    config: Option<&Config<'_>>,
    client: Option<&mut MaybeUninit<Option<Box<ClientHandle>>>>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let client = place(client, "client")?;
        *client = Some(Box::new(ClientHandle::new(known(config)?)?));
        Ok(())
    })
}

/// Frees a client, and ends its threads and connections. Its updates stay valid.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_client_free(client: Option<Box<ClientHandle>>) {
    quietly(|| drop(client));
}
