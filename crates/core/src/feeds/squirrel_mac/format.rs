//! The answer format of Squirrel.Mac.

use super::PACKAGE;
use super::render::body;
use crate::Upload;
use crate::feeds::format::{FeedFormat, FormatFacts, Installs, NoFeed};
use crate::feeds::{CheckAnswer, FeedOffer, NativeAnswer, NativeQuestion};

pub(in crate::feeds) enum SquirrelDarwin {}

/// See [`FeedFormat::StoredForm`].
pub(in crate::feeds) type StoredForm = NoFeed;

impl FeedFormat for SquirrelDarwin {
    type StoredForm = StoredForm;

    const FACTS: FormatFacts = FormatFacts {
        alias: Some("squirrel"),
        installs: Installs::Artifact(|package, _| package.as_str() == PACKAGE),
        signature: None,
        can_stage: false,
        answers_in_json: true,
        sends_device: false,
        works_for_private_apps: true,
        is_requested_name: |name| name == "squirrel.json",
    };

    fn missing(upload: &Upload<'_>) -> Option<&'static str> {
        (!upload.has_package(PACKAGE)).then_some("a .zip file")
    }

    fn answer(offer: &FeedOffer<'_, NoFeed>, question: &NativeQuestion<'_>) -> NativeAnswer {
        NativeAnswer::json(body(&offer.decision, question.client))
    }

    fn check_answer(offer: &FeedOffer<'_, NoFeed>, question: &NativeQuestion<'_>) -> CheckAnswer {
        CheckAnswer::Own(Self::answer(offer, question))
    }
}
