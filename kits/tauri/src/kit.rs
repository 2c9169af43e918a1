//! The kit of a running application.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use serde_json::{Map, Value};
use spindrift_client::{
    CheckOptions, Client, Config, Download, DownloadLimits, EventType, Kit, KitConfig, Patch, ReportKey,
};
use tauri::{AppHandle, Manager, Runtime, Url, async_runtime};
use tauri_plugin_updater::{Result, Update, UpdaterBuilder, UpdaterExt};

use crate::{Options, SpindriftExt, failure};

/// The folder in that of the application.
const FOLDER: &str = "spindrift";
/// Where a patched file is, until it is read.
const PATCHED: &str = "update";
/// Tells the service which device asks.
const DEVICE_ID: &str = "X-Device-ID";

/// The kit of an application: [`SpindriftExt::spindrift`](crate::SpindriftExt::spindrift).
pub struct Spindrift<R: Runtime> {
    app: AppHandle<R>,
    options: Options,
    /// `None`: the options are so wrong that the kit stays off.
    config: Option<KitConfig>,
    endpoint: Option<Url>,
    problem: Option<&'static str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_enabled: bool,
    has_asked: bool,
    /// The run. `None`: the kit is off, or the run has ended.
    kit: Option<Arc<Kit>>,
    /// Sends reports. It shares the kit, so it is dropped before a run ends.
    sending: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Reports were added that `sending` does not know.
    is_behind: bool,
}

impl State {
    /// Takes what is left of the run. It ends when this is dropped.
    fn take_run(&mut self) -> Option<Arc<Kit>> {
        self.sending = None;
        self.is_behind = false;
        self.kit.take()
    }
}

impl<R: Runtime> Spindrift<R> {
    pub(crate) fn new(app: AppHandle<R>, options: Options) -> Self {
        let endpoint = options.endpoint();
        let folder = app.path().app_local_data_dir();
        let key: Option<std::result::Result<ReportKey, _>> = options.report_key.as_deref().map(str::parse);
        let problem = match (&endpoint, &folder, &key) {
            (Err(problem), ..) => Some(*problem),
            (_, Err(_), _) => Some("the application has no folder for its data"),
            (.., Some(Err(_))) => Some("report_key is invalid"),
            _ => None,
        };
        let target = tauri_plugin_updater::target().unwrap_or_default();
        let (platform, arch) = target.split_once('-').unwrap_or_default();
        let version = app.package_info().version.to_string();
        let check = CheckOptions::new(&options.owner, &options.app, version).with_target(
            &options.channel,
            options.platform.as_deref().unwrap_or(platform),
            options.arch.as_deref().unwrap_or(arch),
        );
        let config = folder.ok().filter(|_| endpoint.is_ok()).map(|folder| {
            let config = KitConfig::new(folder.join(FOLDER), check).with_start(options.says_when_started);
            match key {
                Some(Ok(key)) => config.with_report_key(key),
                _ => config,
            }
        });
        let state = Mutex::new(State { is_enabled: options.enabled, ..State::default() });
        Self { app, options, config, endpoint: endpoint.ok(), problem, state }
    }

    /// Why the kit does nothing, or reports nothing, if an option is invalid.
    pub fn problem(&self) -> Option<&str> {
        self.problem
    }

    /// The device id; `None` while the kit is off.
    pub fn device_id(&self) -> Option<String> {
        self.state().kit.as_ref().map(|kit| kit.device_id()).filter(|id| !id.is_empty())
    }

    /// The next check is one that the user has asked for.
    pub fn user_asked(&self) {
        self.state().has_asked = true;
    }

    /// The application has started, and works.
    pub fn started(&self) {
        if let Some(kit) = &self.state().kit {
            kit.started();
        }
    }

    /// The application ends as it should. For exits without [`RunEvent::Exit`](tauri::RunEvent::Exit), such as
    /// `std::process::exit`, and `AppHandle::restart` in the main thread.
    pub fn exiting(&self) {
        drop(self.state().take_run());
    }

    /// Reports a failure, now or when the service can be reached. Equal reasons are counted together, so they are
    /// short and constant. The details must say nothing about the user.
    pub fn report(&self, event: EventType, reason: &str, details: Option<Map<String, Value>>) {
        if let (Some(kit), Some(reason)) = (&self.state().kit, failure::reason(reason)) {
            kit.report(event, &reason, details);
        }
        self.send();
    }

    /// Turns the kit off or on. Nothing is written or sent while it is off.
    pub fn set_enabled(&self, enabled: bool) {
        let mut state = self.state();
        state.is_enabled = enabled;
        if !enabled {
            drop(state.take_run());
        }
        drop(state);
        self.begin();
    }

    /// Turns the kit off, and deletes all that it has kept.
    pub fn forget(&self) {
        let mut state = self.state();
        state.is_enabled = false;
        let begin = || self.config.clone().map(|config| Arc::new(Kit::begin(config)));
        if let Some(kit) = state.take_run().or_else(begin).and_then(Arc::into_inner) {
            kit.forget();
        }
    }

    /// Makes another device id.
    pub fn reset_device(&self) {
        if let Some(kit) = &self.state().kit {
            kit.reset_device();
        }
    }

    /// The URL of checks, for applications that set it themselves. It has the facts about this copy, and braces
    /// that the updater fills in. `None`: the URL of the service is invalid.
    pub fn endpoint(&self) -> Option<Url> {
        let mut url = self.endpoint.clone()?;
        let state = self.state();
        if state.kit.is_some() {
            let facts = [
                ("group", self.options.groups.join(",")),
                ("os_version", self.options.os_version.clone().unwrap_or_default()),
                ("interactive", if state.has_asked { "1" } else { "" }.to_owned()),
            ];
            url.query_pairs_mut().extend_pairs(facts.iter().filter(|(_, value)| !value.is_empty()));
        }
        Some(url)
    }

    /// The updater's builder, with the URL of the service and the device id.
    ///
    /// # Panics
    /// The application has not registered the plugin of the updater.
    pub fn updater_builder(&self) -> Result<UpdaterBuilder> {
        let mut builder = self.app.updater_builder();
        if let Some(endpoint) = self.endpoint() {
            builder = builder.endpoints(vec![endpoint])?;
        }
        self.state().has_asked = false;
        if let Some(id) = self.device_id() {
            builder = builder.header(DEVICE_ID, id)?;
        }
        let app = self.app.clone();
        Ok(builder.on_before_exit(move || {
            app.spindrift().exiting();
            app.cleanup_before_exit();
        }))
    }

    /// Asks for an update. A failure is reported, unless the device is offline or there is no release.
    pub async fn check(&self) -> Result<Option<Update>> {
        let updater = self.updater_builder()?.build()?;
        updater.check().await.inspect_err(|error| self.failed(EventType::UpdateFailure, "check", error, None))
    }

    /// Downloads an update. A copy that runs from an AppImage downloads the patch, if the release has one for it.
    /// If the patch cannot be used, the whole file follows, and `on_chunk` counts on. A failure is reported, unless
    /// the device is offline.
    pub async fn download(
        &self,
        update: &Update,
        mut on_chunk: impl FnMut(usize, Option<u64>) + Send,
        on_download_finish: impl FnOnce(),
    ) -> Result<Vec<u8>> {
        if let Some(bytes) = self.download_patched(update, &mut on_chunk).await {
            on_download_finish();
            return Ok(bytes);
        }
        let mut anonymous = update.clone();
        // Files come from an object storage, which need not know the device.
        anonymous.headers.remove(DEVICE_ID);
        anonymous
            .download(on_chunk, on_download_finish)
            .await
            .inspect_err(|error| self.failed(EventType::UpdateFailure, "download", error, Some(update)))
    }

    /// The file of an update, made of the AppImage that runs. `None`: that is not possible, or has failed.
    async fn download_patched(
        &self,
        update: &Update,
        on_chunk: &mut (impl FnMut(usize, Option<u64>) + Send),
    ) -> Option<Vec<u8>> {
        let is_on = self.state().kit.is_some();
        let folder = &self.config.as_ref().filter(|_| is_on)?.folder;
        let base = appimage(&self.app)?;
        let patch = Patch::from_json("appimage", update.raw_json.get("patch")?)?;
        let client = Client::new(Config::new(&self.options.url)).ok()?;
        let target = folder.join(PATCHED);
        // If this fails, the updater downloads the file.
        let limits = DownloadLimits { max_attempts: 1, ..DownloadLimits::default() };
        let download = Download::new(update.download_url.as_str(), &target);
        let download = download.with_patch(patch, base).with_limits(limits);
        let mut known = 0;
        let done = client.download(&download, |progress| {
            let chunk = progress.bytes.saturating_sub(known);
            known = progress.bytes;
            on_chunk(usize::try_from(chunk).unwrap_or(usize::MAX), progress.total);
        });
        let bytes = done.await.ok().and_then(|done| std::fs::read(done.path).ok());
        // The next download replaces a file that cannot be removed.
        let _ = std::fs::remove_file(&target);
        bytes.filter(|bytes| update.verify(bytes).is_ok())
    }

    /// Installs a downloaded update. A failure is reported.
    pub fn install(&self, update: &Update, bytes: impl AsRef<[u8]>) -> Result<()> {
        update.install(bytes).inspect_err(|error| {
            // On Windows, the run has ended before the installer failed to start.
            self.begin();
            self.failed(EventType::InstallFailure, "install", error, Some(update));
        })
    }

    /// [`download`](Self::download), then [`install`](Self::install). On Windows, this ends the application.
    pub async fn download_and_install(
        &self,
        update: &Update,
        on_chunk: impl FnMut(usize, Option<u64>) + Send,
        on_download_finish: impl FnOnce(),
    ) -> Result<()> {
        let bytes = self.download(update, on_chunk, on_download_finish).await?;
        self.install(update, bytes)
    }

    /// Begins a run, unless there is one or the kit is off.
    pub(crate) fn begin(&self) {
        let mut state = self.state();
        if !state.is_enabled || state.kit.is_some() {
            return;
        }
        state.kit = self.config.clone().map(|config| Arc::new(Kit::begin(config)));
        drop(state);
        self.send();
    }

    fn failed(
        &self,
        event: EventType,
        phase: &str,
        error: &tauri_plugin_updater::Error,
        update: Option<&Update>,
    ) {
        let Some(name) = failure::name(error) else { return };
        let mut details = Map::new();
        details.insert("phase".into(), phase.into());
        if let Some(update) = update {
            details.insert("offered".into(), update.version.as_str().into());
        }
        self.report(event, &format!("{phase}.{name}"), Some(details));
    }

    /// Sends the reports that wait. If that fails, they wait for the next report or the next run.
    fn send(&self) {
        let has_key = self.config.as_ref().is_some_and(|config| config.report_key.is_some());
        if !has_key || self.state().kit.is_none() {
            return;
        }
        let app = self.app.clone();
        async_runtime::spawn(async move {
            let this = app.spindrift();
            // Here, because it reads the certificates of the system.
            let Ok(client) = Client::new(Config::new(&this.options.url)) else { return };
            if this.begin_sending(client) {
                poll_fn(|context| this.poll_sending(context)).await;
            }
        });
    }

    /// `false`: nothing is to be done, or reports are being sent already.
    fn begin_sending(&self, client: Client) -> bool {
        let mut state = self.state();
        state.is_behind = state.sending.is_some();
        let Some(kit) = state.kit.clone().filter(|_| !state.is_behind) else { return false };
        state.sending = Some(Box::pin(async move { drop(kit.send(&client).await) }));
        true
    }

    /// The lock ensures that a run does not end in the middle.
    fn poll_sending(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        let Some(sending) = &mut state.sending else { return Poll::Ready(()) };
        ready!(sending.as_mut().poll(context));
        state.sending = None;
        let is_behind = std::mem::take(&mut state.is_behind);
        drop(state);
        if is_behind {
            self.send();
        }
        Poll::Ready(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The AppImage that the application runs from. `None`: it was installed in another way.
#[cfg(target_os = "linux")]
fn appimage<R: Runtime>(app: &AppHandle<R>) -> Option<PathBuf> {
    app.env().appimage.map(PathBuf::from)
}

#[cfg(not(target_os = "linux"))]
fn appimage<R: Runtime>(_app: &AppHandle<R>) -> Option<PathBuf> {
    None
}
