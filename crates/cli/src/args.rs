//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    account, app, arch, audit, channel, check, completions, download_token, explain, freeze, group, guard,
    invitation, latest, platform, publisher, release, releases, reports, rollout, shutoff, telemetry, token,
    user, webhook, yank,
};
use crate::globals::Globals;
use crate::import::ImportCommand;
use crate::self_update::SelfCommand;
use crate::trust::Trust;
use crate::{doctor, exit, publish};

/// The version, with the commit and date that the build was given.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let build = option_env!("SPINDRIFT_BUILD").filter(|build| !build.is_empty());
    build.map_or_else(|| version.to_owned(), |build| format!("{version} ({build})"))
}

/// Publish, manage and check the releases of a Spindrift service, or run one.
#[derive(Debug, Parser)]
#[command(name = "spindrift", version = version(), after_help = exit::HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an admin, who owns applications.
    Signup(account::SignupCommand),
    /// Log in, and remember the token for later commands.
    Login(account::LoginCommand),
    /// Forget the token, or end all logins of the user.
    Logout(account::LogoutCommand),
    /// Show the owner of the token.
    Whoami,
    /// Manage applications.
    #[command(subcommand)]
    App(app::AppCommand),
    /// Manage channels: stable, beta, ...
    #[command(subcommand)]
    Channel(channel::ChannelCommand),
    /// Manage platforms and their updaters.
    #[command(subcommand)]
    Platform(platform::PlatformCommand),
    /// Manage architectures.
    #[command(subcommand)]
    Arch(arch::ArchCommand),
    /// Manage CI tokens, which upload, publish, or stop releases.
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Manage trusted publishing: CI jobs that prove who they are and need no token.
    #[command(subcommand)]
    Publisher(publisher::PublisherCommand),
    /// Manage download tokens for private applications.
    #[command(subcommand)]
    DownloadToken(download_token::DownloadTokenCommand),
    /// Manage team users, who work on an admin's applications.
    #[command(subcommand)]
    User(user::UserCommand),
    /// Invite people to your team, with links.
    #[command(subcommand)]
    Invitation(invitation::InvitationCommand),
    /// Upload the files of a release.
    Publish(Box<publish::PublishCommand>),
    /// Check for an update, as an installed copy does.
    Check(check::CheckCommand),
    /// Explain what a client would get, and why.
    ///
    /// Uses your login, and works for any client, now or at a later time. No device is counted.
    Explain(explain::ExplainCommand),
    /// Show the newest builds of an application, or download one.
    Latest(latest::LatestCommand),
    /// Manage releases: list, show, publish, withdraw, restore, edit, delete.
    #[command(subcommand)]
    Release(release::ReleaseCommand),
    /// List releases with their files, published or not; the same as `release list`.
    Releases(releases::ReleasesCommand),
    /// Manage staged rollouts: percentages, plans, pauses and halts, health and guards.
    #[command(subcommand)]
    Rollout(rollout::RolloutCommand),
    /// Check the health of all releases, and stop the unhealthy ones that have a guard.
    #[command(subcommand)]
    Guard(guard::GuardCommand),
    /// Turn a release into a draft: stop offering it, or cancel its schedule.
    Yank(yank::YankCommand),
    /// Manage groups of devices, such as testers, which get releases before everybody else.
    #[command(subcommand)]
    Group(group::GroupCommand),
    /// Shut off all updates of an application, or lift a shut-off.
    #[command(subcommand)]
    Shutoff(shutoff::ShutoffCommand),
    /// Freeze rollouts: steps and scheduled publications wait.
    #[command(subcommand)]
    Freeze(freeze::FreezeCommand),
    /// Send audit log entries to webhooks.
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Manage signed update metadata: keys, signatures, the files that clients may trust.
    #[command(subcommand)]
    Trust(Trust),
    /// Show how many devices use which versions.
    Telemetry(telemetry::TelemetryCommand),
    /// Manage failures that installed copies reported.
    #[command(subcommand)]
    Reports(reports::ReportsCommand),
    /// Show, export and verify the audit log: who changed what.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Import everything from another update server into this service.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Find problems of the service, and suggest solutions.
    Doctor(doctor::DoctorCommand),
    #[cfg(feature = "service")]
    #[command(flatten)]
    Local(spindrift_local::Command),
    /// Update this program.
    #[command(subcommand, name = "self")]
    ThisProgram(SelfCommand),
    /// Print the completions for a shell.
    Completions(completions::CompletionsCommand),
    /// Print the manual page.
    Man(completions::ManCommand),
}
