//! Logins of programs that have no browser, which a person allows in one
//! ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).

use std::fmt;
use std::str::FromStr;

use crate::{Id, TextRule, Timestamp};

/// How long a person has to allow a login, in seconds.
pub const DEVICE_LOGIN_SECONDS: i64 = 10 * 60;
/// How long a program waits between two questions, in seconds.
pub const DEVICE_POLL_SECONDS: i64 = 5;
/// Most characters of what a program says about its machine.
pub const MAX_MACHINE_CHARS: usize = 100;

/// Letters of a code: without vowels, so that no code is a word ([RFC 8628
/// §6.1](https://www.rfc-editor.org/rfc/rfc8628#section-6.1)).
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Number of letters.
const CODE_LETTERS: usize = 8;

/// The code that a program shows and a person compares, such as `WDJB-MJHT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCode(String);

impl UserCode {
    /// A new code from random bytes.
    pub fn generate(random: [u8; 16]) -> Self {
        let letter = |pair: &[u8]| {
            let number = usize::from(pair[0]) << 8 | usize::from(pair[1]);
            char::from(LETTERS[number % LETTERS.len()])
        };
        Self::of_letters(&random.chunks_exact(2).map(letter).collect::<String>())
    }

    fn of_letters(letters: &str) -> Self {
        let (first, second) = letters.split_at(CODE_LETTERS / 2);
        Self(format!("{first}-{second}"))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text does not have the form of a [`UserCode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidUserCode;

impl TextRule for UserCode {
    const RULE: &'static str = "eight letters, as the program shows them";
}

impl FromStr for UserCode {
    type Err = InvalidUserCode;

    /// Accepts any case, and hyphens and spaces anywhere.
    fn from_str(typed: &str) -> Result<Self, InvalidUserCode> {
        let letters: String = typed
            .chars()
            .filter(|c| !matches!(c, '-' | ' '))
            .take(CODE_LETTERS + 1)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let is_code = letters.len() == CODE_LETTERS && letters.bytes().all(|b| LETTERS.contains(&b));
        if is_code { Ok(Self::of_letters(&letters)) } else { Err(InvalidUserCode) }
    }
}

/// A login that a program has asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceLogin {
    /// The code that the person compares.
    pub user_code: UserCode,
    /// The program's own words about its machine.
    pub machine: String,
    /// Where the program asked from. Empty: not known.
    pub address: String,
    /// When it asked.
    pub created_at: Timestamp,
    /// Until when a person can allow it.
    pub expires_at: Timestamp,
    /// When the program last asked for its login.
    pub polled_at: Option<Timestamp>,
    /// The person's answer.
    pub state: DeviceLoginState,
}

/// The person's answer to a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceLoginState {
    /// There is none yet.
    Waiting,
    /// This user lets the program in.
    Allowed(Id),
    /// The program gets nothing.
    Denied,
}

/// The answer to a program that asks for its login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DevicePoll {
    /// Ask again.
    Pending,
    /// Ask again, and wait longer.
    SlowDown,
    /// It was not allowed in time.
    Expired,
    /// A person refused.
    Denied,
    /// It gets a login of this user.
    Allowed(Id),
}

impl DeviceLogin {
    /// The answer to a program that asks at `now`.
    pub fn poll(&self, now: Timestamp) -> DevicePoll {
        let is_early = |last: Timestamp| now < last.plus_seconds(DEVICE_POLL_SECONDS);
        match &self.state {
            _ if now >= self.expires_at => DevicePoll::Expired,
            DeviceLoginState::Denied => DevicePoll::Denied,
            DeviceLoginState::Allowed(user) => DevicePoll::Allowed(user.clone()),
            DeviceLoginState::Waiting if self.polled_at.is_some_and(is_early) => DevicePoll::SlowDown,
            DeviceLoginState::Waiting => DevicePoll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_type_codes_as_they_like() {
        let code = UserCode::generate([0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 255, 255]);
        assert_eq!(code.as_str(), "CDFG-HJKT");
        for typed in ["CDFG-HJKT", "cdfghjkt", " cdfg hjkt ", "c-d-f-g-h-j-k-t"] {
            assert_eq!(typed.parse(), Ok(code.clone()), "{typed}");
        }
        for wrong in ["", "CDFG-HJK", "CDFG-HJKTT", "CDFG-HJKA", "ÄÄÄÄÄÄÄÄ", &"C".repeat(10_000)] {
            assert_eq!(wrong.parse::<UserCode>(), Err(InvalidUserCode), "{wrong}");
        }
    }

    #[test]
    fn a_program_learns_what_the_person_answered() {
        let at = |seconds: i64| Timestamp::from_millis(1_000_000).plus_seconds(seconds);
        let user = Id::from_text("1");
        let allowed = DeviceLoginState::Allowed(user.clone());
        for (state, polled, now, expected) in [
            (DeviceLoginState::Waiting, None, 0, DevicePoll::Pending),
            (DeviceLoginState::Waiting, Some(0), 4, DevicePoll::SlowDown),
            (DeviceLoginState::Waiting, Some(0), 5, DevicePoll::Pending),
            (DeviceLoginState::Waiting, Some(595), 600, DevicePoll::Expired),
            (DeviceLoginState::Denied, Some(0), 1, DevicePoll::Denied),
            (allowed.clone(), Some(0), 1, DevicePoll::Allowed(user)),
            (allowed, None, 600, DevicePoll::Expired),
        ] {
            let login = DeviceLogin {
                user_code: UserCode::generate([0; 16]),
                machine: String::new(),
                address: String::new(),
                created_at: at(0),
                expires_at: at(DEVICE_LOGIN_SECONDS),
                polled_at: polled.map(at),
                state: state.clone(),
            };
            assert_eq!(login.poll(at(now)), expected, "{state:?} {now}");
        }
    }
}
