//! `up`: serves until interrupted.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use spindrift_http::{ConnectionLimits, log_line};
use spindrift_server::ServerLimits;
use spindrift_settings::{API_KEY, API_URL, MAINTENANCE_TOKEN};

use crate::error::LocalError;
use crate::local::{Local, LocalOptions, manifest};
use crate::log::LogFormat;
use crate::output::say;
use crate::own_requests::OwnRequests;
use crate::secrets::Secrets;
use crate::settings;
use crate::sockets::Sockets;
use crate::state_dir::{self, DEFAULT_STATE_DIR};
use crate::timer::Timer;
use crate::variables::from_environment;
use crate::welcome::{Console, SignupKey};

/// The arguments of `up`.
#[derive(Debug, Args)]
pub struct UpCommand {
    /// Address of the application, unless systemd passes a socket.
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Address of the object storage, unless systemd passes a second socket.
    #[arg(long, default_value = "127.0.0.1:9000", value_name = "ADDRESS")]
    storage_listen: SocketAddr,
    /// Run without an object storage.
    #[arg(long)]
    no_storage: bool,
    /// Folder for databases, objects and secrets.
    #[arg(long, default_value = DEFAULT_STATE_DIR, value_name = "DIR")]
    state_dir: PathBuf,
    /// Value of an application variable; may be repeated. Takes precedence over `SPIN_VARIABLE_<NAME>`.
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = parse_variable)]
    variables: Vec<(String, String)>,
    /// Before serving, remove the passkeys and recovery codes of this user, who has lost them, and end the user's
    /// logins. From then on, the password alone logs in. May be repeated.
    #[arg(long, value_name = "NAME")]
    reset_passkeys: Vec<String>,
    /// Time limit of a request, including work after its answer, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    request_timeout_seconds: u64,
    /// Maximum number of concurrent requests, for each of: installed copies, known logins, unknown
    /// logins, everyone else. Further ones wait. Without a known login, one client address may use
    /// half of them.
    #[arg(long, default_value_t = 256, value_name = "COUNT")]
    max_concurrent_requests: usize,
    /// Threads for everything that is not an answer to an installed copy.
    #[arg(long, default_value_t = 8, value_name = "COUNT")]
    workers: usize,
    /// Time limit for running requests when stopping, in seconds.
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    stop_wait_seconds: u64,
    /// Minutes between the requests of the timer; 0 turns the timer off.
    #[arg(long, default_value_t = 5, value_name = "MINUTES")]
    timer_minutes: u64,
    /// Path that the timer posts to. May be repeated; the paths are called one after another.
    #[arg(long = "timer-path", default_values = ["/maintenance/run", "/guard/run"], value_name = "PATH")]
    timer_paths: Vec<String>,
    /// Form of the log on standard error [default: text in a terminal, else JSON].
    #[arg(long, value_enum, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// Variable with the bearer token for the timer's requests. If it is empty, the timer is off.
    #[arg(long, default_value = MAINTENANCE_TOKEN.row.name, value_name = "NAME")]
    timer_token_variable: String,
}

fn parse_variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl UpCommand {
    fn limits(&self) -> ServerLimits {
        let stop_wait = Duration::from_secs(self.stop_wait_seconds);
        ServerLimits {
            connections: ConnectionLimits { stop_wait, ..ConnectionLimits::default() },
            request_timeout: Duration::from_secs(self.request_timeout_seconds),
            concurrent_requests: self.max_concurrent_requests,
            requests_per_client: self.max_concurrent_requests.div_ceil(2),
            workers: self.workers,
            ..ServerLimits::default()
        }
    }

    /// The timer, or `None` if it is off.
    fn timer(&self, local: &Local, own: &OwnRequests) -> Option<Timer> {
        let token = local.variable(&self.timer_token_variable).filter(|token| !token.is_empty())?;
        let pause = Duration::from_secs(self.timer_minutes.checked_mul(60).filter(|seconds| *seconds > 0)?);
        let urls = self.timer_paths.iter().map(|path| format!("{}{path}", local.url())).collect();
        Some(Timer::start(urls, token, pause, own.clone()))
    }

    /// Prints what to open first.
    async fn welcome(&self, local: &Local, is_key_given: bool, own: &OwnRequests) {
        let Some(console) = Console::of(local.url(), own).await else { return };
        let secrets = Secrets::path(&self.state_dir);
        let key = match local.variable(API_KEY.row.name) {
            None | Some("") => SignupKey::None,
            Some(_) if is_key_given => SignupKey::Given,
            Some(_) => SignupKey::In(&secrets),
        };
        let address = local.variable(API_URL.row.name).unwrap_or(local.url()).trim_end_matches('/');
        for line in console.lines(address, key) {
            say!("{line}");
        }
    }

    /// Does the work that accompanies serving. Never ends.
    async fn accompany(&self, local: &Local, is_key_given: bool, own: &OwnRequests) {
        self.welcome(local, is_key_given, own).await;
        let _timer = self.timer(local, own);
        std::future::pending::<()>().await;
    }

    pub(crate) async fn run(self) -> Result<(), LocalError> {
        // Before anything else: programs started by this one must not inherit the sockets.
        let sockets = Sockets::from_environment(if self.no_storage { 1 } else { 2 })?;
        let own = OwnRequests::new()?;
        LogFormat::install(self.log_format, own.clone());
        state_dir::open(&self.state_dir)?;
        let declared = &manifest()?.variables;
        settings::check_names(
            &declared.keys().map(String::as_str).collect::<Vec<_>>(),
            self.variables.iter().map(|(name, _)| name.clone()),
            std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()),
        )?;
        let mut variables = from_environment(declared);
        variables.extend(self.variables.iter().cloned());
        let is_key_given = variables.contains_key(API_KEY.row.name);
        let options = LocalOptions {
            listen: self.listen,
            storage_listen: (!self.no_storage).then_some(self.storage_listen),
            state_dir: self.state_dir.clone(),
            variables,
            reset_passkeys: self.reset_passkeys.clone(),
            limits: self.limits(),
        };
        let interrupted = wait_for_interrupt();
        let local = Local::start_at(sockets, options).await?;
        say!("Serving {}", local.url());
        if let Some(url) = local.storage_url() {
            say!("Storage {url}");
        }
        say!("Generated secrets are in {}", Secrets::path(&self.state_dir).display());
        tokio::select! {
            () = self.accompany(&local, is_key_given, &own) => {}
            () = interrupted => {}
        }
        log_line("Stopping");
        local.stop().await;
        Ok(())
    }
}

/// Completes when the process is asked to end. A signal between the call and the first poll counts too,
/// because the service may already be serving.
#[cfg(unix)]
fn wait_for_interrupt() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    // If no handler can be installed, the default handler of the system ends the process.
    async fn wait_for(signal: std::io::Result<Signal>) {
        match signal {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    }
    let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
    async move {
        tokio::select! {
            () = wait_for(interrupt) => {}
            () = wait_for(terminate) => {}
        }
    }
}

/// Completes when the process is asked to end.
#[cfg(not(unix))]
async fn wait_for_interrupt() {
    // If no handler can be installed, the default handler of the system ends the process.
    let _ = tokio::signal::ctrl_c().await;
}
