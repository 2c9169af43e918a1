//! The answer format of Tauri's updater.

use super::check::{artifact, check_signature};
use super::render::body;
use crate::Upload;
use crate::feeds::format::{FeedFormat, FormatFacts, Installs, NoFeed, SignatureFormat};
use crate::feeds::{CheckAnswer, FeedOffer, NativeAnswer, NativeQuestion};

pub(in crate::feeds) enum Tauri {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = NoFeed;

impl FeedFormat for Tauri {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: None,
        installs: Installs::Artifact(|_, is_signed| is_signed),
        signature: Some(SignatureFormat { checked: check_signature, file: artifact }),
        can_stage: false,
        answers_in_json: true,
        sends_device: false,
        works_for_private_apps: true,
        is_requested_name: |name| name == "tauri.json",
    };

    fn missing(upload: &Upload<'_>) -> Option<&'static str> {
        if !upload.signed {
            return Some("a signature");
        }
        artifact(upload.files).is_none().then_some("exactly one artifact besides installers")
    }

    fn answer(offer: &FeedOffer<'_, NoFeed>, question: &NativeQuestion<'_>) -> NativeAnswer {
        NativeAnswer::json(body(&offer.decision, question.client, question.bundle))
    }

    fn check_answer(offer: &FeedOffer<'_, NoFeed>, question: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Own(Self::answer(offer, question))
    }
}
