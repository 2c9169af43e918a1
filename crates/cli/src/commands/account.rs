//! `signup`, `login`, `logout`, `whoami`.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;
use serde_json::json;
use spindrift_api::{ErrorCode, LoginAnswer, LoginBody, MessageBody, SignupAnswer, SignupBody, WhoamiBody};

use crate::commands::device_login;
use crate::config;
use crate::context::Context;
use crate::error::CliError;
use crate::output::tell;
use crate::refusal::Refusal;
use crate::secret::Secret;
use crate::service::Service;

/// Environment variable with the password of the user who logs in.
const PASSWORD: &str = "SPINDRIFT_PASSWORD";
const PROMPT: &str = "Password: ";

/// Where a password comes from. It is never an argument, because other users can see arguments.
#[derive(Debug, Args)]
pub(crate) struct PasswordInput {
    /// Read the password from the first line of standard input, instead of the environment or a prompt.
    #[arg(long)]
    password_stdin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SignupCommand {
    /// Name of the new admin. It is part of the URLs that clients use.
    #[arg(long, short, value_name = "NAME")]
    username: String,
    #[command(flatten)]
    password: PasswordInput,
}

#[derive(Debug, Args)]
pub(crate) struct LoginCommand {
    /// Log in with a name and a password, for scripts. Accounts with a passkey refuse it.
    #[arg(long = "password")]
    by_password: bool,
    /// Name of the admin or team user, for a login with a password; if omitted, a prompt asks for it.
    #[arg(long, short, value_name = "NAME")]
    username: Option<String>,
    #[command(flatten)]
    password: PasswordInput,
}

#[derive(Debug, Args)]
pub(crate) struct LogoutCommand {
    /// End all logins of this user at the service, on all machines, and then forget the local one.
    #[arg(long)]
    all: bool,
}

impl SignupCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.service()?.anonymous();
        let api_key = read_secret("SPINDRIFT_API_KEY", "The service's api_key: ")?;
        let password = self.password.read(PASSWORD, PROMPT)?;
        let body = SignupBody {
            username: Some(self.username.clone()),
            password: Some(password.expose().to_owned()),
            api_key: Some(api_key.expose().to_owned()),
        };
        let answer = service.post("/signup").body_json(&body).json::<SignupAnswer>().await;
        let answer = answer.map_err(|error| username_taken(&self.username, error))?;
        remember(context, &service, &self.username, &password).await?;
        let text = format!("{} is an admin of {}, and logged in", self.username, service.url());
        context.output.result(&answer, &text)
    }
}

impl LoginCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.service()?.anonymous();
        let login = if self.is_by_password() {
            let username = match self.username {
                Some(name) => name,
                None => prompt_line("User name: ")?,
            };
            let password = self.password.read(PASSWORD, PROMPT)?;
            remember(context, &service, &username, &password).await?
        } else {
            let token = device_login::allowed_in_browser(&service).await?;
            remember_token(context, &service, token).await?
        };
        let text = format!("logged in at {} as {}", service.url(), login.username);
        let answer = json!({ "url": service.url(), "username": login.username, "owner": login.owner });
        context.output.result(&answer, &text)
    }
}

impl LoginCommand {
    /// With a name or a password, no browser is wanted.
    fn is_by_password(&self) -> bool {
        let is_given = std::env::var(PASSWORD).is_ok_and(|value| !value.is_empty());
        self.by_password || self.username.is_some() || self.password.password_stdin || is_given
    }
}

/// The error for a user name that is already taken.
fn username_taken(username: &str, error: CliError) -> CliError {
    match error {
        CliError::Refused(Refusal { code: Some(ErrorCode::AlreadyExists), .. }) => {
            CliError::Conflict(format!("{username} exists: `spindrift login --username {username}`"))
        }
        other => other,
    }
}

/// Logs in, and stores the token.
async fn remember(
    context: &Context,
    service: &Service,
    username: &str,
    password: &Secret,
) -> Result<config::Login, CliError> {
    let (username, password) = (Some(username.to_owned()), Some(password.expose().to_owned()));
    let body = LoginBody { username, password };
    let LoginAnswer { token } = service.post("/login").body_json(&body).json().await?;
    remember_token(context, service, Secret::new(token)).await
}

/// Stores the token of a login.
async fn remember_token(
    context: &Context,
    service: &Service,
    token: Secret,
) -> Result<config::Login, CliError> {
    let me: WhoamiBody = service.with_token(token.clone()).get("/whoami").json().await?;
    let owner = me.owner.unwrap_or_else(|| me.username.clone());
    let login = config::Login { token, username: me.username, owner };
    let mut credentials = context.credentials()?;
    credentials.current = Some(service.url().to_owned());
    credentials.services.insert(service.url().to_owned(), login.clone());
    context.save(&credentials)?;
    Ok(login)
}

impl LogoutCommand {
    /// Forgets the login at the selected service.
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        if self.all {
            let _: MessageBody = context.authenticated()?.post("/logout/all").json().await?;
        }
        let url = context.url()?;
        let mut credentials = context.credentials()?;
        let was_there = credentials.services.remove(&url).is_some();
        context.save(&credentials)?;
        let text = match (self.all, was_there) {
            (true, _) => format!("logged out of {url} everywhere"),
            (false, true) => format!("logged out of {url}"),
            (false, false) => format!("there was no login at {url}"),
        };
        context.output.result(&json!({ "url": url, "logged_out": was_there || self.all }), &text)
    }
}

pub(crate) async fn whoami(context: &Context) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let me: WhoamiBody = service.get("/whoami").json().await?;
    let role = match &me.owner {
        Some(owner) => format!("team user of {owner}"),
        None => "admin".to_owned(),
    };
    let text = format!("{} ({role}) at {}", me.username, service.url());
    context.output.result(&me, &text)
}

impl PasswordInput {
    /// Reads the password from standard input, the environment variable, or a prompt.
    pub(crate) fn read(&self, variable: &str, prompt: &str) -> Result<Secret, CliError> {
        if self.password_stdin {
            return read_first_line().map(Secret::new);
        }
        read_secret(variable, prompt)
    }
}

/// Reads a secret from the environment variable, or from a prompt without echo.
pub(crate) fn read_secret(variable: &str, prompt: &str) -> Result<Secret, CliError> {
    if let Some(value) = std::env::var(variable).ok().filter(|value| !value.is_empty()) {
        return Ok(Secret::new(value));
    }
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage(format!(
            "there is no terminal to ask on: set {variable}, or see --help"
        )));
    }
    let typed = rpassword::prompt_password(prompt);
    typed.map(Secret::new).map_err(CliError::file(std::path::Path::new("the terminal")))
}

fn prompt_line(prompt: &str) -> Result<String, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage("there is no terminal to ask on: pass --username"));
    }
    tell(prompt);
    read_first_line()
}

fn read_first_line() -> Result<String, CliError> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(CliError::file(std::path::Path::new("standard input")))?;
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() { Err(CliError::usage("standard input is empty")) } else { Ok(line.to_owned()) }
}
