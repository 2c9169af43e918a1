//! The exit codes. `spindrift --help` lists them, and scripts rely on them.

/// Any failure without a code of its own.
pub(crate) const FAILED: u8 = 1;
/// Invalid arguments, or values that the service refuses (400, 413, 415).
pub(crate) const USAGE: u8 = 2;
/// The token is missing or rejected (401).
pub(crate) const NOT_LOGGED_IN: u8 = 3;
/// The token may not do this (403).
pub(crate) const NOT_ALLOWED: u8 = 4;
/// The item does not exist (404).
pub(crate) const NOT_FOUND: u8 = 5;
/// The request contradicts stored data (409, 410).
pub(crate) const CONFLICT: u8 = 6;
/// The service or the object storage cannot be reached or fails (429, 5xx).
pub(crate) const UNAVAILABLE: u8 = 7;
/// A local file cannot be read or written: it does not exist, permission is denied, or the disk is full.
pub(crate) const FILE: u8 = 8;
/// `doctor`, `trust status`, `trust verify` or an `audit` command found a problem.
pub(crate) const PROBLEMS: u8 = 9;
/// `check --exit-code`, `self update --check`: there is an update.
pub(crate) const UPDATE: u8 = 10;
/// Signed metadata waits for signatures: no key was available, or others have to sign too.
pub(crate) const WAITING: u8 = 11;
/// `rollout health --exit-code`: the release is unhealthy, or the command of `--and` failed.
pub(crate) const UNHEALTHY: u8 = 12;
/// `rollout health --exit-code`: the health of the release is not known yet.
pub(crate) const UNKNOWN: u8 = 13;
/// `--strict`: some clients fall behind, or no client gets the release.
pub(crate) const GAPS: u8 = 14;

/// Ctrl+C was pressed: 128 plus the number of the signal, as in shells.
pub(crate) const STOPPED: u8 = 130;
/// The reader of standard output stopped before everything was written: 128 plus the number of `SIGPIPE`.
pub(crate) const CLOSED: u8 = 141;

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// An update is available, and the caller asked for an exit code.
    Update,
    /// The change takes effect once others have signed.
    Waiting,
    /// The release is unhealthy, and the caller asked for an exit code.
    Unhealthy,
    /// The health of the release is not known yet, and the caller asked for an exit code.
    Unknown,
    /// Some clients fall behind or no client gets the release, and the caller asked for an exit
    /// code.
    Gaps,
}

impl Outcome {
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Update => UPDATE,
            Self::Waiting => WAITING,
            Self::Unhealthy => UNHEALTHY,
            Self::Unknown => UNKNOWN,
            Self::Gaps => GAPS,
        }
    }
}

/// Printed at the end of the help.
pub(crate) const HELP: &str = "Exit codes:
  0  done
  1  any other failure
  2  wrong arguments, or values that the service refuses
  3  not logged in, or the token is not accepted
  4  not allowed
  5  not found
  6  conflicts with what is stored
  7  the service or the object storage cannot be reached, or fails
  8  a local file cannot be read or written
  9  `doctor`, `trust status`, `trust verify` or an `audit` command found a problem
 10  `check --exit-code`, `self update --check`: there is an update
 11  signed metadata waits for signatures
 12  `rollout health --exit-code`: unhealthy, or the command of `--and` failed
 13  `rollout health --exit-code`: nothing is known yet
 14  `--strict`: clients fall behind, or nobody gets the release
130  stopped with Ctrl+C
141  the reader of the output stopped before everything was written, like `head`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_exit_codes() {
        for (outcome, code) in [
            (Outcome::Done, 0),
            (Outcome::Update, 10),
            (Outcome::Waiting, 11),
            (Outcome::Unhealthy, 12),
            (Outcome::Unknown, 13),
            (Outcome::Gaps, 14),
        ] {
            assert_eq!(outcome.exit_code(), code, "{outcome:?}");
            assert!(HELP.contains(&format!("\n{code:>3}  ")), "{code}");
        }
    }
}
