//! The command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    account, app, arch, channel, check, completions, download_token, hand_over, latest, platform, releases,
    reports, rollout, telemetry, token, user, yank,
};
use crate::globals::Globals;
use crate::{doctor, exit, publish};

/// Publishes, manages and checks releases of a Spindrift service.
#[derive(Debug, Parser)]
#[command(name = "spindrift", version, after_help = exit::HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Become an admin: somebody who owns applications.
    Signup(account::Signup),
    /// Log in, and remember the token for the commands that follow.
    Login(account::Login),
    /// Forget the token, or end all of the user's.
    Logout(account::Logout),
    /// Who the token belongs to.
    Whoami,
    /// Applications.
    #[command(subcommand)]
    App(app::App),
    /// Channels: stable, beta, ...
    #[command(subcommand)]
    Channel(channel::Channel),
    /// Platforms, and which updaters their clients use.
    #[command(subcommand)]
    Platform(platform::Platform),
    /// Architectures.
    #[command(subcommand)]
    Arch(arch::Arch),
    /// CI tokens, which may do nothing but upload.
    #[command(subcommand)]
    Token(token::Token),
    /// Tokens that copies of a private application download with.
    #[command(subcommand)]
    DownloadToken(download_token::DownloadToken),
    /// Team users, who work on an admin's applications.
    #[command(subcommand)]
    User(user::User),
    /// Upload the files of a release.
    Publish(Box<publish::Publish>),
    /// Ask for an update as an installed copy does.
    Check(check::Check),
    /// The newest builds of an application, or one of them as a file.
    Latest(latest::Latest),
    /// Releases with their files, published or not.
    Releases(releases::Releases),
    /// Staged rollouts.
    #[command(subcommand)]
    Rollout(rollout::Rollout),
    /// Stop offering a release, or offer it again.
    Yank(yank::Yank),
    /// How many devices run what.
    Telemetry(telemetry::Telemetry),
    /// Failures that installed copies reported.
    #[command(subcommand)]
    Reports(reports::Reports),
    /// Look for what keeps the service from working, and say what to do.
    Doctor(doctor::Doctor),
    /// Run service and object storage on this machine (`spindrift-host up`).
    Up(hand_over::HandOver),
    /// Do the main job once on temporary state (`spindrift-host demo`).
    Demo(hand_over::HandOver),
    /// Print completions for a shell.
    Completions(completions::Completions),
    /// Print the manual page.
    Man(completions::Man),
}
