//! The choices for the first root.

use clap::Args;

/// Keys, thresholds and lifetimes.
#[derive(Debug, Args)]
pub(super) struct FirstRootOptions {
    /// Public part of a root key: TUF JSON, PEM or an OpenSSH line, as text or in a file. May be repeated. By
    /// default a working and a recovery key are made.
    #[arg(long = "root-key", value_name = "PUBLIC")]
    pub(super) root_keys: Vec<String>,
    /// How many of the root keys must sign a root.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub(super) threshold: usize,
    /// Let the service sign the lists of files. An attacker who controls the service can then
    /// publish.
    #[arg(long, conflicts_with_all = ["targets_keys", "targets_threshold"])]
    pub(super) online: bool,
    /// Public part of a publisher's key, like --root-key. By default one is made.
    #[arg(long = "targets-key", value_name = "PUBLIC")]
    pub(super) targets_keys: Vec<String>,
    /// How many of the publishers' keys must sign a list.
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub(super) targets_threshold: usize,
    /// Do not encrypt the keys that are made.
    #[arg(long)]
    pub(super) no_passphrase: bool,
    /// How long the root is valid, in days.
    #[arg(long, default_value_t = 730, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
    pub(super) root_days: u16,
    /// How long the first list is valid, in days.
    #[arg(long, default_value_t = 365, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=730))]
    pub(super) targets_days: u16,
}
