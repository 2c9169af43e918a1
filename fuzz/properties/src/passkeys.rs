//! Answers of browsers with passkeys, challenges, and codes that people type.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use spindrift_auth::{
    ChallengePurpose, MAX_PASSKEY_ANSWER_BYTES, PasskeyAnswer, PasskeyError, RecoveryCode, RelyingParty,
    SealedChallenge,
};
use spindrift_core::{Id, PasskeyKey, UserCode};

use crate::text::of;
use crate::world::NOW;

const SECRET: &str = "a secret of the service that nobody guesses";

/// Answers, challenges and codes are read or refused, and nobody forges one.
pub fn passkeys(data: &[u8]) -> bool {
    let party = RelyingParty::of("https://updates.example.com").expect("an address");
    let name = "ada".parse().expect("a name");
    let new = party.ask_for_new(&Id::from_text("1"), &name, &[]).expect("a question");
    assert!(party.accept_new(&new.state, data).is_err(), "the challenge is a new one");
    assert!(party.accept_new(data, data).is_err());
    let question = party.ask().expect("a question");
    let is_answer = PasskeyAnswer::parse(data).is_ok_and(|answer| {
        assert!(data.len() <= MAX_PASSKEY_ANSWER_BYTES);
        let credential_id = answer.credential_id();
        let key = PasskeyKey {
            credential_id,
            public_key: URL_SAFE_NO_PAD.encode(data),
            state: "AQAAAAAAAA".to_owned(),
        };
        let verified = party.verify(&question.state, &answer, (&Id::from_text("1"), &key));
        assert!(verified.is_err(), "{verified:?}");
        true
    });
    let Some(text) = of(data) else { return is_answer };
    forged(text);
    let is_recovery_code = RecoveryCode::parse(text).is_some_and(|code| {
        assert_eq!(RecoveryCode::parse(&code.expose()), Some(code));
        true
    });
    let is_user_code = text.parse::<UserCode>().is_ok_and(|code| {
        assert_eq!(code.as_str().parse(), Ok(code));
        true
    });
    is_answer || is_recovery_code || is_user_code
}

/// Neither the text nor a changed challenge is one of the service.
fn forged(text: &str) {
    let challenge = SealedChallenge::new(ChallengePurpose::Login, None, b"state", NOW);
    let sealed = challenge.seal(SECRET).expect("a long secret");
    let (_, mac) = sealed.split_once('.').expect("a MAC");
    for wrong in [text.to_owned(), format!("{text}.{mac}"), format!("{}.{mac}", URL_SAFE_NO_PAD.encode(text))]
    {
        let opened = SealedChallenge::open(SECRET, &wrong, ChallengePurpose::Login, NOW);
        assert!(opened == Err(PasskeyError::NoChallenge) || wrong == sealed, "{wrong}");
    }
}
