//! A login that a person allows in a browser ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).

use std::io::IsTerminal as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use spindrift_api::{DeviceCodeAnswer, DeviceCodeBody, DeviceTokenBody, ErrorCode, LoginAnswer};

use crate::error::CliError;
use crate::output::tell;
use crate::refusal::Refusal;
use crate::secret::Secret;
use crate::service::Service;

/// How much longer to wait after `slow_down`, in seconds
/// ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)).
const SLOWER_SECONDS: i64 = 5;

/// The token of a login that a person allows on the console's page, which is opened.
pub(super) async fn allowed_in_browser(service: &Service) -> Result<Secret, CliError> {
    let body = DeviceCodeBody { machine: Some(machine()) };
    let asked: DeviceCodeAnswer = service.post("/device/code").body_json(&body).json().await?;
    tell(&format!(
        "Open {} and check that it shows the code {}.\nWaiting for you to allow the login...\n",
        asked.verification_uri_complete, asked.user_code
    ));
    if std::io::stderr().is_terminal() {
        open(&asked.verification_uri_complete);
    }
    wait(service, &asked).await
}

async fn wait(service: &Service, asked: &DeviceCodeAnswer) -> Result<Secret, CliError> {
    let mut interval = asked.interval;
    loop {
        tokio::time::sleep(Duration::from_secs(interval.unsigned_abs())).await;
        let body = DeviceTokenBody { device_code: Some(asked.device_code.clone()) };
        match service.post("/device/token").body_json(&body).json::<LoginAnswer>().await {
            Ok(LoginAnswer { token }) => return Ok(Secret::new(token)),
            Err(CliError::Refused(Refusal { code: Some(ErrorCode::AuthorizationPending), .. })) => {}
            Err(CliError::Refused(Refusal { code: Some(ErrorCode::SlowDown), .. })) => {
                interval += SLOWER_SECONDS;
            }
            Err(error) => return Err(error),
        }
    }
}

/// This program and its machine, for the person who decides.
fn machine() -> String {
    let name = ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = name.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.map_or_else(|| "spindrift".to_owned(), |name| format!("spindrift on {name}"))
}

/// Opens a page in the person's browser. If that fails, the person has the address.
fn open(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(command.spawn());
}
